/* job.h - job, step, task: the records that the queue is made of.
 *
 *     job 4711                          one submission
 *      +- step "batch" (STEP_BATCH)     the script of a batch job: one task with one rank
 *      +- step 0, 1, ...                an srun in it, or a declared step of a step job
 *          +- task 0, 1, ...            what is placed and launched: one allocation on one node, one shim
 *              +- rank 0, 1, ...        processes of the task, started together
 *
 * A batch job's allocation belongs to the job and its steps take parts of it. A step job holds nothing
 * itself: each task has an allocation of its own. In an srun step there is one task per node and its ranks
 * are what Slurm calls tasks; in a step job each declared task is a task here, with `ranks` processes on
 * its node. A declared task over several nodes has one record for each of them: src/model/task_parts.h.
 *
 * Records (src/record/rec.h): only model_apply writes them once they are in the model.
 */
#ifndef STOKER_MODEL_JOB_H
#define STOKER_MODEL_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/list.h"
#include "src/model/cause.h"
#include "src/model/state.h"
#include "src/record/rec.h"

#define STEP_BATCH       (-1)
#define STEP_INTERACTIVE (-2)
#define STEP_ALL         (-100)     /* in requests: the whole job */
#define ARRAY_NONE       UINT32_MAX /* array_index of a job that is not an array element */
#define NOT_GIVEN        UINT32_MAX /* a count that the user did not give */
#define MEM_NOT_GIVEN    UINT64_MAX
#define NODE_RANKS_MAX   4096 /* processes of one task: what a node starts at once */
/* In the place of the signal of a task that was out of memory, as in Slurm: 0:125. */
#define OUT_OF_MEMORY_SIGNAL 125

/* Part of one node, held by a job or a task. */
struct alloc {
    char *node;
    struct cpuset cpus;
    uint64_t mem_mib;
    struct cpuset gpus;
};
#define ALLOC_FIELDS(F, G, S) F(S, STR, node) F(S, CPUSET, cpus) F(S, U64, mem_mib) F(S, CPUSET, gpus)

struct index_range { /* array indices first, first + step, ... <= last */
    uint32_t first, last, step;
};
#define INDEX_RANGE_FIELDS(F, G, S) F(S, U32, first) F(S, U32, last) F(S, U32, step)

#define LIMIT_RESTARTS_MAX 1000 /* --restart-at-limit */

/* What few requests say. */
struct job_req_rare {
    char *std_in; /* a pattern as given; NULL: default */
    char *comment, *nodelist, *exclude, *reservation, *wckey;
    char *mail_type, *mail_user;
    struct wall deadline;
    int32_t signal;       /* --signal: number, 0 none */
    uint32_t signal_at_s; /* before the end */
    uint32_t min_tmp_mib;
    uint32_t lost_node;      /* enum lost_node: --lost-node */
    uint32_t limit_restarts; /* --restart-at-limit: how often; 0: as its partition says */
    uint32_t switches;       /* --switches: groups of nodes that it may lie in; 0: any */
    uint32_t switch_wait_s;  /* it waits so long for that; 0: as long as the cluster allows */
};

/* Members in which requests seldom differ. In a mirror, jobs in which all of them are equal share one
 * struct (src/model/intern_texts.c). */
struct job_req_detail {
    char *qos, *std_err, *features, *licenses, *gpu_type;
    char *array_spec; /* as given, NULL: no array */
    char *gres;       /* --gres and the like as given, for display */
    uint64_t mem_cpu_mib, mem_gpu_mib;
    struct wall begin;
    uint32_t ntasks_per_node, gpus_per_task;
    uint32_t time_min_s;
    int32_t nice;
    uint32_t requeue;  /* 0 not said, 1 --requeue, 2 --no-requeue */
    uint32_t priority; /* --priority, admins */
    bool exclusive, overcommit, contiguous;
    bool append;       /* --open-mode=append */
    bool truncate;     /* --open-mode=truncate was said: a requeued job truncates its files, too */
    bool signal_batch; /* B: */
    bool kill_on_invalid_dep, has_priority;
    bool spread_job;     /* --spread-job: on as many nodes as its tasks may have */
    bool use_min_nodes;  /* --use-min-nodes: of a range of nodes the fewest */
    bool exclusive_user; /* --exclusive=user: nodes are shared with jobs of the same user only */
};

