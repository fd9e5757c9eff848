/* cmd_manual.c - stoker manual: manual pages and shell completions, from the commands' own tables.
 *
 * The build writes build/share with it (docs/man.sh); `make install` puts both in their places.
 */
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/stoker/commands.h"
#include "src/lang/lang.h"
#include "src/os/exe_path.h"
#include "src/text/roff.h"

struct manual {
    bool bash, list;
};

enum { O_BASH = 1, O_LIST };

#define SCREENS_PAGE "stoker-ui" /* the screens' own program writes it */

static const struct opt table[] = {
    {.id = O_BASH, .name = "bash", .help = N_("print completions for bash instead")},
    {.id = O_LIST, .name = "list", .help = N_("list the pages there are")},
};

static int cmd_manual_set_option(void *ctx, const struct opt *o, __attribute__((unused)) const char *arg,
                                 __attribute__((unused)) struct errtext *err)
{
    struct manual *m = ctx;
    if (o->id == O_BASH)
        m->bash = true;
    else
        m->list = true;
    return 0;
}

static const struct opts options = OPTS(table, cmd_manual_set_option);

/* "stoker-submit", "sbatch". Caller frees. */
static char *page_name(const struct command *c)
{
    return c->slurm ? xstrdup(c->name) : xasprintf("stoker-%s", c->name);
}

/* --- roff --- */

static void append_upper(struct str *out, const char *s)
{
    for (; *s; s++)
        str_append_char(out, *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s);
}

static void append_option(void *ctx, const struct opt *o, bool letter)
{
    struct str *out = ctx;
    str_append(out, ".TP\n");
    if (letter)
        str_appendf(out, "\\fB\\-%c\\fR%s", o->letter, o->name ? ", " : "");
    if (o->name) {
        str_append(out, "\\fB\\-\\-");
        roff_text(out, o->name);
        str_append(out, "\\fR");
    }
    if (o->arg != OPT_NONE) {
        const char *meta = o->meta ? o->meta : "ARG";
        str_append(out, o->arg == OPT_OPTIONAL ? "[=\\fI" : o->name ? "=\\fI" : " \\fI");
        roff_text(out, meta);
        str_append(out, o->arg == OPT_OPTIONAL ? "\\fR]" : "\\fR");
    }
    str_append_char(out, '\n');
    roff_text(out, o->help);
    str_append(out, ".\n");
}

static void append_variables(void *ctx, const struct opt *o, bool letter)
{
    struct str *out = ctx;
    (void)letter;
    if (!o->env)
        return;
    struct strv names = strv_split(o->env, " ");
    for (size_t i = 0; i < names.n; i++) {
        str_appendf(out, ".TP\n\\fB%s\\fR\nas \\fB\\-\\-", names.v[i]);
        roff_text(out, o->name ? o->name : "?");
        str_append(out, "\\fR\n");
    }
    strv_fini(&names);
}

static void append_exit_codes(struct str *out, const struct command *c)
{
    static const char *const own[] = {"ok",
                                      "failed",
                                      "wrong usage",
                                      "not found",
                                      "refused by policy",
                                      "controller or node out of reach",
                                      "timed out"};
    roff_section(out, "EXIT STATUS");
    if (c->slurm) {
        str_append(out,
                   "As Slurm's command of that name: 0 where all is well, 1 or more after an error, with "
                   "its text on standard error.\n");
        return;
    }
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        str_appendf(out, ".TP\n\\fB%zu\\fR\n%s\n", i, own[i]);
}

static void print_page(struct str *out, const struct command *c)
{
    char *name = page_name(c);
    struct str env = STR_INIT;
    str_append(out, ".\\\" Printed by stoker manual from the command's own table.\n.TH ");
    append_upper(out, name);
    str_append(out, " 1 \"\" \"stoker " STOKER_VERSION "\" \"Stoker\"\n");
    roff_section(out, "NAME");
    roff_text(out, name);
    str_append(out, " \\- ");
    roff_text(out, c->summary);
    str_append_char(out, '\n');
    roff_section(out, "SYNOPSIS");
    str_appendf(out, "\\fB%s%s\\fR ", c->slurm ? "" : "stoker ", c->name);
    roff_text(out, c->usage);
    str_append_char(out, '\n');
    roff_section(out, "OPTIONS");
    opt_for_each(c->options, append_option, out);
    opt_for_each(c->options, append_variables, &env);
    if (env.len) {
        roff_section(out, "ENVIRONMENT");
        str_append(out, env.s);
    }
    append_exit_codes(out, c);
    roff_section(out, "SEE ALSO");
    str_append(out, "\\fBstoker\\fR(1)\n");
    str_fini(&env);
    free(name);
}

