/* cmd.h - the commands: one struct each, one file each, one table of all.
 *
 * Slurm's names (sbatch, squeue ...) are links to the program; stoker's own are subcommands of it (stoker
 * submit ...). To add one: write src/cli/NAME.c with `const struct command cmd_NAME`, and its line into
 * COMMANDS below.
 */
#ifndef STOKER_CLI_CMD_H
#define STOKER_CLI_CMD_H

#include "src/jobspec/opt.h"

struct command;

/* One call of a command. */
struct cli {
    const struct command *cmd;
    const char *name; /* what messages begin with: "sbatch", "stoker submit" */
};

struct command {
    const char *name;
    const char *summary; /* one line, for the list of commands and the help */
    const char *usage;   /* behind the name: "[OPTIONS] [SCRIPT [ARGS...]]" */
    const struct opts *options;
    bool slurm;         /* one of Slurm's names: its version text, its exit codes */
    int bad_usage_exit; /* exit code for an unknown option; 0: 1 for Slurm's names, 2 for stoker's */
    int bad_value_exit; /* for an argument that an option does not take; 0: as above */
    /* Returns the exit code. argv[0] is the command's name; argv[argc] is NULL. */
    int (*run)(struct cli *cli, int argc, char **argv);
};

/* X(C name): `const struct command cmd_NAME`, in the order of the list that `stoker --help` prints. A line
 * comes in together with its file. */
/* clang-format off */
#define COMMANDS(X) \
    /* stoker's own */ \
    X(submit) \
    X(jobs) \
    X(show) \
    X(why) \
    X(plan) \
    X(output) \
    X(attach) \
    X(cancel) \
    X(requeue) \
    X(hold) \
    X(release) \
    X(update) \
    X(nodes) \
    X(node) \
    X(window) \
    X(gpus) \
    X(users) \
    X(up) \
    X(down) \
    X(init) \
    X(doctor) \
    X(config) \
    X(import) \
    X(manual) \
    X(sim) \
    /* Slurm's names */ \
    X(sbatch) \
    X(srun) \
    X(salloc) \
    X(squeue) \
    X(scancel) \
    X(scontrol) \
    X(sinfo) \
    X(sacct) \
    X(sstat) \
    X(sdiag) \
    X(sacctmgr) \
    X(sprio) \
    X(seff) \
    X(sattach) \
    X(sbcast) \
    X(sshare)
/* clang-format on */

#define X(name) extern const struct command cmd_##name;
COMMANDS(X)
#undef X

extern const struct command *const commands[]; /* ends with NULL */

/* The command of that name and family; NULL. */
const struct command *command_find(const char *name, bool slurm);
/* The nearest name of the family by edit distance, NULL where none is near. */
const char *command_nearest(const char *name, bool slurm);

/* Runs cmd: sets up struct cli, handles nothing else. */
int command_run(const struct command *cmd, int argc, char **argv);

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
