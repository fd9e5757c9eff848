/* check.c - the invariants of the state, checked the slow way. */
#include <errno.h>
#include <stdlib.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"
#include "src/model/model.h"
#include "src/model/model_private.h"

struct load {
    struct cpuset cpus, gpus;
    uint64_t mem_mib;
    uint32_t n;
};

static int add_load(const struct model *m, struct load *loads, const struct job *j, const struct alloc *a,
                    struct errtext *err)
{
    for (size_t i = 0; i < m->n_nodes; i++) {
        struct load *l = &loads[i];
        if (!str_eq(m->nodes[i]->spec.name, a->node))
            continue;
        if (cpuset_intersects(&l->cpus, &a->cpus))
            return err_set(err, -EINVAL, "job %u: a CPU of %s is held twice", j->id, a->node);
        if (cpuset_intersects(&l->gpus, &a->gpus))
            return err_set(err, -EINVAL, "job %u: a GPU of %s is held twice", j->id, a->node);
        cpuset_or(&l->cpus, &a->cpus);
        cpuset_or(&l->gpus, &a->gpus);
        l->mem_mib += a->mem_mib;
        l->n++;
        return 0;
    }
    return err_set(err, -EINVAL, "job %u: holds part of unknown node %s", j->id, a->node);
}

static int check_add_job(const struct model *m, struct load *loads, const struct job *j,
                         struct errtext *err)
{
    int r = 0;
    for (size_t i = 0; j->holding && i < j->alloc.n && r == 0; i++)
        r = add_load(m, loads, j, &j->alloc.v[i], err);
    for (size_t i = 0; j->kind == JOB_KIND_STEPS && i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n && r == 0; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state == TASK_LAUNCHING || t->state == TASK_RUNNING)
                r = add_load(m, loads, j, &t->alloc, err);
        }
    return r;
}

static int check_nodes(const struct model *m, const struct load *loads, struct errtext *err)
{
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *n = m->nodes[i];
        const struct load *l = &loads[i];
        if (n->exclusive && n->n_jobs > 1)
            return err_set(err, -EINVAL, "node %s: held whole and shared", n->spec.name);
        if (n->gone && !n->n_jobs)
            return err_set(err, -EINVAL, "node %s: no longer configured, empty and still here",
                           n->spec.name);
        if (model_get_node(m, n->spec.name) != n)
            return err_set(err, -EINVAL, "node %s is not in the index", n->spec.name);
        if (!cpuset_eq(&n->cpus_used, &l->cpus) || !cpuset_eq(&n->gpus_used, &l->gpus) ||
            n->mem_used_mib != l->mem_mib || n->n_jobs != l->n)
            return err_set(err, -EINVAL, "node %s: what it carries is not the sum of its allocations",
                           n->spec.name);
    }
    return 0;
}

/* The parts of a task are placed together: one that waits has no part that runs. */
static int check_task_parts(const struct job *j, const struct step *s, struct errtext *err)
{
    for (size_t k = 1; k < s->tasks.n; k++) {
        const struct task *t = &s->tasks.v[k], *before = t - 1;
        if (!t->part)
            continue;
        if (t->index != before->index || t->part != before->part + 1)
            return err_set(err, -EINVAL, "job %u: part %u of a task of step %d stands in the wrong place",
                           j->id, t->part, s->id);
        if ((t->state == TASK_WAITING) != (before->state == TASK_WAITING))
            return err_set(err, -EINVAL, "job %u: task %u of step %d is placed in part", j->id, t->index,
                           s->id);
    }
    return 0;
}

/* What only the live tasks are looked at for would miss one. */
static int check_live_tasks(const struct job *j, struct errtext *err)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        for (size_t k = 0; k < s->tasks.n; k++)
            if ((k < step_live_begin(s) && s->tasks.v[k].state != TASK_DONE) ||
                (k >= step_live_end(s) && s->tasks.v[k].state != TASK_WAITING))
                return err_set(err, -EINVAL, "job %u: task %zu of step %d is not counted as live", j->id, k,
                               s->id);
        int r = check_task_parts(j, s, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static int check_steps(const struct job *j, struct errtext *err)
{
    bool waits = false, done = true;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        bool all = s->tasks.n > 0;
        for (size_t k = 0; k < s->tasks.n; k++) {
            const struct task *t = &s->tasks.v[k];
            all = all && t->state == TASK_DONE;
            waits = waits || t->state == TASK_WAITING;
            if (t->attempt > j->launches)
                return err_set(err, -EINVAL, "job %u: an attempt beyond those given out", j->id);
        }
        if (s->done != all)
            return err_set(err, -EINVAL, "job %u: step %d is %sdone, its tasks say otherwise", j->id, s->id,
                           s->done ? "" : "not ");
        done = done && s->done;
    }
    if (j->state == JOB_RUNNING && j->kind == JOB_KIND_BATCH && (!j->steps.n || done))
        return err_set(err, -EINVAL, "job %u runs and its script has ended", j->id);
    if (j->state == JOB_RUNNING && j->kind == JOB_KIND_STEPS && !waits && !job_live_tasks(j))
        return err_set(err, -EINVAL, "job %u runs and nothing in it can", j->id);
    if (waits && j->state != JOB_RUNNING && j->state != JOB_SUSPENDED && j->state != JOB_PENDING)
        return err_set(err, -EINVAL, "job %u has tasks that wait for nothing", j->id);
    return check_live_tasks(j, err);
}

