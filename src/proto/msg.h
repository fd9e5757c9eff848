/* msg.h - every message there is: one table of kinds and their bodies.
 *
 * Roles: C client, S controller, A agent. A request is answered by the message named beside it, or by
 * RESULT where it failed; kinds travel by number: new ones go to the END. docs/PROTOCOL.md is written from
 * this table.
 */
#ifndef STOKER_PROTO_MSG_H
#define STOKER_PROTO_MSG_H

#include "src/answers/answer_plan.h"
#include "src/answers/answer_prio.h"
#include "src/answers/answer_why.h"
#include "src/answers/refusal.h"
#include "src/base/err.h"
#include "src/model/cluster_totals.h"
#include "src/model/event.h"
#include "src/model/model.h"
#include "src/proto/audit_line.h"
#include "src/proto/launch.h"

#define PROTO_VERSION     1
#define PROTO_VERSION_MIN 1

/* --- greetings --- */

struct msg_hello { /* C->S: the first frame of a client. S->A: of a controller */
    uint32_t version;
    char *program;         /* "squeue", "stoker-ui" */
    char *cluster;         /* S->A: uuid; the agent refuses another cluster's */
    uint64_t epoch;        /* S->A: the agent refuses a lower one than it has seen */
    char *node;            /* S->A: the name the node has here */
    uint32_t kill_wait_s;  /* S->A */
    struct node_spec spec; /* S->A: what the configuration says of the node */
    uint64_t incarnation;  /* S->A: the agent refuses another one of the same epoch */
    uint32_t causes;       /* C->S: codes of causes that it knows; for others the controller writes texts */
    bool answers_held;     /* S->A: it answers HELD_JOBS */
};
#define MSG_HELLO_FIELDS(F, G, S)                                                                            \
    F(S, U32, version) F(S, STR, program) F(S, STR, cluster) F(S, U64, epoch) F(S, STR, node)                \
    F(S, U32, kill_wait_s) G(S, SUB, spec, node_spec) F(S, U64, incarnation) F(S, U32, causes)  \
    F(S, BOOL, answers_held)

/* X(enum member): what screens do not offer where it lacks. Numbers travel: new ones go to the END. */
#define LACKS(X)                                                                                             \
    X(SUBMIT)  /* submissions: SUBMIT */                                                                     \
    X(HISTORY) /* jobs that have left the queue: HISTORY */                                                  \
    X(PLAN)    /* planned starts: PLAN */                                                                    \
    X(SHARES)  /* usage of accounts and users: SHARES */                                                     \
    X(NODES)   /* changes of nodes: DRAIN, NODE_NOTE, WINDOW_SET */                                          \
    X(SHELL)   /* shells in jobs and on nodes */                                                             \
    X(DEVICES) /* which CPUs and GPUs a job has: sets of them are counts */

enum lack {
#define X(name) LACK_##name,
    LACKS(X)
#undef X
        LACK_N
};

struct msg_welcome { /* S->C */
    uint32_t version;
    char *cluster, *name, *host; /* uuid, configured name, the controller's host */
    uint64_t epoch;
    uint32_t uid; /* yours, as the kernel says */
    bool admin;
    char *read_only; /* why nothing is accepted now; NULL: all is well */
    char *release;   /* "0.1.0" */
    struct wall now;
    uint32_t pid;
    char *engine;         /* what schedules, where it is not Stoker: "Slurm"; NULL: Stoker */
    char *engine_release; /* its release: "22.05.8"; NULL: not known yet */
    uint64_t lacks;       /* bit mask 1 << enum lack; 0: it has everything */
};
#define MSG_WELCOME_FIELDS(F, G, S)                                                                          \
    F(S, U32, version) F(S, STR, cluster) F(S, STR, name) F(S, STR, host) F(S, U64, epoch) F(S, U32, uid)    \
    F(S, BOOL, admin) F(S, STR, read_only) F(S, STR, release) F(S, WALL, now) F(S, U32, pid)                 \
    F(S, STR, engine) F(S, STR, engine_release) F(S, U64, lacks)

struct msg_agent { /* A->S: answer to its hello */
    uint32_t version;
    char *refused; /* why this controller is not obeyed; NULL: it is */
    char *node, *boot_id, *arch, *os, *release;
    uint32_t cpus, gpus;
    uint64_t mem_mib;
    char *gpu_type;
    struct strv notes; /* "memory: RSS polling", "cpus: not bound" */
    struct wall t_boot, t_agent;
    REC_LIST(struct launch_status)
    launches;            /* everything it holds, ended ones included until acknowledged */
    char *client_socket; /* where clients on the node reach the controller through it; NULL: nowhere */
    char *bin_dir;       /* where srun and the others lie beside it; NULL: they do not */
    struct cpuset gpus_out, gpus_lost; /* GPUs that are not to be given; of those: the ones that fail */
    struct strv gpu_notes;             /* why */
    bool spool_full;                   /* nothing is launched there for want of room on its disk */
    uint64_t tmp_mib;                  /* size of the file system of /tmp; 0 unknown */
    struct wall t_policy; /* when its policy was read; a later one may admit whom the former refused */
    bool private_tmp;     /* it can give jobs a /tmp of their own: node_spec.private_tmp_mib */
};
#define MSG_AGENT_FIELDS(F, G, S)                                                                            \
    F(S, U32, version) F(S, STR, refused) F(S, STR, node) F(S, STR, boot_id) F(S, STR, arch) F(S, STR, os)   \
    F(S, STR, release) F(S, U32, cpus) F(S, U32, gpus) F(S, U64, mem_mib) F(S, STR, gpu_type)                \
    F(S, STRV, notes) F(S, WALL, t_boot) F(S, WALL, t_agent) G(S, LISTOF, launches, launch_status)    \
    F(S, STR, client_socket) F(S, STR, bin_dir) F(S, CPUSET, gpus_out) F(S, CPUSET, gpus_lost)               \
    F(S, STRV, gpu_notes) F(S, BOOL, spool_full) F(S, U64, tmp_mib) F(S, WALL, t_policy)   \
    F(S, BOOL, private_tmp)

