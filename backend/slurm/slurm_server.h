/* slurm_server.h - Slurm behind the protocol of the controller: one server per user and cluster.
 *
 * Clients of the same user connect to its socket and speak as they do with stokerd. It reads Slurm only
 * while a client is connected, acts as that user, keeps on disk what was submitted lately (slurm_intent.h),
 * and ends some seconds after its last client has left.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_SERVER_H
#define STOKER_BACKEND_SLURM_SLURM_SERVER_H

#include "backend/loop/loop.h"
#include "src/base/err.h"

struct slurm_server;

struct slurm_server_settings {
    const char *socket;   /* its directory is there, and is the user's alone */
    const char *commands; /* directory of squeue, scontrol, scancel ... */
    int64_t idle_ms;      /* without a client; then it stops the loop */
    int64_t settle_ms;    /* see slurm_submits_settings */
};

/* Listens. Errors: a negative errno with a text. settings are read during the call and not kept, but for
 * the texts. */
int slurm_server_new(struct loop *l, const struct slurm_server_settings *settings,
                     struct slurm_server **ret, struct errtext *err) __attribute__((warn_unused_result));
/* Closes all connections and removes the socket. */
void slurm_server_free(struct slurm_server *s);

#endif
