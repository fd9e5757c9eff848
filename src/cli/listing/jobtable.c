/* jobtable.c - jobs as a table for people and as JSON. */
#include "src/cli/listing/jobtable.h"
#include "src/cli/listing/waitreasons.h"
#include "src/record/json.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/cli/ask.h"
#include "src/lang/lang.h"
#include "src/model/jobeffective.h"
#include "src/text/arraytext.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "src/values/units.h"

#define ID_BRACKET 16 /* of an array's pending elements: 4711_[0-199] */

static enum tone state_tone(enum job_state s)
{
    switch (s) {
    case JOB_RUNNING: return TONE_GOOD;
    case JOB_PENDING:
    case JOB_SUSPENDED: return TONE_WAIT;
    case JOB_COMPLETED:
    case JOB_CANCELLED: return TONE_DIM;
    case JOB_FAILED:
    case JOB_TIMEOUT:
    case JOB_NODE_FAIL:
    case JOB_OUT_OF_MEMORY:
    case JOB_DEADLINE: return TONE_BAD;
    case JOB_COMPLETING:
    case JOB_PREEMPTED: return TONE_WARN;
    case JOB_N_STATES: break;
    }
    return TONE_PLAIN;
}

/* 0 has an allocation, 1 waits, 2 is over. */
static int job_class(const struct job *j)
{
    return j->state == JOB_PENDING ? 1 : job_state_is_final((enum job_state)j->state) ? 2 : 0;
}

