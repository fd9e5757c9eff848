/* planner_private.h - what the planner's files share.
 *
 *     struct unit    a waiting job, the record of an array, or a step job with waiting tasks
 *     struct group   units that ask for the same, by the same owner: first come, first served among them
 *     struct shape   one demand in one partition for a time limit; groups of many owners share it
 *     struct runs    what an active job holds on the pool
 */
#ifndef STOKER_BACKEND_SCHED_PLANNER_PRIVATE_H
#define STOKER_BACKEND_SCHED_PLANNER_PRIVATE_H

#include "backend/sched/limits/licence.h"
#include "backend/sched/limits/limits.h"
#include "backend/sched/priority/prio.h"
#include "backend/sched/queue/planner.h"
#include "backend/sched/resources/backfill.h"
#include "src/base/idmap.h"
#include "src/base/units.h"

struct set {          /* of nodes, shared by shapes */
    struct set *next; /* with the same hash */
    uint64_t hash;
    char *key;
    size_t key_len;
    uint32_t refs;
    uint32_t part; /* position of its partition */
    struct nodeset nodes;
    bool avoids;        /* some are left out that do not start this user's jobs for now ... */
    struct nodeset all; /* ... with them: what could ever run there */
};

struct hunted {
    const struct qos_spec *qos;
    uint64_t mark; /* of the gains, then */
};

struct shape {
    struct shape *next;
    uint64_t hash;
    char *key;
    size_t key_len;
    uint32_t refs;
    struct demand demand;
    struct set *set;
    int64_t len, len_min;
    bool dead;                 /* it did not fit when it was tried last */
    uint64_t dead_mark;        /* of the gains, then */
    VEC(struct hunted) hunted; /* when nobody could make room for it, by the QOS of who asked */
    bool unsure;               /* it is not known before a pass whether it fits */
    enum { EVER_UNKNOWN, EVER_YES, EVER_NO } ever; /* fits with every node up and empty */
};

/* Whose turn comes first: all that the order looks at, in one place. */
struct rank {
    uint64_t first;  /* within limits, tier, level, begun, priority: the largest goes first */
    int64_t then_ms; /* submission */
    uint64_t last;   /* id and index: the smallest go first */
};

static inline bool rank_before(const struct rank *a, const struct rank *b)
{
    if (a->first != b->first)
        return a->first > b->first;
    return a->then_ms != b->then_ms ? a->then_ms < b->then_ms : a->last < b->last;
}

struct owner { /* a user in an account */
    struct owner *next;
    char *account, *user;
    uint64_t pass;   /* in which the points were worked out */
    uint32_t points; /* of his fair share */
};

/* A group stands in the queue once for each tier (and job factor) among its partitions: with the choices
 * [first, first + n). An entry has the tier and the priority of its own partitions alone, so that naming
 * one more partition changes nothing in the others. */
#define ALL_ENTRIES UINT32_MAX
struct queue_entry {
    struct list *cursor;    /* of the last pass: the unit whose turn it is; &units: none is left */
    int64_t fixed;          /* what of the priority of its jobs stays; in force while: */
    uint64_t fixed_version; /* prio_version; 0: not worked out */
    uint32_t prio;          /* of the last pass: of its first */
    uint32_t tier;
    uint32_t first, n;
};

/* A pass looks at the head of each: what it always reads stands first, in few lines of memory. */
struct group {
    struct list link;            /* in planner.groups */
    struct list units;           /* by submission, then id */
    struct queue_entry *entries; /* the highest tier first; where there is but one it is: */
    struct queue_entry only;
    uint32_t n_entries;
    struct owner *owner;  /* whose it is */
    int64_t age_delay_ms; /* its jobs age from so long after their submission on */
    enum reason rest;     /* of the last pass: why those wait that were not looked at one by one */
    uint32_t n_choices;
    uint32_t level; /* of its QOS: those that may preempt others stand before these */
    bool begun;     /* step jobs that have started come before what has not */
    bool is_set;    /* an administrator has set the priority */
    bool licensed;
    struct shape **shapes;           /* one for each choice */
    struct backfill_choice *choices; /* partitions that admit it: by tier, then as the request names them */
    struct limit_ask *asks;          /* one for each choice */
    const struct qos_spec *qos;      /* of its jobs; NULL: none that is configured */
    int64_t deadline;
    int64_t ends;          /* of step jobs that have started: their limit is over then; 0: never, or not
                              started */
    struct pool_use *own;  /* of the reservation that it asks for; NULL: none */
    enum reason told_rest; /* rest, as it was told */
    struct limit_verdict verdict; /* where rest is a limit */
    uint32_t n_units;
    struct group *next;
    uint64_t hash;
    char *key;
    size_t key_len;
};

