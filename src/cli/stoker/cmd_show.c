/* cmd_show.c - stoker show: a job with its steps and tasks as a tree.
 *
 *     4711_3  train            R running
 *       user       alice (vision), partition main, account vision
 *       time       1:02:03 of 4:00:00, since 2026-11-21T12:03:04
 *       ...
 *     STEP       STATE     WHERE            TIME  EXIT  PEAK    CPU TIME  WHAT
 *     batch      running   n01 cpus 0-3  1:02:03
 *     0          done      n01              5:00   0:0  1.2 GB      3:22  prepare
 *       .0       done      n01 cpus 0
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/cli/listing/columns.h"
#include "src/cli/listing/jobtable.h"
#include "src/cli/listing/waitreasons.h"
#include "src/cli/lookup.h"
#include "src/cli/stoker/commands.h"
#include "src/cli/stoker/show_tree.h"
#include "src/jobenv/filename.h"
#include "src/lang/lang.h"
#include "src/model/runs.h"
#include "src/model/stepstate.h"
#include "src/record/json.h"
#include "src/text/eventtext.h"
#include "src/text/exit_text.h"
#include "src/text/jobtext.h"
#include "src/text/state_text.h"
#include "src/text/steptext.h"
#include "src/values/units.h"

struct show {
    bool json;
};

static const struct opt table[] = {{OPT_SETS(struct show, json), .name = "json", .help = N_("print JSON")}};

static const struct opts options = OPTS(table, NULL);

/* --- the page --- */

static const char *const labels[] = {
    N_("allocated"), N_("borrowed"),  N_("command"),  N_("comment"), N_("depends on"), N_("directory"),
    N_("errors"),    N_("exit"),      N_("features"), N_("output"),  N_("preempted"),  N_("requested"),
    N_("state"),     N_("submitted"), N_("time"),     N_("user"),
};

/* Cells of the widest label. */
static int label_width(void)
{
    int width = 0;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        int w = cell_width(tr(labels[i]));
        width = w > width ? w : width;
    }
    return width;
}

static void line(struct str *out, const char *key, const char *value)
{
    if (str_is_empty(value))
        return;
    str_appendf(out, "  %s%*s ", tr(key), label_width() - cell_width(tr(key)), "");
    cell_text(out, value, -1, false, false);
    str_append_char(out, '\n');
}

/* "1:02:03 of 4:00:00, started 2026-11-21T12:03:04". */
static void append_run_times(struct str *out, const struct job *j, const struct job_cx *cx)
{
    struct str elapsed = STR_INIT, limit = STR_INIT;
    char start[WALL_TEXT_SIZE], end[WALL_TEXT_SIZE];
    jobtext_elapsed(&elapsed, j, cx->now);
    jobtext_limit(&limit, j, cx->m);
    wall_format_iso(j->t_start, start);
    if (wall_is_set(j->t_end))
        str_appendf(out, tr("%s of %s, started %s, ended %s"), elapsed.s, limit.s, start,
                    wall_format_iso(j->t_end, end));
    else
        str_appendf(out, tr("%s of %s, started %s"), elapsed.s, limit.s, start);
    str_fini(&elapsed);
    str_fini(&limit);
}

static void state_line(struct str *out, const struct job *j, const struct job_cx *cx,
                       const struct waits *waits)
{
    struct str s = STR_INIT;
    char iso[WALL_TEXT_SIZE];
    str_append(&s, job_state_word((enum job_state)j->state));
    if (j->state == JOB_PENDING) {
        str_append(&s, ": ");
        waits_append(&s, waits, j);
    } else {
        struct str nodes = STR_INIT, failure = STR_INIT;
        if (j->state != JOB_FAILED || !jobtext_failure(&failure, j)) /* it says where */
            jobtext_nodes(&nodes, j);
        str_fini(&failure);
        if (nodes.len)
            str_appendf(&s, tr(" on %s"), nodes.s);
        str_fini(&nodes);
    }
    if (j->kill_cause && j->kill_cause < KILL_N_CAUSES &&
        (j->state == JOB_COMPLETING || j->state == JOB_CANCELLED || j->state == JOB_PREEMPTED)) {
        str_append(&s, ": ");
        jobtext_kill(&s, j);
    } else if (job_state_is_final((enum job_state)j->state)) {
        struct str why = STR_INIT;
        jobtext_reason_words(&why, j);
        if (why.len)
            str_appendf(&s, ": %s", why.s);
        str_fini(&why);
    }
    jobtext_restarts(&s, j);
    line(out, "state", s.s);
    str_clear(&s);
    if (wall_is_set(j->t_start) && j->state != JOB_PENDING) {
        append_run_times(&s, j, cx);
    } else {
        struct str limit = STR_INIT;
        jobtext_limit(&limit, j, cx->m);
        struct wall begin = req_detail(&j->req)->begin;
        if (wall_is_set(begin))
            str_appendf(&s, tr("limit %s, not before %s"), limit.s, wall_format_iso(begin, iso));
        else
            str_appendf(&s, tr("limit %s"), limit.s);
        str_fini(&limit);
    }
    line(out, "time", s.s);
    str_clear(&s);
    str_append(&s, wall_format_iso(j->t_submit, iso));
    if (job_origin(j)->submit_host)
        str_appendf(&s, tr(" from %s"), job_origin(j)->submit_host);
    line(out, "submitted", s.s);
    str_clear(&s);
    struct str rule = STR_INIT;
    if (jobtext_preempted_by_rule(&rule, j)) {
        cell_text(&s, rule.s, -1, false, false);
        line(out, "preempted", s.s);
        str_clear(&s);
    }
    str_fini(&rule);
    if (j->borrowed)
        line(out, "borrowed", tr("over a soft limit: it has to go when another job needs what it holds"));
    if (job_state_is_final((enum job_state)j->state)) {
        const char *meaning = j->exit_signal ? NULL : exit_text_meaning(j->exit_code);
        jobtext_exit(&s, j);
        if (meaning)
            str_appendf(&s, " (%s)", meaning);
        line(out, "exit", s.s);
    }
    str_fini(&s);
}