struct msg_result {       /* S->C: done, or refused and why */
    uint32_t refusal;     /* enum refusal; NONE: done */
    char *text;           /* what a new window is called; the cause for clients that do not know its code */
    uint32_t job;         /* the job made or meant */
    uint32_t count;       /* things changed */
    struct strv warnings; /* the hints for clients that do not know their codes */
    struct cause cause;   /* why it was refused; the client makes the text of it where there is none */
    REC_LIST(struct cause) hints; /* done, but something asked for has no effect here */
};
#define MSG_RESULT_FIELDS(F, G, S)                                                           \
    F(S, U32, refusal) F(S, STR, text) F(S, U32, job) F(S, U32, count) F(S, STRV, warnings) \
    G(S, SUB, cause, cause) G(S, LISTOF, hints, cause)

/* --- requests --- */

struct step_payload { /* what a step runs; kept apart from the state, wiped when it has ended */
    struct strv argv;
    struct blob script; /* instead of argv */
    struct strv env;    /* empty in a step job: the job's */
    char *workdir;
    REC_LIST(struct launch_rank)
    ranks; /* --multi-prog: rank and argv alone are used; empty: all run argv */
    uint32_t umask;
    REC_LIST(struct resource_limit) limits;
};
#define STEP_PAYLOAD_FIELDS(F, G, S)                                                                         \
    F(S, STRV, argv) F(S, BLOB, script) F(S, STRV, env) F(S, STR, workdir) G(S, LISTOF, ranks, launch_rank)  \
    F(S, U32, umask) G(S, LISTOF, limits, resource_limit)

struct msg_submit {   /* C->S, answered by RESULT with the job's id */
    char *request_id; /* chosen by the client: a retry with it gets the same job */
    uint32_t kind;    /* enum job_kind */
    struct job_req req;
    char *command; /* for display */
    char *host;    /* submitting host */
    bool hold;
    bool test_only;                              /* answer when and where it would start, queue nothing */
    struct step_payload payload;                 /* batch: script with its arguments in argv */
    REC_LIST(struct step) steps;                 /* step jobs: declared, tasks empty */
    REC_LIST(struct step_payload) step_payloads; /* one for each of steps */
    bool force;                                  /* queue it even where it can never start as things are */
    bool detached; /* interactive: goes on without its terminal (salloc --no-shell) */
};
#define MSG_SUBMIT_FIELDS(F, G, S)                                                                           \
    F(S, STR, request_id) F(S, U32, kind) G(S, SUB, req, job_req) F(S, STR, command) F(S, STR, host)         \
    F(S, BOOL, hold) F(S, BOOL, test_only) G(S, SUB, payload, step_payload) G(S, LISTOF, steps, step)        \
    G(S, LISTOF, step_payloads, step_payload) F(S, BOOL, force) F(S, BOOL, detached)

struct msg_step_create { /* C->S (srun), answered by STEP_CREATED or RESULT */
    uint32_t job;
    char *request_id;
    struct step step; /* id and tasks are given by the controller */
    struct step_payload payload;
    bool stream_in;
    bool no_wait; /* --immediate: refuse with STEP_BUSY instead of waiting */
};
#define MSG_STEP_CREATE_FIELDS(F, G, S)                                                                      \
    F(S, U32, job) F(S, STR, request_id) G(S, SUB, step, step) G(S, SUB, payload, step_payload)              \
    F(S, BOOL, stream_in) F(S, BOOL, no_wait)

struct msg_step_created {
    uint32_t job;
    int32_t step;
    bool waiting; /* resources are busy: its tasks follow when they come free */
};
#define MSG_STEP_CREATED_FIELDS(F, G, S) F(S, U32, job) F(S, I32, step) F(S, BOOL, waiting)

struct job_target {       /* a job, some elements of an array, or a step */
    uint32_t job;         /* raw id or array id */
    uint32_t array_index; /* ARRAY_NONE: all of it */
    int32_t step;         /* STEP_ALL: the job */
};
#define JOB_TARGET_FIELDS(F, G, S) F(S, U32, job) F(S, U32, array_index) F(S, I32, step)

enum act {
    ACT_CANCEL,
    ACT_SIGNAL,
    ACT_HOLD,
    ACT_RELEASE,
    ACT_REQUEUE,
    ACT_REQUEUE_HOLD,
    ACT_SUSPEND,
    ACT_RESUME,
    ACT_NOTIFY
};

struct msg_act {  /* C->S: do this to those; answered by RESULT: the first refusal and how many were done */
    uint32_t act; /* enum act */
    REC_LIST(struct job_target) targets;
    int32_t signal;   /* ACT_SIGNAL */
    bool batch, full; /* scancel -b: the batch shell alone; -f: it and all its children */
    bool admin_hold;  /* ACT_HOLD by an admin, who did not say uhold */
    char *text;       /* ACT_NOTIFY: for the job's standard error */
    bool else_batch;  /* ACT_SIGNAL without batch and full: where no step runs, the batch script gets it */
};
#define MSG_ACT_FIELDS(F, G, S)                                                                              \
    F(S, U32, act) G(S, LISTOF, targets, job_target) F(S, I32, signal) F(S, BOOL, batch) F(S, BOOL, full)    \
    F(S, BOOL, admin_hold) F(S, STR, text) F(S, BOOL, else_batch)

struct msg_update { /* C->S: change a job; answered by RESULT */
    struct job_target target;
    struct strv changes; /* "TimeLimit=1:00:00": scontrol's keys, any case */
};
#define MSG_UPDATE_FIELDS(F, G, S) G(S, SUB, target, job_target) F(S, STRV, changes)

