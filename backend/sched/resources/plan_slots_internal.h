/* plan_slots_internal.h - what plan_slots.c and plan_slots_book.c share. */
#ifndef STOKER_BACKEND_SCHED_PLAN_SLOTS_INTERNAL_H
#define STOKER_BACKEND_SCHED_PLAN_SLOTS_INTERNAL_H

#include "backend/sched/resources/plan_slots.h"

#define NO_PARTITION UINT32_MAX

/* Puts a slot that has its resources into the book; and the partition that it counts against. */
void plan_slots_link(struct plan_slots *b, struct plan_slot *h, uint32_t counts);
void plan_slots_count(struct plan_slots *b, struct plan_slot *h, uint32_t partition);

/* Adds it to plan_slots.stay if it stays. Equal sums: the same jobs have the same times. */
void plan_slots_note_stay(struct plan_slots *b, struct plan_slot *h);

/* In the first of its partitions that takes it now, on the fewest nodes. */
bool plan_slots_fits_beside(struct plan_slots *b, const struct plan_request *it, struct placement *ret);
/* A start that was found is spread over as many nodes as are free, if its demand says so. Returns whether
 * it was. */
bool plan_slots_widen(struct plan_slots *b, const struct plan_request *it, struct placement *at);

bool plan_slots_has_left(const struct plan_slots *b, uint32_t partition);
/* The slot was promised before the request came, wherever the request stands now. */
bool plan_slots_is_senior(const struct plan_slot *h, const struct plan_request *it);
/* The partition whose slots a start counts against: this one, or another of the request if it has none
 * left. */
uint32_t plan_slots_partition_left(const struct plan_slots *b, const struct plan_request *it,
                                   uint32_t partition);

/* As plan_slots_suspend_behind, before a start is planned: slots of preemptors in lower tiers give way only
 * to preemptors. below: only slots of lower tiers, for a job that has a slot itself. */
bool plan_slots_suspend_plans_behind(struct plan_slots *b, const struct plan_request *it,
                                     bool by_preemption);
bool plan_slots_suspend_plans_below(struct plan_slots *b, const struct plan_request *it,
                                    bool by_preemption);

/* As plan_slots_is_use_valid. */
bool plan_slot_is_valid(struct plan_slots *b, struct plan_slot *h);
/* The slots that give way, for plan_slots_drop_displaced: until the next suspension or until they are
 * dropped. */
void plan_slots_mark_suspended(struct plan_slots *b, struct plan_slot *h);
void plan_slots_unmark_suspended(struct plan_slots *b, const struct plan_slot *h);
void plan_slots_forget_suspended(struct plan_slots *b);
/* Drops suspended slots whose resources have been taken. */
void plan_slots_drop_displaced(struct plan_slots *b);

/* The part of a request that has to be searched again: on one node, only nodes in the freed log can have
 * become possible. ret->n_choices is 0 if there are none; else choices keep their positions. */
void plan_slots_narrow(struct plan_slots *b, const struct plan_request *it, const struct plan_slot *h,
                       struct plan_request *ret);

bool plan_slot_is_at(const struct plan_slot *h, const struct placement *at);
/* Drops it for a start that takes at least the same. */
void plan_slots_drop_for_same(struct plan_slots *b, struct plan_slot *h);
/* Drops a slot that another tier of the job has counted in this iteration. */
void plan_slots_drop_counted(struct plan_slots *b, struct plan_slot *h);

/* Suspends the slot that the job has in another tier. Returns what restores it. */
uint64_t plan_slot_suspend_own(struct plan_slots *b, struct plan_slot *h);
void plan_slot_restore_own(struct plan_slots *b, struct plan_slot *h, uint64_t visited);

#endif
