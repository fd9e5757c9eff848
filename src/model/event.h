/* event.h - what can happen to the cluster. One table: the kinds, their names, the records of their bodies.
 *
 * An event is a fact that has been decided; model_apply folds it into the state. It holds everything the
 * fold needs, so that the controller, its restart, the screens' mirror, the simulator and the tests come to
 * the same state. Kinds are stored by number: new ones go to the END of the table.
 */
#ifndef STOKER_MODEL_EVENT_H
#define STOKER_MODEL_EVENT_H

#include "src/model/job.h"
#include "src/model/node_rec.h"
#include "src/model/spec.h"
#include "src/model/usage_rec.h"
#include "src/model/window_rec.h"

struct ev_epoch { /* a controller has taken over */
    char *uuid;
    uint64_t epoch;
    uint32_t next_job;    /* at least this id comes next */
    uint64_t incarnation; /* random: two controllers that came to the same epoch differ in it */
};
#define EV_EPOCH_FIELDS(F, G, S) F(S, STR, uuid) F(S, U64, epoch) F(S, U32, next_job) F(S, U64, incarnation)

struct ev_node { /* a node's reachability, or what its agent found */
    char *node;
    uint32_t state; /* enum node_state */
    char *boot_id, *arch, *os, *version;
    uint32_t cpus, gpus; /* detected; 0 where not */
    uint64_t mem_mib;
    char *gpu_type;
    struct strv notes; /* what the node announces: "memory: RSS polling" ... */
    struct wall t_boot, t_agent;
    char *trouble;                     /* why it cannot be reached; NULL: no news */
    struct cpuset gpus_out, gpus_lost; /* as in the node; with boot_id alone */
    struct strv gpu_notes;
    uint64_t tmp_mib;    /* size of the file system of /tmp; 0 unknown */
    uint32_t news;       /* enum node_news, from LOST on: what is to be kept of this; NONE: nothing */
    char *news_text;     /* of it: why it was lost, which GPUs */
    struct wall t_heard; /* of a node that does not answer: when it did last; not set: not known */
};
#define EV_NODE_FIELDS(F, G, S)                                                                              \
    F(S, STR, node) F(S, U32, state) F(S, STR, boot_id) F(S, STR, arch) F(S, STR, os) F(S, STR, version)     \
    F(S, U32, cpus) F(S, U32, gpus) F(S, U64, mem_mib) F(S, STR, gpu_type) F(S, STRV, notes)                 \
    F(S, WALL, t_boot) F(S, WALL, t_agent) F(S, STR, trouble) F(S, CPUSET, gpus_out)                         \
    F(S, CPUSET, gpus_lost) F(S, STRV, gpu_notes) F(S, U64, tmp_mib) F(S, U32, news) F(S, STR, news_text)    \
    F(S, WALL, t_heard)

struct ev_drain { /* an admin's word about a node */
    char *node;
    bool drain;
    char *reason, *user;
};
#define EV_DRAIN_FIELDS(F, G, S) F(S, STR, node) F(S, BOOL, drain) F(S, STR, reason) F(S, STR, user)

struct ev_note {              /* an admin's note about a node, for all users to read */
    char *node, *text, *user; /* text NULL: it goes */
};
#define EV_NOTE_FIELDS(F, G, S) F(S, STR, node) F(S, STR, text) F(S, STR, user)

struct ev_avoid { /* whose jobs a node is not to get for now: all there are */
    char *node;
    REC_LIST(struct node_avoid) rows;
};
#define EV_AVOID_FIELDS(F, G, S) F(S, STR, node) G(S, LISTOF, rows, node_avoid)

struct ev_unknown { /* which of them a node has: all there are */
    char *node;
    REC_LIST(struct unknown_task) rows; /* of very many only some */
    uint32_t n;
    struct cpuset cpus, gpus; /* that all of them hold together */
    uint64_t mem_mib;
};
#define EV_UNKNOWN_FIELDS(F, G, S)                                                                           \
    F(S, STR, node) G(S, LISTOF, rows, unknown_task) F(S, U32, n) F(S, CPUSET, cpus) F(S, CPUSET, gpus)      \
    F(S, U64, mem_mib)