static inline uint64_t rank_capped(uint32_t n, uint32_t most)
{
    return n < most ? n : most;
}

/* What the order of the queue compares before priorities: a job may preempt only what is of a lower one. */
static inline uint64_t rank_class(uint32_t tier, uint32_t level)
{
    return rank_capped(tier, UINT16_MAX) << 8 | rank_capped(level, UINT8_MAX);
}

/* The entry that a choice belongs to. */
static inline uint32_t group_entry_of(const struct group *g, uint32_t choice)
{
    uint32_t e = 0;
    while (e + 1 < g->n_entries && choice >= g->entries[e + 1].first)
        e++;
    return e;
}

static inline struct rank rank_of(const struct group *g, uint32_t entry, bool borrow, uint32_t prio,
                                  int64_t submit_ms, uint32_t id, uint32_t index)
{
    return (struct rank){.first = (uint64_t)!borrow << 63 |
                                  rank_class(g->entries[entry].tier, g->level) << 33 |
                                  (uint64_t)g->begun << 32 | prio,
                         .then_ms = submit_ms,
                         .last = (uint64_t)id << 32 | index};
}

struct claim {
    struct pool_use use;
    uint32_t lane;
};

struct unit { /* what a pass always reads of it stands first */
    struct list in_group;
    int64_t submit_ms;
    uint32_t order_id, order_index; /* among those submitted at the same time */
    uint32_t job;
    uint32_t count;             /* elements or tasks that wait */
    enum reason reason;         /* why it waits, where it was looked at; NONE: as the rest of its group */
    uint32_t n_more;            /* of `more` */
    const struct shape *chosen; /* step jobs: where its first task went in this pass; NULL: none did */
    int64_t chosen_len;         /* and for how long: so have the others */
    bool noted;                 /* an event has named it since the pass began that is under way */
    bool is_special;            /* a pass asks more about it than about others */
    bool by_element;            /* each element has its own dependencies */
    bool singleton;             /* one of its name at a time */
    uint32_t made_way_for; /* the job that preempted it, which has its turn first; 0: none, or it had */
    struct backfill_hold hold;
    struct group *group;           /* NULL: a gate is closed */
    uint32_t at;                   /* which of those that wait is next */
    uint32_t step_at, task_at;     /* of step jobs: the step; its tasks before that have their places */
    enum reason parked;            /* the gate */
    enum reason told;              /* the reason that was told last */
    struct heap_node by_wake;      /* when to look again */
    uint64_t vain_mark, vain_stay; /* gains + 1 when nobody could make room for it, behind these holds; 0 */
    uint32_t vain_entry;           /* in which of its turns that was */
    int64_t no_hunt_until;         /* the last one was of no use in the end: planner_hunted_for_nothing */
    struct claim *more;      /* held for elements behind the next one, for which others go too: claims.c */
    bool more_aside;         /* lifted for a moment, for a job of a higher tier */
    uint64_t claimed;        /* the decision in which others were last found to go for it */
    struct list in_claimers; /* in planner.claimers while there are any */
    int64_t forecast, forecast_t;             /* start, and when that was said; 0: never */
    int64_t first_forecast, first_forecast_t; /* what it was told first */
};

struct run {
    uint32_t attempt; /* of a step job's task; 0: the job's */
    bool seen;
    struct pool_use use;
};

/* What runs and may have to go for others. */
struct prey {
    bool any; /* it may, for somebody */
    bool borrowed;
    bool by_tier;  /* its partition has a preempt_mode */
    uint32_t tier; /* of the partition that it runs in, whatever others it named */
    uint64_t rank_class;
    const struct qos_spec *qos;
    int64_t size;   /* larger ones free more */
    uint64_t ranks; /* its priority is of that time; planner.ranks */
    uint32_t prio;
};
enum prey_rule { PREY_NONE, PREY_TIER, PREY_QOS, PREY_BORROWED };

struct runs {
    uint32_t job, array_job;
    VEC(struct run *) v;
    size_t at;            /* behind the one that was found last */
    uint32_t attempt_max; /* of all */
    struct prey prey;
    struct list in_prey;    /* in planner.prey */
    struct list link;       /* in planner.running */
    struct list in_leaving; /* in planner.leaving: on its way out */
    uint32_t for_job;       /* that it was asked to go for; 0: for nobody */
    int64_t leaves_until;   /* it is not waited for any longer than that */
    bool noted;             /* as unit.noted */
};