/* What the user asked for. Counts: NOT_GIVEN, memory: MEM_NOT_GIVEN where not said. */
struct job_req {
    struct job_req_rare *rare;     /* read through req_rare(), written through req_rare_mut() */
    struct job_req_detail *detail; /* read through req_detail(), written through req_detail_mut() */
    uint32_t nodes_min, nodes_max;
    uint32_t ntasks, cpus_per_task;
    uint32_t gpus; /* in the whole job */
    uint32_t gpus_per_node;
    uint64_t mem_node_mib; /* 0: all of the node */
    char *name, *account;
    char *partition; /* one name or a comma list */
    char *workdir;
    char *std_out; /* a pattern as given, as std_err; NULL: default */
    char *dependency;
    uint32_t time_limit_s;   /* DURATION_NOT_SET, DURATION_UNLIMITED */
    uint32_t array_throttle; /* 0: none */
};
#define JOB_REQ_FIELDS(F, G, S)                                                                              \
    F(S, STR, name) F(S, STR, account) G(S, BOXED, detail, STR, qos) F(S, STR, partition) F(S, STR, workdir)                \
    G(S, BOXED, rare, STR, std_in) F(S, STR, std_out) G(S, BOXED, detail, STR, std_err) G(S, BOXED, detail, BOOL, append)                  \
    G(S, BOXED, rare, STR, comment) G(S, BOXED, detail, STR, features) G(S, BOXED, rare, STR, nodelist)                     \
    G(S, BOXED, rare, STR, exclude) F(S, STR, dependency) G(S, BOXED, detail, STR, licenses)                                \
    G(S, BOXED, rare, STR, reservation) G(S, BOXED, rare, STR, wckey) G(S, BOXED, rare, STR, mail_type)      \
    G(S, BOXED, rare, STR, mail_user) F(S, U32, nodes_min) F(S, U32, nodes_max) F(S, U32, ntasks)            \
    G(S, BOXED, detail, U32, ntasks_per_node) F(S, U32, cpus_per_task) F(S, U64, mem_node_mib) G(S, BOXED, detail, U64, mem_cpu_mib)       \
    G(S, BOXED, detail, U64, mem_gpu_mib) F(S, U32, gpus) F(S, U32, gpus_per_node) G(S, BOXED, detail, U32, gpus_per_task)                 \
    G(S, BOXED, detail, STR, gpu_type) G(S, BOXED, detail, BOOL, exclusive) G(S, BOXED, detail, BOOL, overcommit) G(S, BOXED, detail, BOOL, contiguous)                  \
    F(S, U32, time_limit_s) G(S, BOXED, detail, U32, time_min_s) G(S, BOXED, detail, WALL, begin) G(S, BOXED, rare, WALL, deadline)        \
    G(S, BOXED, detail, I32, nice) G(S, BOXED, detail, U32, requeue) G(S, BOXED, detail, BOOL, kill_on_invalid_dep) G(S, BOXED, rare, I32, signal)        \
    G(S, BOXED, rare, U32, signal_at_s) G(S, BOXED, detail, BOOL, signal_batch) F(S, U32, array_throttle)                   \
    G(S, BOXED, detail, STR, array_spec) G(S, BOXED, detail, STR, gres) G(S, BOXED, rare, U32, min_tmp_mib) G(S, BOXED, detail, BOOL, has_priority)       \
    G(S, BOXED, detail, U32, priority) G(S, BOXED, rare, U32, lost_node) G(S, BOXED, detail, BOOL, truncate) \
    G(S, BOXED, rare, U32, limit_restarts) G(S, BOXED, detail, BOOL, spread_job) \
    G(S, BOXED, detail, BOOL, use_min_nodes) G(S, BOXED, detail, BOOL, exclusive_user) \
    G(S, BOXED, rare, U32, switches) G(S, BOXED, rare, U32, switch_wait_s)

