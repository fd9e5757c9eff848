/* queue.h - the state as the policy needs it, kept up to date from cycle to cycle: the nodes, the active
 * jobs on them, the pending entries and their order.
 *
 * A queue is a cache of the model. The planner (backend/sched/cycle) reads a thing again when an event
 * names it. This module decides nothing.
 */
#ifndef STOKER_BACKEND_SCHED_QUEUE_H
#define STOKER_BACKEND_SCHED_QUEUE_H

#include "backend/sched/priority/priority.h"
#include "backend/sched/queue/cycle_result.h"
#include "backend/sched/queue/pending.h"
#include "src/base/idmap.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"

struct queue_notes { /* what events have named since the last cycle */
    bool all, nodes, windows;
    VEC(uint32_t) jobs;
};

struct node_table {
    struct idmap node_at;       /* hash of the name -> position + 1 */
    struct idmap groups;        /* hash of the name of a group of nodes -> its number in the pool */
    char **gpu_types;           /* of each node, as the sets of eligible nodes were made */
    uint64_t *tmp_mib;          /* the same of its /tmp */
    bool *size_unknown;         /* of each node: it has not reported what it has */
    struct pool_use *unknown;   /* of each node: what tasks without a job have there */
    uint64_t n_avoids;          /* model.n_avoids then */
    struct nodeset *part_nodes; /* of each partition */
    uint32_t n_parts;
    bool holes; /* some node has GPUs that must not be given, or tasks without a job */
};

struct class_numbers {
    VEC(struct job_class *) classes; /* by number; NULL: the number is not in use */
    VEC(uint32_t) unused;
    VEC(uint32_t) changed; /* numbers of classes that are new, have gone or have changed, each once */
    VEC(uint64_t) changed_bits;
    bool all_changed; /* what fits on empty nodes has */
};

struct class_table {
    struct class_numbers numbers;
    struct idmap sets, shapes, by_key, owners; /* hash -> chain */
    struct list list;                          /* of struct job_class */
    uint64_t n_made;                           /* classes so far */
    struct list buried;                        /* classes without entries, kept while: */
    bool pinned;                               /* a forecast under way refers to them */
};

struct entry_table {
    struct idmap by_job;          /* job -> struct pending_entry */
    struct heap wakes;            /* entries to be looked at again at some time */
    VEC(uint32_t) moved;          /* jobs that entered a class or left it */
    VEC(uint32_t) fresh;          /* jobs that entered a class since the last cycle */
    struct list with_extra_slots; /* entries with planned starts for more than one element */
};

struct held_licences {
    char *text;
    struct licence_list list;
};

struct active_table {
    struct idmap by_job;        /* job -> struct active_job */
    struct idmap array_running; /* array -> count of elements that run */
    struct list list, leaving, candidates;
    struct heap exempt;   /* jobs within their minimum run, which become candidates at its end */
    struct idmap awaited; /* preemptor -> one of its victims */
    VEC(struct tentative *) started;
    struct licence_use licences; /* of the active jobs */
    struct idmap licensed;       /* job that runs -> struct held_licences */
};

struct priorities_update {
    struct prio_ctx ctx;
    struct list *at; /* in active.list; NULL: none is under way */
};

struct priorities {
    struct prio_ctx ctx;
    bool known;          /* ctx is that of the last cycle over all jobs: valid for numbers, not for names */
    uint64_t shares;     /* times that shares were worked out */
    uint64_t version;    /* for which the fixed parts of priorities are valid */
    int64_t advanced_ms; /* when the shares were moved to a later time */
    int64_t made_ms;     /* when they were worked out from all active jobs */
    struct prio_ctx query;           /* of a query between cycles */
    bool query_lent;                 /* query is a copy of ctx */
    struct priorities_update update; /* under way, in pieces */
};

struct queue_changes {   /* since the last cycle */
    bool freed, lost;    /* something came free, was lost */
    bool freed_anywhere; /* on nodes that are not known */
};

struct window_use {
    char *name;
    struct pool_use use;
    int64_t start, end;
    bool is_reservation, seen;
};

struct queue_freeing { /* of a queue that is no longer in use */
    int stage;
    size_t at;
};

