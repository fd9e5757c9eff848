/* scontrol.c - looks at everything, changes what may be changed. */
#include "src/cli/scontrol/scontrol_act.h"
#include "src/cli/scontrol/scontrol_ask.h"
#include "src/cli/scontrol/scontrol_pids.h"
#include "src/cli/scontrol/scontrol_reservation.h"
#include "src/cli/scontrol/scontrol_show.h"
#include "src/cli/scontrol/scontrol_watch.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/jobspec/jobtargets.h"
#include "src/lang/lang.h"

enum { O_ONELINE = 1, O_DETAIL, O_QUIET, O_JSON, O_IGNORED };

static const struct opt table[] = {
    /* clang-format off */
    {.id = O_IGNORED, .name = "all", .letter = 'a', .help = "hidden partitions too: there are none"},
    {.id = O_IGNORED, .name = "cluster", .letter = 'M', .arg = OPT_REQUIRED, .meta = "NAME", .env = "SLURM_CLUSTERS", .help = "of this cluster: there is one"},
    {.id = O_IGNORED, .name = "clusters", .arg = OPT_REQUIRED},
    {.id = O_DETAIL, .name = "details", .letter = 'd', .help = "more lines in jobs"},
    {.id = O_IGNORED, .name = "federation"},
    {.id = O_IGNORED, .name = "future", .letter = 'F'},
    {.id = O_IGNORED, .name = "hide"},
    {.id = O_JSON, .name = "json", .arg = OPT_OPTIONAL, .meta = "FORM", .help = "print JSON"},
    {.id = O_IGNORED, .name = "local"},
    {.id = O_ONELINE, .name = "oneliner", .letter = 'o', .help = "one line for each record"},
    {.id = O_QUIET, .name = "quiet", .letter = 'Q', .help = "no error messages"},
    {.id = O_IGNORED, .name = "sibling"},
    {.id = O_IGNORED, .name = "uid", .letter = 'u', .arg = OPT_REQUIRED, .meta = "UID"},
    {.id = O_IGNORED, .name = "verbose", .letter = 'v', .help = "say more"},
    {.id = O_JSON, .name = "yaml", .arg = OPT_OPTIONAL},
    /* clang-format on */
};

static int scontrol_set_option(void *ctx, const struct opt *o, __attribute__((unused)) const char *arg,
                               __attribute__((unused)) struct errtext *err)
{
    struct scontrol *s = ctx;
    switch (o->id) {
    case O_ONELINE: s->oneline = true; break;
    case O_DETAIL: s->detail = true; break;
    case O_QUIET: s->quiet = true; break;
    case O_JSON: s->json = true; break;
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, scontrol_set_option);

/* --- the small commands --- */

static int do_hold(struct scontrol *s, size_t n, char *const *w)
{
    return scontrol_act(s, ACT_HOLD, true, n, w);
}
static int do_uhold(struct scontrol *s, size_t n, char *const *w)
{
    return scontrol_act(s, ACT_HOLD, false, n, w);
}
static int do_release(struct scontrol *s, size_t n, char *const *w)
{
    return scontrol_act(s, ACT_RELEASE, false, n, w);
}
static int do_requeue(struct scontrol *s, size_t n, char *const *w)
{
    return scontrol_act(s, ACT_REQUEUE, false, n, w);
}
static int do_requeue_hold(struct scontrol *s, size_t n, char *const *w)
{
    /* "requeuehold State=SpecialExit 12": the state is Slurm's to mark it with */
    while (n && strncasecmp(w[0], "State=", 6) == 0) {
        n--;
        w++;
    }
    return scontrol_act(s, ACT_REQUEUE_HOLD, false, n, w);
}

static int do_ping(struct scontrol *s, __attribute__((unused)) size_t n,
                   __attribute__((unused)) char *const *w)
{
    const char *away = NULL;
    struct client *c = scontrol_client(s, &away);
    char host[256] = "localhost";
    gethostname(host, sizeof host - 1);
    const char *name = c && client_welcome(c)->host ? client_welcome(c)->host : host;
    printf("Slurmctld(primary) at %s is %s\n", name, c ? "UP" : "DOWN");
    return c ? 0 : 1;
}

static int do_reconfigure(struct scontrol *s, __attribute__((unused)) size_t n,
                          __attribute__((unused)) char *const *w)
{
    return scontrol_request(s, MSG_RELOAD, NULL, "slurm_reconfigure");
}

static int do_shutdown(struct scontrol *s, __attribute__((unused)) size_t n,
                       __attribute__((unused)) char *const *w)
{
    struct msg_flag kill_jobs = {.on = false};
    return scontrol_request(s, MSG_SHUTDOWN, &kill_jobs, "slurm_shutdown");
}

static int do_version(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                      __attribute__((unused)) char *const *w)
{
    puts("slurm 23.02.7");
    return 0;
}

static int do_help(struct scontrol *s, __attribute__((unused)) size_t n,
                   __attribute__((unused)) char *const *w)
{
    cli_print_help(stdout, s->cli);
    return 0;
}

static int do_quit(struct scontrol *s, __attribute__((unused)) size_t n,
                   __attribute__((unused)) char *const *w)
{
    s->quit = true;
    return 0;
}

static int save_script(const char *path, const struct blob *script)
{
    FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "wxe");
    if (!f) {
        fprintf(stderr, "scontrol: error: %s: %s\n", path, strerror(errno));
        return 1;
    }
    size_t done = script->n ? fwrite(script->p, 1, script->n, f) : 0;
    bool bad = done != script->n || fflush(f) != 0;
    if (f != stdout)
        bad = fclose(f) != 0 || bad;
    if (bad)
        fprintf(stderr, "scontrol: error: %s: %s\n", path, strerror(errno));
    return bad;
}

