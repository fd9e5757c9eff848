/* show_tree.h - the steps and tasks of a job as a table.
 *
 *     STEP       STATE     WHERE            TIME  EXIT  PEAK    CPU TIME  GPU  WHAT
 *     batch      running   n01 cpus 0-3  1:02:03
 *     0          done      n01              5:00   0:0  1.2 GB      3:22  63%  prepare
 *       .0       done      n01 cpus 0
 */
#ifndef STOKER_CLI_SHOW_TREE_H
#define STOKER_CLI_SHOW_TREE_H

#include "src/cli/lookup.h"

/* Appends a blank line and the steps that l asks for; nothing if there are none. */
void show_tree(struct str *out, const struct job_lookup *l);

#endif
