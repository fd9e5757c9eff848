/* sweep.h - the processes of tasks whose shim was killed.
 *
 * They are found in three ways, each of which a program may evade: as orphans that came to the agent, which
 * is a subreaper; by the session, which was the shim's; by the mark in their environment. Only when none is
 * left is the task over, and its end unknown.
 */
#ifndef STOKER_BACKEND_AGENT_SWEEP_H
#define STOKER_BACKEND_AGENT_SWEEP_H

#include "backend/agent/task_table.h"

struct sweep;

/* is_helper: whether a child of this process is one that the agent itself has started, shims aside. */
struct sweep *sweep_new(struct agent *a, bool (*is_helper)(void *ctx, pid_t pid), void *ctx);
void sweep_free(struct sweep *sw);
/* t's shim is lost: what it left is killed until there is nothing, then t ends. */
void sweep_add(struct sweep *sw, struct atask *t);

#endif
