/* runs.h - the earlier runs of a job that went back to the queue, as accounting wants them.
 *
 * They lie in job.runs, the oldest first. Bounds: RUNS_MAX of them, and RUN_TASKS_MAX tasks in the steps of
 * all: beyond that the oldest run, or the steps of the oldest run that has any, are forgotten.
 */
#ifndef STOKER_MODEL_RUNS_H
#define STOKER_MODEL_RUNS_H

#include "src/model/job.h"

#define RUNS_MAX      100
#define RUN_TASKS_MAX 4096

/* All of a job's runs, the last one included: runs_count, then run_get for 0 ... n - 1. */
uint32_t runs_count(const struct job *j);
struct run_record {
    struct job job;
    struct job_rare rare;
};
/* The job as it was in its run k: a record to read, made in *ret, that borrows everything else from j,
 * never to be freed. Earlier runs are over; each later one counts as submitted when the one before went
 * back (so does Slurm's accounting), and has itself no runs. */
const struct job *run_get(const struct job *j, uint32_t k, struct run_record *ret);
/* How a run ended or is being ended, without its nodes and steps. Owns: rec_fini(&past_run_rec, ret). */
void run_summary(const struct job *run, struct past_run *ret);
/* The same of a run by itself, of a job of that user. */
const struct job *run_read(const struct past_run *r, uint32_t uid, char *user, struct run_record *ret);
/* Why a node could not start it; NULL: it was started. */
const struct cause *run_refusal(const struct job *run);
/* Ended by being put back on request: no job ends so, only a run. */
bool run_was_requeued(const struct job *run);

#endif