struct preemptor { /* by what it may preempt */
    uint32_t tier;
    const struct qos_spec *qos;
    uint64_t rank_class;
};

struct ground { /* what would come free if all went that somebody of a tier and a QOS may ask to */
    struct preemptor by;
    struct amount *more; /* of each node */
    struct nodeset nodes;
};

struct tentative { /* started in the pass, until the state says so */
    struct pool_use use;
    struct limit_ask ask; /* what limits count of it */
    uint32_t job, array_job;
};

struct promise { /* of a preemptor, as limits and throttles count it */
    uint32_t job, array_job;
    struct limit_ask ask;
    bool licensed;
};

struct ranks_anew {
    struct prio_ctx ctx;
    struct list *at; /* in planner.running; NULL: none is under way */
};

struct node_sets { /* what is left on a node in this pass */
    uint64_t decision;
    struct cpuset cpus, gpus;
};

struct window_use {
    char *name;
    struct pool_use use;
    int64_t start, end;
    bool is_reservation, seen;
};

#define FORECAST_SAMPLES  128
#define FORECAST_HORIZONS 4

struct forecast_record {            /* how forecasts of one horizon came true */
    float ratios[FORECAST_SAMPLES]; /* wait by forecast, of those that started lately */
    uint32_t n;                     /* in all: beyond the samples the oldest has gone */
};

struct planner {
    bool all_dirty, nodes_dirty, windows_dirty;
    VEC(uint32_t) dirty;
    struct pool pool, empty; /* the real one; every node up and nothing on it */
    struct backfill backfill;
    struct idmap node_at;     /* hash of the name -> position + 1 */
    char **gpu_types;         /* of each node as the sets were made */
    uint64_t *tmp_mib;        /* the same of its /tmp */
    struct pool_use *unknown; /* of each node: what tasks hold there that no job has */
    uint64_t n_avoids;        /* model.n_avoids then */
    struct node_sets *taken;
    struct nodeset *part_nodes; /* of each partition */
    uint32_t n_parts;
    struct idmap sets, shapes, group_map, owners; /* hash -> chain */
    struct list groups;
    struct idmap units, runs;   /* job -> struct unit, struct runs */
    struct idmap array_running; /* array -> count of elements that run */
    VEC(uint32_t)
    looked, moved;       /* jobs looked at one by one in the last pass; put in a group or kept out */
    VEC(uint32_t) fresh; /* entered a group since the last pass */
    struct heap wakes;   /* units */
    struct list running, leaving, prey, claimers;
    struct idmap awaited; /* jobs that somebody was asked to go for: -> one of those */
    VEC(struct ground) grounds;
    bool hunting;    /* in this pass */
    bool prospects;  /* in this pass somebody waited for whom others might go */
    uint32_t hunts;  /* in this decision, by what they cost */
    bool hunts_left; /* not all had their turn to hunt */
    bool tells_left; /* of not all it was looked at whether their reason is new */
    struct licence_use licences_held, licences; /* by what runs; with what this decision has started */
    struct idmap licensed;                      /* job that runs -> the licences that it holds, as text */
    VEC(struct tentative *) started;
    VEC(struct promise) promises; /* of this decision */
    VEC(struct window_use *) windows;
    struct limits *limits;
    uint32_t *qos_levels;            /* of each in the configuration */
    bool may_preempt;                /* the configuration has a rule by which a job may have to go */
    struct forecasts *making, *made; /* under way; the last that was finished */
    struct list buried;              /* groups that a forecast still names */
    struct forecast_record forecast_records[FORECAST_HORIZONS];
    uint64_t ranks, ranks_version; /* times that shares were worked out; what the fixed parts hold for */
    int64_t ranks_ms;              /* the last time */
    int64_t ranks_anew_ms;         /* the last time from all that runs */
    uint64_t decision, pass;       /* there are several passes in a decision where places are given up */
    int64_t last_now;
    bool gained, lost;   /* since the last pass: something has come free, has gone */
    bool all_gained;     /* and it is not known on which nodes */
    bool holes;          /* some node has cards that must not be given, or tasks that no job has */
    int64_t decided_all; /* the last pass over all */
    int64_t hunt_again;  /* when one may hunt again that hunted for nothing; in the past: there is none */
    bool ranked; /* prio is that of the last pass over everybody: valid for numbers, not for names */
    /* of the pass under way */
    const struct sched_view *view;
    const struct job *probe; /* stands for the job of its id: what would a pass do with this one? NULL */
    struct wall now;
    struct prio_ctx prio, asking; /* asking: of a question between passes */
    bool asking_lent;             /* it is prio's */
    struct ranks_anew anew;       /* under way, in pieces */
    struct sched_result *out;
    struct pass *open;                /* under way, in pieces; NULL: none */
    uint32_t abandoned;               /* one after the other */
    struct queue_order *order;        /* whyorder.c; NULL: not worked out */
    struct queue_order *order_making; /* the next one; NULL: none is under way */
    uint32_t *first_blocked;          /* of each partition: the job whose turn it is there; 0: none */
    /* read.c */
    bool in_pieces, reading;
    int read_stage, freeing;
    size_t read_at, freed_at;
    VEC(uint32_t) to_read; /* ids */
    struct list *at_group;
    struct planner *old; /* what was there; and what was there before that */
};

