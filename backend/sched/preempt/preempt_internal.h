/* preempt_internal.h - what the files of preemption share. */
#ifndef STOKER_BACKEND_SCHED_PREEMPT_INTERNAL_H
#define STOKER_BACKEND_SCHED_PREEMPT_INTERNAL_H

#include "backend/sched/preempt/preempt.h"

/* --- candidates.c --- */

/* Around each change of an active job, so that the sums of reclaimable resources follow. */
void candidate_before_change(struct preempt *p, const struct active_job *r);
void candidate_after_change(struct preempt *p, const struct active_job *r);
uint32_t candidate_priority(struct preempt *p, struct active_job *r, const struct job *j);
/* The nodes that a shape could be on if all went whom another job of that QOS may ask. */
void candidates_fill_nodes(struct preempt *p, const struct request_shape *s, const struct qos_spec *qos,
                           struct nodeset *ret);
/* By which rule the preemptor may preempt it; NONE if it may not. */
enum preempt_rule preempt_rule_for(const struct active_job *r, const struct preemptor *by);
/* Whether no job could make room, by what was tried with the freed log at mark - 1; 0: never. */
bool preempt_shape_is_futile_since(struct preempt *p, struct request_shape *s, const struct qos_spec *qos,
                                   uint64_t mark);
void preempt_note_futile(struct preempt *p, struct request_shape *s,
                         const struct qos_spec *qos); /* it was tried */

/* --- victim_order.c --- */

struct victim {
    struct active_job *runs;
    const struct job *job;
    uint64_t queue_precedence; /* 0: borrowed, which stands behind all others */
    double loss;               /* billing-seconds of its run that are lost */
    uint32_t prio;
    enum preempt_rule rule;
    uint32_t grace_s;
    uint32_t fate; /* enum job_fate */
    int64_t end;   /* of its grace, or by its time limit if that is sooner */
    bool away;     /* suspended from the pool */
};

/* What its run has cost so far, in billing-seconds. A job that comes back and asks for a signal before it
 * ends (--signal) has the grace time to save its work, and loses none. */
double victim_loss(const struct preempt *p, const struct victim *v);
/* Those that stand last in the queue first, among them those that lose least. */
void victims_order_by_loss(struct victim *v, size_t n);

/* --- preempt_search.c --- */

/* The result of a search. */
enum search_result {
    SEARCH_NONE,
    SEARCH_FOUND,
    SEARCH_UNKNOWN /* another reason than a lack of candidates */
};

/* Looks for the fewest who have to go so that the entry can start there, puts them into the result and
 * holds its place. Cost: added to p->searches. */
enum search_result preempt_search_run(struct preempt *p, struct pending_entry *u,
                                      const struct plan_request *it, uint32_t choice);
/* What such a search would come to if every slot gave way that could; no job is preempted. */
enum search_result preempt_search_ask(struct preempt *p, struct pending_entry *u,
                                      const struct plan_request *it, uint32_t choice);
bool active_lies_on(const struct active_job *r,
                    const struct nodeset *s); /* whether any of its allocations does */

/* --- extra_slots.c --- */

/* For how many of the entry others may be preempted at once: 1, or of an array as many as may run. */
uint32_t extra_slots_most(const struct preempt *p, const struct pending_entry *u);
/* What is held for the next one is held for one behind it, and that one has none; and back. */
void extra_slots_push(struct preempt *p, struct pending_entry *u);
void extra_slots_pop(struct preempt *p, struct pending_entry *u, const struct plan_request *it);
/* Others are on their way out for it: as many places as there will be when the last of them has gone. */
void extra_slots_extend(struct preempt *p, struct pending_entry *u, const struct plan_request *it);
/* Limits count what is held for one of it in a partition as if it ran; undone by limits_rewind. */
void extra_slots_charge(struct preempt *p, const struct pending_entry *u, uint32_t partition,
                        const struct pool_use *use);
/* What that comes to. */
struct limit_request extra_slots_request(const struct pending_entry *u, uint32_t partition,
                                         const struct pool_use *use);

#endif
