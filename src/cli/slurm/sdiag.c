/* sdiag.c - what the controller has done since it started, in Slurm's words. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/listing/jobjson.h"
#include "src/cli/timetext.h"
#include "src/lang/lang.h"
#include "src/text/score_text.h"

struct sdiag {
    bool json, reset;
    char *cluster;
};

enum { O_ALL = 1, O_IGNORED };

static const struct opt table[] = {
    {.id = O_ALL, .name = "all", .letter = 'a', .help = "everything: it always does"},
    {OPT_TEXT(struct sdiag, cluster), .name = "cluster", .letter = 'M', .meta = "NAME",
     .env = "SLURM_CLUSTERS", .help = "of this cluster: there is one"},
    {OPT_SETS(struct sdiag, json), .name = "json", .arg = OPT_OPTIONAL, .meta = "FORM",
     .help = "print JSON"},
    {OPT_SETS(struct sdiag, reset), .name = "reset", .letter = 'r',
     .help = "refused: restart the controller to count from zero"},
    {.id = O_IGNORED, .name = "sort-by-id", .letter = 'i'},
    {.id = O_IGNORED, .name = "sort-by-time", .letter = 't'},
    {.id = O_IGNORED, .name = "sort-by-time2", .letter = 'T'},
    {OPT_SETS(struct sdiag, json), .name = "yaml", .arg = OPT_OPTIONAL},
};

static const struct opts options = OPTS(table, NULL);

struct counts { /* jobs there are now; elements of an array one by one */
    uint64_t pending, running;
};

/* "Sat Nov 21 08:40:00 2026 (1795250400)" */
static void append_date(struct str *out, struct wall t)
{
    timetext_append_date_line(out, t);
    str_truncate(out, out->len - 1);
    str_appendf(out, " (%" PRId64 ")", (int64_t)(t.ms / MS_PER_S));
}

static uint64_t mean(uint64_t sum, uint64_t n)
{
    return n ? sum / n : 0;
}

/* What each user takes of the controller, beside time. */
static void sdiag_print_bytes(struct str *out, const struct msg_stats *m)
{
    if (m->disk_all)
        str_appendf(out,
                    "\nDisk of the state (bytes): %" PRIu64 " of %" PRIu64
                    " left%s\nHistory (bytes): %" PRIu64,
                    m->disk_left, m->disk_all, m->short_of_disk ? ", jobs can only be cancelled" : "",
                    m->history_bytes);
    str_append(out, "\nBytes by user: memory of connections, of records of jobs, disk of jobs\n");
    for (size_t i = 0; i < m->users.n; i++) {
        const struct user_stats *u = &m->users.v[i];
        struct str name = STR_INIT;
        cell_text(&name, u->name ? u->name : "", 32, true, false);
        str_appendf(out,
                    "\t%-16s(%8u) connections:%-10" PRIu64 " records:%-10" PRIu64 " disk:%-10" PRIu64
                    " waited:%" PRIu64 "\n",
                    name.s, u->uid, u->buffers, u->records, u->disk, u->waited);
        str_fini(&name);
    }
}

/* The time of the controller that each user's requests took, the most first. */
static void sdiag_print_users(struct str *out, const struct msg_stats *m)
{
    str_appendf(out,
                "\nTimes that a user was held back: %" PRIu64 "\nConnections turned away: %" PRIu64
                "\n\nRemote Procedure Call statistics by user\n",
                m->slowed, m->refused);
    for (size_t i = 0; i < m->users.n; i++) {
        const struct user_stats *u = &m->users.v[i];
        struct str name = STR_INIT;
        cell_text(&name, u->name ? u->name : "", 32, true, false);
        str_appendf(out, "\t%-16s(%8u) count:%-6" PRIu64 " ave_time:%-6" PRIu64 " total_time:%" PRIu64 "\n",
                    name.s, u->uid, u->requests, mean(u->us, u->requests), u->us);
        str_fini(&name);
    }
    sdiag_print_bytes(out, m);
}

/* How forecasts of starts came true. */
static void sdiag_print_forecasts(struct str *out, const struct msg_scores *m)
{
    struct score_row all = score_total(m);
    str_appendf(out,
                "\nForecast starts since the scores began:\n\tTotal starts: %" PRIu64
                "\n\tWithin range (%%): %.1f of %" PRIu64 "\n\tLater than told (%%): %.1f\n",
                all.starts, 100 * score_part(all.inside, all.ranges), all.ranges,
                100 * score_part(all.later, all.starts));
    str_appendf(out,
                "\tMean sooner than told (seconds): %.0f\n\tMean later than told (seconds): %.0f\n"
                "\tMean interval score (seconds): %.0f\n",
                score_early_s(&all), score_late_s(&all), score_interval_s(&all));
    for (size_t i = 0; i < m->rows.n; i++) {
        const struct score_row *r = &m->rows.v[i];
        struct str wait = STR_INIT;
        score_text_horizon(m, i, &wait);
        if (r->starts)
            str_appendf(out, "\t%-16s starts:%-6" PRIu64 " within:%-5.1f later:%.1f\n", wait.s, r->starts,
                        100 * score_part(r->inside, r->ranges), 100 * score_part(r->later, r->starts));
        str_fini(&wait);
    }
}

