/* cmd_window.c - stoker window add|list|remove: times in which nodes are kept for something else. */
#include <stdlib.h>
#include <string.h>

#include "src/cli/ask.h"
#include "src/cli/listing/texttable.h"
#include "src/jobspec/windowspec.h"
#include "src/lang/lang.h"
#include "src/record/json.h"
#include "src/values/hostlist.h"

struct window_cmd {
    struct windowspec spec;
    struct strv keys,
        values; /* options in their order: the clock they are relative to comes with the answer */
    bool json;
};

enum { O_KEY = 1 };

static const struct opt table[] = {
    /* clang-format off */
    {.id = O_KEY, .name = "accounts", .letter = 'A', .arg = OPT_REQUIRED, .meta = "LIST", .help = N_("a reservation for the users of these accounts")},
    {.id = O_KEY, .name = "duration", .letter = 'd', .arg = OPT_REQUIRED, .meta = "TIME", .help = N_("how long: 2h, 90 (minutes), 1-00:00:00")},
    {.id = O_KEY, .name = "end", .arg = OPT_REQUIRED, .meta = "TIME", .help = N_("when it ends, instead of how long")},
    {OPT_SETS(struct window_cmd, json), .name = "json", .help = N_("print JSON")},
    {.id = O_KEY, .name = "name", .letter = 'n', .arg = OPT_REQUIRED, .meta = "NAME", .help = N_("its name; else one is made")},
    {.id = O_KEY, .name = "nodes", .letter = 'w', .arg = OPT_REQUIRED, .meta = "LIST", .help = N_("the nodes: n[01-04],big, or ALL")},
    {.id = O_KEY, .name = "reason", .letter = 'r', .arg = OPT_REQUIRED, .meta = "TEXT", .help = N_("why: all users see it")},
    {.id = O_KEY, .name = "start", .letter = 's', .arg = OPT_REQUIRED, .meta = "TIME", .help = N_("when it begins, as --begin of sbatch takes it; else now")},
    {.id = O_KEY, .name = "users", .letter = 'u', .arg = OPT_REQUIRED, .meta = "LIST", .help = N_("a reservation for these users")},
    /* clang-format on */
};

static int window_set_option(void *ctx, const struct opt *o, const char *arg,
                             __attribute__((unused)) struct errtext *err)
{
    struct window_cmd *c = ctx;
    strv_push(&c->keys, o->name);
    strv_push(&c->values, arg);
    return 0;
}

static const struct opts options = OPTS(table, window_set_option);

static int window_usage(const struct cli *cli, const char *text)
{
    cli_error(cli, "%s", text);
    return 2;
}

static int window_add(const struct cli *cli, struct client *c, struct window_cmd *w)
{
    struct errtext err = {""};
    struct wall now = client_welcome(c)->now;
    for (size_t i = 0; i < w->keys.n; i++)
        if (windowspec_set(&w->spec, w->keys.v[i], w->values.v[i], now, &err) < 0)
            return window_usage(cli, err.s);
    if (windowspec_finish(&w->spec, now, &err) < 0)
        return window_usage(cli, err.s);
    struct msg_window_set body = {.window = w->spec.w};
    enum refusal refusal = REFUSAL_NONE;
    struct msg_result *r = ask_call(c, MSG_WINDOW_SET, &body, MSG_RESULT, &refusal, &err);
    if (!r)
        return ask_failed(cli, refusal, &err);
    printf("%s\n", r->text ? r->text : "");
    msg_free(MSG_RESULT, r);
    return 0;
}

static int remove_all(const struct cli *cli, struct client *c, const struct strv *words)
{
    int rc = 0;
    if (words->n < 2)
        return window_usage(cli, tr("which one? `stoker window list` shows them"));
    for (size_t i = 1; i < words->n; i++) {
        struct msg_window_set body = {.window.name = words->v[i], .remove = true};
        int one = ask_result(cli, c, MSG_WINDOW_SET, &body, NULL);
        rc = one ? one : rc;
    }
    return rc;
}

static void window_print_json(const struct model *m)
{
    struct str out = STR_INIT;
    json_begin_document(&out, 2);
    json_begin_array(&out, "windows");
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        json_begin_object(&out, NULL);
        json_text(&out, "name", w->name);
        json_text(&out, "kind", w->kind == WINDOW_MAINTENANCE ? "maintenance" : "reservation");
        json_time(&out, "start", w->start);
        json_time(&out, "end", w->end);
        json_texts(&out, "nodes", &w->nodes);
        json_texts(&out, "users", &w->users);
        json_texts(&out, "accounts", &w->accounts);
        json_text(&out, "reason", w->reason);
        json_text(&out, "made_by", w->user);
        json_time(&out, "made", w->t_made);
        json_end_object(&out);
    }
    json_end_array(&out);
    json_end_document(&out);
    out_flush(&out);
    str_fini(&out);
}

