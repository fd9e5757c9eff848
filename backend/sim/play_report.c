/* play_report.c - figures of a full simulation. */
#include "backend/sim/play_report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "backend/sched/limits/limits.h"
#include "backend/sim/simcluster.h"
#include "src/base/utf8.h"
#include "src/text/score_text.h"
#include "src/values/units.h"

#define HOUR_S 3600.0
#define DAY_S  86400.0

REC_DEFINE(sim_row, SIM_ROW_FIELDS)
REC_DEFINE(sim_report, SIM_REPORT_FIELDS)

/* --- collecting --- */

struct tally {
    struct sim_row row; /* name not owned */
    struct sample waits, slowdowns;
};

static void report_tally_state(struct sim_row *row, const struct play_job *j)
{
    switch ((enum job_state)j->state) {
    case JOB_PENDING: row->waiting++; break;
    case JOB_RUNNING:
    case JOB_SUSPENDED:
    case JOB_COMPLETING: row->running++; break;
    case JOB_TIMEOUT: row->timeouts++; break;
    case JOB_PREEMPTED: row->preempted_out++; break;
    case JOB_COMPLETED:
    case JOB_CANCELLED:
    case JOB_FAILED:
    case JOB_NODE_FAIL:
    case JOB_OUT_OF_MEMORY:
    case JOB_DEADLINE:
    case JOB_N_STATES: row->completed++; break;
    }
}

static void report_tally_job(struct tally *t, const struct play_job *j, const struct sim_job *s)
{
    struct sim_row *row = &t->row;
    if (j->refusal != REFUSAL_NONE) {
        row->refused++;
        return;
    }
    if (!j->id) /* the simulation ended before */
        return;
    row->submitted++;
    report_tally_state(row, j);
    row->preemptions += j->preempted;
    row->cpu_hours += j->cpu_s / HOUR_S;
    row->gpu_hours += j->gpu_s / HOUR_S;
    row->lost_cpu_hours += j->lost_cpu_s / HOUR_S;
    row->lost_gpu_hours += j->lost_gpu_s / HOUR_S;
    if (j->start_s >= 0)
        sample_add(&t->waits, (double)(j->start_s - s->submit_s));
    if (j->end_s >= 0)
        sample_add(&t->slowdowns,
                   bounded_slowdown((double)(j->end_s - s->submit_s - j->ran_s), (double)j->ran_s));
}

static const char *report_account_of(const struct workload *w, const struct cluster_spec *cluster,
                                     uint32_t user)
{
    const struct sim_user *u = &w->users.v[user];
    const char *name = u->account ? u->account : spec_default_account(cluster, u->name, u->group);
    return name ? name : "";
}

/* Accounts by the order in which they are met: position of each user's, their names. */
static uint32_t *report_number_accounts(const struct workload *w, const struct cluster_spec *cluster,
                                        struct strv *ret_names)
{
    uint32_t *at = xcalloc(w->users.n + 1, sizeof *at);
    for (uint32_t u = 0; u < w->users.n; u++) {
        const char *name = report_account_of(w, cluster, u);
        uint32_t k = 0;
        while (k < ret_names->n && !str_eq(ret_names->v[k], name))
            k++;
        if (k == ret_names->n)
            strv_push(ret_names, name);
        at[u] = k;
    }
    return at;
}

static const char *report_backfill_name(const struct cluster_spec *c)
{
    switch ((enum backfill_mode)c->backfill) {
    case BACKFILL_EASY: return "easy";
    case BACKFILL_OFF: return "off";
    case BACKFILL_CONSERVATIVE: break;
    }
    return "conservative";
}

static double report_share(double held, double have, double seconds)
{
    return have > 0 && seconds > 0 ? held / (have * seconds) : 0;
}

/* Moves the figures into *ret. */
static void report_tally_close(struct tally *t, const char *name, struct sim_capacity have, double seconds,
                               struct sim_row *ret)
{
    *ret = t->row;
    ret->name = xstrdup(name);
    ret->wait = sample_dist(&t->waits);
    ret->slowdown = sample_dist(&t->slowdowns);
    ret->cpu_utilisation = report_share(ret->cpu_hours * HOUR_S, have.cpus, seconds);
    ret->gpu_utilisation = report_share(ret->gpu_hours * HOUR_S, have.gpus, seconds);
    sample_fini(&t->waits);
    sample_fini(&t->slowdowns);
}

