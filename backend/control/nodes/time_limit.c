/* time_limit.c - how long a job may run: the timer that ends it, and the signal that it asked for before.
 *
 * The timer is the controller's; the node has a later one for when no controller is there. The signal is
 * the node's, which counts it back from the limit that it was told at the launch. Where the end has moved
 * since (another limit, a suspension) the node is told both again, and at each connection: it may have
 * missed that.
 */
#include <stdlib.h>

#include "backend/control/private.h"
#include "src/base/units.h"
#include "src/base/xalloc.h"

#define NEVER      INT64_MAX
#define PAUSED     (-1)
#define BACKSTOP_S 30 /* so much later than ours is the node's own timer */

struct job_timer {
    struct loop_timer timer;
    struct control *ctl;
    uint32_t job;
    uint32_t limit_s; /* that it was set for */
    struct wall t_start;
    int64_t ran_ms; /* at `since` */
    struct mono since;
};

void ctl_drop_timer(struct control *c, uint32_t job)
{
    struct job_timer *t = idmap_remove(&c->timers, job);
    if (!t)
        return;
    loop_timer_cancel(c->loop, &t->timer);
    free(t);
}

static void on_limit(void *ctx)
{
    struct job_timer *t = ctx;
    struct control *c = t->ctl;
    struct ev_kill body = {.step = STEP_ALL,
                           .cause = KILL_TIMEOUT,
                           .uid = 0,
                           .grace_s = c->model.spec.kill_wait_s,
                           .fate = FATE_END};
    uint32_t job = t->job;
    ctl_drop_timer(c, job);
    ctl_emit(c, EV_KILL, job, &body);
}

/* From its start, or this controller's, the monotonic clock counts; what ran before is the wall clock's
 * word, which may have been set since. t: of this run, or NULL. */
static int64_t ran_ms(const struct control *c, const struct job *j, const struct job_timer *t)
{
    if (t)
        return t->ran_ms + (loop_now(c->loop).ns - t->since.ns) / NS_PER_MS;
    int64_t ms = loop_wall(c->loop).ms - j->t_start.ms - (int64_t)job_rare(j)->suspended_ms;
    return ms > 0 ? ms : 0;
}

static struct job_timer *timer_of_run(const struct control *c, const struct job *j)
{
    struct job_timer *t = idmap_get(&c->timers, j->id);
    return t && t->t_start.ms == j->t_start.ms ? t : NULL;
}

int64_t ctl_ran_ms(const struct control *c, const struct job *j)
{
    return ran_ms(c, j, timer_of_run(c, j));
}

void ctl_set_timer(struct control *c, const struct job *j)
{
    struct job_timer *t = timer_of_run(c, j);
    bool limited = j->state == JOB_RUNNING && j->time_limit_s < DURATION_NOT_SET;
    if (t && limited && t->limit_s == j->time_limit_s)
        return;
    int64_t ran = ran_ms(c, j, t);
    ctl_drop_timer(c, j->id);
    if (!limited)
        return;
    t = xcalloc(1, sizeof *t);
    *t = (struct job_timer){.ctl = c,
                            .job = j->id,
                            .limit_s = j->time_limit_s,
                            .t_start = j->t_start,
                            .ran_ms = ran,
                            .since = loop_now(c->loop)};
    t->timer = (struct loop_timer){.fn = on_limit, .ctx = t};
    idmap_set(&c->timers, j->id, t);
    int64_t left_ms = (int64_t)j->time_limit_s * MS_PER_S - ran;
    loop_timer_set(c->loop, &t->timer, left_ms < 0 ? 0 : left_ms);
}

/* --- the signal before the limit --- */

bool ctl_signals_early(const struct job *j, const struct step *s)
{
    return req_rare(&j->req)->signal && j->req.signal_batch == (s->id == STEP_BATCH);
}

int64_t ctl_early_base_ms(const struct job *j)
{
    if (j->state != JOB_RUNNING || j->time_limit_s >= DURATION_NOT_SET)
        return NEVER;
    return j->t_start.ms + (int64_t)job_rare(j)->suspended_ms + (int64_t)j->time_limit_s * MS_PER_S;
}

void ctl_tell_early(struct control *c, const struct job *j, const struct step *s, const struct task *t,
                    struct flight *f)
{
    int64_t base = ctl_early_base_ms(j);
    struct node_link *link = ctl_node(c, t->alloc.node);
    if (!ctl_signals_early(j, s) || f->early_for_ms == base || !link)
        return;
    struct launch_kill k = {.key = f->key, .signal = LAUNCH_EARLY_AT, .grace_s = DURATION_UNLIMITED};
    if (base != NEVER) {
        int64_t in_s =
            (int64_t)j->time_limit_s - req_rare(&j->req)->signal_at_s - ctl_ran_ms(c, j) / MS_PER_S;
        k.grace_s = in_s > 0 ? (uint32_t)in_s : 0;
    }
    if (nodeconn_send(link->conn, ctl_gate(c), MSG_KILL, 0, &k))
        f->early_for_ms = base;
}

/* --- the node's own timer --- */

uint32_t ctl_backstop_s(const struct control *c, const struct job *j)
{
    if (j->time_limit_s >= DURATION_NOT_SET)
        return DURATION_UNLIMITED;
    int64_t ran_s = ctl_ran_ms(c, j) / MS_PER_S;
    uint32_t left_s = j->time_limit_s > ran_s ? j->time_limit_s - (uint32_t)ran_s : 0;
    return left_s + c->model.spec.kill_wait_s + BACKSTOP_S;
}

void ctl_tell_limit(struct control *c, const struct job *j, const struct task *t, struct flight *f)
{
    bool paused = j->state == JOB_SUSPENDED;
    int64_t base = paused ? PAUSED : ctl_early_base_ms(j);
    struct node_link *link = ctl_node(c, t->alloc.node);
    if (f->limit_for_ms == base || !link)
        return;
    struct launch_kill k = {.key = f->key, .signal = paused ? LAUNCH_PAUSED : LAUNCH_LIMIT_AT};
    if (!paused)
        k.grace_s = ctl_backstop_s(c, j);
    if (nodeconn_send(link->conn, ctl_gate(c), MSG_KILL, 0, &k))
        f->limit_for_ms = base;
}
