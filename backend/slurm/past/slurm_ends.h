/* slurm_ends.h - a small log of the user's jobs that were seen to end, for a Slurm without accounting: one
 * file of frames, the newest half of which is kept when it grows too large. */
#ifndef STOKER_BACKEND_SLURM_PAST_SLURM_ENDS_H
#define STOKER_BACKEND_SLURM_PAST_SLURM_ENDS_H

#include "src/base/idmap.h"
#include "src/model/job.h"

struct slurm_ends;

/* path: the file; nothing is read or written before the first job. */
struct slurm_ends *slurm_ends_new(const char *path) __attribute__((warn_unused_result));
void slurm_ends_free(struct slurm_ends *e);

/* Adds the job if it has ended and is not there yet. What cannot be written is left out. */
void slurm_ends_note(struct slurm_ends *e, const struct job *j);
/* Calls fn for each, the oldest first; the job is valid during the call. */
void slurm_ends_each(struct slurm_ends *e, void (*fn)(void *ctx, const struct job *j), void *ctx);

#endif