struct queue {
    const struct sched_view *view;
    const struct job
        *probe; /* replaces the job of its id, to find out what a cycle would do with it; NULL */
    struct wall now;
    int64_t last_now;
    uint64_t cycle_no;       /* counts scheduling cycles */
    struct pool pool, empty; /* as it is; with every node up and empty */
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
    bool may_preempt;     /* the configuration allows preemption */
    bool by_user;         /* some job or partition keeps nodes for one user: shapes have a user, too */
    struct queue_changes changes;
    bool reading;      /* it is rebuilt, in pieces */
    struct queue *old; /* the queue before the rebuild, and so on */
    struct queue_freeing freeing;
};

/* --- queue.c --- */

void queue_init_lists(struct queue *q);
/* The job is to be read again. */
void queue_note_job(struct queue *q, uint32_t job);
/* The entry of a job before the rebuild under way; NULL: none. */
const struct pending_entry *queue_entry_before(const struct queue *q, uint32_t job);

static inline const struct job *queue_job(const struct queue *q, uint32_t id)
{
    return q->probe && q->probe->id == id ? q->probe : model_get_job(q->view->model, id);
}

void queue_fini(struct queue *q);
/* Empties it for a rebuild. The old queue still says why jobs wait, and is freed in pieces of about n
 * allocations. Returns whether nothing of it is left. */
void queue_bury(struct queue *q);
bool queue_free_old(struct queue *q, uint64_t *n);
void queue_drop_started(struct queue *q); /* the starts of the last cycle, which the state has now */

/* --- job_classes.c: eligible nodes, request shapes, job classes --- */

/* The class of j (of its step s, for a step job), found or made. NULL: no partition admits it, and *ret_why
 * says which rule. */
struct job_class *job_class_of(struct queue *q, const struct job *j, const struct step *s,
                               enum reason *ret_why);
/* What it asks for: a part CAUSE_WANTS of *ret. */
void request_describe(const struct job *j, const struct step *s, struct cause *ret);
/* Whether it would fit in the partition with every node empty and up. */
bool request_could_run(struct queue *q, const struct job *j, const struct step *s, uint32_t part);
bool request_shape_could_ever(struct queue *q, struct request_shape *s);
/* What j (its step s) asks for in the partition, whether or not the partition admits it; free with
 * request_shape_drop. */
struct request_shape *request_shape_in(struct queue *q, const struct job *j, const struct step *s,
                                       uint32_t part);
void request_shape_drop(struct queue *q, struct request_shape *s);
/* So much at the end of a shape's key is of its queue: the user, once any job keeps its nodes for one, and
 * the address of the set. */
#define REQUEST_KEY_OF_QUEUE (2 * sizeof(uint64_t))
/* The reservation that it asks for; NULL: none. */
struct pool_use *queue_reservation_of(const struct queue *q, const struct job *j);
/* Until when --switches binds the demand of j. */
void queue_bind_groups(const struct queue *q, const struct job *j, struct demand *d);
/* How long a waiting job may run in the first of its partitions; WHEN_NEVER: for ever. */
int64_t queue_job_length(const struct queue *q, const struct job *j);
void job_class_drop(struct queue *q, struct job_class *g); /* a class without entries */
/* Frees what was kept while classes.pinned. */
void job_classes_free_buried(struct queue *q);
uint32_t queue_find_node(const struct queue *q, const char *name); /* UINT32_MAX: none */
/* The best verdict of the limits on the class, over its partitions. */
enum limit_state job_class_limit_state(const struct queue *q, const struct job_class *g);
/* The shape of that choice; NULL if it is not one of the class. */
struct request_shape *request_shape_of(const struct pending_entry *u, const struct plan_choice *c);

/* --- class_numbers.c --- */

/* What is kept of the class from cycle to cycle is void: an entry came, left or changed. */
void class_note_changed(struct queue *q, const struct job_class *g);
void class_number_give(struct queue *q, struct job_class *g); /* a new, empty class, into the list */
void class_number_take_back(struct queue *q, const struct job_class *g); /* it goes */
/* All changes have been taken in. */
void class_forget_changes(struct queue *q);
void class_numbers_fini(struct queue *q);

/* NULL: no class has that number. */
static inline struct job_class *class_numbered(const struct queue *q, uint32_t number)
{
    return q->classes.numbers.classes.v[number];
}

static inline bool class_has_changed(const struct queue *q, uint32_t number)
{
    return q->classes.numbers.changed_bits.v[number / 64] >> number % 64 & 1;
}

/* --- qos_levels.c --- */

/* The level of each QOS: the length of the longest chain of QOS that it may preempt; 0 if it may preempt
 * none. QOS that may preempt one another in a circle are equal. Owned by the caller. */
