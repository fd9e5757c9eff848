#include "backend/agent/containment.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/agent/agent_internal.h"
#include "backend/node/drm_gpus.h"
#include "backend/node/node_gpus.h"
#include "backend/task/cpu_binding.h"
#include "src/base/log.h"
#include "src/base/xalloc.h"
#include "src/model/nodestate.h"

#define NVIDIA_MAJOR    195
#define AGAIN_MIN_MS    20
#define AGAIN_MAX_MS    5000
#define FINISH_TRIES    20
#define FINISH_PAUSE_MS 10
#define GROUP_SIZE      TASKDIR_NAME_SIZE
#define GPUS_NOT_OURS   "the agent is not root"

struct containment {
    struct agent *a;
    struct job_groups *groups;
    struct drm_gpus drm;
    bool closes_gpus;
    struct idmap used;   /* by group: a struct group_use */
    struct strv leaving; /* jobs whose groups are to go as soon as the kernel lets them */
    struct loop_timer again;
    int64_t pause_ms; /* 0: the timer is not set */
};

/* How many living tasks share a group. Groups of one hash would count as one, and go later. */
struct group_use {
    size_t n_tasks;
};

static void containment_remove_again(void *ctx);

struct containment *containment_new(struct agent *a)
{
    struct containment *c = xcalloc(1, sizeof *c);
    c->a = a;
    c->again = (struct loop_timer){.fn = containment_remove_again, .ctx = c};
    struct cgroup_trees trees;
    cgroup_trees_find(&trees, &a->facts.notes);
    c->groups = job_groups_new(a->dir.path, &trees);
    if (a->root)
        drm_gpus_read(DRM_GPUS_SYSFS, &c->drm);
    return c;
}

void containment_free(struct containment *c)
{
    if (!c)
        return;
    if (c->a->loop)
        loop_timer_cancel(c->a->loop, &c->again);
    job_groups_free(c->groups);
    strv_fini(&c->leaving);
    idmap_for_each (&c->used, slot)
        free(slot->value);
    idmap_fini(&c->used);
    free(c);
}

/* --- GPUs --- */

void containment_close_gpus(struct containment *c)
{
    struct agent *a = c->a;
    bool asked = a->policy.close_gpus == CLOSE_GPUS_YES;
    int version;
    if (c->closes_gpus || a->policy.close_gpus == CLOSE_GPUS_NO || (!a->root && !asked) ||
        (!a->gpus && !c->drm.n))
        return;
    const char *why = a->root ? job_groups_close_devices(c->groups, &version) : GPUS_NOT_OURS;
    if (why) {
        strv_push_take(&a->facts.notes, xasprintf("gpus: cannot be closed to jobs (%s)", why));
        return;
    }
    c->closes_gpus = true;
    strv_push_take(&a->facts.notes, xasprintf(NOTE_GPUS_CLOSED " (cgroup v%d)", version));
}

/* Where the policy does not say, root's own jobs are left alone: nothing is closed to root. */
static bool containment_closes_gpus_to(const struct containment *c, uint32_t uid)
{
    const struct node_policy *p = &c->a->policy;
    return c->closes_gpus && (p->close_gpus == CLOSE_GPUS_YES || (p->close_gpus != CLOSE_GPUS_NO && uid));
}

static void containment_closed_devices(const struct containment *c, const struct cpuset *held,
                                       struct device_rule *ret)
{
    const struct agent *a = c->a;
    uint32_t minors[DEVICE_RULE_MAX];
    size_t n = node_gpus_minors(a->gpus, held, minors, DEVICE_RULE_MAX);
    for (size_t i = 0; i < n; i++)
        device_rule_add(ret, NVIDIA_MAJOR, minors[i]);
    if (!a->gpus && a->facts.has_spec && a->facts.spec.gpus != UINT32_MAX)
        drm_gpus_close(&c->drm, a->facts.spec.gpus, held, ret);
}

/* --- a task --- */

static uint64_t containment_key(const char *group)
{
    return hash_bytes(group, strlen(group));
}

static bool containment_is_used(const struct containment *c, const char *group)
{
    return idmap_get(&c->used, containment_key(group)) != NULL;
}

void containment_adopt(struct containment *c, struct atask *t, const char *group)
{
    if (!*group)
        return;
    struct group_use *use = idmap_get(&c->used, containment_key(group));
    if (!use) {
        use = xcalloc(1, sizeof *use);
        idmap_set(&c->used, containment_key(group), use);
    }
    use->n_tasks++;
    t->group = xstrdup(group);
}

