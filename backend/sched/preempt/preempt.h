/* preempt.h - who goes so that another can start.
 *
 * A running job may have to go for another that stands before it in the queue by its tier, its QOS, or
 * because the job runs over a soft limit. Whom a search finds is put into the result, and a place is held
 * for the other from the end of their grace times on.
 */
#ifndef STOKER_BACKEND_SCHED_PREEMPT_H
#define STOKER_BACKEND_SCHED_PREEMPT_H

#include "backend/sched/queue/queue.h"

struct preemptor { /* by what it may preempt */
    uint32_t tier;
    const struct qos_spec *qos;
    uint64_t queue_precedence;
};

struct reclaimable { /* what would come free if all went that somebody of a tier and a QOS may ask to */
    struct preemptor by;
    struct amount *more; /* of each node */
    struct nodeset nodes;
};

struct preemptor_charge { /* of a preemptor, as limits and throttles count it */
    uint32_t job, array_job;
    struct limit_request request;
    bool licensed;
};

struct preempt {
    struct queue *queue;
    struct sched_result *out; /* of the cycle under way */
    VEC(struct reclaimable) reclaimables;
    VEC(struct preemptor_charge) preemptor_charges; /* of this decision */
    struct licence_use licences; /* by what runs, is promised, and has started in this decision */
    bool searching;              /* in this pass */
    bool search_pays;            /* in this pass somebody waited for whom others might go */
    uint32_t search_cost;        /* in this decision, by what they cost */
    bool searches_left;          /* not all had their turn to hunt */
    int64_t search_again; /* when one may hunt again that hunted for nothing; in the past: there is none */
};

void preempt_init(struct preempt *p, struct queue *q);
/* All that it knows of the queue, which is read again. */
void preempt_forget(struct preempt *p);
void preempt_fini(struct preempt *p);

/* --- candidates.c: who may have to go --- */

enum preempt_rule { PREEMPT_RULE_NONE, PREEMPT_RULE_TIER, PREEMPT_RULE_QOS, PREEMPT_RULE_BORROWED };

/* Reads again what a job has on the pool, and whether it may have to go; j is NULL where it has left. */
void preempt_sync_job(struct preempt *p, uint32_t id, const struct job *j);
/* Whether nobody could make room for the shape, by what is known: what was tried before with no more room
 * than now, and the sums of what could go on each node. */
bool preempt_shape_is_futile(struct preempt *p, struct request_shape *s, const struct qos_spec *qos);

/* --- preempt_try.c: whether to hunt --- */

/* Others go so that the unit can start, in a pass in which that is done. True: they are in the result, or
 * have been asked before, and a place is held for when they have gone. */
bool preempt_try(struct preempt *p, struct pending_entry *u, const struct plan_request *it);
/* Nobody could make room for it, by what is known; it has not been tried if this is false. */
bool preempt_is_futile(struct preempt *p, struct pending_entry *u, const struct plan_request *it);
/* What others were asked to go for came to nothing in the same decision, because somebody ahead made use of
 * their going. They stay; it does not hunt for a while, or the next pass would come to the same. */
void preempt_note_useless(struct preempt *p, uint32_t job);

/* --- extra_slots.c: places for more elements of an array than the next one --- */

/* Until it has started, or has not: its own are not in its way. */
void extra_slots_suspend(struct preempt *p, struct pending_entry *u, bool aside);
/* Those of lower tiers that have not had their turn, until an item has started or has not. Returns whether
 * there are any; then they step back, and who has none of his place left after a start drops all of his. */
bool extra_slots_suspend_lower(struct preempt *p, const struct pending_entry *self,
                               const struct plan_request *it);
void extra_slots_restore_lower(struct preempt *p,
                               const struct placement *taken); /* NULL: it did not start */
/* At the end of a round: those whose time has come, that can no longer be had, or whose unit holds nothing
 * itself any more. */
void extra_slots_sweep(struct preempt *p);
/* What `from`, of another planner over the same nodes, holds is held for u, which has none. */
void extra_slots_copy(struct preempt *p, struct pending_entry *u, const struct pending_entry *from);

/* --- preemptor_charges.c: what others were preempted for counts in limits and throttles like a start ---
 */

void preemptor_charges_begin(struct preempt *p);                             /* of all who have claims */
void preemptor_charge_add(struct preempt *p, const struct pending_entry *u); /* no-op without a claim */
void preemptor_charge_remove(struct preempt *p,
                             const struct pending_entry *u); /* for its own turn, or its own question */
/* Those of units that hold no claim any more. Returns whether there was one: a limit may have opened. */
bool preemptor_charges_sweep(struct preempt *p);
uint32_t preemptor_charges_of_array(const struct preempt *p,
                                    uint32_t array); /* its throttle counts so many */
/* How many more elements of its array may run now; UINT32_MAX: it has no throttle. */
uint32_t preempt_throttle_left(const struct preempt *p, const struct job *j);

#endif
