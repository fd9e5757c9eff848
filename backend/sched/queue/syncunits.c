/* syncunits.c - what waits: each job is asked at its gate, and stands in the row of its group or is parked.
 */
#include <stdlib.h>

#include "backend/sched/limits/gate.h"
#include "backend/sched/queue/sync_private.h"
#include "src/model/dep.h"

static bool stands_behind(const struct unit *a, const struct unit *b)
{
    if (a->submit_ms != b->submit_ms)
        return a->submit_ms > b->submit_ms;
    return a->order_id != b->order_id ? a->order_id > b->order_id : a->order_index > b->order_index;
}

static void enter_group(struct planner *p, struct unit *u, struct group *g)
{
    struct list *pos = &g->units;
    while (pos->prev != &g->units && stands_behind(container_of(pos->prev, struct unit, in_group), u))
        pos = pos->prev;
    list_insert_before(pos, &u->in_group);
    u->group = g;
    u->vain_mark = 0; /* it asks for something else */
    g->n_units++;
    if (p->reading) /* it is told with its group, and there is a pass over all */
        return;
    vec_push(&p->moved, u->job);
    vec_push(&p->fresh, u->job);
}

void sync_leave_group(struct planner *p, struct unit *u)
{
    struct group *g = u->group;
    heap_remove(&p->wakes, &u->by_wake);
    claims_drop(p, u);
    if (!g)
        return;
    u->group = NULL;
    list_unlink(&u->in_group);
    if (--g->n_units == 0)
        planner_drop_group(p, g);
}

static void remove_unit(struct planner *p, struct unit *u)
{
    p->gained = p->gained || u->hold.use.parts;
    backfill_give_up(&p->backfill, &u->hold);
    sync_leave_group(p, u);
    idmap_remove(&p->units, u->job);
    free(u);
}

const struct step *planner_waiting_step(const struct job *j, uint32_t *ret_tasks)
{
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        *ret_tasks = 0;
        for (size_t k = 0; k < s->tasks.n && !s->done && !s->killing; k++)
            *ret_tasks += s->tasks.v[k].state == TASK_WAITING;
        if (*ret_tasks)
            return s;
    }
    return NULL;
}

/* How much of j waits: 0 when nothing does. */
static uint32_t waiting_count(const struct job *j, const struct step **ret_step)
{
    uint32_t n = 0;
    *ret_step = NULL;
    if (!j)
        return 0;
    if (j->kind == JOB_KIND_STEPS && (j->state == JOB_PENDING || j->state == JOB_RUNNING)) {
        *ret_step = planner_waiting_step(j, &n);
        return *ret_step ? n : 0;
    }
    return j->state == JOB_PENDING ? job_pending_elements(j) : 0;
}

static void park(struct planner *p, struct unit *u, enum reason why, struct wall clears)
{
    p->gained = p->gained || u->hold.use.parts;
    backfill_give_up(&p->backfill, &u->hold);
    if (u->group) /* what it was told was about another turn */
        u->forecast_t = u->first_forecast_t = 0;
    sync_leave_group(p, u);
    u->parked = why;
    vec_push(&p->moved, u->job);
    if (wall_is_set(clears))
        heap_insert(&p->wakes, &u->by_wake, clears.ms);
}

static void look_at_dependencies(const struct planner *p, struct unit *u, const struct job *j)
{
    struct deps d;
    u->by_element = u->singleton = false;
    if (str_is_empty(j->req.dependency) || j->state != JOB_PENDING ||
        dep_parse(j->req.dependency, &d, NULL) < 0)
        return;
    u->singleton = dep_is_singleton(j);
    u->by_element = !j->dep_met && !dep_is_final(p->view->model, j, &d);
    u->is_special = u->is_special || u->singleton || u->by_element;
    deps_fini(&d);
}

static void keep_what_was_told(const struct planner *p, struct unit *u)
{
    const struct unit *was = planner_unit_before(p, u->job);
    if (!was)
        return;
    u->told = was->told;
    u->forecast = was->forecast;
    u->forecast_t = was->forecast_t;
    u->first_forecast = was->first_forecast;
    u->first_forecast_t = was->first_forecast_t;
}

void sync_unit(struct planner *p, uint32_t id, const struct job *j)
{
    const struct step *s;
    struct unit *u = idmap_get(&p->units, id);
    uint32_t n = waiting_count(j, &s);
    if (!n) {
        if (u)
            remove_unit(p, u);
        return;
    }
    if (!u) {
        u = xcalloc(1, sizeof *u);
        u->job = id;
        u->made_way_for = j->state == JOB_PENDING ? job_rare(j)->preempted_by : 0;
        list_init(&u->in_claimers);
        idmap_set(&p->units, id, u);
        keep_what_was_told(p, u);
    }
    u->noted = false;
    u->count = n;
    u->at = 0;
    u->chosen = NULL;
    u->step_at = s ? (uint32_t)(s - j->steps.v) : 0;
    u->task_at = 0;
    u->is_special = j->array_job && (j->req.array_throttle || !job_is_array_record(j));
    look_at_dependencies(p, u, j);
    u->submit_ms = j->t_submit.ms;
    u->order_id = j->array_job ? j->array_job : j->id;
    u->order_index = j->array_index;
    struct wall clears = {0};
    enum reason gate = j->state == JOB_PENDING ? gate_job(p->view, j, p->now, &clears) : REASON_NONE;
    struct group *g = gate == REASON_NONE ? planner_group(p, j, s, &gate) : NULL;
    if (!g) {
        park(p, u, gate, clears);
        return;
    }
    if (g == u->group) /* its place in the row does not change */
        return;
    if (u->group) {
        p->gained = p->gained || u->hold.use.parts;
        backfill_give_up(&p->backfill, &u->hold);
    }
    sync_leave_group(p, u);
    u->parked = REASON_NONE;
    enter_group(p, u, g);
}
