/* array_events.c - what has happened to an array and to its elements, in the order of time. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/text/eventtext.h"
#include "src/text/jobtext.h"
#include "ui/array/array_internal.h"
#include "ui/text/view_text.h"

#define LABEL 10

static void __attribute__((format(printf, 4, 5)))
array_events_tell(struct job_moments *m, struct wall t, enum moment_tone tone, const char *fmt, ...)
{
    struct str s = STR_INIT;
    va_list ap;
    if (!wall_is_set(t))
        return;
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    vec_push(&m->v, (struct job_moment){.t = t, .order = m->v.n, .tone = tone, .text = str_take(&s)});
}

static void tell_submission(const struct array_screen *a, struct job_moments *m)
{
    const struct job *j = a->e.any;
    struct str s = STR_INIT;
    str_appendf(&s, tr("submitted by %s"), j->user ? j->user : "?");
    if (job_origin(j)->submit_host)
        str_appendf(&s, tr(" on %s"), job_origin(j)->submit_host);
    if (req_detail(&j->req)->array_spec)
        str_appendf(&s, ": --array=%s", req_detail(&j->req)->array_spec);
    if (job_origin(j)->command)
        str_appendf(&s, " %s", job_origin(j)->command);
    array_events_tell(m, j->t_submit, MOMENT_NORMAL, "%s", s.s);
    str_fini(&s);
}

/* What users did to the array: kept in the record of what has not started. */
static void tell_record(const struct array_screen *a, struct job_moments *m)
{
    struct job_moments own;
    if (!a->e.record)
        return;
    jobevents_list(a->e.record, &own);
    vec_for_each (&own.v, i)
        if (own.v.v[i].t.ms != a->e.record->t_submit.ms)
            array_events_tell(m, own.v.v[i].t, own.v.v[i].tone, "%s", own.v.v[i].text);
    job_moments_fini(&own);
}

static void tell_starts(const struct array_screen *a, struct job_moments *m)
{
    const struct job *first = a->e.first;
    if (!first || a->e.unknown)
        return;
    struct str nodes = STR_INIT;
    jobtext_nodes(&nodes, first);
    array_events_tell(m, first->t_start, MOMENT_NORMAL, tr("_%u started first, on %s"), first->array_index,
                      nodes.len ? nodes.s : "?");
    str_fini(&nodes);
}

static int array_events_by_end(const void *pa, const void *pb)
{
    const struct job *a = *(const struct job *const *)pa, *b = *(const struct job *const *)pb;
    return (a->t_end.ms > b->t_end.ms) - (a->t_end.ms < b->t_end.ms);
}

/* The last of them: the section about failures has all. */
static void tell_failures(const struct array_screen *a, struct job_moments *m, size_t max)
{
    VEC(const struct job *) failed = VEC_INIT;
    for (size_t i = 0; i < a->e.v.n; i++)
        if (a->e.v.v[i].is == ELEMENT_FAILED && a->e.v.v[i].job)
            vec_push(&failed, a->e.v.v[i].job);
    if (failed.n > 1)
        qsort(failed.v, failed.n, sizeof *failed.v, array_events_by_end);
    for (size_t i = failed.n > max ? failed.n - max : 0; i < failed.n; i++) {
        const struct job *j = failed.v[i];
        struct str nodes = STR_INIT, how = STR_INIT;
        jobtext_nodes(&nodes, j);
        jobtext_end(&how, j);
        array_events_tell(m, j->t_end, MOMENT_ERROR, nodes.len ? tr("_%u %s, on %s") : "_%u %s",
                          j->array_index, how.s, nodes.s);
        str_fini(&nodes);
        str_fini(&how);
    }
    vec_fini(&failed);
}

static void tell_interrupted(const struct array_screen *a, struct job_moments *m, size_t max)
{
    size_t n = a->e.interrupted.n;
    for (size_t i = n > max ? n - max : 0; i < n; i++) {
        const struct job *j = a->e.v.v[a->e.interrupted.v[i]].job;
        struct str how = STR_INIT;
        struct wall when;
        jobtext_last_run(&how, j, &when);
        if (how.len)
            array_events_tell(m, when, MOMENT_WARN, "_%u %s", j->array_index, how.s);
        str_fini(&how);
    }
}

static int array_events_by_time(const void *pa, const void *pb)
{
    const struct job_moment *a = pa, *b = pb;
    return a->t.ms != b->t.ms ? (a->t.ms > b->t.ms) - (a->t.ms < b->t.ms)
                              : (a->order > b->order) - (a->order < b->order);
}

void array_add_events(const struct array_screen *a, struct lines *l, size_t max)
{
    static const enum role roles[] = {[MOMENT_NORMAL] = ROLE_NORMAL,
                                      [MOMENT_STRONG] = ROLE_STRONG,
                                      [MOMENT_WARN] = ROLE_WARN,
                                      [MOMENT_ERROR] = ROLE_ERROR};
    struct job_moments m = {.v = VEC_INIT};
    tell_submission(a, &m);
    tell_record(a, &m);
    tell_starts(a, &m);
    tell_failures(a, &m, max);
    tell_interrupted(a, &m, max);
    if (m.v.n > 1)
        qsort(m.v.v, m.v.n, sizeof *m.v.v, array_events_by_time);
    if (l->n)
        lines_add(l);
    lines_addf(l, ROLE_TITLE, tr("Events"));
    for (size_t i = 0; i < m.v.n; i++) {
        struct str when = STR_INIT;
        if (i && i + max < m.v.n) { /* the first one and the newest */
            if (i == 1)
                lines_addf(l, ROLE_DIM, "%*s...", LABEL, "");
            continue;
        }
        when_text(&when, m.v.v[i].t, ui_now(a->v.ui));
        rich_addf(lines_pair(l, when.s, LABEL), roles[m.v.v[i].tone], "%s", m.v.v[i].text);
        str_fini(&when);
    }
    job_moments_fini(&m);
}
