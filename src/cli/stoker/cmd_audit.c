/* cmd_audit.c - stoker audit: who asked the controller for what, and what came of it. */
#include <poll.h>
#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/cli/ask.h"
#include "src/cli/listing/texttable.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/record/json.h"
#include "src/values/time_parse.h"

#define SINCE_S    (24 * 3600)
#define FOLLOW_MS  1000
#define JOBS_SHOWN 6 /* in a column */

struct audit_options {
    struct msg_audit q;
    bool json, follow;
    size_t n; /* lines printed */
};

enum { O_SINCE = 1, O_UNTIL, O_USER, O_JOB, O_NODE, O_REQUEST };

static const struct opt table[] = {
    /* clang-format off */
    {OPT_SETS(struct audit_options, follow), .name = "follow", .letter = 'f', .help = N_("go on and print new lines as they come")},
    {.id = O_JOB, .name = "job", .letter = 'j', .arg = OPT_REQUIRED, .meta = "JOB", .help = N_("requests that name this job or array")},
    {OPT_SETS(struct audit_options, json), .name = "json", .help = N_("print JSON; with --follow an object on each line")},
    {.id = O_NODE, .name = "node", .letter = 'w', .arg = OPT_REQUIRED, .meta = "LIST", .help = N_("requests that came through these nodes; local: from the machine of the controller")},
    {OPT_SETS(struct audit_options, q.refused), .name = "refused", .help = N_("only requests that were refused")},
    {.id = O_REQUEST, .name = "request", .letter = 'r', .arg = OPT_REQUIRED, .meta = "LIST", .help = N_("only these requests: submit, cancel, update, drain ...")},
    {.id = O_SINCE, .name = "since", .letter = 'S', .arg = OPT_REQUIRED, .meta = "TIME", .help = N_("from this time on; else the last 24 hours")},
    {.id = O_UNTIL, .name = "until", .letter = 'E', .arg = OPT_REQUIRED, .meta = "TIME", .help = N_("until this time")},
    {.id = O_USER, .name = "user", .letter = 'u', .arg = OPT_REQUIRED, .meta = "LIST", .help = N_("only requests of these users")},
    /* clang-format on */
};

static bool is_request(const char *name)
{
    for (uint32_t i = 1; i < AUDIT_N; i++)
        if (str_eq(audit_request_name(i), name))
            return true;
    return false;
}

static int audit_set_requests(struct audit_options *a, const char *arg, struct errtext *err)
{
    strv_fini(&a->q.requests);
    a->q.requests = strv_split(arg, ",");
    for (size_t i = 0; i < a->q.requests.n; i++)
        if (!is_request(a->q.requests.v[i])) {
            struct str names = STR_INIT;
            for (uint32_t k = 1; k < AUDIT_N; k++)
                str_appendf(&names, "%s%s", k > 1 ? ", " : "", audit_request_name(k));
            int r = err_set(err, -1, tr("there is no request \"%s\": %s"), a->q.requests.v[i], names.s);
            str_fini(&names);
            return r;
        }
    return 0;
}

static int audit_set_names(struct strv *names, const char *arg)
{
    strv_fini(names);
    *names = strv_split(arg, ",");
    return 0;
}

static int audit_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct audit_options *a = ctx;
    struct wall now = wall_read();
    switch (o->id) {
    case O_SINCE: return wall_parse_past(arg, now, &a->q.since, err);
    case O_UNTIL: return wall_parse_past(arg, now, &a->q.until, err);
    case O_USER: return audit_set_names(&a->q.users, arg);
    case O_NODE: return audit_set_names(&a->q.nodes, arg);
    case O_REQUEST: return audit_set_requests(a, arg, err);
    case O_JOB:
        a->q.job = (uint32_t)strtoul(arg, NULL, 10);
        return a->q.job ? 0 : err_set(err, -1, tr("\"%s\" is not the number of a job"), arg);
    }
    return 0;
}

static const struct opts options = OPTS(table, audit_set_option);

/* --- printing --- */

static void audit_append_jobs(struct str *out, const struct audit_line *l)
{
    for (size_t i = 0; i < l->jobs.n && i < JOBS_SHOWN; i++) {
        str_appendf(out, "%s%u", i ? "," : "", l->jobs.v[i].job);
        if (l->jobs.v[i].index != AUDIT_NO_INDEX)
            str_appendf(out, "_%u", l->jobs.v[i].index);
    }
    if (l->jobs.n > JOBS_SHOWN)
        str_appendf(out, trn(" and %zu more", " and %zu more", l->jobs.n - JOBS_SHOWN),
                    l->jobs.n - JOBS_SHOWN);
}

static void audit_append_result(struct str *out, const struct audit_line *l)
{
    if (!l->refusal)
        str_append(out, trc("a request", "done"));
    else if (l->count)
        str_appendf(out, tr("%u done; refused: %s"), l->count, l->why ? l->why : "");
    else
        str_appendf(out, tr("refused: %s"), l->why ? l->why : "");
    if (l->left_out)
        str_appendf(out, trn(" (%u more refused before)", " (%u more refused before)", l->left_out),
                    l->left_out);
}

