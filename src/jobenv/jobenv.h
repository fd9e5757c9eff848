/* jobenv.h - the environment of jobs: SLURM_* and STOKER_* from the records alone.
 *
 * A launch's environment is the submitter's, then, each over what stands there before it:
 *
 *     batch script       jobenv_job, jobenv_gpus(its node's allocation), jobenv_task, jobenv_rank
 *     srun step          jobenv_job, jobenv_step, jobenv_gpus(the task's allocation), jobenv_task,
 *                        jobenv_rank
 *     step job's task    jobenv_job, jobenv_step, jobenv_gpus(the task's allocation), jobenv_task,
 *                        jobenv_rank
 *     salloc's command   jobenv_job, jobenv_gpus(the first node's allocation)
 *
 * Not here, because only the node knows them: SLURM_TASK_PID, and STOKER_HOME (where the node's socket is).
 * Reads no clock and no environment. Source: sbatch(1), "OUTPUT ENVIRONMENT VARIABLES"; srun(1); docs of
 * SLURM_* in section 3 of the surface.
 */
#ifndef STOKER_JOBENV_JOBENV_H
#define STOKER_JOBENV_JOBENV_H

#include "src/model/job.h"

/* What the whole job has in common, and the view from its first node. SLURM_SUBMIT_DIR is kept where env
 * has it already: sbatch says where it was called, the record only knows the directory that the job runs
 * in. */
void jobenv_job(struct strv *env, const char *cluster, const struct job *j);

/* srun --preserve-env: the counts of tasks and nodes that the caller had, taken from the step's environment
 * before the other functions and put back after them. Source: srun(1). */
struct strv jobenv_take_counts(const struct strv *env);
void jobenv_put_counts(struct strv *env, const struct strv *counts);

/* What the ranks of a step have in common. s must have its tasks placed for the SLURM_STEP_NODELIST family.
 * No-op for STEP_BATCH. */
void jobenv_step(struct strv *env, const struct job *j, const struct step *s);

/* What the ranks of a task have in common: their node and its lists, once for all of them. */
void jobenv_task(struct strv *env, const struct job *j, const struct step *s, const struct task *t);

/* What the ranks of a task have in common, in one go: jobenv_job, jobenv_step, jobenv_gpus(its allocation),
 * jobenv_task. */
void jobenv_launch(struct strv *env, const char *cluster, const struct job *j, const struct step *s,
                   const struct task *t);

/* What differs from rank to rank: a few words, never a list. rank: in the step; localid: on its node. */
void jobenv_rank(struct strv *env, const struct step *s, const struct task *t, uint32_t rank,
                 uint32_t localid);

/* Pins the GPUs of a: lists of indices on the node, empty lists (never unset) where it has none. */
void jobenv_gpus(struct strv *env, const struct alloc *a);

/* Run lengths as Slurm writes them: "2(x3),1". Caller frees. */
char *jobenv_format_counts(const uint32_t *counts, size_t n) __attribute__((warn_unused_result));

#endif