/* --- shape.c: demands, sets, groups --- */

/* The group of a unit of j (its step s, for a step job), found or made; NULL: no partition admits it, then
 * *ret_why says which rule. */
struct group *planner_group(struct planner *p, const struct job *j, const struct step *s,
                            enum reason *ret_why);
/* What j, or a task of its step s, asks for in a partition. */
void planner_demand(const struct job *j, const struct step *s, const struct part_spec *part,
                    struct demand *ret);
/* "4 CPUs, 2 GPUs, 64G of memory on 2 nodes". Appends. */
void planner_describe(const struct job *j, const struct step *s, struct str *out);
/* Whether it would fit in the partition with every node empty and up. */
bool planner_could_run(struct planner *p, const struct job *j, const struct step *s, uint32_t part);
/* How long a waiting job may run in the first of its partitions; WHEN_NEVER: for ever. */
int64_t planner_length(const struct planner *p, const struct job *j);
void planner_drop_group(struct planner *p, struct group *g); /* an empty one */
/* Frees what forecasts had to keep. */
void planner_bury_groups(struct planner *p);
uint32_t planner_find_node(const struct planner *p, const char *name); /* UINT32_MAX: none */

static inline const struct job *planner_job(const struct planner *p, uint32_t id)
{
    return p->probe && p->probe->id == id ? p->probe : model_get_job(p->view->model, id);
}

/* --- planner.c --- */

void planner_init_lists(struct planner *p);
void planner_fini(struct planner *p); /* what it has; not what was there before */

/* --- read.c: everything from the beginning --- */

#define OVERDUE_MS 1000 /* what should have ended is expected so much later, again and again */

void planner_begin_reading(struct planner *p);
void planner_read_all(struct planner *p);        /* what is left of it, at once */
bool planner_has_frame(const struct planner *p); /* nodes, partitions and windows are known */
bool planner_free_old(struct planner *p, uint64_t *n);
/* What was known of a waiting job before; NULL: nothing. */
const struct unit *planner_unit_before(const struct planner *p, uint32_t job);

/* --- sync.c: from the state --- */

bool planner_is_stale(struct planner *p);     /* all of it has to be read again */
void planner_drop_started(struct planner *p); /* what the last pass has started: the state says so now */
void planner_read_job(struct planner *p, uint32_t id);

void planner_sync(struct planner *p);
/* Between passes: makes sure that the planner knows the state well enough to be asked. */
void planner_ready(struct planner *p, const struct sched_view *v, struct wall now);
void planner_ready_limits(struct planner *p, const struct sched_view *v, struct wall now); /* after that */
void planner_count_element(struct planner *p, uint32_t array, intptr_t by);
/* How many more elements of its array may run now; UINT32_MAX: it has no throttle. */
uint32_t planner_throttle_leaves(const struct planner *p, const struct job *j);
int64_t planner_end_of(const struct planner *p, const struct job *j);
void planner_forget(struct planner *p); /* all but the notes */

/* --- frame.c: before any job is read --- */

void planner_read_frame(struct planner *p); /* first */
/* Room for the nodes of both pools, one after the other as they are searched: at is below twice their
 * number. */
void planner_read_room(struct planner *p, uint32_t at);
void planner_read_node(struct planner *p, uint32_t at);
void planner_read_part(struct planner *p, uint32_t at); /* with all nodes there */

/* --- rank.c: whose turn it is --- */

/* The shares as of now, in pieces of so many looks, of which *n is what is left. True: they are in force.
 */
