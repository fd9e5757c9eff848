/* lost_nodes.c - nodes that are not heard of: when their jobs are given up, and which.
 *
 *     UP --silent--> SUSPECT --node_timeout--> LOST --its agent answers--> UP
 *
 *     hold       stays as it is
 *     requeue    its attempts there are over for us at node_timeout; should the node come back, what
 *                is left of them is killed there
 *     cancel     it is cancelled then
 *     lease      its attempts there have ended themselves when the lease is over: then, and a margin
 *                later, they are over for us. An attempt without a lease is held
 *
 * A controller that has just started does not know when a node was heard last: it counts from its start.
 */
#include <stdlib.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/model/jobeffective.h"

#define MARGIN_MIN_MS 1000
#define MARGIN_PART   20 /* of the lease: clocks do not run alike */
#define AGAIN_MS      1000
/* A lease must outlive some heartbeats: what renews it is up to two of them old, and its second half may be
 * what is left between TERM and KILL. */
#define BEATS_MIN 6

struct verdict {
    uint32_t job;
    enum lost_node what;
};

static bool is_live(const struct task *t)
{
    return t->state == TASK_RUNNING || t->state == TASK_LAUNCHING;
}

/* Its processes are there, stopped or not. */
static bool is_on_nodes(const struct job *j)
{
    return j->state == JOB_RUNNING || j->state == JOB_SUSPENDED;
}

static bool holds_node(const struct job *j, const char *node)
{
    for (size_t i = 0; i < j->alloc.n; i++)
        if (str_eq(j->alloc.v[i].node, node))
            return true;
    return false;
}

/* --- giving up --- */

/* It ends on its other nodes too: without one of them it is not what was asked for. Whether it is queued
 * again is its own word. */
static void end_elsewhere(struct control *c, const struct job *j, const char *node, enum kill_cause cause)
{
    struct ev_kill body = {.step = STEP_ALL,
                           .cause = cause,
                           .grace_s = c->model.spec.kill_wait_s,
                           .fate = FATE_END,
                           .text = xasprintf("its node %s was lost", node)};
    ctl_emit(c, EV_KILL, j->id, &body);
}

void ctl_end_wide_jobs(struct control *c, const char *node)
{
    VEC(uint32_t) wide = VEC_INIT;
    list_for_each (j, &c->model.active, struct job, in_queue)
        if (holds_node(j, node) && j->alloc.n > 1 && j->kind != JOB_KIND_STEPS && is_on_nodes(j))
            vec_push(&wide, j->id);
    vec_for_each (&wide, i)
        end_elsewhere(c, model_get_job(&c->model, wide.v[i]), node, KILL_NODE_FAIL);
    vec_fini(&wide);
}

/* What it runs there is over for us, as if the node had been started anew. */
static void end_tasks(struct control *c, uint32_t job, const char *node, const char *why)
{
    VEC(struct launch_key) over = VEC_INIT;
    const struct job *j = model_get_job(&c->model, job);
    for (size_t i = 0; j && i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (str_eq(t->alloc.node, node) && is_live(t))
                vec_push(&over, ctl_key(j, &j->steps.v[i], t));
        }
    vec_for_each (&over, i) {
        const struct launch_key *k = &over.v[i];
        struct ev_end body = {.step = k->step,
                              .task = k->task,
                              .attempt = k->attempt,
                              .end_kind = END_NODE_REBOOT,
                              .t_end = loop_wall(c->loop),
                              .message = xstrdup(why)};
        if (ctl_emit(c, EV_END, k->job, &body) == 0)
            ctl_drop_flight(c, k->job, k->attempt);
    }
    vec_fini(&over);
}

static void give_up(struct control *c, const struct verdict *v, const char *node)
{
    const struct job *j = model_get_job(&c->model, v->job);
    log_warn("job=%u is given up on node=%s: %s", v->job, node, lost_node_text(v->what));
    bool batch_here = j->kind == JOB_KIND_STEPS || (j->kind == JOB_KIND_BATCH && j->alloc.n == 1);
    if (v->what == LOST_CANCEL)
        end_elsewhere(c, j, node, KILL_CANCEL);
    else if (!batch_here && is_on_nodes(j))
        end_elsewhere(c, j, node, KILL_NODE_FAIL);
    end_tasks(c, v->job, node,
              v->what == LOST_LEASE ? "its node was lost, and its lease is over" : "its node was lost");
}

/* --- who --- */

static int64_t lease_over_ms(const struct node_link *link, uint32_t lease_s)
{
    int64_t margin = ctl_beat_ms() > MARGIN_MIN_MS ? ctl_beat_ms() : MARGIN_MIN_MS;
    int64_t lease_ms = (int64_t)lease_s * MS_PER_S;
    return nodeconn_t_heard(link->conn).ns / NS_PER_MS + lease_ms + lease_ms / MARGIN_PART + margin;
}