static void print_overview(struct str *out)
{
    str_append(out, ".\\\" Printed by stoker manual from the table of commands.\n"
                    ".TH STOKER 1 \"\" \"stoker " STOKER_VERSION "\" \"Stoker\"\n");
    roff_section(out, "NAME");
    str_append(out, "stoker \\- queue manager and job submitter in a terminal\n");
    roff_section(out, "SYNOPSIS");
    str_append(
        out, "\\fBstoker\\fR [COMMAND [OPTIONS]]\n.br\n"
             "\\fBstoker\\fR [\\-\\-read\\-only] [\\-\\-ascii] [\\-\\-no\\-mouse] [\\-\\-theme=NAME]\n.br\n"
             "\\fBstoker\\fR \\-\\-demo [OPTIONS] [COMMAND]\n.br\n"
             "\\fBstoker\\fR \\-\\-plain [\\-a] [\\-\\-json]\n");
    roff_section(out, "DESCRIPTION");
    str_append(
        out,
        "Without a command stoker opens its screens on a terminal and prints the queue elsewhere. "
        ""
        "Queries never start a controller; sbatch, srun, salloc and stoker submit start one for this "
        "machine "
        "where nothing runs and nothing is configured. "
        "With \\-\\-demo they show a made-up cluster; nothing is installed or changed, and no job is run "
        "(stoker \\-\\-demo \\-\\-help). "
        "With \\-\\-plain it prints each change of your jobs as a line, for screen readers and logs "
        "(\\fBstoker\\-plain\\fR(1)).\n");
    roff_section(out, "OPTIONS OF THE SCREENS");
    static const struct {
        const char *name, *what;
    } screens[] = {{"\\-\\-read\\-only", "change nothing"},
                   {"\\-\\-ascii", "plain signs only"},
                   {"\\-\\-no\\-mouse", "leave the mouse to the terminal"},
                   {"\\-\\-theme=NAME", "dark, light, mono, colourblind, or the path of a theme file"}};
    for (size_t i = 0; i < sizeof screens / sizeof screens[0]; i++)
        str_appendf(out, ".TP\n\\fB%s\\fR\n%s\n", screens[i].name, screens[i].what);
    roff_section(out, "COMMANDS");
    for (const struct command *const *c = commands; *c; c++) {
        char *name = page_name(*c);
        str_append(out, ".TP\n\\fB");
        roff_text(out, name);
        str_append(out, "\\fR(1)\n");
        roff_text(out, (*c)->summary);
        str_append_char(out, '\n');
        free(name);
    }
    roff_section(out, "ENVIRONMENT");
    str_append(out, ".TP\n\\fBSTOKER_HOME\\fR\ndirectory of the cluster: stoker.cfg, state, run, log\n");
    roff_section(out, "SEE ALSO");
    str_append(out,
               "\\fBstoker\\-ui\\fR(7): the screens, their keys, their command line, their settings\n");
}

/* --- bash --- */

static void append_words(void *ctx, const struct opt *o, bool letter)
{
    struct str *out = ctx;
    if (letter)
        str_appendf(out, " -%c", o->letter);
    if (o->name)
        str_appendf(out, " --%s%s", o->name, o->arg == OPT_REQUIRED ? "=" : "");
}