static void sdiag_print(struct str *out, const struct msg_stats *m, const struct counts *n, struct wall now)
{
    static const char stars[] = "*******************************************************\n";
    int64_t minutes = wall_elapsed_s(m->t_start, now) / 60;
    str_appendf(out, "%ssdiag output at ", stars);
    append_date(out, now);
    str_append(out, "\nData since      ");
    append_date(out, m->t_start);
    str_appendf(out, "\n%s", stars);
    str_appendf(out,
                "Server thread count:  2\nRPC queue enabled:    0\nAgent queue size:     0\n"
                "Agent count:          %u\nAgent thread count:   0\nDBD Agent queue size: 0\n\n",
                m->nodes_up);
    str_appendf(out,
                "Jobs submitted: %" PRIu64 "\nJobs started:   %" PRIu64 "\nJobs completed: %" PRIu64
                "\nJobs canceled:  %" PRIu64 "\nJobs failed:    %" PRIu64 "\n\nJob states ts:  ",
                m->submits, m->starts, m->completed, m->cancelled, m->failed);
    append_date(out, now);
    str_appendf(out, "\nJobs pending:   %" PRIu64 "\nJobs running:   %" PRIu64 "\n", n->pending,
                n->running);
    if (m->gpus_free)
        str_appendf(out, "Free GPUs:      %" PRIu64 ", on nodes that are partly in use: %" PRIu64 "\n",
                    m->gpus_free, m->gpus_split);
    str_append_char(out, '\n');
    str_appendf(out,
                "Main schedule statistics (microseconds):\n\tLast cycle:   %" PRIu64
                "\n\tMax cycle:    %" PRIu64 "\n\tTotal cycles: %" PRIu64 "\n\tMean cycle:   %" PRIu64
                "\n\tCycles per minute: %" PRIu64 "\n\tLast queue length: %" PRIu64
                "\n\tMax slice:    %" PRIu64 "\n\n",
                mean(m->pass_us_sum, m->passes), m->pass_us_max, m->passes, mean(m->pass_us_sum, m->passes),
                minutes ? m->passes / (uint64_t)minutes : m->passes, n->pending, m->slice_us_max);
    str_appendf(out,
                "Durable commits (microseconds):\n\tTotal commits: %" PRIu64 "\n\tMean commit:   %" PRIu64
                "\n\tMax commit:    %" PRIu64 "\n\tMax bytes:     %" PRIu64 "\n\tEvents:        %" PRIu64
                "\n\nClients: %u\nMemory (KiB): %" PRIu64 "\nDatabase (bytes): %" PRIu64 "\n",
                m->commits, mean(m->commit_us_sum, m->commits), m->commit_us_max, m->commit_bytes_max,
                m->events, m->sessions, m->rss_kib, m->db_bytes);
    sdiag_print_forecasts(out, &m->forecasts);
    sdiag_print_users(out, m);
}

static void json_users(struct str *out, const struct msg_stats *m)
{
    json_begin_array(out, "rpcs_by_user");
    for (size_t i = 0; i < m->users.n; i++) {
        const struct user_stats *u = &m->users.v[i];
        json_begin_object(out, NULL);
        json_text(out, "user", u->name);
        json_int(out, "user_id", u->uid);
        json_int(out, "count", (int64_t)u->requests);
        json_int(out, "average_time", (int64_t)mean(u->us, u->requests));
        json_int(out, "total_time", (int64_t)u->us);
        json_int(out, "jobs", u->jobs);
        json_int(out, "connections", u->connections);
        json_int(out, "held_back", (int64_t)u->slowed);
        json_int(out, "turned_away", (int64_t)u->refused);
        json_int(out, "connection_bytes", (int64_t)u->buffers);
        json_int(out, "waited_for_memory", (int64_t)u->waited);
        json_int(out, "record_bytes", (int64_t)u->records);
        json_int(out, "disk_bytes", (int64_t)u->disk);
        json_end_object(out);
    }
    json_end_array(out);
}

