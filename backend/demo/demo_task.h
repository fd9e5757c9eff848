/* demo_task.h - what a made-up task does: how long it runs, how it ends, what it uses and what it prints.
 *
 * All of it follows from the name of the job and a seed. Nothing is run.
 */
#ifndef STOKER_BACKEND_DEMO_TASK_H
#define STOKER_BACKEND_DEMO_TASK_H

#include "src/proto/launch.h"

enum demo_log {
    DEMO_LOG_TRAIN, /* epochs with a progress bar */
    DEMO_LOG_EVAL,  /* a table of figures */
    DEMO_LOG_FILES, /* files one after the other */
    DEMO_LOG_STEPS, /* steps of a computation with an energy */
    DEMO_LOG_PLAIN, /* a command that says little */
};

#define DEMO_GPU_MIB 81920 /* memory of a card */

struct demo_task {
    enum demo_log log;
    uint64_t seed;
    int64_t run_ms, full_ms; /* until its end; until it would have done all of it */
    uint32_t end_kind;       /* enum end_kind */
    int32_t code, signal;
    const char *fail_text;         /* its last words; NULL: it ends well */
    uint32_t cpu_pct, gpu_pct;     /* of what it has, on average */
    uint32_t mem_pct, gpu_mem_pct; /* of what it has, of a card */
    bool leaves_gpu_idle;          /* the last of its cards does nothing */
    const char *step;              /* what its batch script starts with srun; NULL: nothing */
    char title[64];                /* what it runs, for what it prints */
};

/* The task of a launch in the world of that seed. */
void demo_task_init(struct demo_task *t, const struct launch *l, uint64_t seed);

/* What it uses at that time of its run: GPU in percent, CPUs in percent of those it has. */
uint32_t demo_task_gpu_pct(const struct demo_task *t, unsigned gpu, int64_t at_ms);
uint32_t demo_task_cpu_pct(const struct demo_task *t, int64_t at_ms);

/* A number of that seed, evenly below n. */
uint32_t demo_dice(uint64_t seed, uint64_t what, uint32_t n);

#endif
