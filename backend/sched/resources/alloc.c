/* alloc.c - which CPUs and which GPUs: the lowest that are free, beside what this pass has given away. */
#include <stdlib.h>

#include "backend/sched/queue/planner_private.h"

static struct node_sets *sets_of(struct planner *p, uint32_t at)
{
    struct node_sets *s = &p->taken[at];
    const struct node *n = p->view->model->nodes[at];
    if (s->decision == p->decision)
        return s;
    *s = (struct node_sets){.decision = p->decision};
    cpuset_add_range(&s->cpus, 0, n->cpus < CPUSET_MAX ? n->cpus : CPUSET_MAX);
    cpuset_add_range(&s->gpus, 0, n->gpus == UINT32_MAX ? 0 : n->gpus < CPUSET_MAX ? n->gpus : CPUSET_MAX);
    cpuset_andnot(&s->cpus, &n->cpus_used);
    cpuset_andnot(&s->gpus, &n->gpus_used);
    cpuset_andnot(&s->gpus, &n->gpus_out);
    cpuset_andnot(&s->cpus, &n->unknown_cpus);
    cpuset_andnot(&s->gpus, &n->unknown_gpus);
    return s;
}

bool planner_alloc(struct planner *p, const struct pool_parts *parts, struct alloc **ret, size_t *ret_n)
{
    bool whole = true;
    *ret_n = parts->v.n;
    *ret = xcalloc(parts->v.n, sizeof **ret);
    vec_for_each (&parts->v, i) {
        const struct pool_part *part = &parts->v.v[i];
        struct node_sets *s = sets_of(p, part->node);
        (*ret)[i] = (struct alloc){
            .node = xstrdup(p->view->model->nodes[part->node]->spec.name),
            .cpus = cpuset_take_lowest(&s->cpus, (uint32_t)part->amount.cpus),
            .gpus = cpuset_take_lowest(&s->gpus, (uint32_t)part->amount.gpus),
            .mem_mib = (uint64_t)part->amount.mem_mib,
        };
        whole = whole && cpuset_count(&(*ret)[i].cpus) == (uint64_t)part->amount.cpus &&
                cpuset_count(&(*ret)[i].gpus) == (uint64_t)part->amount.gpus;
    }
    return whole;
}

uint32_t planner_limit_s(int64_t len_ms)
{
    return len_ms == WHEN_NEVER ? DURATION_UNLIMITED : (uint32_t)(len_ms / MS_PER_S);
}

void planner_ask_exactly(const struct pool_parts *parts, int64_t len_ms, struct limit_ask *ask)
{
    struct amount sum = {0, 0, 0};
    vec_for_each (&parts->v, i)
        sum = amount_plus(sum, parts->v.v[i].amount);
    ask->cpus = (uint64_t)sum.cpus;
    ask->gpus = (uint64_t)sum.gpus;
    ask->mem_mib = (uint64_t)sum.mem_mib;
    ask->nodes = parts->v.n;
    ask->limit_s = planner_limit_s(len_ms);
}
