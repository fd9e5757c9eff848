/* procs.h - the equality mode: a trace of jobs that need processors alone, on one machine, under one of
 * four policies, or EASY with another order of the queue (procs_order.h), with conventions fixed to the
 * second, so that a schedule can be compared start for start.
 *
 * At each instant: all completions, then all submissions, then one pass of the policy's own code over the
 * queue (backend/sched/resources/plan_slots.h). docs/SCHEDULER.md lists the conventions.
 */
#ifndef STOKER_SIM_PROCS_H
#define STOKER_SIM_PROCS_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/sim/progress.h"
#include "backend/sim/swf.h"

enum procs_order { PROCS_FIFO, PROCS_SJBF, PROCS_SJF, PROCS_WFP3, PROCS_UNICEP, PROCS_F1 };

enum procs_policy {
    PROCS_FCFS,
    PROCS_EASY,
    PROCS_CONS,
    PROCS_REPLAN,
    PROCS_EASY_SJBF,
    PROCS_EASY_SJF,
    PROCS_EASY_WFP3,
    PROCS_EASY_UNICEP,
    PROCS_EASY_F1,
    PROCS_N_POLICIES
};
const char *procs_policy_name(enum procs_policy p);
bool procs_policy_parse(const char *name, enum procs_policy *ret);

struct procs_job { /* seconds of the trace's clock */
    int64_t id;
    int64_t submit;
    int64_t run;      /* at least 1, at most the estimate */
    int64_t estimate; /* what the policy knows */
    int64_t procs;    /* 1 ... of the machine */
    int64_t start;    /* of the schedule; -1: not started */
};

struct procs_trace {
    int64_t procs;              /* of the machine */
    VEC(struct procs_job) jobs; /* by submission, then line of the file */
    size_t n_dropped;           /* records that are no job by the conventions */
    size_t n_killed;            /* jobs cut at their estimate */
};

/* The usable jobs of a trace, at most `first` of them (0: all). Owns: procs_trace_fini. Errors: -EINVAL
 * where the header does not say how large the machine is. */
int procs_trace_init(struct procs_trace *t, const struct swf *s, size_t first, struct errtext *err)
    __attribute__((warn_unused_result));
void procs_trace_fini(struct procs_trace *t);

/* Fills in the starts. p may be NULL. */
void procs_run(struct procs_trace *t, enum procs_policy policy, struct progress *p);

#endif