/* What it shares its limits with: its job's allocation, or its own. */
static void containment_name(const struct launch *l, const char *task, char name[static GROUP_SIZE])
{
    if (!l->job_alloc.node)
        snprintf(name, GROUP_SIZE, "%s", task);
    else if (l->restarts) /* what is left of the job's try before may still have that name */
        snprintf(name, GROUP_SIZE, "%u-%u", l->key.job, l->restarts);
    else
        snprintf(name, GROUP_SIZE, "%u", l->key.job);
}

/* The CPUs of this machine that it has; none: it is not bound, or all are its own. */
static struct cpuset containment_cpus(const struct agent *a, const struct cpuset *launch)
{
    struct cpuset real;
    if (!node_facts_binds_cpus(&a->facts) ||
        !cpu_binding_real(launch, &a->facts.cpu_order, &a->facts.probe.cpus, &real) ||
        cpuset_contains(&real, &a->facts.probe.cpus))
        return (struct cpuset){0};
    return real;
}

void containment_make(struct containment *c, struct atask *t, const struct launch *l,
                      struct task_groups *ret, bool *ret_gpus_closed)
{
    const struct agent *a = c->a;
    const struct alloc *has = l->job_alloc.node ? &l->job_alloc : &l->alloc;
    char name[GROUP_SIZE];
    struct job_bounds b = {.mem_mib = has->mem_mib,
                           .cpus = containment_cpus(a, &has->cpus),
                           .processes = a->policy.max_processes};
    *ret_gpus_closed = containment_closes_gpus_to(c, l->uid);
    if (*ret_gpus_closed)
        containment_closed_devices(c, &has->gpus, &b.devices);
    containment_name(l, t->name, name);
    job_groups_make(c->groups, name, &b, t->name, l->alloc.mem_mib, ret);
    if (!task_groups_are_empty(ret))
        containment_adopt(c, t, name);
}

uint64_t containment_memory_kib(const struct containment *c, const struct atask *t)
{
    return t->group ? job_groups_memory_kib(c->groups, t->group, t->name) : 0;
}

void containment_kill(const struct containment *c, const struct atask *t)
{
    if (t->group)
        job_groups_kill(c->groups, t->group, t->name);
}

/* --- the end --- */

static void containment_remove_later(struct containment *c, const char *group)
{
    if (!strv_has(&c->leaving, group))
        strv_push(&c->leaving, group);
    if (c->pause_ms == AGAIN_MIN_MS)
        return;
    c->pause_ms = AGAIN_MIN_MS;
    loop_timer_cancel(c->a->loop, &c->again);
    loop_timer_set(c->a->loop, &c->again, c->pause_ms);
}

/* No task of it lives: what is in it still has escaped from its supervisor. */
static void containment_remove_leaving(struct containment *c)
{
    struct strv left = {0};
    bool known = c->a->tasks->complete; /* else there may be tasks that were not looked at yet */
    for (size_t i = 0; i < c->leaving.n; i++) {
        const char *group = c->leaving.v[i];
        if (containment_is_used(c, group) || (known && job_groups_remove(c->groups, group)))
            continue;
        if (known)
            job_groups_kill(c->groups, group, NULL);
        strv_push(&left, group);
    }
    strv_fini(&c->leaving);
    c->leaving = left;
}

static void containment_remove_again(void *ctx)
{
    struct containment *c = ctx;
    containment_remove_leaving(c);
    if (!c->leaving.n) {
        c->pause_ms = 0;
        return;
    }
    c->pause_ms = c->pause_ms * 2 > AGAIN_MAX_MS ? AGAIN_MAX_MS : c->pause_ms * 2;
    loop_timer_set(c->a->loop, &c->again, c->pause_ms);
}

void containment_finish(struct containment *c)
{
    for (int i = 0; c && c->leaving.n && i < FINISH_TRIES; i++) {
        containment_remove_leaving(c);
        if (c->leaving.n)
            poll(NULL, 0, FINISH_PAUSE_MS);
    }
}

void containment_leave(struct containment *c, struct atask *t)
{
    if (!t->group)
        return;
    job_groups_remove_task(c->groups, t->group, t->name);
    struct group_use *use = idmap_get(&c->used, containment_key(t->group));
    if (use && --use->n_tasks == 0)
        free(idmap_remove(&c->used, containment_key(t->group)));
    /* The supervisor is in the group of its job until it has ended, which is after it has said so. */
    if (!containment_is_used(c, t->group))
        containment_remove_later(c, t->group);
    free(t->group);
    t->group = NULL;
}

void containment_sweep(struct containment *c)
{
    struct strv jobs;
    job_groups_list(c->groups, &jobs);
    for (size_t i = 0; i < jobs.n; i++)
        if (!containment_is_used(c, jobs.v[i]) && !job_groups_remove(c->groups, jobs.v[i])) {
            log_warn("job=%s its control group is left over", jobs.v[i]);
            containment_remove_later(c, jobs.v[i]);
        }
    strv_fini(&jobs);
}