struct msg_drain { /* C->S, admins; answered by RESULT */
    struct strv nodes;
    bool drain;
    char *reason;
};
#define MSG_DRAIN_FIELDS(F, G, S) F(S, STRV, nodes) F(S, BOOL, drain) F(S, STR, reason)

struct msg_node_note { /* C->S, admins; answered by RESULT */
    struct strv nodes;
    char *text; /* NULL or empty: it goes */
};
#define MSG_NODE_NOTE_FIELDS(F, G, S) F(S, STRV, nodes) F(S, STR, text)

struct msg_node_task_end { /* C->S, admins; answered by RESULT: how many are being ended */
    char *node;
    struct job_target target; /* of tasks there that the controller does not know: no array_index */
    uint32_t task;            /* NOT_GIVEN: all of the step, or of the job */
};
#define MSG_NODE_TASK_END_FIELDS(F, G, S) F(S, STR, node) G(S, SUB, target, job_target) F(S, U32, task)

/* --- a client on a node: its stream, carried by the agent. Each side may have TUNNEL_WINDOW bytes under
 * way that the other has not passed on yet. --- */

#define TUNNEL_WINDOW (256u << 10)
#define TUNNEL_PIECE  (32u << 10) /* of one message */

struct msg_tunnel_open {
    uint32_t id;            /* chosen by the agent, of this connection */
    uint32_t uid, gid, pid; /* as the node's kernel says */
    char *user;             /* the uid's name there, the number where it has none; NULL: not said */
};
#define MSG_TUNNEL_OPEN_FIELDS(F, G, S) \
    F(S, U32, id) F(S, U32, uid) F(S, U32, gid) F(S, U32, pid) F(S, STR, user)

struct msg_tunnel_data {
    uint32_t id;
    struct blob data;
};
#define MSG_TUNNEL_DATA_FIELDS(F, G, S) F(S, U32, id) F(S, BLOB, data)

struct msg_tunnel_taken {
    uint32_t id, n;
};
#define MSG_TUNNEL_TAKEN_FIELDS(F, G, S) F(S, U32, id) F(S, U32, n)

#define GET_SPEC    1u
#define GET_NODES   2u
#define GET_JOBS    4u
#define GET_WINDOWS 8u

/* Jobs and users of one question; who wants more asks for all. */
#define GET_NAMES_MAX 1000u

struct msg_get {   /* C->S: rows of the state, answered by SPEC, NODES, JOBS ... and then SNAPSHOT; with
                      follow EVENTs come after */
    uint32_t what; /* GET_* */
    REC_LIST(struct job_target) jobs; /* empty: all */
    struct strv users;                /* names; empty: all */
    uint32_t states;                  /* bit mask 1 << enum job_state; 0: all */
    bool follow;                      /* of all jobs, or of the one job in `jobs` */
    /* Of each row only these: bit k is member k of the record; id, kind and state come in any case. 0: all,
     * and with follow always all but request_id. */
    uint64_t job_members, req_members;
    bool live_steps; /* leave out steps that are done: a job may have had thousands */
    /* With follow and without `jobs`: only the jobs of the connection's user. Rows come in place of events
     * (EV_JOB_ROW, EV_JOB_GONE), and TOTALS of the whole cluster. */
    bool own;
    /* Of jobs that have not ended: of the tasks of a step job only those that may be live, and no steps of
     * other jobs. That is what says which nodes and resources they hold. */
    bool live_tasks;
};
#define MSG_GET_FIELDS(F, G, S)                                                                              \
    F(S, U32, what) G(S, LISTOF, jobs, job_target) F(S, STRV, users) F(S, U32, states) F(S, BOOL, follow)    \
    F(S, U64, job_members) F(S, U64, req_members) F(S, BOOL, live_steps) F(S, BOOL, own)  \
    F(S, BOOL, live_tasks)

struct msg_nodes { /* rows */
    REC_LIST(struct node) rows;
};
#define MSG_NODES_FIELDS(F, G, S) G(S, LISTOF, rows, node)

struct msg_jobs { /* rows, at most about 1,000 in a frame */
    REC_LIST(struct job) rows;
};
#define MSG_JOBS_FIELDS(F, G, S) G(S, LISTOF, rows, job)

struct msg_snapshot { /* the rows so far are the state after event seq */
    uint64_t seq, epoch;
    uint32_t next_job;
    struct wall now;
    uint32_t n_jobs;
    char *uuid;
    bool own; /* the jobs of the connection's user, as was asked for; an older controller sends all */
};
#define MSG_SNAPSHOT_FIELDS(F, G, S)                                                                         \
    F(S, U64, seq) F(S, U64, epoch) F(S, U32, next_job) F(S, WALL, now) F(S, U32, n_jobs) F(S, STR, uuid)    \
    F(S, BOOL, own)

struct msg_event { /* S->C pushed: one event; body is encoded as its kind says */
    uint64_t seq;
    struct wall t;
    uint32_t kind, job;
    struct blob body;
};
#define MSG_EVENT_FIELDS(F, G, S) \
    F(S, U64, seq) F(S, WALL, t) F(S, U32, kind) F(S, U32, job) F(S, BLOB, body)

struct job_reason { /* why a job waits, as the last pass saw it */
    uint32_t job;
    uint32_t reason; /* enum reason */
};
#define JOB_REASON_FIELDS(F, G, S) F(S, U32, job) F(S, U32, reason)

struct msg_reasons { /* S->C pushed to followers: derived, so not an event */
    REC_LIST(struct job_reason) rows;
};
#define MSG_REASONS_FIELDS(F, G, S) G(S, LISTOF, rows, job_reason)

struct msg_job { /* C->S: a request about one job */
    struct job_target target;
};
#define MSG_JOB_FIELDS(F, G, S) G(S, SUB, target, job_target)

