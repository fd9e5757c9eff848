/* jobenv.c - SLURM_* and STOKER_* variables. */
#include "src/jobenv/jobenv.h"

#include <stdlib.h>

#include "src/base/env_index.h"
#include "src/base/vec.h"
#include "src/model/need.h"
#include "src/model/task_parts.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

typedef VEC(uint32_t) counts_t;

char *jobenv_format_counts(const uint32_t *counts, size_t n)
{
    struct str s = STR_INIT;
    for (size_t i = 0; i < n;) {
        size_t same = 1;
        while (i + same < n && counts[i + same] == counts[i])
            same++;
        str_appendf(&s, s.len ? ",%u" : "%u", counts[i]);
        if (same > 1)
            str_appendf(&s, "(x%zu)", same);
        i += same;
    }
    return str_take(&s);
}

static void jobenv_set_text(struct env_index *env, const char *name, const char *value)
{
    if (!str_is_empty(value))
        env_index_set(env, name, value);
}

static void jobenv_set_count(struct env_index *env, const char *name, uint32_t n)
{
    char text[12] = "", *p = text + sizeof text - 1;
    if (n == NOT_GIVEN)
        return;
    do /* each launch has twenty numbers, and a format takes ten times as long */
        *--p = (char)('0' + n % 10);
    while (n /= 10);
    env_index_set(env, name, p);
}

static void set_mem(struct env_index *env, const char *name, uint64_t mib)
{
    if (mib != MEM_NOT_GIVEN)
        env_index_setf(env, name, "%llu", (unsigned long long)mib);
}

static void set_counts(struct env_index *env, const char *name, const counts_t *c)
{
    char *text = jobenv_format_counts(c->v, c->n);
    env_index_set(env, name, text);
    free(text);
}

static void jobenv_set_time(struct env_index *env, const char *name, struct wall t)
{
    env_index_setf(env, name, "%lld", (long long)(t.ms / MS_PER_S));
}

static void set_gpu_count(struct env_index *env, const char *name, const struct job_req *r, uint32_t n)
{
    if (n == NOT_GIVEN)
        return;
    if (str_is_empty(req_detail(r)->gpu_type))
        env_index_setf(env, name, "%u", n);
    else
        env_index_setf(env, name, "%s:%u", req_detail(r)->gpu_type, n);
}

static void cpuset_append_list(struct str *s, const struct cpuset *set)
{
    for (int i = cpuset_next(set, 0); i >= 0; i = cpuset_next(set, (unsigned)i + 1))
        str_appendf(s, s->len ? ",%d" : "%d", i);
}

/* --- the job --- */

static bool tasks_were_asked_for(const struct job_req *r)
{
    return r->ntasks != NOT_GIVEN || job_tasks_per_node(r) != NOT_GIVEN;
}

static uint32_t cpus_per_task(const struct job_req *r)
{
    return r->cpus_per_task == NOT_GIVEN || r->cpus_per_task == 0 ? 1 : r->cpus_per_task;
}

/* How many tasks go to each node: as asked for per node, else as many as its CPUs carry, up to -n in
 * all. */
static void tasks_per_node(const struct job *j, counts_t *ret)
{
    const struct job_req *r = &j->req;
    uint32_t left = r->ntasks;
    for (size_t i = 0; i < j->alloc.n; i++) {
        uint32_t n = job_tasks_per_node(r);
        if (n == NOT_GIVEN) {
            n = cpuset_count(&j->alloc.v[i].cpus) / cpus_per_task(r);
            n = n ? n : 1;
        }
        if (r->ntasks != NOT_GIVEN) {
            uint32_t nodes_after = (uint32_t)(j->alloc.n - i - 1);
            uint32_t most = left > nodes_after ? left - nodes_after : 1;
            n = n > most || nodes_after == 0 ? most
                                             : n; /* every node gets one, the last one what is left */
            left = left > n ? left - n : 0;
        }
        vec_push(ret, n);
    }
}

static uint32_t tasks_in_all(const struct job *j)
{
    const struct job_req *r = &j->req;
    if (r->ntasks != NOT_GIVEN)
        return r->ntasks;
    return job_tasks_per_node(r) * (j->alloc.n ? (uint32_t)j->alloc.n : 1);
}

