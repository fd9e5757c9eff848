/* job_load.c - what running jobs and their tasks use. */
#include "ui/frame/job_load.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"

#define JOBS_MAX  16   /* whose minutes are kept */
#define NODES_MAX 1024 /* of a job */
#define TASKS_MAX 1024

struct node_load {
    char *node;
    uint64_t cpus, mem_mib, gpus; /* what the job had there when it was last measured */
    struct load_past past;
};

struct task_load {
    int32_t step;
    uint32_t task, part;
    struct load_past past;
};

struct job_load {
    uint32_t job;
    struct msg_job_use use; /* of another engine, summed over all nodes; .job 0: nothing was told */
    struct mono used_at;
    struct load_past use_past;
    VEC(struct node_load *) nodes;
    VEC(struct task_load *) tasks;
};

struct job_loads {
    VEC(struct job_load *) jobs; /* the one that was watched last is last */
};

struct job_loads *job_loads_new(void)
{
    return xcalloc(1, sizeof(struct job_loads));
}

static void job_load_free(struct job_load *l)
{
    vec_for_each (&l->nodes, i) {
        free(l->nodes.v[i]->node);
        free(l->nodes.v[i]);
    }
    vec_for_each (&l->tasks, i)
        free(l->tasks.v[i]);
    vec_fini(&l->nodes);
    vec_fini(&l->tasks);
    rec_fini(&msg_job_use_rec, &l->use);
    free(l);
}

void job_loads_free(struct job_loads *l)
{
    vec_for_each (&l->jobs, i)
        job_load_free(l->jobs.v[i]);
    vec_fini(&l->jobs);
    free(l);
}

static struct job_load *job_loads_find(const struct job_loads *l, uint32_t job)
{
    vec_for_each (&l->jobs, i)
        if (l->jobs.v[i]->job == job)
            return l->jobs.v[i];
    return NULL;
}

void job_loads_keep(struct job_loads *l, uint32_t job)
{
    struct job_load *at = job_loads_find(l, job);
    if (at) {
        vec_for_each (&l->jobs, i)
            if (l->jobs.v[i] == at) {
                vec_remove(&l->jobs, i);
                break;
            }
    } else {
        at = xcalloc(1, sizeof *at);
        at->job = job;
    }
    if (l->jobs.n == JOBS_MAX) {
        job_load_free(l->jobs.v[0]);
        vec_remove(&l->jobs, 0);
    }
    vec_push(&l->jobs, at);
}

/* --- now --- */

/* Makes one of all that the job has on the node: of a step job what its live tasks have. */
static struct alloc alloc_of_job(const struct job *j, const char *node)
{
    const struct alloc *own = job_alloc_on(j, node);
    struct alloc all = {0};
    if (own)
        return (struct alloc){.cpus = own->cpus, .mem_mib = own->mem_mib, .gpus = own->gpus};
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state == TASK_DONE || t->state == TASK_WAITING || !str_eq(t->alloc.node, node))
                continue;
            cpuset_or(&all.cpus, &t->alloc.cpus);
            cpuset_or(&all.gpus, &t->alloc.gpus);
            all.mem_mib += t->alloc.mem_mib;
        }
    return all;
}

static void load_add_task(struct live_load *l, const struct task_util *t)
{
    l->measured = true;
    l->cpu_permille += t->cpu_permille;
    l->mem_kib += t->mem_kib ? t->mem_kib : t->rss_kib;
}

static void load_add_gpus(struct live_load *l, const struct cpuset *gpus, const struct msg_util *u)
{
    uint64_t sum = (uint64_t)l->gpu_percent * l->n_gpus;
    for (size_t i = 0; i < u->gpus.n; i++) {
        const struct gpu_util *g = &u->gpus.v[i];
        if (!cpuset_has(gpus, g->index))
            continue;
        l->n_gpus++;
        sum += g->busy_pct;
        l->gpu_used_mib += g->mem_used_mib;
        l->gpu_mib += g->mem_mib;
    }
    l->gpu_percent = l->n_gpus ? (uint32_t)(sum / l->n_gpus) : 0;
}

static void load_add_node(struct live_load *l, const struct job *j, const char *node,
                          const struct msg_util *u)
{
    struct alloc all = alloc_of_job(j, node);
    bool there = false;
    for (size_t i = 0; i < u->tasks.n; i++)
        if (u->tasks.v[i].key.job == j->id) {
            load_add_task(l, &u->tasks.v[i]);
            there = true;
        }
    if (there || !cpuset_is_empty(&all.gpus))
        load_add_gpus(l, &all.gpus, u);
}

/* The nodes of its allocation, or of its live tasks: each once. */
static void load_nodes(const struct job *j, struct strv *ret)
{
    for (size_t i = 0; i < j->alloc.n; i++)
        strv_push(ret, j->alloc.v[i].node);
    for (size_t i = 0; i < j->steps.n && !j->alloc.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            bool live = t->state == TASK_LAUNCHING || t->state == TASK_RUNNING;
            if (live && t->alloc.node && !strv_has(ret, t->alloc.node))
                strv_push(ret, t->alloc.node);
        }
}