struct msg_script { /* S->C: the batch script; owner and admins */
    struct blob script;
    struct strv argv;
};
#define MSG_SCRIPT_FIELDS(F, G, S) F(S, BLOB, script) F(S, STRV, argv)

struct msg_complete { /* C->S: an interactive job's terminal is done; answered by RESULT */
    uint32_t job;
    int32_t code, signal;
};
#define MSG_COMPLETE_FIELDS(F, G, S) F(S, U32, job) F(S, I32, code) F(S, I32, signal)

/* --- input and output of tasks, through the controller --- */

struct msg_output_read { /* C->S->A: bytes of a spooled stream, answered by OUTPUT_DATA; waits for growth up
                            to wait_ms */
    struct launch_key key; /* C->S: attempt 0 means the latest */
    uint32_t rank;         /* in the step; the controller finds its task */
    uint32_t stream;       /* 1 stdout, 2 stderr */
    uint64_t offset;
    uint32_t max; /* bytes; at most 256 KiB are given */
    uint32_t wait_ms;
    /* Set by the controller alone, where the stream goes into a file: read on the node, as that user. */
    char *path;
    uint32_t uid, gid;
    char *user;
    bool ended; /* within the node: the writer has */
};
#define MSG_OUTPUT_READ_FIELDS(F, G, S)                                                                      \
    G(S, SUB, key, launch_key) F(S, U32, rank) F(S, U32, stream) F(S, U64, offset) F(S, U32, max)            \
    F(S, U32, wait_ms) F(S, STR, path) F(S, U32, uid) F(S, U32, gid) F(S, STR, user) F(S, BOOL, ended)

struct msg_output_data {
    uint64_t offset;
    struct blob data;
    bool eof;      /* the writer has ended and this is all */
    char *error;   /* NULL: fine */
    uint64_t size; /* of the whole stream so far */
};
#define MSG_OUTPUT_DATA_FIELDS(F, G, S) \
    F(S, U64, offset) F(S, BLOB, data) F(S, BOOL, eof) F(S, STR, error) F(S, U64, size)

struct msg_input { /* C->S->A: standard input for all ranks of a step, answered by INPUT_ACK */
    struct launch_key key;
    uint64_t offset; /* of data in the whole stream: a repeated piece is dropped */
    struct blob data;
    bool eof;
    /* To a task on a terminal alone. It has one writer at a time, known by a number of its own. */
    uint64_t writer;
    char *who;           /* for the second client */
    bool fresh;          /* its first message: it may become the writer where there is none */
    bool take;           /* and even where there is one */
    bool leave;          /* its last */
    bool redraw;         /* have the screen drawn again */
    uint32_t rows, cols; /* of its window; 0: as it is */
    uint64_t seen;       /* bytes of the output that it has */
};
#define MSG_INPUT_FIELDS(F, G, S) \
    G(S, SUB, key, launch_key) F(S, U64, offset) F(S, BLOB, data) F(S, BOOL, eof) F(S, U64, writer)  \
    F(S, STR, who) F(S, BOOL, fresh) F(S, BOOL, take) F(S, BOOL, leave) F(S, BOOL, redraw)  \
    F(S, U32, rows) F(S, U32, cols) F(S, U64, seen)

struct msg_input_ack {
    uint64_t offset; /* everything before it has been taken */
    bool closed;     /* there is no reader any more */
    uint64_t out;    /* a task on a terminal: bytes of output so far */
    bool held;       /* and the sender is its writer now */
    char *refused;   /* and this one is; NULL: the supervisor has not been reached, or the sender is */
};
#define MSG_INPUT_ACK_FIELDS(F, G, S) \
    F(S, U64, offset) F(S, BOOL, closed) F(S, U64, out) F(S, BOOL, held) F(S, STR, refused)

/* --- utilisation, only while a client watches --- */

struct gpu_util {
    uint32_t index;
    uint32_t busy_pct;
    uint64_t mem_used_mib, mem_mib;
    uint32_t foreign; /* processes on it that are not ours */
    uint32_t idle_s;  /* since it last did anything, as far as the agent has looked; 0: it works */
};
#define GPU_IDLE_PERCENT 5 /* one that is seen doing less than this is idle */
#define GPU_UTIL_FIELDS(F, G, S)                                                                             \
    F(S, U32, index) F(S, U32, busy_pct) F(S, U64, mem_used_mib) F(S, U64, mem_mib) F(S, U32, foreign)       \
    F(S, U32, idle_s)

struct task_util {
    struct launch_key key;
    uint32_t cpu_permille; /* 1000 = one CPU busy */
    uint64_t rss_kib;
    uint32_t procs;
    uint64_t cpu_ms;  /* of all its processes so far; up to release 0.1 of those that were there then */
    uint64_t mem_kib; /* charged to its control group, without files that can be dropped; 0: not measured */
};
#define TASK_UTIL_FIELDS(F, G, S)                                                                            \
    G(S, SUB, key, launch_key) F(S, U32, cpu_permille) F(S, U64, rss_kib) F(S, U32, procs) F(S, U64, cpu_ms) \
    F(S, U64, mem_kib)

struct msg_util { /* A->S->C */
    char *node;
    struct wall t;
    uint32_t cpu_permille; /* of the whole machine: 1000 = all CPUs busy */
    uint64_t mem_used_mib, mem_mib;
    double load1;
    REC_LIST(struct gpu_util) gpus; /* empty: not measured */
    REC_LIST(struct task_util) tasks;
    uint32_t age_ms;  /* it was measured so long before it was sent: an earlier measurement */
    uint32_t good_ms; /* for so long it is the last measurement; 0: one follows each second */
};
#define MSG_UTIL_FIELDS(F, G, S)                                                                             \
    F(S, STR, node) F(S, WALL, t) F(S, U32, cpu_permille) F(S, U64, mem_used_mib) F(S, U64, mem_mib)         \
    F(S, F64, load1) G(S, LISTOF, gpus, gpu_util) G(S, LISTOF, tasks, task_util)                               \
    F(S, U32, age_ms) F(S, U32, good_ms)

