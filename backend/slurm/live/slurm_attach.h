/* slurm_attach.h - what a running step prints, by `sattach`, for steps whose output is not in a file.
 *
 * Slurm's step daemon sends to an attached client the last output that it has in memory, and then all new
 * output. The last MiB is kept here while a client reads it; offsets count from the first byte that was
 * received.
 */
#ifndef STOKER_BACKEND_SLURM_LIVE_SLURM_ATTACH_H
#define STOKER_BACKEND_SLURM_LIVE_SLURM_ATTACH_H

#include "backend/slurm/slurm_session.h"

struct slurm_attaches;

/* on_more is called when there is more to read, or when no more will come. hub must outlive the result. */
struct slurm_attaches *slurm_attaches_new(struct slurm_hub *hub, void (*on_more)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
/* Ends all running commands. NULL is fine. */
void slurm_attaches_free(struct slurm_attaches *a);

/* Reads stream 1 or 2 of that step from m->offset on; attaches to the step first if necessary. *ret's bytes
 * are valid until the loop goes on. Returns 0; -EAGAIN: nothing new yet; -EINPROGRESS: has just attached;
 * -EMFILE: attached to too many steps; -EPROTO: Slurm's words are in err. */
int slurm_attach_read(struct slurm_attaches *a, const char *step_name, const struct msg_output_read *m,
                      struct msg_output_data *ret, struct errtext *err) __attribute__((warn_unused_result));

#endif