static void job_requested(struct env_index *env, const struct job *j)
{
    const struct job_req *r = &j->req;
    if (tasks_were_asked_for(r)) {
        jobenv_set_count(env, "SLURM_NTASKS", tasks_in_all(j));
        jobenv_set_count(env, "SLURM_NPROCS", tasks_in_all(j));
    }
    jobenv_set_count(env, "SLURM_NTASKS_PER_NODE", job_tasks_per_node(r));
    jobenv_set_count(env, "SLURM_CPUS_PER_TASK", r->cpus_per_task);
    set_mem(env, "SLURM_MEM_PER_NODE", r->mem_node_mib);
    set_mem(env, "SLURM_MEM_PER_CPU", req_detail(r)->mem_cpu_mib);
    set_mem(env, "SLURM_MEM_PER_GPU", req_detail(r)->mem_gpu_mib);
    set_gpu_count(env, "SLURM_GPUS", r, r->gpus);
    set_gpu_count(env, "SLURM_GPUS_PER_NODE", r, r->gpus_per_node);
    set_gpu_count(env, "SLURM_GPUS_PER_TASK", r, req_detail(r)->gpus_per_task);
    if (req_detail(r)->overcommit)
        env_index_set(env, "SLURM_OVERCOMMIT", "1");
    jobenv_set_text(env, "SLURM_JOB_DEPENDENCY", r->dependency);
    jobenv_set_text(env, "SLURM_JOB_RESERVATION", req_rare(r)->reservation);
    jobenv_set_text(env, "SLURM_JOB_LICENSES", req_detail(r)->licenses);
}

static void jobenv_job_identity(struct env_index *env, const char *cluster, const struct job *j)
{
    const struct job_req *r = &j->req;
    jobenv_set_count(env, "SLURM_JOB_ID", j->id);
    jobenv_set_count(env, "SLURM_JOBID", j->id);
    jobenv_set_text(env, "SLURM_JOB_NAME", r->name);
    jobenv_set_text(env, "SLURM_JOB_PARTITION", j->partition);
    jobenv_set_text(env, "SLURM_JOB_ACCOUNT", r->account);
    jobenv_set_text(env, "SLURM_JOB_QOS", req_detail(r)->qos);
    jobenv_set_text(env, "SLURM_JOB_USER", j->user);
    jobenv_set_text(env, "SLURM_JOB_GROUP", job_origin(j)->group);
    jobenv_set_count(env, "SLURM_JOB_UID", j->uid);
    jobenv_set_count(env, "SLURM_JOB_GID", job_origin(j)->gid);
    jobenv_set_text(env, "SLURM_CLUSTER_NAME", cluster);
    if (!env_index_get(env, "SLURM_SUBMIT_DIR"))
        jobenv_set_text(env, "SLURM_SUBMIT_DIR", r->workdir);
    jobenv_set_text(env, "SLURM_SUBMIT_HOST", job_origin(j)->submit_host);
    jobenv_set_count(env, "STOKER_JOB_ID", j->id);
    jobenv_set_count(env, "STOKER_RESTART_COUNT", j->restarts);
    if (j->restarts)
        jobenv_set_count(env, "SLURM_RESTART_COUNT", j->restarts);
}

static void job_array(struct env_index *env, const struct job *j)
{
    if (j->array_index == ARRAY_NONE || !j->array_job)
        return;
    jobenv_set_count(env, "SLURM_ARRAY_JOB_ID", j->array_job);
    jobenv_set_count(env, "SLURM_ARRAY_TASK_ID", j->array_index);
    jobenv_set_count(env, "SLURM_ARRAY_TASK_COUNT", job_origin(j)->array_count);
    jobenv_set_count(env, "SLURM_ARRAY_TASK_MIN", job_origin(j)->array_min);
    jobenv_set_count(env, "SLURM_ARRAY_TASK_MAX", job_origin(j)->array_max);
    jobenv_set_count(env, "SLURM_ARRAY_TASK_STEP",
                     job_origin(j)->array_step ? job_origin(j)->array_step : 1);
}

