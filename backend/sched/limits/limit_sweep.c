/* limit_sweep.c - one amount over time: what is used now, the changes, and the times asked about. */
#include "backend/sched/limits/limit_sweep.h"

#include <stdlib.h>

#include "backend/sched/limits/limit_usage_internal.h"

#define AMOUNT_MAX (INT64_C(1) << 48) /* more than any limit: the GPU minutes of a job without a limit */

struct sweep_change {
    int64_t t, by;
};

struct sweep_level {
    VEC(struct sweep_change) changes;
    int64_t now, most; /* what is used now, and with the request; the most that may be used */
};

static int64_t sweep_clamp(uint64_t n)
{
    return n < (uint64_t)AMOUNT_MAX ? (int64_t)n : AMOUNT_MAX;
}

static void sweep_change(struct sweep_level *v, int64_t t, int64_t by)
{
    if (by)
        vec_push(&v->changes, ((struct sweep_change){t, by}));
}

static int sweep_by_change(const void *pa, const void *pb)
{
    const struct sweep_change *a = pa, *b = pb;
    return a->t < b->t ? -1 : a->t > b->t;
}

static int sweep_by_time(const void *pa, const void *pb)
{
    const struct sweep_time *a = pa, *b = pb;
    return a->t < b->t ? -1 : a->t > b->t;
}

void limit_sweep_order(struct limit_sweep *s)
{
    if (s->times.n)
        qsort(s->times.v, s->times.n, sizeof *s->times.v, sweep_by_time);
}

void limit_sweep_fini(struct limit_sweep *s)
{
    vec_fini(&s->times);
    vec_fini(&s->planned);
    vec_fini(&s->gone);
}

static size_t sweep_first_over(const struct limit_sweep *s, struct sweep_level *v)
{
    size_t at = 0, first = SIZE_MAX;
    int64_t level = v->now;
    if (v->changes.n)
        qsort(v->changes.v, v->changes.n, sizeof *v->changes.v, sweep_by_change);
    vec_for_each (&s->times, i) {
        for (; at < v->changes.n && v->changes.v[at].t <= s->times.v[i].t; at++)
            level += v->changes.v[at].by;
        if (level > v->most && s->times.v[i].nth < first)
            first = s->times.v[i].nth;
    }
    return first;
}

/* --- limits --- */

static bool sweep_counts(const struct limits *l, const struct limit_request *request, uint32_t counter)
{
    return request->who < l->whos.n && limits_has_counter(&l->whos.v[request->who], counter);
}

static int64_t sweep_amount(const struct limit_request *request, enum limit_what what)
{
    struct limit_amounts a;
    limits_amounts(request, &a);
    return sweep_clamp(a.of[what]);
}

/* Adds the planned starts. Returns whether all of them together would break the limit. */
static bool sweep_add_planned(const struct limit_sweep *s, const struct limits *l, uint32_t counter,
                              enum limit_what what, struct sweep_level *v)
{
    int64_t sum = v->now;
    vec_for_each (&s->planned, i) {
        const struct sweep_use *u = &s->planned.v[i];
        if (!sweep_counts(l, &u->request, counter))
            continue;
        int64_t by = sweep_amount(&u->request, what);
        sum += by;
        sweep_change(v, u->start, by);
        sweep_change(v, u->end, -by);
    }
    return sum > v->most;
}

/* What has ended by then; GPU minutes that have been charged stay charged. */
static void sweep_add_ends(const struct limit_sweep *s, const struct limits *l, uint32_t counter,
                           enum limit_what what, struct sweep_level *v)
{
    const struct limit_counter *c = &l->counters.v[counter];
    if (what == LIMIT_OF_GPU_MINUTES)
        return;
    vec_for_each (&c->whos, i) {
        const struct limit_who *w = &l->whos.v[c->whos.v[i]];
        vec_for_each (&w->running, k) {
            const struct limit_charge *charge = idmap_get(&l->charges, w->running.v[k]);
            sweep_change(v, s->end_of(s->ctx, w->running.v[k]), -sweep_clamp(charge->amounts.of[what]));
        }
    }
    vec_for_each (&s->gone, i)
        if (s->gone.v[i].limited && sweep_counts(l, &s->gone.v[i].request, counter))
            sweep_change(v, s->gone.v[i].end, -sweep_amount(&s->gone.v[i].request, what));
}

static size_t sweep_counter(const struct limit_sweep *s, const struct limits *l, uint32_t counter,
                            const struct limit_amounts *asked)
{
    const struct limit_counter *c = &l->counters.v[counter];
    const struct limit_spec *spec = &l->specs[c->spec];
    struct sweep_level v = {.changes = VEC_INIT};
    size_t first = SIZE_MAX;
    for (enum limit_what k = 0; k < LIMIT_OF_ARRAY_SIZE; k++) {
        uint64_t hard = limits_most(&spec->hard, k);
        if (!asked->of[k] || hard == LIMIT_NONE)
            continue;
        vec_clear(&v.changes);
        v.most = sweep_clamp(hard);
        v.now = sweep_clamp(c->used.of[k]) + sweep_clamp(asked->of[k]) +
                (k == LIMIT_OF_GPU_MINUTES ? sweep_clamp(c->charged_gpu_minutes) : 0);
        if (!sweep_add_planned(s, l, counter, k, &v))
            continue;
        sweep_add_ends(s, l, counter, k, &v);
        size_t at = sweep_first_over(s, &v);
        first = at < first ? at : first;
    }
    vec_fini(&v.changes);
    return first;
}