static bool load_is_possible(const struct job *j)
{
    return j->state != JOB_PENDING && !job_state_is_final((enum job_state)j->state);
}

/* What another engine has told of the job, while it is young; NULL. */
static const struct msg_job_use *load_told(const struct ui *ui, const struct job *j)
{
    const struct job_load *l = job_loads_find(utilization_jobs(ui), j->id);
    bool young = l && l->used_at.ns && ui_mono(ui).ns - l->used_at.ns < l->use.good_ms * NS_PER_MS;
    return young ? &l->use : NULL;
}

static void load_set_told(struct live_load *l, const struct msg_job_use *u, int32_t step)
{
    for (size_t i = 0; i < u->steps.n; i++) {
        const struct step_use *s = &u->steps.v[i];
        if (step != STEP_ALL && s->step != step)
            continue;
        l->cpu_permille = l->measured ? l->cpu_permille + s->cpu_permille : s->cpu_permille;
        l->mem_kib = l->measured ? l->mem_kib + s->mem_kib : s->mem_kib;
        l->measured = true;
    }
}

bool job_load_now(const struct ui *ui, const struct job *j, const char *node, struct live_load *ret)
{
    struct strv nodes = {0};
    *ret = (struct live_load){0};
    if (!load_is_possible(j))
        return false;
    if (node)
        strv_push(&nodes, node);
    else
        load_nodes(j, &nodes);
    for (size_t i = 0; i < nodes.n; i++) {
        const struct msg_util *u = ui_util(ui, nodes.v[i]);
        if (u)
            load_add_node(ret, j, nodes.v[i], u);
    }
    strv_fini(&nodes);
    const struct msg_job_use *told = node ? NULL : load_told(ui, j);
    if (told && told->steps.n) {
        ret->measured = false; /* a step measures seldom, and adds nothing to the sums */
        load_set_told(ret, told, STEP_ALL);
    }
    return ret->measured || ret->n_gpus;
}

const struct msg_job_use *job_load_lack(const struct ui *ui, const struct job *j)
{
    const struct job_load *l = job_loads_find(utilization_jobs(ui), j->id);
    return l && l->use.job && l->use.lack != USE_MEASURED ? &l->use : NULL;
}

/* A batch script has all GPUs of the job: while a step runs on the node they are the step's. */
static bool gpus_are_of_steps(const struct job *j, const struct step *s, const struct task *t)
{
    for (size_t i = 0; i < j->steps.n && s->id < 0; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n && j->steps.v[i].id >= 0; k++) {
            const struct task *other = &j->steps.v[i].tasks.v[k];
            if (other->state == TASK_RUNNING && str_eq(other->alloc.node, t->alloc.node) &&
                cpuset_intersects(&other->alloc.gpus, &t->alloc.gpus))
                return true;
        }
    return false;
}

bool task_load_now(const struct ui *ui, const struct job *j, const struct step *s, const struct task *t,
                   struct live_load *ret)
{
    *ret = (struct live_load){0};
    bool live = load_is_possible(j) && t->state == TASK_RUNNING && t->alloc.node;
    const struct msg_util *u = live ? ui_util(ui, t->alloc.node) : NULL;
    for (size_t i = 0; u && i < u->tasks.n; i++) {
        const struct launch_key *k = &u->tasks.v[i].key;
        if (k->job == j->id && k->step == s->id && k->task == t->index && k->attempt == t->attempt)
            load_add_task(ret, &u->tasks.v[i]);
    }
    if (u && !gpus_are_of_steps(j, s, t))
        load_add_gpus(ret, &t->alloc.gpus, u);
    const struct msg_job_use *told = live ? load_told(ui, j) : NULL;
    if (told && !ret->measured)
        load_set_told(ret, told, s->id);
    return ret->measured || ret->n_gpus;
}

/* --- the last minutes --- */

static void load_keep(struct load_past *p, const struct live_load *l, uint64_t cpus, uint64_t mem_mib,
                      struct mono t)
{
    if (l->measured && cpus)
        recent_add(&p->cpu, t, l->cpu_permille / 10 / cpus);
    if (l->measured && mem_mib)
        recent_add(&p->mem, t, l->mem_kib * 100 / 1024 / mem_mib);
    if (l->n_gpus)
        recent_add(&p->gpu, t, l->gpu_percent);
}

static struct node_load *node_load_get(struct job_load *l, const char *node)
{
    vec_for_each (&l->nodes, i)
        if (str_eq(l->nodes.v[i]->node, node))
            return l->nodes.v[i];
    if (l->nodes.n == NODES_MAX)
        return NULL;
    struct node_load *n = xcalloc(1, sizeof *n);
    n->node = xstrdup(node);
    vec_push(&l->nodes, n);
    return n;
}

