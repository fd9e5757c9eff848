/* commands.h - the table of all commands.
 *
 * To add one, define `const struct command cmd_NAME` in a file of its own, in src/cli/slurm/NAME.c or
 * src/cli/stoker/cmd_NAME.c, and add its row to COMMANDS.
 */
#ifndef STOKER_CLI_COMMANDS_H
#define STOKER_CLI_COMMANDS_H

#include "src/cli/cmd.h"

/* X(C name): `const struct command cmd_NAME`, in the order of the list that `stoker --help` prints. A line
 * comes in together with its file. */
/* clang-format off */
#define COMMANDS(X) \
    /* stoker's own */ \
    X(submit) \
    X(jobs) \
    X(plain) \
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
    X(audit) \
    X(up) \
    X(down) \
    X(init) \
    X(doctor) \
    X(config) \
    X(import) \
    X(manual) \
    X(sim) \
    X(slurm) \
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

/* Writes out what is left of standard output. Returns rc, and 1 instead of 0 where it could not be written:
 * a reader that goes away (| head) must not turn a full disk's silence into success either. */
int command_flush(int rc) __attribute__((warn_unused_result));

#endif