/* Everything "not given". */
void job_req_init(struct job_req *r);

extern const struct job_req_rare job_req_nothing_rare;
static inline const struct job_req_rare *req_rare(const struct job_req *r)
{
    return r->rare ? r->rare : &job_req_nothing_rare;
}
static inline struct job_req_rare *req_rare_mut(struct job_req *r)
{
    return rec_box(&r->rare);
}

extern const struct job_req_detail job_req_no_detail;
static inline const struct job_req_detail *req_detail(const struct job_req *r)
{
    return r->detail ? r->detail : &job_req_no_detail;
}
static inline struct job_req_detail *req_detail_mut(struct job_req *r)
{
    return rec_box(&r->detail);
}

struct rank_end {
    int32_t code;   /* exit code, 0..255 */
    int32_t signal; /* that ended it, or 0 */
    uint32_t count; /* ranks that ended so: 0 and 1 are one */
};
#define RANK_END_FIELDS(F, G, S) F(S, I32, code) F(S, I32, signal) F(S, U32, count)

/* Beyond this many ranks of a task neighbours that ended alike are one entry, and where there are as many
 * of those still, all that ended alike are. */
#define RANK_ENDS_MAX 64

/* The use of its GPUs, from samples every few seconds. measured_s 0: they were not measured. */
struct gpu_use {
    uint32_t measured_s; /* GPU seconds that the samples stand for: two GPUs for a minute are 120 */
    uint32_t permille;   /* the share of that time in which the GPUs were busy */
    uint32_t peak_mib;   /* peak of the memory in use on all of them together */
    uint32_t unused;     /* GPUs that no sample found busy */
};
#define GPU_USE_FIELDS(F, G, S) \
    F(S, U32, measured_s) F(S, U32, permille) F(S, U32, peak_mib) F(S, U32, unused)

struct task {
    uint32_t index;
    uint32_t state;     /* enum task_state */
    struct alloc alloc; /* set from LAUNCHING on */
    uint32_t attempt;   /* launch id within the job: grows over the job's whole life */
    uint32_t rank_base; /* number of its first rank */
    uint32_t n_ranks;
    bool killing;                    /* a kill has been asked for */
    struct wall t_start, t_end;      /* the node's word */
    uint32_t end_kind;               /* enum end_kind */
    int32_t code, signal;            /* of its worst rank */
    REC_LIST(struct rank_end) ranks; /* filled at the end */
    uint64_t peak_rss_kib;
    char *sampled;     /* how the peak was measured; NULL: not */
    uint64_t cpu_ms;   /* user + system time of all its processes */
    char *message;     /* what its node says about its end: why it could not be started, and the like */
    uint32_t pid;      /* of the first rank on its node, 0 until known */
    uint32_t lease_s;  /* its node ends it when no controller has been heard for so long; 0: never */
    bool waited_out;   /* the step's wait_s was over: its node has ended the ranks that were left */
    bool ends_by_code; /* `ranks` counts how they ended; which rank did is not known any more */
    struct causes why; /* at most one: what the controller says about its end */
    struct gpu_use gpu_use;
    uint32_t part; /* of a declared task over several nodes: on which of them, from 0 */
    bool unplaced; /* its node has not begun it: the task waits again once its other parts have ended */
};
#define TASK_FIELDS(F, G, S)                                                                                 \
    F(S, U32, index) F(S, U32, state) G(S, SUB, alloc, alloc) F(S, U32, attempt) F(S, U32, rank_base)        \
    F(S, U32, n_ranks) F(S, BOOL, killing) F(S, WALL, t_start) F(S, WALL, t_end) F(S, U32, end_kind)         \
    F(S, I32, code) F(S, I32, signal) G(S, LISTOF, ranks, rank_end) F(S, U64, peak_rss_kib)                  \
    F(S, STR, sampled) F(S, U64, cpu_ms) F(S, STR, message) F(S, U32, pid) F(S, U32, lease_s)                \
    F(S, BOOL, waited_out) F(S, BOOL, ends_by_code) G(S, LISTOF, why, cause)                                 \
    G(S, SUB, gpu_use, gpu_use) F(S, U32, part) F(S, BOOL, unplaced)

