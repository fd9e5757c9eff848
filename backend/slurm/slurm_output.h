/* slurm_output.h - the outputs of jobs, for clients that have no files of this machine: read as the user.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_OUTPUT_H
#define STOKER_BACKEND_SLURM_SLURM_OUTPUT_H

#include "backend/slurm/slurm_session.h"

/* Answers with OUTPUT_DATA, at once or when the file has grown, or refuses. The path comes from the job's
 * row, never from the request. The output of a step comes by sattach. */
void slurm_output_read(struct slurm_session *s, uint64_t tag, const struct msg_output_read *m);
/* Call when attached steps have printed more, or have ended. */
void slurm_output_more(struct slurm_session *s);
/* The session ends: what waits is dropped. */
void slurm_output_drop(struct slurm_session *s);

#endif
