#include "backend/agent/containment.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/held_jobs.h"
#include "backend/agent/rights_client.h"
#include "backend/node/drm_gpus.h"
#include "backend/node/node_gpus.h"
#include "backend/task/cpu_binding.h"
#include "src/base/xalloc.h"
#include "src/model/nodestate.h"
#include "src/os/log.h"

#define NOTE_GPUS_OPEN  "gpus: cannot be closed to jobs"
#define NVIDIA_MAJOR    195
#define AGAIN_MIN_MS    20
#define AGAIN_MAX_MS    5000
#define FINISH_TRIES    20
#define FINISH_PAUSE_MS 10
#define GROUP_SIZE      TASKDIR_NAME_SIZE

struct containment {
    struct agent *a;
    struct drm_gpus drm;
    bool closes_gpus;
    int gpus_version;    /* of the groups that close them */
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
    struct rights_answer notes;
    rights_ask(a->rights, &(struct rights_request){.kind = RIGHTS_NOTES}, &notes);
    struct strv lines = strv_split(notes.text, "\n");
    for (size_t i = 0; i < lines.n; i++)
        strv_push(&a->facts.notes, lines.v[i]);
    strv_fini(&lines);
    if (a->root)
        drm_gpus_read(DRM_GPUS_SYSFS, &c->drm);
    a->held = held_jobs_new(a);
    return c;
}

void containment_free(struct containment *c)
{
    if (!c)
        return;
    held_jobs_free(c->a->held);
    if (c->a->loop)
        loop_timer_cancel(c->a->loop, &c->again);
    strv_fini(&c->leaving);
    idmap_for_each (&c->used, slot)
        free(slot->value);
    idmap_fini(&c->used);
    free(c);
}

void containment_note_session(struct agent *a)
{
    char text[4096];
    if (a->root || proc_read_file("/proc/self/cgroup", text, sizeof text) <= 0 ||
        !strstr(text, "/session-"))
        return;
    strv_push(&a->facts.notes,
              "started in a login session: it may be ended with it (loginctl enable-linger prevents that)");
    log_warn("started in a login session: where logind kills the processes of a session, this agent and "
             "its tasks end with it");
}

/* --- GPUs --- */

void containment_close_gpus(struct containment *c)
{
    struct agent *a = c->a;
    bool asked = a->policy.close_gpus == CLOSE_GPUS_YES;
    struct rights_answer ans;
    if (c->closes_gpus || a->policy.close_gpus == CLOSE_GPUS_NO || (!a->root && !asked) ||
        (!a->gpus && !c->drm.n))
        return;
    if (rights_ask(a->rights, &(struct rights_request){.kind = RIGHTS_CLOSE_GPUS}, &ans) < 0) {
        strv_push_take(&a->facts.notes, xasprintf(NOTE_GPUS_OPEN " (%s)", ans.text));
        return;
    }
    c->closes_gpus = true;
    c->gpus_version = (int)ans.number;
    containment_note_gpus(c);
}

/* Not more than containment_closed_devices does. */
static char *containment_gpus_text(const struct containment *c)
{
    const struct node_facts *f = &c->a->facts;
    uint32_t declared = f->has_spec && f->spec.gpus != UINT32_MAX ? f->spec.gpus : 0;
    if (c->a->gpus && c->drm.n)
        return xasprintf(NOTE_GPUS_CLOSED
                         " (cgroup v%d), but %zu of AMD or Intel, which no job can ask for, "
                         "stay open",
                         c->gpus_version, c->drm.n);
    if (!c->a->gpus && f->has_spec && !drm_gpus_are_numbered(&c->drm, declared))
        return xasprintf(NOTE_GPUS_OPEN " (the node declares %u and has %zu of AMD or Intel)", declared,
                         c->drm.n);
    return xasprintf(NOTE_GPUS_CLOSED " (cgroup v%d)", c->gpus_version);
}

