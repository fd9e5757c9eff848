/* cmd_why.c - stoker why: every cause that keeps a job from starting, with numbers, and what would help. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/listing/texttable.h"
#include "src/cli/listing/waitreasons.h"
#include "src/cli/lookup.h"
#include "src/lang/lang.h"
#include "src/model/runs.h"
#include "src/record/json.h"
#include "src/text/jobtext.h"
#include "src/text/why_text.h"
#include "src/values/units.h"

struct why {
    bool json, test;
};

static const struct opt table[] = {
    {OPT_SETS(struct why, json), .name = "json", .help = N_("print JSON")},
    {OPT_SETS(struct why, test), .name = "test-only",
     .help = N_("over a Slurm: have sbatch --test-only check the suggestion, once")}};

static const struct opts options = OPTS(table, NULL);

static void foreign(struct str *out, const char *s)
{
    if (s)
        cell_text(out, s, -1, false, false);
}

struct why_page {
    struct str *out;
    const struct msg_why *w;
    struct cause_reader reader;
};

/* What a user wrote comes filtered; so does each sentence that may hold it. */
static void append_cause(const struct why_page *p, const struct cause *c)
{
    struct str s = STR_INIT;
    cause_full(&s, c, &p->reader);
    foreign(p->out, s.s);
    str_fini(&s);
}

/* "14:25", with its day where that is not today's. */
static const char *clock_text(const struct why_page *p, struct wall t, char buf[static WALL_TEXT_SIZE])
{
    struct str clock = STR_INIT;
    waits_clock(&clock, t, p->reader.now);
    snprintf(buf, WALL_TEXT_SIZE, "%s", clock.s);
    str_fini(&clock);
    return buf;
}

static void cmd_why_append_summary(const struct why_page *p)
{
    struct str s = STR_INIT;
    why_text_summary(&s, p->w, &p->reader);
    foreign(p->out, s.s);
    str_fini(&s);
}

/* What the first line has said already is not said again: only when it clears, without the class that would
 * stand there alone. */
static void print_cause(const struct why_page *p, const struct cause *c)
{
    const struct msg_why *w = p->w;
    char clock[WALL_TEXT_SIZE];
    bool is_said = c == &w->causes.v[0] && why_text_is_brief(c, &p->reader);
    if (is_said && !wall_is_set(c->clears))
        return;
    if (is_said) {
        str_appendf(p->out, w->causes.n > 1 ? tr(" the first cause clears ~%s") : tr(" clears ~%s"),
                    clock_text(p, c->clears, clock));
    } else {
        str_appendf(p->out, " %-14s ", why_class_name((enum why_class)c->cls));
        append_cause(p, c);
        if (wall_is_set(c->clears))
            str_appendf(p->out, tr(", clears ~%s"), clock_text(p, c->clears, clock));
    }
    str_append_char(p->out, '\n');
}

/* What the start goes by, and how old the forecast is: "as the queue stands; 5 s old". */
static void append_basis(struct str *out, const struct why_page *p)
{
    const struct msg_why *w = p->w;
    char buf[UNITS_TEXT_SIZE];
    struct str basis = STR_INIT;
    if (w->basis.code != CAUSE_NONE)
        cause_full(&basis, &w->basis, &p->reader);
    else
        str_append(&basis, tr("as the queue stands"));
    foreign(out, basis.s);
    if (wall_is_set(w->made) && !w->held)
        str_appendf(out, tr("; %s old"),
                    duration_format_words(wall_elapsed_s(w->made, p->reader.now), buf));
    str_fini(&basis);
}