static void resources_line(struct str *out, const struct job *j)
{
    struct str amounts = STR_INIT, s = STR_INIT;
    char buf[UNITS_TEXT_SIZE];
    uint32_t cpus = job_cpus(j), gpus = job_gpus(j), nodes = job_nodes(j);
    str_appendf(&amounts, trn("%u CPU", "%u CPUs", cpus), cpus);
    const char *type = req_detail(&j->req)->gpu_type;
    if (gpus && type)
        str_appendf(&amounts, trn(", %u GPU %s", ", %u GPUs %s", gpus), gpus, type);
    else if (gpus)
        str_appendf(&amounts, trn(", %u GPU", ", %u GPUs", gpus), gpus);
    if (job_mem_mib(j))
        str_appendf(&amounts, ", %s", mem_format_words(job_mem_mib(j) * 1024, buf));
    str_appendf(&s, trn("%s on %u node", "%s on %u nodes", nodes), amounts.s, nodes);
    bool holds = j->kind == JOB_KIND_STEPS ? job_live_tasks(j) > 0
                                           : wall_is_set(j->t_start) && j->state != JOB_PENDING;
    line(out, holds ? "allocated" : "requested", s.s);
    str_fini(&amounts);
    str_fini(&s);
}

/* A node that shares no files keeps its outputs. */
static void output_line(struct str *out, const char *what, const char *path, const struct job *j,
                        const struct job_cx *cx)
{
    const char *node = j->alloc.n ? j->alloc.v[0].node : NULL;
    const struct node_spec *n = spec_find_node(&cx->m->spec, node);
    if (!path)
        return;
    char *text = n && n->own_files ? xasprintf(tr("%s (on %s)"), path, node) : xstrdup(path);
    line(out, what, text);
    free(text);
}

static void job_head(struct str *out, const struct job *j, const struct job_cx *cx,
                     const struct waits *waits)
{
    struct str s = STR_INIT;
    jobtext_id(out, j, cx->bitstr_len);
    str_append(out, "  ");
    cell_text(out, j->req.name ? j->req.name : "", -1, false, false);
    str_appendf(out, "  %c %s\n", job_glyph(j), job_state_word((enum job_state)j->state));
    str_appendf(&s, "%s", j->user ? j->user : "?");
    if (j->req.account)
        str_appendf(&s, tr(", account %s"), j->req.account);
    const char *partition = job_partition_text(j);
    str_appendf(&s, tr(", partition %s"), partition ? partition : "?");
    if (req_detail(&j->req)->qos)
        str_appendf(&s, tr(", qos %s"), req_detail(&j->req)->qos);
    if (!job_state_is_final((enum job_state)j->state)) /* an ended job has none */
        str_appendf(&s, tr(", priority %u"), j->priority);
    line(out, "user", s.s);
    str_fini(&s);
    state_line(out, j, cx, waits);
    resources_line(out, j);
    line(out, "command", job_origin(j)->command);
    line(out, "directory", j->req.workdir);
    if (j->kind == JOB_KIND_BATCH) {
        char *path = job_stdout_pattern(j), *err = job_stderr_pattern(j);
        output_line(out, "output", path, j, cx);
        if (!str_eq(path, err))
            output_line(out, "errors", err, j, cx);
        free(path);
        free(err);
    }
    line(out, "depends on", j->req.dependency);
    line(out, "features", req_detail(&j->req)->features);
    line(out, "comment", req_rare(&j->req)->comment);
}

