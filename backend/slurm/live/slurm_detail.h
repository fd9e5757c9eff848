/* slurm_detail.h - what squeue's rows do not tell about a running job: its steps, and its CPUs and GPUs on
 * each node. Pure.
 */
#ifndef STOKER_BACKEND_SLURM_LIVE_SLURM_DETAIL_H
#define STOKER_BACKEND_SLURM_LIVE_SLURM_DETAIL_H

#include "backend/slurm/slurm_value.h"
#include "src/base/err.h"
#include "src/model/job.h"

/* Adds the command that prints the steps of a job, with that word after each column. */
void slurm_detail_ask(struct strv *argv, uint32_t job, const char *word);

/* The step of "12.0", "6_5.batch". False: one that the user did not start (extern). */
bool slurm_detail_step_id(const struct slurm_span *text, int32_t *ret);

/* Replaces the steps of j by those in an answer of `squeue --steps`. Ranks are not told apart: each step
 * has one task. Steps of no use to a user (extern) are left out. Errors: -EBADMSG, and j is unchanged. */
int slurm_detail_read_steps(struct job *j, const struct slurm_span *answer, const char *word,
                            struct errtext *err) __attribute__((warn_unused_result));

/* Sets CPUs, GPUs and memory of j on each node from a line of `scontrol --details --oneliner show job`.
 * What the line does not tell stays unchanged. */
void slurm_detail_read_devices(struct job *j, const struct slurm_span *line);

#endif
