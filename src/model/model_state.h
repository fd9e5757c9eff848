/* model_state.h - what the state consists of: nodes, jobs, windows, usage. model.h has the functions. */
#ifndef STOKER_MODEL_MODEL_STATE_H
#define STOKER_MODEL_MODEL_STATE_H

#include "src/base/idmap.h"
#include "src/base/list.h"
#include "src/model/event.h"

#define NODE_MEM_MAX_MIB (UINT64_C(1) << 40) /* an exbibyte */
#define NODE_TMP_MAX_MIB (UINT64_C(1) << 40)

/* A node as the cluster knows it now. A record too: it travels in snapshots. */
struct node {
    struct node_spec spec;
    uint32_t state; /* enum node_state */
    bool drain;
    char *drain_reason, *drain_user;
    struct wall t_drain;
    uint32_t cpus, gpus; /* in force: the spec's, else detected */
    uint64_t mem_mib;
    char *gpu_type;
    char *boot_id, *arch, *os, *version;
    struct strv notes;
    struct wall t_boot, t_agent, t_state;
    struct cpuset cpus_used, gpus_used;
    uint64_t mem_used_mib;
    uint32_t n_jobs;        /* allocations on it */
    bool exclusive;         /* held whole by a job */
    bool gone;              /* no longer configured, still carrying a job */
    char *trouble;          /* why it cannot be reached; only while suspect, lost or down */
    char *note, *note_user; /* an administrator's word; NULL: none */
    struct wall t_note;
    struct cpuset
        gpus_out; /* not to be given: lost, or used by a process outside the jobs that have them */
    struct cpuset gpus_lost;            /* of those: the ones that do not work */
    struct strv gpu_notes;              /* why, a line for each */
    uint32_t gpus_found;                /* by its agent, at the last report */
    REC_LIST(struct node_avoid) avoids; /* users whose jobs it is not to get for now */
    uint64_t tmp_mib;                   /* size of the file system of /tmp; 0 unknown */
    REC_LIST(struct unknown_task)
    unknown;            /* that it runs and no job has, or some of very many; what all of */
    uint32_t n_unknown; /* them hold is not to be given */
    struct cpuset unknown_cpus, unknown_gpus;
    uint64_t unknown_mem_mib;
};
#define NODE_FIELDS(F, G, S)                                                                                 \
    G(S, SUB, spec, node_spec) F(S, U32, state) F(S, BOOL, drain) F(S, STR, drain_reason)                    \
    F(S, STR, drain_user) F(S, WALL, t_drain) F(S, U32, cpus) F(S, U32, gpus) F(S, U64, mem_mib)             \
    F(S, STR, gpu_type) F(S, STR, boot_id) F(S, STR, arch) F(S, STR, os) F(S, STR, version)                  \
    F(S, STRV, notes) F(S, WALL, t_boot) F(S, WALL, t_agent) F(S, WALL, t_state) F(S, CPUSET, cpus_used)     \
    F(S, CPUSET, gpus_used) F(S, U64, mem_used_mib) F(S, U32, n_jobs) F(S, BOOL, exclusive)                  \
    F(S, BOOL, gone) F(S, STR, trouble) F(S, STR, note) F(S, STR, note_user) F(S, WALL, t_note)              \
    F(S, CPUSET, gpus_out) F(S, CPUSET, gpus_lost) F(S, STRV, gpu_notes) F(S, U32, gpus_found) \
    G(S, LISTOF, avoids, node_avoid) F(S, U64, tmp_mib) G(S, LISTOF, unknown, unknown_task)                  \
    F(S, U32, n_unknown) F(S, CPUSET, unknown_cpus) F(S, CPUSET, unknown_gpus) F(S, U64, unknown_mem_mib)
extern const struct rec_desc node_rec;

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
    struct idmap nodes_by_name;            /* hash_bytes(name) -> node */
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
