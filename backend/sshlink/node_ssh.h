/* node_ssh.h - one node: called, checked, logged in to, joined with a descriptor.
 *
 *     CALL --connect--> CONNECTED --> KEX --host key--> LOGIN --> OPEN --> EXEC --> BOOT --bridge--> UP
 *       any of them --error, deadline, the other end closed--> over (freed)
 *
 * The pattern that was found to work with libssh 0.10: the socket is ours and is made non-blocking again
 * after each ssh_connect; callbacks are there before the channel opens; one ssh_event per session, turned
 * with timeout 0 until nothing is left; nothing is freed inside a callback; the descriptor is looked at
 * after every call, since libssh may have closed it.
 */
#ifndef STOKER_BACKEND_SSHLINK_NODE_SSH_H
#define STOKER_BACKEND_SSHLINK_NODE_SSH_H

#include "backend/loop/loop.h"
#include "backend/sshlink/node_ssh_ops.h"
#include "src/carry/bundle.h"
#include "src/proto/ssh_msg.h"

struct keys;

struct node_ssh_config {
    struct ssh_order to; /* borrowed during node_ssh_new: copied */
    struct keys *keys;
    const struct bundle *bundle; /* NULL with command */
    int peer;                    /* the controller's stream, taken; -1 with command */
    const char *command; /* instead of the agent: what it prints is handed over with node_ssh_output */
    const char *accept;  /* fingerprint of a host key that is to be written into known_hosts; NULL: none */
    bool is_shared; /* shared mode: on the node the key may run the bridge to the agent's service alone */
};

/* Waits until node_ssh_start connects and node_ssh_shake begins to speak; over already where the controller
 * takes it back meanwhile. */
struct node_ssh *node_ssh_new(struct loop *l, const struct node_ssh_config *cfg,
                              const struct node_ssh_ops *ops, void *ctx)
    __attribute__((warn_unused_result));
void node_ssh_start(struct node_ssh *ns);
void node_ssh_shake(struct node_ssh *ns);
/* No callback. */
void node_ssh_free(struct node_ssh *ns);

uint32_t node_ssh_id(const struct node_ssh *ns);
const char *node_ssh_output(const struct node_ssh *ns);

#endif