struct ev_unplace { /* a node has not begun a launch, and that was not the job's fault: the task waits for
                       another place, one over several nodes once its other parts have ended */
    int32_t step;
    uint32_t task, attempt;
};
#define EV_UNPLACE_FIELDS(F, G, S) F(S, I32, step) F(S, U32, task) F(S, U32, attempt)

struct ev_start { /* a batch or interactive job gets its allocation; a batch job's script becomes task 0 of
                     step "batch" */
    uint32_t array_index; /* the element that starts; ARRAY_NONE: the job itself */
    uint32_t new_id;      /* id of the split-off element; 0: the record itself becomes the element */
    char *partition;
    REC_LIST(struct alloc) alloc;
    uint32_t time_limit_s;
    bool borrowed; /* over a soft limit: runs until another job needs the resources */
};
#define EV_START_FIELDS(F, G, S)                                                                             \
    F(S, U32, array_index) F(S, U32, new_id) F(S, STR, partition) G(S, LISTOF, alloc, alloc)                 \
    F(S, U32, time_limit_s) F(S, BOOL, borrowed)

struct ev_split { /* elements leave an array record without starting (cancelled, held ... one by one) */
    uint32_t array_index, new_id;
};
#define EV_SPLIT_FIELDS(F, G, S) F(S, U32, array_index) F(S, U32, new_id)

struct ev_step { /* srun: a step is created, its tasks wait to be placed */
    struct step step;
};
#define EV_STEP_FIELDS(F, G, S) G(S, SUB, step, step)

struct ev_place { /* a waiting task gets its place: LAUNCHING, with the job's next attempt number. Starts a
                     step job */
    int32_t step;
    uint32_t task;
    struct alloc alloc;
    char *partition;             /* step jobs */
    uint32_t time_limit_s;       /* step jobs: the job's, at its first task */
    uint32_t rank_base, n_ranks; /* srun steps: the ranks that run there */
    bool borrowed;               /* step jobs: as ev_start */
    REC_LIST(struct alloc) more; /* step jobs: of the other nodes of a task over several */
};
#define EV_PLACE_FIELDS(F, G, S)                                                                             \
    F(S, I32, step) F(S, U32, task) G(S, SUB, alloc, alloc) F(S, STR, partition) F(S, U32, time_limit_s)     \
    F(S, U32, rank_base) F(S, U32, n_ranks) F(S, BOOL, borrowed) G(S, LISTOF, more, alloc)

struct ev_running { /* the node says: its processes exist */
    int32_t step;
    uint32_t task, attempt, pid;
    struct wall t;
};
#define EV_RUNNING_FIELDS(F, G, S) \
    F(S, I32, step) F(S, U32, task) F(S, U32, attempt) F(S, U32, pid) F(S, WALL, t)

struct ev_end { /* an attempt has ended; its processes are gone */
    int32_t step;
    uint32_t task, attempt;
    uint32_t end_kind; /* enum end_kind */
    REC_LIST(struct rank_end) ranks;
    struct wall t_start, t_end;
    uint64_t peak_rss_kib, cpu_ms;
    char *sampled, *message;
    bool waited_out;   /* its node has ended the ranks that were left: step.wait_s was over */
    struct causes why; /* at most one; message: what the node says */
    struct gpu_use gpu_use;
};
#define EV_END_FIELDS(F, G, S)                                                                               \
    F(S, I32, step) F(S, U32, task) F(S, U32, attempt) F(S, U32, end_kind) G(S, LISTOF, ranks, rank_end)     \
    F(S, WALL, t_start) F(S, WALL, t_end) F(S, U64, peak_rss_kib) F(S, U64, cpu_ms) F(S, STR, sampled)       \
    F(S, STR, message) F(S, BOOL, waited_out) G(S, LISTOF, why, cause) G(S, SUB, gpu_use, gpu_use)

