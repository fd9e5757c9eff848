/* queue.h - the state as the policy needs it, kept up to date from cycle to cycle: nodes, what runs on
 * them, what waits, in which order.
 *
 * A queue is a cache of the model. What is read of a thing is read again when an event names it; who does
 * that is the planner (backend/sched/cycle). Nothing here decides.
 */
#ifndef STOKER_BACKEND_SCHED_QUEUE_H
#define STOKER_BACKEND_SCHED_QUEUE_H

#include "backend/sched/priority/priority.h"
#include "backend/sched/queue/cycle_result.h"
#include "backend/sched/queue/pending.h"
#include "src/base/idmap.h"
#include "src/base/units.h"
#include "src/base/xalloc.h"

struct queue_notes { /* what events have named since it was read last */
    bool all, nodes, windows;
    VEC(uint32_t) jobs;
};

struct node_table {
    struct idmap node_at;       /* hash of the name -> position + 1 */
    char **gpu_types;           /* of each node as the sets were made */
    uint64_t *tmp_mib;          /* the same of its /tmp */
    struct pool_use *unknown;   /* of each node: what tasks hold there that no job has */
    uint64_t n_avoids;          /* model.n_avoids then */
    struct nodeset *part_nodes; /* of each partition */
    uint32_t n_parts;
    bool holes; /* some node has cards that must not be given, or tasks that no job has */
};

struct class_table {
    struct idmap sets, shapes, by_key, owners; /* hash -> chain */
    struct list list;                          /* of struct job_class */
    struct list buried;                        /* classes that are gone, and kept while: */
    bool pinned;                               /* a forecast under way names them */
};

struct entry_table {
    struct idmap by_job;          /* job -> struct pending_entry */
    struct heap wakes;            /* those to be looked at again at some time */
    VEC(uint32_t) moved;          /* jobs put in a group or kept out */
    VEC(uint32_t) fresh;          /* entered a group since the last pass */
    struct list with_extra_slots; /* that have planned starts for more than one element */
};

struct active_table {
    struct idmap by_job;        /* job -> struct active_job */
    struct idmap array_running; /* array -> count of elements that run */
    struct list list, leaving, candidates;
    struct idmap awaited; /* jobs that somebody was asked to go for: -> one of those */
    VEC(struct tentative *) started;
    struct licence_use licences; /* by what runs */
    struct idmap licensed;       /* job that runs -> the licences that it holds, as text */
};

struct priorities_update {
    struct prio_ctx ctx;
    struct list *at; /* in active.list; NULL: none is under way */
};

struct priorities {
    struct prio_ctx ctx;
    bool known;          /* ctx is that of the last pass over everybody: valid for numbers, not for names */
    uint64_t shares;     /* times that shares were worked out */
    uint64_t version;    /* what the fixed parts hold for */
    int64_t advanced_ms; /* the last time */
    int64_t made_ms;     /* the last time from all that runs */
    struct prio_ctx query;           /* of a question between passes */
    bool query_lent;                 /* it is ctx's */
    struct priorities_update update; /* under way, in pieces */
};

struct queue_changes {   /* since the last pass */
    bool freed, lost;    /* something has come free, has gone */
    bool freed_anywhere; /* and it is not known on which nodes */
};

struct window_use {
    char *name;
    struct pool_use use;
    int64_t start, end;
    bool is_reservation, seen;
};

struct queue_freeing { /* of one that is no longer in use */
    int stage;
    size_t at;
};

struct queue {
    const struct sched_view *view;
    const struct job *probe; /* stands for the job of its id: what would a pass do with this one? NULL */
    struct wall now;
    int64_t last_now;
    uint64_t cycle_no;       /* counts scheduling cycles */
    struct pool pool, empty; /* the real one; every node up and nothing on it */
    struct plan_slots slots;
    struct queue_notes notes;
    struct node_table nodes;
    struct class_table classes;
    struct entry_table entries;
    struct active_table active;
    VEC(struct window_use *) windows;
    struct limits *limits;
    struct priorities prios;
    uint32_t *qos_levels; /* of each in the configuration */
    bool may_preempt;     /* the configuration has a rule by which a job may have to go */
    struct queue_changes changes;
    bool reading;      /* all of it is read again, in pieces */
    struct queue *old; /* what was there before that; and what was there before */
    struct queue_freeing freeing;
};

/* --- queue.c --- */

void queue_init_lists(struct queue *q);
/* An event, or the scheduler itself, has named the job. */
void queue_note_job(struct queue *q, uint32_t job);
/* What was known of a waiting job before everything is read again; NULL: nothing. */
const struct pending_entry *queue_entry_before(const struct queue *q, uint32_t job);

static inline const struct job *queue_job(const struct queue *q, uint32_t id)
{
    return q->probe && q->probe->id == id ? q->probe : model_get_job(q->view->model, id);
}

void queue_fini(struct queue *q);
/* Empties it, to be read again: what was there still says why jobs wait, and is freed in pieces of about a
 * thing each. Returns whether nothing of it is left. */
void queue_bury(struct queue *q);
bool queue_free_old(struct queue *q, uint64_t *n);
void queue_drop_started(struct queue *q); /* what the last pass has started: the state says so now */

/* --- job_classes.c: demands, sets, groups --- */

/* The group of a unit of j (its step s, for a step job), found or made; NULL: no partition admits it, then
 * *ret_why says which rule. */
