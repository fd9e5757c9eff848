#include "backend/control/nodes/lost_nodes.h"

#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/attempt_state.h"
#include "src/model/jobeffective.h"
#include "src/os/log.h"

#define MARGIN_MIN_MS 1000
#define MARGIN_PART   20 /* of the lease: clocks drift */
#define AGAIN_MS      1000

#define FIRST_CALL_MS 15000 /* for many nodes to be called at a start */
/* A lease must outlive some heartbeats: the answer that renews it is up to two of them old, and the second
 * half of the lease may be the time between TERM and KILL. */
#define BEATS_MIN 6

struct lost_watch {
    struct loop_timer lost;  /* node_timeout after it went down */
    struct loop_timer lease; /* the next lease there that is over while it is down */
};

struct lost_verdict {
    uint32_t job;
    enum lost_node what;
};

static bool lost_nodes_is_live(const struct task *t)
{
    return t->state == TASK_RUNNING || t->state == TASK_LAUNCHING;
}

/* Whether its processes exist, stopped or not. */
static bool lost_nodes_is_on_nodes(const struct job *j)
{
    return j->state == JOB_RUNNING || j->state == JOB_SUSPENDED;
}

/* --- giving up --- */

/* The job ends on its other nodes too, because it asked for all of them. Its own settings say whether it is
 * requeued. */
static void lost_nodes_end_elsewhere(struct control *c, const struct job *j, const char *node,
                                     enum kill_cause cause)
{
    struct ev_kill body = {
        .step = STEP_ALL, .cause = cause, .grace_s = c->model.spec.kill_wait_s, .fate = FATE_END};
    causes_set(&body.why, CAUSE_JOB_NODE_LOST)->name = xstrdup(node);
    ctl_emit(c, EV_KILL, j->id, &body);
}

void lost_nodes_end_wide_jobs(struct control *c, const char *node)
{
    VEC(uint32_t) wide = VEC_INIT;
    list_for_each (j, &c->model.active, struct job, in_queue)
        if (job_alloc_on(j, node) && j->alloc.n > 1 && j->kind != JOB_KIND_STEPS &&
            lost_nodes_is_on_nodes(j))
            vec_push(&wide, j->id);
    vec_for_each (&wide, i)
        lost_nodes_end_elsewhere(c, model_get_job(&c->model, wide.v[i]), node, KILL_NODE_FAIL);
    vec_fini(&wide);
}

/* Its tasks there are over for us, as if the node had rebooted. */
static void lost_nodes_end_tasks(struct control *c, uint32_t job, const char *node, enum cause_code why)
{
    VEC(struct launch_key) over = VEC_INIT;
    const struct job *j = model_get_job(&c->model, job);
    for (size_t i = 0; j && i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (str_eq(t->alloc.node, node) && lost_nodes_is_live(t))
                vec_push(&over, launch_key_of(j, &j->steps.v[i], t));
        }
    vec_for_each (&over, i) {
        const struct launch_key *k = &over.v[i];
        struct ev_end body = {.step = k->step,
                              .task = k->task,
                              .attempt = k->attempt,
                              .end_kind = END_NODE_REBOOT,
                              .t_end = loop_wall(c->loop)};
        causes_set(&body.why, why);
        if (ctl_emit(c, EV_END, k->job, &body) == 0)
            attempt_state_drop(c, k->job, k->attempt);
    }
    vec_fini(&over);
}

static void lost_nodes_give_up(struct control *c, const struct lost_verdict *v, const char *node)
{
    const struct job *j = model_get_job(&c->model, v->job);
    log_warn("job=%u given up on node=%s: %s", v->job, node, lost_node_text(v->what));
    bool batch_here = j->kind == JOB_KIND_STEPS || (j->kind == JOB_KIND_BATCH && j->alloc.n == 1);
    if (v->what == LOST_CANCEL)
        lost_nodes_end_elsewhere(c, j, node, KILL_CANCEL);
    else if (!batch_here && lost_nodes_is_on_nodes(j))
        lost_nodes_end_elsewhere(c, j, node, KILL_NODE_FAIL);
    lost_nodes_end_tasks(c, v->job, node,
                         v->what == LOST_LEASE ? CAUSE_TASK_NODE_LOST_LEASE : CAUSE_TASK_NODE_LOST);
}

static int64_t lost_nodes_lease_over_ms(const struct node_peer *peer, uint32_t lease_s)
{
    const struct control *c = peer->ctl;
    int64_t margin = c->settings.hooks.beat_ms > MARGIN_MIN_MS ? c->settings.hooks.beat_ms : MARGIN_MIN_MS;
    int64_t lease_ms = (int64_t)lease_s * MS_PER_S;
    return nodeconn_t_heard(peer->conn).ns / NS_PER_MS + lease_ms + lease_ms / MARGIN_PART + margin;
}

/* What a job has running on a node: how much, the longest lease, and whether something has none. */
struct node_use {
    unsigned n;
    uint32_t lease_s;
    bool unleased;
};

static struct node_use lost_nodes_find_use(const struct job *j, const char *node)
{
    struct node_use u = {0};
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (!str_eq(t->alloc.node, node) || !lost_nodes_is_live(t))
                continue;
            u.n++;
            u.unleased = u.unleased || !t->lease_s;
            u.lease_s = t->lease_s > u.lease_s ? t->lease_s : u.lease_s;
        }
    return u;
}

typedef VEC(struct lost_verdict) lost_verdicts;

/* At node_timeout. Tasks with a lease are judged by the lease alone: their node ends them, whatever the
 * job's settings are by now. */