struct ev_kill {       /* a decision that a job, or one step of it, ends. A pending job is over at once */
    int32_t step;      /* STEP_ALL: the job */
    uint32_t cause;    /* enum kill_cause */
    uint32_t uid;      /* who */
    uint32_t grace_s;  /* TERM to KILL */
    uint32_t fate;     /* enum job_fate */
    uint32_t by_job;   /* preemption: for which job; 0: for no particular one */
    char *text;        /* why, in the words of a user or of an earlier release; NULL: none */
    char *user;        /* name of uid; of a preemption the user of by_job; NULL: no user asked */
    struct causes why; /* at most one; none: `cause` says it */
    uint32_t task; /* of a declared step: 1 + the task that ends alone, if it runs; 0: all of the step */
};
#define EV_KILL_FIELDS(F, G, S)                                                                              \
    F(S, I32, step) F(S, U32, cause) F(S, U32, uid) F(S, U32, grace_s) F(S, U32, fate) F(S, U32, by_job)     \
    F(S, STR, text) F(S, STR, user) G(S, LISTOF, why, cause) F(S, U32, task)

struct ev_signal { /* a signal was sent; changes no state, is kept in the job's events */
    int32_t step;
    int32_t signal;
    uint32_t uid;
    uint32_t target; /* enum signal_target of the protocol */
    char *user;      /* name of uid */
};
#define EV_SIGNAL_FIELDS(F, G, S) \
    F(S, I32, step) F(S, I32, signal) F(S, U32, uid) F(S, U32, target) F(S, STR, user)

struct ev_hold {   /* hold or release */
    uint32_t hold; /* enum job_hold; NONE releases */
    uint32_t uid;
    char *user; /* name of uid */
};
#define EV_HOLD_FIELDS(F, G, S) F(S, U32, hold) F(S, U32, uid) F(S, STR, user)

struct ev_requeue { /* an ended job goes back to the queue */
    bool hold;
    uint32_t uid;
    char *user; /* name of uid */
};
#define EV_REQUEUE_FIELDS(F, G, S) F(S, BOOL, hold) F(S, U32, uid) F(S, STR, user)

struct ev_update { /* the request of a job is changed: the whole new request, so that the fold needs no
                      rules */
    struct job_req req;
    uint32_t time_limit_s; /* of a running job; DURATION_NOT_SET: unchanged */
    uint32_t uid;
    char *user; /* name of uid */
};
#define EV_UPDATE_FIELDS(F, G, S) \
    G(S, SUB, req, job_req) F(S, U32, time_limit_s) F(S, U32, uid) F(S, STR, user)

struct ev_complete { /* the terminal of an interactive job is done with it */
    int32_t code, signal;
};
#define EV_COMPLETE_FIELDS(F, G, S) F(S, I32, code) F(S, I32, signal)

struct ev_eligible { /* what kept a waiting job from being looked at is over: its age counts from here */
    bool dep_met;    /* its dependencies are met, and stay so whatever becomes of the other jobs */
};
#define EV_ELIGIBLE_FIELDS(F, G, S) F(S, BOOL, dep_met)

struct ev_suspend { /* a job's processes are stopped, or go on; it keeps what it holds */
    bool on;
    uint32_t uid;
    char *user; /* name of uid */
};
#define EV_SUSPEND_FIELDS(F, G, S) F(S, BOOL, on) F(S, U32, uid) F(S, STR, user)

struct ev_none { /* a body with nothing in it */
    bool unused;
};
#define EV_NONE_FIELDS(F, G, S) F(S, BOOL, unused)

struct ev_preempt { /* others are asked to go so that this job can start: its side of the story */
    uint32_t n_jobs;
    char *text;        /* who, and by which rule, from an earlier release */
    struct causes why; /* one PREEMPTED_JOBS */
};
#define EV_PREEMPT_FIELDS(F, G, S) F(S, U32, n_jobs) F(S, STR, text) G(S, LISTOF, why, cause)