static void json_forecasts(struct str *out, const struct msg_scores *m)
{
    struct score_row all = score_total(m);
    json_int(out, "forecast_starts", (int64_t)all.starts);
    json_int(out, "forecast_ranges", (int64_t)all.ranges);
    json_int(out, "forecast_within_range", (int64_t)all.inside);
    json_int(out, "forecast_later_than_told", (int64_t)all.later);
    json_int(out, "forecast_mean_sooner", (int64_t)score_early_s(&all));
    json_int(out, "forecast_mean_later", (int64_t)score_late_s(&all));
    json_int(out, "forecast_mean_interval_score", (int64_t)score_interval_s(&all));
}

static void sdiag_print_json(struct str *out, const struct msg_stats *m, const struct counts *n)
{
    slurm_json_begin(out);
    json_begin_object(out, "statistics");
    json_int(out, "req_time_start", m->t_start.ms / MS_PER_S);
    json_int(out, "jobs_submitted", (int64_t)m->submits);
    json_int(out, "jobs_started", (int64_t)m->starts);
    json_int(out, "jobs_completed", (int64_t)m->completed);
    json_int(out, "jobs_canceled", (int64_t)m->cancelled);
    json_int(out, "jobs_failed", (int64_t)m->failed);
    json_int(out, "jobs_pending", (int64_t)n->pending);
    json_int(out, "jobs_running", (int64_t)n->running);
    json_int(out, "gpus_free", (int64_t)m->gpus_free);
    json_int(out, "gpus_free_on_partly_used_nodes", (int64_t)m->gpus_split);
    json_int(out, "schedule_cycle_max", (int64_t)m->pass_us_max);
    json_int(out, "schedule_cycle_mean", (int64_t)mean(m->pass_us_sum, m->passes));
    json_int(out, "schedule_slice_max", (int64_t)m->slice_us_max);
    json_int(out, "schedule_cycle_total", (int64_t)m->passes);
    json_int(out, "commits", (int64_t)m->commits);
    json_int(out, "commit_mean_us", (int64_t)mean(m->commit_us_sum, m->commits));
    json_int(out, "commit_max_us", (int64_t)m->commit_us_max);
    json_int(out, "commit_max_bytes", (int64_t)m->commit_bytes_max);
    json_int(out, "rss_kib", (int64_t)m->rss_kib);
    json_forecasts(out, &m->forecasts);
    json_users(out, m);
    json_end_object(out);
    slurm_json_end(out);
}

static int sdiag_count(struct client *c, struct counts *ret, struct errtext *err)
{
    struct msg_get get = {.what = GET_JOBS, .states = 1u << JOB_PENDING | 1u << JOB_RUNNING};
    struct model m;
    model_init(&m);
    int r = client_fetch(c, &get, &m, err);
    list_for_each (j, &m.all, struct job, in_all) {
        ret->pending += j->state == JOB_PENDING ? job_pending_elements(j) : 0;
        ret->running += j->state == JOB_RUNNING;
    }
    model_fini(&m);
    return r;
}

static int sdiag_ask(const struct sdiag *s, const struct cli *cli)
{
    const char *away = NULL;
    struct client *c = ask_connect_slurm(cli, &away);
    struct errtext err = {0};
    enum refusal refusal;
    struct counts n = {0};
    struct str out = STR_INIT;
    struct msg_stats *m = c ? ask_call(c, MSG_STATS, NULL, MSG_STATS_DATA, &refusal, &err) : NULL;
    if (!m || sdiag_count(c, &n, &err) < 0) {
        cli_say(cli, "slurm_get_statistics: %s", c ? SLURM_TIMEOUT : away);
        msg_free(MSG_STATS_DATA, m);
        client_free(c);
        return 1;
    }
    if (s->json)
        sdiag_print_json(&out, m, &n);
    else
        sdiag_print(&out, m, &n, client_welcome(c)->now);
    out_flush(&out);
    str_fini(&out);
    msg_free(MSG_STATS_DATA, m);
    client_free(c);
    return 0;
}

static int sdiag_run(struct cli *cli, int argc, char **argv)
{
    struct sdiag s = {0};
    int rc = 0;
    if (cli_parse(cli, &s, argc, argv, 0, NULL, &rc)) {
        if (s.reset) {
            cli_error(cli, "slurm_reset_statistics: %s", refusal_slurm(REFUSAL_NOT_SUPPORTED));
            rc = 1;
        } else {
            rc = sdiag_ask(&s, cli);
        }
    }
    free(s.cluster);
    return rc;
}

const struct command cmd_sdiag = {
    .name = "sdiag",
    .summary = N_("Show what the controller has done since it started"),
    .usage = "[OPTIONS]",
    .options = &options,
    .slurm = true,
    .run = sdiag_run,
};