static void jobenv_job_times(struct env_index *env, const struct job *j)
{
    if (!wall_is_set(j->t_start))
        return;
    jobenv_set_time(env, "SLURM_JOB_START_TIME", j->t_start);
    if (j->time_limit_s < DURATION_NOT_SET)
        jobenv_set_time(env, "SLURM_JOB_END_TIME", wall_add_s(j->t_start, j->time_limit_s));
}

static void jobenv_set_nodes(struct env_index *env, const struct strv *names)
{
    char *list = hostlist_compress(names);
    env_index_set(env, "SLURM_JOB_NODELIST", list);
    env_index_set(env, "SLURM_NODELIST", list);
    env_index_setf(env, "SLURM_JOB_NUM_NODES", "%zu", names->n);
    env_index_setf(env, "SLURM_NNODES", "%zu", names->n);
    free(list);
}

static void set_gpus_on_node(struct env_index *env, const struct cpuset *gpus)
{
    if (cpuset_is_empty(gpus))
        env_index_unset(env, "SLURM_GPUS_ON_NODE");
    else
        jobenv_set_count(env, "SLURM_GPUS_ON_NODE", cpuset_count(gpus));
}

/* The view from one node. */
static void set_node(struct env_index *env, const struct alloc *a)
{
    jobenv_set_text(env, "SLURMD_NODENAME", a->node);
    jobenv_set_count(env, "SLURM_CPUS_ON_NODE", cpuset_count(&a->cpus));
    set_gpus_on_node(env, &a->gpus);
}

static void set_gpu_list(struct env_index *env, const char *name, const struct cpuset *gpus)
{
    if (cpuset_is_empty(gpus)) {
        env_index_unset(env, name);
        return;
    }
    struct str s = STR_INIT;
    cpuset_append_list(&s, gpus);
    env_index_set(env, name, s.s);
    str_fini(&s);
}

static void job_allocation(struct env_index *env, const struct job *j)
{
    if (!j->alloc.n)
        return;
    struct strv names = {0};
    counts_t cpus = VEC_INIT, tasks = VEC_INIT;
    for (size_t i = 0; i < j->alloc.n; i++) {
        strv_push(&names, j->alloc.v[i].node);
        vec_push(&cpus, cpuset_count(&j->alloc.v[i].cpus));
    }
    tasks_per_node(j, &tasks);
    jobenv_set_nodes(env, &names);
    set_counts(env, "SLURM_JOB_CPUS_PER_NODE", &cpus);
    set_counts(env, "SLURM_TASKS_PER_NODE", &tasks);
    set_node(env, &j->alloc.v[0]);
    set_gpu_list(env, "SLURM_JOB_GPUS", &j->alloc.v[0].gpus);
    vec_fini(&cpus);
    vec_fini(&tasks);
    strv_fini(&names);
}

static void env_of_job(struct env_index *env, const char *cluster, const struct job *j)
{
    jobenv_job_identity(env, cluster, j);
    job_requested(env, j);
    job_array(env, j);
    jobenv_job_times(env, j);
    job_allocation(env, j);
}

/* --- steps and ranks --- */

static void step_placement(struct env_index *env, const struct step *s)
{
    struct strv names = {0};
    counts_t ranks = VEC_INIT;
    for (size_t i = 0; i < s->tasks.n; i++)
        if (s->tasks.v[i].alloc.node) {
            strv_push(&names, s->tasks.v[i].alloc.node);
            vec_push(&ranks, s->tasks.v[i].n_ranks);
        }
    if (names.n) {
        char *list = hostlist_compress(&names);
        env_index_set(env, "SLURM_STEP_NODELIST", list);
        free(list);
        env_index_setf(env, "SLURM_STEP_NUM_NODES", "%zu", names.n);
        set_counts(env, "SLURM_STEP_TASKS_PER_NODE", &ranks);
        set_counts(env, "SLURM_TASKS_PER_NODE", &ranks);
    }
    vec_fini(&ranks);
    strv_fini(&names);
}

/* In a step job each task is a world of its own: its processes are numbered from 0 over all of its nodes,
 * and know of no other task. */
