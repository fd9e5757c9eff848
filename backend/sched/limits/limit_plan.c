/* limit_plan.c - hard limits and licences over time. */
#include "backend/sched/limits/limit_plan.h"

#include <math.h>
#include <stdlib.h>

#include "backend/sched/limits/licence.h"
#include "backend/sched/limits/limit_usage_internal.h"

#define PLENTY    (INT64_MAX / 4) /* of what is not limited */
#define STEPS_MAX 4096            /* a counter with more of them does not note what is planned */

struct counter_change {
    int64_t t;
    struct amount sizes, counts;
};

struct counter_timeline { /* of a counter, or of a licence */
    struct timeline sizes,
        counts; /* what is left of CPUs, memory, GPUs; of running jobs, nodes, licences */
    VEC(struct counter_change) ends; /* of what runs, until it is sealed */
    int64_t last_end;
    bool made;
};

struct limit_plan {
    const struct limits *l;
    const struct model *m;
    struct counter_timeline *lines; /* of the counters, then of the licences */
    size_t n_counters, n;
    int64_t now;
};

static int64_t limit_plan_whole(uint64_t n)
{
    return n > (uint64_t)PLENTY ? PLENTY : (int64_t)n;
}

static struct amount limit_plan_sizes_of(const struct limit_amounts *a)
{
    return (struct amount){limit_plan_whole(a->of[LIMIT_OF_CPUS]), limit_plan_whole(a->of[LIMIT_OF_MEMORY]),
                           limit_plan_whole(a->of[LIMIT_OF_GPUS])};
}

static struct amount limit_plan_counts_of(const struct limit_amounts *a)
{
    return (struct amount){limit_plan_whole(a->of[LIMIT_OF_RUNNING]),
                           limit_plan_whole(a->of[LIMIT_OF_NODES]), 0};
}

/* What is not asked for breaks nothing, however much of it is held. */
static struct amount limit_plan_asked(struct amount a)
{
    return (struct amount){a.cpus ? a.cpus : -PLENTY, a.mem_mib ? a.mem_mib : -PLENTY,
                           a.gpus ? a.gpus : -PLENTY};
}

struct limit_plan *limit_plan_new(const struct limits *l, const struct model *m)
{
    if (!limits_any(l) && !m->spec.licenses.n)
        return NULL;
    struct limit_plan *lp = xcalloc(1, sizeof *lp);
    *lp = (struct limit_plan){.l = l, .m = m, .n_counters = l ? l->counters.n : 0};
    lp->n = lp->n_counters + m->spec.licenses.n;
    lp->lines = xcalloc(lp->n ? lp->n : 1, sizeof *lp->lines);
    return lp;
}

void limit_plan_free(struct limit_plan *lp)
{
    if (!lp)
        return;
    for (size_t i = 0; i < lp->n; i++) {
        vec_fini(&lp->lines[i].ends);
        if (!lp->lines[i].made)
            continue;
        timeline_fini(&lp->lines[i].sizes);
        timeline_fini(&lp->lines[i].counts);
    }
    free(lp->lines);
    free(lp);
}

/* --- which lines --- */

/* Calls back for each line that concerns it, with what it takes there. */
struct limit_plan_visit {
    const struct limit_plan *lp;
    void (*fn)(const struct limit_plan_visit *e, struct counter_timeline *line,
               const struct limit_spec *spec, struct amount sizes, struct amount counts);
    int64_t from, len;
    uint64_t gpu_minutes;
    int64_t *ret;
    const struct limit_verdict *only; /* only its counter; NULL: all */
};

static bool limit_plan_is_visited(const struct limit_plan_visit *e, const struct limit_counter *c)
{
    const struct limit_verdict *v = e->only;
    return !v || (&e->lp->l->specs[c->spec] == v->spec && str_eq(c->name, v->name));
}

static void limit_plan_each_counter(const struct limit_plan_visit *e, uint32_t who,
                                    const struct limit_amounts *a)
{
    const struct limits *l = e->lp->l;
    if (!limits_any(l) || who >= l->whos.n)
        return;
    const struct limit_who *w = &l->whos.v[who];
    vec_for_each (&w->counters, i) {
        uint32_t at = w->counters.v[i];
        if (at < e->lp->n_counters && limit_plan_is_visited(e, &l->counters.v[at]))
            e->fn(e, &e->lp->lines[at], &l->specs[l->counters.v[at].spec], limit_plan_sizes_of(a),
                  limit_plan_counts_of(a));
    }
}