/* write batch_script JOB [FILE|-] */
static int do_write(struct scontrol *s, size_t n, char *const *w)
{
    struct msg_job body = {0};
    uint32_t task;
    const char *text = NULL;
    if (!word_begins(w[0], "batch_script", 1)) {
        fprintf(stderr, "invalid write argument: %s\n", w[0]);
        return 1;
    }
    if (n < 2 || target_parse_one(w[1], &body.target, &task, NULL) < 0) {
        fprintf(stderr, n < 2 ? "too few arguments for keyword:write\n"
                              : "job script retrieval failed: Invalid job id specified\n");
        return 1;
    }
    struct client *c = scontrol_client(s, &text);
    struct errtext err = {0};
    enum refusal refusal = REFUSAL_NONE;
    struct msg_script *r = c ? ask_call(c, MSG_SCRIPT, &body, MSG_SCRIPT_TEXT, &refusal, &err) : NULL;
    if (!r) {
        if (c)
            text = refusal == REFUSAL_NONE ? SLURM_TIMEOUT : refusal_slurm(refusal);
        fprintf(stderr, "job script retrieval failed: %s\n", text);
        return 1;
    }
    char *path = n > 2 ? xstrdup(w[2]) : xasprintf("slurm-%s.sh", w[1]);
    int rc = save_script(path, &r->script);
    if (rc == 0 && strcmp(path, "-") != 0)
        printf("batch script for job %s written to %s\n", w[1], path);
    free(path);
    msg_free(MSG_SCRIPT_TEXT, r);
    return rc;
}

static int not_supported(const char *what)
{
    fprintf(stderr, "%s error: %s\n", what, refusal_slurm(REFUSAL_NOT_SUPPORTED));
    return 1;
}
static int do_suspend(struct scontrol *s, size_t n, char *const *w)
{
    return scontrol_act(s, ACT_SUSPEND, false, n, w);
}
static int scontrol_do_resume(struct scontrol *s, size_t n, char *const *w)
{
    return scontrol_act(s, ACT_RESUME, false, n, w);
}
static int do_other(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                    __attribute__((unused)) char *const *w)
{
    return not_supported("scontrol");
}

/* No node of ours is rebooted by us: what Slurm says where it has not been told how. */
static int do_reboot(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                     __attribute__((unused)) char *const *w)
{
    fprintf(stderr, "scontrol: error: RebootProgram isn't defined\n"
                    "scontrol_reboot_nodes error: Unspecified error\n");
    return 1;
}
static int do_cancel_reboot(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                            __attribute__((unused)) char *const *w)
{
    return not_supported("slurm_update");
}

/* "reservation" and "res=NAME" alike. */
static bool is_entity(const char *word, const char *name, const char *plural)
{
    char *entity = xstrndup(word, strcspn(word, "="));
    bool is = word_begins(entity, name, 3) || word_begins(entity, plural, 3);
    free(entity);
    return is;
}

/* "create reservation ...", "create res=NAME ..." */
static int do_create(struct scontrol *s, size_t n, char *const *w)
{
    if (!is_entity(w[0], "reservationname", "reservations")) {
        if (is_entity(w[0], "partitionname", "partitions"))
            return not_supported("Error creating the partition:");
        fprintf(stderr, "Invalid creation entity: %s\n", w[0]);
        return 1;
    }
    if (!strchr(w[0], '='))
        return scontrol_create_reservation(s, n - 1, w + 1);
    struct strv words = {0};
    strv_push_take(&words, xasprintf("ReservationName%s", strchr(w[0], '=')));
    for (size_t i = 1; i < n; i++)
        strv_push(&words, w[i]);
    int rc = scontrol_create_reservation(s, words.n, words.v);
    strv_fini(&words);
    return rc;
}

