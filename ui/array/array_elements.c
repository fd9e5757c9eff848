/* array_elements.c - the elements of one array. */
#include "ui/array/array_elements.h"

#include <stdlib.h>

#include "src/model/array.h"

void array_elements_fini(struct array_elements *e)
{
    vec_fini(&e->v);
    vec_fini(&e->interrupted);
    *e = (struct array_elements){.id = e->id};
}

/* --- which there are --- */

static void add_range(struct array_elements *e, const struct index_range *r)
{
    uint32_t step = r->step ? r->step : 1;
    for (uint64_t i = r->first; i <= r->last; i += step)
        vec_push(&e->v, (struct array_element){.index = (uint32_t)i, .is = ELEMENT_EARLIER, .gone = true});
}

/* As it was submitted. */
static void list_indices_of(struct array_elements *e, const struct job *j)
{
    struct array_spec spec;
    struct errtext err;
    vec_clear(&e->v);
    if (req_detail(&j->req)->array_spec &&
        array_parse(req_detail(&j->req)->array_spec, ARRAY_SIZE_MAX, &spec, &err) == 0) {
        for (size_t i = 0; i < spec.ranges.n; i++)
            add_range(e, &spec.ranges.v[i]);
        array_spec_fini(&spec);
        return;
    }
    uint32_t step = job_origin(j)->array_step ? job_origin(j)->array_step : 1;
    uint64_t last = job_origin(j)->array_min +
                    (uint64_t)step * (job_origin(j)->array_count ? job_origin(j)->array_count - 1 : 0);
    if (last < ARRAY_SIZE_MAX)
        add_range(e, &(struct index_range){
                         .first = job_origin(j)->array_min, .last = (uint32_t)last, .step = step});
}

size_t array_elements_find(const struct array_elements *e, uint32_t index)
{
    size_t low = 0, high = e->v.n;
    if (index < e->v.n && e->v.v[index].index == index) /* 0-99 */
        return index;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (e->v.v[mid].index < index)
            low = mid + 1;
        else
            high = mid;
    }
    return low < e->v.n && e->v.v[low].index == index ? low : SIZE_MAX;
}

/* --- what they do --- */

static bool started_before(const struct job *a, const struct job *b)
{
    return a->t_start.ms != b->t_start.ms ? a->t_start.ms < b->t_start.ms : a->array_index < b->array_index;
}

static void array_elements_set(struct array_elements *e, size_t at, const struct job *j, bool gone,
                               struct wall now)
{
    struct array_element *x = &e->v.v[at];
    x->job = j;
    x->gone = gone;
    x->is = element_of_state((enum job_state)j->state);
    if (j->restarts && !gone)
        vec_push(&e->interrupted, at);
    if (j->state == JOB_PENDING)
        return;
    x->ran_s = job_run_s(j, now);
    if (wall_is_set(j->t_start) && (!e->first || started_before(j, e->first)))
        e->first = j;
}

static void elements_take_job(struct array_elements *e, const struct job *j, bool gone, struct wall now)
{
    bool split = j->array_job == e->id && j->array_index != ARRAY_NONE;
    size_t at = split ? array_elements_find(e, j->array_index) : SIZE_MAX;
    if (at != SIZE_MAX && !(gone && e->v.v[at].job)) /* what the state says is newer */
        array_elements_set(e, at, j, gone, now);
}

static void take_pending(struct array_elements *e, const struct job *record)
{
    for (size_t i = 0; i < job_rare(record)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(record)->array_pending.v[i];
        uint32_t step = r->step ? r->step : 1;
        for (uint64_t k = r->first; k <= r->last; k += step) {
            size_t at = array_elements_find(e, (uint32_t)k);
            if (at != SIZE_MAX) {
                e->v.v[at].is = ELEMENT_WAITING;
                e->v.v[at].gone = false;
            }
        }
    }
}

