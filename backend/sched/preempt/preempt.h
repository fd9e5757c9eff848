/* preempt.h - preemption: the running jobs that are ended so that another job can start.
 *
 * A running job is a candidate if it stands behind the other job in the queue by its tier, its QOS, or
 * because it runs over a soft limit. The victims that a search finds go into the result of the cycle, and
 * the preemptor's start is planned at the end of their grace times.
 */
#ifndef STOKER_BACKEND_SCHED_PREEMPT_H
#define STOKER_BACKEND_SCHED_PREEMPT_H

#include "backend/sched/queue/queue.h"

struct preemptor { /* what decides which jobs it may preempt */
    uint32_t tier;
    const struct qos_spec *qos;
    uint64_t queue_precedence;
};

struct reclaimable { /* what would come free if all candidates of a preemptor went */
    struct preemptor by;
    struct amount *more; /* of each node */
    struct nodeset nodes;
};

struct preemptor_charge { /* what a preemptor is promised, as limits and throttles count it */
    uint32_t job, array_job;
    struct limit_request request;
    int64_t end; /* of the planned start */
    bool licensed;
};

struct preempt {
    struct queue *queue;
    struct sched_result *out; /* of the cycle under way */
    VEC(struct reclaimable) reclaimables;
    VEC(struct preemptor_charge) preemptor_charges; /* of this cycle */
    struct licence_use licences; /* by what runs, is promised, and has started in this cycle */
    uint64_t licence_changes;    /* of these */
    bool searching;              /* in this cycle */
    bool search_pays;            /* in this iteration a search may find victims for some job */
    uint32_t search_cost;        /* of this cycle */
    bool searches_left;          /* some jobs have not had their search */
    int64_t
        search_again; /* when a job whose search was useless may search again; in the past: there is none */
};

void preempt_init(struct preempt *p, struct queue *q);
/* Drops all that it knows of the queue, which is rebuilt. */
void preempt_forget(struct preempt *p);
void preempt_fini(struct preempt *p);

/* --- candidates.c: the jobs that may be preempted --- */

enum preempt_rule { PREEMPT_RULE_NONE, PREEMPT_RULE_TIER, PREEMPT_RULE_QOS, PREEMPT_RULE_BORROWED };

/* Updates what a job has on the pool, and whether it is a candidate; j is NULL if it has left. */
void preempt_sync_job(struct preempt *p, uint32_t id, const struct job *j);
/* The end of the minimum run of an active job, before which it is not preempted; 0: it has none. */
int64_t preempt_exempt_until(const struct model *m, const struct job *j);
/* A job in a partition of that tier with that QOS. */
struct preemptor preemptor_of(const struct preempt *p, uint32_t tier, const struct qos_spec *qos);
/* The job on these nodes that the preemptor may preempt first once its minimum run is over, and how many
 * such jobs there are; NULL: none. */
const struct active_job *preempt_first_exempt(const struct preempt *p, const struct preemptor *by,
                                              const struct nodeset *nodes, struct wall now,
                                              uint32_t *ret_n);
/* Whether a search for the shape is known to be futile: an earlier one failed and nothing has come free
 * since, or the sums of what could be reclaimed do not suffice. */
bool preempt_shape_is_futile(struct preempt *p, struct request_shape *s, const struct qos_spec *qos);

/* The most that may come free on the node if all candidates of any preemptor that has searched went. */
struct amount preempt_most_reclaimable(const struct preempt *p, uint32_t node);

/* --- preempt_try.c: whether to search, and for how many elements --- */

/* Preempts jobs so that the entry can start, in an iteration that preempts. True: the victims are in the
 * result, or were asked before, and a start is planned for when they have gone. */
bool preempt_try(struct preempt *p, struct pending_entry *u, const struct plan_request *it);
/* Whether a search for the entry is known to be futile. Only if this is false has it not been tried. */
bool preempt_is_futile(struct preempt *p, struct pending_entry *u, const struct plan_request *it);
/* Whether a search now finds no victims, even if all slots that could ever give way to it did; that is
 * remembered. False: a search in a cycle may find some. */
bool preempt_finds_none(struct preempt *p, struct pending_entry *u, const struct plan_request *it);
/* The victims of the job were of no use to it, because a job ahead used what they left in the same cycle.
 * They are not preempted, and the job does not search for a while: the next cycle would do the same. */
void preempt_note_useless(struct preempt *p, uint32_t job);

/* --- extra_slots.c: planned starts of array elements behind the next one --- */

/* While the entry is tried its own extra slots are not in its way. */
void extra_slots_suspend(struct preempt *p, struct pending_entry *u, bool aside);
/* Suspends extra slots of lower tiers that have not had their turn, while a request is tried. Returns
 * whether there are any. After that they are restored; an entry whose slots no longer fit drops
 * them all. */
bool extra_slots_suspend_lower(struct preempt *p, const struct pending_entry *self,
                               const struct plan_request *it);
void extra_slots_restore_lower(struct preempt *p,
                               const struct placement *taken); /* NULL: it did not start */
/* At the end of an iteration: drops extra slots whose time has come, that are no longer possible, or whose
 * entry has no slot itself. */
void extra_slots_sweep(struct preempt *p);
/* Copies the extra slots of `from`, of another planner over the same nodes, to u, which has none. */
void extra_slots_copy(struct preempt *p, struct pending_entry *u, const struct pending_entry *from);

/* --- preemptor_charges.c: what a preemptor is promised counts like a start --- */

void preemptor_charges_begin(struct preempt *p);                             /* of all preemptors */
void preemptor_charge_add(struct preempt *p, const struct pending_entry *u); /* no-op for other entries */
/* Whether its planned start is that of a preemptor and has as much as the request of everything. */
bool preemptor_charge_covers(const struct pending_entry *u, const struct limit_request *request);
void preemptor_charge_remove(struct preempt *p,
                             const struct pending_entry *u); /* for its own turn, or a query about it */
/* Removes the charges of entries that are no longer preemptors, and of extra slots that were dropped.
 * Returns whether there were any: a limit may allow more now. */
bool preemptor_charges_sweep(struct preempt *p);
uint32_t preemptor_charges_of_array(const struct preempt *p,
                                    uint32_t array); /* how many elements its throttle counts */
/* How many more elements of its array may run now; UINT32_MAX: it has no throttle. */
uint32_t preempt_throttle_left(const struct preempt *p, const struct job *j);

#endif
