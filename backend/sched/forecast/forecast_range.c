#include "backend/sched/forecast/forecast_range.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sched/forecast/recent_keys.h"
#include "src/answers/answer_score.h"
#include "src/base/xalloc.h"

REC_DEFINE(learnt_start, LEARNT_START_FIELDS)

#define FLOOR_S   60.0
#define BY_WAIT   0.7 /* exponents of the scale */
#define BY_QUEUE  0.3
#define TIMES     64    /* the latest tellings of a pool that count */
#define NEAR      2.0   /* deviation of the weights, in the logarithm of the wait told */
#define FAR       0.001 /* weight of a sample of a very different wait */
#define STRETCH   0.02  /* quantiles are taken this much further out: those of few samples are too narrow */
#define RATIO_MAX 50.0
#define WAIT_MAX  1e10

struct range_pool {
    struct recent_key recent;
    uint32_t n; /* all samples; the last RANGE_SAMPLES are kept */
    struct range_sample {
        int64_t made_ms;
        float told, ratio; /* told: logarithm of the wait + 1 min */
    } v[RANGE_SAMPLES];
};

struct forecast_ranges {
    struct recent_keys keys; /* of users and names: struct range_pool */
    struct range_pool of_all[SCORE_HORIZONS];
};

struct forecast_ranges *forecast_ranges_new(void)
{
    struct forecast_ranges *r = xcalloc(1, sizeof *r);
    recent_keys_init(&r->keys);
    return r;
}

void forecast_ranges_free(struct forecast_ranges *r)
{
    if (!r)
        return;
    recent_keys_fini(&r->keys);
    free(r);
}

uint64_t forecast_range_key(const struct job *j)
{
    const char *user = j->user ? j->user : "", *name = j->req.name ? j->req.name : "";
    uint64_t h = hash_bytes(user, strlen(user)) * UINT64_C(0x9e3779b97f4a7c15);
    return (h ^ h >> 29) + hash_bytes(name, strlen(name));
}

/* --- learning --- */

static double range_log_wait(double wait_s)
{
    return log((wait_s > 0 ? wait_s : 0) + FLOOR_S);
}

static double range_log_scale(const struct range_ask *a)
{
    return BY_WAIT * range_log_wait(a->told_s) + BY_QUEUE * log(a->waiting + 1.0);
}

static void range_pool_add(struct range_pool *p, const struct range_sample *s)
{
    p->v[p->n++ % RANGE_SAMPLES] = *s;
}

static void range_add(struct forecast_ranges *r, uint64_t key, double told_s, const struct range_sample *s)
{
    range_pool_add(recent_keys_use(&r->keys, key, sizeof(struct range_pool), RANGE_KEYS), s);
    range_pool_add(&r->of_all[score_horizon_of(told_s)], s);
}

void forecast_ranges_learn(struct forecast_ranges *r, const struct range_ask *a, struct wall made,
                           double came_s)
{
    struct range_sample s = {.made_ms = made.ms,
                             .told = (float)range_log_wait(a->told_s),
                             .ratio = (float)(range_log_wait(came_s) - range_log_scale(a))};
    range_add(r, a->key, a->told_s, &s);
}

/* --- asking --- */

static uint32_t range_pool_kept(const struct range_pool *p)
{
    return p->n < RANGE_SAMPLES ? p->n : RANGE_SAMPLES;
}

/* i: 0 is the newest. */
static const struct range_sample *range_pool_at(const struct range_pool *p, uint32_t i)
{
    return &p->v[(p->n - 1 - i) % RANGE_SAMPLES];
}

struct range_weight {
    float ratio;
    double weight;
};

/* Collects the samples of the last TIMES tellings. Returns the number of samples; *ret_times: the number of
 * tellings. */
static uint32_t range_pool_weigh(const struct range_pool *p, double told_s,
                                 struct range_weight ret[RANGE_SAMPLES], uint32_t *ret_times)
{
    uint32_t n = range_pool_kept(p), i = 0, times = 0;
    double told = range_log_wait(told_s);
    while (i < n && times < TIMES) {
        uint32_t end = i + 1;
        while (end < n && range_pool_at(p, end)->made_ms == range_pool_at(p, i)->made_ms)
            end++;
        double each = 1.0 / (end - i);
        for (; i < end; i++) {
            const struct range_sample *s = range_pool_at(p, i);
            double d = ((double)s->told - told) / NEAR;
            ret[i] = (struct range_weight){.ratio = s->ratio, .weight = (exp(-d * d / 2) + FAR) * each};
        }
        times++;
    }
    *ret_times = times;
    return i;
}

