/* workload.h - who submits what and when, and how long it really runs: what the full simulation is fed
 * with.
 *
 * From a trace (here) or made up (generate.h). Times are seconds since the workload's beginning. What the
 * scheduler may know is in the request; what it must not know, the run time, is beside it.
 */
#ifndef STOKER_SIM_WORKLOAD_H
#define STOKER_SIM_WORKLOAD_H

#include "backend/sim/swf.h"
#include "src/base/vec.h"
#include "src/model/job.h"

struct sim_user {
    char *name, *group, *account, *qos; /* account, qos: NULL: the default ones */
};

struct sim_shape { /* requests that are alike but for their figures below */
    char *name;
    struct job_req req;
    bool keeps_work; /* continues where it was when it was preempted, else begins again */
};

struct sim_job {
    int64_t id; /* of the trace, or counted from 1 */
    int64_t submit_s, run_s;
    uint32_t user, shape; /* positions */
    uint32_t limit_s;     /* DURATION_NOT_SET: the partition's */
    uint32_t tasks;       /* NOT_GIVEN: as the shape has it */
    uint64_t mem_cpu_mib; /* MEM_NOT_GIVEN: as the shape has it */
};

struct workload {
    char *name; /* of its file */
    VEC(struct sim_user) users;
    VEC(struct sim_shape) shapes;
    VEC(struct sim_job) jobs; /* by submission */
    struct wall begin;        /* on the calendar */
    int64_t until_s;          /* the simulation ends then, whatever waits; 0: when all is done */
    size_t n_dropped;         /* records of the trace that are no job */
};

void workload_init(struct workload *w, const char *name);
void workload_fini(struct workload *w);

/* The usable jobs of a trace, at most `first` (0: all): users "user7" of group "group3", a job of queue 5
 * goes to partition "queue5" where the cluster has one, processors are tasks of one CPU. Records without
 * run time, processors or submission are dropped. */
struct cluster_spec;
void workload_from_trace(struct workload *ret, const char *name, const struct swf *s,
                         const struct cluster_spec *cluster, size_t first);

#endif
