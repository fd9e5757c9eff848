/* cmd_why.c - stoker why: every cause that keeps a job from starting, with numbers, and what would help. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/base/units.h"
#include "src/base/utf8.h"
#include "src/cli/listing/texttable.h"
#include "src/cli/listing/waitreasons.h"
#include "src/cli/lookup.h"
#include "src/text/eventtext.h"
#include "src/text/jobtext.h"
#include "src/text/waittext.h"

struct why {
    bool json;
};

enum { O_JSON = 1 };

static const struct opt table[] = {{.id = O_JSON, .name = "json", .help = "print JSON"}};

static int set_option(void *ctx, __attribute__((unused)) const struct opt *o,
                      __attribute__((unused)) const char *arg, __attribute__((unused)) struct errtext *err)
{
    struct why *w = ctx;
    w->json = true;
    return 0;
}

static const struct opts options = OPTS(table, set_option);

static void foreign(struct str *out, const char *s)
{
    if (s)
        cell_text(out, s, -1, false, false);
}

static void append_clears(struct str *out, const struct why_cause *c, struct wall now)
{
    str_append(out, "clears ~");
    waits_clock(out, c->clears, &now);
}

/* The sentence that the list shows of it. */
static void append_sentence(struct str *out, const struct msg_why *w, struct wall now)
{
    struct str s = STR_INIT;
    wait_sentence(&s, &w->causes.v[0], waits_clock, &now);
    foreign(out, s.s);
    str_fini(&s);
}

/* "job 25 waits: 3 jobs ahead, starts ~14:44"; of a job that does not wait the controller's words. */
static void append_first(struct str *out, const struct msg_why *w, struct wall now)
{
    if (!w->causes.n || w->state != JOB_PENDING) {
        bool over = job_state_is_final((enum job_state)w->state);
        struct wall t = over ? w->t_past : w->until;
        foreign(out, w->summary);
        if (wall_is_set(t)) {
            str_append(out, over ? ", at " : ", ends by ");
            waits_clock(out, t, &now);
        }
        return;
    }
    str_appendf(out, "job %s: ", w->id_text ? w->id_text : "");
    append_sentence(out, w, now);
    if (w->causes.n > 1)
        str_appendf(out, " (and %zu more cause%s)", w->causes.n - 1, w->causes.n == 2 ? "" : "s");
}

/* What the first line has said already is not said again: only when it clears, without the class that would
 * stand there alone. */
static void print_cause(struct str *out, const struct msg_why *w, const struct why_cause *c,
                        struct wall now)
{
    bool is_said = c == &w->causes.v[0] && (str_is_empty(c->head) || str_eq(c->head, c->text));
    if (is_said && !wall_is_set(c->clears))
        return;
    if (is_said) {
        str_append(out, w->causes.n > 1 ? " the first cause " : " ");
        append_clears(out, c, now);
    } else {
        str_appendf(out, " %-14s ", c->class_name ? c->class_name : "");
        foreign(out, c->text);
        if (wall_is_set(c->clears)) {
            str_append(out, ", ");
            append_clears(out, c, now);
        }
    }
    str_append_char(out, '\n');
}

