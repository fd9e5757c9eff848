/* sync_private.h - what the files that read the state share: each reads again one thing that has changed.
 */
#ifndef STOKER_BACKEND_SCHED_SYNC_PRIVATE_H
#define STOKER_BACKEND_SCHED_SYNC_PRIVATE_H

#include "backend/sched/queue/planner_private.h"

/* --- syncnodes.c --- */

/* One node. Returns whether the sets of nodes must be made anew, and with them everything. */
bool sync_node(struct planner *p, uint32_t at);
/* All of them, or those with cards out, whose room depends on what is held. Return whether the sets of
 * nodes still hold. */
bool sync_nodes(struct planner *p);
bool sync_holes(struct planner *p);

/* --- syncruns.c: j is NULL where it has left the state --- */

void sync_runs(struct planner *p, uint32_t id, const struct job *j);
void sync_licences(struct planner *p, uint32_t id, const struct job *j);
/* Its nodes get back what it holds; r is freed. */
void sync_drop_runs(struct planner *p, struct runs *r);

/* --- syncunits.c --- */

void sync_unit(struct planner *p, uint32_t id, const struct job *j); /* NULL: it has left the state */
/* It stands in no row any more; its group goes with the last one. */
void sync_leave_group(struct planner *p, struct unit *u);

/* --- syncwindows.c --- */

/* Those that are no longer there, or have changed, go; then come those that are new. */
void sync_windows(struct planner *p);
/* One that is over has given its nodes back. */
void sync_end_windows(struct planner *p);
void sync_drop_windows(struct planner *p);

#endif
