/* model_state.h - what the state consists of: nodes, jobs, windows, usage. model.h has the functions. */
#ifndef STOKER_MODEL_MODEL_STATE_H
#define STOKER_MODEL_MODEL_STATE_H

#include "src/base/idmap.h"
#include "src/base/list.h"
#include "src/model/event.h"

#define NODE_MEM_MAX_MIB (UINT64_C(1) << 40) /* an exbibyte */
#define NODE_TMP_MAX_MIB (UINT64_C(1) << 40)

/* How far an array's jobs are, its record among them: what dependencies on the whole of it ask for. */
struct array_tally {
    uint32_t pending, active, ended;
    uint32_t bad;           /* of the ended ones: those that had not succeeded */
    struct wall last_start; /* at most; of those still counted */
};

struct model {
    char *uuid;           /* of the cluster */
    uint64_t epoch;       /* of the controller: grows at each start */
    uint64_t incarnation; /* of that epoch; 0: a controller of an earlier release */
    uint64_t seq;         /* of the last event folded */
    struct wall now;      /* its time */
    uint32_t next_job;    /* the id that the next submission gets */
    struct cluster_spec spec;
    struct node **nodes; /* in the order of the configuration */
    size_t n_nodes;
    struct idmap nodes_by_name;            /* hash_text(name) -> node */
    struct idmap jobs;                     /* id -> struct job */
    struct idmap requests;                 /* hash of request id -> job */
    struct idmap elements;                 /* array id << 32 | index -> job split off */
    struct idmap arrays;                   /* array id -> struct array_tally */
    struct list all;                       /* every job, oldest first */
    struct list pending;                   /* in the order of submission */
    struct list active;                    /* RUNNING, SUSPENDED, COMPLETING */
    struct list ended;                     /* final states, in the order of their ends */
    uint32_t n_pending, n_active, n_ended; /* lengths of those lists */
    REC_LIST(struct window) windows;       /* in the order of their starts, then of their names */
    struct usage usage;                    /* what all users have used */
    uint64_t n_avoids;                     /* changes of what nodes avoid: sets of nodes hang on it */
    uint64_t n_rejected;                   /* events that did not fit: a bug or a damaged log */
    struct strpool *texts;                 /* of all jobs; NULL: each has its own */
};

#endif
