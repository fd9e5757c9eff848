/* deadline.h - --deadline and --time-min. */
#ifndef STOKER_BACKEND_SCHED_DEADLINE_H
#define STOKER_BACKEND_SCHED_DEADLINE_H

#include "src/model/model.h"

/* The time limit that a start of j in part would get when it is not cut short: the request's, else the
 * partition's default, else its maximum. A request with --time-min gets no more than the maximum. */
uint32_t deadline_limit_s(const struct job *j, const struct part_spec *part);
/* The shortest that it may be cut to (--time-min), at most the limit. */
uint32_t deadline_least_s(const struct job *j, const struct part_spec *part);
/* The latest start with which it still ends before its deadline; unset where it has none. */
struct wall deadline_latest_start(const struct job *j, const struct part_spec *part);
/* Whether no partition that it asks for lets it end in time any more. */
bool deadline_missed(const struct model *m, const struct job *j, struct wall now);

#endif
