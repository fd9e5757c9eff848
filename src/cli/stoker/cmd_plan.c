/* cmd_plan.c - stoker plan: what runs, for whom places are held, when the others can expect to start,
 * windows; and what would change if nodes were drained or the configuration were another. */
#include <stdlib.h>
#include <string.h>

#include "src/cli/ask.h"
#include "src/cli/listing/texttable.h"
#include "src/cli/listing/waitreasons.h"
#include "src/cli/stoker/plan_score.h"
#include "src/cli/stoker/planopts.h"
#include "src/lang/lang.h"
#include "src/os/exe_path.h"
#include "src/record/json.h"
#include "src/values/units.h"

#define PROGRAM "stoker-sim" /* has the scheduler in it */

static const struct opt table[] = {
    {OPT_TEXT(struct plan_options, config), .name = "config", .meta = "FILE",
     .help = N_("what would change with this configuration")},
    {OPT_TEXT(struct plan_options, drain), .name = "drain", .meta = "NODES",
     .help = N_("what would change if these nodes took nothing more")},
    {OPT_SETS(struct plan_options, json), .name = "json", .help = N_("print JSON")},
    {OPT_NAMES(struct plan_options, partitions), .name = "partition", .letter = 'p', .meta = "LIST",
     .help = N_("jobs of these partitions alone")},
    {OPT_SETS(struct plan_options, score), .name = "score", .help = N_("how forecasts came true")},
    {OPT_NAMES(struct plan_options, users), .name = "user", .letter = 'u', .meta = "LIST",
     .help = N_("jobs of these users alone")},
};

static const struct opts options = OPTS(table, NULL);

void plan_options_fini(struct plan_options *p)
{
    strv_fini(&p->users);
    strv_fini(&p->partitions);
    free(p->drain);
    free(p->config);
}

bool plan_options_parse(struct plan_options *ret, const struct cli *cli, int argc, char **argv, int *ret_rc)
{
    *ret = (struct plan_options){0};
    bool ok = cli_parse(cli, ret, argc, argv, 0, NULL, ret_rc);
    if (!ok)
        plan_options_fini(ret);
    return ok;
}

/* --- text --- */

/* "14:25", with its day where that is not today's; "-" where it is not known. */
static void add_clock(struct texttable *t, struct wall at, struct wall now)
{
    char a[WALL_TEXT_SIZE], b[WALL_TEXT_SIZE];
    if (!wall_is_set(at)) {
        texttable_add(t, TONE_DIM, NULL);
        return;
    }
    wall_format_iso(at, a);
    wall_format_iso(now, b);
    if (strncmp(a, b, 10) == 0)
        texttable_addf(t, TONE_PLAIN, "%.5s", a + 11);
    else
        texttable_addf(t, TONE_PLAIN, "%.5s %.5s", a + 5, a + 11);
}

static const char *kind_word(enum plan_kind k)
{
    switch (k) {
    case PLAN_RUNNING: return trc("of a plan", "running");
    case PLAN_HELD: return trc("of a plan", "reserved");
    case PLAN_FORECAST: return trc("of a plan", "forecast");
    case PLAN_BEYOND: return trc("of a plan", "beyond");
    case PLAN_WINDOW: return trc("of a plan", "window");
    case PLAN_UNKNOWN:
    case PLAN_N_KINDS: break;
    }
    return trc("of a plan", "unknown");
}

static enum tone tone_of(enum plan_kind k)
{
    switch (k) {
    case PLAN_RUNNING: return TONE_GOOD;
    case PLAN_HELD:
    case PLAN_FORECAST: return TONE_WAIT;
    case PLAN_WINDOW: return TONE_WARN;
    case PLAN_BEYOND:
    case PLAN_UNKNOWN:
    case PLAN_N_KINDS: break;
    }
    return TONE_DIM;
}

static void add_id(struct texttable *t, const struct plan_row *r)
{
    if (!r->job)
        texttable_add(t, TONE_PLAIN, "");
    else if (r->array_job && r->array_index != UINT32_MAX)
        texttable_addf(t, TONE_PLAIN, "%u_%u", r->array_job, r->array_index);
    else
        texttable_addf(t, TONE_PLAIN, r->count > 1 ? "%u (%u)" : "%u", r->job, r->count);
}