size_t limit_sweep_refused(const struct limit_sweep *s, const struct limits *l,
                           const struct limit_request *request)
{
    struct limit_amounts asked;
    size_t first = SIZE_MAX;
    if (!limits_any(l) || request->who >= l->whos.n)
        return first;
    limits_amounts(request, &asked);
    const struct limit_who *w = &l->whos.v[request->who];
    vec_for_each (&w->counters, i) {
        size_t at = sweep_counter(s, l, w->counters.v[i], &asked);
        first = at < first ? at : first;
    }
    return first;
}

/* The largest level at any time. */
static bool sweep_is_ever_over(struct sweep_level *v)
{
    int64_t level = v->now;
    bool over = level > v->most;
    if (v->changes.n)
        qsort(v->changes.v, v->changes.n, sizeof *v->changes.v, sweep_by_change);
    for (size_t i = 0; i < v->changes.n && !over; i++) {
        level += v->changes.v[i].by;
        bool last = i + 1 == v->changes.n || v->changes.v[i + 1].t != v->changes.v[i].t;
        over = last && level > v->most;
    }
    return over;
}

bool limit_sweep_fits(const struct limit_sweep *s, const struct limits *l, uint32_t counter)
{
    const struct limit_counter *c = &l->counters.v[counter];
    const struct limit_spec *spec = &l->specs[c->spec];
    struct sweep_level v = {.changes = VEC_INIT};
    bool fits = true;
    for (enum limit_what k = 0; k < LIMIT_OF_ARRAY_SIZE && fits; k++) {
        uint64_t hard = limits_most(&spec->hard, k);
        if (hard == LIMIT_NONE || k == LIMIT_OF_SUBMITTED)
            continue;
        vec_clear(&v.changes);
        v.most = sweep_clamp(hard);
        v.now = sweep_clamp(c->used.of[k]) +
                (k == LIMIT_OF_GPU_MINUTES ? sweep_clamp(c->charged_gpu_minutes) : 0);
        if (!sweep_add_planned(s, l, counter, k, &v))
            continue;
        sweep_add_ends(s, l, counter, k, &v);
        fits = !sweep_is_ever_over(&v);
    }
    vec_fini(&v.changes);
    return fits;
}

enum limits_plans limits_plans_of(const struct limits *l, uint32_t counter, uint64_t iteration,
                                  const struct limit_judgement *now)
{
    const struct limit_counter *c = &l->counters.v[counter];
    if (c->planned_in != iteration)
        return PLANS_UNKNOWN;
    if (c->plans.stamp != now->stamp || c->plans.changes != c->changes ||
        (!c->plans.fits && c->plans.dropped != now->dropped))
        return PLANS_UNKNOWN;
    return c->plans.fits ? PLANS_FIT : PLANS_DO_NOT_FIT;
}

void limits_set_plans(struct limits *l, uint32_t counter, const struct limit_judgement *now)
{
    l->counters.v[counter].plans = *now;
    l->counters.v[counter].plans.changes = l->counters.v[counter].changes;
}

size_t limits_counters(const struct limits *l, uint32_t who, const uint32_t **ret)
{
    *ret = who < l->whos.n ? l->whos.v[who].counters.v : NULL;
    return who < l->whos.n ? l->whos.v[who].counters.n : 0;
}

size_t limits_planners_of(const struct limits *l, uint32_t counter, uint64_t iteration,
                          const uint32_t **ret)
{
    const struct limit_counter *c = &l->counters.v[counter];
    *ret = c->planners.v;
    return c->planned_in == iteration ? c->planners.n : 0;
}

/* --- licences --- */

static int64_t sweep_licence_count(const struct licence_list *l, const struct license_spec *spec)
{
    if (l)
        vec_for_each (&l->v, i)
            if (l->v.v[i].spec == spec)
                return l->v.v[i].count;
    return 0;
}

static void sweep_add_licences(const struct limit_sweep *s, const struct license_spec *spec,
                               struct sweep_level *v)
{
    vec_for_each (&s->planned, k) {
        int64_t by = sweep_licence_count(s->planned.v[k].licences, spec);
        sweep_change(v, s->planned.v[k].start, by);
        sweep_change(v, s->planned.v[k].end, -by);
    }
    vec_for_each (&s->gone, k)
        sweep_change(v, s->gone.v[k].end, -sweep_licence_count(s->gone.v[k].licences, spec));
}

size_t limit_sweep_licences_refused(const struct limit_sweep *s, const struct model *m,
                                    const struct licence_use *used, const struct licence_list *asked)
{
    size_t first = SIZE_MAX;
    struct sweep_level v = {.changes = VEC_INIT};
    vec_for_each (&asked->v, i) {
        const struct license_spec *spec = asked->v.v[i].spec;
        vec_clear(&v.changes);
        v.most = spec->count;
        v.now = (int64_t)used->used.v[spec - m->spec.licenses.v] + asked->v.v[i].count;
        sweep_add_licences(s, spec, &v);
        size_t at = sweep_first_over(s, &v);
        first = at < first ? at : first;
    }
    vec_fini(&v.changes);
    return first;
}

bool limit_sweep_licences_fit(const struct limit_sweep *s, const struct model *m,
                              const struct licence_use *used)
{
    struct sweep_level v = {.changes = VEC_INIT};
    bool fits = true;
    for (size_t i = 0; i < m->spec.licenses.n && fits; i++) {
        const struct license_spec *spec = &m->spec.licenses.v[i];
        vec_clear(&v.changes);
        v.most = spec->count;
        v.now = used->used.v[i];
        sweep_add_licences(s, spec, &v);
        fits = !sweep_is_ever_over(&v);
    }
    vec_fini(&v.changes);
    return fits;
}
