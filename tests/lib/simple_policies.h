/* simple_policies.h - scheduling policies as their definitions read, as slow as they come out: what
 * the simulator and the policy's own code are compared with. Shares no code with them but the struct of a
 * job.
 */
#ifndef STOKER_TESTS_LIB_SIMPLE_POLICIES_H
#define STOKER_TESTS_LIB_SIMPLE_POLICIES_H

#include "backend/sim/procs.h"

/* Fills in the starts of all jobs, which are sorted by submission. */
void simple_run(struct procs_job *jobs, size_t n, int64_t machine, enum procs_policy policy);

#endif
