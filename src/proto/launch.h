/* launch.h - what controller and agents say to one another about tasks.
 *
 * A launch is named by (cluster, job, step, task, attempt); an agent accepts each name once. The job's
 * nonce goes along: where a controller has lost its newest jobs and gives their ids again, a task of one
 * job is not taken for one of another.
 */
#ifndef STOKER_PROTO_LAUNCH_H
#define STOKER_PROTO_LAUNCH_H

#include "src/base/idmap.h"
#include "src/model/job.h"
#include "src/record/rec.h"

struct launch_key {
    uint32_t job;
    int32_t step;
    uint32_t task, attempt;
    uint64_t nonce; /* of the job; 0: not known (a client's request, an earlier release), fits any */
};
#define LAUNCH_KEY_FIELDS(F, G, S) \
    F(S, U32, job) F(S, I32, step) F(S, U32, task) F(S, U32, attempt) F(S, U64, nonce)

/* One process of a task. */
struct launch_rank {
    uint32_t rank;      /* in the step */
    struct strv argv;   /* empty: the launch's */
    struct cpuset cpus; /* to bind to; empty: the launch's */
    struct strv env;    /* set over the launch's */
    char *std_in;       /* path; NULL: see launch.stream_in, else /dev/null */
    char *std_out;      /* path; NULL: the spool */
    char *std_err;      /* path; NULL: the spool. The same text as std_out: one file for both */
};
#define LAUNCH_RANK_FIELDS(F, G, S)                                                                          \
    F(S, U32, rank) F(S, STRV, argv) F(S, CPUSET, cpus) F(S, STRV, env) F(S, STR, std_in) F(S, STR, std_out) \
    F(S, STR, std_err)

/* A soft resource limit, as the client had it. */
struct resource_limit {
    uint32_t kind; /* enum ulimit_kind */
    uint64_t soft; /* UINT64_MAX: unlimited */
    bool must;     /* --propagate names it: the configuration does not count, and a failure is told */
};
#define RESOURCE_LIMIT_FIELDS(F, G, S) F(S, U32, kind) F(S, U64, soft) F(S, BOOL, must)

struct launch {
    struct launch_key key;
    char *cluster; /* uuid */
    uint64_t epoch;
    uint32_t uid, gid;
    char *user;
    char *workdir;
    struct strv argv; /* argv[0] is looked up in the launch's PATH, as the user */
    struct blob
        script; /* not empty: executed with argv behind its name; its first line names the interpreter */
    char *script_name; /* argv[0] of the script */
    struct strv env;
    REC_LIST(struct launch_rank) ranks;
    struct alloc alloc;    /* CPUs to bind to, memory to keep to, GPUs to see */
    bool append;           /* output files: else truncated */
    bool label;            /* output lines get "rank: " in front */
    bool stream_in;        /* standard input comes in MSG_INPUT */
    bool is_batch;         /* the batch script of a job: messages of its end go to its standard error */
    uint32_t time_limit_s; /* a backstop: the controller's own timer comes first. DURATION_UNLIMITED */
    uint32_t kill_wait_s;
    bool kill_on_bad_exit; /* one rank fails: the others are ended */
    char *job_name;        /* for messages and process titles */
    int32_t early_signal;  /* --signal, 0 none: sent early_signal_s before time_limit_s */
    uint32_t early_signal_s;
    bool early_signal_leader; /* only to the script's shell */
    uint32_t umask;           /* of the submitter; 022 where not known */
    uint32_t label_width;     /* digits of the label's rank number */
    bool limit_own;           /* time_limit_s is the step's own: kept by the node, controller or not */
    bool pmi;                 /* the ranks find one another by PMI, which the task's supervisor serves */
    uint32_t pmi_size, pmi_tasks; /* of the step: ranks, and tasks among which they are divided */
    char *pmi_mapping;            /* PMI_process_mapping: which ranks are on which node */
    bool pty;                     /* its one rank gets a terminal of its own, kept by the supervisor */
    bool make_workdir;            /* where it is missing: the machine shares no files */
    uint32_t lease_s; /* the node ends it when it has heard no controller for so long; 0: never */
    bool append_out, append_err; /* as append, of one stream: another task of the step has truncated it */
    uint32_t wait_s;             /* the first rank that ends gives the others so long; 0: for ever */
    REC_LIST(struct resource_limit) limits; /* soft limits of the processes; others are the agent's */
    struct alloc job_alloc; /* what its job has on the node, for all of its tasks there; memory 0: as much
                               as it likes. No node: the task shares its allocation with no other */
    uint32_t restarts;      /* of the job */
};
#define LAUNCH_FIELDS(F, G, S)                                                                               \
    G(S, SUB, key, launch_key) F(S, STR, cluster) F(S, U64, epoch) F(S, U32, uid) F(S, U32, gid)             \
    F(S, STR, user) F(S, STR, workdir) F(S, STRV, argv) F(S, BLOB, script) F(S, STR, script_name)            \
    F(S, STRV, env) G(S, LISTOF, ranks, launch_rank) G(S, SUB, alloc, alloc) F(S, BOOL, append)              \
    F(S, BOOL, label) F(S, BOOL, stream_in) F(S, BOOL, is_batch) F(S, U32, time_limit_s)                     \
    F(S, U32, kill_wait_s) F(S, BOOL, kill_on_bad_exit) F(S, STR, job_name) F(S, I32, early_signal)          \
    F(S, U32, early_signal_s) F(S, BOOL, early_signal_leader) F(S, U32, umask) F(S, U32, label_width)   \
    F(S, BOOL, limit_own) F(S, BOOL, pmi) F(S, U32, pmi_size) F(S, U32, pmi_tasks) F(S, STR, pmi_mapping) \
    F(S, BOOL, pty) F(S, BOOL, make_workdir) F(S, U32, lease_s) F(S, BOOL, append_out)                       \
    F(S, BOOL, append_err) F(S, U32, wait_s) G(S, LISTOF, limits, resource_limit)              \
    G(S, SUB, job_alloc, alloc) F(S, U32, restarts)

