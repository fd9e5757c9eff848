/* forecast_internal.h - what the files of a forecast share.
 *
 *     struct node_class      nodes that are alike, or one node, with what is free there over time
 *     struct forecast_row    a class as it was when the forecast began
 *     struct forecast_entry  one of its entries
 *     struct expected_end    of an active job
 */
#ifndef STOKER_BACKEND_SCHED_FORECAST_INTERNAL_H
#define STOKER_BACKEND_SCHED_FORECAST_INTERNAL_H

#include "backend/sched/forecast/forecast.h"
#include "src/base/xalloc.h"

struct free_change {
    int64_t t;
    struct amount by;
};

/* Nodes that are alike, or one node. */
struct node_class {
    VEC(struct free_change) changes; /* of its nodes, until they are summed up */
    struct timeline line;            /* free in all of them */
    struct node_users users;         /* of a single node */
    struct amount cap;               /* of each */
    uint32_t nodes;
    uint32_t first; /* one of them, which stands for all */
};

struct forecast_entry { /* an entry as it was when the forecast began */
    uint32_t job, count;
    int64_t submit_ms;
    uint32_t order_id, order_index;
    uint32_t throttle; /* elements of its array that may run at once; 0: as many as there is room for */
    int64_t from;      /* not before */
};

struct forecast_row { /* a class in a tier as it was */
    struct job_class *g;
    uint32_t tier_at; /* ALL_TIERS: its partitions of all tiers at once */
    uint32_t at, end; /* in waiting */
    int64_t base;     /* its priority, without age if that is added */
    bool ages;
    struct queue_key key;   /* of the one at `at` */
    int64_t eligible_after; /* submission + this */
    bool borrow;            /* over a soft limit: behind all other jobs */
};

enum stage {             /* the preparation */
             STAGE_SETS, /* which nodes are alike */
             STAGE_CLASSES,
             STAGE_LINES,  /* what is free on each node */
             STAGE_SUMS,   /* and in each node class */
             STAGE_LIMITS, /* what runs, as limits count it */
             STAGE_GROUPS, /* what waits */
             STAGE_LATER,  /* what waits for a time */
             STAGE_PLAN,
};

struct expected_end { /* of what runs */
    uint32_t job;
    bool fresh; /* a start of the last cycle, which limits count as: */
    struct limit_request request;
    int64_t end;
};

struct element_run { /* of an array, one that runs or has a planned start */
    uint32_t array;
    int64_t end;
};

struct forecast_timed { /* an entry that only waits for a time */
    struct heap_node by_time;
    uint32_t job;
};

struct placed_part { /* of a job that was put on a node; forecast_nodes.c */
    uint32_t node;
    uint32_t before; /* the one put there before it, as its number + 1; 0: none */
    int64_t start, end;
    struct amount amount;
};

struct forecast_bound { /* of a shape: nothing earlier can be found in this forecast */
    const struct request_shape *shape;
    int64_t t;
};

struct forecasts {
    bool running;
    struct wall t;
    uint32_t n_classes;
    struct node_class *classes;
    uint32_t *class_of;      /* of each node; UINT32_MAX: it is not usable */
    const struct pool *pool; /* of the queue: the groups of its nodes */
    bool by_node;
    bool users; /* single nodes know whose jobs they have */
    enum stage stage;
    uint32_t at; /* in the stage */
    VEC(const struct eligible_nodes *) sets;
    VEC(struct job_class *) groups;
    uint64_t *signatures; /* of each node: equal where no set tells them apart */
    struct idmap by_signature;
    struct amount *slots; /* room for one node class: what changes at each time of the grid */
    int64_t grid_ms;      /* things begin and end at multiples of it after t; 1: whenever they do */
    VEC(struct forecast_entry) waiting;
    VEC(struct forecast_row) rows;
    uint32_t *heap;
    uint32_t n_heap;
    VEC(uint32_t) parked;         /* jobs that wait for a time, and maybe for more */
    struct forecast_timed *later; /* room for one for each of these */
    struct heap by_time;
    struct idmap bounds; /* hash of the shape -> struct bound */
    int64_t window_end;
    struct limit_plan *limits; /* NULL: nothing is limited */
    VEC(struct expected_end) expected_ends;
    VEC(struct element_run) element_runs; /* by array */
    uint32_t batches;                     /* that arrays may have beside BATCHES_MAX each */
    struct idmap places; /* job -> struct forecast_place, of the jobs that were placed first */
    VEC(uint32_t) place_nodes;
    VEC(struct placed_part) placed;
    struct idmap placed_on; /* node -> the last one put there, as its number + 1 */
    uint32_t looks;         /* at nodes, that there may be yet */
};

