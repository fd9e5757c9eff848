#include "backend/control/requests/shutdown.h"

#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/users/user_cache.h"
#include "src/os/log.h"

#define STOP_KILL_MS   200
#define STOP_AWAY_MS   10000 /* so long for a node that is out of reach to come back */
#define STOP_STUCK_MS  60000 /* beyond kill_wait: so long for processes that do not die */
#define STOP_COMMIT_MS 5

#define STOP_FIRST_MS 20

struct shutdown {
    struct loop_timer timer;
    struct mono since;       /* of STOP_AFTER_JOBS */
    struct session *stopper; /* that asked for it last; NULL: it has gone */
    uint64_t tag;
    bool told;
};

static void shutdown_end_all_jobs(struct control *c, uint32_t uid)
{
    VEC(uint32_t) ids = VEC_INIT;
    list_for_each (j, &c->model.all, struct job, in_all)
        if (!job_state_is_final(j->state))
            vec_push(&ids, j->id);
    vec_for_each (&ids, i) {
        struct ev_kill body = {.step = STEP_ALL,
                               .cause = KILL_CANCEL,
                               .uid = uid,
                               .grace_s = c->model.spec.kill_wait_s,
                               .fate = FATE_END,
                               .user = user_name_or_null(c->users, uid)};
        ctl_emit(c, EV_KILL, ids.v[i], &body);
    }
    vec_fini(&ids);
}

/* Whether the job has live tasks, all on nodes that cannot be reached. The kill is in the state: it is sent
 * when both the node and a controller are there again. */
static bool shutdown_is_out_of_reach(struct control *c, const struct job *j)
{
    bool live = false;
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; !j->steps.v[i].done && k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state != TASK_LAUNCHING && t->state != TASK_RUNNING)
                continue;
            const struct node_peer *peer = node_peer_find(c, t->alloc.node);
            if (peer && nodeconn_is_up(peer->conn))
                return false;
            live = true;
        }
    return live;
}

static uint32_t shutdown_count_out_of_reach(struct control *c)
{
    uint32_t n = 0;
    list_for_each (j, &c->model.active, struct job, in_queue)
        n += shutdown_is_out_of_reach(c, j);
    return n;
}

static bool shutdown_waits_for_jobs(struct control *c)
{
    const struct shutdown *d = c->state[MODULE_SHUTDOWN];
    int64_t waited_ms = (loop_now(c->loop).ns - d->since.ns) / NS_PER_MS;
    if (c->stopping != STOP_AFTER_JOBS || !c->model.n_active || c->read_only)
        return false;
    if (waited_ms < STOP_AWAY_MS)
        return true;
    return waited_ms < (int64_t)c->model.spec.kill_wait_s * MS_PER_S + STOP_STUCK_MS &&
           c->model.n_active > shutdown_count_out_of_reach(c);
}

/* The second answer to the request: how many jobs are left. */
static void shutdown_tell(struct control *c)
{
    struct shutdown *d = c->state[MODULE_SHUTDOWN];
    d->told = true;
    if (d->stopper)
        session_done(d->stopper, d->tag, 0, c->model.n_active);
}

/* Stops once all that was said is on disk and, where the jobs are to end, all jobs that can be reached have
 * ended. */
static void shutdown_try(void *ctx)
{
    struct control *c = ctx;
    struct shutdown *d = c->state[MODULE_SHUTDOWN];
    if (shutdown_waits_for_jobs(c)) {
        loop_timer_set(c->loop, &d->timer, STOP_KILL_MS);
        return;
    }
    if (c->stopping == STOP_AFTER_JOBS && c->model.n_active && !d->told) {
        log_warn("jobs=%u have not ended: they end when their nodes and the controller are up again",
                 c->model.n_active);
        shutdown_tell(c);
        loop_timer_set(c->loop, &d->timer, STOP_COMMIT_MS);
        return;
    }
    /* What agents are told goes behind what waits for the disk: with the last end just in, they would not
     * hear that they may go. */
    if (!c->read_only && store_committed(c->store) < store_ticket(c->store)) {
        loop_timer_set(c->loop, &d->timer, STOP_COMMIT_MS);
        return;
    }
    log_info("stopping jobs_pending=%u jobs_active=%u", c->model.n_pending, c->model.n_active);
    loop_stop(c->loop);
}

void req_shutdown(struct session *s, uint64_t tag, void *body)
{
    const struct msg_flag *m = body;
    struct control *c = s->ctl;
    struct shutdown *d = c->state[MODULE_SHUTDOWN];
    if (m->on && c->stopping != STOP_AFTER_JOBS)
        d->since = loop_now(c->loop);
    /* A request that only stops it does not wait for the jobs, whatever was asked before. */
    c->stopping = m->on ? STOP_AFTER_JOBS : STOP_SOON;
    if (m->on && !c->read_only)
        shutdown_end_all_jobs(c, s->uid);
    d->stopper = s;
    d->tag = tag;
    session_done(s, tag, 0, m->on ? shutdown_count_out_of_reach(c) : 0);
    loop_timer_set(c->loop, &d->timer, STOP_FIRST_MS);
}

static void shutdown_start(struct control *c)
{
    struct shutdown *d = c->state[MODULE_SHUTDOWN] = xcalloc(1, sizeof *d);
    d->timer = (struct loop_timer){.fn = shutdown_try, .ctx = c};
}

static void shutdown_stop(struct control *c)
{
    struct shutdown *d = c->state[MODULE_SHUTDOWN];
    loop_timer_cancel(c->loop, &d->timer);
    free(d);
}

static void shutdown_session_closed(struct control *c, struct session *s)
{
    struct shutdown *d = c->state[MODULE_SHUTDOWN];
    d->stopper = d->stopper == s ? NULL : d->stopper;
}

const struct module_ops shutdown_module = {
    .start = shutdown_start, .stop = shutdown_stop, .session_closed = shutdown_session_closed};
