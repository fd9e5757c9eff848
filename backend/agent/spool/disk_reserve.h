/* disk_reserve.h - free space for what tasks write here.
 *
 * Below a reserve nothing is launched, so that the ends of running tasks can still be written. The
 * controller is told at once, and again when there is space: it drains the node meanwhile, instead of
 * sending one job after the other into a refusal.
 */
#ifndef STOKER_AGENT_SPOOL_DISK_RESERVE_H
#define STOKER_AGENT_SPOOL_DISK_RESERVE_H

#include <stdbool.h>

#include "backend/loop/loop.h"
#include "backend/rights/agent_dir.h"

struct disk_reserve;

/* on_change: the disk has become full, or has space again. */
struct disk_reserve *disk_reserve_new(struct loop *l, const struct agent_dir *dir, loop_fn on_change,
                                      void *ctx);
void disk_reserve_free(struct disk_reserve *d);
/* Whether there is space for another task's files; -ENOSPC with a text. */
int disk_reserve_check(struct disk_reserve *d, struct errtext *err) __attribute__((warn_unused_result));
/* Nothing is launched for lack of it. */
bool disk_reserve_is_used_up(const struct disk_reserve *d);
/* Takes the blocks that supervisors give back to the disk for the ends of tasks when it is full. */
void disk_reserve_take(const struct agent_dir *dir);

#endif