static void report_fill_head(struct sim_report *ret, const struct play *r, const struct workload *w,
                             const struct cluster_spec *cluster)
{
    struct sim_capacity have = simcluster_capacity(cluster, NULL);
    double seconds = (double)r->end_s;
    if (w->jobs.n && !w->until_s)
        seconds -= (double)w->jobs.v[0].submit_s;
    *ret = (struct sim_report){.schema = 1,
                               .mode = xstrdup("full"),
                               .workload = xstrdup(w->name),
                               .cluster = xstrdup(cluster->name),
                               .backfill = xstrdup(report_backfill_name(cluster)),
                               .nodes = have.nodes,
                               .cpus = (uint64_t)have.cpus,
                               .gpus = (uint64_t)have.gpus,
                               .days = seconds / DAY_S,
                               .cpu_utilisation = report_share(r->cpu_s, have.cpus, seconds),
                               .mem_utilisation = report_share(r->mem_mib_s, have.mem_mib, seconds),
                               .gpu_utilisation = report_share(r->gpu_s, have.gpus, seconds),
                               .free_gpu_hours = r->free_gpu_s / HOUR_S,
                               .split_gpu_hours = r->split_gpu_s / HOUR_S,
                               .passes = r->passes,
                               .events = r->events,
                               .dropped = w->n_dropped};
}

void play_report_init(struct sim_report *ret, const struct play *r, const struct workload *w,
                      const struct cluster_spec *cluster)
{
    struct strv accounts = {0};
    uint32_t *account_at = report_number_accounts(w, cluster, &accounts);
    struct tally all = {0}, *users = xcalloc(w->users.n + 1, sizeof *users),
                 *by_account = xcalloc(accounts.n + 1, sizeof *by_account),
                 *parts = xcalloc(cluster->parts.n + 1, sizeof *parts);
    for (size_t i = 0; i < r->n_jobs; i++) {
        const struct play_job *j = &r->jobs[i];
        const struct sim_job *s = &w->jobs.v[i];
        report_tally_job(&all, j, s);
        report_tally_job(&users[s->user], j, s);
        report_tally_job(&by_account[account_at[s->user]], j, s);
        if (j->partition < cluster->parts.n)
            report_tally_job(&parts[j->partition], j, s);
    }
    report_fill_head(ret, r, w, cluster);
    struct sim_capacity have = simcluster_capacity(cluster, NULL);
    double seconds = ret->days * DAY_S;
    report_tally_close(&all, "all", have, seconds, &ret->all);
    for (size_t i = 0; i < w->users.n; i++)
        report_tally_close(&users[i], w->users.v[i].name, have, seconds, rec_list_push(&ret->users));
    for (size_t i = 0; i < accounts.n; i++)
        report_tally_close(&by_account[i], accounts.v[i], have, seconds, rec_list_push(&ret->accounts));
    for (size_t i = 0; i < cluster->parts.n; i++)
        report_tally_close(&parts[i], cluster->parts.v[i].name,
                           simcluster_capacity(cluster, &cluster->parts.v[i]), seconds,
                           rec_list_push(&ret->partitions));
    rec_copy(&msg_scores_rec, &ret->forecasts, &r->scores);
    free(users);
    free(by_account);
    free(parts);
    free(account_at);
    strv_fini(&accounts);
}

/* --- text --- */

#define ROWS_SHOWN 20 /* of the users of a large trace those with the most hours */

static void report_text_row(struct str *out, const struct sim_row *r)
{
    char wait[UNITS_TEXT_SIZE], late[UNITS_TEXT_SIZE];
    struct str name = STR_INIT;
    cell_text(&name, r->name, 16, true, false);
    str_appendf(
        out, "  %-16s %7" PRIu64 " %7" PRIu64 " %11s %11s %8.2f %7" PRIu64 " %9.1f %4.0f %9.1f %4.0f\n",
        name.s, r->submitted, r->waiting, duration_format_words((int64_t)(r->wait.mean + 0.5), wait),
        duration_format_words((int64_t)(r->wait.p95 + 0.5), late), r->slowdown.mean, r->preemptions,
        r->cpu_hours, 100 * r->cpu_utilisation, r->gpu_hours, 100 * r->gpu_utilisation);
    str_fini(&name);
}

static int report_by_hours(const void *a, const void *b)
{
    const struct sim_row *const *x = a, *const *y = b;
    if ((*x)->gpu_hours != (*y)->gpu_hours)
        return (*x)->gpu_hours > (*y)->gpu_hours ? -1 : 1;
    return ((*x)->cpu_hours < (*y)->cpu_hours) - ((*x)->cpu_hours > (*y)->cpu_hours);
}

