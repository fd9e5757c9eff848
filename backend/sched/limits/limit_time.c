/* limit_time.c - limits at a future time. */
#include "backend/sched/limits/limit_time.h"

#include "backend/sched/limits/limit_usage_internal.h"

bool limits_share(const struct limits *l, uint32_t who, uint32_t other)
{
    if (who >= l->whos.n || other >= l->whos.n)
        return false;
    const struct limit_who *w = &l->whos.v[who];
    vec_for_each (&w->counters, i)
        if (limits_has_counter(&l->whos.v[other], w->counters.v[i]))
            return true;
    return false;
}

static uint64_t limit_time_plus(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

static void limit_time_add(struct limit_amounts *sum, const struct limit_amounts *a)
{
    for (int k = 0; k < LIMIT_N_WHATS; k++)
        sum->of[k] = limit_time_plus(sum->of[k], a->of[k]);
}

/* GPU minutes that have been charged stay charged. */
static void limit_time_give_back(struct limit_amounts *sum, const struct limit_amounts *a)
{
    for (int k = 0; k < LIMIT_N_WHATS; k++)
        if (k != LIMIT_OF_GPU_MINUTES)
            sum->of[k] -= a->of[k] < sum->of[k] ? a->of[k] : sum->of[k];
}

static void limit_time_give_back_ended(const struct limits *l, const struct limit_counter *c,
                                       const struct limit_future *f, struct limit_amounts *sum)
{
    vec_for_each (&c->whos, i) {
        const struct limit_who *w = &l->whos.v[c->whos.v[i]];
        vec_for_each (&w->running, k) {
            const struct limit_charge *charge = idmap_get(&l->charges, w->running.v[k]);
            if (f->end_of(f->ctx, w->running.v[k]) <= f->t)
                limit_time_give_back(sum, &charge->amounts);
        }
    }
}

static bool limit_time_counts(const struct limits *l, uint32_t who, uint32_t counter)
{
    return who < l->whos.n && limits_has_counter(&l->whos.v[who], counter);
}

static bool limit_time_is_within(const struct limits *l, uint32_t counter,
                                 const struct limit_amounts *asked, const struct limit_future *f,
                                 struct limit_verdict *v)
{
    const struct limit_counter *c = &l->counters.v[counter];
    struct limit_amounts used = c->used, a;
    for (size_t i = 0; i < f->n_planned; i++)
        if (limit_time_counts(l, f->planned[i].who, counter)) {
            limits_amounts(&f->planned[i], &a);
            limit_time_add(&used, &a);
        }
    *v = (struct limit_verdict){.state = LIMIT_OK};
    limits_judge(l, c, &used, asked, v);
    if (v->state != LIMIT_OVER_HARD)
        return true;
    limit_time_give_back_ended(l, c, f, &used);
    for (size_t i = 0; i < f->n_gone; i++)
        if (limit_time_counts(l, f->gone[i].who, counter)) {
            limits_amounts(&f->gone[i], &a);
            limit_time_give_back(&used, &a);
        }
    *v = (struct limit_verdict){.state = LIMIT_OK};
    limits_judge(l, c, &used, asked, v);
    return v->state != LIMIT_OVER_HARD;
}

bool limits_allow_at(const struct limits *l, const struct limit_request *request,
                     const struct limit_future *f, struct limit_verdict *ret)
{
    struct limit_amounts asked;
    if (!limits_any(l) || request->who >= l->whos.n)
        return true;
    limits_amounts(request, &asked);
    const struct limit_who *w = &l->whos.v[request->who];
    vec_for_each (&w->counters, i)
        if (!limit_time_is_within(l, w->counters.v[i], &asked, f, ret))
            return false;
    return true;
}

static void limit_time_add_planner(struct limit_counter *c, uint32_t job, uint64_t stamp)
{
    if (c->planned_in != stamp) {
        c->planned = (struct limit_amounts){{0}};
        vec_clear(&c->planners);
    }
    c->planned_in = stamp;
    c->changes++;
    vec_push(&c->planners, job);
}

void limits_move_plan(struct limits *l, uint32_t who, uint32_t job, uint64_t stamp)
{
    if (!limits_any(l) || who >= l->whos.n)
        return;
    const struct limit_who *w = &l->whos.v[who];
    vec_for_each (&w->counters, i)
        limit_time_add_planner(&l->counters.v[w->counters.v[i]], job, stamp);
}

size_t limits_planners(const struct limits *l, uint32_t who, uint64_t stamp, uint32_t **ret)
{
    VEC(uint32_t) all = VEC_INIT;
    for (size_t i = 0; who < l->whos.n && i < l->whos.v[who].counters.n; i++) {
        const struct limit_counter *c = &l->counters.v[l->whos.v[who].counters.v[i]];
        for (size_t k = 0; c->planned_in == stamp && k < c->planners.n; k++)
            vec_push(&all, c->planners.v[k]);
    }
    *ret = all.v;
    return all.n;
}

void limits_note_plan(struct limits *l, const struct limit_request *request, uint32_t job, uint64_t stamp)
{
    struct limit_amounts a;
    if (!limits_any(l) || request->who >= l->whos.n)
        return;
    limits_amounts(request, &a);
    const struct limit_who *w = &l->whos.v[request->who];
    vec_for_each (&w->counters, i) {
        struct limit_counter *c = &l->counters.v[w->counters.v[i]];
        limit_time_add_planner(c, job, stamp);
        limit_time_add(&c->planned, &a);
    }
}

/* used + planned + asked of one counter; own: asked is already part of planned. */
static bool limit_time_leaves(const struct limits *l, const struct limit_counter *c,
                              const struct limit_amounts *asked, bool own)
{
    struct limit_amounts used = c->used;
    struct limit_verdict v = {.state = LIMIT_OK};
    limit_time_add(&used, &c->planned);
    for (int k = 0; own && k < LIMIT_N_WHATS; k++)
        used.of[k] -= asked->of[k] < used.of[k] ? asked->of[k] : used.of[k];
    limits_judge(l, c, &used, asked, &v);
    return v.state != LIMIT_OVER_HARD;
}

bool limits_leave_plans(const struct limits *l, const struct limit_request *request, uint64_t stamp,
                        bool own)
{
    struct limit_amounts asked;
    if (!limits_any(l) || request->who >= l->whos.n)
        return true;
    limits_amounts(request, &asked);
    const struct limit_who *w = &l->whos.v[request->who];
    vec_for_each (&w->counters, i) {
        const struct limit_counter *c = &l->counters.v[w->counters.v[i]];
        if (c->planned_in == stamp && !limit_time_leaves(l, c, &asked, own))
            return false;
    }
    return true;
}

bool limits_could_ever(const struct limits *l, const struct limit_request *request,
                       struct limit_verdict *ret)
{
    struct limit_verdict v = {.state = LIMIT_OK};
    if (limits_any(l) && request->who < l->whos.n) {
        struct limit_amounts asked, none = {{0}};
        limits_amounts(request, &asked);
        const struct limit_who *w = &l->whos.v[request->who];
        for (size_t i = 0; i < w->counters.n && v.state != LIMIT_OVER_HARD; i++) {
            struct limit_counter c = l->counters.v[w->counters.v[i]];
            c.charged_gpu_minutes = 0; /* the charge decays */
            limits_judge(l, &c, &none, &asked, &v);
        }
    }
    if (ret)
        *ret = v;
    return v.state != LIMIT_OVER_HARD;
}