enum launch_state { LAUNCH_STARTING, LAUNCH_RUNNING, LAUNCH_ENDED };

/* What an agent knows of a launch. */
struct launch_status {
    struct launch_key key;
    uint32_t state; /* enum launch_state */
    uint32_t pid;   /* of the first rank, on its node */
    struct wall t_start;
    bool killing;
    bool stuck; /* it has been killed for a minute, and processes are left */
    /* What it was launched with; no CPUs: a supervisor of an earlier release, nothing of it is known. */
    uint32_t uid;
    struct cpuset cpus, gpus;
    uint64_t mem_mib; /* that it is limited to; 0: it is not */
};
#define LAUNCH_STATUS_FIELDS(F, G, S)                                                                        \
    G(S, SUB, key, launch_key) F(S, U32, state) F(S, U32, pid) F(S, WALL, t_start) F(S, BOOL, killing)  \
    F(S, BOOL, stuck) F(S, U32, uid) F(S, CPUSET, cpus) F(S, CPUSET, gpus) F(S, U64, mem_mib)

struct launch_end {
    struct launch_key key;
    uint32_t end_kind; /* enum end_kind */
    REC_LIST(struct rank_end) ranks;
    struct wall t_start, t_end;
    uint64_t run_ms; /* measured on the node's monotonic clock */
    uint64_t peak_rss_kib, cpu_ms;
    char *sampled; /* "cgroup v2", "RSS every 250 ms" */
    char *message;
    bool was_killed;        /* a kill request had reached it before its end */
    bool waited_out;        /* launch.wait_s was over: the shim has ended the ranks that were left */
    uint32_t fault;         /* enum launch_fault, of one that could not be started */
    uint32_t crc;           /* in the file `end` alone: backend/task/taskdir.c; 0: an earlier release's */
    struct gpu_use gpu_use; /* added by the agent: the shim does not know of it */
};
#define LAUNCH_END_FIELDS(F, G, S)                                                                           \
    G(S, SUB, key, launch_key) F(S, U32, end_kind) G(S, LISTOF, ranks, rank_end) F(S, WALL, t_start)         \
    F(S, WALL, t_end) F(S, U64, run_ms) F(S, U64, peak_rss_kib) F(S, U64, cpu_ms) F(S, STR, sampled)         \
    F(S, STR, message) F(S, BOOL, was_killed) F(S, BOOL, waited_out) F(S, U32, fault) F(S, U32, crc)         \
    G(S, SUB, gpu_use, gpu_use)

/* What a launch failed for. */
enum launch_fault {
    FAULT_JOB,  /* the job: it would fail elsewhere too */
    FAULT_USER, /* the node does not run this user's jobs: an unknown user, its policy */
    FAULT_NODE, /* the node can start nothing now */
};

/* How the message of a launch begins that is refused for want of room on the node's disk. */
#define NODE_SPOOL_FULL "node_spool_full"

enum signal_target {
    SIGNAL_TREE,   /* every process of the task */
    SIGNAL_LEADER, /* each rank's first process alone: the batch shell */
};

/* In place of a signal. */
#define LAUNCH_NOTE_ONLY (-1)
#define LAUNCH_EARLY_AT \
    (-2) /* its early signal is due in grace_s from now; DURATION_UNLIMITED: not at all */
/* The time limit that the node keeps (launch.time_limit_s) is over in grace_s from now; DURATION_UNLIMITED:
 * never. Told where the job's limit has changed, and at each connection. */
#define LAUNCH_LIMIT_AT (-3)
/* The job is suspended: no time limit counts until the next LAUNCH_LIMIT_AT. */
#define LAUNCH_PAUSED (-4)

enum launch_notice { NOTICE_TERM, NOTICE_OWN, NOTICE_NONE }; /* what tells it; OWN: its early signal */

struct launch_kill {
    struct launch_key key;
    int32_t signal;  /* 0: end it: CONT and TERM to the whole tree, KILL after grace_s */
    uint32_t target; /* enum signal_target, with a signal */
    uint32_t cause;  /* enum kill_cause */
    uint32_t grace_s;
    char *note;      /* line for its standard error; NULL: none */
    uint32_t notice; /* enum launch_notice, where it is to end */
};
#define LAUNCH_KILL_FIELDS(F, G, S)                                                                          \
    G(S, SUB, key, launch_key) F(S, I32, signal) F(S, U32, target) F(S, U32, cause) F(S, U32, grace_s)       \
    F(S, STR, note) F(S, U32, notice)

extern const struct rec_desc launch_key_rec, launch_rank_rec, resource_limit_rec, launch_rec,
    launch_status_rec, launch_end_rec, launch_kill_rec;

static inline bool launch_key_eq(const struct launch_key *a, const struct launch_key *b)
{
    return a->job == b->job && a->step == b->step && a->task == b->task && a->attempt == b->attempt &&
           (a->nonce == b->nonce || !a->nonce || !b->nonce);
}

/* Of its numbers alone: keys that are equal have the same, whether their nonces are known or not. */
static inline uint64_t launch_key_hash(const struct launch_key *k)
{
    return hash_bytes(k, offsetof(struct launch_key, nonce));
}

#endif