bool planner_rank_some(struct planner *p, uint64_t *n);
void planner_drop_ranks_anew(struct planner *p); /* what is under way of that */
/* p->asking for a question between passes. */
void planner_begin_asking(struct planner *p, const struct sched_view *v, struct wall now);
void planner_end_asking(struct planner *p);
/* The priority of a group's entry without its age, where that is known without asking for names. */
bool planner_rank_base(const struct planner *p, const struct group *g, uint32_t entry, int64_t *ret);
/* The priority of a group's job that was submitted at that time, in the partitions of that entry. */
uint32_t planner_rank(struct planner *p, struct group *g, uint32_t entry, uint32_t job, int64_t submit_ms);

/* --- alloc.c: which CPUs and GPUs --- */

/* False: a node has less than that; the result is to be freed all the same. */
bool planner_alloc(struct planner *p, const struct pool_parts *parts, struct alloc **ret, size_t *ret_n)
    __attribute__((warn_unused_result));
/* What limits count of it: all that it gets. */
void planner_ask_exactly(const struct pool_parts *parts, int64_t len_ms, struct limit_ask *ask);
uint32_t planner_limit_s(int64_t len_ms);

/* --- prey.c: who may have to go --- */

const struct qos_spec *planner_qos(const struct model *m, const char *name); /* NULL: no such one */
/* Of each QOS the longest chain of those that it may preempt, and they others: 0 for one that may preempt
 * none. Some that may preempt one another in a circle are equal. Owned by the caller. */
uint32_t *qos_levels_of(const struct cluster_spec *s) __attribute__((warn_unused_result));
/* What runs is looked at; around each change of it: prey_before and prey_after. */
void prey_look_at(struct planner *p, struct runs *r, const struct job *j, bool is_new);
void prey_before(struct planner *p, const struct runs *r);
void prey_after(struct planner *p, const struct runs *r);
void prey_forget(struct planner *p);
uint32_t prey_prio(struct planner *p, struct runs *r, const struct job *j);
/* The nodes that a shape could be on if all went whom somebody of that QOS may ask. */
void prey_fill_near(struct planner *p, const struct shape *s, const struct qos_spec *qos,
                    struct nodeset *ret);
/* A job of that QOS in a partition of that tier. */
struct preemptor prey_preemptor(const struct planner *p, uint32_t tier, const struct qos_spec *qos);
/* By which rule the preemptor may ask it to go: one of those behind it in the queue. */
enum prey_rule prey_rule_for(const struct runs *r, const struct preemptor *by);
/* It has been asked to go: in this pass, or the state says so. Between prey_before and prey_after. */
void planner_see_off(struct planner *p, struct runs *r, uint32_t for_job, int64_t until);
/* Somebody is on his way out for it already. */
void prey_find_awaited(struct planner *p); /* at the beginning of a decision */
bool planner_is_waited_for(const struct planner *p, uint32_t job);
/* Whether nobody could make room for the shape, by what is known: what was tried before with no more room
 * than now, and the sums of what could go on each node. */
bool prey_is_in_vain(struct planner *p, struct shape *s, const struct qos_spec *qos);
/* The same of what was tried with the gains at mark - 1; 0: never. */
bool prey_is_in_vain_since(struct planner *p, struct shape *s, const struct qos_spec *qos, uint64_t mark);
void prey_hunted_in_vain(struct planner *p, struct shape *s, const struct qos_spec *qos); /* it was tried */

/* --- preempt.c: who goes --- */

/* What becomes of a hunt. */
enum catch { CATCH_NONE, CATCH_SOME, CATCH_UNKNOWN /* it is not for want of prey */ };

/* Looks for the fewest who have to go so that the unit can start there, puts them into the result and holds
 * its place. Cost: added to p->hunts. */
enum catch planner_hunt(struct planner *p, struct unit *u, const struct backfill_item *it, uint32_t choice);
bool runs_lie_on(const struct runs *r, const struct nodeset *s); /* something of it does */
/* What the unit asks for in that choice; NULL where it is no shape of its group. */
struct shape *planner_shape_of(const struct unit *u, const struct backfill_choice *c);

/* --- whyqueue.c --- */

void why_free_order(struct planner *p);

/* --- hunts.c: whether to hunt --- */

/* Others go so that the unit can start, in a pass in which that is done. True: they are in the result, or
 * have been asked before, and a place is held for when they have gone. */