uint32_t *qos_levels_of(const struct cluster_spec *s) __attribute__((warn_unused_result));

/* --- sync_nodes.c --- */

/* Reads one node. Returns whether the sets of eligible nodes are out of date, and the queue must be
 * rebuilt. */
bool sync_node(struct queue *q, uint32_t at);
/* Reads all nodes, or those with GPUs that must not be given. Return whether the sets are still valid. */
bool sync_nodes(struct queue *q);
bool sync_holes(struct queue *q);

/* --- sync_active.c: j is NULL where it has left the state --- */

#define OVERDUE_MS 1000 /* an allocation past its end is expected to end so much later */

/* Returns what the job has on the pool now; NULL: nothing. */
struct active_job *sync_active(struct queue *q, uint32_t id, const struct job *j);
void sync_licences(struct queue *q, uint32_t id, const struct job *j);
void held_licences_free(struct held_licences *h); /* NULL is fine */
/* Gives its allocations back; r is freed. */
void sync_drop_active(struct queue *q, struct active_job *r);
void active_count_element(struct queue *q, uint32_t array, intptr_t by);
int64_t active_end_of(const struct queue *q, const struct job *j);
/* The job was preempted, in this cycle or by the state. */
void active_mark_leaving(struct queue *q, struct active_job *r, uint32_t for_job, int64_t until);
/* Which preemptors have victims on their way out. */
void active_find_awaited(struct queue *q); /* at the beginning of a cycle */
bool active_is_awaited(const struct queue *q, uint32_t job);

/* --- sync_pending.c --- */

void sync_pending(struct queue *q, uint32_t id, const struct job *j); /* NULL: it has left the state */
/* Takes it out of its class; the class goes with its last entry. */
void sync_leave_class(struct queue *q, struct pending_entry *u);
/* The step of a step job that has waiting tasks, and how many: one over several nodes is one. */
const struct step *pending_step(const struct job *j, uint32_t *ret_tasks);
void extra_slots_drop(struct queue *q, struct pending_entry *u); /* no-op without any */

/* --- sync_windows.c --- */

/* Drops windows that have gone or changed, then adds new ones. Returns whether a reservation has gone: a
 * forecast under way may refer to classes that lie in it. */
bool sync_windows(struct queue *q) __attribute__((warn_unused_result));
/* Notes what windows that are over have freed. */
void sync_end_windows(struct queue *q);
void sync_drop_windows(struct queue *q);

/* --- queue_frame.c: before any job is read --- */

void queue_frame_begin(struct queue *q); /* first */
/* Initialises the nodes of both pools one by one: at is below twice their number. */
void queue_frame_init_node(struct queue *q, uint32_t at);
void queue_frame_read_node(struct queue *q, uint32_t at);
void queue_frame_read_partition(struct queue *q, uint32_t at); /* once all nodes are read */

/* --- priorities.c --- */

/* Works out the shares as of now, in pieces of cost *n, which is reduced. True: they are in force. */
bool priorities_update_some(struct queue *q, uint64_t *n);
void priorities_drop_update(struct queue *q); /* an update under way */
/* q->prios.query, for queries between cycles. */
void priorities_begin_query(struct queue *q, const struct sched_view *v, struct wall now);
void priorities_end_query(struct queue *q);
/* The priority of a class in a tier without its age, if it is known without a look-up of names. */
bool job_class_priority_base(const struct queue *q, const struct job_class *g, uint32_t tier_at,
                             int64_t *ret);
/* The priority of a job of the class, in the partitions of that tier. */
uint32_t job_class_priority(struct queue *q, struct job_class *g, uint32_t tier_at, uint32_t job,
                            int64_t submit_ms);
/* The same for a job whose parts were kept. Cost: O(1), and its class is not read; a hash for the first
 * of an owner after each update of the shares. */
struct kept_priority {
    struct owner *owner;
    int64_t fixed;   /* as class_tier.fixed */
    int64_t from_ms; /* it ages from then on */
};
/* After job_class_priority. False: it is worked out in full each time. */
bool job_class_keep_priority(const struct job_class *g, uint32_t tier_at, int64_t submit_ms,
                             struct kept_priority *ret);
uint32_t kept_priority_now(struct queue *q, const struct kept_priority *x);
/* If there are very many jobs: the priorities by which the queue is ordered, ages as of now, as a shallow
 * copy. False: use prio_ctx_init. Cost: O(1). */
bool priorities_lend(const struct queue *q, const struct model *m, struct wall now, struct prio_ctx *ret);

#endif
