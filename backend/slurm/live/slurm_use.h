/* slurm_use.h - what the steps of a running job use, by `sstat`, asked while a client shows the job.
 *
 * sstat asks slurmctld for the job's steps and then slurmd on each of their nodes. It is asked every 10 s,
 * a job on many nodes less often, and never sooner than after 50 times what the last answer took. Slurm
 * tells it to the owner and to operators alone, and only where its accounting gathers anything.
 */
#ifndef STOKER_BACKEND_SLURM_LIVE_SLURM_USE_H
#define STOKER_BACKEND_SLURM_LIVE_SLURM_USE_H

#include "backend/slurm/slurm_rights.h"
#include "backend/slurm/slurm_session.h"

struct slurm_uses;

/* hub, mirror and rights must outlive the result. */
struct slurm_uses *slurm_uses_new(struct slurm_hub *hub, struct slurm_mirror *mirror,
                                  const struct slurm_rights *rights) __attribute__((warn_unused_result));
void slurm_uses_free(struct slurm_uses *u); /* NULL is fine */
/* Appends the cost of these questions to the rows of slurm_poll_report. */
void slurm_uses_report(const struct slurm_uses *u, struct msg_engine *ret);

/* The jobs that sessions show (watch_job), or their states, may have changed. */
void slurm_uses_check(struct slurm_uses *u);
/* Sends that client what was measured last of the job that it shows, if that is not too old. */
void slurm_uses_greet(struct slurm_uses *u, struct slurm_session *s);
/* Whether Slurm tells this user what the job uses. */
bool slurm_uses_may(const struct slurm_uses *u, const struct job *j);

/* One measurement of a job: sums of each step over its tasks so far. */
struct slurm_use_sample {
    struct mono at;
    size_t n;
    struct slurm_use_step {
        int32_t step;
        uint64_t cpu_ms, mem_kib;
    } * v;
};

/* The argument of sstat's --format. */
#define SLURM_USE_FORMAT "JobID,TRESUsageInTot"
/* Reads rows "12.0|cpu=00:01:02,mem=5648K,..." of job. Steps without figures are left out. Caller frees
 * ret->v. Pure. */
void slurm_use_read(const struct slurm_span *answer, struct slurm_use_sample *ret);
/* What the steps have used between two samples; a step that was not in the first one began in between.
 * Appends to ret->steps. Pure. */
void slurm_use_between(const struct slurm_use_sample *before, const struct slurm_use_sample *now,
                       struct msg_job_use *ret);

#endif