struct msg_watch_util {
    bool on;
    uint32_t job; /* C->S: only the nodes of this job, and of tasks its own; 0: all nodes */
    bool probe; /* C->S: measure it once by a step in the job; of a controller over another engine alone */
};
#define MSG_WATCH_UTIL_FIELDS(F, G, S) F(S, BOOL, on) F(S, U32, job) F(S, BOOL, probe)

struct step_use { /* of a running step, summed over its tasks on all nodes */
    int32_t step;
    uint32_t cpu_permille; /* since the measurement before; 1000 = one CPU busy */
    uint64_t mem_kib;      /* resident */
};
#define STEP_USE_FIELDS(F, G, S) F(S, I32, step) F(S, U32, cpu_permille) F(S, U64, mem_kib)

enum use_lack {                    /* why a job was not measured; numbers travel */
                USE_MEASURED,      /* it was */
                USE_NOT_GATHERED,  /* the engine's accounting gathers nothing of running jobs */
                USE_NOT_YOURS,     /* the engine tells it to the owner and to operators alone */
                USE_REFUSED,       /* in the engine's words */
                USE_PROBE_REFUSED, /* likewise, of a probe */
};

struct msg_job_use { /* S->C */
    uint32_t job;
    uint32_t lack; /* enum use_lack */
    char *says;    /* the engine's words; NULL: none */
    REC_LIST(struct step_use) steps;
    uint32_t good_ms; /* for so long it is the last measurement */
};
#define MSG_JOB_USE_FIELDS(F, G, S) \
    F(S, U32, job) F(S, U32, lack) F(S, STR, says) G(S, LISTOF, steps, step_use) F(S, U32, good_ms)

struct msg_flag { /* a request with one switch */
    bool on;
};
#define MSG_FLAG_FIELDS(F, G, S) F(S, BOOL, on)

struct user_stats { /* what has been done for a user since the controller started */
    uint32_t uid;
    char *name;
    uint32_t connections, jobs; /* that the user has now */
    uint64_t requests, us;      /* and what they took */
    uint64_t slowed;            /* times that the user had to wait for asking too much */
    uint64_t refused;           /* connections */
    uint64_t buffers, waited;   /* bytes that the user's connections take; times that one waited for some */
    uint64_t records, disk; /* bytes that the records of its jobs take of memory; its jobs of the disk */
};
#define USER_STATS_FIELDS(F, G, S)                                                                           \
    F(S, U32, uid) F(S, STR, name) F(S, U32, connections) F(S, U32, jobs) F(S, U64, requests)                \
    F(S, U64, us) F(S, U64, slowed) F(S, U64, refused) F(S, U64, buffers) F(S, U64, waited) \
    F(S, U64, records) F(S, U64, disk)

struct msg_stats { /* S->C */
    struct wall t_start;
    uint64_t submits, starts, ends, commits, events;
    uint32_t sessions, nodes_up;
    uint64_t commit_us_max, commit_us_sum;
    uint64_t pass_us_max, pass_us_sum, passes;
    uint64_t rss_kib;
    uint64_t db_bytes;
    uint64_t slice_us_max; /* the longest that planning has held up the loop */
    uint64_t slowed, refused;
    REC_LIST(struct user_stats) users; /* those that have taken most, first */
    uint64_t completed, cancelled,
        failed; /* jobs that have ended; an element of an array is one. ends: of tasks */
    uint64_t disk_left,
        disk_all;             /* bytes for the state: that are left, and with what it takes; 0: not known */
    uint64_t history_bytes;   /* that the history takes */
    uint64_t memory_most_kib; /* that the controller may take */
    bool short_of_disk, short_of_memory; /* jobs can only be cancelled */
    struct msg_scores forecasts;         /* scores of forecasts, kept over restarts */
    uint64_t gpus_free, gpus_split;      /* split: of these, on nodes whose other GPUs are in use */
    uint64_t commit_bytes_max;           /* of events, scripts and environments in one commit */
};
#define MSG_STATS_FIELDS(F, G, S)                                                                            \
    F(S, WALL, t_start) F(S, U64, submits) F(S, U64, starts) F(S, U64, ends) F(S, U64, commits)              \
    F(S, U64, events) F(S, U32, sessions) F(S, U32, nodes_up) F(S, U64, commit_us_max)                       \
    F(S, U64, commit_us_sum) F(S, U64, pass_us_max) F(S, U64, pass_us_sum) F(S, U64, passes)                 \
    F(S, U64, rss_kib) F(S, U64, db_bytes) F(S, U64, slice_us_max)                      \
    F(S, U64, slowed) F(S, U64, refused) G(S, LISTOF, users, user_stats)                                 \
    F(S, U64, completed) F(S, U64, cancelled) F(S, U64, failed) F(S, U64, disk_left) F(S, U64, disk_all) \
    F(S, U64, history_bytes) F(S, U64, memory_most_kib) F(S, BOOL, short_of_disk) F(S, BOOL, short_of_memory) \
    G(S, SUB, forecasts, msg_scores) F(S, U64, gpus_free) F(S, U64, gpus_split) \
    F(S, U64, commit_bytes_max)

