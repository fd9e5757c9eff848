/* need.c - what a request comes to once its defaults are filled in. */
#include "src/model/need.h"

#include "src/base/hostlist.h"

static uint32_t or_default(uint32_t v, uint32_t fallback)
{
    return v == NOT_GIVEN ? fallback : v;
}

static uint32_t at_least(uint32_t v, uint32_t least)
{
    return v > least ? v : least;
}

static uint32_t div_up(uint32_t a, uint32_t b)
{
    return b ? a / b + (a % b != 0) : 0;
}

/* One below NOT_GIVEN and MEM_NOT_GIVEN, which mean something else. */
static uint32_t times(uint32_t a, uint32_t b)
{
    uint64_t p = (uint64_t)a * b;
    return p < NOT_GIVEN ? (uint32_t)p : NOT_GIVEN - 1;
}

static uint64_t mem_times(uint64_t mem_mib, uint32_t n)
{
    return n && mem_mib > (MEM_NOT_GIVEN - 1) / n ? MEM_NOT_GIVEN - 1 : mem_mib * n;
}

static uint32_t need_tasks(const struct job_req *r, uint32_t nodes)
{
    if (r->ntasks != NOT_GIVEN)
        return at_least(r->ntasks, 1);
    return times(nodes, at_least(or_default(r->ntasks_per_node, 1), 1));
}

/* A list of nodes means all of them. */
static uint32_t listed_nodes(const struct job_req *r)
{
    struct strv names = {0};
    uint32_t n = 0;
    if (req_rare(r)->nodelist && hostlist_expand(req_rare(r)->nodelist, &names, NULL) == 0)
        n = (uint32_t)names.n;
    strv_fini(&names);
    return n;
}

static uint32_t need_nodes(const struct job_req *r)
{
    if (r->nodes_min != NOT_GIVEN)
        return at_least(r->nodes_min, 1);
    uint32_t nodes = 1;
    if (r->gpus != NOT_GIVEN && r->gpus_per_node != NOT_GIVEN && r->gpus_per_node)
        nodes = div_up(r->gpus, r->gpus_per_node);
    else if (r->ntasks != NOT_GIVEN && r->ntasks_per_node != NOT_GIVEN)
        nodes = div_up(r->ntasks, r->ntasks_per_node);
    /* More nodes than tasks cannot be used; Slurm too lowers the node count to the tasks given. */
    if (r->ntasks != NOT_GIVEN && r->ntasks < nodes)
        nodes = r->ntasks;
    return at_least(at_least(nodes, listed_nodes(r)), 1);
}

static uint32_t need_nodes_max(const struct job_req *r, uint32_t nodes, uint32_t tasks)
{
    if (r->nodes_max != NOT_GIVEN)
        return at_least(r->nodes_max, nodes);
    bool is_said = r->nodes_min != NOT_GIVEN || r->ntasks_per_node != NOT_GIVEN;
    return is_said ? nodes : at_least(tasks, nodes);
}

static void need_gpus(const struct job_req *r, struct job_need *n)
{
    if (r->gpus_per_node != NOT_GIVEN) {
        n->gpus_per_node = r->gpus_per_node;
        n->gpus = r->gpus != NOT_GIVEN ? r->gpus : times(r->gpus_per_node, n->nodes);
    } else if (r->gpus != NOT_GIVEN) {
        n->gpus = r->gpus ? at_least(r->gpus, n->nodes) : 0; /* one on each node, as Slurm has it */
        n->gpus_per_node = div_up(n->gpus, n->nodes);
        n->gpus_anywhere = true;
    } else if (r->gpus_per_task != NOT_GIVEN) {
        n->gpus_per_task = r->gpus_per_task;
        n->gpus = times(r->gpus_per_task, n->tasks);
        n->gpus_per_node = div_up(n->gpus, n->nodes);
    }
}

static void need_mem(const struct job_req *r, struct job_need *n)
{
    n->mem_per_node_mib = r->mem_node_mib;
    if (r->mem_node_mib != MEM_NOT_GIVEN)
        return;
    if (r->mem_cpu_mib != MEM_NOT_GIVEN) {
        n->mem_per_cpu_mib = r->mem_cpu_mib;
        n->mem_per_node_mib = mem_times(r->mem_cpu_mib, n->cpus_per_node);
    } else if (r->mem_gpu_mib != MEM_NOT_GIVEN && n->gpus) {
        n->mem_per_gpu_mib = r->mem_gpu_mib;
        n->mem_per_node_mib = mem_times(r->mem_gpu_mib, n->gpus_per_node);
    }
}

void job_need(const struct job_req *r, struct job_need *ret)
{
    uint32_t nodes = need_nodes(r), tasks = need_tasks(r, nodes);
    uint32_t per_task = at_least(or_default(r->cpus_per_task, 1), 1);
    uint32_t tasks_here =
        r->ntasks_per_node != NOT_GIVEN && r->ntasks_per_node ? r->ntasks_per_node : div_up(tasks, nodes);
    struct job_need n = {
        .nodes = nodes,
        .nodes_max = need_nodes_max(r, nodes, tasks),
        .tasks = tasks,
        .cpus_per_task = per_task,
        .cpus = at_least(times(tasks, per_task), nodes),
        .tasks_per_node = or_default(r->ntasks_per_node, 0),
        .cpus_per_node = times(tasks_here < tasks ? tasks_here : tasks, per_task),
        .whole_nodes = r->exclusive,
    };
    need_gpus(r, &n);
    need_mem(r, &n);
    *ret = n;
}

bool job_limits_memory(const struct job_req *r)
{
    return (r->mem_node_mib != MEM_NOT_GIVEN && r->mem_node_mib) || r->mem_cpu_mib != MEM_NOT_GIVEN ||
           r->mem_gpu_mib != MEM_NOT_GIVEN;
}

void step_task_need(const struct step *s, struct job_need *ret)
{
    uint32_t ranks = at_least(s->n_ranks, 1);
    uint32_t per_rank = at_least(or_default(s->cpus_per_rank, 1), 1);
    *ret = (struct job_need){
        .nodes = 1,
        .nodes_max = 1,
        .tasks = ranks,
        .cpus_per_task = per_rank,
        .cpus = times(ranks, per_rank),
        .cpus_per_node = times(ranks, per_rank),
        .mem_per_node_mib = s->mem_mib,
        .gpus = or_default(s->gpus, 0),
        .gpus_per_node = or_default(s->gpus, 0),
    };
}

uint64_t mem_share_mib(uint64_t node_mem_mib, uint32_t node_cpus, uint32_t cpus)
{
    return node_cpus ? node_mem_mib * cpus / node_cpus : node_mem_mib;
}
