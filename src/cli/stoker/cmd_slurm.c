/* cmd_slurm.c - stoker slurm status: what the screens over a Slurm have asked it, and what that has cost.
 */
#include <stdio.h>

#include "src/cli/ask.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/record/json.h"
#include "src/values/units.h"

struct slurm_options {
    bool json;
};

static const struct opt table[] = {
    {OPT_SETS(struct slurm_options, json), .name = "json", .help = N_("print JSON")}};

static const struct opts options = OPTS(table, NULL);

/* "4 s", "-" where it never was. */
static const char *slurm_age(struct wall t, char buf[static UNITS_TEXT_SIZE])
{
    return wall_is_set(t) ? duration_format_words(wall_elapsed_s(t, wall_read()), buf) : "-";
}

static void slurm_print_call(const struct engine_calls *e)
{
    char since[UNITS_TEXT_SIZE], pause[UNITS_TEXT_SIZE];
    printf("%-24s %6llu %6llu %10llu %8llu %8llu  %-9s %s%s%s\n", e->what ? e->what : "?",
           (unsigned long long)e->calls, (unsigned long long)e->failures, (unsigned long long)e->bytes,
           (unsigned long long)e->ms, (unsigned long long)e->last_ms, slurm_age(e->read_at, since),
           e->pause_ms ? duration_format_words((int64_t)(e->pause_ms / MS_PER_S), pause) : "-",
           e->slowed ? ": " : "", e->slowed ? e->slowed : "");
}

static void slurm_print_score(const struct engine_score *s)
{
    char half[UNITS_TEXT_SIZE], most[UNITS_TEXT_SIZE];
    printf("%-24s %6llu  %-13s %s\n", s->whose ? s->whose : "?", (unsigned long long)s->starts,
           duration_format_words((int64_t)s->half_s, half),
           duration_format_words((int64_t)s->most_s, most));
}

static void slurm_print_status(const struct msg_welcome *w, const struct msg_engine *m)
{
    char since[UNITS_TEXT_SIZE], pause[UNITS_TEXT_SIZE];
    printf(tr("%s%s%s, cluster %s, read by process %u\n"), w->engine, w->engine_release ? " " : "",
           w->engine_release ? w->engine_release : "", w->name, w->pid);
    if (wall_is_set(m->read_at))
        printf(tr("The jobs were read %s ago and are read again every %s while a screen is open.\n"),
               slurm_age(m->read_at, since),
               duration_format_words((int64_t)(m->pause_ms / MS_PER_S), pause));
    else
        puts(tr("Nothing has been read yet: no screen is open."));
    if (m->trouble)
        printf(tr("The last question failed: %s\n"), m->trouble);
    if (m->calls.n)
        printf("\n%-24s %6s %6s %10s %8s %8s  %-9s %s\n", "COMMAND", "CALLS", "FAILED", "BYTES", "MS",
               "LAST MS", "AGE", "AGAIN AFTER");
    for (size_t i = 0; i < m->calls.n; i++)
        slurm_print_call(&m->calls.v[i]);
    if (m->scores.n)
        printf("\n%-24s %6s  %-13s %s\n", "FORECASTS OF", "STARTS", "HALF WITHIN", "NINE IN TEN WITHIN");
    for (size_t i = 0; i < m->scores.n; i++)
        slurm_print_score(&m->scores.v[i]);
}

static void slurm_print_json(const struct msg_engine *m)
{
    struct str out = STR_INIT;
    json_begin_document(&out, 1);
    json_key(&out, "slurm");
    rec_to_json(&msg_engine_rec, m, &out);
    json_end_document(&out);
    out_flush(&out);
    str_fini(&out);
}

static int slurm_status(const struct cli *cli, const struct slurm_options *o)
{
    struct client *c = ask_connect(cli);
    enum refusal refusal;
    struct errtext err = {""};
    if (!c)
        return EXIT_AWAY;
    const struct msg_welcome *w = client_welcome(c);
    if (!w->engine) {
        cli_error(cli, tr("a controller of Stoker answers here, no Slurm is read"));
        client_free(c);
        return 1;
    }
    struct msg_engine *m = ask_call(c, MSG_ENGINE, &(struct msg_none){0}, MSG_ENGINE_DATA, &refusal, &err);
    int rc = m ? 0 : ask_failed(cli, refusal, &err);
    if (m && o->json)
        slurm_print_json(m);
    else if (m)
        slurm_print_status(w, m);
    if (m)
        msg_free(MSG_ENGINE_DATA, m);
    client_free(c);
    return rc;
}

static int slurm_run(struct cli *cli, int argc, char **argv)
{
    struct slurm_options o = {0};
    struct strv words = {0};
    int rc = 0;
    if (cli_parse(cli, &o, argc, argv, 0, &words, &rc)) {
        if (words.n == 1 && str_eq(words.v[0], "status")) {
            rc = slurm_status(cli, &o);
        } else {
            cli_error(cli, tr("one word is expected: status"));
            rc = 2;
        }
    }
    strv_fini(&words);
    return rc;
}

const struct command cmd_slurm = {
    .name = "slurm",
    .summary = N_("Show what the screens over a Slurm have asked it, and what that costs"),
    .usage = "status [--json]",
    .options = &options,
    .run = slurm_run};