static int range_by_ratio(const void *pa, const void *pb)
{
    const struct range_weight *a = pa, *b = pb;
    return (a->ratio > b->ratio) - (a->ratio < b->ratio);
}

/* The weighted quantile: the smallest ratio up to which the weights reach this part of their sum. */
static double range_quantile(const struct range_weight *v, uint32_t n, double part)
{
    double all = 0, sum = 0;
    for (uint32_t i = 0; i < n; i++)
        all += v[i].weight;
    for (uint32_t i = 0; i < n; i++) {
        sum += v[i].weight;
        if (sum >= part * all)
            return (double)v[i].ratio;
    }
    return (double)v[n - 1].ratio;
}

uint32_t forecast_ranges_find(const struct forecast_ranges *r, const struct range_ask *a, bool *ret_has,
                              double *ret_low_s, double *ret_high_s)
{
    const double outside = (1 - SCORE_BAND / 100.0) / 2 - STRETCH;
    struct range_weight v[RANGE_SAMPLES];
    const struct range_pool *own = recent_keys_get(&r->keys, a->key);
    uint32_t times = 0, n = own ? range_pool_weigh(own, a->told_s, v, &times) : 0;
    *ret_has = times >= RANGE_LEAST;
    if (!*ret_has) {
        n = range_pool_weigh(&r->of_all[score_horizon_of(a->told_s)], a->told_s, v, &times);
        *ret_has = n >= RANGE_LEAST_ALL;
    }
    if (!*ret_has)
        return n;
    qsort(v, n, sizeof *v, range_by_ratio);
    double scale = range_log_scale(a);
    double low = exp(range_quantile(v, n, outside) + scale) - FLOOR_S,
           high = exp(range_quantile(v, n, 1 - outside) + scale) - FLOOR_S;
    *ret_low_s = low > 0 ? low : 0;
    *ret_high_s = high > *ret_low_s ? high : *ret_low_s;
    return n;
}

uint32_t forecast_ranges_samples(const struct forecast_ranges *r)
{
    uint32_t n = 0;
    for (size_t h = 0; h < SCORE_HORIZONS; h++)
        n += range_pool_kept(&r->of_all[h]);
    return n;
}

/* --- over restarts --- */

/* The first pool that is saved; pools of older keys are left out. */
static struct list *range_first_saved(const struct forecast_ranges *r)
{
    uint32_t left = RANGE_SAVED;
    struct list *at = r->keys.by_age.prev;
    for (; at != &r->keys.by_age; at = at->prev) {
        uint32_t n = range_pool_kept(container_of(at, struct range_pool, recent.by_age));
        if (n > left)
            break;
        left -= n;
    }
    return at->next;
}

void forecast_ranges_each(const struct forecast_ranges *r,
                          void (*fn)(void *ctx, const struct learnt_start *s), void *ctx)
{
    for (struct list *at = range_first_saved(r); at != &r->keys.by_age; at = at->next) {
        const struct range_pool *p = container_of(at, struct range_pool, recent.by_age);
        for (uint32_t i = range_pool_kept(p); i-- > 0;) {
            const struct range_sample *s = range_pool_at(p, i);
            fn(ctx, &(struct learnt_start){.key = p->recent.key,
                                           .made.ms = s->made_ms,
                                           .told_s = exp((double)s->told) - FLOOR_S,
                                           .ratio = (double)s->ratio});
        }
    }
}

void forecast_ranges_restore(struct forecast_ranges *r, const struct learnt_start *s)
{
    if (!(s->told_s >= -1 && s->told_s <= WAIT_MAX && s->ratio >= -RATIO_MAX && s->ratio <= RATIO_MAX))
        return;
    struct range_sample x = {
        .made_ms = s->made.ms, .told = (float)range_log_wait(s->told_s), .ratio = (float)s->ratio};
    range_add(r, s->key, s->told_s, &x);
}
