/* play.h - the full simulation: a workload on a cluster, by a virtual clock over the real state and the
 * real planner.
 *
 *     instant: jobs end -> END; grace times and time limits pass -> KILL, END; jobs come in -> SUBMIT
 *              planner_cycle -> START, KILL of those that must go; again where that has changed anything
 *     next instant: the next of those, or when the planner wants to be asked again
 *
 * Every change is an event that model_apply folds, as in the controller: partitions, priorities, fair
 * share, limits and preemption are those of the cluster's configuration. A job begins to run in the second
 * in which it is started. A preempted one uses its grace time to the end.
 */
#ifndef STOKER_SIM_PLAY_H
#define STOKER_SIM_PLAY_H

#include "backend/sim/progress.h"
#include "backend/sim/workload.h"
#include "src/answers/answer_score.h"
#include "src/answers/refusal.h"
#include "src/model/spec.h"

struct play_job {   /* what became of a job of the workload */
    uint32_t id;    /* in the state; 0: refused, or not submitted any more */
    uint32_t state; /* enum job_state, at the end of the simulation */
    enum refusal refusal;
    uint32_t preempted;     /* times */
    int64_t start_s, end_s; /* first start, last end; -1: none. Seconds since the workload's beginning */
    int64_t ran_s;          /* of the work that counted in the end */
    double cpu_s, gpu_s;    /* held, over all its runs */
    double lost_cpu_s, lost_gpu_s; /* of that, work that was thrown away */
    uint32_t partition;            /* where it ran last or waits, position; UINT32_MAX: none */
};

struct play {
    struct play_job *jobs; /* one for each of the workload */
    size_t n_jobs;
    int64_t end_s;                  /* of the simulation */
    double cpu_s, mem_mib_s, gpu_s; /* held, by all */
    double free_gpu_s, split_gpu_s; /* split: free on nodes whose other GPUs were in use */
    uint64_t passes, events;
    uint64_t forecast_jobs;   /* waiting jobs, summed over all forecasts */
    struct msg_scores scores; /* of the first start that each waiting job was told */
};

/* Errors: -EINVAL where the state refuses the cluster; -ELOOP where its rules make jobs preempt one another
 * in a circle. p may be NULL. */
int play_run(const struct cluster_spec *cluster, const struct workload *w, struct progress *p,
             struct play *ret, struct errtext *err) __attribute__((warn_unused_result));
void play_fini(struct play *r);

#endif