bool planner_preempt(struct planner *p, struct unit *u, const struct backfill_item *it);
/* Nobody could make room for it, by what is known; it has not been tried if this is false. */
bool planner_hunts_in_vain(struct planner *p, struct unit *u, const struct backfill_item *it);
/* What others were asked to go for came to nothing in the same decision, because somebody ahead made use of
 * their going. They stay; it does not hunt for a while, or the next pass would come to the same. */
void planner_hunted_for_nothing(struct planner *p, uint32_t job);

/* --- claims.c: places for more elements of an array than the next one --- */

/* For how many of the unit others may be asked to go at once: 1, or of an array as many as may run. */
uint32_t claims_most(const struct planner *p, const struct unit *u);
/* What is held for the next one is held for one behind it, and that one has none; and back. */
void claims_push(struct planner *p, struct unit *u);
void claims_pop(struct planner *p, struct unit *u, const struct backfill_item *it);
/* Others are on their way out for it: as many places as there will be when the last of them has gone. */
void claims_again(struct planner *p, struct unit *u, const struct backfill_item *it);
/* Until it has started, or has not: its own are not in its way. */
void claims_set_aside(struct planner *p, struct unit *u, bool aside);
void claims_drop(struct planner *p, struct unit *u); /* no-op without any */
/* Those of lower tiers that have not had their turn, until an item has started or has not. Returns whether
 * there are any; then they step back, and who has none of his place left after a start drops all of his. */
bool claims_step_aside(struct planner *p, const struct unit *self, const struct backfill_item *it);
void claims_step_back(struct planner *p, const struct backfill_place *taken); /* NULL: it did not start */
/* At the end of a round: those whose time has come, that can no longer be had, or whose unit holds nothing
 * itself any more. */
void claims_sweep(struct planner *p);
/* What `from`, of another planner over the same nodes, holds is held for u, which has none. */
void claims_copy(struct planner *p, struct unit *u, const struct unit *from);
/* Limits count what is held for one of it in a partition as if it ran; undone by limits_rewind. */
void claims_charge(struct planner *p, const struct unit *u, uint32_t lane, const struct pool_use *use);
/* What that comes to. */
struct limit_ask claims_ask(const struct unit *u, uint32_t lane, const struct pool_use *use);

/* --- promises.c: what others were preempted for counts in limits and throttles like a start --- */

void promises_begin(struct planner *p);                         /* of all who have claims */
void promise_make(struct planner *p, const struct unit *u);     /* no-op without a claim */
void promise_withdraw(struct planner *p, const struct unit *u); /* for its own turn, or its own question */
uint32_t promises_of_array(const struct planner *p, uint32_t array); /* its throttle counts so many */
/* Those of units that hold no claim any more. Returns whether there was one: a limit may have opened. */
bool promises_sweep(struct planner *p);

/* --- forecast.c --- */

void forecast_forget(struct planner *p);
/* The best that limits say of a unit of the group, in any of its partitions. */
enum limit_state planner_limit_state(const struct planner *p, const struct group *g);
/* A unit starts: how good was what it was told? */
void forecast_learn(struct planner *p, const struct unit *u);

/* --- reason.c --- */

/* The job that it was preempted for, which has not started yet: it has its turn before. 0: none. */
uint32_t planner_makes_way_for(const struct planner *p, const struct unit *u);
/* It waits for its turn or for resources, and for nothing else: by the reason that people are told. */
bool planner_stands_in_row(const struct planner *p, const struct unit *u);
/* Fills the result's `changed`: whose reason is another than what was told before. First those that were
 * looked at one by one; then, where all were, those of one group after the other: *looks is what is left to
 * look at. */
void planner_tell_looked(struct planner *p);
void planner_tell_group(struct planner *p, struct group *g, uint32_t *looks);
#define TELL_LOOKS 8000 /* in one pass: the others are looked at in the next */
/* What was told is not passed on: it is told again. */
void planner_untell(struct planner *p);

/* --- decide.c --- */

/* Whether a pass is under way; one that nodes, windows or the configuration have overtaken ends here. */
bool planner_goes_on(struct planner *p, const struct sched_view *v);
void planner_mark_dirty(struct planner *p, uint32_t job); /* by the planner itself */

/* --- admit.c --- */

/* In which every task of every step, or the whole job, would fit one day. text: NULL is fine. */
bool admit_could_fit(struct planner *p, const struct job *j, uint32_t part, const struct step *steps,
                     size_t n_steps, struct errtext *text);

/* --- head.c --- */

/* Which step of a step job waits for places. */
const struct step *planner_waiting_step(const struct job *j, uint32_t *ret_tasks);
bool planner_could_ever(struct planner *p, struct shape *s);

#endif
