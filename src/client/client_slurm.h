/* client_slurm.h - the Slurm of this machine, where there is one: its commands, and the server of this user
 * that speaks our protocol over them (backend/slurm). */
#ifndef STOKER_CLIENT_CLIENT_SLURM_H
#define STOKER_CLIENT_CLIENT_SLURM_H

#include <stdbool.h>

#include "src/base/err.h"

struct slurm_place {
    char *commands; /* directory of squeue, scancel ... */
    char *socket;   /* of the server for this user and cluster */
};

/* The first squeue of PATH that is not a link to stoker. Returns whether there is one; then the caller
 * frees *ret with slurm_place_fini. */
bool slurm_place_find(struct slurm_place *ret);
void slurm_place_fini(struct slurm_place *p);

/* A connected socket of the server, which is started if it does not run. Errors: negative errno with a
 * text. */
int slurm_place_dial(const struct slurm_place *p, struct errtext *err) __attribute__((warn_unused_result));

#endif
