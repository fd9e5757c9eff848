/* forecast_rows.c - what a forecast plans: the pending entries when it began, in the order of the queue,
 * and the ends of the active jobs.
 */
#include <stdlib.h>

#include "backend/sched/forecast/forecast_internal.h"

/* --- what runs --- */

static void rows_list_ending(struct forecasts *f, uint32_t array_job, struct expected_end e)
{
    if (array_job)
        vec_push(&f->element_runs, (struct element_run){array_job, e.end});
    e.end = forecast_on_grid(f, e.end, true);
    if (f->limits)
        vec_push(&f->expected_ends, e);
}

/* What runs, with its end by its time limit. */
void expected_ends_list(const struct forecaster *p, struct forecasts *f)
{
    list_for_each (r, &p->queue->active.list, struct active_job, link) {
        int64_t end = f->t.ms;
        vec_for_each (&r->v, i)
            end = r->v.v[i]->use.end > end ? r->v.v[i]->use.end : end;
        rows_list_ending(f, r->array_job, (struct expected_end){.job = r->job, .end = end});
    }
    vec_for_each (&p->queue->active.started, i) {
        const struct tentative *t = p->queue->active.started.v[i];
        rows_list_ending(
            f, t->array_job,
            (struct expected_end){.job = t->job, .fresh = true, .request = t->request, .end = t->use.end});
    }
    list_for_each (h, &p->queue->slots.list, struct plan_slot, link) {
        const struct pending_entry *u = container_of(h, struct pending_entry, slot);
        const struct job *j = model_get_job(p->queue->view->model, u->job);
        if (j && j->array_job)
            vec_push(&f->element_runs, (struct element_run){j->array_job, h->use.end});
        for (uint32_t i = 0; j && j->array_job && i < u->extra.n; i++)
            vec_push(&f->element_runs, (struct element_run){j->array_job, u->extra.v[i].use.end});
    }
    element_runs_sort(f);
}

void expected_ends_add(const struct forecaster *p, struct forecasts *f, const struct expected_end *e)
{
    const struct job *j = model_get_job(p->queue->view->model, e->job);
    if (j && e->fresh)
        limit_plan_start(f->limits, &e->request, req_detail(&j->req)->licenses, e->end);
    else if (j)
        limit_plan_run(f->limits, j, e->end);
}

/* --- what waits --- */

/* How many of its elements are planned: none that has a slot; none of an array whose throttle is reached by
 * what other jobs are preempted for. */
static uint32_t rows_count_planned(const struct forecasts *f, const struct pending_entry *u)
{
    if (u->reason == REASON_DEPENDENCY ||
        (u->reason == REASON_ARRAY_LIMIT && !element_runs_has(f, u->order_id)))
        return 0;
    uint32_t held = (u->slot.use.parts != NULL) + u->extra.n;
    return u->count > held ? u->count - held : 0;
}

static bool rows_row_goes_first(const struct forecasts *f, uint32_t a, uint32_t b)
{
    return queue_key_before(&f->rows.v[a].key, &f->rows.v[b].key);
}

void forecast_rows_sink(struct forecasts *f, uint32_t i)
{
    uint32_t *v = f->heap, row = v[i];
    for (uint32_t k; (k = 2 * i + 1) < f->n_heap; i = k) {
        k += k + 1 < f->n_heap && rows_row_goes_first(f, v[k + 1], v[k]);
        if (!rows_row_goes_first(f, v[k], row))
            break;
        v[i] = v[k];
    }
    v[i] = row;
}

