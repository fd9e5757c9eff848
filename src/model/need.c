/* need.c - what a request comes to once its defaults are filled in. */
#include "src/model/need.h"

static uint32_t or_default(uint32_t v, uint32_t fallback)
{
    return v == NOT_GIVEN ? fallback : v;
}

static uint32_t div_up(uint32_t a, uint32_t b)
{
    return b ? a / b + (a % b != 0) : 0;
}

static uint32_t need_tasks(const struct job_req *r, uint32_t nodes)
{
    if (r->ntasks != NOT_GIVEN)
        return r->ntasks ? r->ntasks : 1;
    return nodes * or_default(r->ntasks_per_node, 1);
}

static uint32_t need_nodes(const struct job_req *r)
{
    uint32_t nodes = or_default(r->nodes_min, 1);
    if (r->nodes_min == NOT_GIVEN && r->ntasks != NOT_GIVEN && r->ntasks_per_node != NOT_GIVEN)
        nodes = div_up(r->ntasks, r->ntasks_per_node);
    if (r->nodes_min == NOT_GIVEN && r->gpus != NOT_GIVEN && r->gpus_per_node != NOT_GIVEN &&
        r->gpus_per_node)
        nodes = div_up(r->gpus, r->gpus_per_node);
    return nodes ? nodes : 1;
}

static uint32_t need_gpus(const struct job_req *r, uint32_t nodes, uint32_t tasks)
{
    if (r->gpus != NOT_GIVEN)
        return r->gpus;
    if (r->gpus_per_node != NOT_GIVEN)
        return r->gpus_per_node * nodes;
    return r->gpus_per_task != NOT_GIVEN ? r->gpus_per_task * tasks : 0;
}

void job_need(const struct job_req *r, struct job_need *ret)
{
    uint32_t nodes = need_nodes(r), tasks = need_tasks(r, nodes);
    /* More nodes than tasks cannot be used; Slurm too lowers the node count to the tasks given. */
    if (r->ntasks != NOT_GIVEN && tasks < nodes && r->nodes_min == NOT_GIVEN)
        nodes = tasks;
    uint32_t per_task = or_default(r->cpus_per_task, 1);
    uint32_t gpus = need_gpus(r, nodes, tasks);
    uint32_t tasks_here = r->ntasks_per_node != NOT_GIVEN ? r->ntasks_per_node : div_up(tasks, nodes);
    if (tasks_here > tasks)
        tasks_here = tasks;
    struct job_need n = {
        .nodes = nodes,
        .nodes_max = r->nodes_max == NOT_GIVEN ? nodes : r->nodes_max,
        .tasks = tasks,
        .cpus_per_task = per_task,
        .cpus = tasks * per_task,
        .tasks_per_node = r->ntasks_per_node == NOT_GIVEN ? 0 : r->ntasks_per_node,
        .cpus_per_node = tasks_here * per_task,
        .mem_per_node_mib = r->mem_node_mib,
        .gpus = gpus,
        .gpus_per_node = r->gpus_per_node != NOT_GIVEN ? r->gpus_per_node : div_up(gpus, nodes),
        .whole_nodes = r->exclusive,
    };
    if (n.cpus < nodes)
        n.cpus = nodes;
    if (n.cpus_per_node == 0)
        n.cpus_per_node = 1;
    if (r->mem_node_mib == MEM_NOT_GIVEN && r->mem_cpu_mib != MEM_NOT_GIVEN)
        n.mem_per_node_mib = r->mem_cpu_mib * n.cpus_per_node;
    else if (r->mem_node_mib == MEM_NOT_GIVEN && r->mem_gpu_mib != MEM_NOT_GIVEN)
        n.mem_per_node_mib = r->mem_gpu_mib * n.gpus_per_node;
    *ret = n;
}

void step_task_need(const struct step *s, struct job_need *ret)
{
    uint32_t ranks = s->n_ranks ? s->n_ranks : 1;
    uint32_t cpus = ranks * or_default(s->cpus_per_rank, 1);
    *ret = (struct job_need){
        .nodes = 1,
        .nodes_max = 1,
        .tasks = ranks,
        .cpus_per_task = or_default(s->cpus_per_rank, 1),
        .cpus = cpus,
        .cpus_per_node = cpus,
        .mem_per_node_mib = s->mem_mib,
        .gpus = or_default(s->gpus, 0),
        .gpus_per_node = or_default(s->gpus, 0),
    };
}

uint64_t mem_share_mib(uint64_t node_mem_mib, uint32_t node_cpus, uint32_t cpus)
{
    return node_cpus ? node_mem_mib * cpus / node_cpus : node_mem_mib;
}