/* Where a line that is too long goes on: below its text, behind the class of a cause. */
static size_t indent_of(const char *line)
{
    size_t n = strspn(line, " ");
    size_t word = strspn(line + n, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    return n == 1 && word > 2 ? n + word + strspn(line + n + word, " ") : 1;
}

static void append_wrapped(struct str *out, const char *line, size_t len, size_t width)
{
    size_t indent = indent_of(line), room = width;
    while (width > 2 * indent && len > room) {
        size_t cut = room;
        while (cut && line[cut] != ' ')
            cut--;
        if (cut <= (room == width ? indent : 0)) /* a word as long as the line */
            break;
        size_t end = cut;
        while (end && line[end - 1] == ' ')
            end--;
        str_append_n(out, line, end);
        str_appendf(out, "\n%*s", (int)indent, "");
        line += cut + 1;
        len -= cut + 1;
        room = width - indent;
    }
    str_append_n(out, line, len);
    str_append_char(out, '\n');
}

static void why_print_wrapped(const struct str *text, unsigned width)
{
    struct str out = STR_INIT;
    for (const char *at = text->s, *end; at && *at; at = end + 1) {
        end = strchr(at, '\n');
        append_wrapped(&out, at, (size_t)(end - at), width);
    }
    out_flush(&out);
    str_fini(&out);
}

static void print_past(const struct why_page *p)
{
    struct str s = STR_INIT;
    struct wall t;
    char clock[WALL_TEXT_SIZE];
    why_text_past(&s, p->w, &t);
    if (s.len) {
        str_append(p->out, tr(" before: "));
        foreign(p->out, s.s);
        if (wall_is_set(t))
            str_appendf(p->out, tr(", at %s"), clock_text(p, t, clock));
        str_append_char(p->out, '\n');
    }
    str_fini(&s);
}

/* Between when half of such forecasts came true. */
static void why_append_range(const struct why_page *p)
{
    char from[WALL_TEXT_SIZE], to[WALL_TEXT_SIZE];
    str_appendf(p->out, tr(" likely %s to %s"), clock_text(p, p->w->likely, from),
                clock_text(p, p->w->unlikely, to));
}

static void print_start(const struct why_page *p)
{
    const struct msg_why *w = p->w;
    bool has_start = wall_is_set(w->start) || w->basis.code != CAUSE_NONE;
    if (has_start) {
        struct str basis = STR_INIT;
        char clock[WALL_TEXT_SIZE];
        append_basis(&basis, p);
        if (why_text_is_sooner(w))
            why_append_range(p);
        if (why_text_is_sooner(w))
            str_appendf(p->out, tr("  by the limits ~%s (%s)"), clock_text(p, w->start, clock), basis.s);
        else if (wall_is_set(w->start))
            str_appendf(p->out, tr(" start ~%s (%s)"), clock_text(p, w->start, clock), basis.s);
        else
            str_appendf(p->out, tr(" start (%s)"), basis.s);
        if (wall_is_set(w->likely) && !why_text_is_sooner(w)) {
            str_append_char(p->out, ' ');
            why_append_range(p);
        }
        str_fini(&basis);
    }
    if (w->rank) {
        str_append(p->out, has_start ? "   " : " ");
        text_append_ordinal(p->out, w->rank);
        str_appendf(p->out, tr(" of %u"), w->rank_of);
    }
    if (has_start || w->rank)
        str_append_char(p->out, '\n');
}

/* "7 pretrain of alice (4 GPUs, until ~15:59)", "8_3 sweep of bo (1 GPU, until ~14:40)". */
static void append_room_maker(const struct why_page *p, const struct plan_row *row)
{
    struct str s = STR_INIT;
    char clock[WALL_TEXT_SIZE];
    str_appendf(&s, "%u", row->array_job ? row->array_job : row->job);
    if (row->array_job && row->array_index != ARRAY_NONE)
        str_appendf(&s, "_%u", row->array_index);
    str_appendf(&s, trc("a job and its user", " %s of %s"), row->name ? row->name : "?",
                row->user ? row->user : "?");
    foreign(p->out, s.s);
    str_fini(&s);
    str_append(p->out, " (");
    if (row->gpus)
        str_appendf(p->out, trn("%u GPU", "%u GPUs", row->gpus), row->gpus);
    else
        str_appendf(p->out, trn("%u CPU", "%u CPUs", row->cpus), row->cpus);
    str_appendf(p->out, tr(", until ~%s)"), clock_text(p, row->end, clock));
}

/* Where it is expected to start, and the ends that make room there. */
static void print_room(const struct why_page *p)
{
    size_t n = why_text_room_makers(p->w);
    char clock[WALL_TEXT_SIZE];
    if (!p->w->plan.n)
        return;
    str_append(p->out, tr(" room on "));
    foreign(p->out, p->w->plan.v[0].nodes);
    str_appendf(p->out, tr(" at ~%s"), clock_text(p, p->w->plan.v[0].start, clock));
    for (size_t i = 0; i < n; i++) {
        str_append(p->out, i ? ", " : tr(", after "));
        append_room_maker(p, &p->w->plan.v[1 + i]);
    }
    str_append_char(p->out, '\n');
}

static void print_why(const struct why_page *p)
{
    const struct msg_why *w = p->w;
    cmd_why_append_summary(p);
    str_append_char(p->out, '\n');
    print_past(p);
    print_start(p);
    for (size_t i = 0; i < w->causes.n && w->state == JOB_PENDING; i++)
        print_cause(p, &w->causes.v[i]);
    print_room(p);
    if (w->advice.code == CAUSE_NONE)
        return;
    str_append(p->out, tr(" try: "));
    append_cause(p, &w->advice);
    str_append_char(p->out, '\n');
}

/* The sentence, NULL where there is none. */
static void json_cause(struct str *out, const char *key, const struct cause *c,
                       const struct cause_reader *r)
{
    struct str s = STR_INIT;
    cause_full(&s, c, r);
    json_text(out, key, c->code == CAUSE_NONE ? NULL : s.s);
    str_fini(&s);
}

static void json_past(const struct why_page *p)
{
    struct str s = STR_INIT;
    struct wall t;
    why_text_past(&s, p->w, &t);
    json_text(p->out, "past", s.len ? s.s : NULL);
    json_time(p->out, "past_time", p->w->state == JOB_PENDING ? t : p->w->run.t_end);
    str_fini(&s);
}

static void json_causes(const struct why_page *p)
{
    struct str *out = p->out;
    json_begin_array(out, "causes");
    for (size_t i = 0; i < p->w->causes.n && p->w->state == JOB_PENDING; i++) {
        const struct cause *c = &p->w->causes.v[i];
        json_begin_object(out, NULL);
        json_text(out, "class", why_class_name((enum why_class)c->cls));
        json_text(out, "code", cause_code_name((enum cause_code)c->code));
        json_cause(out, "text", c, &p->reader);
        json_time(out, "clears", c->clears);
        json_end_object(out);
    }
    json_end_array(out);
}

static void json_room(const struct why_page *p)
{
    json_begin_array(p->out, "room");
    for (size_t i = 0; i < p->w->plan.n; i++) {
        const struct plan_row *row = &p->w->plan.v[i];
        json_begin_object(p->out, NULL);
        json_text(p->out, "kind", plan_kind_name((enum plan_kind)row->kind));
        json_int(p->out, "job", row->job);
        json_text(p->out, "name", row->name);
        json_text(p->out, "user", row->user);
        json_text(p->out, "nodes", row->nodes);
        json_int(p->out, "cpus", row->cpus);
        json_int(p->out, "gpus", row->gpus);
        json_time(p->out, "start", row->start);
        json_time(p->out, "end", row->end);
        json_end_object(p->out);
    }
    json_end_array(p->out);
}

static void why_json(const struct why_page *p)
{
    const struct msg_why *w = p->w;
    struct str *out = p->out, s = STR_INIT;
    json_begin_document(out, 1);
    json_int(out, "job", w->job);
    json_text(out, "state", w->state < JOB_N_STATES ? job_state_long((enum job_state)w->state) : "");
    json_text(out, "reason", w->reason < REASON_N ? reason_slurm((enum reason)w->reason) : "");
    why_text_summary(&s, w, &p->reader);
    json_text(out, "summary", s.s);
    str_clear(&s);
    why_text_sentence(&s, w, &p->reader);
    json_text(out, "sentence", s.s);
    str_fini(&s);
    json_causes(p);
    json_int(out, "rank", w->rank);
    json_int(out, "rank_of", w->rank_of);
    json_time(out, "start", w->start);
    json_cause(out, "start_basis", &w->basis, &p->reader);
    json_bool(out, "start_is_held", w->held);
    json_time(out, "likely_from", w->likely);
    json_time(out, "likely_to", w->unlikely);
    json_time(out, "forecast_made", w->made);
    json_int(out, "forecast_samples", w->samples);
    json_begin_array(out, "blockers");
    for (size_t i = 0; i < w->blockers.n; i++) {
        json_key(out, NULL);
        str_append(out, w->blockers.v[i]); /* an id, as a number */
    }
    json_end_array(out);
    json_room(p);
    json_past(p);
    json_cause(out, "advice", &w->advice, &p->reader);
    json_text(out, "advice_key", w->advice_key);
    json_text(out, "advice_value", w->advice_value);
    json_end_document(out);
}
static void print_answer(const struct why *w, const struct msg_why *why, const struct msg_welcome *to)
{
    struct str out = STR_INIT;
    char *release = xasprintf(tr("`stoker release %u` releases it"), why->job);
    struct why_page p = {
        .out = &out, .w = why, .reader = {.clock = waits_clock, .now = to->now, .release = release}};
    if (w->json) {
        why_json(&p);
        out_flush(&out);
    } else {
        p.reader.user = why->uid == to->uid ? why->user : NULL;
        print_why(&p);
        why_print_wrapped(&out, listing_width());
    }
    free(release);
    str_fini(&out);
}

/* The controller no longer has it: what became of it is in the history. */
static int answer_from_history(const struct why *w, const struct cli *cli, const char *word)
{
    struct job_lookup l = {0};
    int rc = lookup_open(&l, cli, word);
    if (rc == 0 && !l.job) {
        cli_error(cli, tr("%u is an array whose elements have ended: name one element, as in %u_0"),
                  l.target.job, l.target.job);
        rc = 2;
    } else if (rc == 0) {
        struct msg_why why = {.job = l.job->id,
                              .id = job_format_id(l.job, 0),
                              .uid = l.job->uid,
                              .user = xstrdup(l.job->user),
                              .state = l.job->state,
                              .reason = l.job->reason};
        run_summary(l.job, &why.run);
        print_answer(w, &why, client_welcome(l.client));
        rec_fini(&msg_why_rec, &why);
    }
    lookup_fini(&l);
    return rc;
}

/* One call of another engine: a job like this one with the suggestion, or as it is where there is none. */
static int ask_test(const struct cli *cli, struct client *c, const struct job_target *target,
                    const struct msg_why *why)
{
    struct msg_update m = {.target = *target};
    struct cause_reader reader = {.clock = waits_clock, .now = client_welcome(c)->now};
    struct errtext err = {0};
    enum refusal refusal;
    struct str s = STR_INIT, out = STR_INIT;
    if (!client_welcome(c)->engine) {
        cli_error(cli, tr("--test-only is for a cluster that Slurm schedules"));
        return 2;
    }
    if (!str_is_empty(why->advice_key))
        strv_push_take(&m.changes, xasprintf("%s=%s", why->advice_key, why->advice_value));
    struct msg_result *r = ask_call(c, MSG_TRY, &m, MSG_RESULT, &refusal, &err);
    strv_fini(&m.changes);
    if (!r)
        return ask_failed(cli, refusal, &err);
    if (r->count)
        str_append(&s, tr("such a job would start at once"));
    else if (r->cause.code != CAUSE_NONE)
        cause_full(&s, &r->cause, &reader);
    else
        str_append(&s, r->text ? r->text : "?");
    str_append(&out, tr(" test: "));
    foreign(&out, s.s);
    str_append_char(&out, '\n');
    out_flush(&out);
    msg_free(MSG_RESULT, r);
    str_fini(&s);
    str_fini(&out);
    return 0;
}

static int ask_why(const struct why *w, const struct cli *cli, const char *word,
                   const struct job_target *target)
{
    struct client *c = ask_connect(cli);
    struct msg_job body = {.target = *target};
    struct errtext err = {0};
    enum refusal refusal;
    if (!c)
        return EXIT_AWAY;
    struct msg_why *why = ask_call(c, MSG_WHY, &body, MSG_WHY_CAUSES, &refusal, &err);
    int rc = 0;
    if (why) {
        print_answer(w, why, client_welcome(c));
        rc = w->test ? ask_test(cli, c, target, why) : 0;
    }
    client_free(c);
    if (!why)
        return refusal == REFUSAL_NO_JOB ? answer_from_history(w, cli, word)
                                         : ask_failed(cli, refusal, &err);
    msg_free(MSG_WHY_CAUSES, why);
    return rc;
}

static int why_run(struct cli *cli, int argc, char **argv)
{
    struct why w = {0};
    struct strv operands = {0};
    struct job_target target;
    uint32_t task;
    struct errtext err = {0};
    int rc = 0;
    if (cli_parse(cli, &w, argc, argv, 0, &operands, &rc)) {
        if (w.json)
            lang_pause();
        const char *word = only_job(cli, &operands);
        if (word && target_parse_one(word, &target, &task, &err) == 0) {
            rc = ask_why(&w, cli, word, &target);
        } else {
            if (word)
                cli_error(cli, "%s", err.s);
            rc = 2;
        }
    }
    strv_fini(&operands);
    return rc;
}

const struct command cmd_why = {
    .name = "why",
    .summary = N_("Say why a job waits, when it is expected to start, and what would help"),
    .usage = "[--json] [--test-only] JOB",
    .options = &options,
    .run = why_run,
};
