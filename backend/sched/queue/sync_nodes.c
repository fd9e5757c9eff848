/* sync_nodes.c - the nodes: their capacity, less GPUs that must not be given and what tasks without a job
 * have, and whether they are up.
 */
#include <stdlib.h>

#include "backend/sched/queue/queue.h"
#include "src/base/xalloc.h"

/* CPU and GPU sets have this size, and sums of memory must not overflow: larger values from a node or the
 * configuration are cut. */
static struct amount sync_nodes_capacity_of(const struct node *n)
{
    return (struct amount){.cpus = n->cpus < CPUSET_MAX ? n->cpus : CPUSET_MAX,
                           .mem_mib =
                               (int64_t)(n->mem_mib < NODE_MEM_MAX_MIB ? n->mem_mib : NODE_MEM_MAX_MIB),
                           .gpus = n->gpus == UINT32_MAX  ? 0
                                   : n->gpus < CPUSET_MAX ? n->gpus
                                                          : CPUSET_MAX};
}

/* GPUs that must not be given. One that is allocated counts until it is given back. */
static int64_t sync_nodes_gpus_out(const struct node *n)
{
    int64_t out = 0;
    if (n->gpus == UINT32_MAX)
        return 0;
    for (int i = cpuset_next(&node_rare(n)->gpus_out, 0); i >= 0 && (uint32_t)i < n->gpus;
         i = cpuset_next(&node_rare(n)->gpus_out, (unsigned)i + 1))
        out += !cpuset_has(&n->gpus_used, (unsigned)i);
    return out;
}

/* Tasks without a job run until the node reports their end: it is not known when. What jobs have there
 * counts for the jobs. */
static struct amount sync_nodes_held_by_unknown(const struct node *n, struct amount all)
{
    struct cpuset cpus = node_rare(n)->unknown_cpus, gpus = node_rare(n)->unknown_gpus;
    if (!node_rare(n)->n_unknown)
        return (struct amount){0};
    cpuset_andnot(&cpus, &n->cpus_used);
    cpuset_andnot(&gpus, &n->gpus_used);
    cpuset_andnot(&gpus, &node_rare(n)->gpus_out);
    int64_t mem = (int64_t)node_rare(n)->unknown_mem_mib, used = (int64_t)n->mem_used_mib,
            free = all.mem_mib - used;
    struct amount held = {
        .cpus = cpuset_count(&cpus), .mem_mib = mem < free ? mem : free, .gpus = cpuset_count(&gpus)};
    held.cpus = held.cpus < all.cpus ? held.cpus : all.cpus;
    held.mem_mib = held.mem_mib > 0 ? held.mem_mib : 0;
    held.gpus = held.gpus < all.gpus ? held.gpus : all.gpus;
    return held;
}

/* Returns whether that has changed. */
static bool sync_nodes_hold_for_unknown(struct queue *q, uint32_t at, struct amount held)
{
    struct pool_use *u = &q->nodes.unknown[at];
    const struct amount none = {0};
    struct amount have = u->parts ? u->parts[0].amount : none;
    struct pool_part part = {.node = at, .amount = held};
    if (amount_eq(have, held))
        return false;
    pool_drop(&q->pool, u);
    if (amount_eq(held, none))
        return true;
    struct pool_parts parts = {.v = VEC_INIT};
    vec_push(&parts.v, part);
    pool_run(&q->pool, u, &parts, WHEN_NEVER);
    vec_fini(&parts.v);
    return true;
}

static bool sync_nodes_is_holed(const struct node *n)
{
    return node_rare(n)->n_unknown || !cpuset_is_empty(&node_rare(n)->gpus_out);
}

static bool sync_nodes_is_usable(const struct node *n)
{
    return n->state == NODE_UP && !n->drain && !n->gone;
}

/* What fits on it while it is empty is worked out again, for each shape, only if that may have changed. */
static void sync_nodes_set_empty(struct queue *q, uint32_t at, struct amount all)
{
    const struct node *n = q->view->model->nodes[at];
    const struct pool_node *empty = &q->empty.nodes[at];
    bool unknown = node_is_unknown(n);
    if (amount_eq(all, empty->cap) && empty->weight == n->spec.weight && empty->usable == !n->gone &&
        q->nodes.size_unknown[at] == unknown)
        return;
    q->nodes.size_unknown[at] = unknown;
    pool_set_node(&q->empty, at, all, n->spec.weight, !n->gone);
    q->classes.numbers.all_changed = true;
    idmap_for_each (&q->classes.shapes, slot)
        for (struct request_shape *s = slot->value; s; s = s->next)
            s->ever = EVER_UNKNOWN;
}

/* Returns whether the sets of eligible nodes are out of date. */
bool sync_node(struct queue *q, uint32_t at)
{
    const struct node *n = q->view->model->nodes[at];
    struct pool_node *have = &q->pool.nodes[at];
    struct amount all = sync_nodes_capacity_of(n), cap = all;
    cap.gpus -= sync_nodes_gpus_out(n);
    q->nodes.holes = q->nodes.holes || sync_nodes_is_holed(n);
    bool usable = sync_nodes_is_usable(n),
         stale = !str_eq(q->nodes.gpu_types[at], n->gpu_type) || q->nodes.tmp_mib[at] != n->tmp_mib;
    if (stale) {
        xstrset(&q->nodes.gpu_types[at], n->gpu_type);
        q->nodes.tmp_mib[at] = n->tmp_mib;
    }
    bool moved = sync_nodes_hold_for_unknown(q, at, sync_nodes_held_by_unknown(n, all));
    if (!moved && amount_eq(cap, have->cap) && amount_eq(all, q->empty.nodes[at].cap) &&
        usable == have->usable && have->weight == n->spec.weight)
        return stale;
    if (!amount_eq(cap, have->cap) && q->windows.n) /* they hold all of it */
        q->notes.windows = true;
    q->changes.lost = true;
    pool_set_node(&q->pool, at, cap, n->spec.weight, usable);
    sync_nodes_set_empty(q, at, all);
    if (q->slots.pool)
        plan_slots_note_freed(&q->slots, at);
    q->changes.freed = true;
    return stale;
}

/* The capacity of a node with GPUs that must not be given depends on its allocations. */
bool sync_holes(struct queue *q)
{
    const struct model *m = q->view->model;
    bool stale = m->n_nodes != q->pool.n_nodes;
    for (uint32_t i = 0; i < q->pool.n_nodes && !stale; i++)
        stale = sync_nodes_is_holed(m->nodes[i]) && sync_node(q, i);
    return !stale;
}

bool sync_nodes(struct queue *q)
{
    const struct model *m = q->view->model;
    bool stale = m->n_nodes != q->pool.n_nodes || m->n_avoids != q->nodes.n_avoids;
    q->nodes.holes = false;
    for (uint32_t i = 0; i < q->pool.n_nodes && !stale; i++)
        stale = sync_node(q, i);
    return !stale;
}
