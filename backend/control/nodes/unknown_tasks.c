#include "backend/control/nodes/unknown_tasks.h"

#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/users/name_service.h"
#include "backend/control/users/user_cache.h"
#include "src/os/log.h"

#define ROWS_MAX 256 /* further ones are counted, and their resources kept from jobs */

static bool unknown_tasks_is_row(const struct unknown_task *u, const struct launch_key *k)
{
    return u->job == k->job && u->step == k->step && u->task == k->task && u->attempt == k->attempt;
}

static const struct unknown_task *unknown_tasks_find_row(const struct unknown_task *v, size_t n,
                                                         const struct launch_key *k)
{
    for (size_t i = 0; i < n; i++)
        if (unknown_tasks_is_row(&v[i], k))
            return &v[i];
    return NULL;
}

/* A sum that does not overflow. */
static uint64_t unknown_tasks_plus_mem(uint64_t a, uint64_t b)
{
    return b > NODE_MEM_MAX_MIB || a > NODE_MEM_MAX_MIB - b ? NODE_MEM_MAX_MIB : a + b;
}

/* Steps run in the allocation of their job: where the batch script is among the rows, its memory includes
 * that of the steps. */
static bool unknown_tasks_is_within_batch(const struct ev_unknown *all, const struct unknown_task *u)
{
    for (size_t i = 0; i < all->rows.n && u->step != STEP_BATCH; i++) {
        const struct unknown_task *v = &all->rows.v[i];
        if (v->job == u->job && v->step == STEP_BATCH && v->mem_mib >= u->mem_mib)
            return true;
    }
    return false;
}

static void unknown_tasks_fill_row(struct control *c, struct unknown_task *u,
                                   const struct launch_status *st)
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

/* An agent that has just started does not know what an earlier one has launched until the task's supervisor
 * reports: the state may. */
static void unknown_tasks_recall(struct control *c, const char *node, struct launch_status *st)
{
    const struct node *n = model_get_node(&c->model, node);
    const struct unknown_task *u =
        n ? unknown_tasks_find_row(node_rare(n)->unknown.v, node_rare(n)->unknown.n, &st->key) : NULL;
    if (!cpuset_is_empty(&st->cpus) || !u)
        return;
    st->uid = u->uid;
    st->cpus = u->cpus;
    st->gpus = u->gpus;
    st->mem_mib = u->mem_mib;
}

void unknown_tasks_add(struct control *c, struct ev_unknown *all, const struct launch_status *st)
{
    if (st->state == LAUNCH_ENDED)
        return;
    struct launch_status known = *st;
    unknown_tasks_recall(c, all->node, &known);
    st = &known;
    all->n++;
    cpuset_or(&all->cpus, &st->cpus);
    cpuset_or(&all->gpus, &st->gpus);
    if (all->rows.n < ROWS_MAX)
        unknown_tasks_fill_row(c, rec_list_push(&all->rows), st);
    else
        all->mem_mib = unknown_tasks_plus_mem(all->mem_mib, st->mem_mib);
}

/* mem_mib: of those beyond the rows. */
static void unknown_tasks_add_up(struct ev_unknown *all)
{
    for (size_t i = 0; i < all->rows.n; i++)
        if (!unknown_tasks_is_within_batch(all, &all->rows.v[i]))
            all->mem_mib = unknown_tasks_plus_mem(all->mem_mib, all->rows.v[i].mem_mib);
}

static bool unknown_tasks_is_same(const struct node *n, const struct ev_unknown *all)
{
    bool same = node_rare(n)->n_unknown == all->n && node_rare(n)->unknown.n == all->rows.n &&
                cpuset_eq(&node_rare(n)->unknown_cpus, &all->cpus) &&
                cpuset_eq(&node_rare(n)->unknown_gpus, &all->gpus) &&
                node_rare(n)->unknown_mem_mib == all->mem_mib;
    for (size_t i = 0; same && i < all->rows.n; i++)
        same = rec_eq(&unknown_task_rec, &node_rare(n)->unknown.v[i], &all->rows.v[i]);
    return same;
}

/* Tasks that were known when an administrator resumed the node do not drain it again. */
static bool unknown_tasks_has_new(const struct node *n, const struct ev_unknown *all)
{
    for (size_t i = 0; i < all->rows.n; i++) {
        const struct unknown_task *u = &all->rows.v[i];
        struct launch_key k = {.job = u->job, .step = u->step, .task = u->task, .attempt = u->attempt};
        if (!unknown_tasks_find_row(node_rare(n)->unknown.v, node_rare(n)->unknown.n, &k))
            return true;
    }
    return all->n > ROWS_MAX && all->n > node_rare(n)->n_unknown;
}

