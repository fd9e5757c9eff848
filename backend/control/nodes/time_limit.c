#include "backend/control/nodes/time_limit.h"

#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/attempt_state.h"
#include "backend/control/nodes/node_peers.h"
#include "src/base/idmap.h"
#include "src/values/units.h"

#define NEVER      INT64_MAX
#define PAUSED     (-1)
#define BACKSTOP_S 30 /* by which the node's own timer is later than ours */

struct job_timer {
    struct loop_timer timer;
    struct control *ctl;
    uint32_t job;
    uint32_t limit_s; /* that it was set for */
    struct wall t_start;
    int64_t ran_ms; /* at `since` */
    struct mono since;
};

static struct idmap *time_limit_timers(const struct control *c)
{
    return c->state[MODULE_TIME_LIMIT]; /* job -> struct job_timer */
}

void time_limit_drop(struct control *c, uint32_t job)
{
    struct job_timer *t = idmap_remove(time_limit_timers(c), job);
    if (!t)
        return;
    loop_timer_cancel(c->loop, &t->timer);
    free(t);
}

static void time_limit_on_limit(void *ctx)
{
    struct job_timer *t = ctx;
    struct control *c = t->ctl;
    struct ev_kill body = {.step = STEP_ALL,
                           .cause = KILL_TIMEOUT,
                           .uid = 0,
                           .grace_s = c->model.spec.kill_wait_s,
                           .fate = FATE_END};
    uint32_t job = t->job;
    time_limit_drop(c, job);
    ctl_emit(c, EV_KILL, job, &body);
}

/* The monotonic clock counts from the start of the job or of this controller; the time before is taken from
 * the wall clock, which may have been set since. t: of this run, or NULL. */
static int64_t time_limit_ran_since(const struct control *c, const struct job *j, const struct job_timer *t)
{
    if (t)
        return t->ran_ms + (loop_now(c->loop).ns - t->since.ns) / NS_PER_MS;
    int64_t ms = loop_wall(c->loop).ms - j->t_start.ms - (int64_t)job_rare(j)->suspended_ms;
    return ms > 0 ? ms : 0;
}

static struct job_timer *time_limit_timer_of_run(const struct control *c, const struct job *j)
{
    struct job_timer *t = idmap_get(time_limit_timers(c), j->id);
    return t && t->t_start.ms == j->t_start.ms ? t : NULL;
}

int64_t time_limit_ran_ms(const struct control *c, const struct job *j)
{
    return time_limit_ran_since(c, j, time_limit_timer_of_run(c, j));
}

void time_limit_set(struct control *c, const struct job *j)
{
    struct job_timer *t = time_limit_timer_of_run(c, j);
    bool limited = j->state == JOB_RUNNING && j->time_limit_s < DURATION_NOT_SET;
    if (t && limited && t->limit_s == j->time_limit_s)
        return;
    int64_t ran = time_limit_ran_since(c, j, t);
    time_limit_drop(c, j->id);
    if (!limited)
        return;
    t = xcalloc(1, sizeof *t);
    *t = (struct job_timer){.ctl = c,
                            .job = j->id,
                            .limit_s = j->time_limit_s,
                            .t_start = j->t_start,
                            .ran_ms = ran,
                            .since = loop_now(c->loop)};
    t->timer = (struct loop_timer){.fn = time_limit_on_limit, .ctx = t};
    idmap_set(time_limit_timers(c), j->id, t);
    int64_t left_ms = (int64_t)j->time_limit_s * MS_PER_S - ran;
    loop_timer_set(c->loop, &t->timer, left_ms < 0 ? 0 : left_ms);
}

/* --- the signal before the limit --- */

bool time_limit_signals_early(const struct job *j, const struct step *s)
{
    return req_rare(&j->req)->signal && req_detail(&j->req)->signal_batch == (s->id == STEP_BATCH);
}

int64_t time_limit_base_ms(const struct job *j)
{
    if (j->state != JOB_RUNNING || j->time_limit_s >= DURATION_NOT_SET)
        return NEVER;
    return j->t_start.ms + (int64_t)job_rare(j)->suspended_ms + (int64_t)j->time_limit_s * MS_PER_S;
}

void time_limit_tell_early(struct control *c, const struct job *j, const struct step *s,
                           const struct task *t, struct attempt_state *f)
{
    int64_t base = time_limit_base_ms(j);
    struct node_peer *peer = node_peer_find(c, t->alloc.node);
    if (!time_limit_signals_early(j, s) || f->early_for_ms == base || !peer)
        return;
    struct launch_kill k = {.key = f->key, .signal = LAUNCH_EARLY_AT, .grace_s = DURATION_UNLIMITED};
    if (base != NEVER) {
        int64_t in_s =
            (int64_t)j->time_limit_s - req_rare(&j->req)->signal_at_s - time_limit_ran_ms(c, j) / MS_PER_S;
        k.grace_s = in_s > 0 ? (uint32_t)in_s : 0;
    }
    if (nodeconn_send(peer->conn, ctl_ticket(c), MSG_KILL, 0, &k))
        f->early_for_ms = base;
}

/* --- the node's own timer --- */

uint32_t time_limit_backstop_s(const struct control *c, const struct job *j)
{
    if (j->time_limit_s >= DURATION_NOT_SET)
        return DURATION_UNLIMITED;
    int64_t ran_s = time_limit_ran_ms(c, j) / MS_PER_S;
    uint32_t left_s = j->time_limit_s > ran_s ? j->time_limit_s - (uint32_t)ran_s : 0;
    return left_s + c->model.spec.kill_wait_s + BACKSTOP_S;
}

void time_limit_tell(struct control *c, const struct job *j, const struct task *t, struct attempt_state *f)
{
    bool paused = j->state == JOB_SUSPENDED;
    int64_t base = paused ? PAUSED : time_limit_base_ms(j);
    struct node_peer *peer = node_peer_find(c, t->alloc.node);
    if (f->limit_for_ms == base || !peer)
        return;
    struct launch_kill k = {.key = f->key, .signal = paused ? LAUNCH_PAUSED : LAUNCH_LIMIT_AT};
    if (!paused)
        k.grace_s = time_limit_backstop_s(c, j);
    if (nodeconn_send(peer->conn, ctl_ticket(c), MSG_KILL, 0, &k))
        f->limit_for_ms = base;
}

static void time_limit_start(struct control *c)
{
    c->state[MODULE_TIME_LIMIT] = xcalloc(1, sizeof(struct idmap));
}

static void time_limit_before(struct control *c, struct emission *e)
{
    if (e->ev->kind == EV_RETIRE)
        time_limit_drop(c, e->ev->job);
}

static void time_limit_reset(struct control *c)
{
    while (time_limit_timers(c)->n)
        idmap_for_each (time_limit_timers(c), slot) {
            time_limit_drop(c, (uint32_t)slot->id);
            break;
        }
}

static void time_limit_stop(struct control *c)
{
    time_limit_reset(c);
    idmap_fini(time_limit_timers(c));
    free(time_limit_timers(c));
}

const struct module_ops time_limit_module = {.start = time_limit_start,
                                             .stop = time_limit_stop,
                                             .before = time_limit_before,
                                             .reset = time_limit_reset};