struct msg_history { /* C->S: jobs that have left the state, answered by JOBS ... HISTORY_END */
    REC_LIST(struct job_target) jobs; /* raw and array ids; empty: all, in the order of their ends */
    struct strv users, names, partitions, accounts; /* empty: any */
    uint32_t states;                                /* bit mask 1 << enum job_state; 0: any */
    struct wall since;                              /* ended then or later; unset: whenever */
    struct wall until;                              /* submitted by then; unset: whenever */
    bool ended;                                     /* ... and ended by `until` */
    bool newest;                                    /* the last ends first */
    uint32_t limit;                                 /* rows; 0: all */
    struct wall
        before; /* with newest: ended before this one, to go on behind the last row; unset: from the end */
    uint32_t before_job; /* ... or then, with a lower id */
    char *user_like, *name_like, *partition_like,
        *account_like; /* texts that are in them, any case; NULL: any */
};
#define MSG_HISTORY_FIELDS(F, G, S)                                                                          \
    G(S, LISTOF, jobs, job_target) F(S, STRV, users) F(S, STRV, names) F(S, STRV, partitions)                \
    F(S, STRV, accounts) F(S, U32, states) F(S, WALL, since) F(S, WALL, until) F(S, BOOL, ended)             \
    F(S, BOOL, newest) F(S, U32, limit) F(S, WALL, before) F(S, U32, before_job) F(S, STR, user_like)        \
    F(S, STR, name_like) F(S, STR, partition_like) F(S, STR, account_like)

struct msg_history_end {
    uint32_t n; /* rows sent */
};
#define MSG_HISTORY_END_FIELDS(F, G, S) F(S, U32, n)

/* Instead of the number of a fence. */
#define PMI_ABORT UINT32_MAX       /* A->S: a rank has ended the whole step */
#define PMI_KEPT  (UINT32_MAX - 1) /* S->A: send the kept answer of the fence `of`; A->S: that answer */
/* As the piece of a PMI_KEPT. A->S: this task is past the fence `of`; more: its ranks have ended, are all
 * other tasks past it? S->A: more: is this task past it? else: all tasks are. */
#define PMI_PAST UINT32_MAX
/* Names and values in bytes, each string counting PMI_STRING more. A part travels in one frame. */
#define PMI_STRING    16u
#define PMI_PART_MAX  (3u << 20)  /* of one task at one fence, on its way to the other nodes */
#define PMI_PAIRS_MAX (32u << 20) /* of a whole step */
#define PMI_PIECE_MAX (1u << 20)  /* of an answer: a piece ends with the pair that exceeds it */

struct msg_pmi { /* A->S: all ranks of a task are in a fence; S->A: all tasks of its step are */
    struct launch_key key;
    uint32_t fence;    /* its number in the step, from 0 */
    struct strv pairs; /* keys and values in turn: those since the last fence; all tasks' in the answer */
    uint32_t piece;    /* in the answer, which may come in several: from 0. PMI_KEPT: pairs before these */
    bool more;         /* further pieces follow */
    bool keeps;        /* A->S: the sender keeps the answer of the fence before this one; S->A: and answers
                        * PMI_PAST */
    uint32_t of;       /* PMI_KEPT: number of the fence */
};
#define MSG_PMI_FIELDS(F, G, S) \
    G(S, SUB, key, launch_key) F(S, U32, fence) F(S, STRV, pairs) F(S, U32, piece) F(S, BOOL, more)           \
    F(S, BOOL, keeps) F(S, U32, of)

/* A job for which a node keeps something until the job has ended there. */
struct node_held_job {
    uint32_t job, restarts;
    uint64_t nonce;
};
#define NODE_HELD_JOB_FIELDS(F, G, S) F(S, U32, job) F(S, U32, restarts) F(S, U64, nonce)

struct msg_held_jobs { /* A->S: held, and no task of theirs lives there; S->A: those that are over there */
    REC_LIST(struct node_held_job) jobs;
};
#define MSG_HELD_JOBS_FIELDS(F, G, S) G(S, LISTOF, jobs, node_held_job)

struct msg_none {
    bool unused;
};
#define MSG_NONE_FIELDS(F, G, S) F(S, BOOL, unused)

#define WAIT_ROWS_MAX 500             /* jobs in one question */
struct msg_waits_get {                /* C->S: why these jobs wait, in one sentence each */
    REC_LIST(struct job_target) jobs; /* by their raw ids */
};
#define MSG_WAITS_GET_FIELDS(F, G, S) G(S, LISTOF, jobs, job_target)

struct msg_waits {
    REC_LIST(struct job_wait) rows; /* a job that does not wait has the cause CAUSE_NONE */
};
#define MSG_WAITS_FIELDS(F, G, S) G(S, LISTOF, rows, job_wait)

struct msg_prio {                     /* C->S: what priorities are made of, answered by PRIO_ROWS */
    REC_LIST(struct job_target) jobs; /* empty: all that wait */
    struct strv users, partitions;    /* empty: any */
    uint32_t after;                   /* rows of jobs with a higher raw id alone: to go on */
};
#define MSG_PRIO_FIELDS(F, G, S) \
    G(S, LISTOF, jobs, job_target) F(S, STRV, users) F(S, STRV, partitions) F(S, U32, after)

struct msg_prio_rows { /* in the order of the ids */
    REC_LIST(struct prio_row) rows;
    struct priority_spec weights; /* in force */
    bool more;                    /* there are jobs behind the last one of these: ask again */
    uint32_t after;               /* with this */
};
#define MSG_PRIO_ROWS_FIELDS(F, G, S) \
    G(S, LISTOF, rows, prio_row) G(S, SUB, weights, priority_spec) F(S, BOOL, more) F(S, U32, after)

struct msg_shares { /* C->S: how much of its share each account has had, answered by SHARES_ROWS */
    struct strv accounts, users; /* empty: all */
    uint32_t skip;               /* rows that were given already */
};
#define MSG_SHARES_FIELDS(F, G, S) F(S, STRV, accounts) F(S, STRV, users) F(S, U32, skip)

struct msg_plan_get {              /* C->S: what runs and what is planned, answered by PLAN_DATA */
    struct strv users, partitions; /* empty: all */
    uint32_t rows_max;             /* 0: as many as are given at most, 2,000 */
    bool waiting;                  /* only what waits */
    uint32_t job;                  /* a waiting job of the user: the plan as it would be with ... */
    struct strv changes;           /* ... these changes of it, "TimeLimit=2:00:00"; job 0: as it is */
};
#define MSG_PLAN_GET_FIELDS(F, G, S)                                                \
    F(S, STRV, users) F(S, STRV, partitions) F(S, U32, rows_max) F(S, BOOL, waiting) \
    F(S, U32, job) F(S, STRV, changes)

