/* sync_pending.c - pending entries: each eligible job is in a class, the others are parked. */
#include <stdlib.h>

#include "backend/sched/limits/limits.h"
#include "backend/sched/queue/queue.h"
#include "src/model/dep.h"
#include "src/model/task_parts.h"

static bool sync_pending_stands_behind(const struct pending_entry *a, const struct pending_entry *b)
{
    if (a->submit_ms != b->submit_ms)
        return a->submit_ms > b->submit_ms;
    return a->order_id != b->order_id ? a->order_id > b->order_id : a->order_index > b->order_index;
}

static void sync_pending_job_class_enter(struct queue *q, struct pending_entry *u, struct job_class *g)
{
    struct list *pos = &g->entries;
    while (pos->prev != &g->entries &&
           sync_pending_stands_behind(container_of(pos->prev, struct pending_entry, in_class), u))
        pos = pos->prev;
    list_insert_before(pos, &u->in_class);
    u->class = g;
    class_note_changed(q, g);
    u->futile.mark = 0; /* it asks for something else */
    g->n_pending++;
    if (q->reading) /* it is reported with its class, and a full cycle follows */
        return;
    vec_push(&q->entries.moved, u->job);
    vec_push(&q->entries.fresh, u->job);
}

void sync_leave_class(struct queue *q, struct pending_entry *u)
{
    struct job_class *g = u->class;
    heap_remove(&q->entries.wakes, &u->by_wake);
    extra_slots_drop(q, u);
    if (!g)
        return;
    u->class = NULL;
    class_note_changed(q, g);
    list_unlink(&u->in_class);
    if (--g->n_pending == 0)
        job_class_drop(q, g);
}

static void sync_pending_remove_unit(struct queue *q, struct pending_entry *u)
{
    q->changes.freed = q->changes.freed || u->slot.use.parts;
    plan_slots_drop(&q->slots, &u->slot);
    sync_leave_class(q, u);
    idmap_remove(&q->entries.by_job, u->job);
    free(u);
}

const struct step *pending_step(const struct job *j, uint32_t *ret_tasks)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        *ret_tasks = s->done || s->killing ? 0 : s->n_waiting_last;
        for (size_t k = step_live_begin(s); k < step_live_end(s) && !s->done && !s->killing; k++)
            *ret_tasks += s->tasks.v[k].state == TASK_WAITING;
        *ret_tasks /= step_task_nodes(s);
        if (*ret_tasks)
            return s;
    }
    /* A job that was not submitted yet has no tasks: it would begin with those of its first step. */
    const struct step *first = j->steps.n ? &j->steps.v[0] : NULL;
    if (!first || first->tasks.n || first->done || j->state != JOB_PENDING)
        return NULL;
    *ret_tasks = first->n_tasks;
    return first;
}

/* How much of j waits: 0 when nothing does. */
static uint32_t sync_pending_waiting_count(const struct job *j, const struct step **ret_step)
{
    uint32_t n = 0;
    *ret_step = NULL;
    if (!j)
        return 0;
    if (j->kind == JOB_KIND_STEPS && (j->state == JOB_PENDING || j->state == JOB_RUNNING)) {
        *ret_step = pending_step(j, &n);
        return *ret_step ? n : 0;
    }
    return j->state == JOB_PENDING ? job_pending_elements(j) : 0;
}

static void sync_pending_park(struct queue *q, struct pending_entry *u, enum reason why, struct wall clears)
{
    q->changes.freed = q->changes.freed || u->slot.use.parts;
    plan_slots_drop(&q->slots, &u->slot);
    if (u->class) /* its forecast was for another request */
        u->forecast = (struct entry_forecast){.first_is_void = true};
    sync_leave_class(q, u);
    u->parked = why;
    vec_push(&q->entries.moved, u->job);
    if (wall_is_set(clears))
        heap_insert(&q->entries.wakes, &u->by_wake, clears.ms);
}

static void sync_pending_look_at_dependencies(const struct queue *q, struct pending_entry *u,
                                              const struct job *j)
{
    struct deps d;
    u->by_element = u->singleton = false;
    if (str_is_empty(j->req.dependency) || j->state != JOB_PENDING ||
        dep_parse(j->req.dependency, &d, NULL) < 0)
        return;
    u->singleton = dep_is_singleton(j);
    u->by_element = !j->dep_met && !dep_is_final(q->view->model, j, &d);
    u->is_special = u->is_special || u->singleton || u->by_element;
    deps_fini(&d);
}

