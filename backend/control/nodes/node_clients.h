/* node_clients.h - clients on nodes: their streams come over the node's connection and become sessions.
 *
 * What a node says about who a client is counts for users who have something running there, and for all
 * users on a login node, where the name that the uid has there is the one that it has here; root of a node
 * is not an administrator here. */
#ifndef STOKER_BACKEND_CONTROL_NODES_NODE_CLIENTS_H
#define STOKER_BACKEND_CONTROL_NODES_NODE_CLIENTS_H

#include "backend/control/nodes/node_peers.h"

extern const struct module_ops node_clients_module;

int node_clients_take(struct control *c, struct node_peer *peer, enum msg_kind kind, const void *body)
    __attribute__((warn_unused_result));

#endif