struct msg_windows { /* rows: all there are */
    REC_LIST(struct window) rows;
};
#define MSG_WINDOWS_FIELDS(F, G, S) G(S, LISTOF, rows, window)

struct msg_window_set {   /* C->S, admins; answered by RESULT */
    struct window window; /* the whole of it; nodes may be in bracket form; no name: one is made */
    bool remove;          /* its name alone counts */
    bool update;          /* it must be there; else it must not */
};
#define MSG_WINDOW_SET_FIELDS(F, G, S) G(S, SUB, window, window) F(S, BOOL, remove) F(S, BOOL, update)

/* One command of the engine that is asked: all its calls so far. */
struct engine_calls {
    char *what; /* "squeue" */
    uint64_t calls, failures;
    uint64_t bytes, ms; /* of all answers */
    uint64_t last_ms;
    struct wall read_at; /* of the last answer; unset: none has come */
    uint64_t pause_ms;   /* until it is asked again */
    char *slowed;        /* why the pause is longer than usual; NULL: it is not */
};
#define ENGINE_CALLS_FIELDS(F, G, S)                                                                         \
    F(S, STR, what) F(S, U64, calls) F(S, U64, failures) F(S, U64, bytes) F(S, U64, ms) F(S, U64, last_ms)   \
    F(S, WALL, read_at) F(S, U64, pause_ms) F(S, STR, slowed)

struct engine_score {        /* how forecasts came true: of each job the first one */
    char *whose;             /* "Slurm", "Stoker" */
    uint64_t starts;         /* that had a forecast */
    uint64_t half_s, most_s; /* half of the last ones were off by at most that; nine in ten */
};
#define ENGINE_SCORE_FIELDS(F, G, S) F(S, STR, whose) F(S, U64, starts) F(S, U64, half_s) F(S, U64, most_s)

struct msg_engine {      /* S->C: how old the rows are, where they are read from another engine */
    struct wall read_at; /* the jobs; unset: not yet */
    uint64_t pause_ms;   /* until they are read again */
    char *trouble;       /* why they were not read the last time, in the engine's words; NULL: they were */
    REC_LIST(struct engine_calls) calls;  /* in the answer alone */
    REC_LIST(struct engine_score) scores; /* likewise */
};
#define MSG_ENGINE_FIELDS(F, G, S) \
    F(S, WALL, read_at) F(S, U64, pause_ms) F(S, STR, trouble) G(S, LISTOF, calls, engine_calls) \
    G(S, LISTOF, scores, engine_score)

