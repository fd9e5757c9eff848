/* unknown_tasks.c - tasks that a node runs and no job here has: the state was put back from before they
 * began, or is another one.
 *
 * Their end is not decided here: they go on, the node is drained once, and an administrator looks. The
 * state says which there are and what they hold (EV_UNKNOWN), so that none of it is given to a job, before
 * a report as well, until they have ended or an administrator has ended them.
 */
#include <stdlib.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/base/xalloc.h"

#define ROWS_MAX 256 /* further ones are counted, and what they hold is held */

static bool is_row(const struct unknown_task *u, const struct launch_key *k)
{
    return u->job == k->job && u->step == k->step && u->task == k->task && u->attempt == k->attempt;
}

static const struct unknown_task *find_row(const struct unknown_task *v, size_t n,
                                           const struct launch_key *k)
{
    for (size_t i = 0; i < n; i++)
        if (is_row(&v[i], k))
            return &v[i];
    return NULL;
}

/* Added up as far as no sum overflows. */
static uint64_t plus_mem(uint64_t a, uint64_t b)
{
    return b > NODE_MEM_MAX_MIB || a > NODE_MEM_MAX_MIB - b ? NODE_MEM_MAX_MIB : a + b;
}

/* Steps run in what their job holds: where the batch script is among the rows, it has all of the memory
 * that its steps have. */
static bool is_within_batch(const struct ev_unknown *all, const struct unknown_task *u)
{
    for (size_t i = 0; i < all->rows.n && u->step != STEP_BATCH; i++) {
        const struct unknown_task *v = &all->rows.v[i];
        if (v->job == u->job && v->step == STEP_BATCH && v->mem_mib >= u->mem_mib)
            return true;
    }
    return false;
}

static void fill_row(struct control *c, struct unknown_task *u, const struct launch_status *st)
{
    bool known = !cpuset_is_empty(&st->cpus);
    *u = (struct unknown_task){.job = st->key.job,
                               .step = st->key.step,
                               .task = st->key.task,
                               .attempt = st->key.attempt,
                               .pid = st->pid,
                               .t_start = st->t_start,
                               .uid = st->uid,
                               .user = known ? xstrdup(user_name(c->users, st->uid)) : NULL,
                               .cpus = st->cpus,
                               .gpus = st->gpus,
                               .mem_mib = st->mem_mib,
                               .killing = st->killing};
}

/* An agent that has just started knows nothing of what an earlier one has launched before its supervisor
 * has told it: the state may. */
static void recall(struct control *c, const char *node, struct launch_status *st)
{
    const struct node *n = model_get_node(&c->model, node);
    const struct unknown_task *u = n ? find_row(n->unknown.v, n->unknown.n, &st->key) : NULL;
    if (!cpuset_is_empty(&st->cpus) || !u)
        return;
    st->uid = u->uid;
    st->cpus = u->cpus;
    st->gpus = u->gpus;
    st->mem_mib = u->mem_mib;
}

void ctl_add_unknown(struct control *c, struct ev_unknown *all, const struct launch_status *st)
{
    if (st->state == LAUNCH_ENDED)
        return;
    struct launch_status known = *st;
    recall(c, all->node, &known);
    st = &known;
    all->n++;
    cpuset_or(&all->cpus, &st->cpus);
    cpuset_or(&all->gpus, &st->gpus);
    if (all->rows.n < ROWS_MAX)
        fill_row(c, rec_list_push(&all->rows), st);
    else
        all->mem_mib = plus_mem(all->mem_mib, st->mem_mib);
}

/* mem_mib: of those beyond the rows. */
static void add_up(struct ev_unknown *all)
{
    for (size_t i = 0; i < all->rows.n; i++)
        if (!is_within_batch(all, &all->rows.v[i]))
            all->mem_mib = plus_mem(all->mem_mib, all->rows.v[i].mem_mib);
}

static bool is_same(const struct node *n, const struct ev_unknown *all)
{
    bool same = n->n_unknown == all->n && n->unknown.n == all->rows.n &&
                cpuset_eq(&n->unknown_cpus, &all->cpus) && cpuset_eq(&n->unknown_gpus, &all->gpus) &&
                n->unknown_mem_mib == all->mem_mib;
    for (size_t i = 0; same && i < all->rows.n; i++)
        same = rec_eq(&unknown_task_rec, &n->unknown.v[i], &all->rows.v[i]);
    return same;
}

/* Those that an administrator has seen, and resumed the node for, do not drain it again. */
static bool has_new(const struct node *n, const struct ev_unknown *all)
{
    for (size_t i = 0; i < all->rows.n; i++) {
        const struct unknown_task *u = &all->rows.v[i];
        struct launch_key k = {.job = u->job, .step = u->step, .task = u->task, .attempt = u->attempt};
        if (!find_row(n->unknown.v, n->unknown.n, &k))
            return true;
    }
    return all->n > ROWS_MAX && all->n > n->n_unknown;
}

static void drain(struct control *c, const struct node *n)
{
    log_warn("node=%s runs %u task%s that this controller does not know, of job %u first: left alone",
             n->spec.name, n->n_unknown, n->n_unknown == 1 ? "" : "s", n->unknown.v[0].job);
    if (n->drain || n->gone)
        return;
    struct ev_drain body = {
        .node = xstrdup(n->spec.name),
        .drain = true,
        .reason = xasprintf("runs %u task%s that this controller does not know: stoker node tasks %s",
                            n->n_unknown, n->n_unknown == 1 ? "" : "s", n->spec.name),
        .user = xstrdup("stokerd")};
    ctl_emit(c, EV_DRAIN, 0, &body);
}