struct forecast_start {
    int64_t t;
    uint32_t choice;
    VEC(struct pool_part) parts; /* node classes */
};

/* Rounds a time to the grid: what comes free, up; what is taken, down. Without end it stays. */
int64_t forecast_on_grid(const struct forecasts *f, int64_t t, bool later);

/* --- node_class.c: in this order --- */

void node_classes_sign(const struct forecaster *p, struct forecasts *f,
                       const struct eligible_nodes *s);                                   /* each set */
void node_classes_assign(const struct forecaster *p, struct forecasts *f, uint32_t node); /* each node */
void node_classes_add(const struct forecaster *p, struct forecasts *f,
                      uint32_t node);                             /* what changes there */
void node_classes_sum(struct forecasts *f, struct node_class *c); /* each node class */

/* --- forecast_place.c --- */

/* The earliest start from `from` on in any of the class's partitions (of the tier, or of all); ret->t is
 * WHEN_NEVER if there is none in the window, or it would end too late. licences: of its job. ret->parts is
 * reused: vec_fini. */
void forecast_find(struct forecasts *f, const struct job_class *g, uint32_t tier_at, const char *licences,
                   int64_t from, struct forecast_start *ret);
void forecast_take(struct forecasts *f, const struct forecast_start *at, const struct job_class *g,
                   const char *licences);

/* Of a demand: how many pieces are in `have`, what n pieces take, and how many pieces it takes of that
 * amount in the class, with the piece. */
int64_t forecast_pieces_in_amount(struct amount have, const struct demand_pieces *w);
struct amount forecast_amount_of(const struct demand_pieces *w, int64_t pieces);
int64_t forecast_pieces_taken(const struct demand *d, const struct node_class *class, struct amount taken,
                              struct demand_pieces *ret);

/* --- forecast_nodes.c --- */

void forecast_places_begin(struct forecasts *f);
/* Keeps the nodes on which the job of the class starts; before forecast_take. same: another element of the
 * job, with the same start. Cost: f->looks says how many nodes were looked at. */
void forecast_places_add(const struct forecaster *p, struct forecasts *f, const struct job_class *g,
                         uint32_t job, const struct forecast_start *at, bool same);
void forecast_places_clear(struct forecasts *f);

/* --- forecast_rows.c --- */

void expected_ends_list(const struct forecaster *p, struct forecasts *f); /* first: what runs */
void expected_ends_add(const struct forecaster *p, struct forecasts *f, const struct expected_end *e);
void forecast_rows_copy(struct forecaster *p, struct forecasts *f,
                        struct job_class *g); /* what waits in it */
void forecast_rows_order(struct forecasts *f);
void forecast_rows_weigh(const struct forecaster *p, const struct forecasts *f,
                         struct forecast_row *r);         /* its `at` is another */
void forecast_rows_sink(struct forecasts *f, uint32_t i); /* it has been weighed again */

/* --- forecast_throttle.c: the elements of an array that may run at once --- */

struct throttle {
    VEC(int64_t) ends; /* the last of them, at most `most`: a heap, the first end on top */
    uint32_t most;     /* 0: no throttle */
};

void element_runs_sort(struct forecasts *f); /* when all are listed */
bool element_runs_has(const struct forecasts *f, uint32_t array);
/* With what runs of the array; throttle_fini. */
void throttle_init(struct throttle *t, const struct forecasts *f, const struct forecast_entry *u);
void throttle_fini(struct throttle *t);
/* From when on one more may run: INT64_MIN while there is room. */
int64_t throttle_from(const struct throttle *t);
void throttle_add(struct throttle *t, int64_t end);

/* --- forecast_timed.c --- */

void forecast_timed_list(const struct forecaster *p, struct forecasts *f); /* first */
void forecast_timed_add(struct forecaster *p, struct forecasts *f, uint32_t at);
/* The next one as a row of one entry, the last of f->waiting; false: it no longer waits for a time.
 * forecast_timed_done ends it. */
bool forecast_timed_next(struct forecaster *p, struct forecasts *f, struct forecast_row *ret);
void forecast_timed_done(struct forecaster *p, struct forecasts *f, const struct forecast_row *r);
void forecast_timed_clear(struct forecasts *f);

/* --- forecast_record.c --- */

/* Notes its first forecast, which is scored when the job starts. */
void forecast_note_first(struct forecaster *p, struct pending_entry *u);
void forecast_sweep_told(struct forecaster *p);
void forecast_note(struct forecaster *p, const struct forecasts *f, uint32_t job, int64_t start);
/* Until when its elements run that are planned, where there is more than one. */
void forecast_note_last(struct forecaster *p, const struct forecasts *f, uint32_t job, int64_t end);

#endif
