/* time_parse.h - instants as users write them. */
#ifndef STOKER_VALUES_TIME_PARSE_H
#define STOKER_VALUES_TIME_PARSE_H

#include "src/base/time.h"

struct errtext;

/* Slurm's begin, deadline and start times: ISO date with optional time, HH:MM[:SS], MMDD[YY], now,
 * now+COUNT[unit], today, tomorrow, midnight, noon, epoch seconds with a leading '@'. Errors: -EINVAL with
 * a text. Source: sbatch(1), --begin. */
int wall_parse(const char *s, struct wall now, struct wall *ret, struct errtext *err)
    __attribute__((warn_unused_result));
/* The same for times of what has been: a time of day is its last one, a day without a year the last such
 * day. Nothing is earlier than the Epoch. Source: sacct(1), --starttime. */
int wall_parse_past(const char *s, struct wall now, struct wall *ret, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
