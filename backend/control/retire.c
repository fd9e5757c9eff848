/* retire.c - jobs that ended long ago leave the state for the history. */
#include "backend/control/private.h"
#include "src/base/units.h"

#define RETIRE_MS    5000
#define TRIM_MS      60000
#define ENDED_MAX    200000u /* beyond that the oldest go earlier */
#define RETIRE_BATCH 5000    /* in one turn */

/* How many elements each array still has: array -> count. */
static void count_elements(const struct control *c, struct idmap *ret)
{
    list_for_each (j, &c->model.all, struct job, in_all) {
        if (!j->array_job || j->array_job == j->id)
            continue;
        uintptr_t n = (uintptr_t)idmap_get(ret, j->array_job);
        idmap_set(ret, j->array_job, (void *)(n + 1));
    }
}

static void forget_element(struct idmap *elements, uint32_t array)
{
    uintptr_t n = (uintptr_t)idmap_remove(elements, array);
    if (n > 1)
        idmap_set(elements, array, (void *)(n - 1));
}

/* What jobs were charged at their ends is remembered by the events of those ends: before they leave the log
 * the whole table goes in, in the same batch. */
static void save_usage(struct control *c, struct wall now)
{
    uint64_t old = c->model.usage.saved_seq;
    if (!c->model.usage.unsaved)
        return;
    struct ev_usage body;
    usage_save(&c->model, now, &body);
    if (ctl_emit(c, EV_USAGE, 0, &body) == 0 && old)
        store_del_event(c->store, old);
}

/* What is too old leaves the history too; looked at once a minute. */
static void trim_history(struct control *c, struct wall now)
{
    uint32_t keep_s = c->model.spec.history_keep_s;
    if (!keep_s || keep_s == DURATION_UNLIMITED || loop_now(c->loop).ns < c->trim_at.ns)
        return;
    c->trim_at = mono_add_ms(loop_now(c->loop), TRIM_MS);
    store_trim_history(c->store, now.ms - (int64_t)keep_s * MS_PER_S);
}

void ctl_retire(void *ctx)
{
    struct control *c = ctx;
    struct wall now = loop_wall(c->loop);
    trim_history(c, now);
    if (planner_is_deciding(c->planner)) { /* it looks at jobs that it knows */
        loop_timer_set(c->loop, &c->retire, 1);
        return;
    }
    int64_t age_ms = (int64_t)c->model.spec.min_job_age_s * MS_PER_S;
    int n = 0;
    bool counted = false;
    struct idmap elements = {0};
    list_for_each (j, &c->model.ended, struct job, in_queue) {
        int64_t since_ms = wall_is_set(j->t_settled) ? j->t_settled.ms : j->t_end.ms;
        /* An end that lies in the future, after the clock was set back, must not keep all those behind it.
         */
        bool old = since_ms + age_ms <= now.ms || since_ms > now.ms + age_ms;
        if ((!old && c->model.n_ended <= ENDED_MAX) || n >= RETIRE_BATCH || c->read_only)
            break;
        bool is_array = j->array_job == j->id;
        if (is_array && !counted)
            count_elements(c, &elements);
        counted = counted || is_array;
        /* An array's record holds the payload of its elements: it goes last. */
        if (is_array && idmap_get(&elements, j->id))
            continue;
        if (dep_index_names(&c->deps, &c->model, j))
            continue;
        uint32_t array = is_array ? 0 : j->array_job;
        ctl_drop_timer(c, j->id);
        idmap_remove(&c->record_sizes, j->id);
        payload_cache_drop(c->payloads, j->id, STEP_BATCH);
        struct ev_none body = {0};
        if (ctl_emit(c, EV_RETIRE, j->id, &body) < 0)
            continue;
        n++;
        if (array)
            forget_element(&elements, array);
    }
    idmap_fini(&elements);
    if (n)
        save_usage(c, now);
    loop_timer_set(c->loop, &c->retire, n >= RETIRE_BATCH ? 0 : RETIRE_MS);
}
