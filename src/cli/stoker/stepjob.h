/* stepjob.h - a job file, with the command line's options over it, as what is submitted. */
#ifndef STOKER_CLI_STEPJOB_H
#define STOKER_CLI_STEPJOB_H

#include "src/cli/step/batch.h"

/* Reads path, then the options of argv into b over what the file says. Options that say how large tasks are
 * belong into the file's steps and are refused. Returns true with *ret, which msg_submit_rec frees; false:
 * all is said and *ret_exit is the exit code. */
bool stepjob_message(const struct cli *cli, struct batch *b, const char *path, int argc, char **argv,
                     struct msg_submit *ret, int *ret_exit) __attribute__((warn_unused_result));

#endif
