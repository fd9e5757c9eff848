/* slurm_live.h - the steps and the devices of running jobs, asked for while a client shows the job.
 *
 * `squeue --steps` of one job costs slurmctld 0.2 ms; it is asked each 10 s or 50 times what it took. What
 * devices a run has does not change: `scontrol --details show job` once for each run.
 */
#ifndef STOKER_BACKEND_SLURM_LIVE_SLURM_LIVE_H
#define STOKER_BACKEND_SLURM_LIVE_SLURM_LIVE_H

#include "backend/slurm/slurm_session.h"

struct slurm_live;

/* on_known: what was asked about a job is known, or cannot be. hub and mirror outlive it. */
struct slurm_live *slurm_live_new(struct slurm_hub *hub, struct slurm_mirror *mirror,
                                  void (*on_known)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
void slurm_live_free(struct slurm_live *l); /* NULL is fine */
/* What it has cost, behind the rows of slurm_poll_report. */
void slurm_live_report(const struct slurm_live *l, struct msg_engine *ret);

/* The client shows this job from now on; 0: none. */
void slurm_live_watch(struct slurm_session *s, uint32_t job);
/* Whether a question about that job has to wait: it is asked for now, or will be by this call. */
bool slurm_live_must_wait(struct slurm_live *l, uint32_t job);
/* The sessions are others now: what is not shown is not asked for. */
void slurm_live_check(struct slurm_live *l);

#endif
