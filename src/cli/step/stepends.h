/* stepends.h - how the tasks of a step ended: srun's lines about it, and its exit code. */
#ifndef STOKER_CLI_STEPENDS_H
#define STOKER_CLI_STEPENDS_H

#include "src/base/str.h"
#include "src/model/job.h"

/* Appends one line, without a program's name, for each group of t's ranks that ended alike and badly: "n1:
 * tasks 0-2: Exited with exit code 1", "n1: task 3: Killed". Nothing where all went well. */
void stepends_describe(const struct step *s, const struct task *t, struct str *out);

/* "task 3", "tasks 0-2,5". ranks ascending. */
void stepends_append_ranks(struct str *out, const uint32_t *ranks, size_t n);

/* The highest of the ranks' codes, 128 + n for a signal n. An end that was not observed is not a
 * success. */
int stepends_exit_code(const struct step *s);

#endif
