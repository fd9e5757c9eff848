/* demand.c - what a demand takes of a node: of each the same, where that is known beforehand, or by pieces.
 */
#include "backend/sched/resources/pool_internal.h"

static int64_t demand_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

bool demand_is_uniform(const struct demand *d)
{
    const struct job_need *n = &d->need;
    if (d->nodes_max != n->nodes || d->overcommit || n->mem_per_gpu_mib)
        return false;
    if (n->nodes == 1)
        return !n->tasks_per_node || n->tasks_per_node >= n->tasks;
    bool fixed = n->tasks == n->nodes || (uint64_t)n->tasks_per_node * n->nodes == n->tasks;
    return fixed && !n->gpus_anywhere;
}

bool demand_is_by_size(const struct demand *d)
{
    const struct job_need *n = &d->need;
    bool share = n->mem_per_node_mib == MEM_NOT_GIVEN || !n->mem_per_node_mib;
    return n->whole_nodes || (share && !n->mem_per_cpu_mib && !n->mem_per_gpu_mib);
}

struct amount demand_on_node(const struct demand *d, const struct pool_node *n)
{
    const struct job_need *need = &d->need;
    uint32_t tasks = need->tasks / need->nodes;
    uint32_t gpus = need->gpus_per_task   ? tasks * need->gpus_per_task
                    : need->gpus_anywhere ? need->gpus
                                          : need->gpus_per_node;
    bool must;
    int64_t mem = demand_mem(n, need, tasks * need->cpus_per_task, gpus, &must);
    /* Of a share a first MiB is enough, of CPUs that tasks may share a first CPU. */
    struct amount least = {d->overcommit ? 1 : (int64_t)tasks * need->cpus_per_task,
                           must || mem < 1 ? mem : 1, gpus};
    return need->whole_nodes && amount_covers(n->cap, least) ? n->cap : least;
}

/* CPUs that tasks share, and a share of memory, are taken as far as they go. */
struct amount demand_takes(const struct demand *d, const struct amount *cap, struct amount least,
                           struct amount free)
{
    const struct job_need *need = &d->need;
    bool shares =
        !need->mem_per_cpu_mib && !need->mem_per_gpu_mib && need->mem_per_node_mib == MEM_NOT_GIVEN;
    struct amount a = least;
    if (need->whole_nodes)
        return a;
    if (d->overcommit)
        a.cpus = demand_min_i64((int64_t)need->tasks * need->cpus_per_task, free.cpus);
    if (shares && cap->cpus > 0)
        a.mem_mib = demand_min_i64(
            (int64_t)mem_share_mib((uint64_t)cap->mem_mib, clamp_u32(cap->cpus), clamp_u32(a.cpus)),
            free.mem_mib);
    return a;
}

static uint32_t demand_div_up(uint64_t a, uint32_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

static uint32_t demand_at_least_1(uint32_t n)
{
    return n ? n : 1;
}

/* By its tasks; by its GPUs where only their sum is given. */
struct demand_pieces demand_piece(const struct demand *d)
{
    const struct job_need *n = &d->need;
    bool by_gpu = n->gpus_anywhere && n->gpus;
    uint32_t k = by_gpu ? n->gpus : demand_at_least_1(n->tasks);
    k = k > n->nodes ? k : demand_at_least_1(n->nodes);
    uint32_t here = demand_div_up(k, demand_at_least_1(n->nodes));
    uint32_t gpus = by_gpu ? 1 : n->gpus_per_task;
    uint64_t cpus = by_gpu ? (uint64_t)n->tasks * n->cpus_per_task / k : n->cpus_per_task;
    cpus = cpus < 1 || d->overcommit ? 1 : cpus;
    uint64_t mem = n->mem_per_cpu_mib                     ? n->mem_per_cpu_mib * cpus
                   : n->mem_per_gpu_mib                   ? n->mem_per_gpu_mib * gpus
                   : n->mem_per_node_mib == MEM_NOT_GIVEN ? 0
                                                          : n->mem_per_node_mib / here;
    return (struct demand_pieces){.need = {(int64_t)cpus, (int64_t)mem, gpus}, .k = k, .each = 1};
}

struct pool_who demand_who(const struct job *j, const struct part_spec *part)
{
    return (struct pool_who){
        .user = j->uid + 1, .alone = req_detail(&j->req)->exclusive_user || (part && part->exclusive_user)};
}

void demand_of_job(const struct job *j, const struct step *s, const struct part_spec *part,
                   struct demand *ret)
{
    *ret = (struct demand){.overcommit = req_detail(&j->req)->overcommit && !s,
                           .tasks_given = j->req.ntasks != NOT_GIVEN || s,
                           .one_task = s != NULL,
                           .who = demand_who(j, part)};
    if (s)
        step_task_need(s, &ret->need);
    else
        job_need(&j->req, &ret->need);
    if (!s) {
        ret->groups_max = req_rare(&j->req)->switches;
        ret->groups_until = ret->groups_max ? WHEN_NEVER : 0;
    }
    ret->nodes_max = ret->need.nodes_max < part->max_nodes ? ret->need.nodes_max : part->max_nodes;
}