void containment_note_gpus(struct containment *c)
{
    struct strv *notes = &c->a->facts.notes;
    if (!c->closes_gpus)
        return;
    size_t i = 0;
    while (i < notes->n && !str_starts(notes->v[i], NOTE_GPUS_CLOSED) &&
           !str_starts(notes->v[i], NOTE_GPUS_OPEN))
        i++;
    if (i == notes->n) {
        strv_push_take(notes, containment_gpus_text(c));
    } else {
        free(notes->v[i]);
        notes->v[i] = containment_gpus_text(c);
    }
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

bool containment_has_tasks(const struct containment *c, const char *group)
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

bool containment_ask(const struct containment *c, const struct launch *l, const char *task,
                     struct rights_request *q)
{
    const struct alloc *has = l->job_alloc.node ? &l->job_alloc : &l->alloc;
    bool closes = containment_closes_gpus_to(c, l->uid);
    q->mem_mib = has->mem_mib;
    q->task_mem_mib = l->alloc.mem_mib;
    q->private_mib = c->a->facts.has_spec ? c->a->facts.spec.private_tmp_mib : 0;
    q->cpus = containment_cpus(c->a, &has->cpus);
    if (closes)
        containment_closed_devices(c, &has->gpus, &q->devices);
    containment_name(l, task, q->group);
    return closes;
}

static struct rights_request containment_request(enum rights_kind kind, const struct atask *t)
{
    struct rights_request q = {.kind = kind, .key = t->st.key};
    snprintf(q.group, sizeof q.group, "%s", t->group);
    return q;
}

uint64_t containment_memory_kib(const struct containment *c, const struct atask *t)
{
    if (!t->group)
        return 0;
    struct rights_request q = containment_request(RIGHTS_GROUPS_MEMORY, t);
    return rights_ask_number(c->a->rights, &q);
}

void containment_kill(const struct containment *c, const struct atask *t)
{
    if (!t->group)
        return;
    struct rights_request q = containment_request(RIGHTS_GROUPS_KILL, t);
    rights_ask_number(c->a->rights, &q);
}

/* --- the end --- */

static bool containment_remove(const struct containment *c, const char *group)
{
    struct rights_request q = {.kind = RIGHTS_GROUPS_REMOVE};
    snprintf(q.group, sizeof q.group, "%s", group);
    return rights_ask_number(c->a->rights, &q);
}

static void containment_kill_all(const struct containment *c, const char *group)
{
    struct rights_request q = {.kind = RIGHTS_GROUPS_KILL, .flag = true};
    snprintf(q.group, sizeof q.group, "%s", group);
    rights_ask_number(c->a->rights, &q);
}

void containment_remove_later(struct containment *c, const char *group)
{
    if (containment_has_tasks(c, group))
        return;
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
        if (containment_has_tasks(c, group) || (known && containment_remove(c, group)))
            continue;
        if (known)
            containment_kill_all(c, group);
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
    struct rights_request q = containment_request(RIGHTS_GROUPS_LEAVE, t);
    rights_ask_number(c->a->rights, &q);
    struct group_use *use = idmap_get(&c->used, containment_key(t->group));
    if (use && --use->n_tasks == 0)
        free(idmap_remove(&c->used, containment_key(t->group)));
    /* The supervisor is in the group of its job until it has ended, which is after it has said so. */
    containment_remove_later(c, t->group);
    held_jobs_ask_soon(c->a->held);
    free(t->group);
    t->group = NULL;
}

void containment_sweep(struct containment *c)
{
    struct strv jobs;
    rights_list(c->a->rights, RIGHTS_GROUPS_LIST, &jobs);
    for (size_t i = 0; i < jobs.n; i++)
        if (!containment_has_tasks(c, jobs.v[i]) && !containment_remove(c, jobs.v[i])) {
            log_warn("job=%s its control group is left over", jobs.v[i]);
            containment_remove_later(c, jobs.v[i]);
        }
    strv_fini(&jobs);
}
