/* gate.h - what keeps a job from being looked at: holds, times, partitions' rules. Gates come before
 * resources. */
#ifndef STOKER_BACKEND_SCHED_GATE_H
#define STOKER_BACKEND_SCHED_GATE_H

#include "backend/sched/sched.h"

/* The names of the partitions a job may run in: the request's, else the default one. Caller frees. */
struct strv gate_partitions(const struct model *m, const struct job *j);

/* The one partition that it may run in, without an allocation; NULL where it names several or none. */
const char *gate_single(const struct model *m, const struct job *j);

/* May a request of this user run in the partition at all? part NULL: no such partition. REASON_NONE: yes.
 * text (may be NULL) gets the rule with its numbers. */
enum reason gate_partition(const struct sched_view *v, uint32_t uid, const struct job_req *req,
                           const struct part_spec *part, struct errtext *text);

/* Is the job's turn possible now? REASON_NONE: yes. ret_clears: when a gate of time opens. */
enum reason gate_job(const struct sched_view *v, const struct job *j, struct wall now,
                     struct wall *ret_clears);

#endif
