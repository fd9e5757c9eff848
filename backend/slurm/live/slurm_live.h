/* slurm_live.h - the steps and the devices of running jobs, asked for while a client shows the job.
 *
 * `squeue --steps` of one job costs slurmctld 0.2 ms; it is asked every 10 s, or after 50 times what the
 * last answer took. The devices of a run do not change: `scontrol --details show job` is asked once for
 * each run.
 */
#ifndef STOKER_BACKEND_SLURM_LIVE_SLURM_LIVE_H
#define STOKER_BACKEND_SLURM_LIVE_SLURM_LIVE_H

#include "backend/slurm/slurm_session.h"

struct slurm_live;

/* on_known is called when the answer about a job is known, or the question has failed. hub and mirror must
 * outlive the result. */
struct slurm_live *slurm_live_new(struct slurm_hub *hub, struct slurm_mirror *mirror,
                                  void (*on_known)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
void slurm_live_free(struct slurm_live *l); /* NULL is fine */
/* Appends the cost of these questions to the rows of slurm_poll_report. */
void slurm_live_report(const struct slurm_live *l, struct msg_engine *ret);

/* The client shows this job from now on; 0: no job. */
void slurm_live_watch(struct slurm_session *s, uint32_t job);
/* Whether a client's question about that job has to wait: Slurm is being asked, or this call asks it. */
bool slurm_live_must_wait(struct slurm_live *l, uint32_t job);
/* The sessions have changed: jobs that no session shows are no longer asked about. */
void slurm_live_check(struct slurm_live *l);

#endif