struct step {
    int32_t id; /* STEP_BATCH, STEP_INTERACTIVE, 0... */
    char *name;
    char *command;    /* for display */
    uint32_t n_tasks; /* step jobs: declared tasks; srun: tasks (= nodes) */
    uint32_t n_ranks; /* srun: -n; step jobs: processes of each task on each of its nodes */
    uint32_t nodes;   /* srun: nodes wanted; step jobs: of each task */
    uint32_t cpus_per_rank;
    uint64_t mem_mib; /* of each task on its node; MEM_NOT_GIVEN: its share, 0: all of the allocation */
    uint32_t gpus;    /* srun: in the whole step; step jobs: of each task on each of its nodes; NOT_GIVEN:
                         all of the allocation */
    char *gpu_type;
    uint32_t time_limit_s;
    bool keep_going; /* on_failure = "continue" */
    bool overlap, exclusive, label, kill_on_bad_exit;
    char *std_in, *std_out,
        *std_err; /* patterns; NULL out/err of srun: kept in the node's spool and streamed */
    bool append;
    struct wall t_start, t_end;
    bool killing;
    uint32_t kill_cause; /* enum kill_cause */
    bool done;
    int32_t code, signal;        /* of its worst task once done */
    REC_LIST(struct task) tasks; /* empty until the step's turn has come */
    char *nodelist;              /* srun -w */
    bool overcommit;
    uint32_t distribution; /* 0 block, 1 cyclic, 2 arbitrary: as rank_nodes says */
    char *workdir;
    uint32_t gpus_per_rank; /* srun --gpus-per-task: each rank sees this many of its own; 0: all see all of
                               the task's */
    char *request_id;       /* the client's, makes a retried creation the same step */
    bool stream_in;         /* standard input comes from srun */
    uint32_t mpi;           /* srun --mpi: 0 none, 1 pmi2 */
    uint32_t input_rank;    /* srun --input=N: 1 + the rank that gets standard input; 0: all do */
    bool pty;               /* srun --pty: on a terminal of its own */
    bool truncate;          /* as in struct job_req */
    uint32_t wait_s;   /* srun --wait: the first rank that ends gives the others so long; 0: for ever */
    char *rank_nodes;  /* distribution 2: the node of each rank, "n3,n1,n2" */
    bool preserve_env; /* srun -E: its own counts of tasks and nodes go along, not the step's */

    /* Derived, not recorded: lower bounds of the number of tasks at the front that are done, and of those
     * at the back that wait. A step has thousands of tasks, and few of them are live at a time. */
    uint32_t n_done_first, n_waiting_last;
};
#define STEP_FIELDS(F, G, S)                                                                                 \
    F(S, I32, id) F(S, STR, name) F(S, STR, command) F(S, U32, n_tasks) F(S, U32, n_ranks)                   \
    F(S, U32, nodes) F(S, U32, cpus_per_rank) F(S, U64, mem_mib) F(S, U32, gpus) F(S, STR, gpu_type)         \
    F(S, U32, time_limit_s) F(S, BOOL, keep_going) F(S, BOOL, overlap) F(S, BOOL, exclusive)                 \
    F(S, BOOL, label) F(S, BOOL, kill_on_bad_exit) F(S, STR, std_in) F(S, STR, std_out) F(S, STR, std_err)   \
    F(S, BOOL, append) F(S, WALL, t_start) F(S, WALL, t_end) F(S, BOOL, killing) F(S, U32, kill_cause)       \
    F(S, BOOL, done) F(S, I32, code) F(S, I32, signal) G(S, LISTOF, tasks, task) F(S, STR, nodelist)         \
    F(S, BOOL, overcommit) F(S, U32, distribution) F(S, STR, workdir) F(S, U32, gpus_per_rank)               \
    F(S, STR, request_id) F(S, BOOL, stream_in) F(S, U32, mpi) F(S, U32, input_rank) F(S, BOOL, pty)         \
    F(S, BOOL, truncate) F(S, U32, wait_s) F(S, STR, rank_nodes)            \
    F(S, BOOL, preserve_env)

