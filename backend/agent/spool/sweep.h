/* sweep.h - the processes of tasks whose shim was killed.
 *
 * They are killed as long as any are found (backend/rights/rights_sweep.c). Only when none is left is the
 * task over, and its end unknown.
 */
#ifndef STOKER_AGENT_SPOOL_SWEEP_H
#define STOKER_AGENT_SPOOL_SWEEP_H

#include "backend/agent/task_table.h"

struct sweep;

struct sweep *sweep_new(struct agent *a);
void sweep_free(struct sweep *sw);
/* t's shim is lost: what it left is killed until there is nothing, then t ends. */
void sweep_add(struct sweep *sw, struct atask *t);

#endif