static void step_job_placement(struct env_index *env, const struct step *s, const struct task *t)
{
    struct strv names = {0};
    counts_t cpus = VEC_INIT, ranks = VEC_INIT;
    size_t begin = task_parts_of(s, t), end = task_parts_end(s, begin);
    for (size_t i = begin; i < end; i++) {
        const struct task *part = &s->tasks.v[i];
        strv_push(&names, part->alloc.node ? part->alloc.node : "");
        vec_push(&cpus, cpuset_count(&part->alloc.cpus));
        vec_push(&ranks, part->n_ranks);
    }
    char *list = hostlist_compress(&names);
    jobenv_set_nodes(env, &names);
    jobenv_set_text(env, "SLURM_STEP_NODELIST", list);
    jobenv_set_count(env, "SLURM_STEP_NUM_NODES", (uint32_t)names.n);
    free(list);
    set_counts(env, "SLURM_JOB_CPUS_PER_NODE", &cpus);
    set_counts(env, "SLURM_TASKS_PER_NODE", &ranks);
    set_counts(env, "SLURM_STEP_TASKS_PER_NODE", &ranks);
    set_gpu_list(env, "SLURM_JOB_GPUS", &t->alloc.gpus);
    jobenv_set_count(env, "STOKER_TASK_COUNT", s->n_tasks);
    vec_fini(&cpus);
    vec_fini(&ranks);
    strv_fini(&names);
}

struct strv jobenv_take_counts(const struct strv *env)
{
    static const char *const names[] = {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_JOB_NUM_NODES",
                                        "SLURM_NNODES"};
    struct strv counts = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strv_getenv(env, names[i]))
            strv_setenv(&counts, names[i], strv_getenv(env, names[i]));
    return counts;
}

void jobenv_put_counts(struct strv *env, const struct strv *counts)
{
    for (size_t i = 0; i < counts->n; i++) {
        char *name = xstrdup(counts->v[i]), *value = strchr(name, '=');
        *value++ = '\0';
        strv_setenv(env, name, value);
        free(name);
    }
}

static void env_of_step(struct env_index *env, const struct job *j, const struct step *s)
{
    if (s->id < 0)
        return;
    env_index_setf(env, "SLURM_STEP_ID", "%d", s->id);
    env_index_setf(env, "SLURM_STEPID", "%d", s->id);
    uint32_t ranks = j->kind == JOB_KIND_STEPS ? step_task_ranks(s) : s->n_ranks;
    jobenv_set_count(env, "SLURM_NTASKS", ranks);
    jobenv_set_count(env, "SLURM_NPROCS", ranks);
    jobenv_set_count(env, "SLURM_STEP_NUM_TASKS", ranks);
    if (s->cpus_per_rank && s->cpus_per_rank != NOT_GIVEN)
        jobenv_set_count(env, "SLURM_CPUS_PER_TASK", s->cpus_per_rank);
    if (s->label)
        env_index_set(env, "SLURM_LABELIO", "1");
    if (j->kind != JOB_KIND_STEPS)
        step_placement(env, s);
}

/* The node as the job has it; a step job's task has its own. */
static const struct alloc *alloc_on_node(const struct job *j, const struct task *t)
{
    const struct alloc *a = job_alloc_on(j, t->alloc.node);
    return a ? a : &t->alloc;
}

/* HIP_VISIBLE_DEVICES counts within what ROCR_VISIBLE_DEVICES leaves: so it goes from 0 again. It also
 * keeps AMD's runtime from taking CUDA_VISIBLE_DEVICES as a second filter. */
