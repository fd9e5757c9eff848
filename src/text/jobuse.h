/* jobuse.h - what a job used of what it had asked for. */
#ifndef STOKER_TEXT_JOBUSE_H
#define STOKER_TEXT_JOBUSE_H

#include "src/model/model.h"

struct job_use {             /* percentages: -1 where it is not known */
    uint32_t ran_s, limit_s; /* limit_s: 0: none */
    int time_percent, cpu_percent, mem_percent;
    uint64_t cpu_ms; /* user and system time of all its processes */
    bool cpu_measured;
    uint64_t peak_kib;     /* of the task that came nearest to its limit; 0: not measured */
    uint64_t mem_mib;      /* its limit; 0: not said */
    const char *sampled;   /* how the peak was measured */
    const char *node;      /* where that task ran */
    int gpu_percent;       /* the share of the measured time in which its GPUs were busy */
    int gpu_seen_percent;  /* the share of their time that was measured */
    uint64_t gpu_peak_mib; /* peak of the task that used most, from samples */
    uint32_t gpus;         /* of that task */
    uint32_t gpus_unused;  /* not busy in any sample; 0: none, or not known */
};

/* The share of the measured time in which the GPUs of a step's tasks were busy; -1: not measured. */
int step_gpu_percent(const struct step *s);

void job_use(struct job_use *u, const struct job *j, const struct model *m, struct wall now);

#endif