/* How old the forecast is, and between when half of such forecasts came true. */
static void append_range(struct str *out, const struct msg_why *w, struct wall now)
{
    char buf[UNITS_TEXT_SIZE];
    if (wall_is_set(w->made) && !w->held)
        str_appendf(out, "; %s old", duration_format_words(wall_elapsed_s(w->made, now), buf));
    str_append_char(out, ')');
    if (!wall_is_set(w->likely))
        return;
    str_append(out, "  likely ");
    waits_clock(out, w->likely, &now);
    str_append(out, " to ");
    waits_clock(out, w->unlikely, &now);
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

static void print_wrapped(const struct str *text, unsigned width)
{
    struct str out = STR_INIT;
    for (const char *at = text->s, *end; at && *at; at = end + 1) {
        end = strchr(at, '\n');
        append_wrapped(&out, at, (size_t)(end - at), width);
    }
    out_flush(&out);
    str_fini(&out);
}

static void print_why(struct str *out, const struct msg_why *w, struct wall now)
{
    append_first(out, w, now);
    str_append_char(out, '\n');
    if (!str_is_empty(w->past)) {
        str_append(out, " before: ");
        foreign(out, w->past);
        str_append(out, wall_is_set(w->t_past) ? ", at " : "");
        if (wall_is_set(w->t_past))
            waits_clock(out, w->t_past, &now);
        str_append_char(out, '\n');
    }
    bool has_start = wall_is_set(w->start_est) || !str_is_empty(w->start_basis);
    if (has_start) {
        str_append(out, wall_is_set(w->start_est) ? " start ~" : " start ");
        if (wall_is_set(w->start_est)) {
            waits_clock(out, w->start_est, &now);
            str_append_char(out, ' ');
        }
        str_append_char(out, '(');
        foreign(out, w->start_basis ? w->start_basis : "as the queue stands");
        append_range(out, w, now);
    }
    if (w->rank) {
        str_append(out, has_start ? "   " : " ");
        text_append_ordinal(out, w->rank);
        str_appendf(out, " of %u", w->rank_of);
    }
    if (has_start || w->rank)
        str_append_char(out, '\n');
    for (size_t i = 0; i < w->causes.n; i++)
        print_cause(out, w, &w->causes.v[i], now);
    if (!str_is_empty(w->advice)) {
        str_append(out, " try: ");
        foreign(out, w->advice);
        str_append_char(out, '\n');
    }
}

static void why_json(struct str *out, const struct msg_why *w, struct wall now)
{
    struct str first = STR_INIT;
    append_first(&first, w, now);
    json_begin_document(out, 1);
    json_int(out, "job", w->job);
    json_text(out, "state", w->state < JOB_N_STATES ? job_state_long((enum job_state)w->state) : "");
    json_text(out, "reason", w->reason < REASON_N ? reason_slurm((enum reason)w->reason) : "");
    json_text(out, "summary", first.s);
    str_clear(&first);
    if (w->causes.n && w->state == JOB_PENDING)
        append_sentence(&first, w, now);
    json_text(out, "sentence", first.s);
    str_fini(&first);
    json_begin_array(out, "causes");
    for (size_t i = 0; i < w->causes.n; i++) {
        const struct why_cause *c = &w->causes.v[i];
        json_begin_object(out, NULL);
        json_text(out, "class", c->class_name);
        json_text(out, "text", c->text);
        json_time(out, "clears", c->clears);
        json_end_object(out);
    }
    json_end_array(out);
    json_int(out, "rank", w->rank);
    json_int(out, "rank_of", w->rank_of);
    json_time(out, "start", w->start_est);
    json_text(out, "start_basis", w->start_basis);
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
    json_text(out, "past", w->past);
    json_time(out, "past_time", w->t_past);
    json_text(out, "advice", w->advice);
    json_text(out, "advice_key", w->advice_key);
    json_text(out, "advice_value", w->advice_value);
    json_end_document(out);
}

static void print_answer(const struct why *w, const struct msg_why *why, struct wall now)
{
    struct str out = STR_INIT;
    if (w->json) {
        why_json(&out, why, now);
        out_flush(&out);
    } else {
        print_why(&out, why, now);
        print_wrapped(&out, listing_width());
    }
    str_fini(&out);
}

/* The controller no longer has it: what became of it is in the history. */
static int answer_from_history(const struct why *w, const struct cli *cli, const char *word)
{
    struct lookup l = {0};
    struct str b = STR_INIT;
    int rc = lookup_open(&l, cli, word);
    if (rc == 0 && !l.job) {
        cli_error(cli, "%u is an array whose elements have ended: name one element, as in %u_0",
                  l.target.job, l.target.job);
        rc = 2;
    } else if (rc == 0) {
        char *id = job_format_id(l.job, 0);
        struct msg_why why = {
            .job = l.job->id, .state = l.job->state, .reason = l.job->reason, .t_past = l.job->t_end};
        jobtext_ended(&b, l.job, id);
        free(id);
        why.summary = str_take(&b);
        print_answer(w, &why, client_welcome(l.client)->now);
        rec_fini(&msg_why_rec, &why);
    }
    lookup_fini(&l);
    return rc;
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
    struct msg_why *why = ask_call(c, MSG_WHY, &body, MSG_WHY_TEXT, &refusal, &err);
    struct wall now = client_welcome(c)->now;
    client_free(c);
    if (!why)
        return refusal == REFUSAL_NO_JOB ? answer_from_history(w, cli, word)
                                         : ask_failed(cli, refusal, &err);
    print_answer(w, why, now);
    msg_free(MSG_WHY_TEXT, why);
    return 0;
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
        const char *word = only_operand(cli, &operands, "job");
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
    .summary = "Say why a job waits, when it is expected to start, and what would help",
    .usage = "[--json] JOB",
    .options = &options,
    .run = why_run,
};