/* "delete reservation=NAME", "delete reservation NAME" */
static int do_delete(struct scontrol *s, size_t n, char *const *w)
{
    const char *eq = strchr(w[0], '='), *name = eq ? eq + 1 : n > 1 ? w[1] : NULL;
    if (name && is_entity(w[0], "reservationname", "reservations"))
        return scontrol_delete_reservation(s, name);
    if (name && is_entity(w[0], "partitionname", "partitions"))
        return scontrol_no_partition_change(s, "delete_partition", w[0], name);
    fprintf(stderr, "Invalid deletion entity: %s\n", w[0]);
    return 1;
}

/* --- switches of the interactive mode --- */

static int do_oneliner(struct scontrol *s, __attribute__((unused)) size_t n,
                       __attribute__((unused)) char *const *w)
{
    s->oneline = true;
    return 0;
}
static int do_details(struct scontrol *s, __attribute__((unused)) size_t n,
                      __attribute__((unused)) char *const *w)
{
    s->detail = true;
    return 0;
}
static int do_quiet(struct scontrol *s, __attribute__((unused)) size_t n,
                    __attribute__((unused)) char *const *w)
{
    s->quiet = true;
    return 0;
}
static int do_nothing(__attribute__((unused)) struct scontrol *s, __attribute__((unused)) size_t n,
                      __attribute__((unused)) char *const *w)
{
    return 0;
}

/* --- the table --- */

#define ANY SIZE_MAX

/* min: letters that an abbreviation needs; the first row that fits is meant. least and most: words that may
 * follow. */
static const struct {
    const char *name;
    size_t min, least, most;
    int (*run)(struct scontrol *s, size_t n, char *const *w);
} subcommands[] = {
    /* clang-format off */
    {.name = "show",          .min = 3, .least = 1, .most = 2,   .run = scontrol_show},
    {.name = "update",        .min = 1, .least = 1, .most = ANY, .run = scontrol_update},
    {.name = "hold",          .min = 3, .least = 1, .most = ANY, .run = do_hold},
    {.name = "holdu",         .min = 5, .least = 1, .most = ANY, .run = do_uhold},
    {.name = "uhold",         .min = 2, .least = 1, .most = ANY, .run = do_uhold},
    {.name = "release",       .min = 3, .least = 1, .most = ANY, .run = do_release},
    {.name = "requeuehold",   .min = 8, .least = 1, .most = ANY, .run = do_requeue_hold},
    {.name = "requeue",       .min = 3, .least = 1, .most = ANY, .run = do_requeue},
    {.name = "ping",          .min = 3, .least = 0, .most = 0,   .run = do_ping},
    {.name = "reconfigure",   .min = 3, .least = 0, .most = 0,   .run = do_reconfigure},
    {.name = "shutdown",      .min = 4, .least = 0, .most = 1,   .run = do_shutdown},
    {.name = "suspend",       .min = 2, .least = 1, .most = ANY, .run = do_suspend},
    {.name = "resume",        .min = 3, .least = 1, .most = ANY, .run = scontrol_do_resume},
    {.name = "version",       .min = 4, .least = 0, .most = 0,   .run = do_version},
    {.name = "write",         .min = 1, .least = 1, .most = 3,   .run = do_write},
    {.name = "help",          .min = 2, .least = 0, .most = 0,   .run = do_help},
    {.name = "exit",          .min = 1, .least = 0, .most = 0,   .run = do_quit},
    {.name = "quit",          .min = 4, .least = 0, .most = 0,   .run = do_quit},
    {.name = "create",        .min = 2, .least = 1, .most = ANY, .run = do_create},
    {.name = "delete",        .min = 3, .least = 1, .most = ANY, .run = do_delete},
    {.name = "top",           .min = 3, .least = 1, .most = ANY, .run = scontrol_top},
    {.name = "completing",    .min = 2, .least = 0, .most = 0,   .run = scontrol_completing},
    {.name = "errnumstr",     .min = 2, .least = 1, .most = 1,   .run = scontrol_errnumstr},
    {.name = "listpids",      .min = 1, .least = 0, .most = 2,   .run = scontrol_listpids},
    {.name = "notify",        .min = 1, .least = 2, .most = ANY, .run = scontrol_notify},
    {.name = "pidinfo",       .min = 3, .least = 1, .most = 1,   .run = scontrol_pidinfo},
    {.name = "wait_job",      .min = 2, .least = 1, .most = 1,   .run = scontrol_wait_job},
    {.name = "reboot",        .min = 3, .least = 1, .most = ANY, .run = do_reboot},
    {.name = "cancel_reboot", .min = 3, .least = 1, .most = 1,   .run = do_cancel_reboot},
    {.name = "all",           .min = 2, .least = 0, .most = 0,   .run = do_nothing},
    {.name = "hide",          .min = 2, .least = 0, .most = 0,   .run = do_nothing},
    {.name = "cluster",       .min = 2, .least = 0, .most = 1,   .run = do_nothing},
    {.name = "clusters",      .min = 8, .least = 0, .most = 1,   .run = do_nothing},
    {.name = "local",         .min = 3, .least = 0, .most = 0,   .run = do_nothing},
    {.name = "verbose",       .min = 4, .least = 0, .most = 0,   .run = do_nothing},
    {.name = "oneliner",      .min = 1, .least = 0, .most = 0,   .run = do_oneliner},
    {.name = "details",       .min = 3, .least = 0, .most = 0,   .run = do_details},
    {.name = "quiet",         .min = 4, .least = 0, .most = 0,   .run = do_quiet},
    {.name = "setdebug",      .min = 8, .least = 1, .most = ANY, .run = do_other},
    {.name = "setdebugflags", .min = 9, .least = 1, .most = ANY, .run = do_other},
    {.name = "schedloglevel", .min = 3, .least = 1, .most = 1,   .run = do_other},
    {.name = "fsdampeningfactor", .min = 3, .least = 1, .most = 1, .run = do_other},
    {.name = "abort",         .min = 5, .least = 0, .most = ANY, .run = do_other},
    {.name = "takeover",      .min = 8, .least = 0, .most = ANY, .run = do_other},
    {.name = "token",         .min = 3, .least = 0, .most = ANY, .run = do_other},
    /* clang-format on */
};

