/* alloc.c - the CPUs and GPUs that a cycle has left on each node, read from the model when first asked. */
#include "backend/sched/resources/alloc.h"

#include "src/base/xalloc.h"

static struct node_free *alloc_left_on(struct node_free *left, uint64_t cycle, const struct node *n)
{
    if (left->cycle == cycle)
        return left;
    *left = (struct node_free){.cycle = cycle};
    cpuset_add_range(&left->cpus, 0, n->cpus < CPUSET_MAX ? n->cpus : CPUSET_MAX);
    cpuset_add_range(&left->gpus, 0,
                     n->gpus == UINT32_MAX  ? 0
                     : n->gpus < CPUSET_MAX ? n->gpus
                                            : CPUSET_MAX);
    cpuset_andnot(&left->cpus, &n->cpus_used);
    cpuset_andnot(&left->gpus, &n->gpus_used);
    cpuset_andnot(&left->gpus, &node_rare(n)->gpus_out);
    cpuset_andnot(&left->cpus, &node_rare(n)->unknown_cpus);
    cpuset_andnot(&left->gpus, &node_rare(n)->unknown_gpus);
    return left;
}

bool alloc_take(struct node_free *left, uint64_t cycle, const struct model *m,
                const struct pool_parts *parts, struct alloc **ret, size_t *ret_n)
{
    bool whole = true;
    *ret_n = parts->v.n;
    *ret = xcalloc(parts->v.n, sizeof **ret);
    vec_for_each (&parts->v, i) {
        const struct pool_part *part = &parts->v.v[i];
        const struct node *n = m->nodes[part->node];
        struct node_free *f = alloc_left_on(&left[part->node], cycle, n);
        (*ret)[i] = (struct alloc){
            .node = xstrdup(n->spec.name),
            .cpus = cpuset_take_lowest(&f->cpus, (uint32_t)part->amount.cpus),
            .gpus = cpuset_take_lowest(&f->gpus, (uint32_t)part->amount.gpus),
            .mem_mib = (uint64_t)part->amount.mem_mib,
        };
        whole = whole && cpuset_count(&(*ret)[i].cpus) == (uint64_t)part->amount.cpus &&
                cpuset_count(&(*ret)[i].gpus) == (uint64_t)part->amount.gpus;
    }
    return whole;
}
