/* bridge.h - joins standard input and output with the agent's socket: what an SSH channel runs on a node.
 *
 * The agent is a daemon and outlives the channel; the bridge carries bytes and knows nothing of them. Where
 * no agent runs one is started; one that is another program (of an older or newer release) is replaced
 * first: its tasks go on, their shims are adopted.
 */
#ifndef STOKER_BACKEND_AGENT_BRIDGE_H
#define STOKER_BACKEND_AGENT_BRIDGE_H

#include "src/base/err.h"

/* What the other end waits for before it speaks; start-up files of a shell may print in front of it. */
#define BRIDGE_HELLO "STOKER@@ BRIDGE 1\n"

/* How the line begins by which stoker-link asks what machine this is, where its key may run nothing but
 * the bridge: src/proto/probe.h. */

/* To an agent that is a service: nothing is started and nothing replaced. */
int bridge_join(const char *socket, struct errtext *err) __attribute__((warn_unused_result));

/* program: path of the agent's program, this one. Returns 0 when either side has ended. */
int bridge_run(const char *program, const char *node, const char *dir, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