static void plan_add_count(struct texttable *t, uint32_t n)
{
    if (n)
        texttable_addf(t, TONE_PLAIN, "%u", n);
    else
        texttable_add(t, TONE_DIM, "");
}

/* Where it runs or will; of what has no start, why. */
static void add_where(struct texttable *t, const struct plan_row *r)
{
    if (r->nodes && r->kind == PLAN_FORECAST)
        texttable_addf(t, TONE_DIM, "~%s", r->nodes); /* by the forecast: nothing is reserved there */
    else if (r->nodes)
        texttable_add(t, TONE_PLAIN, r->nodes);
    else if (r->kind == PLAN_UNKNOWN || r->kind == PLAN_BEYOND)
        texttable_addf(t, TONE_DIM, "(%s)",
                       r->reason < REASON_N ? reason_slurm((enum reason)r->reason) : "");
    else
        texttable_add(t, TONE_DIM, "");
}

/* The planner's starts are forecasts, whose own the other engine has stands beside them. */
static void append_engine_starts(struct str *out, const struct msg_plan *p, const char *engine)
{
    struct str list = STR_INIT;
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct plan_row *r = &p->rows.v[i];
        if (!wall_is_set(r->engine_start))
            continue;
        str_appendf(&list, "%s%u ~", list.len ? ", " : "", r->job);
        waits_clock(&list, r->engine_start, p->now);
    }
    str_append(out, tr("The starts of waiting jobs are forecasts of Stoker's planner.\n"));
    if (list.len)
        str_appendf(out, tr("%1$s itself expects: %2$s\n"), engine, list.s);
    str_fini(&list);
}

/* engine: what schedules there; NULL: Stoker. */
static void print_text(const struct msg_plan *p, const char *engine)
{
    static const struct table_col cols[] = {
        {.title = N_("START")},
        {.title = N_("END")},
        {.title = N_("WHAT")},
        {.title = N_("JOB")},
        {.title = N_("NAME"), .flex = 8, .max = 24},
        {.title = N_("USER"), .flex = 6, .drop = 1},
        {.title = N_("PARTITION"), .flex = 6, .drop = 2},
        {.title = N_("CPUS"), .right = true, .drop = 3},
        {.title = N_("GPUS"), .right = true},
        {.title = N_("NODES"), .flex = 8},
    };
    struct texttable t = TEXTTABLE_INIT(cols);
    struct str out = STR_INIT;
    char buf[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct plan_row *r = &p->rows.v[i];
        enum plan_kind kind = r->kind < PLAN_N_KINDS ? (enum plan_kind)r->kind : PLAN_UNKNOWN;
        add_clock(&t, r->start, p->now);
        add_clock(&t, r->end, p->now);
        texttable_add(&t, tone_of(kind), r->borrowed ? trc("of a plan", "borrowed") : kind_word(kind));
        add_id(&t, r);
        texttable_add(&t, TONE_PLAIN, r->name ? r->name : "");
        texttable_add(&t, TONE_PLAIN, r->user ? r->user : "");
        texttable_add(&t, TONE_PLAIN, r->partition ? r->partition : "");
        plan_add_count(&t, r->cpus);
        plan_add_count(&t, r->gpus);
        add_where(&t, r);
    }
    if (p->rows.n)
        texttable_print(&t, &out, listing_width(), color_is_welcome());
    else
        str_append(&out, tr("Nothing runs, nothing waits, and no window is planned.\n"));
    if (p->n_more)
        str_appendf(&out, trn("and %u more\n", "and %u more\n", p->n_more), p->n_more);
    if (wall_is_set(p->made) && p->rows.n)
        str_appendf(&out, tr("Starts and ends go by time limits: the latest, as the queue stood %s ago.\n"),
                    duration_format_words(wall_elapsed_s(p->made, p->now), buf));
    if (engine)
        append_engine_starts(&out, p, engine);
    out_flush(&out);
    str_fini(&out);
    texttable_fini(&t);
}

/* --- JSON --- */

