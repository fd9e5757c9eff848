/* simopts.h - what `stoker sim` is called with. The command is a program of its own, stoker-sim: commands
 * do not include the scheduler. Both read the same table. */
#ifndef STOKER_CLI_SIMOPTS_H
#define STOKER_CLI_SIMOPTS_H

#include "src/cli/cmd.h"

struct sim_options {
    bool procs_only, json;
    char *policy;   /* NULL: the default */
    char *starts;   /* file; NULL: none */
    char *config;   /* file; NULL: none */
    char *generate; /* file; NULL: a trace is read */
    char *trace;    /* NULL: the workload is generated */
    uint64_t first; /* jobs; 0: all */
    uint64_t seed;
    bool has_seed;
};

extern const struct opts sim_opts;

/* Parses the command line. Returns true to go on; false where all is said: *ret_exit is the exit code
 * then. */
bool sim_options_parse(struct sim_options *ret, const struct cli *cli, int argc, char **argv, int *ret_exit)
    __attribute__((warn_unused_result));
void sim_options_fini(struct sim_options *o);

#endif
