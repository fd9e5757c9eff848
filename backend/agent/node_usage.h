/* node_usage.h - how busy the node and each task are, once a second while a client watches; nothing is
 * measured otherwise.
 */
#ifndef STOKER_BACKEND_AGENT_NODE_USAGE_H
#define STOKER_BACKEND_AGENT_NODE_USAGE_H

#include <stdbool.h>

struct agent;
struct node_usage;

struct node_usage *node_usage_new(struct agent *a);
void node_usage_free(struct node_usage *u);
/* Reports to the controller, or no longer. */
void node_usage_watch(struct node_usage *u, bool on);

#endif
