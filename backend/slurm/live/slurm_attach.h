/* slurm_attach.h - what a running step prints, by `sattach`: for steps whose output is in no file.
 *
 * Slurm's step daemon gives who attaches the last of what it has in memory, then what comes. That is kept
 * here while a client reads it, the last MiB of it; offsets count from the first byte that was given.
 */
#ifndef STOKER_BACKEND_SLURM_LIVE_SLURM_ATTACH_H
#define STOKER_BACKEND_SLURM_LIVE_SLURM_ATTACH_H

#include "backend/slurm/slurm_session.h"

struct slurm_attaches;

/* on_more: there is more to read, or no more will come. hub outlives it. */
struct slurm_attaches *slurm_attaches_new(struct slurm_hub *hub, void (*on_more)(void *ctx), void *ctx)
    __attribute__((warn_unused_result));
/* Ends what runs. NULL is fine. */
void slurm_attaches_free(struct slurm_attaches *a);

/* What stream (1, 2) of that step holds from m->offset on; it is attached to if it is not. *ret's bytes are
 * valid until the loop goes on. Returns 0; -EAGAIN where there is nothing new yet,
 * -EINPROGRESS where it has just been attached to; -EMFILE where too many
 * are attached to; or -EPROTO with Slurm's words in err. */
int slurm_attach_read(struct slurm_attaches *a, const char *step_name, const struct msg_output_read *m,
                      struct msg_output_data *ret, struct errtext *err) __attribute__((warn_unused_result));

#endif
