/* lost_nodes.h - nodes that are not heard of: when their jobs are given up, and which.
 *
 *     UP --silent--> SUSPECT --node_timeout--> LOST --its agent answers--> UP
 *
 *     hold       stays as it is
 *     requeue    its attempts there are over for us at node_timeout; should the node come back, what
 *                is left of them is killed there
 *     cancel     it is cancelled then
 *     lease      its attempts there have ended themselves when the lease is over: then, and a margin
 *                later, they are over for us. An attempt without a lease is held
 *
 * A controller that has just started does not know when a node was heard last: it counts from its start. */
#ifndef STOKER_BACKEND_CONTROL_NODES_LOST_NODES_H
#define STOKER_BACKEND_CONTROL_NODES_LOST_NODES_H

#include "backend/control/nodes/node_peers.h"

extern const struct module_ops lost_nodes_module;

/* Its agent has answered. */
void lost_nodes_found(struct node_peer *peer);
/* A lease that is shorter than some heartbeats is made as long. */
void lost_nodes_bound_lease(const struct control *c, struct cluster_spec *spec);
/* Jobs that hold more nodes than this one, which they have lost, end on all of them. */
void lost_nodes_end_wide_jobs(struct control *c, const char *node);

#endif