/* X(enum member, body record, who sends it) */
#define MSGS(X)                                                                                              \
    X(HELLO, msg_hello, "C->S, S->A; answered by WELCOME, AGENT")                                            \
    X(WELCOME, msg_welcome, "S->C")                                                                          \
    X(AGENT, msg_agent, "A->S, and again where its GPUs have changed")                                       \
    X(RESULT, msg_result, "S->C")                                                                            \
    X(SUBMIT, msg_submit, "C->S; RESULT")                                                                    \
    X(STEP_CREATE, msg_step_create, "C->S; STEP_CREATED")                                                    \
    X(STEP_CREATED, msg_step_created, "S->C")                                                                \
    X(ACT, msg_act, "C->S; RESULT")                                                                          \
    X(UPDATE, msg_update, "C->S; RESULT")                                                                    \
    X(DRAIN, msg_drain, "C->S; RESULT")                                                                      \
    X(GET, msg_get, "C->S; SPEC NODES JOBS... SNAPSHOT, then EVENT...")                                      \
    X(SPEC, cluster_spec, "S->C")                                                                            \
    X(NODES, msg_nodes, "S->C")                                                                              \
    X(JOBS, msg_jobs, "S->C")                                                                                \
    X(SNAPSHOT, msg_snapshot, "S->C")                                                                        \
    X(EVENT, msg_event, "S->C, pushed")                                                                      \
    X(REASONS, msg_reasons, "S->C, pushed")                                                                  \
    X(RESYNC, msg_none, "S->C, pushed: you were too slow, ask again")                                        \
    X(WHY, msg_job, "C->S; WHY_CAUSES")                                                                      \
    X(WHY_TEXT, msg_none, "not sent: controllers of release 0.1 answered WHY so")                            \
    X(SCRIPT, msg_job, "C->S; SCRIPT_TEXT")                                                                  \
    X(SCRIPT_TEXT, msg_script, "S->C")                                                                       \
    X(COMPLETE, msg_complete, "C->S; RESULT")                                                                \
    X(OUTPUT_READ, msg_output_read, "C->S->A; OUTPUT_DATA")                                                  \
    X(OUTPUT_DATA, msg_output_data, "A->S->C")                                                               \
    X(INPUT, msg_input, "C->S->A; INPUT_ACK")                                                                \
    X(INPUT_ACK, msg_input_ack, "A->S->C")                                                                   \
    X(WATCH_UTIL, msg_watch_util, "C->S, S->A: UTIL once a second while on")                                       \
    X(UTIL, msg_util, "A->S, S->C, pushed")                                                                  \
    X(STATS, msg_none, "C->S; STATS_DATA")                                                                   \
    X(STATS_DATA, msg_stats, "S->C")                                                                         \
    X(SHUTDOWN, msg_flag, "C->S; RESULT. on: end the jobs too")                                              \
    X(RELOAD, msg_none, "C->S; RESULT: read the configuration again")                                        \
    X(LAUNCH, launch, "S->A")                                                                                \
    X(KILL, launch_kill, "S->A")                                                                             \
    X(TASK_RUNNING, launch_status, "A->S")                                                                   \
    X(TASK_END, launch_end, "A->S, repeated until END_ACK")                                                  \
    X(END_ACK, launch_key, "S->A: the end is on disk")                                                       \
    X(PING, msg_none, "either; PONG")                                                                        \
    X(PONG, msg_none, "either")                                                                              \
    X(AGENT_STOP, msg_none, "S->A: no task left, end the daemon")                                            \
    X(OWN, msg_job, "C->S; RESULT: this connection is the job's terminal; it ends the job when it is lost")  \
    X(HISTORY, msg_history, "C->S; JOBS... HISTORY_END")                                                     \
    X(HISTORY_END, msg_history_end, "S->C")                                                                  \
    X(PRIO, msg_prio, "C->S; PRIO_ROWS")                                                                     \
    X(PRIO_ROWS, msg_prio_rows, "S->C")                                                                      \
    X(SHARES, msg_shares, "C->S; SHARES_ROWS")                                                               \
    X(SHARES_ROWS, msg_shares_rows, "S->C")                                                                 \
    X(NODE_NOTE, msg_node_note, "C->S; RESULT: a note about nodes, for all users to read")                   \
    X(TUNNEL_OPEN, msg_tunnel_open, "A->S: a client on the node has connected to its agent's socket")        \
    X(TUNNEL_DATA, msg_tunnel_data, "either: bytes of a tunnel")                                             \
    X(TUNNEL_TAKEN, msg_tunnel_taken, "either: this many of its bytes have gone on")                         \
    X(TUNNEL_END, msg_tunnel_taken, "either: the tunnel is closed")                                          \
    X(WINDOWS, msg_windows, "S->C")                                                                         \
    X(WINDOW_SET, msg_window_set, "C->S; RESULT: the text is its name")                                     \
    X(PLAN, msg_plan_get, "C->S; PLAN_DATA")                                                                \
    X(PLAN_DATA, msg_plan, "S->C")                                                                          \
    X(PMI_FENCE, msg_pmi, "A->S; repeated until PMI_ALL")                                                    \
    X(PMI_ALL, msg_pmi, "S->A")                                                                              \
    X(WAITS, msg_waits_get, "C->S; WAIT_CAUSES")                                                             \
    X(WAIT_ROWS, msg_none, "not sent: controllers of release 0.1 answered WAITS so")                         \
    X(NODE_TASK_END, msg_node_task_end, "C->S; RESULT: end tasks that the controller does not know")         \
    X(WHY_CAUSES, msg_why, "S->C")                                                                           \
    X(WAIT_CAUSES, msg_waits, "S->C: as many of them as there was time for, in that order; ask for the others again") \
    X(TOTALS, cluster_totals, "S->C, pushed to a client that follows its own jobs")                          \
    X(AUDIT, msg_audit, "C->S; AUDIT_LINES")                                                                 \
    X(AUDIT_LINES, msg_audit_lines, "S->C")                                                   \
    X(ENGINE, msg_none, "C->S; ENGINE_DATA. To a controller over another engine alone")                      \
    X(ENGINE_DATA, msg_engine, "S->C, and pushed to followers when the rows were read")                      \
    X(HELD_JOBS, msg_held_jobs, "A->S; OVER_JOBS where one of them is over. To a controller that answers it alone") \
    X(OVER_JOBS, msg_held_jobs, "S->A")                                                                      \
    X(JOB_USE, msg_job_use, "S->C, pushed to a client that watches a job of another engine")                   \
    X(TRY, msg_update, "C->S; RESULT: when the job would start with these changes. To another engine alone")

enum msg_kind {
#define X(name, body, who) MSG_##name,
    MSGS(X)
#undef X
        MSG_N_KINDS
};

extern const struct rec_desc msg_hello_rec, msg_welcome_rec, msg_agent_rec, msg_result_rec,
    step_payload_rec, msg_submit_rec, msg_step_create_rec, msg_step_created_rec, job_target_rec,
    msg_act_rec, msg_update_rec, msg_drain_rec, msg_node_note_rec, msg_tunnel_open_rec, msg_tunnel_data_rec,
    msg_tunnel_taken_rec, msg_get_rec, msg_nodes_rec, msg_jobs_rec, msg_snapshot_rec, msg_event_rec,
    job_reason_rec, msg_reasons_rec, msg_job_rec, msg_script_rec, msg_complete_rec, msg_output_read_rec,
    msg_output_data_rec, msg_input_rec, msg_input_ack_rec, gpu_util_rec, task_util_rec, msg_util_rec,
    msg_watch_util_rec, msg_flag_rec, user_stats_rec, msg_stats_rec, msg_none_rec, msg_history_rec,
    msg_history_end_rec, msg_prio_rec, msg_prio_rows_rec, msg_shares_rec, msg_windows_rec,
    msg_window_set_rec, msg_plan_get_rec, msg_pmi_rec, node_held_job_rec, msg_held_jobs_rec,
    msg_waits_get_rec, msg_waits_rec, msg_node_task_end_rec, engine_calls_rec, engine_score_rec,
    msg_engine_rec, step_use_rec, msg_job_use_rec;

const struct rec_desc *msg_rec(enum msg_kind kind);
const char *msg_name(enum msg_kind kind);

/* Appends a whole frame to out. body may be NULL for bodies with nothing in them. */
void msg_append(struct str *out, enum msg_kind kind, uint64_t tag, const void *body);
/* Decodes a frame's body into *ret, allocated here: free with msg_free. Errors: -EBADMSG, -ENOSYS (unknown
 * kind). */
struct frame;
int msg_decode(const struct frame *f, void **ret, struct errtext *err) __attribute__((warn_unused_result));
void msg_free(enum msg_kind kind, void *body);

/* An event as it travels and is stored. */
void event_to_msg(const struct event *ev, struct msg_event *ret); /* ret owns its body */
int event_from_msg(const struct msg_event *msg, struct event *ret, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