/* A run that is over while its job is not: the job went back to the queue. Members as in struct job. */
struct past_run {
    uint32_t state, reason; /* state: CANCELLED with kill_cause REQUEUE is what Slurm calls REQUEUED */
    uint32_t kill_cause, kill_uid;
    int32_t exit_code, exit_signal, derived_code;
    char *partition;
    struct wall t_eligible, t_start, t_end;
    struct wall t_back; /* when the job was queued again */
    uint32_t time_limit_s;
    uint64_t suspended_ms;
    REC_LIST(struct alloc) alloc;
    REC_LIST(struct step) steps; /* empty where there were too many in all: src/model/runs.h */
    struct wall t_kill;          /* when its end was asked for */
    uint32_t preempted_by;       /* the job that it was preempted for; 0: none, or not known */
    char *preempt_text;          /* by which rule, from an earlier release */
    char *kill_user;             /* name of kill_uid; of a preemption the other job's user */
    struct causes preempt_why;   /* by which rule; of a summary also why a node could not start it */
};
#define PAST_RUN_FIELDS(F, G, S)                                                                             \
    F(S, U32, state) F(S, U32, reason) F(S, U32, kill_cause) F(S, U32, kill_uid) F(S, I32, exit_code)        \
    F(S, I32, exit_signal) F(S, I32, derived_code) F(S, STR, partition) F(S, WALL, t_eligible)               \
    F(S, WALL, t_start) F(S, WALL, t_end) F(S, WALL, t_back) F(S, U32, time_limit_s)                         \
    F(S, U64, suspended_ms) G(S, LISTOF, alloc, alloc) G(S, LISTOF, steps, step) F(S, WALL, t_kill)          \
    F(S, U32, preempted_by) F(S, STR, preempt_text) F(S, STR, kill_user) G(S, LISTOF, preempt_why, cause)

/* How many elements of an array ended in that state. */
struct state_count {
    uint32_t state, n; /* enum job_state */
};
#define STATE_COUNT_FIELDS(F, G, S) F(S, U32, state) F(S, U32, n)

/* Something that was done to a job, by a user or for another job: src/model/fold/jobevents.h. */
struct job_event {
    struct wall t;
    uint32_t kind; /* enum event_kind */
    uint32_t uid;
    char *user;   /* its name; NULL: not known. Of a preemption the user of by_job */
    uint32_t n;   /* KILL: enum kill_cause, HOLD: enum job_hold, SIGNAL: the signal, SUSPEND: 1 on, 0 off */
    int32_t step; /* KILL and SIGNAL: STEP_ALL, or which */
    uint32_t by_job;   /* KILL: the job that this one was preempted for */
    char *text;        /* as in the event */
    struct causes why; /* as in the event */
};
#define JOB_EVENT_FIELDS(F, G, S)                                                                            \
    F(S, WALL, t) F(S, U32, kind) F(S, U32, uid) F(S, STR, user) F(S, U32, n) F(S, I32, step)                \
    F(S, U32, by_job) F(S, STR, text) G(S, LISTOF, why, cause)

