/* need.c - what a request comes to once its defaults are filled in. */
#include "src/model/need.h"

#include <errno.h>

#include "src/values/hostlist.h"

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

/* 0 asks for nothing: `--gres=none` leaves 0 GPUs of each node beside what --gpus says. */
static bool is_asked(uint32_t v)
{
    return v != NOT_GIVEN && v;
}

static bool is_multiple(uint32_t a, uint32_t b)
{
    return a % b == 0;
}

uint32_t job_tasks_per_node(const struct job_req *r)
{
    if (req_detail(r)->ntasks_per_node != NOT_GIVEN)
        return req_detail(r)->ntasks_per_node;
    bool by_gpus = is_asked(r->gpus_per_node) && is_asked(req_detail(r)->gpus_per_task) &&
                   is_multiple(r->gpus_per_node, req_detail(r)->gpus_per_task);
    return by_gpus ? r->gpus_per_node / req_detail(r)->gpus_per_task : NOT_GIVEN;
}

/* As given, else as many as the GPUs are for. */
static uint32_t tasks_said(const struct job_req *r)
{
    if (r->ntasks == NOT_GIVEN && is_asked(r->gpus) && is_asked(req_detail(r)->gpus_per_task))
        return at_least(r->gpus / req_detail(r)->gpus_per_task, 1);
    return r->ntasks;
}

