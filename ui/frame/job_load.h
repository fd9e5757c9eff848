/* job_load.h - what running jobs and their tasks use: now, and in the last minutes.
 *
 * Agents measure the nodes of a job while a view that watches it (view_ops.watches_job) is on the screen.
 * The last minutes of the jobs that were watched last are kept when their views close; of time in which no
 * view watched a job nothing is known.
 */
#ifndef UI_FRAME_JOB_LOAD_H
#define UI_FRAME_JOB_LOAD_H

#include "ui/state/view.h"

struct live_load {         /* of a job, of its part on a node, or of a task */
    bool measured;         /* the next two are */
    uint32_t cpu_permille; /* 1000: one CPU is busy */
    uint64_t mem_kib;
    uint32_t n_gpus;      /* of its GPUs those that are measured; the next three are of them */
    uint32_t gpu_percent; /* how busy they are, on average */
    uint64_t gpu_used_mib, gpu_mib;
};

struct load_past {
    struct recent cpu, mem, gpu; /* percent of what it has been allocated */
};

/* What it uses now, on all its nodes, or on node if that is not NULL. False: nothing is known. */
bool job_load_now(const struct ui *ui, const struct job *j, const char *node, struct live_load *ret);
/* The same of one task. */
bool task_load_now(const struct ui *ui, const struct job *j, const struct step *s, const struct task *t,
                   struct live_load *ret);
/* What it has used in the last minutes. False: nothing is known. */
bool job_load_past(const struct ui *ui, const struct job *j, const char *node, struct load_past *ret);
/* NULL: nothing is known. */
const struct load_past *task_load_past(const struct ui *ui, const struct job *j, const struct step *s,
                                       const struct task *t);

/* Why another engine tells nothing of the job; NULL: it does, or has not said anything yet. */
const struct msg_job_use *job_load_lack(const struct ui *ui, const struct job *j);

/* --- for ui/frame/utilization.c --- */

struct job_loads;

struct job_loads *job_loads_new(void);
void job_loads_free(struct job_loads *l);
/* A view watches the job: its minutes are kept. */
void job_loads_keep(struct job_loads *l, uint32_t job);
/* A measurement made at t, with ui_model and what is known of the nodes. */
void job_loads_take(struct ui *ui, struct job_loads *l, const struct msg_util *u, struct mono t);
/* What another engine tells of a job. Takes the contents of u. */
void job_loads_take_use(struct ui *ui, struct job_loads *l, struct msg_job_use *u);
const struct job_loads *utilization_jobs(const struct ui *ui);

#endif