/* What happens to few jobs. */
struct job_rare {
    char *reason_detail; /* the reason in the words of another engine, where REASONS has none like it */
    int32_t derived_code;
    uint32_t kill_uid;
    uint32_t kill_grace_s; /* between TERM and KILL */
    uint32_t preempted_by; /* the job that it was asked to go for; stays when it is queued again */
    struct wall t_kill;
    char *preempt_text; /* by which rule, from an earlier release */
    struct wall t_suspend;
    uint64_t suspended_ms; /* in all; of the pause under way t_suspend is the beginning */
    /* Of the array's record: elements that have been retired and had not succeeded. */
    REC_LIST(struct index_range) array_failed;
    REC_LIST(struct past_run) runs; /* earlier ones, the oldest first: src/model/runs.h */
    uint32_t losses; /* times that it was queued again because its node was lost, since the last release */
    char *kill_user; /* name of kill_uid; of a preemption the other job's user */
    REC_LIST(struct job_event) events;          /* the oldest first: src/model/fold/jobevents.h */
    REC_LIST(struct state_count) array_gone;    /* of the array's record: elements that have been retired */
    struct causes preempt_why;                  /* by which rule */
    REC_LIST(struct index_range) array_pending; /* of the array's record: elements that it stands for */
    struct wall t_expected; /* of a waiting job, in rows that are asked for once: its start, as the last
                               forecast says; unset: not known. Not of the state */
};

/* Members that never change after the submission and are equal in many jobs of a user: shared as struct
 * job_req_detail is. */
struct job_origin {
    char *group;
    char *submit_host;
    char *command;        /* script path or command line, for display; NULL: stdin */
    uint32_t gid;         /* the kernel's word at submission */
    uint32_t script_size; /* bytes */
    uint32_t array_count, array_min, array_max, array_step; /* of the whole array */
};