/* A walk over all jobs is cheaper than as many look-ups only if most of them are the array's. */
static void take_split(struct array_elements *e, const struct model *m, struct wall now)
{
    if (e->v.n > (m->n_pending + m->n_active + m->n_ended) / 4) {
        list_for_each (j, &m->all, struct job, in_all) { /* a hundred thousand jobs are in no cache */
            __builtin_prefetch(&j_next->t_start);
            __builtin_prefetch(&j_next->rare);
            elements_take_job(e, j, false, now);
        }
        return;
    }
    for (size_t i = 0; i < e->v.n; i++) {
        const struct job *j = model_get_element(m, e->id, e->v.v[i].index);
        if (j && !job_is_array_record(j))
            array_elements_set(e, i, j, false, now);
    }
}

/* The record counts elements that have left the queue by their states and names those that had not
 * succeeded: all others were done. */
static void elements_take_gone(struct array_elements *e, const struct job *record)
{
    const struct job_rare *rare = record ? job_rare(record) : &job_nothing_rare;
    uint32_t counts[ELEMENT_KINDS] = {0}, all = 0;
    if (record)
        element_count_gone(record, counts);
    for (size_t i = 0; i < ELEMENT_KINDS; i++)
        all += counts[i];
    bool only_cancelled = counts[ELEMENT_CANCELLED] && !counts[ELEMENT_FAILED];
    uint32_t gone = 0;
    for (size_t i = 0; i < e->v.n; i++)
        gone += e->v.v[i].gone;
    if (!gone || gone > all) /* an older controller has not counted */
        return;
    for (size_t i = 0; i < e->v.n; i++)
        if (e->v.v[i].gone && !e->v.v[i].job)
            e->v.v[i].is = ELEMENT_DONE;
    for (size_t i = 0; i < rare->array_failed.n; i++)
        for (uint64_t k = rare->array_failed.v[i].first; k <= rare->array_failed.v[i].last; k++) {
            size_t at = array_elements_find(e, (uint32_t)k);
            if (at != SIZE_MAX && e->v.v[at].gone && !e->v.v[at].job) /* which of both is not kept */
                e->v.v[at].is = only_cancelled ? ELEMENT_CANCELLED : ELEMENT_FAILED;
        }
}

static void count_elements(struct array_elements *e)
{
    for (size_t i = 0; i < ELEMENT_KINDS; i++)
        e->counts[i] = 0;
    e->unknown = 0;
    for (size_t i = 0; i < e->v.n; i++) {
        e->counts[e->v.v[i].is]++;
        e->unknown += e->v.v[i].gone && !e->v.v[i].job;
    }
}

static const struct job *find_any(const struct array_elements *e, const struct model *m,
                                  const struct past_view *past)
{
    const struct job *j = model_get_job(m, e->id);
    if (j && j->array_job == e->id)
        return j;
    list_for_each (other, &m->all, struct job, in_all)
        if (other->array_job == e->id)
            return other;
    for (size_t i = 0; i < past->n; i++)
        if (past->jobs[i]->array_job == e->id)
            return past->jobs[i];
    return NULL;
}

void array_elements_fill(struct array_elements *e, const struct model *m, const struct past_view *past,
                         struct wall now)
{
    vec_clear(&e->interrupted);
    vec_clear(&e->v);
    e->record = e->first = NULL;
    e->any = find_any(e, m, past);
    if (!e->any)
        return;
    list_indices_of(e, e->any);
    take_split(e, m, now);
    const struct job *kept = model_get_job(m, e->id);
    e->record = kept && job_is_array_record(kept) ? kept : NULL;
    if (e->record)
        take_pending(e, e->record);
    for (size_t i = 0; i < past->n; i++)
        if (past->jobs[i]->array_job == e->id)
            elements_take_job(e, past->jobs[i], true, now);
    elements_take_gone(e, kept);
    count_elements(e);
}

uint32_t array_elements_throttle(const struct array_elements *e)
{
    const struct job *j = e->record ? e->record : e->any;
    return j ? j->req.array_throttle : 0;
}