/* --- what has happened to it --- */

static void events(struct str *out, const struct job *j)
{
    static const struct table_col events_columns[] = {{.title = N_("WHEN")}, {.title = N_("EVENT")}};
    static const enum tone tones[] = {[MOMENT_NORMAL] = TONE_PLAIN,
                                      [MOMENT_STRONG] = TONE_PLAIN,
                                      [MOMENT_WARN] = TONE_WAIT,
                                      [MOMENT_ERROR] = TONE_BAD};
    struct texttable t = TEXTTABLE_INIT(events_columns);
    struct job_moments m;
    char iso[WALL_TEXT_SIZE];
    jobevents_list(j, &m);
    vec_for_each (&m.v, i) {
        texttable_add(&t, TONE_DIM, wall_format_iso(m.v.v[i].t, iso));
        texttable_add(&t, tones[m.v.v[i].tone], m.v.v[i].text);
    }
    str_append_char(out, '\n');
    texttable_print(&t, out, listing_width(), color_is_welcome());
    texttable_fini(&t);
    job_moments_fini(&m);
}

/* --- JSON --- */

static void events_json(struct str *out, const struct job *j)
{
    struct job_moments m;
    jobevents_list(j, &m);
    json_begin_array(out, "events");
    vec_for_each (&m.v, i) {
        json_begin_object(out, NULL);
        json_int(out, "time", m.v.v[i].t.ms / MS_PER_S);
        json_text(out, "event", m.v.v[i].text);
        json_end_object(out);
    }
    json_end_array(out);
    job_moments_fini(&m);
}

/* The earlier ones and the last: what sacct -D lists. */
static void runs_json(struct str *out, const struct job *j)
{
    struct run_record r;
    json_begin_array(out, "runs");
    for (uint32_t k = 0, n = runs_count(j); k < n; k++) {
        const struct job *run = run_get(j, k, &r);
        struct str s = STR_INIT;
        if (!wall_is_set(run->t_start) || run->state == JOB_PENDING)
            continue;
        json_begin_object(out, NULL);
        json_text(out, "state", job_state_long((enum job_state)run->state));
        json_text(out, "partition", run->partition);
        jobtext_nodes(&s, run);
        json_text(out, "nodes", s.s);
        json_int(out, "start", run->t_start.ms / MS_PER_S);
        json_int(out, "end", run->t_end.ms / MS_PER_S);
        str_clear(&s);
        if (job_state_is_final((enum job_state)run->state))
            jobtext_end(&s, run);
        json_text(out, "ended", s.s);
        json_int(out, "preempted_by", run->kill_cause == KILL_PREEMPT ? job_rare(run)->preempted_by : 0);
        json_end_object(out);
        str_fini(&s);
    }
    json_end_array(out);
}

static void task_json(struct str *out, const struct task *k)
{
    char *cpus = cpuset_format(&k->alloc.cpus), *gpus = cpuset_format(&k->alloc.gpus);
    json_begin_object(out, NULL);
    json_int(out, "task", k->index);
    json_text(out, "state", task_state_text((enum task_state)k->state));
    json_text(out, "node", k->alloc.node);
    json_text(out, "cpus", cpus);
    json_text(out, "gpus", gpus);
    json_int(out, "mem_mib", (int64_t)k->alloc.mem_mib);
    json_int(out, "attempt", k->attempt);
    json_int(out, "ranks", k->n_ranks);
    json_int(out, "node_index", k->part);
    json_int(out, "start", k->t_start.ms / MS_PER_S);
    json_int(out, "end", k->t_end.ms / MS_PER_S);
    json_text(out, "end_kind", end_kind_text((enum end_kind)k->end_kind));
    json_int(out, "code", k->code);
    json_int(out, "signal", k->signal);
    json_int(out, "peak_rss_kib", (int64_t)k->peak_rss_kib);
    json_text(out, "sampled", k->sampled);
    json_int(out, "cpu_ms", (int64_t)k->cpu_ms);
    if (k->gpu_use.measured_s) {
        json_int(out, "gpu_percent", k->gpu_use.permille / 10);
        json_int(out, "gpu_peak_mib", k->gpu_use.peak_mib);
        json_int(out, "gpus_unused", k->gpu_use.unused);
        json_int(out, "gpu_measured_s", k->gpu_use.measured_s);
    }
    struct str message = STR_INIT;
    tasktext_message(&message, k);
    json_text(out, "message", message.s);
    str_fini(&message);
    json_end_object(out);
    free(cpus);
    free(gpus);
}