static void sync_pending_keep_what_was_told(const struct queue *q, struct pending_entry *u)
{
    const struct pending_entry *was = queue_entry_before(q, u->job);
    if (!was)
        return;
    u->told = was->told;
    u->forecast = was->forecast;
    u->came = was->came;
}

/* From a time on any nodes will do: what did not fit may fit then. */
static void sync_pending_wake_for_groups(struct queue *q, struct pending_entry *u, struct job_class *g)
{
    const struct demand *d = g->n_choices ? &g->shapes[0]->demand : NULL;
    if (!d || !d->groups_max)
        return;
    heap_remove(&q->entries.wakes, &u->by_wake);
    if (demand_is_in_groups(d, q->now.ms)) {
        heap_insert(&q->entries.wakes, &u->by_wake, d->groups_until);
        return;
    }
    for (uint32_t i = 0; i < g->n_choices; i++)
        g->shapes[i]->unfit = false;
    q->changes.freed = true;
}

/* It stays in its class, but more of it may start than before: a rule of its own has changed. */
static void sync_pending_note_rules(struct queue *q, struct pending_entry *u, const struct job *j)
{
    uint32_t was = u->throttle, now = j->req.array_throttle;
    u->throttle = now;
    if (was && (!now || now > was))
        q->changes.freed = true;
}

void sync_pending(struct queue *q, uint32_t id, const struct job *j)
{
    const struct step *s;
    struct pending_entry *u = idmap_get(&q->entries.by_job, id);
    uint32_t n = sync_pending_waiting_count(j, &s);
    if (!n) {
        if (u)
            sync_pending_remove_unit(q, u);
        return;
    }
    if (!u) {
        u = xcalloc(1, sizeof *u);
        u->job = id;
        u->came = ++q->slots.arrivals;
        u->made_way_for = j->state == JOB_PENDING ? job_rare(j)->preempted_by : 0;
        list_init(&u->extra.link);
        idmap_set(&q->entries.by_job, id, u);
        sync_pending_keep_what_was_told(q, u);
    }
    u->noted = false;
    u->count = n;
    u->at = 0;
    u->chosen = NULL;
    u->step_at = s ? (uint32_t)(s - j->steps.v) : 0;
    u->task_at = 0;
    u->is_special = j->array_job && (j->req.array_throttle || !job_is_array_record(j));
    sync_pending_note_rules(q, u, j);
    sync_pending_look_at_dependencies(q, u, j);
    u->submit_ms = j->t_submit.ms;
    u->order_id = j->array_job ? j->array_job : j->id;
    u->order_index = j->array_index;
    struct wall clears = {0};
    enum reason blocked_by =
        j->state == JOB_PENDING ? eligibility_of_job(q->view, j, q->now, &clears) : REASON_NONE;
    struct job_class *g = blocked_by == REASON_NONE ? job_class_of(q, j, s, &blocked_by) : NULL;
    if (!g) {
        sync_pending_park(q, u, blocked_by, clears);
        return;
    }
    if (g == u->class) { /* its place in the class does not change */
        sync_pending_wake_for_groups(q, u, g);
        class_note_changed(q, g);
        return;
    }
    if (u->class) {
        q->changes.freed = q->changes.freed || u->slot.use.parts;
        plan_slots_drop(&q->slots, &u->slot);
        u->came = j->state == JOB_PENDING ? ++q->slots.arrivals : u->came;
    }
    sync_leave_class(q, u);
    u->parked = REASON_NONE;
    sync_pending_job_class_enter(q, u, g);
    sync_pending_wake_for_groups(q, u, g);
}

void extra_slots_drop(struct queue *q, struct pending_entry *u)
{
    for (uint32_t i = 0; i < u->extra.n; i++) {
        plan_slots_note_freed_all(&q->slots, &u->extra.v[i].use);
        pool_drop(&q->pool, &u->extra.v[i].use);
        q->slots.n_dropped++;
    }
    free(u->extra.v);
    u->extra.v = NULL;
    u->extra.n = 0;
    list_unlink(&u->extra.link);
}
