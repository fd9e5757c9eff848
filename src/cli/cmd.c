/* cmd.c - what all commands do alike: options, help, messages. */
#include "src/cli/cmd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/pty.h"
#include "src/client/client_remote.h"
#include "src/lang/lang.h"
#include "src/os/given_env.h"

#define SLURM_VERSION_TEXT "slurm 23.02.7"

static int cli_set_host(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    (void)ctx;
    (void)o;
    return client_remote_choose(arg, err);
}

static const struct opt on_table[] = {{.name = "on",
                                       .arg = OPT_REQUIRED,
                                       .meta = "HOST",
                                       .help = N_("the cluster of that machine, through ssh")}};
static const struct opts on_opts = OPTS(on_table, cli_set_host);

/* The command's options, and behind them --on where it has that. ret: room for the tables. */
static const struct opts *cli_options(const struct command *cmd, struct opts *ret)
{
    if (cmd->slurm || cmd->reach != REACH_ANY)
        return cmd->options;
    if (!cmd->options)
        return &on_opts;
    bug_on(cmd->options->also != NULL);
    *ret = *cmd->options;
    ret->also = &on_opts;
    return ret;
}

void cli_print_help(FILE *f, const struct cli *cli)
{
    struct opts tables;
    fprintf(f, tr("Usage: %s %s\n%s.\n\nOptions:\n"), cli->name, cli->cmd->usage, tr(cli->cmd->summary));
    opt_print_help(f, cli_options(cli->cmd, &tables));
}

static void print_version(const struct cli *cli)
{
    puts(cli->cmd->slurm ? SLURM_VERSION_TEXT : "stoker " STOKER_VERSION);
}

static int usage_exit(const struct command *cmd, int code)
{
    return code ? code : cmd->slurm ? 1 : 2;
}

bool cli_parsed(const struct cli *cli, enum opt_result r, const struct errtext *err, int *ret_exit)
{
    struct opts tables;
    *ret_exit = 0;
    switch (r) {
    case OPT_OK: return true;
    case OPT_HELP: cli_print_help(stdout, cli); return false;
    case OPT_USAGE:
        opt_print_usage(stdout, cli->name, cli_options(cli->cmd, &tables), cli->cmd->usage);
        return false;
    case OPT_VERSION: print_version(cli); return false;
    case OPT_BAD_USAGE:
        cli_say(cli, tr("%s\nTry \"%s --help\" for more information"), err->s, cli->name);
        *ret_exit = usage_exit(cli->cmd, cli->cmd->bad_usage_exit);
        return false;
    case OPT_FAILED:
        cli_error_lines(cli, err->s);
        *ret_exit = usage_exit(cli->cmd, 0);
        return false;
    case OPT_BAD_VALUE:
        cli_error_lines(cli, err->s);
        *ret_exit = usage_exit(cli->cmd, cli->cmd->bad_value_exit);
        return false;
    }
    return false;
}

bool cli_parse(const struct cli *cli, void *ctx, int argc, char **argv, unsigned flags,
               struct strv *operands, int *ret_exit)
{
    struct errtext err = {0};
    struct strv none = {0};
    struct opts tables;
    enum opt_result r = opt_parse(cli_options(cli->cmd, &tables), ctx, argc, argv, flags,
                                  operands ? operands : &none, &err);
    bool go_on = cli_parsed(cli, r, &err, ret_exit);
    if (go_on && none.n && !cli->cmd->slurm) {
        cli_error(cli, tr("unexpected '%s'"), none.v[0]);
        *ret_exit = usage_exit(cli->cmd, 0);
        go_on = false;
    }
    strv_fini(&none);
    return go_on;
}

/* What a terminal can be trusted with, line by line. */
static void make_printable(struct str *s)
{
    struct str text = *s;
    str_init(s);
    for (char *line = text.s, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        cell_text(s, line, -1, false, false);
        if (end)
            str_append_char(s, '\n');
    }
    str_fini(&text);
}

/* In one write, so that lines of commands that run side by side do not mix. */
__attribute__((format(printf, 3, 0))) static void say(const char *name, const char *kind, const char *fmt,
                                                      va_list ap)
{
    int kept_errno = errno; /* callers say it first, then decide by it */
    struct str s = STR_INIT;
    str_appendf(&s, "%s: %s", name, kind);
    str_vappendf(&s, fmt, ap);
    if (isatty(STDERR_FILENO))
        make_printable(&s);
    str_append(&s, pty_is_raw() ? "\r\n" : "\n");
    fflush(stderr);
    fwrite(s.s, 1, s.len, stderr);
    fflush(stderr);
    str_fini(&s);
    errno = kept_errno;
}

void cli_error(const struct cli *cli, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(cli->name, tr("error: "), fmt, ap);
    va_end(ap);
}

void cli_say(const struct cli *cli, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    say(cli->name, "", fmt, ap);
    va_end(ap);
}

void cli_error_lines(const struct cli *cli, const char *text)
{
    struct strv lines = strv_split(text, "\n");
    for (size_t i = 0; i < lines.n; i++)
        cli_error(cli, "%s", lines.v[i]);
    strv_fini(&lines);
}

struct strv cli_environ(void)
{
    struct strv env = {0};
    for (char **e = given_env(); *e; e++)
        strv_push(&env, *e);
    return env;
}
