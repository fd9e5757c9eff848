/* limit_check.c - what is charged against the limits, and whether that has changed. */
#include "backend/sched/limits/limit_usage_internal.h"

static uint64_t limits_saturating_add(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_add_overflow(a, b, &r) ? UINT64_MAX : r;
}

void limits_judge(const struct limits *l, const struct limit_counter *c, const struct limit_amounts *used,
                  const struct limit_amounts *asked, struct limit_verdict *v)
{
    const struct limit_spec *spec = &l->specs[c->spec];
    for (uint32_t left = l->limited.v[c->spec]; left; left &= left - 1) {
        enum limit_what k = (enum limit_what)__builtin_ctz(left);
        if (!asked->of[k])
            continue;
        uint64_t held = used->of[k] + (k == LIMIT_OF_GPU_MINUTES ? c->charged_gpu_minutes : 0);
        uint64_t sum = limits_saturating_add(held, asked->of[k]);
        uint64_t hard = limits_most(&spec->hard, k), soft = limits_most(&spec->soft, k);
        bool over_hard = hard != LIMIT_NONE && sum > hard;
        bool over_soft = soft != LIMIT_NONE && sum > soft;
        if (!over_hard && (!over_soft || v->state != LIMIT_OK))
            continue;
        limits_broken(v, over_hard ? LIMIT_OVER_HARD : LIMIT_OVER_SOFT, spec, k, c->name);
        v->used = held;
        v->asked = asked->of[k];
        v->most = over_hard ? hard : soft;
        if (over_hard)
            return;
    }
}

enum limit_state limits_check(const struct limits *l, const struct limit_request *request,
                              struct limit_verdict *ret)
{
    struct limit_verdict v = {.state = LIMIT_OK};
    if (limits_any(l) && request->who < l->whos.n) {
        struct limit_amounts asked;
        limits_amounts(request, &asked);
        const struct limit_who *w = &l->whos.v[request->who];
        for (size_t i = 0; i < w->counters.n && v.state != LIMIT_OVER_HARD; i++) {
            const struct limit_counter *c = &l->counters.v[w->counters.v[i]];
            limits_judge(l, c, &c->used, &asked, &v);
        }
    }
    if (ret)
        *ret = v;
    return v.state;
}

bool limits_next_broken(const struct limits *l, const struct limit_request *request, size_t *at,
                        struct limit_verdict *ret)
{
    if (!limits_any(l) || request->who >= l->whos.n)
        return false;
    struct limit_amounts asked;
    limits_amounts(request, &asked);
    const struct limit_who *w = &l->whos.v[request->who];
    for (; *at < w->counters.n * LIMIT_N_WHATS; ++*at) {
        const struct limit_counter *c = &l->counters.v[w->counters.v[*at / LIMIT_N_WHATS]];
        struct limit_amounts one = {{0}};
        uint32_t what = (uint32_t)(*at % LIMIT_N_WHATS);
        *ret = (struct limit_verdict){.state = LIMIT_OK};
        one.of[what] = asked.of[what];
        if (one.of[what])
            limits_judge(l, c, &c->used, &one, ret);
        if (ret->state != LIMIT_OK && (uint32_t)ret->what == what) {
            ++*at;
            return true;
        }
    }
    return false;
}

uint64_t limits_changes(const struct limits *l)
{
    return l ? l->n_changes : 0;
}

bool limits_changed_since(const struct limits *l, uint32_t who, uint64_t mark)
{
    if (!limits_any(l) || l->n_changes == mark || who >= l->whos.n)
        return false;
    const struct limit_who *w = &l->whos.v[who];
    vec_for_each (&w->counters, i)
        if (l->changed_at.v[w->counters.v[i]] > mark)
            return true;
    return false;
}