static void env_of_gpus(struct env_index *env, const struct alloc *a)
{
    struct str physical = STR_INIT, relative = STR_INIT;
    cpuset_append_list(&physical, &a->gpus);
    for (unsigned i = 0; i < cpuset_count(&a->gpus); i++)
        str_appendf(&relative, i ? ",%u" : "%u", i);
    env_index_set(env, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    env_index_set(env, "CUDA_VISIBLE_DEVICES", physical.s);
    env_index_set(env, "ROCR_VISIBLE_DEVICES", physical.s);
    env_index_set(env, "HIP_VISIBLE_DEVICES", relative.s);
    env_index_set(env, "ZE_AFFINITY_MASK", physical.s);
    str_fini(&physical);
    str_fini(&relative);
}

/* --gpus-per-task: each rank sees its own ones. */
static void rank_gpus(struct env_index *env, const struct step *s, const struct task *t, uint32_t localid)
{
    struct alloc own = {.node = t->alloc.node};
    struct cpuset rest = t->alloc.gpus;
    uint32_t have = cpuset_count(&rest), n = s->gpus_per_rank;
    if (have < (localid + 1) * (uint64_t)n)
        return;
    for (uint32_t i = 0; i <= localid; i++)
        own.gpus = cpuset_take_lowest(&rest, n);
    env_of_gpus(env, &own);
}

static void env_of_task(struct env_index *env, const struct job *j, const struct step *s,
                        const struct task *t)
{
    bool own_world = j->kind == JOB_KIND_STEPS;
    if (own_world)
        step_job_placement(env, s, t);
    set_node(env, alloc_on_node(j, t));
    if (!own_world && j->alloc.n) /* of this node, not of the job's first one */
        set_gpu_list(env, "SLURM_JOB_GPUS", &alloc_on_node(j, t)->gpus);
    jobenv_set_count(env, "SLURM_NODEID", own_world ? t->part : t->index);
    struct str gtids = STR_INIT;
    for (uint32_t i = 0; i < t->n_ranks; i++)
        str_appendf(&gtids, i ? ",%u" : "%u", own_world ? t->rank_base + i : step_rank(s, t, i));
    env_index_set(env, "SLURM_GTIDS", gtids.s);
    str_fini(&gtids);
    char id[16];
    env_index_set(env, "STOKER_STEP_ID", step_format_id(s->id, id));
    jobenv_set_count(env, "STOKER_TASK_ID", t->index);
    if (s->id < 0)
        return;
    /* of the step; one that does not say how many CPUs it wants may use all of the job's */
    bool says = s->exclusive || (s->cpus_per_rank && s->cpus_per_rank != NOT_GIVEN);
    if (says && !own_world && !cpuset_is_empty(&t->alloc.cpus))
        jobenv_set_count(env, "SLURM_CPUS_ON_NODE", cpuset_count(&t->alloc.cpus));
    set_gpus_on_node(env, &t->alloc.gpus);
    set_gpu_list(env, "SLURM_STEP_GPUS", &t->alloc.gpus);
}

static void env_of_rank(struct env_index *env, const struct step *s, const struct task *t, uint32_t rank,
                        uint32_t localid)
{
    jobenv_set_count(env, "SLURM_PROCID", rank);
    jobenv_set_count(env, "SLURM_LOCALID", localid);
    if (s->id >= 0 && s->gpus_per_rank)
        rank_gpus(env, s, t, localid);
}

/* --- all of it --- */

void jobenv_job(struct strv *env, const char *cluster, const struct job *j)
{
    struct env_index x;
    env_index_open(&x, env);
    env_of_job(&x, cluster, j);
    env_index_close(&x);
}

void jobenv_step(struct strv *env, const struct job *j, const struct step *s)
{
    struct env_index x;
    env_index_open(&x, env);
    env_of_step(&x, j, s);
    env_index_close(&x);
}

void jobenv_gpus(struct strv *env, const struct alloc *a)
{
    struct env_index x;
    env_index_open(&x, env);
    env_of_gpus(&x, a);
    env_index_close(&x);
}

void jobenv_task(struct strv *env, const struct job *j, const struct step *s, const struct task *t)
{
    struct env_index x;
    env_index_open(&x, env);
    env_of_task(&x, j, s, t);
    env_index_close(&x);
}

void jobenv_launch(struct strv *env, const char *cluster, const struct job *j, const struct step *s,
                   const struct task *t)
{
    struct env_index x;
    env_index_open(&x, env);
    env_of_job(&x, cluster, j);
    env_of_step(&x, j, s);
    env_of_gpus(&x, &t->alloc);
    env_of_task(&x, j, s, t);
    env_index_close(&x);
}

void jobenv_rank(struct strv *env, const struct step *s, const struct task *t, uint32_t rank,
                 uint32_t localid)
{
    struct env_index x;
    env_index_open(&x, env);
    env_of_rank(&x, s, t, rank, localid);
    env_index_close(&x);
}
