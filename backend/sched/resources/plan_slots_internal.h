/* plan_slots_internal.h - what starting and holding share. */
#ifndef STOKER_BACKEND_SCHED_PLAN_SLOTS_INTERNAL_H
#define STOKER_BACKEND_SCHED_PLAN_SLOTS_INTERNAL_H

#include "backend/sched/resources/plan_slots.h"

#define NO_PARTITION UINT32_MAX

/* The lane that its place counts in: this one (where it did, or where it is held), or where that has none
 * left another of its own. */
uint32_t plan_slots_partition_left(const struct plan_slots *b, const struct plan_request *it,
                                   uint32_t partition);

/* As plan_slots_suspend_behind, for an item whose start is planned: claims of lower tiers only give way if
 * others have gone for it too. below: only what is held in lower tiers: for an item that holds a place. */
bool plan_slots_suspend_plans_behind(struct plan_slots *b, const struct plan_request *it,
                                     bool by_preemption);
bool plan_slots_suspend_plans_below(struct plan_slots *b, const struct plan_request *it,
                                    bool by_preemption);

/* As plan_slots_is_use_valid. */
bool plan_slot_is_valid(struct plan_slots *b, struct plan_slot *h);
/* Those that were lifted and are in the way of a place that has been taken lose theirs. */
void plan_slots_drop_displaced(struct plan_slots *b);

/* The item of a hold as far as it has to be looked at again: on one node, it could only be one of those on
 * which something has come free. ret->n_choices is 0 where nothing has; else the choices keep their
 * positions. */
void plan_slots_narrow(struct plan_slots *b, const struct plan_request *it, const struct plan_slot *h,
                       struct plan_request *ret);

bool plan_slot_is_at(const struct plan_slot *h, const struct placement *at);
/* Gives it up for a place that takes nothing less of what it had. */
void plan_slots_drop_for_same(struct plan_slots *b, struct plan_slot *h);
/* Another entry of the item has counted it in this pass: for others its lane has a place again. */
void plan_slots_drop_counted(struct plan_slots *b, struct plan_slot *h);

/* Another entry holds a place for the item, which is not in its way. Returns what puts it back. */
uint64_t plan_slot_suspend_own(struct plan_slots *b, struct plan_slot *h);
void plan_slot_restore_own(struct plan_slots *b, struct plan_slot *h, uint64_t visited);

#endif