static void plan_row_json(struct str *out, const struct plan_row *r)
{
    enum plan_kind kind = r->kind < PLAN_N_KINDS ? (enum plan_kind)r->kind : PLAN_UNKNOWN;
    bool waits = kind != PLAN_RUNNING && kind != PLAN_WINDOW;
    json_begin_object(out, NULL);
    json_text(out, "kind", plan_kind_name(kind));
    json_int(out, "job", r->job);
    json_int(out, "array_job", r->array_job);
    json_count(out, "array_index", r->array_index);
    json_int(out, "count", r->count);
    json_text(out, "name", r->name);
    json_text(out, "user", r->user);
    json_text(out, "partition", r->partition);
    json_text(out, "nodes", r->nodes);
    json_int(out, "n_nodes", r->n_nodes);
    json_int(out, "cpus", r->cpus);
    json_int(out, "gpus", r->gpus);
    json_time(out, "start", r->start);
    json_time(out, "end", r->end);
    json_time(out, "likely_from", r->likely);
    json_time(out, "likely_to", r->unlikely);
    json_text(out, "reason", waits && r->reason < REASON_N ? reason_slurm((enum reason)r->reason) : "");
    json_int(out, "priority", r->priority);
    json_bool(out, "borrowed", r->borrowed);
    json_time(out, "engine_start", r->engine_start);
    json_time(out, "busy_until", r->busy_until);
    json_end_object(out);
}

static void plan_print_json(const struct msg_plan *p)
{
    struct str out = STR_INIT;
    json_begin_document(&out, 2);
    json_time(&out, "now", p->now);
    json_time(&out, "forecast_made", p->made);
    json_int(&out, "forecast_samples", p->samples);
    json_int(&out, "more", p->n_more);
    json_begin_array(&out, "rows");
    for (size_t i = 0; i < p->rows.n; i++)
        plan_row_json(&out, &p->rows.v[i]);
    json_end_array(&out);
    json_end_document(&out);
    out_flush(&out);
    str_fini(&out);
}

static void plan_print_score(const struct msg_plan *p, bool json)
{
    struct str out = STR_INIT;
    if (json) {
        json_begin_document(&out, 2);
        json_time(&out, "now", p->now);
        plan_score_json(&p->scores, &out);
        json_end_document(&out);
    } else {
        plan_score_text(&p->scores, &out);
    }
    out_flush(&out);
    str_fini(&out);
}

static int show_plan(const struct cli *cli, struct plan_options *o)
{
    struct client *c = ask_connect(cli);
    struct errtext err = {""};
    enum refusal refusal = REFUSAL_NONE;
    if (!c)
        return EXIT_AWAY;
    struct msg_plan_get body = {
        .users = o->users, .partitions = o->partitions, .rows_max = o->score ? 1 : 0};
    struct msg_plan *p = ask_call(c, MSG_PLAN, &body, MSG_PLAN_DATA, &refusal, &err);
    int rc = p ? 0 : ask_failed(cli, refusal, &err);
    if (p && o->score)
        plan_print_score(p, o->json);
    else if (p && o->json)
        plan_print_json(p);
    else if (p)
        print_text(p, client_welcome(c)->engine);
    if (p)
        msg_free(MSG_PLAN_DATA, p);
    client_free(c);
    return rc;
}

/* Returns a negative errno where it cannot be started. */
static int exec_what_if(int argc, char **argv)
{
    char **args = xcalloc((size_t)argc + 2, sizeof *args);
    args[0] = xstrdup(PROGRAM);
    args[1] = xstrdup("what-if");
    for (int i = 1; i < argc; i++)
        args[i + 1] = argv[i];
    int r = exe_path_exec(PROGRAM, args);
    free(args[0]);
    free(args[1]);
    free(args);
    return r;
}

static int plan_run(struct cli *cli, int argc, char **argv)
{
    struct plan_options o;
    int rc = 0;
    if (!plan_options_parse(&o, cli, argc, argv, &rc))
        return rc;
    if (o.score && (o.drain || o.config || o.users.n || o.partitions.n)) {
        cli_error(cli, tr("--score covers all jobs: it can be combined only with --json"));
        rc = 2;
    } else if (o.drain || o.config) {
        cli_error(cli, PROGRAM ": %s", strerror(-exec_what_if(argc, argv)));
        rc = 1;
    } else {
        rc = show_plan(cli, &o);
    }
    plan_options_fini(&o);
    return rc;
}

const struct command cmd_plan = {
    .name = "plan",
    .summary =
        N_("Show what runs and when the others can expect to start, or what a change would do to that"),
    .usage = "[--json] [--score] [-u USERS] [-p PARTITIONS] [--drain NODES] [--config FILE]",
    .options = &options,
    .run = plan_run,
};