/* Age adds to all alike until it is capped: the rest of the priority is the class's. */
void forecast_rows_weigh(const struct forecaster *p, const struct forecasts *f, struct forecast_row *r)
{
    const struct priority_spec *s = &p->queue->view->model->spec.priority;
    const struct forecast_entry *u = &f->waiting.v[r->at];
    double age_ms = (double)(f->t.ms - u->submit_ms - r->eligible_after);
    double most_ms = (double)s->max_age_s * MS_PER_S;
    double part = most_ms <= 0 || age_ms <= 0 ? 0 : age_ms < most_ms ? age_ms / most_ms : 1;
    int64_t sum = r->base + (r->ages ? (int64_t)(part * s->weight_age + 0.5) : 0);
    uint32_t prio = sum < 0 ? 0 : sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    r->key = queue_key_of(r->g, r->tier_at, r->borrow, prio, u->submit_ms, u->order_id, u->order_index);
}

/* Worked out in full if the last cycle does not know it: its age stands still, or it was set. */
static void rows_set_base(struct forecaster *p, const struct job_class *g, uint32_t job,
                          struct forecast_row *r)
{
    r->eligible_after = g->age_delay_ms;
    r->ages = job_class_priority_base(p->queue, g, r->tier_at, &r->base);
    const struct job *j = r->ages ? NULL : model_get_job(p->queue->view->model, job);
    uint32_t partition = g->choices[g->tiers[r->tier_at].first].partition;
    if (j && p->queue->prios.known)
        r->base = prio_of(&p->queue->prios.ctx, j, &p->queue->view->model->spec.parts.v[partition], NULL);
}

static bool rows_could_ever(const struct job_class *g, uint32_t tier_at)
{
    const struct class_tier *e = &g->tiers[tier_at];
    for (uint32_t i = e->first; i < e->first + e->n; i++)
        if (g->shapes[i]->ever != EVER_NO)
            return true;
    return false;
}

static uint32_t rows_throttle_of(const struct forecaster *p, const struct pending_entry *u)
{
    const struct job *j = u->is_special ? queue_job(p->queue, u->job) : NULL;
    const struct job *record = j && j->array_job ? queue_job(p->queue, j->array_job) : NULL;
    return record ? record->req.array_throttle : j && j->array_job ? j->req.array_throttle : 0;
}

static void rows_copy_entry(struct forecaster *p, struct forecasts *f, struct job_class *g,
                            uint32_t tier_at)
{
    struct forecast_row r = {.g = g,
                             .tier_at = tier_at,
                             .at = (uint32_t)f->waiting.n,
                             .borrow = job_class_limit_state(p->queue, g) == LIMIT_OVER_SOFT};
    list_for_each (u, &g->entries, struct pending_entry, in_class) {
        uint32_t count = rows_count_planned(f, u);
        if (u->slot.use.parts)
            forecast_note_first(p, u);
        if (count)
            vec_push(&f->waiting, (struct forecast_entry){.job = u->job,
                                                          .count = count,
                                                          .submit_ms = u->submit_ms,
                                                          .order_id = u->order_id,
                                                          .order_index = u->order_index,
                                                          .throttle = rows_throttle_of(p, u),
                                                          .from = INT64_MIN});
    }
    r.end = (uint32_t)f->waiting.n;
    if (r.at == r.end || g->rest.now == REASON_BAD_CONSTRAINTS) {
        f->waiting.n = r.at;
        return;
    }
    rows_set_base(p, g, f->waiting.v[r.at].job, &r);
    forecast_rows_weigh(p, f, &r);
    vec_push(&f->rows, r);
}

/* It has no row in a tier where it could never run. */
void forecast_rows_copy(struct forecaster *p, struct forecasts *f, struct job_class *g)
{
    for (uint32_t e = 0; e < g->n_tiers; e++)
        if (g->n_tiers == 1 || rows_could_ever(g, e))
            rows_copy_entry(p, f, g, e);
}

void forecast_rows_order(struct forecasts *f)
{
    f->heap = xcalloc(f->rows.n ? f->rows.n : 1, sizeof *f->heap);
    f->n_heap = (uint32_t)f->rows.n;
    for (uint32_t i = 0; i < f->n_heap; i++)
        f->heap[i] = i;
    for (uint32_t i = f->n_heap / 2; i-- > 0;)
        forecast_rows_sink(f, i);
}