/* What a job has running on a node: how much, the longest lease, and whether something has none. */
struct use {
    unsigned n;
    uint32_t lease_s;
    bool unleased;
};

static struct use find_use(const struct job *j, const char *node)
{
    struct use u = {0};
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (!str_eq(t->alloc.node, node) || !is_live(t))
                continue;
            u.n++;
            u.unleased = u.unleased || !t->lease_s;
            u.lease_s = t->lease_s > u.lease_s ? t->lease_s : u.lease_s;
        }
    return u;
}

typedef VEC(struct verdict) verdicts;

/* At node_timeout. What has a lease is judged by that alone: its node ends it, whatever is said by now. */
static void judge_silent(struct control *c, const char *node, verdicts *out)
{
    list_for_each (j, &c->model.active, struct job, in_queue) {
        struct use u = find_use(j, node);
        enum lost_node what = job_lost_node(&c->model, j);
        bool nothing_there = !u.n && holds_node(j, node);
        if ((!u.n && !nothing_there) || what == LOST_HOLD || u.lease_s || (what == LOST_LEASE && u.n))
            continue;
        vec_push(out, (struct verdict){.job = j->id, .what = what});
    }
}

/* Returns when the next lease is over; INT64_MAX: none is left. */
static int64_t judge_leases(struct node_link *link, int64_t now_ms, verdicts *out)
{
    int64_t next = INT64_MAX;
    list_for_each (j, &link->ctl->model.active, struct job, in_queue) {
        struct use u = find_use(j, nodeconn_node(link->conn));
        int64_t at = u.lease_s && !u.unleased ? lease_over_ms(link, u.lease_s) : INT64_MAX;
        if (at <= now_ms)
            vec_push(out, (struct verdict){.job = j->id, .what = LOST_LEASE});
        else if (at < next)
            next = at;
    }
    return next;
}

static void carry_out(struct control *c, const char *node, verdicts *v)
{
    vec_for_each (v, i)
        give_up(c, &v->v[i], node);
    vec_fini(v);
}

/* --- when --- */

static void on_lost(void *arg)
{
    struct node_link *link = arg;
    struct control *c = link->ctl;
    const char *node = nodeconn_node(link->conn);
    const struct node *n = model_get_node(&c->model, node);
    verdicts v = VEC_INIT;
    if (!n || ctl_only_stops(c))
        return;
    if (c->read_only) {
        loop_timer_set(c->loop, &link->lost, AGAIN_MS);
        return;
    }
    judge_silent(c, node, &v);
    /* One that was not up since our start and has nothing of ours is down, not lost. */
    if (n->state == NODE_SUSPECT || n->state == NODE_UP || n->n_jobs) {
        log_warn("node=%s does not answer: %zu of its jobs are given up, the others held as they are", node,
                 v.n);
        ctl_set_node_state(c, node, NODE_LOST);
    }
    carry_out(c, node, &v);
}

static void on_lease(void *arg)
{
    struct node_link *link = arg;
    struct control *c = link->ctl;
    int64_t now_ms = loop_now(c->loop).ns / NS_PER_MS;
    verdicts v = VEC_INIT;
    if (ctl_only_stops(c))
        return;
    int64_t next = c->read_only ? now_ms + AGAIN_MS : judge_leases(link, now_ms, &v);
    if (next != INT64_MAX)
        loop_timer_set(c->loop, &link->lease, next - now_ms);
    carry_out(c, nodeconn_node(link->conn), &v);
}

void ctl_lost_init(struct node_link *link)
{
    link->lost = (struct loop_timer){.fn = on_lost, .ctx = link};
    link->lease = (struct loop_timer){.fn = on_lease, .ctx = link};
}

void ctl_lost_count(struct node_link *link, int64_t extra_ms)
{
    struct control *c = link->ctl;
    loop_timer_set(c->loop, &link->lost, (int64_t)c->model.spec.node_timeout_s * MS_PER_S + extra_ms);
    loop_timer_set(c->loop, &link->lease, 0);
}

void ctl_lost_again(struct control *c)
{
    list_for_each (link, &c->nodes, struct node_link, link) {
        const struct node *n = model_get_node(&c->model, nodeconn_node(link->conn));
        if (n && n->state == NODE_LOST)
            loop_timer_set(c->loop, &link->lost, 0);
    }
}

void ctl_lost_found(struct node_link *link)
{
    loop_timer_cancel(link->ctl->loop, &link->lost);
    loop_timer_cancel(link->ctl->loop, &link->lease);
}

void ctl_lost_bound(struct cluster_spec *spec)
{
    int64_t least_s = (BEATS_MIN * ctl_beat_ms() + MS_PER_S - 1) / MS_PER_S;
    if (spec->lease_s >= least_s)
        return;
    log_warn("lease_time of %u s counts as %lld s: a node must miss some heartbeats before it is over",
             spec->lease_s, (long long)least_s);
    spec->lease_s = (uint32_t)least_s;
}