static void unknown_tasks_drain(struct control *c, const struct node *n)
{
    log_warn("node=%s runs %u task%s that this controller does not know, the first of job %u: left running",
             n->spec.name, node_rare(n)->n_unknown, node_rare(n)->n_unknown == 1 ? "" : "s",
             node_rare(n)->unknown.v[0].job);
    if (n->drain || n->gone)
        return;
    struct ev_drain body = {
        .node = xstrdup(n->spec.name),
        .drain = true,
        .reason = xasprintf("runs %u task%s that this controller does not know: stoker node tasks %s",
                            node_rare(n)->n_unknown, node_rare(n)->n_unknown == 1 ? "" : "s", n->spec.name),
        .user = xstrdup("stokerd")};
    ctl_emit(c, EV_DRAIN, 0, &body);
}

void unknown_tasks_take(struct control *c, struct ev_unknown *all)
{
    const struct node *n = model_get_node(&c->model, all->node);
    unknown_tasks_add_up(all);
    if (!n || unknown_tasks_is_same(n, all)) {
        rec_fini(&ev_unknown_rec, all);
        return;
    }
    bool fresh = unknown_tasks_has_new(n, all);
    if (ctl_emit(c, EV_UNKNOWN, 0, all) == 0 && fresh)
        unknown_tasks_drain(c, n);
}

/* The rows of the node less skip, with their sums. Only where all tasks are rows can one be taken out: else
 * the next report tells what is left. */
static bool unknown_tasks_copy_rows(const struct node *n, const struct launch_key *skip,
                                    struct ev_unknown *ret)
{
    *ret = (struct ev_unknown){0};
    if (node_rare(n)->n_unknown != node_rare(n)->unknown.n)
        return false;
    ret->node = xstrdup(n->spec.name);
    for (size_t i = 0; i < node_rare(n)->unknown.n; i++) {
        const struct unknown_task *u = &node_rare(n)->unknown.v[i];
        if (skip && unknown_tasks_is_row(u, skip))
            continue;
        rec_copy(&unknown_task_rec, rec_list_push(&ret->rows), u);
        ret->n++;
        cpuset_or(&ret->cpus, &u->cpus);
        cpuset_or(&ret->gpus, &u->gpus);
    }
    return true;
}

void unknown_tasks_note_running(struct control *c, const char *node, const struct launch_status *st)
{
    const struct node *n = model_get_node(&c->model, node);
    struct ev_unknown all;
    if (!n || !unknown_tasks_find_row(node_rare(n)->unknown.v, node_rare(n)->unknown.n, &st->key) ||
        !unknown_tasks_copy_rows(n, &st->key, &all))
        return;
    unknown_tasks_add(c, &all, st);
    unknown_tasks_take(c, &all);
}

bool unknown_tasks_note_ended(struct control *c, const char *node, const struct launch_key *key)
{
    const struct node *n = model_get_node(&c->model, node);
    struct ev_unknown all;
    if (!n || !node_rare(n)->n_unknown)
        return true;
    if (c->read_only)
        return false;
    if (node_rare(n)->n_unknown !=
        node_rare(n)->unknown.n) { /* the tasks beyond the rows are not known one by one */
        struct node_peer *peer = node_peer_find(c, node);
        if (peer)
            nodeconn_greet(peer->conn);
    } else if (unknown_tasks_find_row(node_rare(n)->unknown.v, node_rare(n)->unknown.n, key) &&
               unknown_tasks_copy_rows(n, key, &all)) {
        log_info("node=%s task %u.%d.%u, which was not known here, has ended", node, key->job, key->step,
                 key->task);
        unknown_tasks_take(c, &all);
    }
    return true;
}

/* Rows that were written before the name of their user was known. */
static void unknown_tasks_names_told(struct control *c, const struct name_answer *a, bool groups_changed)
{
    (void)groups_changed;
    struct ev_unknown all;
    if (!a->name || c->read_only)
        return;
    for (size_t at = 0; at < c->model.n_nodes; at++) {
        const struct node *n = c->model.nodes[at];
        bool lacks = false;
        for (size_t i = 0; i < node_rare(n)->unknown.n; i++) {
            const struct unknown_task *u = &node_rare(n)->unknown.v[i];
            lacks = lacks || (u->uid == a->uid && u->user && !str_eq(u->user, a->name));
        }
        if (!lacks || !unknown_tasks_copy_rows(n, NULL, &all))
            continue;
        for (size_t i = 0; i < all.rows.n; i++)
            if (all.rows.v[i].uid == a->uid && all.rows.v[i].user)
                xstrset(&all.rows.v[i].user, a->name);
        unknown_tasks_take(c, &all);
    }
}

const struct module_ops unknown_tasks_module = {.names_told = unknown_tasks_names_told};