static int compare_jobs(const void *a, const void *b)
{
    const struct job *x = *(const struct job *const *)a, *y = *(const struct job *const *)b;
    int cx = job_class(x), cy = job_class(y);
    if (cx != cy)
        return cx - cy;
    if (cx == 1 && x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (cx == 2 && x->t_end.ms != y->t_end.ms)
        return x->t_end.ms > y->t_end.ms ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

void job_list_sort(struct job_list *l)
{
    if (l->v.n > 1)
        qsort(l->v.v, l->v.n, sizeof l->v.v[0], compare_jobs);
}

static const struct table_col columns[] = {
    {.title = N_("JOB"), .max = 24},
    {.title = N_("NAME"), .max = 40, .flex = 8},
    {.title = N_("USER"), .max = 16, .flex = 6, .drop = 2},
    {.title = N_("PARTITION"), .max = 16, .flex = 4, .drop = 3},
    {.title = N_("STATE"), .max = 24},
    {.title = N_("TIME"), .right = true},
    {.title = N_("LIMIT"), .right = true, .drop = 4},
    {.title = N_("CPUS"), .right = true},
    {.title = N_("GPUS"), .right = true},
    {.title = N_("WHERE OR WHY"), .flex = 16},
};

/* A waiting job's time is how long it has waited, an ended one's how long it ran. */
static uint32_t job_time_s(const struct job *j, struct wall now)
{
    return j->state == JOB_PENDING ? (uint32_t)wall_elapsed_s(j->t_submit, now) : job_run_s(j, now);
}

static void append_where(struct str *out, const struct job *j, const struct waits *waits)
{
    char iso[WALL_TEXT_SIZE];
    if (job_class(j) == 0)
        jobtext_nodes(out, j);
    else if (!waits && j->state == JOB_PENDING && j->hold == HOLD_NONE && j->reason == REASON_BEGIN_TIME &&
             wall_is_set(req_detail(&j->req)->begin))
        str_appendf(out, tr("not before %s"), wall_format_iso(req_detail(&j->req)->begin, iso));
    else if (j->state == JOB_PENDING)
        waits_append(out, waits, j);
    else
        jobtext_reason_words(out, j);
    if (!out->len && job_class(j) == 2)
        jobtext_nodes(out, j);
}

static void jobtable_add_job(struct texttable *t, const struct job *j, const struct job_cx *cx,
                             const struct waits *waits)
{
    struct str s = STR_INIT;
    char buf[UNITS_TEXT_SIZE];
    enum tone tone = state_tone((enum job_state)j->state);
    uint32_t gpus = job_gpus(j);
    jobtext_id(&s, j, ID_BRACKET);
    texttable_add(t, TONE_PLAIN, s.s);
    texttable_add(t, TONE_PLAIN, j->req.name);
    texttable_add(t, TONE_PLAIN, j->user);
    texttable_add(t, TONE_PLAIN, job_partition_text(j));
    texttable_addf(t, tone, "%c %s", job_glyph(j), job_state_word((enum job_state)j->state));
    texttable_add(t, TONE_PLAIN, duration_format(job_time_s(j, cx->now), buf));
    uint32_t limit = job_limit_s(j, cx->m);
    texttable_add(t, TONE_PLAIN, limit >= DURATION_NOT_SET ? "-" : duration_format(limit, buf));
    texttable_addf(t, TONE_PLAIN, "%u", job_cpus(j));
    if (gpus)
        texttable_addf(t, TONE_PLAIN, "%u", gpus);
    else
        texttable_add(t, TONE_DIM, "-");
    str_clear(&s);
    append_where(&s, j, waits);
    texttable_add(t, TONE_PLAIN, s.s);
    str_fini(&s);
}

/* --- arrays --- */

struct folded_array {
    const struct job *first; /* in the order of the list */
    const struct job *waits; /* the first one that waits, or NULL */
    struct wall start;       /* of the element that runs longest */
    uint32_t counts[ELEMENT_KINDS], lines, cpus, gpus;
};

struct folded_arrays {
    VEC(struct folded_array) v;
    struct idmap by_id; /* 1 + place in v */
};

static struct folded_array *folded_get(const struct folded_arrays *f, const struct job *j)
{
    uintptr_t at = (uintptr_t)idmap_get(&f->by_id, j->array_job);
    return at ? &f->v.v[at - 1] : NULL;
}

static void fold_job(struct folded_arrays *f, const struct job *j, bool ended_too)
{
    struct folded_array *a = folded_get(f, j);
    if (!a) {
        vec_push(&f->v, (struct folded_array){.first = j});
        a = &f->v.v[f->v.n - 1];
        idmap_set(&f->by_id, j->array_job, (void *)(uintptr_t)f->v.n);
    }
    a->lines++;
    a->counts[element_of_state((enum job_state)j->state)] +=
        j->state == JOB_PENDING ? job_pending_elements(j) : 1;
    if (ended_too)
        element_count_gone(j, a->counts);
    if (job_class(j) == 0) {
        a->cpus += job_cpus(j);
        a->gpus += job_gpus(j);
        if (!wall_is_set(a->start) || j->t_start.ms < a->start.ms)
            a->start = j->t_start;
    }
    if (j->state == JOB_PENDING && !a->waits)
        a->waits = j;
}

static bool lists_ended(const struct job_list *l)
{
    vec_for_each (&l->v, i)
        if (job_class(l->v.v[i]) == 2)
            return true;
    return false;
}

static void fold_arrays(struct folded_arrays *f, const struct job_list *l)
{
    bool ended_too = lists_ended(l);
    vec_for_each (&l->v, i)
        if (l->v.v[i]->array_job)
            fold_job(f, l->v.v[i], ended_too);
}

/* "5_[0-99]": as it was submitted, without its limit. */
static void append_array_id(struct str *s, const struct job *j)
{
    const char *spec = req_detail(&j->req)->array_spec;
    if (spec && strcspn(spec, "%") <= ID_BRACKET)
        str_appendf(s, "%u_[%.*s]", j->array_job, (int)strcspn(spec, "%"), spec);
    else
        str_appendf(s, "%u_[%u-%u]", j->array_job, job_origin(j)->array_min, job_origin(j)->array_max);
}

static enum job_state folded_state(const struct folded_array *a)
{
    return a->counts[ELEMENT_RUNNING]   ? JOB_RUNNING
           : a->counts[ELEMENT_WAITING] ? JOB_PENDING
           : a->counts[ELEMENT_FAILED]  ? JOB_FAILED
           : a->counts[ELEMENT_DONE]    ? JOB_COMPLETED
                                        : JOB_CANCELLED;
}

static void jobtable_add_array(struct texttable *t, const struct folded_array *a, const struct job_cx *cx,
                               const struct waits *waits)
{
    const struct job *j = a->first;
    enum job_state state = folded_state(a);
    struct str s = STR_INIT;
    char buf[UNITS_TEXT_SIZE];
    append_array_id(&s, j);
    texttable_add(t, TONE_PLAIN, s.s);
    texttable_add(t, TONE_PLAIN, j->req.name);
    texttable_add(t, TONE_PLAIN, j->user);
    texttable_add(t, TONE_PLAIN, job_partition_text(j));
    texttable_addf(t, state_tone(state), "%c %s", job_state_glyph(state), job_state_word(state));
    uint32_t time_s = wall_is_set(a->start) ? (uint32_t)wall_elapsed_s(a->start, cx->now)
                                            : job_time_s(a->waits ? a->waits : j, cx->now);
    texttable_add(t, TONE_PLAIN, duration_format(time_s, buf));
    uint32_t limit = job_limit_s(j, cx->m);
    texttable_add(t, TONE_PLAIN, limit >= DURATION_NOT_SET ? "-" : duration_format(limit, buf));
    texttable_addf(t, TONE_PLAIN, "%u", a->cpus ? a->cpus : job_cpus(j));
    if (a->gpus)
        texttable_addf(t, TONE_PLAIN, "%u", a->gpus);
    else
        texttable_add(t, TONE_DIM, "-");
    str_clear(&s);
    arraytext_counts(&s, a->counts, job_origin(j)->array_count);
    if (!a->counts[ELEMENT_RUNNING] && a->waits) {
        str_append(&s, ": ");
        append_where(&s, a->waits, waits);
    }
    texttable_add(t, TONE_PLAIN, s.s);
    str_fini(&s);
}

/* An array of which one line alone is listed is like any other job. */
static void jobtable_add(struct texttable *t, const struct job_list *l, const struct folded_arrays *f,
                         const struct job *j, const struct job_cx *cx)
{
    const struct folded_array *a = j->array_job ? folded_get(f, j) : NULL;
    if (!a || a->lines < 2)
        jobtable_add_job(t, j, cx, l->waits);
    else if (a->first == j)
        jobtable_add_array(t, a, cx, l->waits);
}

static void jobtable_append_summary(struct str *out, const struct job_list *l)
{
    uint64_t running = 0, waiting = 0, ended = 0;
    vec_for_each (&l->v, i) {
        const struct job *j = l->v.v[i];
        int c = job_class(j);
        running += c == 0;
        waiting += c == 1 ? job_pending_elements(j) : 0;
        ended += c == 2;
    }
    unsigned long long r = running, w = waiting, e = ended;
    if (ended)
        str_appendf(out, tr("%llu running, %llu waiting, %llu ended\n"), r, w, e);
    else
        str_appendf(out, tr("%llu running, %llu waiting\n"), r, w);
}

void job_list_print(const struct job_list *l, const struct job_cx *cx, struct str *out)
{
    struct texttable t = TEXTTABLE_INIT(columns);
    struct folded_arrays folded = {.v = VEC_INIT};
    if (l->fold)
        fold_arrays(&folded, l);
    vec_for_each (&l->v, i)
        jobtable_add(&t, l, &folded, l->v.v[i], cx);
    vec_fini(&folded.v);
    idmap_fini(&folded.by_id);
    texttable_print(&t, out, listing_width(), color_is_welcome());
    if (terminal_width())
        jobtable_append_summary(out, l);
    texttable_fini(&t);
}

void job_list_json(const struct job_list *l, const struct job_cx *cx, struct str *out)
{
    json_begin_document(out, 1);
    json_begin_array(out, "jobs");
    vec_for_each (&l->v, i) {
        struct job_row row = {.job = l->v.v[i], .element = ARRAY_NONE};
        columns_to_json(out, &job_columns, &row, cx);
    }
    json_end_array(out);
    json_end_document(out);
}