/* The values of an option that a command can list, by the option's name. */
static const char bash_head[] =
    "# Completions for bash, written by: stoker manual --bash\n"
    "_stoker_values() {\n"
    "    case $1 in\n"
    "    partition) sinfo -h -o %R 2>/dev/null ;;\n"
    "    jobs|job|jobid|dependency) squeue -h -r -o %i 2>/dev/null ;;\n"
    "    nodelist|exclude|node|nodes) sinfo -h -N -o %N 2>/dev/null ;;\n"
    "    states|state) echo PENDING RUNNING SUSPENDED COMPLETING COMPLETED CANCELLED FAILED TIMEOUT "
    "NODE_FAIL "
    "PREEMPTED OUT_OF_MEMORY DEADLINE all ;;\n"
    "    qos) sacctmgr -n -P show qos format=name 2>/dev/null ;;\n"
    "    account|accounts) sacctmgr -n -P show assoc format=account user=\"$USER\" 2>/dev/null ;;\n"
    "    user|users) compgen -u ;;\n"
    "    esac\n"
    "}\n"
    "_stoker_complete() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=${COMP_WORDS[0]##*/} "
    "option=\n"
    "    [[ $cur == = ]] && cur=\n"
    "    [[ $prev == = && $COMP_CWORD -ge 2 ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    if [[ $cmd == stoker ]]; then\n"
    "        if [[ $COMP_CWORD == 1 ]]; then\n"
    "            COMPREPLY=($(compgen -W \"$_stoker_commands --demo --plain --read-only --ascii --no-mouse "
    "--theme= --help --version\" -- \"$cur\"))\n"
    "            [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
    "            return\n"
    "        fi\n"
    "        cmd=${COMP_WORDS[1]#--}\n"
    "        cmd=stoker_${cmd//-/_}\n"
    "    fi\n"
    "    case $prev in\n"
    "    --*) option=${prev#--} ;;\n"
    "    -p) option=partition ;;\n"
    "    -j) option=jobs ;;\n"
    "    -w|-x) option=nodelist ;;\n"
    "    -t) [[ $cmd == squeue || $cmd == scancel ]] && option=states ;;\n"
    "    -u) option=user ;;\n"
    "    -q) option=qos ;;\n"
    "    -A) option=account ;;\n"
    "    esac\n"
    "    local words=_stoker_words_$cmd values\n"
    "    if [[ $option ]] && values=$(_stoker_values \"$option\") && [[ $values ]]; then\n"
    "        COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        COMPREPLY=($(compgen -W \"${!words}\" -- \"$cur\"))\n"
    "        [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
    "    else\n"
    "        case $cmd in\n"
    "        "
    "scancel|stoker_show|stoker_why|stoker_output|stoker_cancel|stoker_requeue|stoker_hold|stoker_release|"
    "stoker_update)\n"
    "            COMPREPLY=($(compgen -W \"$(_stoker_values jobs)\" -- \"$cur\")) ;;\n"
    "        scontrol) COMPREPLY=($(compgen -W \"show update hold release requeue requeuehold suspend "
    "resume ping "
    "reconfigure version job node partition config hostnames\" -- \"$cur\")) ;;\n"
    "        *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
    "        esac\n"
    "    fi\n"
    "}\n";

static void print_bash(struct str *out)
{
    str_append(out, bash_head);
    str_append(out, "_stoker_commands='");
    for (const struct command *const *c = commands; *c; c++)
        if (!(*c)->slurm)
            str_appendf(out, "%s ", (*c)->name);
    str_append(out, "'\n");
    for (const struct command *const *c = commands; *c; c++) {
        str_appendf(out, "_stoker_words_%s%s='", (*c)->slurm ? "" : "stoker_", (*c)->name);
        opt_for_each((*c)->options, append_words, out);
        str_append(out, "'\n");
    }
    str_append(out, "complete -F _stoker_complete stoker");
    for (const struct command *const *c = commands; *c; c++)
        if ((*c)->slurm)
            str_appendf(out, " %s", (*c)->name);
    str_append_char(out, '\n');
}

static void print_list(struct str *out)
{
    str_append(out, "stoker\n" SCREENS_PAGE "\n");
    for (const struct command *const *c = commands; *c; c++) {
        char *name = page_name(*c);
        str_appendf(out, "%s\n", name);
        free(name);
    }
}

static const struct command *find_page(const char *name)
{
    for (const struct command *const *c = commands; *c; c++) {
        char *page = page_name(*c);
        bool found = str_eq(page, name) || (!(*c)->slurm && str_eq((*c)->name, name));
        free(page);
        if (found)
            return *c;
    }
    return NULL;
}

/* Returns only where that program cannot be started. */
static int exec_screens_page(struct cli *cli)
{
    char name[] = SCREENS_PAGE, option[] = "--print-manual";
    char *argv[] = {name, option, NULL};
    cli_error(cli, "%s: %s", name, strerror(-exe_path_exec(name, argv)));
    return EXIT_FAILURE;
}

static int manual_run(struct cli *cli, int argc, char **argv)
{
    struct manual m = {0};
    struct strv operands = {0};
    struct str out = STR_INIT;
    int rc = 0;
    if (cli_parse(cli, &m, argc, argv, 0, &operands, &rc)) {
        const char *name = operands.n ? operands.v[0] : "stoker";
        const struct command *c = find_page(name);
        if (m.bash)
            print_bash(&out);
        else if (m.list)
            print_list(&out);
        else if (c)
            print_page(&out, c);
        else if (str_eq(name, "stoker"))
            print_overview(&out);
        else if (str_eq(name, SCREENS_PAGE) || str_eq(name, "ui"))
            rc = exec_screens_page(cli);
        else {
            cli_error(cli, tr("there is no page %s"), name);
            rc = EXIT_NOT_FOUND;
        }
    }
    out_flush(&out);
    str_fini(&out);
    strv_fini(&operands);
    return rc;
}

const struct command cmd_manual = {
    .name = "manual",
    .reach = REACH_NONE,
    .summary = N_("Print a manual page, or completions for the shell"),
    .usage = "[--bash | --list] [PAGE]",
    .options = &options,
    .run = manual_run,
};
