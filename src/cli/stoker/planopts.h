/* planopts.h - the options of stoker plan: for the command, and for the program that does its what-ifs. */
#ifndef STOKER_CLI_PLANOPTS_H
#define STOKER_CLI_PLANOPTS_H

#include "src/cli/cmd.h"

struct plan_options {
    char *drain, *config; /* NULL: not asked */
    struct strv users, partitions;
    bool json, score;
};

/* False: *ret_rc is the exit code, help or error have been said. */
bool plan_options_parse(struct plan_options *ret, const struct cli *cli, int argc, char **argv,
                        int *ret_rc);
void plan_options_fini(struct plan_options *p);

#endif