static struct task_load *task_load_find(const struct job_load *l, int32_t step, const struct task *t)
{
    vec_for_each (&l->tasks, i)
        if (l->tasks.v[i]->step == step && l->tasks.v[i]->task == t->index &&
            l->tasks.v[i]->part == t->part)
            return l->tasks.v[i];
    return NULL;
}

static struct task_load *task_load_get(struct job_load *l, int32_t step, const struct task *t)
{
    struct task_load *load = task_load_find(l, step, t);
    if (load || l->tasks.n == TASKS_MAX)
        return load;
    load = xcalloc(1, sizeof *load);
    load->step = step;
    load->task = t->index;
    load->part = t->part;
    vec_push(&l->tasks, load);
    return load;
}

static void job_load_take_tasks(struct job_load *l, const struct job *j, const struct msg_util *u,
                                struct mono at)
{
    for (size_t i = 0; i < u->tasks.n; i++) {
        const struct launch_key *k = &u->tasks.v[i].key;
        const struct step *s = k->job == j->id ? job_find_step(j, k->step) : NULL;
        const struct task *t = s ? step_find_attempt(s, k->task, k->attempt) : NULL;
        struct task_load *keep = t ? task_load_get(l, k->step, t) : NULL;
        struct live_load now = {0};
        if (!keep)
            continue;
        load_add_task(&now, &u->tasks.v[i]);
        if (!gpus_are_of_steps(j, s, t))
            load_add_gpus(&now, &t->alloc.gpus, u);
        load_keep(&keep->past, &now, cpuset_count(&t->alloc.cpus),
                  t->alloc.mem_mib ? t->alloc.mem_mib : u->mem_mib, at);
    }
}

void job_loads_take(struct ui *ui, struct job_loads *l, const struct msg_util *u, struct mono t)
{
    vec_for_each (&l->jobs, i) {
        const struct job *j = ui_job(ui, l->jobs.v[i]->job);
        struct live_load now = {0};
        if (!j || !load_is_possible(j))
            continue;
        load_add_node(&now, j, u->node, u);
        struct node_load *keep = now.measured || now.n_gpus ? node_load_get(l->jobs.v[i], u->node) : NULL;
        if (!keep)
            continue;
        struct alloc has = alloc_of_job(j, u->node);
        keep->cpus = cpuset_count(&has.cpus);
        keep->gpus = cpuset_count(&has.gpus);
        keep->mem_mib = has.mem_mib ? has.mem_mib : u->mem_mib;
        now.measured &= !l->jobs.v[i]->used_at.ns; /* the curve is that of the sums */
        load_keep(&keep->past, &now, keep->cpus, keep->mem_mib, t);
        job_load_take_tasks(l->jobs.v[i], j, u, t);
    }
}

void job_loads_take_use(struct ui *ui, struct job_loads *loads, struct msg_job_use *u)
{
    struct job_load *l = job_loads_find(loads, u->job);
    const struct job *j = l ? ui_job(ui, u->job) : NULL;
    struct live_load now = {0};
    if (!j)
        return;
    rec_fini(&msg_job_use_rec, &l->use);
    l->use = *u;
    *u = (struct msg_job_use){0};
    if (l->use.lack != USE_MEASURED)
        return;
    l->used_at = ui_mono(ui);
    load_set_told(&now, &l->use, STEP_ALL);
    load_keep(&l->use_past, &now, job_cpus(j), job_mem_mib(j), l->used_at);
}

bool job_load_past(const struct ui *ui, const struct job *j, const char *node, struct load_past *ret)
{
    const struct job_load *l = job_loads_find(utilization_jobs(ui), j->id);
    *ret = (struct load_past){0};
    bool found = false;
    struct recent_sum cpu = {0}, mem = {0}, gpu = {0};
    for (size_t i = 0; l && i < l->nodes.n; i++) {
        const struct node_load *n = l->nodes.v[i];
        if (node && !str_eq(n->node, node))
            continue;
        recent_sum_add(&cpu, &n->past.cpu, n->cpus);
        recent_sum_add(&mem, &n->past.mem, n->mem_mib);
        recent_sum_add(&gpu, &n->past.gpu, n->gpus);
        found = true;
    }
    recent_sum_mean(&cpu, &ret->cpu);
    recent_sum_mean(&mem, &ret->mem);
    recent_sum_mean(&gpu, &ret->gpu);
    if (l && l->used_at.ns && !node) {
        ret->cpu = l->use_past.cpu;
        ret->mem = l->use_past.mem;
        found = true;
    }
    return found;
}

const struct load_past *task_load_past(const struct ui *ui, const struct job *j, const struct step *s,
                                       const struct task *t)
{
    const struct job_load *l = job_loads_find(utilization_jobs(ui), j->id);
    const struct task_load *at = l ? task_load_find(l, s->id, t) : NULL;
    return at ? &at->past : NULL;
}
