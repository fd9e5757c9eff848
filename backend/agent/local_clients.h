/* local_clients.h - clients on the node: srun in a job, a shell on a login machine. Their streams go
 * through the controller's own connection, so that a node needs no way to the controller of its own.
 *
 * A client is the user that this kernel names. Without a controller no client is let in: they wait in the
 * socket's queue.
 */
#ifndef STOKER_BACKEND_AGENT_LOCAL_CLIENTS_H
#define STOKER_BACKEND_AGENT_LOCAL_CLIENTS_H

#include "src/proto/msg.h"

struct agent;
struct local_clients;

struct local_clients *local_clients_new(struct agent *a);
void local_clients_free(struct local_clients *lc);
/* Lets clients on this node speak to the controller. Returns the socket's path (caller frees), NULL where
 * it cannot be made. */
char *local_clients_listen(struct local_clients *lc);
/* TUNNEL_DATA, TUNNEL_TAKEN or TUNNEL_END of the controller. */
int local_clients_take(struct local_clients *lc, enum msg_kind kind, const void *body)
    __attribute__((warn_unused_result));
/* The controller is gone: open streams are cut off, new clients wait. */
void local_clients_drop(struct local_clients *lc);

#endif
