/* plan_slots_internal.h - what starting and holding share. */
#ifndef STOKER_BACKEND_SCHED_PLAN_SLOTS_INTERNAL_H
#define STOKER_BACKEND_SCHED_PLAN_SLOTS_INTERNAL_H

#include "backend/sched/resources/plan_slots.h"

#define NO_LANE UINT32_MAX

/* The lane that its place counts in: this one (where it did, or where it is held), or where that has none
 * left another of its own. */
uint32_t backfill_lane_left(const struct backfill *b, const struct backfill_item *it, uint32_t lane);

/* As backfill_lift_behind, for an item whose start is planned: claims of lower tiers only give way if
 * others have gone for it too. below: only what is held in lower tiers: for an item that holds a place. */
bool backfill_lift_plans_behind(struct backfill *b, const struct backfill_item *it, bool claim);
bool backfill_lift_plans_below(struct backfill *b, const struct backfill_item *it, bool claim);

/* As backfill_is_use_sound. */
bool backfill_is_sound(struct backfill *b, struct backfill_hold *h);
/* Those that were lifted and are in the way of a place that has been taken lose theirs. */
void backfill_push_aside(struct backfill *b);

/* The item of a hold as far as it has to be looked at again: on one node, it could only be one of those on
 * which something has come free. ret->n_choices is 0 where nothing has; else the choices keep their
 * positions. */
void backfill_narrow(struct backfill *b, const struct backfill_item *it, const struct backfill_hold *h,
                     struct backfill_item *ret);

bool backfill_is_same_place(const struct backfill_hold *h, const struct backfill_place *at);
/* Gives it up for a place that takes nothing less of what it had. */
void backfill_give_up_for_same(struct backfill *b, struct backfill_hold *h);
/* Another entry of the item has counted it in this pass: for others its lane has a place again. */
void backfill_give_up_counted(struct backfill *b, struct backfill_hold *h);

/* Another entry holds a place for the item, which is not in its way. Returns what puts it back. */
uint64_t backfill_set_own_aside(struct backfill *b, struct backfill_hold *h);
void backfill_lay_own(struct backfill *b, struct backfill_hold *h, uint64_t visited);

#endif
