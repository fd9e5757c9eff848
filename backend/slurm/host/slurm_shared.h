/* slurm_shared.h - where the answers of a machine's service (slurm_host.h) are to be had, and asking it. */
#ifndef STOKER_BACKEND_SLURM_HOST_SLURM_SHARED_H
#define STOKER_BACKEND_SLURM_HOST_SLURM_SHARED_H

#include "src/base/err.h"
#include "src/base/str.h"

#define SLURM_SHARED_DIR      "/run/stoker-slurm"
#define SLURM_SHARED_VARIABLE "STOKER_SLURM_SHARED" /* another directory */

/* The socket of the service for the Slurm that a user's server at `own` is for. Caller frees. */
char *slurm_shared_socket(const char *own) __attribute__((warn_unused_result));

/* For a process of its own, as it may wait: asks the service and writes "WORD AGE_MS" and a newline, then
 * what Slurm has printed, to out_fd. The service must be that of root, or of the owner of its directory,
 * which no other user can write to. Returns 0 or a negative errno with a text. */
int slurm_shared_fetch(const char *socket, const char *what, int out_fd, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