/* X(enum member, name, body record): SUBMIT's body is the whole struct job, CONFIG's a struct
 * cluster_spec.
 *
 * JOB_ROW, JOB_GONE and NODE_ROW are for mirrors and are never stored: they tell what has become of a job
 * or a node, whatever has happened to it. JOB_ROW is the job as it is now, new or known; JOB_GONE: it has
 * left, or is not the follower's any more. NODE_ROW is a node, what it carries included; with `gone` and
 * without jobs it leaves. A row tells the state after the event of its number, which several rows may have.
 */
#define EVENTS(X)                                                                                            \
    X(EPOCH, "epoch", ev_epoch)                                                                              \
    X(CONFIG, "config", cluster_spec)                                                                        \
    X(NODE, "node", ev_node)                                                                                 \
    X(DRAIN, "drain", ev_drain)                                                                              \
    X(SUBMIT, "submit", job)                                                                                 \
    X(START, "start", ev_start)                                                                              \
    X(SPLIT, "split", ev_split)                                                                              \
    X(STEP, "step", ev_step)                                                                                 \
    X(PLACE, "place", ev_place)                                                                              \
    X(RUNNING, "running", ev_running)                                                                        \
    X(END, "end", ev_end)                                                                                    \
    X(KILL, "kill", ev_kill)                                                                                 \
    X(SIGNAL, "signal", ev_signal)                                                                           \
    X(HOLD, "hold", ev_hold)                                                                                 \
    X(REQUEUE, "requeue", ev_requeue)                                                                        \
    X(UPDATE, "update", ev_update)                                                                           \
    X(COMPLETE, "complete", ev_complete)                                                                     \
    X(RETIRE, "retire", ev_none)                                                                             \
    X(ELIGIBLE, "eligible", ev_eligible)                                                                     \
    X(WINDOW, "window", ev_window)                                                                           \
    X(USAGE, "usage", ev_usage) \
    X(PREEMPT, "preempt", ev_preempt)                                                                       \
    X(NOTE, "note", ev_note)                                                                                 \
    X(SUSPEND, "suspend", ev_suspend) \
    X(AVOID, "avoid", ev_avoid) \
    X(UNPLACE, "unplace", ev_unplace) \
    X(UNKNOWN, "unknown", ev_unknown) \
    X(JOB_ROW, "job-row", job) \
    X(JOB_GONE, "job-gone", ev_none) \
    X(NODE_ROW, "node-row", node)

enum event_kind {
#define X(name, text, body) EV_##name,
    EVENTS(X)
#undef X
        EV_N_KINDS
};

struct event {
    uint64_t seq;    /* grows by one, never reused within a cluster's life */
    struct wall t;   /* the controller's clock when it was decided */
    uint32_t kind;   /* enum event_kind */
    uint32_t job;    /* 0: not about a job */
    void *body;      /* the record that event_body_rec(kind) describes */
    uint32_t stored; /* bytes of the body on disk, where it was read from there; else 0 */
};

extern const struct rec_desc ev_epoch_rec, ev_node_rec, ev_drain_rec, ev_note_rec, ev_suspend_rec,
    ev_start_rec, ev_split_rec, ev_step_rec, ev_place_rec, ev_running_rec, ev_end_rec, ev_kill_rec,
    ev_signal_rec, ev_hold_rec, ev_requeue_rec, ev_update_rec, ev_complete_rec, ev_none_rec,
    ev_eligible_rec, ev_preempt_rec, ev_avoid_rec, ev_unplace_rec, ev_unknown_rec;

const struct rec_desc *event_body_rec(enum event_kind kind);
/* A row: it tells what is, not what has happened. */
static inline bool event_is_row(uint32_t kind)
{
    return kind == EV_JOB_ROW || kind == EV_JOB_GONE || kind == EV_NODE_ROW;
}
const char *event_name(enum event_kind kind);
/* Frees the body and sets it to NULL. */
void event_fini(struct event *ev);

#endif