static void lost_nodes_judge_silent(struct control *c, const char *node, lost_verdicts *out)
{
    list_for_each (j, &c->model.active, struct job, in_queue) {
        struct node_use u = lost_nodes_find_use(j, node);
        enum lost_node what = job_lost_node(&c->model, j);
        bool nothing_there = !u.n && job_alloc_on(j, node);
        if ((!u.n && !nothing_there) || what == LOST_HOLD || u.lease_s || (what == LOST_LEASE && u.n))
            continue;
        vec_push(out, (struct lost_verdict){.job = j->id, .what = what});
    }
}

/* Returns when the next lease is over; INT64_MAX: none is left. */
static int64_t lost_nodes_judge_leases(struct node_peer *peer, int64_t now_ms, lost_verdicts *out)
{
    int64_t next = INT64_MAX;
    list_for_each (j, &peer->ctl->model.active, struct job, in_queue) {
        struct node_use u = lost_nodes_find_use(j, nodeconn_node(peer->conn));
        int64_t at = u.lease_s && !u.unleased ? lost_nodes_lease_over_ms(peer, u.lease_s) : INT64_MAX;
        if (at <= now_ms)
            vec_push(out, (struct lost_verdict){.job = j->id, .what = LOST_LEASE});
        else if (at < next)
            next = at;
    }
    return next;
}

static void lost_nodes_carry_out(struct control *c, const char *node, lost_verdicts *v)
{
    vec_for_each (v, i)
        lost_nodes_give_up(c, &v->v[i], node);
    vec_fini(v);
}

/* --- when --- */

static void lost_nodes_on_lost(void *arg)
{
    struct node_peer *peer = arg;
    struct control *c = peer->ctl;
    const char *node = nodeconn_node(peer->conn);
    const struct node *n = model_get_node(&c->model, node);
    lost_verdicts v = VEC_INIT;
    if (!n || node_peers_only_stop(c))
        return;
    if (c->read_only) {
        loop_timer_set(c->loop, &peer->lost->lost, AGAIN_MS);
        return;
    }
    lost_nodes_judge_silent(c, node, &v);
    /* A node that was not up since our start and has none of our jobs is down, not lost. */
    if (n->state == NODE_SUSPECT || n->state == NODE_UP || n->n_jobs) {
        log_warn("node=%s does not answer: gives up %zu of its jobs, keeps the others", node, v.n);
        node_set_state(c, node, NODE_LOST);
    }
    lost_nodes_carry_out(c, node, &v);
}

static void lost_nodes_on_lease(void *arg)
{
    struct node_peer *peer = arg;
    struct control *c = peer->ctl;
    int64_t now_ms = loop_now(c->loop).ns / NS_PER_MS;
    lost_verdicts v = VEC_INIT;
    if (node_peers_only_stop(c))
        return;
    int64_t next = c->read_only ? now_ms + AGAIN_MS : lost_nodes_judge_leases(peer, now_ms, &v);
    if (next != INT64_MAX)
        loop_timer_set(c->loop, &peer->lost->lease, next - now_ms);
    lost_nodes_carry_out(c, nodeconn_node(peer->conn), &v);
}

/* The node is not up from now on: its jobs are judged after node_timeout, extra_ms later where it has yet
 * to be called. */
static void lost_nodes_count(struct node_peer *peer, int64_t extra_ms)
{
    struct control *c = peer->ctl;
    loop_timer_set(c->loop, &peer->lost->lost, (int64_t)c->model.spec.node_timeout_s * MS_PER_S + extra_ms);
    loop_timer_set(c->loop, &peer->lost->lease, 0);
}

/* An earlier controller may have left jobs there. */
static void lost_nodes_peer_added(struct control *c, struct node_peer *peer)
{
    (void)c;
    peer->lost = xcalloc(1, sizeof *peer->lost);
    peer->lost->lost = (struct loop_timer){.fn = lost_nodes_on_lost, .ctx = peer};
    peer->lost->lease = (struct loop_timer){.fn = lost_nodes_on_lease, .ctx = peer};
    lost_nodes_count(peer, FIRST_CALL_MS);
}

static void lost_nodes_peer_down(struct control *c, struct node_peer *peer)
{
    if (!node_peers_only_stop(c))
        lost_nodes_count(peer, 0);
}

/* An update may change what happens to a job whose node is lost: lost nodes are looked at again. */
static void lost_nodes_after(struct control *c, const struct emission *e)
{
    if (e->ev->kind != EV_UPDATE || e->state_before == JOB_PENDING)
        return;
    list_for_each (peer, node_peers(c), struct node_peer, link) {
        const struct node *n = model_get_node(&c->model, nodeconn_node(peer->conn));
        if (n && n->state == NODE_LOST)
            loop_timer_set(c->loop, &peer->lost->lost, 0);
    }
}

void lost_nodes_found(struct node_peer *peer)
{
    loop_timer_cancel(peer->ctl->loop, &peer->lost->lost);
    loop_timer_cancel(peer->ctl->loop, &peer->lost->lease);
}

void lost_nodes_bound_lease(const struct control *c, struct cluster_spec *spec)
{
    int64_t least_s = (BEATS_MIN * c->settings.hooks.beat_ms + MS_PER_S - 1) / MS_PER_S;
    if (spec->lease_s >= least_s)
        return;
    log_warn("lease_time of %u s raised to %lld s: a lease must outlast some missed heartbeats",
             spec->lease_s, (long long)least_s);
    spec->lease_s = (uint32_t)least_s;
}

static void lost_nodes_peer_removed(struct control *c, struct node_peer *peer)
{
    (void)c;
    lost_nodes_found(peer);
    free(peer->lost);
    peer->lost = NULL;
}

const struct module_ops lost_nodes_module = {.after = lost_nodes_after,
                                             .peer_added = lost_nodes_peer_added,
                                             .peer_down = lost_nodes_peer_down,
                                             .peer_removed = lost_nodes_peer_removed};
