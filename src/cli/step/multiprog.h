/* multiprog.h - srun --multi-prog: which rank runs what.
 *
 *     # ranks    program and arguments; %t: the rank, %o: its place within the line's ranks
 *     0          python script firstarg
 *     1-3,7      python script %t
 *     *          sleep 60                    every rank not named before
 *
 * Quotes group, a backslash at the end of a line joins the next one. Source: srun(1), "MULTIPLE PROGRAM
 * CONFIGURATION".
 */
#ifndef STOKER_CLI_MULTIPROG_H
#define STOKER_CLI_MULTIPROG_H

#include "src/client/client.h"

/* Appends one entry for each of n_ranks, ascending, to ret->ranks. name: for messages.
 * Errors: -EINVAL; the text names the line or the rank without a record. ret untouched. */
int multiprog_parse(const char *name, const char *text, uint32_t n_ranks, struct step_payload *ret,
                    struct errtext *err) __attribute__((warn_unused_result));

#endif
