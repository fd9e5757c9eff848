#include "backend/control/users/user_budget.h"

#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/shortage.h"
#include "src/base/idmap.h"
#include "src/model/task_parts.h"
#include "src/os/log.h"

#define ROW_BYTES      64   /* of the disk, for an event or a payload, beside its body */
#define ELEMENT_BYTES  1024 /* of memory, for the texts of an array's element that has become a job */
#define DISK_MOST_MIB  4096 /* of user_disk = "auto", and ... */
#define DISK_PART      4    /* ... a quarter of the disk */
#define ALARM_OF_TENTH 8    /* tenths of a limit from which the log tells */
#define ALARM_NS       (60 * NS_PER_S)

struct user_budget {
    struct idmap jobs;     /* job -> struct job_bytes, in the pointer */
    struct idmap payloads; /* job, step -> bytes, of what srun brought */
};

struct job_bytes {
    uint32_t disk, memory; /* no more than UINT32_MAX counts */
};

static struct user_budget *budget_of(const struct control *c)
{
    return c->state[MODULE_BUDGET];
}

static struct job_bytes budget_unpack(const void *p)
{
    uint64_t v = (uintptr_t)p;
    return (struct job_bytes){.disk = (uint32_t)v, .memory = (uint32_t)(v >> 32)};
}