struct job {
    /* What walks over all jobs look at stands together: a hundred thousand of them are in no cache. */
    uint32_t id;          /* raw id, never given twice */
    uint8_t kind;         /* enum job_kind */
    uint8_t state;        /* enum job_state */
    uint8_t hold;         /* enum job_hold */
    uint8_t reason;       /* enum reason: of an ended job; of a waiting one as the last pass saw it */
    uint8_t fate;         /* enum job_fate, while COMPLETING */
    uint8_t kill_cause;   /* enum kill_cause; NONE: not asked to end */
    bool holding;         /* alloc is charged to the nodes now */
    bool detached;        /* interactive: goes on without its terminal */
    bool dep_met;         /* its dependencies are met, once and for all */
    bool borrowed;        /* it runs over a soft limit: another job that needs the resources ends it */
    uint32_t array_job;   /* id of the array, 0: no array */
    uint32_t array_index; /* of an element that has been split off, else ARRAY_NONE */
    uint32_t uid;         /* the kernel's word at submission */
    uint32_t restarts;
    struct list in_queue, in_all; /* no part of the record: links of the model that holds it; in_queue:
                                     pending, active or ended list */
    REC_LIST(struct alloc) alloc; /* batch and interactive, while it holds them and after */
    REC_LIST(struct step) steps;
    struct job_req req;
    struct job_rare *rare;     /* read through job_rare(), written through job_rare_mut() */
    struct job_origin *origin; /* read through job_origin(), written through job_origin_mut() */
    char *user;
    char *partition;  /* where it runs; the request's first until it starts */
    char *request_id; /* the client's, makes a retried submission the same job */
    uint32_t priority;
    uint32_t time_limit_s; /* in force once started */
    struct wall t_submit, t_eligible, t_start, t_end;
    uint32_t launches;  /* attempts given out so far */
    uint32_t next_step; /* batch and interactive: id of the next srun step */
    int32_t exit_code, exit_signal;
    struct wall t_settled; /* when its end became known: after t_end where controller or node was away */
    uint64_t nonce; /* random, made at its submission; elements have that of their array. 0: an earlier
                       release's */
};
#define JOB_FIELDS(F, G, S)                                                                                  \
    F(S, U32, id) F(S, U8, kind) F(S, U8, state) G(S, SUB, req, job_req) F(S, U32, uid) G(S, BOXED, origin, U32, gid)     \
    F(S, STR, user) G(S, BOXED, origin, STR, group) F(S, STR, partition) G(S, BOXED, origin, STR, submit_host) G(S, BOXED, origin, STR, command)          \
    F(S, STR, request_id) F(S, U32, array_job) F(S, U32, array_index)                                        \
    G(S, BOXED_LISTOF, rare, array_pending, index_range) G(S, BOXED, origin, U32, array_count) G(S, BOXED, origin, U32, array_min)                     \
    G(S, BOXED, origin, U32, array_max) G(S, BOXED, origin, U32, array_step) F(S, U8, hold) F(S, U8, reason)                             \
    G(S, BOXED, rare, STR, reason_detail) F(S, U32, priority) F(S, WALL, t_submit) F(S, WALL, t_eligible)    \
    F(S, WALL, t_start) F(S, WALL, t_end) F(S, U32, time_limit_s) F(S, U32, restarts) F(S, U32, launches)    \
    F(S, U32, next_step) F(S, U8, fate) F(S, U8, kill_cause) G(S, BOXED, rare, U32, kill_uid)              \
    G(S, BOXED, rare, WALL, t_kill) G(S, BOXED, rare, U32, kill_grace_s) F(S, I32, exit_code)                \
    F(S, I32, exit_signal) G(S, BOXED, rare, I32, derived_code) G(S, LISTOF, alloc, alloc)                   \
    F(S, BOOL, holding) G(S, LISTOF, steps, step) G(S, BOXED, origin, U32, script_size)                                     \
    G(S, BOXED, rare, WALL, t_suspend) F(S, BOOL, detached) F(S, WALL, t_settled) F(S, BOOL, dep_met)        \
    G(S, BOXED_LISTOF, rare, array_failed, index_range) F(S, BOOL, borrowed)                                 \
    G(S, BOXED, rare, U32, preempted_by) G(S, BOXED, rare, STR, preempt_text)                                \
    G(S, BOXED, rare, U64, suspended_ms) G(S, BOXED_LISTOF, rare, runs, past_run) G(S, BOXED, rare, WALL, t_expected) \
    G(S, BOXED, rare, U32, losses) G(S, BOXED, rare, STR, kill_user)                                         \
    G(S, BOXED_LISTOF, rare, events, job_event) F(S, U64, nonce)                                             \
    G(S, BOXED_LISTOF, rare, array_gone, state_count) G(S, BOXED_LISTOF, rare, preempt_why, cause)

extern const struct rec_desc alloc_rec, index_range_rec, job_req_rec, rank_end_rec, gpu_use_rec, task_rec,
    step_rec, past_run_rec, job_event_rec, state_count_rec, job_rec;

extern const struct job_rare job_nothing_rare;
static inline const struct job_rare *job_rare(const struct job *j)
{
    return j->rare ? j->rare : &job_nothing_rare;
}
static inline struct job_rare *job_rare_mut(struct job *j)
{
    return rec_box(&j->rare);
}

extern const struct job_origin job_no_origin;
static inline const struct job_origin *job_origin(const struct job *j)
{
    return j->origin ? j->origin : &job_no_origin;
}
static inline struct job_origin *job_origin_mut(struct job *j)
{
    return rec_box(&j->origin);
}

/* A zeroed job with its lists initialised and its request "not given". */
struct job *job_new(void) __attribute__((warn_unused_result));
/* Frees the record; the job must be in no model. NULL is fine. */
void job_free(struct job *j);