struct job_class *job_class_of(struct queue *q, const struct job *j, const struct step *s,
                                enum reason *ret_why);
/* What it asks for: a part CAUSE_WANTS of *ret. */
void request_describe(const struct job *j, const struct step *s, struct cause *ret);
/* Whether it would fit in the partition with every node empty and up. */
bool request_could_run(struct queue *q, const struct job *j, const struct step *s, uint32_t part);
bool request_shape_could_ever(struct queue *q, struct request_shape *s);
/* How long a waiting job may run in the first of its partitions; WHEN_NEVER: for ever. */
int64_t queue_job_length(const struct queue *q, const struct job *j);
void job_class_drop(struct queue *q, struct job_class *g); /* an empty one */
/* Frees what was kept while classes.pinned. */
void job_classes_free_buried(struct queue *q);
uint32_t queue_find_node(const struct queue *q, const char *name); /* UINT32_MAX: none */
/* The best that limits say of a unit of the group, in any of its partitions. */
enum limit_state job_class_limit_state(const struct queue *q, const struct job_class *g);
/* What the unit asks for in that choice; NULL where it is no shape of its group. */
struct request_shape *request_shape_of(const struct pending_entry *u, const struct plan_choice *c);

/* --- qos_levels.c --- */

const struct qos_spec *model_find_qos(const struct model *m, const char *name); /* NULL: no such one */
/* Of each QOS the longest chain of those that it may preempt, and they others: 0 for one that may preempt
 * none. Some that may preempt one another in a circle are equal. Owned by the caller. */
uint32_t *qos_levels_of(const struct cluster_spec *s) __attribute__((warn_unused_result));

/* --- sync_nodes.c --- */

/* One node. Returns whether the sets of nodes must be made anew, and with them everything. */
bool sync_node(struct queue *q, uint32_t at);
/* All of them, or those with cards out, whose room depends on what is held. Return whether the sets of
 * nodes still hold. */
bool sync_nodes(struct queue *q);
bool sync_holes(struct queue *q);

/* --- sync_active.c: j is NULL where it has left the state --- */

#define OVERDUE_MS 1000 /* what should have ended is expected so much later, again and again */

/* Returns what the job has on the pool now; NULL: nothing any more. */
struct active_job *sync_active(struct queue *q, uint32_t id, const struct job *j);
void sync_licences(struct queue *q, uint32_t id, const struct job *j);
/* Its nodes get back what it holds; r is freed. */
void sync_drop_active(struct queue *q, struct active_job *r);
void active_count_element(struct queue *q, uint32_t array, intptr_t by);
int64_t active_end_of(const struct queue *q, const struct job *j);
/* It has been asked to go: in this pass, or the state says so. */
void active_mark_leaving(struct queue *q, struct active_job *r, uint32_t for_job, int64_t until);
/* Somebody is on his way out for it already. */
void active_find_awaited(struct queue *q); /* at the beginning of a decision */
bool active_is_awaited(const struct queue *q, uint32_t job);

/* --- sync_pending.c --- */

void sync_pending(struct queue *q, uint32_t id, const struct job *j); /* NULL: it has left the state */
/* It stands in no row any more; its group goes with the last one. */
void sync_leave_class(struct queue *q, struct pending_entry *u);
/* Which step of a step job waits for places. */
const struct step *pending_step(const struct job *j, uint32_t *ret_tasks);
void extra_slots_drop(struct queue *q, struct pending_entry *u); /* no-op without any */

/* --- sync_windows.c --- */

/* Those that are no longer there, or have changed, go; then come those that are new. Returns whether a
 * reservation has gone: a forecast under way may look at groups that have their place in it. */
bool sync_windows(struct queue *q) __attribute__((warn_unused_result));
/* One that is over has given its nodes back. */
void sync_end_windows(struct queue *q);
void sync_drop_windows(struct queue *q);

/* --- queue_frame.c: before any job is read --- */

void queue_frame_begin(struct queue *q); /* first */
/* Room for the nodes of both pools, one after the other as they are searched: at is below twice their
 * number. */
void queue_frame_init_node(struct queue *q, uint32_t at);
void queue_frame_read_node(struct queue *q, uint32_t at);
void queue_frame_read_partition(struct queue *q, uint32_t at); /* with all nodes there */

/* --- priorities.c: whose turn it is --- */

/* The shares as of now, in pieces of so many looks, of which *n is what is left. True: they are in force.
 */
bool priorities_update_some(struct queue *q, uint64_t *n);
void priorities_drop_update(struct queue *q); /* what is under way of that */
/* q->prios.asking for a question between passes. */
void priorities_begin_query(struct queue *q, const struct sched_view *v, struct wall now);
void priorities_end_query(struct queue *q);
/* The priority of a group's entry without its age, where that is known without asking for names. */
bool job_class_priority_base(const struct queue *q, const struct job_class *g, uint32_t tier_at,
                             int64_t *ret);
/* The priority of a group's job that was submitted at that time, in the partitions of that entry. */
uint32_t job_class_priority(struct queue *q, struct job_class *g, uint32_t tier_at, uint32_t job,
                            int64_t submit_ms);
/* Where very much runs or waits: the priorities as the queue is ordered by them, ages as of now. A shallow
 * copy. False: ask prio_ctx_init. Cost: O(1). */
bool priorities_lend(const struct queue *q, const struct model *m, struct wall now, struct prio_ctx *ret);

#endif