/* Slurm's own words, which differ from keyword to keyword. */
static int wrong_number(const char *name, bool few)
{
    static const char *const behind[] = {"update", "create", "delete", "version"};
    if (few && strcmp(name, "errnumstr") == 0) {
        fprintf(stderr, "one arguments required for keyword:errnumstr\n");
        return 1;
    }
    if (few && strcmp(name, "pidinfo") == 0) {
        fprintf(stderr, "missing argument for keyword:pidinfo\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof behind / sizeof behind[0]; i++)
        if (strcmp(name, behind[i]) == 0) {
            fprintf(stderr, "too %s arguments for %s keyword\n", few ? "few" : "many", name);
            return 1;
        }
    fprintf(stderr, "too %s arguments for keyword:%s\n", few ? "few" : "many", name);
    return 1;
}

static int run_words(struct scontrol *s, size_t n, char *const *w)
{
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++) {
        if (!word_begins(w[0], subcommands[i].name, subcommands[i].min))
            continue;
        if (n - 1 < subcommands[i].least || n - 1 > subcommands[i].most)
            return wrong_number(subcommands[i].name, n - 1 < subcommands[i].least);
        return subcommands[i].run(s, n - 1, w + 1);
    }
    fprintf(stderr, "invalid keyword: %s\n", w[0]);
    return 1;
}

/* Blanks divide words, quotes keep them together. */
static struct strv split_words(const char *line)
{
    struct strv words = {0};
    struct str word = STR_INIT;
    bool any = false;
    char quote = '\0';
    for (const char *p = line; *p; p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'') {
            quote = quote ? '\0' : *p;
            any = true;
        } else if (!quote && isspace((unsigned char)*p)) {
            if (any)
                strv_push_take(&words, str_take(&word));
            any = false;
        } else {
            str_append_char(&word, *p);
            any = true;
        }
    }
    if (any)
        strv_push_take(&words, str_take(&word));
    str_fini(&word);
    return words;
}

/* Without a command: one from each line of standard input. */
static int run_lines(struct scontrol *s)
{
    char *line = NULL;
    size_t cap = 0;
    int rc = 0;
    while (!s->quit) {
        if (isatty(STDIN_FILENO)) {
            fputs("scontrol: ", stdout);
            fflush(stdout);
        }
        if (getline(&line, &cap, stdin) < 0)
            break;
        struct strv words = split_words(line);
        if (words.n)
            rc = run_words(s, words.n, words.v);
        strv_fini(&words);
    }
    free(line);
    return rc;
}

static int scontrol_run(struct cli *cli, int argc, char **argv)
{
    struct scontrol s = {.cli = cli};
    struct strv words = {0};
    int rc = 0;
    if (cli_parse(cli, &s, argc, argv, 0, &words, &rc))
        rc = words.n ? run_words(&s, words.n, words.v) : run_lines(&s);
    client_free(s.client);
    strv_fini(&words);
    return rc;
}

const struct command cmd_scontrol = {
    .name = "scontrol",
    .summary = N_("Show jobs, nodes, partitions and the configuration, and change them"),
    .usage = "[OPTIONS] COMMAND [WORDS...]",
    .options = &options,
    .slurm = true,
    .run = scontrol_run,
};