static void report_text_rows(struct str *out, const char *title, const struct sim_row *v, size_t n)
{
    const struct sim_row **sorted = xcalloc(n + 1, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &v[i];
    qsort(sorted, n, sizeof *sorted, report_by_hours);
    str_appendf(out, "\n%-18s %7s %7s %11s %11s %8s %7s %9s %4s %9s %4s\n", title, "jobs", "waiting",
                "mean wait", "95 %", "slowdown", "preempt", "CPU h", "%", "GPU h", "%");
    for (size_t i = 0; i < n && i < ROWS_SHOWN; i++)
        report_text_row(out, sorted[i]);
    if (n > ROWS_SHOWN)
        str_appendf(out, "  and %zu more; --json has them all\n", n - ROWS_SHOWN);
    free(sorted);
}

static void report_text_seconds(struct str *out, double s, bool is_known)
{
    char text[UNITS_TEXT_SIZE] = "-";
    if (is_known)
        duration_format_words((int64_t)(s + 0.5), text);
    str_appendf(out, " %10s", text);
}

static void report_text_score(struct str *out, const char *wait, const struct score_row *r)
{
    str_appendf(out, "  %-16s %7" PRIu64 " %7.1f %7.1f %7.1f %7.1f", wait, r->starts,
                100 * score_part(r->inside, r->ranges), 100 * score_part(r->before, r->ranges),
                100 * score_part(r->behind, r->ranges), 100 * score_part(r->later, r->starts));
    report_text_seconds(out, score_early_s(r), r->starts);
    report_text_seconds(out, score_late_s(r), r->starts);
    report_text_seconds(out, score_width_s(r), r->ranges);
    report_text_seconds(out, score_interval_s(r), r->ranges);
    str_append_char(out, '\n');
}

static void report_text_forecasts(struct str *out, const struct msg_scores *m)
{
    struct score_row all = score_total(m);
    if (!all.starts)
        return;
    str_appendf(out, "\n%-18s %7s %7s %7s %7s %7s %10s %10s %10s %10s\n", "forecast waits", "starts",
                "range %", "before", "after", "late %", "sooner by", "later by", "range", "score");
    for (size_t i = 0; i < m->rows.n; i++) {
        struct str wait = STR_INIT;
        score_text_horizon(m, i, &wait);
        if (m->rows.v[i].starts)
            report_text_score(out, wait.s, &m->rows.v[i]);
        str_fini(&wait);
    }
    report_text_score(out, "all", &all);
}

void play_report_text(const struct sim_report *r, struct str *out)
{
    cell_text(out, r->workload, -1, false, false);
    str_appendf(out,
                " on %s: %" PRIu64 " nodes, %" PRIu64 " CPUs, %" PRIu64 " GPUs; backfill %s\n"
                "%.1f days, %" PRIu64 " jobs",
                r->cluster, r->nodes, r->cpus, r->gpus, r->backfill, r->days, r->all.submitted);
    if (r->all.refused)
        str_appendf(out, ", %" PRIu64 " refused", r->all.refused);
    if (r->dropped)
        str_appendf(out, ", %" PRIu64 " records dropped", r->dropped);
    str_appendf(out, "; held: %.1f %% of the CPUs, %.1f %% of the memory", 100 * r->cpu_utilisation,
                100 * r->mem_utilisation);
    if (r->gpus)
        str_appendf(out, ", %.1f %% of the GPUs", 100 * r->gpu_utilisation);
    if (r->free_gpu_hours > 0)
        str_appendf(out, "\nfree GPUs on nodes that were partly in use: %.1f %% of the free GPU hours",
                    100 * r->split_gpu_hours / r->free_gpu_hours);
    str_appendf(out,
                "\n%" PRIu64 " preemptions cost %.1f CPU hours and %.1f GPU hours of work; %" PRIu64
                " passes, %" PRIu64 " events\n",
                r->all.preemptions, r->all.lost_cpu_hours, r->all.lost_gpu_hours, r->passes, r->events);
    report_text_rows(out, "all", &r->all, 1);
    report_text_rows(out, "partitions", r->partitions.v, r->partitions.n);
    if (r->accounts.n > 1)
        report_text_rows(out, "accounts", r->accounts.v, r->accounts.n);
    report_text_rows(out, "users", r->users.v, r->users.n);
    report_text_forecasts(out, &r->forecasts);
}

int play_write_starts(const struct play *r, const struct workload *w, FILE *f)
{
    for (size_t i = 0; i < r->n_jobs; i++)
        if (r->jobs[i].start_s >= 0 &&
            fprintf(f, "%" PRId64 " %" PRId64 "\n", w->jobs.v[i].id, r->jobs[i].start_s) < 0)
            return -errno;
    return fflush(f) ? -errno : 0;
}