static void limit_plan_each_licence(const struct limit_plan_visit *e, const char *text)
{
    struct licence_list list;
    if (str_is_empty(text) || licence_parse(e->lp->m, text, &list, NULL) < 0)
        return;
    vec_for_each (&list.v, i) {
        size_t at = e->lp->n_counters + (size_t)(list.v.v[i].spec - e->lp->m->spec.licenses.v);
        e->fn(e, &e->lp->lines[at], NULL, (struct amount){0}, (struct amount){.gpus = list.v.v[i].count});
    }
    licence_fini(&list);
}

/* --- what runs --- */

static void limit_plan_add_end(const struct limit_plan_visit *e, struct counter_timeline *line,
                               const struct limit_spec *spec, struct amount sizes, struct amount counts)
{
    (void)spec;
    vec_push(&line->ends, (struct counter_change){e->from, sizes, counts});
    line->last_end = e->from > line->last_end ? e->from : line->last_end;
}

void limit_plan_run(struct limit_plan *lp, const struct job *j, int64_t end)
{
    if (!lp)
        return;
    struct limit_plan_visit e = {.lp = lp, .fn = limit_plan_add_end, .from = end};
    const struct limit_charge *c = limits_any(lp->l) ? idmap_get(&lp->l->charges, j->id) : NULL;
    if (c)
        limit_plan_each_counter(&e, c->who, &c->amounts);
    limit_plan_each_licence(&e, req_detail(&j->req)->licenses);
}

void limit_plan_start(struct limit_plan *lp, const struct limit_request *request, const char *licences,
                      int64_t end)
{
    struct limit_amounts a;
    if (!lp)
        return;
    struct limit_plan_visit e = {.lp = lp, .fn = limit_plan_add_end, .from = end};
    limits_amounts(request, &a);
    limit_plan_each_counter(&e, request->who, &a);
    limit_plan_each_licence(&e, licences);
}

static int limit_plan_by_time(const void *pa, const void *pb)
{
    const struct counter_change *a = pa, *b = pb;
    return a->t < b->t ? -1 : a->t > b->t;
}

static int64_t limit_plan_most_of(const struct limit_spec *s, enum limit_what what)
{
    uint64_t most = s ? limits_most(&s->hard, what) : LIMIT_NONE;
    return most == LIMIT_NONE ? PLENTY : limit_plan_whole(most);
}

static void limit_plan_make_line(struct counter_timeline *line, struct amount sizes, struct amount counts)
{
    vec_for_each (&line->ends, i) {
        sizes = amount_minus(sizes, line->ends.v[i].sizes);
        counts = amount_minus(counts, line->ends.v[i].counts);
    }
    timeline_init(&line->sizes, sizes);
    timeline_init(&line->counts, counts);
    if (line->ends.n)
        qsort(line->ends.v, line->ends.n, sizeof *line->ends.v, limit_plan_by_time);
    for (size_t i = 0; i < line->ends.n && line->ends.v[i].t != WHEN_NEVER;) {
        int64_t t = line->ends.v[i].t;
        for (; i < line->ends.n && line->ends.v[i].t == t; i++) {
            sizes = amount_plus(sizes, line->ends.v[i].sizes);
            counts = amount_plus(counts, line->ends.v[i].counts);
        }
        timeline_append(&line->sizes, t, sizes);
        timeline_append(&line->counts, t, counts);
    }
    vec_fini(&line->ends);
    line->made = true;
}

void limit_plan_seal(struct limit_plan *lp, int64_t now)
{
    for (size_t i = 0; lp && i < lp->n; i++) {
        bool counter = i < lp->n_counters;
        const struct limit_spec *s = counter ? &lp->l->specs[lp->l->counters.v[i].spec] : NULL;
        int64_t licences = counter ? 0 : (int64_t)lp->m->spec.licenses.v[i - lp->n_counters].count;
        limit_plan_make_line(&lp->lines[i],
                             (struct amount){limit_plan_most_of(s, LIMIT_OF_CPUS),
                                             limit_plan_most_of(s, LIMIT_OF_MEMORY),
                                             limit_plan_most_of(s, LIMIT_OF_GPUS)},
                             (struct amount){limit_plan_most_of(s, LIMIT_OF_RUNNING),
                                             limit_plan_most_of(s, LIMIT_OF_NODES), licences});
    }
    if (lp)
        lp->now = now;
}

/* --- when --- */