static uint32_t budget_sum(uint32_t have, int64_t more)
{
    int64_t sum = (int64_t)have + more;
    return sum < 0 ? 0 : sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

/* q NULL: while the state is loaded; the users' sums are made at its end. */
static void budget_charge(struct control *c, struct user_quota *q, uint32_t job, int64_t disk,
                          int64_t memory)
{
    struct idmap *jobs = &budget_of(c)->jobs;
    struct job_bytes was = budget_unpack(idmap_get(jobs, job));
    struct job_bytes is = {.disk = budget_sum(was.disk, disk), .memory = budget_sum(was.memory, memory)};
    uint64_t v = (uint64_t)is.memory << 32 | is.disk;
    if (v)
        idmap_set(jobs, job, (void *)(uintptr_t)v);
    else
        idmap_remove(jobs, job);
    if (!q)
        return;
    q->disk_bytes += (uint64_t)is.disk - was.disk;
    q->record_bytes += (uint64_t)is.memory - was.memory;
}

static uint64_t budget_payload_key(uint32_t job, int32_t step)
{
    return (uint64_t)job << 32 | (uint32_t)step;
}

/* Of memory, beside the texts, which are counted with the events. */
static int64_t budget_step_size(const struct step *s)
{
    uint64_t declared = (uint64_t)s->n_tasks * step_task_nodes(s);
    size_t tasks = s->tasks.n ? s->tasks.n : (size_t)declared;
    return (int64_t)(sizeof *s + tasks * sizeof(struct task));
}

static int64_t budget_record_size(const struct job *j)
{
    int64_t n = (int64_t)sizeof *j;
    for (size_t i = 0; i < j->steps.n; i++)
        n += budget_step_size(&j->steps.v[i]);
    return n;
}

/* --- payloads --- */

static struct user_quota *budget_owner(struct control *c, uint32_t job)
{
    const struct job *j = model_get_job(&c->model, job);
    return j ? user_quota_get(c, j->uid) : NULL;
}

void user_budget_add_payload(struct control *c, uint32_t job, int32_t step, size_t n)
{
    struct user_quota *q = budget_owner(c, job);
    if (!q)
        return;
    budget_charge(c, q, job, (int64_t)n + ROW_BYTES, 0);
    if (step >= 0)
        idmap_set(&budget_of(c)->payloads, budget_payload_key(job, step),
                  (void *)(uintptr_t)(n + ROW_BYTES));
}

void user_budget_drop_payload(struct control *c, uint32_t job, int32_t step)
{
    struct user_quota *q = budget_owner(c, job);
    uintptr_t n = (uintptr_t)idmap_remove(&budget_of(c)->payloads, budget_payload_key(job, step));
    if (q && n)
        budget_charge(c, q, job, -(int64_t)n, 0);
}

/* --- events --- */

static void budget_release(struct control *c, uint32_t uid, uint32_t job)
{
    struct job_bytes had = budget_unpack(idmap_get(&budget_of(c)->jobs, job));
    budget_charge(c, user_quota_get(c, uid), job, -(int64_t)had.disk, -(int64_t)had.memory);
}

static void budget_before(struct control *c, struct emission *e)
{
    const struct job *j = e->ev->kind == EV_RETIRE ? e->job : NULL;
    struct idmap *payloads = &budget_of(c)->payloads;
    for (size_t i = 0; j && payloads->n && i < j->steps.n; i++)
        idmap_remove(payloads, budget_payload_key(j->id, j->steps.v[i].id));
}

static void budget_after(struct control *c, const struct emission *e)
{
    uint32_t job = e->ev->job;
    int64_t size = 0;
    if (!job)
        return;
    if (e->ev->kind == EV_RETIRE) {
        budget_release(c, e->uid, job);
        return;
    }
    if (!e->job)
        return;
    struct user_quota *q = user_quota_get(c, e->uid);
    if (e->ev->kind == EV_SUBMIT)
        size = budget_record_size(e->job);
    else if (e->ev->kind == EV_STEP && e->job->steps.n)
        size = budget_step_size(&e->job->steps.v[e->job->steps.n - 1]);
    budget_charge(c, q, job, (int64_t)e->n + ROW_BYTES, (int64_t)e->n + size);
    if (e->element && e->element != job)
        budget_charge(c, q, e->element, 0, (int64_t)sizeof(struct job) + ELEMENT_BYTES);
}

/* --- the state is read --- */

void user_budget_note_stored(struct control *c, uint32_t job, size_t n)
{
    if (job)
        budget_charge(c, NULL, job, (int64_t)n + ROW_BYTES, (int64_t)n);
}

static void budget_note_payload(void *ctx, uint32_t job, int32_t step, size_t n)
{
    user_budget_add_payload(ctx, job, step, n);
}

/* What was noted of jobs that have left, and will not be noted again. */
static void budget_forget_gone(struct control *c)
{
    VEC(uint32_t) gone = VEC_INIT;
    idmap_for_each (&budget_of(c)->jobs, slot)
        if (!model_get_job(&c->model, (uint32_t)slot->id))
            vec_push(&gone, (uint32_t)slot->id);
    vec_for_each (&gone, i)
        idmap_remove(&budget_of(c)->jobs, gone.v[i]);
    vec_fini(&gone);
}

static void budget_loaded(struct control *c)
{
    budget_forget_gone(c);
    user_quota_clear_bytes(c);
    list_for_each (j, &c->model.all, struct job, in_all) {
        struct user_quota *q = user_quota_get(c, j->uid);
        struct job_bytes had = budget_unpack(idmap_get(&budget_of(c)->jobs, j->id));
        q->disk_bytes += had.disk;
        q->record_bytes += had.memory;
        budget_charge(c, q, j->id, 0, budget_record_size(j));
    }
    store_each_payload(c->store, budget_note_payload, c);
}

static void budget_reset(struct control *c)
{
    idmap_fini(&budget_of(c)->jobs);
    idmap_fini(&budget_of(c)->payloads);
}

/* --- limits --- */

/* In MiB; 0: none. */
static uint64_t budget_disk_most(const struct control *c)
{
    uint64_t mib = c->model.spec.user_disk_mib, disk = shortage_disk_mib(c) / DISK_PART;
    if (mib)
        return mib == UINT64_MAX ? 0 : mib;
    return disk && disk < DISK_MOST_MIB ? disk : DISK_MOST_MIB;
}

static bool budget_is_over(uint64_t bytes, uint64_t most_mib)
{
    return most_mib && bytes >> 20 >= most_mib;
}

bool user_budget_is_spent(const struct control *c, const struct user_quota *q, struct cause *why)
{
    uint64_t disk = budget_disk_most(c), records = c->model.spec.user_records_mib;
    if (budget_is_over(q->record_bytes, records))
        *why = (struct cause){.code = CAUSE_USER_BYTES,
                              .name = xstrdup("user_records"),
                              .used = q->record_bytes >> 20,
                              .most = records};
    else if (budget_is_over(q->disk_bytes, disk))
        *why = (struct cause){.code = CAUSE_USER_BYTES,
                              .name = xstrdup("user_disk"),
                              .used = q->disk_bytes >> 20,
                              .most = disk};
    return why->code != CAUSE_NONE;
}

void user_budget_warn(struct control *c, struct user_quota *q)
{
    uint64_t disk = budget_disk_most(c), records = c->model.spec.user_records_mib;
    bool much = budget_is_over(q->record_bytes, records * ALARM_OF_TENTH / 10) ||
                budget_is_over(q->disk_bytes, disk * ALARM_OF_TENTH / 10);
    struct mono now = loop_now(c->loop);
    if (!much || q->is_admin || (q->told_bytes.ns && now.ns - q->told_bytes.ns < ALARM_NS))
        return;
    q->told_bytes = now;
    log_warn("uid=%u its jobs take %llu MiB of memory (user_records: %llu) and %llu MiB of the disk "
             "(user_disk: %llu)",
             q->uid, (unsigned long long)(q->record_bytes >> 20), (unsigned long long)records,
             (unsigned long long)(q->disk_bytes >> 20), (unsigned long long)disk);
}

static void budget_start(struct control *c)
{
    c->state[MODULE_BUDGET] = xcalloc(1, sizeof(struct user_budget));
}

static void budget_stop(struct control *c)
{
    budget_reset(c);
    free(budget_of(c));
}

const struct module_ops user_budget_module = {.start = budget_start,
                                              .stop = budget_stop,
                                              .before = budget_before,
                                              .after = budget_after,
                                              .loaded = budget_loaded,
                                              .reset = budget_reset};