static int check_job(const struct model *m, const struct job *j, struct errtext *err)
{
    if (model_get_job(m, j->id) != j)
        return err_set(err, -EINVAL, "job %u is not in the index", j->id);
    if (j->id >= m->next_job)
        return err_set(err, -EINVAL, "job %u: the next id %u is not beyond it", j->id, m->next_job);
    bool live = job_live_tasks(j) > 0;
    if (job_state_is_final(j->state) && (live || j->holding))
        return err_set(err, -EINVAL, "job %u has ended and still holds something", j->id);
    if (j->state == JOB_PENDING && (live || j->holding))
        return err_set(err, -EINVAL, "job %u waits and holds something", j->id);
    if (j->state == JOB_COMPLETING && !live)
        return err_set(err, -EINVAL, "job %u is completing with no task left", j->id);
    if (j->array_job && j->array_index != ARRAY_NONE &&
        model_get_element(m, j->array_job, j->array_index) != j)
        return err_set(err, -EINVAL, "element %u_%u is not in the index", j->array_job, j->array_index);
    return check_steps(j, err);
}

/* In the order of submission, the elements of an array together. */
static int check_order(const struct model *m, struct errtext *err)
{
    uint64_t last = 0;
    list_for_each (j, &m->pending, struct job, in_queue) {
        uint64_t place = (uint64_t)(j->array_job ? j->array_job : j->id) << 32 | j->array_index;
        if (place <= last)
            return err_set(err, -EINVAL, "job %u stands in the wrong place of the queue", j->id);
        last = place;
    }
    return 0;
}

static int check_list(const struct list *head, bool (*belongs)(const struct job *), uint32_t want,
                      const char *name, struct errtext *err)
{
    uint32_t n = 0;
    list_for_each (j, head, struct job, in_queue) {
        n++;
        if (!belongs(j))
            return err_set(err, -EINVAL, "job %u is in the wrong list (%s)", j->id, name);
    }
    return n == want ? 0 : err_set(err, -EINVAL, "list %s holds %u jobs, counted %u", name, n, want);
}

static bool check_is_pending(const struct job *j)
{
    return j->state == JOB_PENDING;
}

static bool is_ended(const struct job *j)
{
    return job_state_is_final(j->state);
}

static bool is_active(const struct job *j)
{
    return !check_is_pending(j) && !is_ended(j);
}

int model_check(const struct model *m, struct errtext *err)
{
    struct load *loads = xcalloc(m->n_nodes, sizeof *loads);
    int r = 0;
    uint32_t last = 0, n = 0;
    list_for_each (j, &m->all, struct job, in_all) {
        r = r ? r : check_job(m, j, err);
        r = r ? r : check_add_job(m, loads, j, err);
        if (!r && j->id <= last)
            r = err_set(err, -EINVAL, "jobs %u and %u stand in the wrong order", last, j->id);
        last = j->id;
        n++;
    }
    r = r ? r : check_nodes(m, loads, err);
    r = r ? r : check_list(&m->pending, check_is_pending, m->n_pending, "pending", err);
    r = r ? r : check_list(&m->active, is_active, m->n_active, "active", err);
    r = r ? r : check_list(&m->ended, is_ended, m->n_ended, "ended", err);
    r = r ? r : check_order(m, err);
    r = r ? r : tally_check(m, err);
    if (!r && n != m->n_pending + m->n_active + m->n_ended)
        r = err_set(err, -EINVAL, "%u jobs, but %u in the lists", n,
                    m->n_pending + m->n_active + m->n_ended);
    free(loads);
    return r;
}
