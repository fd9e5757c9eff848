/* agent_report.h - what the agent tells the controller of this node: MSG_AGENT. */
#ifndef STOKER_BACKEND_AGENT_AGENT_REPORT_H
#define STOKER_BACKEND_AGENT_AGENT_REPORT_H

#include "src/proto/msg.h"

struct agent;

/* The head of an answer, all that a refused controller gets. Free with rec_fini. */
struct msg_agent agent_report_head(const struct agent *a);
/* Everything about the node. *told: see login_socket_update. */
void agent_report_fill(struct agent *a, struct msg_agent *m, bool *told);

#endif
