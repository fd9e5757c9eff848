/* node_rec.h - a node, and what is said of it: records. */
#ifndef STOKER_MODEL_NODE_REC_H
#define STOKER_MODEL_NODE_REC_H

#include "src/model/spec.h"

#define AVOID_ALL_USERS UINT32_MAX
struct node_avoid { /* a node starts no jobs of a user: placing them there would fail them all */
    uint32_t uid;   /* AVOID_ALL_USERS: of any */
    char *user, *text;
    struct wall until; /* it is tried again then */
};
#define NODE_AVOID_FIELDS(F, G, S) F(S, U32, uid) F(S, STR, user) F(S, STR, text) F(S, WALL, until)

struct unknown_task { /* that a node runs and no job here has: of a state that was lost */
    uint32_t job;
    int32_t step;
    uint32_t task, attempt;
    uint32_t pid;
    struct wall t_start;
    uint32_t uid;
    char *user;               /* NULL: neither this nor what it holds is known */
    struct cpuset cpus, gpus; /* that it holds */
    uint64_t mem_mib;
    bool killing;
};
#define UNKNOWN_TASK_FIELDS(F, G, S)                                                                         \
    F(S, U32, job) F(S, I32, step) F(S, U32, task) F(S, U32, attempt) F(S, U32, pid) F(S, WALL, t_start)     \
    F(S, U32, uid) F(S, STR, user) F(S, CPUSET, cpus) F(S, CPUSET, gpus) F(S, U64, mem_mib)                  \
    F(S, BOOL, killing)

/* What has happened to a node, as its record keeps it (src/model/fold/nodeevents.h). Stored by number: new
 * ones go to the end. */
enum node_news {
    NEWS_NONE,
    NEWS_DRAINED,
    NEWS_RESUMED,
    NEWS_NOTED,
    NEWS_LOST, /* it does not answer, or cannot be reached */
    NEWS_BACK,
    NEWS_REBOOTED, /* and is back */
    NEWS_GPUS,     /* some of them broke, or work again */
    NEWS_N
};

struct node_event {
    struct wall t;
    uint32_t kind;     /* enum node_news */
    char *text, *user; /* as in the event; NULL: none */
};
#define NODE_EVENT_FIELDS(F, G, S) F(S, WALL, t) F(S, U32, kind) F(S, STR, text) F(S, STR, user)

/* What few nodes have. */
struct node_rare {
    /* Not to be given: lost, or used by a process outside the jobs that have them. */
    struct cpuset gpus_out;
    struct cpuset gpus_lost; /* of those: the ones that do not work */
    /* That it runs and no job has, or some of very many; what all of them hold is not to be given. */
    REC_LIST(struct unknown_task) unknown;
    uint32_t n_unknown;
    struct cpuset unknown_cpus, unknown_gpus;
    uint64_t unknown_mem_mib;
};

/* A node as the cluster knows it now. A record too: it travels in snapshots. */
struct node {
    struct node_rare *rare; /* read through node_rare(), written through node_rare_mut() */
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
    struct wall t_boot, t_agent;
    struct wall
        t_state; /* since when it has this state; of a node that does not answer: since it did last */
    struct cpuset cpus_used, gpus_used;
    uint64_t mem_used_mib;
    uint32_t n_jobs;        /* allocations on it */
    bool exclusive;         /* held whole by a job */
    bool gone;              /* no longer configured, still carrying a job */
    char *trouble;          /* why it cannot be reached; only while suspect, lost or down */
    char *note, *note_user; /* an administrator's word; NULL: none */
    struct wall t_note;
    struct strv gpu_notes;              /* why, a line for each */
    uint32_t gpus_found;                /* by its agent, at the last report */
    REC_LIST(struct node_avoid) avoids; /* users whose jobs it is not to get for now */
    uint64_t tmp_mib;                   /* size of the file system of /tmp; 0 unknown */
    REC_LIST(struct node_event) events; /* the oldest first: src/model/fold/nodeevents.h */
};
#define NODE_FIELDS(F, G, S)                                                                                 \
    G(S, SUB, spec, node_spec) F(S, U32, state) F(S, BOOL, drain) F(S, STR, drain_reason)                    \
    F(S, STR, drain_user) F(S, WALL, t_drain) F(S, U32, cpus) F(S, U32, gpus) F(S, U64, mem_mib)             \
    F(S, STR, gpu_type) F(S, STR, boot_id) F(S, STR, arch) F(S, STR, os) F(S, STR, version)                  \
    F(S, STRV, notes) F(S, WALL, t_boot) F(S, WALL, t_agent) F(S, WALL, t_state) F(S, CPUSET, cpus_used)     \
    F(S, CPUSET, gpus_used) F(S, U64, mem_used_mib) F(S, U32, n_jobs) F(S, BOOL, exclusive)                  \
    F(S, BOOL, gone) F(S, STR, trouble) F(S, STR, note) F(S, STR, note_user) F(S, WALL, t_note)              \
    G(S, BOXED, rare, CPUSET, gpus_out) G(S, BOXED, rare, CPUSET, gpus_lost) F(S, STRV, gpu_notes) F(S, U32, gpus_found) \
    G(S, LISTOF, avoids, node_avoid) F(S, U64, tmp_mib) G(S, BOXED_LISTOF, rare, unknown, unknown_task)                  \
    G(S, BOXED, rare, U32, n_unknown) G(S, BOXED, rare, CPUSET, unknown_cpus) G(S, BOXED, rare, CPUSET, unknown_gpus) G(S, BOXED, rare, U64, unknown_mem_mib) \
    G(S, LISTOF, events, node_event)
extern const struct rec_desc node_avoid_rec, unknown_task_rec, node_event_rec, node_rec;

extern const struct node_rare node_nothing_rare;
static inline const struct node_rare *node_rare(const struct node *n)
{
    return n->rare ? n->rare : &node_nothing_rare;
}
static inline struct node_rare *node_rare_mut(struct node *n)
{
    return rec_box(&n->rare);
}

#endif
