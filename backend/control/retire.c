#include "backend/control/retire.h"

#include <stdlib.h>

#include "backend/control/eligibility_watch.h"
#include "backend/control/emit.h"
#include "backend/control/payload_cache.h"
#include "backend/control/shortage.h"
#include "src/values/units.h"

#define RETIRE_MS    5000
#define TRIM_MS      60000
#define ENDED_MAX    200000u /* beyond this the oldest go earlier */
#define RETIRE_BATCH 5000    /* in one loop iteration */

#define FIRST_RETIRE_MS 1000

#define HISTORY_PART    2 /* half of the disk, where history_size is "auto" */
#define HISTORY_MIB_MAX (UINT64_C(1) << 40)

struct retire {
    struct loop_timer timer;
    struct mono trim_at; /* not before: the history is looked through for what is too old */
};

/* How many elements each array still has: array -> count. */
static void retire_count_elements(const struct control *c, struct idmap *ret)
{
    list_for_each (j, &c->model.all, struct job, in_all) {
        if (!j->array_job || j->array_job == j->id)
            continue;
        uintptr_t n = (uintptr_t)idmap_get(ret, j->array_job);
        idmap_set(ret, j->array_job, (void *)(n + 1));
    }
}

static void retire_forget_element(struct idmap *elements, uint32_t array)
{
    uintptr_t n = (uintptr_t)idmap_remove(elements, array);
    if (n > 1)
        idmap_set(elements, array, (void *)(n - 1));
}

/* The events of their ends record what jobs were charged. Before those events leave the log the whole table
 * of usage goes in, in the same batch. */
static void retire_save_usage(struct control *c, struct wall now)
{
    uint64_t old = c->model.usage.saved_seq;
    if (!c->model.usage.unsaved)
        return;
    struct ev_usage body;
    usage_save(&c->model, now, &body);
    if (ctl_emit(c, EV_USAGE, 0, &body) == 0 && old)
        store_del_event(c->store, old);
}

/* Jobs that are too old leave the history too, or the oldest where it is too large; looked at once a
 * minute. */
static void retire_trim_history(struct control *c, struct wall now)
{
    struct retire *r = c->state[MODULE_RETIRE];
    uint32_t keep_s = c->model.spec.history_keep_s;
    uint64_t keep_mib = c->model.spec.history_size_mib;
    if (loop_now(c->loop).ns < r->trim_at.ns || c->read_only)
        return;
    r->trim_at = mono_add_ms(loop_now(c->loop), TRIM_MS);
    if (keep_s && keep_s != DURATION_UNLIMITED)
        store_trim_history(c->store, now.ms - (int64_t)keep_s * MS_PER_S);
    keep_mib = keep_mib ? keep_mib : shortage_disk_mib(c) / HISTORY_PART;
    if (keep_mib && keep_mib <= HISTORY_MIB_MAX)
        store_trim_history_to(c->store, (int64_t)(keep_mib << 20));
}

static void retire_run(void *ctx)
{
    struct control *c = ctx;
    struct retire *r = c->state[MODULE_RETIRE];
    struct wall now = loop_wall(c->loop);
    retire_trim_history(c, now);
    if (planner_is_in_cycle(c->planner)) { /* the cycle holds pointers to jobs */
        loop_timer_set(c->loop, &r->timer, 1);
        return;
    }
    int64_t age_ms = (int64_t)c->model.spec.min_job_age_s * MS_PER_S;
    int n = 0;
    bool counted = false;
    struct cause why = {0};
    bool is_short = shortage_is(c, &why); /* then ended jobs make room at once */
    struct idmap elements = {0};
    list_for_each (j, &c->model.ended, struct job, in_queue) {
        int64_t since_ms = wall_is_set(j->t_settled) ? j->t_settled.ms : j->t_end.ms;
        /* An end in the future, after the clock was set back, must not keep all jobs behind it. */
        bool old = is_short || since_ms + age_ms <= now.ms || since_ms > now.ms + age_ms;
        if ((!old && c->model.n_ended <= ENDED_MAX) || n >= RETIRE_BATCH || c->read_only)
            break;
        bool is_array = j->array_job == j->id;
        if (is_array && !counted)
            retire_count_elements(c, &elements);
        counted = counted || is_array;
        /* An array's record holds the payload of its elements: it goes last. */
        if (is_array && idmap_get(&elements, j->id))
            continue;
        if (eligibility_watch_names(c, j))
            continue;
        uint32_t array = is_array ? 0 : j->array_job;
        payload_cache_drop(c->payloads, j->id, STEP_BATCH);
        struct ev_none body = {0};
        if (ctl_emit(c, EV_RETIRE, j->id, &body) < 0)
            continue;
        n++;
        if (array)
            retire_forget_element(&elements, array);
    }
    idmap_fini(&elements);
    if (n)
        retire_save_usage(c, now);
    loop_timer_set(c->loop, &r->timer, n >= RETIRE_BATCH ? 0 : RETIRE_MS);
}

static void retire_start(struct control *c)
{
    struct retire *r = c->state[MODULE_RETIRE] = xcalloc(1, sizeof *r);
    r->timer = (struct loop_timer){.fn = retire_run, .ctx = c};
}

static void retire_stop(struct control *c)
{
    struct retire *r = c->state[MODULE_RETIRE];
    loop_timer_cancel(c->loop, &r->timer);
    free(r);
}

static void retire_serving(struct control *c)
{
    struct retire *r = c->state[MODULE_RETIRE];
    loop_timer_set(c->loop, &r->timer, FIRST_RETIRE_MS);
}

const struct module_ops retire_module = {
    .start = retire_start, .stop = retire_stop, .serving = retire_serving};