/* By when GPU minutes have faded so far that this many more are within the limit. */
static int64_t limit_plan_faded_by(const struct limit_plan *lp, const struct counter_timeline *line,
                                   const struct limit_spec *spec, uint64_t more, int64_t from)
{
    const struct limit_counter *c = &lp->l->counters.v[line - lp->lines];
    uint64_t most = limits_most(&spec->hard, LIMIT_OF_GPU_MINUTES);
    uint32_t half_life_s = lp->m->spec.priority.decay_half_life_s;
    if (!more || most == LIMIT_NONE)
        return from;
    if (more > most)
        return WHEN_NEVER;
    double used = (double)c->used.of[LIMIT_OF_GPU_MINUTES] + (double)c->charged_gpu_minutes;
    double left = (double)(most - more);
    if (used <= left)
        return from;
    if (!half_life_s || left < 1 || line->last_end == WHEN_NEVER)
        return WHEN_NEVER;
    double ms = (double)half_life_s * MS_PER_S * log2(used / left);
    int64_t begin = line->last_end > lp->now ? line->last_end : lp->now;
    int64_t t = ms < (double)(WHEN_NEVER / 4) ? begin + (int64_t)ms : WHEN_NEVER;
    return t > from ? t : from;
}

static void limit_plan_later(const struct limit_plan_visit *e, struct counter_timeline *line,
                             const struct limit_spec *spec, struct amount sizes, struct amount counts)
{
    int64_t t = *e->ret;
    if (t != WHEN_NEVER)
        t = timeline_next(&line->sizes, t, e->len, limit_plan_asked(sizes));
    if (t != WHEN_NEVER)
        t = timeline_next(&line->counts, t, e->len, limit_plan_asked(counts));
    if (t != WHEN_NEVER && spec)
        t = limit_plan_faded_by(e->lp, line, spec, e->gpu_minutes, t);
    *e->ret = t;
}

/* As the licences are configured now: a job that waits may ask for more than that. */
static bool limit_plan_licences_suffice(const struct limit_plan *lp, const char *text)
{
    struct licence_list list = {VEC_INIT};
    if (str_is_empty(text))
        return true;
    bool suffice = lp && licence_parse(lp->m, text, &list, NULL) == 0;
    licence_fini(&list);
    return suffice;
}

int64_t limit_plan_next(const struct limit_plan *lp, const struct limit_request *request,
                        const char *licences, int64_t from, int64_t len)
{
    int64_t t = from, before;
    struct limit_amounts a;
    if (!limit_plan_licences_suffice(lp, licences))
        return WHEN_NEVER;
    if (!lp)
        return from;
    limits_amounts(request, &a);
    struct limit_plan_visit e = {
        .lp = lp, .fn = limit_plan_later, .len = len, .gpu_minutes = a.of[LIMIT_OF_GPU_MINUTES], .ret = &t};
    do { /* until all of them agree */
        before = t;
        limit_plan_each_counter(&e, request->who, &a);
        limit_plan_each_licence(&e, licences);
    } while (t != before && t != WHEN_NEVER);
    return t;
}

int64_t limit_plan_next_of(const struct limit_plan *lp, const struct limit_request *request,
                           const struct limit_verdict *only, int64_t from, int64_t len)
{
    int64_t t = from, before;
    struct limit_amounts a;
    if (!lp)
        return from;
    limits_amounts(request, &a);
    struct limit_plan_visit e = {.lp = lp,
                                 .fn = limit_plan_later,
                                 .len = len,
                                 .gpu_minutes = a.of[LIMIT_OF_GPU_MINUTES],
                                 .ret = &t,
                                 .only = only};
    do {
        before = t;
        limit_plan_each_counter(&e, request->who, &a);
    } while (t != before && t != WHEN_NEVER);
    return t;
}

static void limit_plan_take_one(const struct limit_plan_visit *e, struct counter_timeline *line,
                                const struct limit_spec *spec, struct amount sizes, struct amount counts)
{
    (void)spec;
    if (line->sizes.n > STEPS_MAX || line->counts.n > STEPS_MAX)
        return;
    timeline_take(&line->sizes, e->from, e->len, sizes);
    timeline_take(&line->counts, e->from, e->len, counts);
}

void limit_plan_take(struct limit_plan *lp, const struct limit_request *request, const char *licences,
                     int64_t from, int64_t to)
{
    struct limit_amounts a;
    if (!lp)
        return;
    struct limit_plan_visit e = {.lp = lp, .fn = limit_plan_take_one, .from = from, .len = to};
    limits_amounts(request, &a);
    limit_plan_each_counter(&e, request->who, &a);
    limit_plan_each_licence(&e, licences);
}
