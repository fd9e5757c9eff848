/* slurm_host.h - the optional service of a machine: one poll of all jobs and nodes, shared by the
 * stoker-slurm of each user (docs/SLURM-ENGINE.md).
 *
 *      stoker-slurm of ann --+
 *      stoker-slurm of bo  --+--unix socket--> stoker-slurm --host --> squeue --all, scontrol show node
 *
 * A connection is one question: "jobs", "own" or "nodes" and a newline. The answer is the line "OK WORD
 * AGE_MS" and what Slurm has printed, or "NO TEXT". "own" has the rows of the user at the other end alone.
 * It is read only and asks Slurm only when it is asked itself, with the pauses of slurm_poll.h. Where Slurm
 * hides jobs or nodes of other users (PrivateData), all questions are refused.
 */
#ifndef STOKER_BACKEND_SLURM_HOST_SLURM_HOST_H
#define STOKER_BACKEND_SLURM_HOST_SLURM_HOST_H

#include "backend/loop/loop.h"
#include "backend/slurm/slurm_value.h"
#include "src/base/err.h"
#include "src/base/str.h"

struct slurm_host;

/* Listens at socket, which every user may connect to; commands: the directory of Slurm's. Asks for the
 * configuration first. Errors: negative errno with a text. */
int slurm_host_new(struct loop *l, const char *socket, const char *commands, struct slurm_host **ret,
                   struct errtext *err) __attribute__((warn_unused_result));
void slurm_host_free(struct slurm_host *h); /* NULL is fine */

/* Why answers may not be shared under this `scontrol show config`; NULL: they may. Caller frees. Pure. */
char *slurm_host_private(const struct slurm_span *config);
/* Appends the rows of jobs of that user. Pure. */
void slurm_host_filter(const struct slurm_span *answer, const char *word, uint32_t uid, struct str *out);

#endif
