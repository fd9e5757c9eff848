/* charge.c - what nodes carry. */
#include <errno.h>

#include "src/model/model.h"
#include "src/model/model_private.h"

int charge(struct model *m, const struct alloc *a, bool exclusive)
{
    if (str_is_empty(a->node))
        return -EINVAL;
    struct node *n = model_get_node(m, a->node);
    if (!n) {
        n = model_add_node(m, a->node);
        n->gone = true;
    }
    if (cpuset_intersects(&n->cpus_used, &a->cpus) || cpuset_intersects(&n->gpus_used, &a->gpus) ||
        n->exclusive || (exclusive && n->n_jobs) || a->mem_mib > UINT64_MAX - n->mem_used_mib)
        return -EINVAL;
    cpuset_or(&n->cpus_used, &a->cpus);
    cpuset_or(&n->gpus_used, &a->gpus);
    n->mem_used_mib += a->mem_mib;
    n->n_jobs++;
    n->exclusive = exclusive;
    return 0;
}

void uncharge(struct model *m, const struct alloc *a)
{
    struct node *n = model_get_node(m, a->node);
    if (!n || !n->n_jobs) /* a mirror of single jobs knows no nodes */
        return;
    cpuset_andnot(&n->cpus_used, &a->cpus);
    cpuset_andnot(&n->gpus_used, &a->gpus);
    n->mem_used_mib -= a->mem_mib < n->mem_used_mib ? a->mem_mib : n->mem_used_mib;
    if (--n->n_jobs)
        return;
    n->exclusive = false;
    for (size_t i = 0; n->gone && i < m->n_nodes; i++)
        if (m->nodes[i] == n) {
            model_drop_node(m, i);
            return;
        }
}

int charge_all(struct model *m, const struct alloc *v, size_t n, bool exclusive)
{
    for (size_t i = 0; i < n; i++) {
        int r = charge(m, &v[i], exclusive);
        if (r < 0) {
            uncharge_all(m, v, i);
            return r;
        }
    }
    return 0;
}

void uncharge_all(struct model *m, const struct alloc *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        uncharge(m, &v[i]);
}
