/* procs_report.c - figures of the equality mode. */
#include "backend/sim/procs_report.h"

#include <errno.h>
#include <inttypes.h>

#include "src/base/utf8.h"
#include "src/values/units.h"

REC_DEFINE(procs_report, PROCS_REPORT_FIELDS)

void procs_report_init(struct procs_report *ret, const struct procs_trace *t, const char *trace,
                       enum procs_policy policy)
{
    struct sample waits = {0}, slowdowns = {0};
    double busy = 0;
    *ret = (struct procs_report){.schema = 1,
                                 .mode = xstrdup("procs-only"),
                                 .trace = xstrdup(trace),
                                 .policy = xstrdup(procs_policy_name(policy)),
                                 .procs = t->procs,
                                 .jobs = t->jobs.n,
                                 .dropped = t->n_dropped,
                                 .killed = t->n_killed};
    if (t->jobs.n)
        ret->first_submit = t->jobs.v[0].submit;
    vec_for_each (&t->jobs, i) {
        const struct procs_job *j = &t->jobs.v[i];
        double wait = (double)(j->start - j->submit), run = (double)j->run;
        sample_add(&waits, wait);
        sample_add(&slowdowns, bounded_slowdown(wait, run));
        busy += (double)j->procs * run;
        if (j->start + j->run > ret->last_end)
            ret->last_end = j->start + j->run;
    }
    if (ret->last_end > ret->first_submit)
        ret->utilisation = busy / ((double)t->procs * (double)(ret->last_end - ret->first_submit));
    ret->wait = sample_dist(&waits);
    ret->slowdown = sample_dist(&slowdowns);
    sample_fini(&waits);
    sample_fini(&slowdowns);
}

static void procs_report_duration_row(struct str *out, const char *name, double seconds)
{
    char words[UNITS_TEXT_SIZE];
    str_appendf(out, "  %-10s %14.2f s   %s\n", name, seconds,
                duration_format_words((int64_t)(seconds + 0.5), words));
}

void procs_report_text(const struct procs_report *r, struct str *out)
{
    char words[UNITS_TEXT_SIZE];
    cell_text(out, r->trace, -1, false, false);
    str_appendf(out, " under %s: %" PRIu64 " jobs on %" PRId64 " processors\n", r->policy, r->jobs,
                r->procs);
    str_appendf(out, "%" PRIu64 " records dropped, %" PRIu64 " jobs cut at their estimate\n", r->dropped,
                r->killed);
    str_appendf(out, "span %s, utilisation %.2f %%\n",
                duration_format_words(r->last_end - r->first_submit, words), 100 * r->utilisation);
    str_append(out, "wait\n");
    procs_report_duration_row(out, "mean", r->wait.mean);
    procs_report_duration_row(out, "median", r->wait.p50);
    procs_report_duration_row(out, "90 %", r->wait.p90);
    procs_report_duration_row(out, "95 %", r->wait.p95);
    procs_report_duration_row(out, "99 %", r->wait.p99);
    procs_report_duration_row(out, "longest", r->wait.max);
    str_appendf(out, "bounded slowdown\n  mean %.3f, median %.3f, 90 %% %.3f, 99 %% %.3f, largest %.3f\n",
                r->slowdown.mean, r->slowdown.p50, r->slowdown.p90, r->slowdown.p99, r->slowdown.max);
}

int procs_write_starts(const struct procs_trace *t, FILE *f)
{
    vec_for_each (&t->jobs, i)
        if (fprintf(f, "%" PRId64 " %" PRId64 "\n", t->jobs.v[i].id, t->jobs.v[i].start) < 0)
            return -errno;
    return fflush(f) ? -errno : 0;
}
