/* node_reports.h - what agents say becomes events; what they hold is compared with the state.
 *
 *      state \ report      running         ended           absent
 *      launching           adopt           (its end comes) launch again, same name
 *      running             -               (its end comes) new boot: node_reboot
 *                                                          same boot: after a second report, unknown
 *      being killed        kill again      (its end comes) as above; launching: it never was
 *      ended, other try    kill            acknowledge     -
 *      unknown job or try  leave alone, drain the node: this may be another history of the cluster
 *                          (unknown_tasks.c)
 *
 * An agent is heard about the tasks of its own node alone. */
#ifndef STOKER_BACKEND_CONTROL_NODES_NODE_REPORTS_H
#define STOKER_BACKEND_CONTROL_NODES_NODE_REPORTS_H

#include "backend/control/nodes/node_peers.h"

extern const struct node_handlers node_report_handlers;

#endif