static void audit_add_row(struct texttable *t, const struct audit_line *l)
{
    struct str jobs = STR_INIT, result = STR_INIT;
    char when[WALL_TEXT_SIZE];
    audit_append_jobs(&jobs, l);
    audit_append_result(&result, l);
    texttable_add(t, TONE_PLAIN, wall_format_iso(l->t, when));
    texttable_add(t, TONE_PLAIN, l->user);
    texttable_add(t, l->node ? TONE_PLAIN : TONE_DIM,
                  l->node ? l->node : trc("not through a node", "local"));
    texttable_add(t, TONE_PLAIN, audit_request_name(l->request));
    texttable_add(t, TONE_PLAIN, jobs.len ? jobs.s : "");
    texttable_add(t, TONE_PLAIN, l->object ? l->object : "");
    texttable_add(t, l->refusal ? TONE_BAD : TONE_DIM, result.s);
    str_fini(&jobs);
    str_fini(&result);
}

static void audit_print_text(const struct audit_options *a, const struct msg_audit_lines *m,
                             struct str *out)
{
    static const struct table_col columns[] = {
        {.title = N_("TIME")},
        {.title = N_("USER"), .flex = 8},
        {.title = N_("FROM"), .flex = 6},
        {.title = N_("REQUEST")},
        {.title = N_("JOBS"), .flex = 8},
        {.title = N_("OBJECT"), .flex = 12},
        {.title = N_("RESULT"), .flex = 12},
    };
    struct texttable t = TEXTTABLE_INIT(columns);
    struct str text = STR_INIT;
    for (size_t i = 0; i < m->rows.n; i++)
        audit_add_row(&t, &m->rows.v[i]);
    texttable_print(&t, &text, listing_width(), color_is_welcome());
    const char *body = text.len ? text.s : "";
    const char *end = a->n ? strchr(body, '\n') : NULL; /* the titles stand once */
    str_append(out, end ? end + 1 : body);
    str_fini(&text);
    texttable_fini(&t);
}

static void audit_append_json(struct str *out, const struct audit_line *l)
{
    json_begin_object(out, NULL);
    json_time(out, "time", l->t);
    json_text_or_null(out, "user", l->user);
    json_int(out, "uid", l->uid);
    json_text_or_null(out, "node", l->node);
    json_text(out, "request", audit_request_name(l->request));
    json_begin_array(out, "jobs");
    for (size_t i = 0; i < l->jobs.n; i++) {
        json_begin_object(out, NULL);
        json_int(out, "job", l->jobs.v[i].job);
        json_count(out, "array_index", l->jobs.v[i].index);
        json_count(out, "uid", l->jobs.v[i].uid);
        json_end_object(out);
    }
    json_end_array(out);
    json_text_or_null(out, "object", l->object);
    json_int(out, "count", l->count);
    json_text(out, "result", l->refusal ? "refused" : "done");
    json_text_or_null(out, "why", l->why);
    json_int(out, "left_out", l->left_out);
    json_end_object(out);
}

static void audit_print(const struct audit_options *a, const struct msg_audit_lines *m, struct str *out)
{
    for (size_t i = 0; a->json && i < m->rows.n; i++) {
        struct str one = STR_INIT;
        if (a->follow) {
            audit_append_json(&one, &m->rows.v[i]);
            str_append_char(&one, '\n');
            str_append_n(out, one.s, one.len);
        } else {
            audit_append_json(out, &m->rows.v[i]);
        }
        str_fini(&one);
    }
    if (!a->json && m->rows.n)
        audit_print_text(a, m, out);
}

/* --- the command --- */

/* All there is now. Returns an exit code. */
static int audit_fetch(struct audit_options *a, const struct cli *cli, struct client *c, struct str *out)
{
    for (bool more = true; more;) {
        struct errtext err = {0};
        enum refusal refusal;
        struct msg_audit_lines *m = ask_call(c, MSG_AUDIT, &a->q, MSG_AUDIT_LINES, &refusal, &err);
        if (!m)
            return ask_failed(cli, refusal, &err);
        audit_print(a, m, out);
        a->n += m->rows.n;
        a->q.after = m->after;
        more = m->more;
        msg_free(MSG_AUDIT_LINES, m);
        if ((!a->json || a->follow) && !out_flush(out))
            return -1;
    }
    return 0;
}

static int audit_show(struct audit_options *a, const struct cli *cli, struct client *c)
{
    struct str out = STR_INIT;
    if (!wall_is_set(a->q.since) && !a->q.job)
        a->q.since.ms = client_welcome(c)->now.ms - (int64_t)SINCE_S * MS_PER_S;
    if (a->json && !a->follow) {
        json_begin_document(&out, 1);
        json_begin_array(&out, "lines");
    }
    int rc = audit_fetch(a, cli, c, &out);
    while (rc == 0 && a->follow) {
        poll(NULL, 0, FOLLOW_MS);
        rc = audit_fetch(a, cli, c, &out);
    }
    if (rc == 0 && a->json && !a->follow) {
        json_end_array(&out);
        json_end_document(&out);
        out_flush(&out);
    }
    str_fini(&out);
    return rc < 0 ? 0 : rc;
}

static int audit_run(struct cli *cli, int argc, char **argv)
{
    struct audit_options a = {.n = 0};
    int rc = 0;
    if (cli_parse(cli, &a, argc, argv, 0, NULL, &rc)) {
        struct client *c = ask_connect(cli);
        rc = c ? audit_show(&a, cli, c) : EXIT_AWAY;
        client_free(c);
    }
    rec_fini(&msg_audit_rec, &a.q);
    return rc;
}

const struct command cmd_audit = {
    .name = "audit",
    .summary = N_("Show who asked for what, and what came of it"),
    .usage = "[-f] [--since=TIME] [--user=LIST] [--job=JOB] [--node=LIST] [--request=LIST] [--json]",
    .options = &options,
    .run = audit_run,
};
