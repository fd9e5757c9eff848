/* cmd.h - a command: its name, options and function; and what all commands do alike.
 *
 * Slurm's names (sbatch, squeue ...) are links to the program; stoker's own are subcommands of it (stoker
 * submit ...). src/cli/stoker/commands.h is the table of all commands.
 */
#ifndef STOKER_CLI_CMD_H
#define STOKER_CLI_CMD_H

#include "src/values/opt.h"

struct command;

/* One call of a command. */
struct cli {
    const struct command *cmd;
    const char *name; /* what messages begin with: "sbatch", "stoker submit" */
};

/* Which clusters a command can ask. */
enum command_reach {
    REACH_ANY,  /* also one on another machine, through ssh: --on */
    REACH_HERE, /* of this machine alone: it uses files, the directory or the environment here */
    REACH_NONE, /* it asks none */
};

struct command {
    const char *name;
    const char *summary; /* one line, for the list of commands and the help */
    const char *usage;   /* behind the name: "[OPTIONS] [SCRIPT [ARGS...]]" */
    const struct opts *options;
    bool slurm;         /* one of Slurm's names: its version text, its exit codes */
    int bad_usage_exit; /* exit code for an unknown option; 0: 1 for Slurm's names, 2 for stoker's */
    int bad_value_exit; /* for an argument that an option does not take; 0: as above */
    enum command_reach reach;
    /* Returns the exit code. argv[0] is the command's name; argv[argc] is NULL. */
    int (*run)(struct cli *cli, int argc, char **argv);
};

/* Parses the command line with the command's table. Returns true to go on; false where all is said and
 * *ret_exit is the exit code: help or version was printed, or an error with a pointer to the help.
 * operands NULL: it takes none; one that is there is an error of stoker's own commands. */
bool cli_parse(const struct cli *cli, void *ctx, int argc, char **argv, unsigned flags,
               struct strv *operands, int *ret_exit) __attribute__((warn_unused_result));
/* The same, for what opt_parse returned. */
bool cli_parsed(const struct cli *cli, enum opt_result r, const struct errtext *err, int *ret_exit)
    __attribute__((warn_unused_result));

void cli_print_help(FILE *f, const struct cli *cli);
/* "name: error: text" and "name: text" lines on standard error. */
void cli_error(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cli_say(const struct cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One "name: error: " line for each line of text. */
void cli_error_lines(const struct cli *cli, const char *text);

/* The process's environment as a list; the caller frees. */
struct strv cli_environ(void) __attribute__((warn_unused_result));

#endif