static uint32_t need_tasks(const struct job_req *r, uint32_t nodes)
{
    uint32_t said = tasks_said(r);
    if (said != NOT_GIVEN)
        return at_least(said, 1);
    return times(nodes, at_least(or_default(job_tasks_per_node(r), 1), 1));
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

/* The node count that --gpus and --gpus-per-node come to; 0: they say none. */
static uint32_t nodes_by_gpus(const struct job_req *r)
{
    return is_asked(r->gpus) && is_asked(r->gpus_per_node) ? div_up(r->gpus, r->gpus_per_node) : 0;
}

static uint32_t need_nodes(const struct job_req *r)
{
    uint32_t by_gpus = nodes_by_gpus(r), tasks = tasks_said(r), per_node = job_tasks_per_node(r);
    if (r->nodes_min != NOT_GIVEN) {
        uint32_t least = at_least(r->nodes_min, 1);
        uint32_t most = at_least(or_default(r->nodes_max, least), least);
        return by_gpus > least && by_gpus <= most ? by_gpus : least;
    }
    uint32_t nodes = 1;
    if (by_gpus)
        nodes = by_gpus;
    else if (tasks != NOT_GIVEN && per_node != NOT_GIVEN)
        nodes = div_up(tasks, per_node);
    /* More nodes than tasks cannot be used; Slurm too lowers the node count to the tasks given. */
    if (!by_gpus && tasks != NOT_GIVEN && tasks < nodes)
        nodes = tasks;
    return at_least(at_least(nodes, listed_nodes(r)), 1);
}

static uint32_t need_nodes_max(const struct job_req *r, uint32_t nodes, uint32_t tasks)
{
    if (nodes == nodes_by_gpus(r))
        return nodes;
    if (r->nodes_max != NOT_GIVEN) {
        /* Of a range no more nodes than there are tasks, as in Slurm. */
        uint32_t most = tasks_said(r) == NOT_GIVEN || tasks > r->nodes_max ? r->nodes_max : tasks;
        return at_least(most, nodes);
    }
    bool is_said = r->nodes_min != NOT_GIVEN || job_tasks_per_node(r) != NOT_GIVEN;
    return is_said ? nodes : at_least(tasks, nodes);
}

static void need_gpus(const struct job_req *r, struct job_need *n)
{
    bool by_task = req_detail(r)->gpus_per_task != NOT_GIVEN &&
                   (!is_asked(r->gpus) || times(req_detail(r)->gpus_per_task, n->tasks) == r->gpus);
    if (is_asked(r->gpus_per_node)) {
        n->gpus_per_node = r->gpus_per_node;
        n->gpus = times(r->gpus_per_node, n->nodes);
    } else if (by_task) {
        n->gpus_per_task = req_detail(r)->gpus_per_task;
        n->gpus = times(req_detail(r)->gpus_per_task, n->tasks);
        n->gpus_per_node = div_up(n->gpus, n->nodes);
    } else if (is_asked(r->gpus)) {
        n->gpus = at_least(r->gpus, n->nodes); /* one on each node, as Slurm has it */
        n->gpus_per_node = div_up(n->gpus, n->nodes);
        n->gpus_anywhere = true;
        n->nodes_max = n->nodes_max < n->gpus ? n->nodes_max : n->gpus;
    }
}

/* As in Slurm: a range of nodes takes as many as are free. The sum of --gpus stays on few nodes, where the
 * tasks that share GPUs are near one another. */
static bool need_most_nodes(const struct job_req *r, const struct job_need *n)
{
    bool is_range = r->nodes_min != NOT_GIVEN && r->nodes_max != NOT_GIVEN && r->nodes_max > r->nodes_min;
    bool tasks_by_gpus =
        r->ntasks == NOT_GIVEN && is_asked(r->gpus); /* more nodes would have more of both */
    return (is_range || req_detail(r)->spread_job) && !tasks_by_gpus && !req_detail(r)->use_min_nodes &&
           !n->gpus_anywhere && n->nodes_max > n->nodes;
}

static void need_mem(const struct job_req *r, struct job_need *n)
{
    n->mem_per_node_mib = r->mem_node_mib;
    if (r->mem_node_mib != MEM_NOT_GIVEN)
        return;
    if (req_detail(r)->mem_cpu_mib != MEM_NOT_GIVEN) {
        n->mem_per_cpu_mib = req_detail(r)->mem_cpu_mib;
        n->mem_per_node_mib = mem_times(req_detail(r)->mem_cpu_mib, n->cpus_per_node);
    } else if (req_detail(r)->mem_gpu_mib != MEM_NOT_GIVEN && n->gpus) {
        n->mem_per_gpu_mib = req_detail(r)->mem_gpu_mib;
        n->mem_per_node_mib = mem_times(req_detail(r)->mem_gpu_mib, n->gpus_per_node);
    }
}

static uint32_t need_per_task(const struct job_req *r)
{
    return at_least(or_default(r->cpus_per_task, 1), 1);
}

static uint32_t need_cpus(uint32_t nodes, uint32_t tasks, uint32_t per_task)
{
    return at_least(times(tasks, per_task), nodes);
}

uint32_t job_need_cpus(const struct job_req *r)
{
    uint32_t nodes = need_nodes(r);
    return need_cpus(nodes, need_tasks(r, nodes), need_per_task(r));
}

void job_need(const struct job_req *r, struct job_need *ret)
{
    uint32_t nodes = need_nodes(r), tasks = need_tasks(r, nodes);
    uint32_t per_task = need_per_task(r);
    uint32_t tasks_per_node = or_default(job_tasks_per_node(r), 0);
    uint32_t tasks_here = tasks_per_node ? tasks_per_node : div_up(tasks, nodes);
    struct job_need n = {
        .nodes = nodes,
        .nodes_max = need_nodes_max(r, nodes, tasks),
        .tasks = tasks,
        .cpus_per_task = per_task,
        .cpus = need_cpus(nodes, tasks, per_task),
        .tasks_per_node = tasks_per_node,
        .cpus_per_node = times(tasks_here < tasks ? tasks_here : tasks, per_task),
        .whole_nodes = req_detail(r)->exclusive,
    };
    need_gpus(r, &n);
    need_mem(r, &n);
    n.most_nodes = need_most_nodes(r, &n);
    *ret = n;
}

static const char *plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

/* --gpus beside one of the others, or alone: their products must come to it. */
static int check_all_gpus(const struct job_req *r, const struct job_need *n, struct errtext *err)
{
    uint32_t gpus = r->gpus, per_node = r->gpus_per_node, per_task = req_detail(r)->gpus_per_task;
    if (is_asked(per_node)) {
        uint32_t nodes = gpus / per_node;
        if (!is_multiple(gpus, per_node))
            return err_set(err, -EINVAL, "%u GPUs in all cannot be %u on each node", gpus, per_node);
        if (n->nodes != nodes)
            return err_set(err, -EINVAL, "%u GPUs in all, %u on each node, need %u node%s (%u asked)", gpus,
                           per_node, nodes, plural(nodes), n->nodes);
    }
    if (is_asked(per_task)) {
        /* Without --ntasks the tasks of each node say how many there are. */
        bool by_node =
            r->ntasks == NOT_GIVEN && is_asked(req_detail(r)->ntasks_per_node) && r->nodes_min != NOT_GIVEN;
        uint32_t asked = by_node ? times(req_detail(r)->ntasks_per_node, n->nodes) : n->tasks,
                 tasks = gpus / per_task;
        if (!is_multiple(gpus, per_task))
            return err_set(err, -EINVAL, "%u GPUs in all cannot be %u for each task", gpus, per_task);
        if (asked != tasks)
            return err_set(err, -EINVAL, "%u GPUs in all, %u for each task, need %u task%s (%u asked)",
                           gpus, per_task, tasks, plural(tasks), asked);
        if (tasks < n->nodes)
            return err_set(err, -EINVAL, "%u task%s with %u GPU%s each cannot be on %u nodes", tasks,
                           plural(tasks), per_task, plural(per_task), n->nodes);
    }
    if (gpus < n->nodes)
        return err_set(err, -EINVAL, "%u nodes need at least %u GPUs (%u asked)", n->nodes, n->nodes, gpus);
    return 0;
}

int job_need_check_gpus(const struct job_req *r, struct errtext *err)
{
    uint32_t per_node = r->gpus_per_node, per_task = req_detail(r)->gpus_per_task;
    struct job_need n;
    job_need(r, &n);
    if (is_asked(per_node) && is_asked(per_task)) {
        uint32_t tasks = per_node / per_task;
        if (!is_multiple(per_node, per_task))
            return err_set(err, -EINVAL, "%u GPUs on each node cannot be %u for each task", per_node,
                           per_task);
        if (is_asked(req_detail(r)->ntasks_per_node) && req_detail(r)->ntasks_per_node != tasks)
            return err_set(err, -EINVAL,
                           "%u GPUs on each node, %u for each task, need %u task%s a node (%u asked)",
                           per_node, per_task, tasks, plural(tasks), req_detail(r)->ntasks_per_node);
        if (n.tasks > (uint64_t)tasks * n.nodes_max)
            return err_set(err, -EINVAL,
                           "%u tasks with %u GPU%s each need more than %u on each of %u node%s", n.tasks,
                           per_task, plural(per_task), per_node, n.nodes_max, plural(n.nodes_max));
    }
    return is_asked(r->gpus) ? check_all_gpus(r, &n, err) : 0;
}

int job_need_check_nodes(const struct job_req *r, struct errtext *err)
{
    uint32_t listed = r->nodes_max == NOT_GIVEN ? 0 : listed_nodes(r);
    if (listed && listed > r->nodes_max)
        return err_set(err, -EINVAL, "--nodelist names %u nodes, --nodes allows %u", listed, r->nodes_max);
    return 0;
}

bool job_limits_memory(const struct job_req *r)
{
    return (r->mem_node_mib != MEM_NOT_GIVEN && r->mem_node_mib) ||
           req_detail(r)->mem_cpu_mib != MEM_NOT_GIVEN || req_detail(r)->mem_gpu_mib != MEM_NOT_GIVEN;
}

void step_task_need(const struct step *s, struct job_need *ret)
{
    uint32_t ranks = at_least(s->n_ranks, 1);
    uint32_t per_rank = at_least(or_default(s->cpus_per_rank, 1), 1), nodes = at_least(s->nodes, 1);
    *ret = (struct job_need){
        .nodes = nodes,
        .nodes_max = nodes,
        .tasks = times(ranks, nodes),
        .cpus_per_task = per_rank,
        .cpus = times(times(ranks, per_rank), nodes),
        .tasks_per_node = nodes > 1 ? ranks : 0,
        .cpus_per_node = times(ranks, per_rank),
        .mem_per_node_mib = s->mem_mib,
        .gpus = times(or_default(s->gpus, 0), nodes),
        .gpus_per_node = or_default(s->gpus, 0),
    };
}

uint32_t job_need_nodes(const struct job *j)
{
    struct job_need n;
    uint32_t most = 1;
    if (j->kind != JOB_KIND_STEPS) {
        job_need(&j->req, &n);
        return n.nodes;
    }
    for (size_t i = 0; i < j->steps.n; i++)
        most = j->steps.v[i].nodes > most ? j->steps.v[i].nodes : most;
    return most;
}

uint64_t mem_share_mib(uint64_t node_mem_mib, uint32_t node_cpus, uint32_t cpus)
{
    return node_cpus ? node_mem_mib * cpus / node_cpus : node_mem_mib;
}
