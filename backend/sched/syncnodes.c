/* syncnodes.c - what nodes can give: their capacity, less cards that nobody gets, and whether they are up.
 */
#include <stdlib.h>

#include "backend/sched/sync_private.h"

/* Sets of them hold so many, and sums of many nodes' memory must not overflow: what a node or the
 * configuration says beyond that is not there. */
static struct amount capacity_of(const struct node *n)
{
    return (struct amount){.cpus = n->cpus < CPUSET_MAX ? n->cpus : CPUSET_MAX,
                           .mem_mib =
                               (int64_t)(n->mem_mib < NODE_MEM_MAX_MIB ? n->mem_mib : NODE_MEM_MAX_MIB),
                           .gpus = n->gpus == UINT32_MAX  ? 0
                                   : n->gpus < CPUSET_MAX ? n->gpus
                                                          : CPUSET_MAX};
}

/* Cards that nobody holds and nobody gets. One that is held goes on counting until it is given back. */
static int64_t cards_out(const struct node *n)
{
    int64_t out = 0;
    if (n->gpus == UINT32_MAX)
        return 0;
    for (int i = cpuset_next(&n->gpus_out, 0); i >= 0 && (uint32_t)i < n->gpus;
         i = cpuset_next(&n->gpus_out, (unsigned)i + 1))
        out += !cpuset_has(&n->gpus_used, (unsigned)i);
    return out;
}

static bool is_usable(const struct node *n)
{
    return n->state == NODE_UP && !n->drain && !n->gone;
}

/* Returns whether sets of nodes must be made anew. */
bool sync_node(struct planner *p, uint32_t at)
{
    const struct node *n = p->view->model->nodes[at];
    struct pool_node *have = &p->pool.nodes[at];
    struct amount all = capacity_of(n), cap = all;
    cap.gpus -= cards_out(n);
    p->holes = p->holes || !cpuset_is_empty(&n->gpus_out);
    bool usable = is_usable(n),
         stale = !str_eq(p->gpu_types[at], n->gpu_type) || p->tmp_mib[at] != n->tmp_mib;
    if (stale) {
        free(p->gpu_types[at]);
        p->gpu_types[at] = xstrdup(n->gpu_type);
        p->tmp_mib[at] = n->tmp_mib;
    }
    if (amount_eq(cap, have->cap) && amount_eq(all, p->empty.nodes[at].cap) && usable == have->usable &&
        have->weight == n->spec.weight)
        return stale;
    if (!amount_eq(cap, have->cap) && p->windows.n) /* they hold all of it */
        p->windows_dirty = true;
    p->lost = true;
    pool_set_node(&p->pool, at, cap, n->spec.weight, usable);
    pool_set_node(&p->empty, at, all, n->spec.weight, !n->gone);
    if (p->backfill.pool)
        backfill_gain(&p->backfill, at);
    p->gained = true;
    idmap_for_each (&p->shapes, slot)
        for (struct shape *s = slot->value; s; s = s->next)
            s->ever = EVER_UNKNOWN;
    return stale;
}

/* What a node can give where cards are out depends on what is held. */
bool sync_holes(struct planner *p)
{
    const struct model *m = p->view->model;
    bool stale = m->n_nodes != p->pool.n_nodes;
    for (uint32_t i = 0; i < p->pool.n_nodes && !stale; i++)
        stale = !cpuset_is_empty(&m->nodes[i]->gpus_out) && sync_node(p, i);
    return !stale;
}

bool sync_nodes(struct planner *p)
{
    const struct model *m = p->view->model;
    bool stale = m->n_nodes != p->pool.n_nodes || m->n_avoids != p->n_avoids;
    p->holes = false;
    for (uint32_t i = 0; i < p->pool.n_nodes && !stale; i++)
        stale = sync_node(p, i);
    return !stale;
}
