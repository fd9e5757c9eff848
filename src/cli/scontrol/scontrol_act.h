/* scontrol_act.h - scontrol hold, release, requeue, top, update. Each gets the words behind the name and
 * returns the exit code. */
#ifndef STOKER_CLI_SCONTROL_ACT_H
#define STOKER_CLI_SCONTROL_ACT_H

#include "src/cli/scontrol/scontrol_ask.h"

int scontrol_act(struct scontrol *s, enum act act, bool admin_hold, size_t n, char *const *words);
/* top JOB...: before the user's other waiting jobs. */
int scontrol_top(struct scontrol *s, size_t n, char *const *w);
int scontrol_update(struct scontrol *s, size_t n, char *const *words);
/* Partitions are lines of stoker.cfg: says that no such partition is there, or that it is not changed here.
 * what: Slurm's name of the call; word (may be NULL): what it was called with. */
int scontrol_no_partition_change(struct scontrol *s, const char *what, const char *word, const char *name);

#endif
