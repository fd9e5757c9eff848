/* cycle_result.h - what a scheduling cycle decides. */
#ifndef STOKER_BACKEND_SCHED_CYCLE_RESULT_H
#define STOKER_BACKEND_SCHED_CYCLE_RESULT_H

#include "src/base/vec.h"
#include "src/model/cause.h"
#include "src/model/model.h"

struct sched_start { /* a batch or interactive job, or one element of an array */
    uint32_t job;
    uint32_t array_index;  /* ARRAY_NONE: the job itself */
    struct ev_start start; /* owned; new_id is left to the caller */
};

struct sched_place { /* a task of a step job */
    uint32_t job;
    struct ev_place place; /* owned */
};

struct sched_preempt { /* a running job that has to go */
    uint32_t job, by_job;
    uint32_t grace_s; /* between TERM and KILL */
    uint32_t fate;    /* enum job_fate */
    struct cause why; /* by which rule; owned */
};

struct sched_result {
    VEC(struct sched_start) starts;
    VEC(struct sched_place) places;
    VEC(struct sched_preempt) preempts;
    VEC(uint32_t) changed; /* waiting jobs whose reason is another now; the first ones of very many */
    struct wall next;      /* when to ask again although nothing happens; unset: no need */
};

void sched_result_init(struct sched_result *r);
void sched_result_fini(struct sched_result *r);

#endif
