/* main_stoker.c - the program behind all commands: dispatch by the name it is called by, or by its first
 * argument. */
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/cli/stoker/commands.h"
#include "src/client/client_remote.h"
#include "src/lang/lang.h"
#include "src/os/exe_path.h"

#define EXIT_USAGE 2

static void print_commands(FILE *f)
{
    fputs(tr("Usage: stoker [COMMAND [OPTIONS] [ARGS...]]\n"
             "       stoker [--read-only] [--ascii] [--no-mouse] [--theme=NAME]\n"
             "       stoker --demo [OPTIONS] [COMMAND [ARGS...]]\n"
             "       stoker --plain [-a] [--json]\n"
             "       stoker USER@HOST | HOST: | ssh://[USER@]HOST[:PORT] [COMMAND [ARGS...]]\n"
             "The queue: full-screen on a terminal, else as a list. --demo shows a made-up cluster,\n"
             "--plain prints each change of your jobs as a line. USER@HOST: the cluster of that machine,\n"
             "through ssh; nothing needs to be installed there.\n"
             "Commands:\n\n"),
          f);
    for (const struct command *const *c = commands; *c; c++)
        if (!(*c)->slurm)
            fprintf(f, "  %-10s %s\n", (*c)->name, tr((*c)->summary));
    fputs(tr("\nSlurm's names, as commands of their own:\n\n"), f);
    for (const struct command *const *c = commands; *c; c++)
        if ((*c)->slurm)
            fprintf(f, "  %-10s %s\n", (*c)->name, (*c)->summary);
    fputs(tr("\nstoker COMMAND --help tells more; man stoker-ui has the screens and their keys.\n"
             "stoker --version prints the version.\n"),
          f);
}

static int unknown_command(const char *name)
{
    const char *near = command_nearest(name, false);
    if (near)
        fprintf(stderr, tr("stoker: no command '%s'; did you mean '%s'?\n"), name, near);
    else
        fprintf(stderr, tr("stoker: no command '%s'\n"), name);
    fputs(tr("'stoker help' lists the commands.\n"), stderr); /* all of them would hide the line above */
    return EXIT_USAGE;
}

/* The screens are a program of their own beside this one, and so is the demo. Returns only where it cannot
 * be started. */
static int exec_program(const char *name, char **argv)
{
    fprintf(stderr, "stoker: %s: %s\n", name, strerror(-exe_path_exec(name, argv)));
    return 1;
}

static int run_default(char **argv)
{
    const char *term = getenv("TERM");
    bool can_draw = !str_is_empty(term) && !str_eq(term, "dumb");
    if (can_draw && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
        return exec_program("stoker-ui", argv);
    char name[] = "jobs";
    char *jobs_argv[] = {name, NULL};
    const struct command *jobs = command_find("jobs", false);
    return jobs ? command_run(jobs, 1, jobs_argv) : unknown_command("jobs");
}

/* Takes the machine off the front of the arguments. Returns how many there are then, or -1 after saying
 * what is wrong. */
static int take_host(int argc, char **argv)
{
    struct errtext err;
    const char *host = NULL;
    int n = 0;
    if (argc > 1 && client_remote_is_host(argv[1])) {
        host = argv[1];
        n = 1;
    } else if (argc > 1 && str_starts(argv[1], "--on=")) {
        host = argv[1] + 5;
        n = 1;
    } else if (argc > 1 && str_eq(argv[1], "--on")) {
        host = argc > 2 ? argv[2] : "";
        n = 2;
    }
    if (host && client_remote_choose(host, &err) < 0) {
        fprintf(stderr, "stoker: %s\n", err.s);
        return -1;
    }
    if (n)
        memmove(argv + 1, argv + 1 + n, (size_t)(argc - n) * sizeof *argv);
    return argc - n;
}

static int run_stoker(int argc, char **argv)
{
    lang_choose(NULL, NULL);
    argc = take_host(argc, argv);
    if (argc < 0)
        return EXIT_USAGE;
    if (argc < 2)
        return run_default(argv);
    const char *first = argv[1];
    if (str_eq(first, "--help") || str_eq(first, "-h") || str_eq(first, "--usage") ||
        str_eq(first, "help")) {
        print_commands(stdout);
        return 0;
    }
    if (str_eq(first, "--version") || str_eq(first, "-V")) {
        puts("stoker " STOKER_VERSION);
        return 0;
    }
    if (str_eq(first, "--demo"))
        return exec_program("stoker-demo", argv);
    if (str_eq(first, "--plain")) {
        const struct command *plain = command_find("plain", false);
        return plain ? command_run(plain, argc - 1, argv + 1) : unknown_command("plain");
    }
    if (*first == '-') /* --read-only, --theme ...: of the screens */
        return exec_program("stoker-ui", argv);
    const struct command *cmd = command_find(first, false);
    if (!cmd)
        cmd = command_find(first, true);
    return cmd ? command_run(cmd, argc - 1, argv + 1) : unknown_command(first);
}

int main(int argc, char **argv)
{
    char *path = xstrdup(argc ? argv[0] : "stoker");
    const struct command *by_name = command_find(basename(path), true);
    free(path);
    return command_flush(by_name ? command_run(by_name, argc, argv) : run_stoker(argc, argv));
}