/* For whom a reservation is. */
static void add_users(struct texttable *t, const char *users, const char *accounts)
{
    if (*users && *accounts)
        texttable_addf(t, TONE_PLAIN, tr("%s, accounts %s"), users, accounts);
    else if (*accounts)
        texttable_addf(t, TONE_PLAIN, tr("accounts %s"), accounts);
    else
        texttable_add(t, TONE_PLAIN, users);
}

static void print_table(const struct model *m, struct wall now)
{
    static const struct table_col cols[] = {{.title = N_("NAME")},
                                            {.title = N_("STATE")},
                                            {.title = N_("START")},
                                            {.title = N_("END")},
                                            {.title = N_("NODES"), .flex = 12},
                                            {.title = N_("FOR"), .flex = 12},
                                            {.title = N_("REASON"), .flex = 10, .drop = 1}};
    struct texttable t = TEXTTABLE_INIT(cols);
    struct str out = STR_INIT;
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        char iso[WALL_TEXT_SIZE];
        bool on = w->start.ms <= now.ms;
        char *nodes = hostlist_compress(&w->nodes), *users = strv_join(&w->users, ","),
             *accounts = strv_join(&w->accounts, ",");
        texttable_add(&t, TONE_PLAIN, w->name);
        texttable_add(&t, on ? TONE_WARN : TONE_PLAIN,
                      on ? trc("a window", "active") : trc("a window", "planned"));
        texttable_add(&t, TONE_PLAIN, wall_format_iso(w->start, iso));
        texttable_add(&t, TONE_PLAIN, wall_format_iso(w->end, iso));
        texttable_add(&t, TONE_PLAIN, nodes);
        if (w->kind == WINDOW_MAINTENANCE)
            texttable_add(&t, TONE_PLAIN, tr("maintenance"));
        else
            add_users(&t, users, accounts);
        texttable_add(&t, TONE_PLAIN, w->reason);
        free(nodes);
        free(users);
        free(accounts);
    }
    if (m->windows.n)
        texttable_print(&t, &out, listing_width(), color_is_welcome());
    else
        str_append(&out, tr("no windows\n"));
    out_flush(&out);
    str_fini(&out);
    texttable_fini(&t);
}

static int list(const struct cli *cli, struct client *c, const struct window_cmd *w)
{
    struct msg_get get = {.what = GET_WINDOWS};
    struct model m;
    int rc = ask_fetch(cli, c, &get, &m);
    if (rc == 0 && w->json)
        window_print_json(&m);
    else if (rc == 0)
        print_table(&m, client_welcome(c)->now);
    model_fini(&m);
    return rc;
}

static int dispatch(const struct cli *cli, struct client *c, const struct strv *words, struct window_cmd *w)
{
    const char *what = words->n ? words->v[0] : "list";
    if (strcmp(what, "add") == 0)
        return words->n > 1
                   ? window_usage(cli, tr("add takes options alone: --nodes=LIST --duration=TIME ..."))
                   : window_add(cli, c, w);
    if (strcmp(what, "remove") == 0)
        return remove_all(cli, c, words);
    return list(cli, c, w);
}

static int window_run(struct cli *cli, int argc, char **argv)
{
    struct window_cmd w = {.json = false};
    struct strv words = {0};
    int rc = 0;
    if (cli_parse(cli, &w, argc, argv, 0, &words, &rc)) {
        const char *what = words.n ? words.v[0] : "list";
        bool known = !strcmp(what, "add") || !strcmp(what, "remove") || !strcmp(what, "list");
        struct client *c = known ? ask_connect(cli) : NULL;
        rc = !known ? window_usage(cli, tr("say add, list or remove"))
             : c    ? dispatch(cli, c, &words, &w)
                    : EXIT_AWAY;
        client_free(c);
    }
    windowspec_fini(&w.spec);
    strv_fini(&w.keys);
    strv_fini(&w.values);
    strv_fini(&words);
    return rc;
}

const struct command cmd_window = {
    .name = "window",
    .summary = N_("Keep nodes for maintenance or for some users, at given times"),
    .usage = "add --nodes=LIST --duration=TIME [OPTIONS] | list | remove NAME...",
    .options = &options,
    .run = window_run,
};