struct step *job_find_step(const struct job *j, int32_t id); /* or NULL */
/* The task, part 0 of one over several nodes, or NULL. */
struct task *step_find_task(const struct step *s, uint32_t index);
/* Its part that has that attempt, or NULL. */
struct task *step_find_attempt(const struct step *s, uint32_t index, uint32_t attempt);
/* The tasks that may be live are v[begin] to v[end - 1]: those before are done, those behind wait. */
static inline size_t step_live_begin(const struct step *s)
{
    return s->done ? s->tasks.n : s->n_done_first;
}
static inline size_t step_live_end(const struct step *s)
{
    return s->tasks.n - s->n_waiting_last;
}
/* How the task's rank with that local id ended; NULL where that is not known. */
const struct rank_end *task_rank_end(const struct task *t, uint32_t local);
/* How many ranks an entry of task.ranks stands for. */
static inline uint32_t rank_end_count(const struct rank_end *e)
{
    return e->count ? e->count : 1;
}
/* The number of a task's rank with that local id: in blocks, or dealt out one by one over the tasks. */
uint32_t step_rank(const struct step *s, const struct task *t, uint32_t local);
/* The task that runs a rank, its local id in *ret_local (may be NULL); NULL where none does. */
const struct task *step_find_rank(const struct step *s, uint32_t rank, uint32_t *ret_local);
/* The names of the partitions that a waiting job may run in: the request's, else the default one of when it
 * was submitted. Caller frees. */
struct strv job_partitions(const struct job *j);
/* What is shown as its partition: all that it asks for until it has started, then the one where it runs or
 * ran. NULL: none is known. */
const char *job_partition_text(const struct job *j);
bool job_is_array_record(const struct job *j);      /* stands for elements not started yet */
uint32_t job_pending_elements(const struct job *j); /* of an array record; 1 for a pending plain job */
/* COMPLETING because it is preempted, and its processes may go on until its grace time is over: for users
 * it still runs, as in Slurm. */
bool job_is_in_grace(const struct job *j);
/* Ended, by itself, with code 0. */
bool job_succeeded(const struct job *j);
/* Tasks that are LAUNCHING or RUNNING. */
uint32_t job_live_tasks(const struct job *j);
/* What is held now, by the job or by its tasks that live, or asked for at least (a pending job). */
struct job_amounts {
    uint32_t cpus, gpus, nodes; /* nodes: one for each allocation */
    uint64_t mem_mib;           /* 0: not said */
};
struct job_amounts job_amounts(const struct job *j);
/* What the job has on that node; NULL: nothing. */
const struct alloc *job_alloc_on(const struct job *j, const char *node);
/* One of the amounts, each by the same look at all that the job holds; job_nodes counts each node once. */
uint32_t job_cpus(const struct job *j);
uint32_t job_gpus(const struct job *j);
uint32_t job_nodes(const struct job *j);
/* Sorts the names and compresses them: "n[1-3]"; NULL where there are none. The caller frees it. */
char *node_list_of(struct strv *names);

/* The nodes on which the job runs or has run; of a step job those of its live tasks, or of all tasks once
 * it has ended. NULL: none, or the job waits. The caller frees it. */
char *job_node_list(const struct job *j);
uint64_t job_mem_mib(const struct job *j);
/* Seconds on its allocation: 0 before it starts, frozen at the end. */
uint32_t job_run_s(const struct job *j, struct wall now);

/* "4711", "4711_3", "4711_[0-9,12%4]". At most max bytes of the bracket, then "..."; 0: no bound. Caller
 * frees. */
char *job_format_id(const struct job *j, size_t max) __attribute__((warn_unused_result));
/* "batch", "interactive", "0". Returns buf. */
const char *step_format_id(int32_t id, char buf[static 16]);
/* The job's first node, or NULL while it waits. */
const char *job_batch_host(const struct job *j);
/* Is it a whole job to this name: an id, an array, one element? Used to match N and N_k. */
bool job_is_named(const struct job *j, uint32_t id, uint32_t array_index);

#endif