static void show_step_json(struct str *out, const struct job *j, const struct step *s, uint32_t task)
{
    char id[16];
    json_begin_object(out, NULL);
    json_text(out, "step", step_format_id(s->id, id));
    json_text(out, "name", s->name);
    json_text(out, "command", s->command);
    json_bool(out, "done", s->done);
    json_int(out, "start", s->t_start.ms / MS_PER_S);
    json_int(out, "end", s->t_end.ms / MS_PER_S);
    struct step_exit end = step_exit(j, s);
    json_int(out, "code", end.code);
    json_int(out, "signal", end.signal);
    json_begin_array(out, "tasks");
    for (size_t i = 0; i < s->tasks.n; i++)
        if (task == NOT_GIVEN || s->tasks.v[i].index == task)
            task_json(out, &s->tasks.v[i]);
    json_end_array(out);
    json_end_object(out);
}

static void job_page_json(struct str *out, const struct job_lookup *l, const struct job_cx *cx)
{
    struct job_row row = {.job = l->job, .element = ARRAY_NONE};
    json_begin_document(out, 1);
    json_key(out, "job");
    columns_to_json(out, &job_columns, &row, cx);
    json_bool(out, "borrowed", l->job->borrowed);
    json_int(out, "preempted_by", job_rare(l->job)->preempted_by);
    struct str rule = STR_INIT;
    jobtext_preempted_by_rule(&rule, l->job);
    json_text(out, "preempted_why", rule.s);
    str_fini(&rule);
    runs_json(out, l->job);
    events_json(out, l->job);
    json_begin_array(out, "steps");
    for (size_t i = 0; i < l->job->steps.n; i++)
        if (!l->step || &l->job->steps.v[i] == l->step)
            show_step_json(out, l->job, &l->job->steps.v[i], l->task);
    json_end_array(out);
    json_end_document(out);
}

/* --- the command --- */

/* Elements by their index; the row of those that still wait stands behind them. */
static int by_index(const void *pa, const void *pb)
{
    const struct job *a = *(const struct job *const *)pa, *b = *(const struct job *const *)pb;
    uint32_t x = a->array_index, y = b->array_index;
    return x != y ? (x < y ? -1 : 1) : a->id < b->id ? -1 : a->id > b->id;
}

static void show_many(const struct show *s, const struct job_lookup *l, const struct job_cx *cx,
                      struct str *out)
{
    struct job_list list = {.v = VEC_INIT};
    list_for_each (j, &l->m.all, struct job, in_all)
        if (job_is_named(j, l->target.job, l->target.array_index))
            vec_push(&list.v, j);
    if (list.v.n)
        qsort(list.v.v, list.v.n, sizeof *list.v.v, by_index);
    if (s->json)
        job_list_json(&list, cx, out);
    else
        job_list_print(&list, cx, out);
    vec_fini(&list.v);
}

static void show_one(const struct show *s, const struct job_lookup *l, const struct job_cx *cx,
                     struct str *out)
{
    if (s->json) {
        job_page_json(out, l, cx);
        return;
    }
    struct waits waits = WAITS_INIT;
    if (!l->step) {
        waits_ask(&waits, l->client, &l->job, 1);
        job_head(out, l->job, cx, &waits);
    }
    waits_fini(&waits);
    show_tree(out, l);
    if (!l->step)
        events(out, l->job);
}

/* A job begins with its number; a word that does not is a node, with the options of that command. */
static bool show_is_node(const char *word)
{
    return !isdigit((unsigned char)*word);
}

static int show_run(struct cli *cli, int argc, char **argv)
{
    struct show s = {0};
    struct strv operands = {0};
    int rc = 0;
    if (cli_parse(cli, &s, argc, argv, 0, &operands, &rc)) {
        const char *word = only_job(cli, &operands);
        struct job_lookup l = {0};
        rc = 2;
        if (word && show_is_node(word)) {
            rc = cmd_nodes.run(cli, argc, argv);
        } else if (word) {
            rc = lookup_open(&l, cli, word);
            if (rc == 0) {
                struct job_cx cx = job_cx_from_env(&l.m);
                struct str out = STR_INIT;
                if (l.job)
                    show_one(&s, &l, &cx, &out);
                else
                    show_many(&s, &l, &cx, &out);
                out_flush(&out);
                str_fini(&out);
            }
            lookup_fini(&l);
        }
    }
    strv_fini(&operands);
    return rc;
}

const struct command cmd_show = {
    .name = "show",
    .summary = N_("Show a job with its steps and tasks, or a node with its events"),
    .usage = "[--json] JOB[.STEP[.TASK]] | NODE",
    .options = &options,
    .run = show_run,
};