void ctl_take_unknown(struct control *c, struct ev_unknown *all)
{
    const struct node *n = model_get_node(&c->model, all->node);
    add_up(all);
    if (!n || is_same(n, all)) {
        rec_fini(&ev_unknown_rec, all);
        return;
    }
    bool fresh = has_new(n, all);
    if (ctl_emit(c, EV_UNKNOWN, 0, all) == 0 && fresh)
        drain(c, n);
}

/* What the state says of the node, less the row that skip is about, as if none had been added up. Only
 * where all of them are rows can one be taken out: else the next report says what is left. */
static bool copy_rows(const struct node *n, const struct launch_key *skip, struct ev_unknown *ret)
{
    *ret = (struct ev_unknown){0};
    if (n->n_unknown != n->unknown.n)
        return false;
    ret->node = xstrdup(n->spec.name);
    for (size_t i = 0; i < n->unknown.n; i++) {
        const struct unknown_task *u = &n->unknown.v[i];
        if (skip && is_row(u, skip))
            continue;
        rec_copy(&unknown_task_rec, rec_list_push(&ret->rows), u);
        ret->n++;
        cpuset_or(&ret->cpus, &u->cpus);
        cpuset_or(&ret->gpus, &u->gpus);
    }
    return true;
}

/* Its supervisor has told the agent more than that knew when it reported. */
void ctl_unknown_runs(struct control *c, const char *node, const struct launch_status *st)
{
    const struct node *n = model_get_node(&c->model, node);
    struct ev_unknown all;
    if (!n || !find_row(n->unknown.v, n->unknown.n, &st->key) || !copy_rows(n, &st->key, &all))
        return;
    ctl_add_unknown(c, &all, st);
    ctl_take_unknown(c, &all);
}

bool ctl_unknown_ended(struct control *c, const char *node, const struct launch_key *key)
{
    const struct node *n = model_get_node(&c->model, node);
    struct ev_unknown all;
    if (!n || !n->n_unknown)
        return true;
    if (c->read_only)
        return false;
    if (n->n_unknown != n->unknown.n) { /* which of them it was is not known of those beyond the rows */
        struct node_link *link = ctl_node(c, node);
        if (link)
            nodeconn_greet(link->conn);
    } else if (find_row(n->unknown.v, n->unknown.n, key) && copy_rows(n, key, &all)) {
        log_info("node=%s task %u.%d.%u, which was not known here, has ended", node, key->job, key->step,
                 key->task);
        ctl_take_unknown(c, &all);
    }
    return true;
}

/* --- an administrator ends them --- */

static bool is_meant(const struct unknown_task *u, const struct msg_node_task_end *m)
{
    return u->job == m->target.job && (m->target.step == STEP_ALL || m->target.step == u->step) &&
           (m->task == NOT_GIVEN || m->task == u->task);
}

static void refuse_none(struct session *s, uint64_t tag, const struct msg_node_task_end *m)
{
    const struct job *j = model_get_job(&s->ctl->model, m->target.job);
    if (j && j->state != JOB_PENDING && !job_state_is_final(j->state))
        session_reply(s, tag, REFUSAL_NOT_ALLOWED, j->id, 0, "job %u is known here: use stoker cancel %u",
                      j->id, j->id);
    else
        session_reply(s, tag, REFUSAL_BAD_REQUEST, 0, 0,
                      "%s runs no such task of a job %u that this controller does not know", m->node,
                      m->target.job);
}

void req_node_task_end(struct session *s, uint64_t tag, const struct msg_node_task_end *m)
{
    struct control *c = s->ctl;
    if (!s->admin) {
        session_reply(s, tag, REFUSAL_NOT_ALLOWED, 0, 0, "only administrators end tasks of nodes");
        return;
    }
    const struct node *n = m->node ? model_get_node(&c->model, m->node) : NULL;
    struct node_link *link = n ? ctl_node(c, m->node) : NULL;
    if (!n || !link) {
        session_reply(s, tag, REFUSAL_NO_NODE, 0, 0, "there is no node %s", m->node ? m->node : "");
        return;
    }
    uint32_t done = 0, meant = 0;
    for (size_t i = 0; i < n->unknown.n; i++) {
        const struct unknown_task *u = &n->unknown.v[i];
        if (!is_meant(u, m))
            continue;
        struct launch_kill k = {
            .key = {.job = u->job, .step = u->step, .task = u->task, .attempt = u->attempt},
            .cause = KILL_CANCEL,
            .grace_s = c->model.spec.kill_wait_s};
        meant++;
        done += link->reconciled && nodeconn_send(link->conn, ctl_gate(c), MSG_KILL, 0, &k);
    }
    if (meant && !done) {
        session_reply(s, tag, REFUSAL_BAD_REQUEST, 0, 0, "%s cannot be reached now: nothing was ended",
                      m->node);
        return;
    }
    if (!meant) {
        refuse_none(s, tag, m);
        return;
    }
    log_info("node=%s %u unknown tasks of job %u ended by user=%s", m->node, done, m->target.job,
             user_name(c->users, s->uid));
    session_reply(s, tag, REFUSAL_NONE, 0, done, "%s", "");
}
