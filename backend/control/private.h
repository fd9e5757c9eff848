/* private.h - what the controller's files share. */
#ifndef STOKER_BACKEND_CONTROL_PRIVATE_H
#define STOKER_BACKEND_CONTROL_PRIVATE_H

#include <sys/socket.h>

#include "backend/control/clients/query_cache.h"
#include "backend/control/control.h"
#include "backend/net/conn.h"
#include "backend/net/nodeconn.h"
#include "backend/net/stream_mux.h"
#include "backend/sched/explain/explain.h"
#include "backend/store/store.h"
#include "src/base/vec.h"

/* What is known of one attempt beyond the state: whether this controller has told the node, over the
 * present connection. Lost at a restart and made anew from the agent's report. */
struct flight {
    struct launch_key key;
    bool sent;    /* the node has it, or was sent it */
    bool loading; /* its payload is being read */
    bool kill_sent;
    uint32_t kill_grace_s;                                        /* that was said with it */
    enum kill_cause kill_cause;                                   /* the same */
    enum { MOTION_UNKNOWN, MOTION_GOING, MOTION_STOPPED } motion; /* as the node was told */
    bool absent_once;                                             /* a report did not list it */
    bool stuck;           /* its processes will not die, as the node says */
    int64_t early_for_ms; /* ctl_early_base_ms that the node was told its early signal for; 0: not known */
    int64_t limit_for_ms; /* ... its time limit for */
};

enum follow { FOLLOW_NONE, FOLLOW_STARTING, FOLLOW_ALL, FOLLOW_JOB };

struct compact;

struct script_wait { /* a question whose answer is being read */
    uint64_t tag;
    uint32_t job;
    bool old; /* of the history */
};

struct party { /* a user: what all his connections have in common */
    uint32_t uid;
    uint32_t n_sessions;
    uint32_t n_jobs;  /* in the queue, array records counted once */
    uint32_t n_reads; /* questions about outputs that nodes are to answer */
    struct share share;
    struct list looks;     /* of his sessions, that wait for rows */
    struct list look_link; /* in control.look_parties while there are any */
    struct list asks;      /* questions to the history that wait for the one ... */
    bool reads_history;    /* ... of which a piece is on its way */
    uint64_t n_refused;    /* connections */
    uint64_t slowed_told;  /* of share.n_slowed */
    struct mono told_room, told_slow;
    struct mono log_from; /* the minute that n_logged is of */
    uint32_t n_logged;    /* lines of the log about what he does wrong */
};

struct look {         /* a question for rows, from when it is asked until the last one has been sent */
    struct list link; /* in party.looks while it waits for its turn */
    struct mono asked;
    bool begun;
    struct answer_stamp stamp; /* ... then */
    struct str key;            /* the question, encoded; empty: nobody else can have the answer */
    bool keeping;
    struct answer keep; /* what has been sent so far */
};

struct retirement {
    uint64_t seq; /* of its event */
    uint32_t job;
};

struct late { /* what has changed of the rows that were sent, while more of them are */
    VEC(uint32_t) rows;
    VEC(uint32_t) reasons; /* jobs of which the reason alone changed */
    VEC(struct retirement) retired;
    bool all_reasons; /* too many to name */
    bool spec;        /* the configuration is another one */
};

struct session {
    struct list link; /* in control.sessions */
    struct control *ctl;
    struct conn *conn;
    struct party *party;
    uint32_t uid, gid;
    uint32_t pid;
    bool greeted, admin;
    bool from_node; /* who it is is a node's word */
    char *refused;  /* why it is not welcome; NULL: it is */
    bool given_up;  /* its connection ends with this turn */
    struct mono t_open;
    char *program;
    /* rows being sent, and what is pushed afterwards */
    enum follow follow;
    uint64_t follow_tag;
    uint32_t follow_job;
    struct msg_get get; /* of the snapshot under way */
    bool snapshotting;
    struct look look;
    uint32_t cursor; /* jobs up to this id have been sent */
    struct late late;
    bool resync_told;
    uint64_t util_tag;
    bool watch_util;
    VEC(struct script_wait) scripts;
    uint32_t n_inputs, n_reads;  /* of its relays that are under way */
    uint32_t n_old;              /* of its questions about outputs of old jobs that wait for the history */
    struct history_ask *history; /* its question about the history that is being answered */
};

struct node_link { /* the controller's side of one node */
    struct list link;
    struct control *ctl;
    struct nodeconn *conn;
    struct loop_timer again; /* a second report before an absence counts */
    struct loop_timer lost;  /* node_timeout after it went down */
    struct loop_timer lease; /* the next lease there that is over while it is down */
    VEC(uint32_t) jobs_wait; /* jobs with something to say there, once it has taken what is queued */
    bool reconciled;
    bool facts_due;                /* its settings have changed: what it finds counts anew */
    struct wall t_policy;          /* of its last report */
    bool warned;                   /* that it speaks of what is not its own */
    struct calls calls;            /* of clients there */
    char *client_socket, *bin_dir; /* as its agent says; NULL: none */
    bool leaving;                  /* not configured any more: goes with what it carries */
    uint64_t left_gate; /* one more than what must be on disk before it goes; 0: it carries something */
};

struct relay {   /* a request of a client that an agent answers */
    uint64_t id; /* tag towards the agent */
    struct session *session;
    uint64_t tag; /* of the client */
    struct node_link *node;
    bool input;
};

struct control {
    struct loop *loop;
    struct store *store;
    struct model model;
    char *state_dir, *run_dir, *log_dir, *socket_path, *host, *home;
    uint64_t incarnation; /* of this process */
    uint32_t ids_noted;   /* beyond which the file lineage is written again; 0: not yet written */
    uint64_t
        epoch_gate; /* this controller's epoch is on disk when this is committed; 0: none is on its way */
    bool everyone;  /* may connect */
    control_conf_fn reload;
    void *reload_ctx;
    int listen_fd;
    struct loop_fd listen_watch, store_watch;
    struct loop_timer listen_again, sweep;
    uint32_t n_sessions;
    struct list sessions, nodes;
    struct linkproc *links;    /* NULL: no node is reached over SSH */
    struct idmap flights;      /* job << 32 | attempt -> struct flight */
    struct idmap timers;       /* job -> struct job_timer */
    struct idmap record_sizes; /* job -> of its record, as req_step.c has it */
    struct idmap owners;       /* job -> struct session: the terminals of interactive jobs */
    struct idmap orphaned;     /* job -> struct orphan: their terminal was lost */
    struct idmap relays;       /* id -> struct relay */
    uint64_t next_relay;
    struct mailer *mailer;
    struct idmap pmi;       /* job << 32 | step -> struct pmi_step */
    size_t pmi_bytes;       /* that they hold */
    struct idmap histories; /* id -> struct history_ask */
    uint64_t next_history;
    struct compact *compact; /* while the log is read at the start */
    struct payload_cache *payloads;
    struct user_cache *users;
    VEC(uint32_t) touched;
    bool sched_dirty;
    struct planner *planner;
    struct answers *answers; /* rows that were sent a moment ago */
    struct idmap parties;    /* uid + 1 -> struct party */
    struct share_pool share_pool;
    struct mono told_room;
    struct list look_parties; /* those of whose sessions some wait for rows */
    size_t n_looks;
    struct loop_timer look_timer;
    struct loop_timer forecast;
    struct loop_timer queue_order; /* slices of it, after questions */
    int64_t forecast_cost_ms;      /* of the last one */
    struct limits *limits;         /* follow each event; the planner's own follow each pass */
    struct dep_index deps;         /* who waits for whom */
    struct dep_list gate_look;     /* waiting jobs whose gates may have opened in this turn */
    struct loop_timer gate_timer;
    bool gates_due;           /* look at what the clock opens */
    struct idmap past;        /* jobs that have left the state: how they ended (history_deps.c) */
    struct idmap questions;   /* to the history about them: id -> struct question */
    struct idmap old_outputs; /* id -> struct old_output */
    struct list parked;       /* submissions that wait for the answers */
    size_t parked_bytes;
    struct prio_ctx prio;      /* of prio_at, for who asks: ctl_prio */
    struct prio_ctx lent_prio; /* or the planner's, for a moment */
    struct mono prio_at;
    uint64_t prio_seq;
    int64_t prio_cost_ns;
    uint64_t n_tasks; /* of step jobs, at most; where they have been counted */
    bool tasks_counted;
    VEC(uint32_t) fresh;    /* submitted since the last pass: their reasons are news */
    struct loop_timer wake; /* the policy's next */
    struct loop_timer retire;
    struct mono trim_at;       /* not before: the history is looked through for what is too old */
    struct loop_timer orphans; /* interactive jobs whose terminal is gone */
    struct loop_timer probe;   /* read-only: try again */
    struct loop_timer avoid;   /* the first of what nodes avoid is over */
    char *read_only;           /* why nothing is accepted; NULL: all is well */
    bool stopping, stop_kills, stop_told;
    struct session *stopper; /* that asked for it last; NULL: it has gone */
    uint64_t stop_tag;
    struct loop_timer stop_timer;
    struct mono stop_since; /* of stop_kills */
    struct wall t_start;
    struct msg_stats stats;
    uint64_t pass_us; /* of the pass under way: what its slices have taken */
};

/* --- emit.c: the only way into the state --- */

/* Makes an event, folds it, collects it for the disk, pushes it to followers and marks the job as touched.
 * Takes what body owns (body itself is the caller's). Returns the fold's error: then nothing was stored. */
int ctl_emit(struct control *c, enum event_kind kind, uint32_t job, void *body);
uint64_t ctl_gate(const struct control *c);
void ctl_touch(struct control *c, uint32_t job);
/* A test's way to end the process at a named point: STOKER_CRASH=name:count. */
void crash_point(const char *name);

/* --- unknown_tasks.c: tasks that a node runs and no job here has --- */

/* One of a report, into the event about all of them. */
void ctl_add_unknown(struct control *c, struct ev_unknown *all, const struct launch_status *st);
/* The report is over: takes *all. New ones drain the node. */
void ctl_take_unknown(struct control *c, struct ev_unknown *all);
void ctl_unknown_runs(struct control *c, const char *node, const struct launch_status *st);
/* False where that cannot be noted now: it is to be said again. */
bool ctl_unknown_ended(struct control *c, const char *node, const struct launch_key *key);

/* --- eligibility_watch.c: dependencies, deadlines, windows --- */

/* From the state as it is: at the start, after a reset. */
void ctl_build_gates(struct control *c);
void ctl_free_gates(struct control *c);
/* After an event was folded. */
void ctl_note_gates(struct control *c, const struct event *ev);
/* A job of that user has another name now. */
void ctl_note_renamed(struct control *c, uint32_t uid, const char *old_name);
/* At the end of a turn: turns what has opened, died or ended into events. looks: so many jobs have been
 * looked at in this turn. Returns whether some are left for the next one. */
bool ctl_open_gates(struct control *c, uint32_t *looks) __attribute__((warn_unused_result));

/* --- history_deps.c: dependencies on jobs that have left the state --- */

/* A job is about to leave it. */
void past_note(struct control *c, const struct job *j);
/* Whether the submission must wait for the history to say how a job ended that it depends on: then *m was
 * taken, and comes back to req_submit. */
bool past_must_wait(struct session *s, uint64_t tag, struct msg_submit *m);
/* The same of a change: then a copy of *m comes back to req_update. */
bool past_update_must_wait(struct session *s, uint64_t tag, const struct msg_update *m);
/* Checks the dependencies of a job that comes in or is changed, and takes out of req->dependency what is
 * met by jobs that have left the state. REFUSAL_DEPENDENCY with a text where one is not known, or the text
 * cannot be read. self: its own id, 0 where it has none yet. */
enum refusal past_settle(struct control *c, struct job_req *req, uint32_t self, struct errtext *text);
/* An answer of the history that was asked for here; false: it is somebody else's. */
bool past_answer(struct control *c, const struct history_piece *p);
void past_drop_session(struct session *s);
void past_free(struct control *c);

/* --- req_window.c --- */

void req_window(struct session *s, uint64_t tag, struct msg_window_set *m);

/* --- iteration.c --- */

void ctl_turn(void *ctx);
void ctl_on_commit(void *ctx, uint64_t gate, int r, const char *text);
struct sched_view ctl_view(struct control *c);
/* The newest pass speaks of partitions by names that the state owns: before they go, it must. */
void ctl_forget_pass(struct control *c);

/* --- forecast_slices.c --- */

/* A slice of the order of a long queue that a question has begun. */
void ctl_order_queue(void *ctx);
/* A slice of the forecast that is under way, or a new one. */
void ctl_forecast(void *ctx);
/* Something has changed: one soon. */
void ctl_want_forecast(struct control *c);
void req_plan(struct session *s, uint64_t tag, struct msg_plan_get *m);

/* --- control.c --- */

/* 64 random bits, not all of them zero. */
uint64_t ctl_random(void);

/* A batch could not be written: tell whoever waits, go back to what is on disk. */
void ctl_go_read_only(struct control *c, const char *why);

/* --- job_actions.c: what the state asks for --- */

void ctl_act_on_job(struct control *c, struct job *j);
/* A node has taken what was queued for it. */
void ctl_on_drain(void *arg, struct nodeconn *conn);
struct flight *ctl_flight(struct control *c, const struct job *j, const struct step *s,
                          const struct task *t);
/* The name of a task's launch. */
struct launch_key ctl_key(const struct job *j, const struct step *s, const struct task *t);
void ctl_drop_flight(struct control *c, uint32_t job, uint32_t attempt);
void ctl_forget_sent(struct control *c, const char *node);
void ctl_payload_ready(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n);
void ctl_ask_payload(struct control *c, uint32_t job, int32_t step);
/* After an event that may have ended steps: what they ran is deleted, environments hold tokens. */
void ctl_wipe_payloads(struct control *c, enum event_kind kind, uint32_t job, int32_t step);
/* Where the payload of a step lies: that of an array's elements is the array's, but for srun's. */
uint32_t ctl_payload_job(const struct job *j, int32_t step);

/* --- time_limit.c: how long a job may run --- */

/* The timer that ends it at its limit: as the job is now. No-op when it is set so. */
void ctl_set_timer(struct control *c, const struct job *j);
void ctl_drop_timer(struct control *c, uint32_t job);
/* For how long this run of it has run, suspensions not counted. */
int64_t ctl_ran_ms(const struct control *c, const struct job *j);
/* Does the step get the signal that its job asked for before the limit? */
bool ctl_signals_early(const struct job *j, const struct step *s);
/* When the job's limit is over as the state has it: what its early signal is counted back from. INT64_MAX
 * where it has none, or stands still. */
int64_t ctl_early_base_ms(const struct job *j);
/* Tells the node of a task when its early signal is due. No-op when it was told so, or there is none. */
void ctl_tell_early(struct control *c, const struct job *j, const struct step *s, const struct task *t,
                    struct flight *f);
/* Tells the node of a task when the time limit that it keeps is over, where it was told otherwise. */
void ctl_tell_limit(struct control *c, const struct job *j, const struct task *t, struct flight *f);
/* In how many seconds the node ends what runs of the job where no controller is there to do it. */
uint32_t ctl_backstop_s(const struct control *c, const struct job *j);

/* --- stuck_nodes.c: processes that will not die, disks that are full --- */

/* What a node says of a task that f stands for: may drain it. */
void ctl_note_stuck(struct control *c, const char *node, const struct launch_status *st, struct flight *f);
/* After an end there, or a report: a drain of ours is lifted where its cause is gone. */
void ctl_stuck_over(struct control *c, const char *node);
/* What a node says of the room on its disk. */
void ctl_note_spool(struct control *c, const char *node, bool full);

/* --- node_avoid.c: launches that fail for no fault of the job --- */

/* Before the end of such a launch: its job goes back to the queue with that end, and the node is avoided.
 * True: its task waits for another place, and the end is none. */
bool ctl_spare_job(struct control *c, const char *node, const struct launch_end *end);
/* The node may be tried again by all users: an administrator's word, or another agent. */
void ctl_avoid_over(struct control *c, const char *node);
/* Timer, and at the start: whose time is over. */
void ctl_avoid_look(void *ctx);

/* --- lineage.c --- */

uint64_t ctl_cluster_hash(const struct control *c);
bool ctl_has_lineage(const char *state_dir);
/* Opens the store. -ENOENT where there was a state, and is none any more; others as store_open_as. */
int ctl_open_state(struct control *c, const struct store_callbacks *cb, bool accept_loss,
                   struct errtext *err) __attribute__((warn_unused_result));
/* What has been loaded at the start: is it this cluster's, and all that was committed? accept_loss: less is
 * enough. */
int ctl_check_loaded(struct control *c, bool accept_loss, struct errtext *err)
    __attribute__((warn_unused_result));
/* Where what has been loaded is an older copy, or has lost something: the epoch and the id that have not
 * been yet. */
void ctl_follow_lineage(const struct control *c, bool accept_loss, struct ev_epoch *body);
/* Which cluster it is, how far its epochs and ids have come. */
void ctl_note_lineage(struct control *c);

/* --- launch_spec.c --- */

/* What the node is told to run. False where the payload, or the environment of its step job (in the cache
 * under STEP_ALL), cannot be read. ret: rec_fini(&launch_rec, ret). */
/* output_order.c: the task of the same step that was placed before t and writes to the same file, or NULL:
 * that task truncates the file, t appends. stream: 1 or 2. */
const struct task *ctl_opened_before(struct control *c, const struct job *j, const struct step *s,
                                     const struct task *t, int stream);
/* t must not be launched yet: such a task has not opened the file. */
bool ctl_waits_for_opener(struct control *c, const struct job *j, const struct step *s,
                          const struct task *t);
bool ctl_build_launch(struct control *c, const struct job *j, const struct step *s, const struct task *t,
                      const uint8_t *payload, size_t n, struct launch *ret);
/* The line about its end for a task's standard error, as Slurm words it. NULL: none. Caller frees. */
char *ctl_kill_note(struct control *c, const struct job *j, const struct step *s, const struct task *t);

/* --- node_reports.c: as struct nodeconn_ops has them; arg is the struct node_link --- */

void ctl_take_report(void *arg, struct nodeconn *conn, struct msg_agent *m);
int ctl_take_node_msg(void *arg, struct nodeconn *conn, enum msg_kind kind, uint64_t tag, void *body);

/* --- node_peers.c --- */

void ctl_connect_nodes(struct control *c);
void ctl_free_nodes(struct control *c);
struct node_link *ctl_node(struct control *c, const char *name); /* or NULL */
/* One that is carried on for its jobs alone takes no words of administrators any more. */
bool ctl_is_configured(const struct control *c, const char *name);
void ctl_set_node_state(struct control *c, const char *node, enum node_state state);
int64_t ctl_beat_ms(void); /* between heartbeats */
/* At the end of a turn: nodes that have left the configuration and carry nothing any more. */
void ctl_drop_left_nodes(struct control *c);
void ctl_update_util_watch(struct control *c);
void ctl_stop_agents(struct control *c);
/* It ends as soon as it can. While it waits for jobs that are to end first, nodes are looked after as ever.
 */
static inline bool ctl_only_stops(const struct control *c)
{
    return c->stopping && !c->stop_kills;
}

/* --- user_quota.c: users, and what is theirs together --- */

struct party *ctl_party(struct control *c, uint32_t uid); /* made where there is none */
bool ctl_is_admin(struct control *c, uint32_t uid);
/* How much it may ask for: when somebody comes, and after a change of the configuration or of groups. */
void ctl_rate_party(struct control *c, struct party *p);
/* Each one's jobs in the queue, from the state as it is; ctl_emit keeps them. */
void ctl_count_jobs(struct control *c);
/* How many one who is no administrator may have there. */
uint32_t ctl_jobs_most(const struct control *c);
/* Whether one more connection of his is let in; appends why not. */
bool ctl_has_room(struct control *c, struct party *p, bool admin, struct str *why);
/* Whether a line of the log about what he does wrong is one of those that there may be in a minute; says
 * once in it that more are left out. */
bool ctl_may_log(struct control *c, struct party *p);
void ctl_sweep_parties(struct control *c);
void ctl_tell_parties(struct control *c, struct msg_stats *m);
void ctl_free_parties(struct control *c);

/* --- sessions.c --- */

/* A client whose stream is fd (taken). from_node: cred is what a node says. refused (taken): what it is
 * told instead of a welcome; NULL: it is let in. */
void ctl_let_in(struct control *c, int fd, const struct ucred *cred, bool from_node, char *refused);
int ctl_listen(struct control *c, struct errtext *err) __attribute__((warn_unused_result));
void ctl_free_sessions(struct control *c);
void session_reply(struct session *s, uint64_t tag, enum refusal refusal, uint32_t job, uint32_t count,
                   const char *fmt, ...) __attribute__((format(printf, 6, 7)));
void session_send(struct session *s, enum msg_kind kind, uint64_t tag, const void *body);
void session_send_encoded(struct session *s, enum msg_kind kind, uint64_t tag, const void *p, size_t n);
void ctl_push_event(struct control *c, const struct event *ev, uint32_t array, const void *encoded,
                    size_t n);
/* Before the event of that number retires j: sessions whose snapshot has its row already. */
void ctl_note_leaving(struct control *c, const struct job *j, uint64_t seq);
void ctl_push_reasons(struct control *c, const struct msg_reasons *rows);
void ctl_push_util(struct control *c, const struct msg_util *u);
/* Names and groups are looked up anew, and who is an administrator. */
void ctl_forget_users(struct control *c);
bool session_owns(const struct session *s, const struct job *j); /* owner or admin */

/* --- requests: each answers by itself --- */

void req_submit(struct session *s, uint64_t tag, struct msg_submit *m);
/* A command as it may be shown on a terminal; NULL for NULL. Caller frees. */
char *ctl_shown_command(const char *s);
/* Whether what a user wrote into a request, or into a step and what it runs, can be taken in: names, texts,
 * counts, sizes. The text says what not. One for all ways in. */
enum refusal ctl_check_request(const struct job_req *r, struct errtext *text);
enum refusal ctl_check_step(const struct step *s, const struct step_payload *p, struct errtext *text);
/* The partitions, nodes and features that a request names must be there. */
enum refusal ctl_check_names(const struct model *m, const struct job_req *r, struct errtext *err);
/* What is kept of them: each partition, node and excluded node once; without a partition that of the job
 * (NULL: it is a new one), else the default of now, whatever the default will be. */
void ctl_settle_names(const struct model *m, struct job_req *r, const char *part);
void req_step_create(struct session *s, uint64_t tag, struct msg_step_create *m);
void req_act(struct session *s, uint64_t tag, const struct msg_act *m);
/* An element that still stands in its array record becomes a job of its own, so that something can be done
 * to it alone. NULL: the record has ended, and its elements with it. To be called when nothing can be
 * refused any more. */
struct job *ctl_split_off(struct control *c, struct job *record, uint32_t index);
/* The job that it would be, to look at: it owns nothing, its id is the record's. */
struct job ctl_as_element(const struct job *record, uint32_t index);
struct job_ids { /* what is done to one of them may free it */
    VEC(uint32_t) ids;
};
/* The job with the array's own id, and its elements that have left the record and have not ended. */
void ctl_add_array(struct control *c, const struct job *array, struct job_ids *ret);
void req_update(struct session *s, uint64_t tag, const struct msg_update *m);
void req_drain(struct session *s, uint64_t tag, const struct msg_drain *m);
void req_note(struct session *s, uint64_t tag, const struct msg_node_note *m);
void req_node_task_end(struct session *s, uint64_t tag, const struct msg_node_task_end *m);
void req_get(struct session *s, uint64_t tag, struct msg_get *m);
/* Parts of rows were asked for, once: they are printed as they come, so none is sent again. */
bool rows_are_parts(const struct msg_get *g);
/* A row out of turn, of a job that leaves. False: it is not of those that were asked for. */
bool rows_send_last(struct session *s, const struct job *j);
/* What has changed during a snapshot is told, or void. */
void late_clear(struct session *s);
void late_fini(struct session *s);
void rows_send_spec(struct session *s);
/* More of the rows that the session has asked for, and the end of the snapshot behind the last: until then,
 * or until its connection is full. */
enum slice { SLICE_MORE, SLICE_FULL, SLICE_LAST };
enum slice rows_slice(struct session *s, struct mono until) __attribute__((warn_unused_result));
/* All of them at once, as another session has got them, and the end. */
void rows_send_kept(struct session *s, const struct answer *a);

/* --- query_queue.c: the line of those who ask for rows --- */

/* The question in s->get is new. */
void look_begin(struct session *s);
/* Its connection has room again. */
void look_continue(struct session *s);
/* A message with rows has been sent to it. */
void look_note(struct session *s, const void *body, size_t n);
/* No-op where there is none under way. */
void look_end(struct session *s);
/* At the end of a turn: as much as its share of time allows. */
void ctl_serve_looks(struct control *c);
void ctl_look_on(void *ctx); /* timer: there is another turn for those who are left */
void req_why(struct session *s, uint64_t tag, const struct msg_job *m);
void req_waits(struct session *s, uint64_t tag, const struct msg_waits_get *m);
void req_script(struct session *s, uint64_t tag, const struct msg_job *m);
void req_complete(struct session *s, uint64_t tag, const struct msg_complete *m);
void req_own(struct session *s, uint64_t tag, const struct msg_job *m);
void req_output(struct session *s, uint64_t tag, struct msg_output_read *m);
void req_input(struct session *s, uint64_t tag, struct msg_input *m);
void req_stats(struct session *s, uint64_t tag);
void req_prio(struct session *s, uint64_t tag, const struct msg_prio *m);
void req_shares(struct session *s, uint64_t tag, const struct msg_shares *m);
void req_shutdown(struct session *s, uint64_t tag, const struct msg_flag *m);
/* from: only whom it was asked may answer. */
void ctl_relay_answer(struct control *c, const struct node_link *from, uint64_t id, enum msg_kind kind,
                      const void *body);
void ctl_drop_relays(struct control *c, const struct session *s, const struct node_link *n);
/* An answer of the history that was asked for here; false: it is somebody else's. */
bool ctl_take_old_output(struct control *c, const struct history_piece *p);
void ctl_drop_old_outputs(struct control *c, const struct session *s); /* NULL: all */
void ctl_answer_scripts(struct control *c, uint32_t job, const uint8_t *p, size_t n);
void ctl_answer_old_script(void *ctx, const struct old_script *o);
void ctl_end_orphans(void *ctx);
/* After the controller's start: sessions whose terminal may be away, which are not ended for that. */
void ctl_watch_sessions(struct control *c);
void ctl_try_stop(void *ctx);
void ctl_owner_gone(struct control *c, struct session *s);
void ctl_free_orphans(struct control *c);

/* --- mail.c: users are told --- */

void ctl_mail_init(struct control *c);
void ctl_mail_free(struct control *c);
/* The job was in that state before an event that has just been folded. */
void ctl_mail_change(struct control *c, const struct job *j, enum job_state before);
/* What was to be said did not get onto the disk: it has not happened. */
void ctl_mail_drop(struct control *c);
/* What waited for the disk may be said now. */
void ctl_mail_committed(struct control *c);

/* --- pmi_fences.c: fences of steps on several nodes --- */

/* A task's part of a fence. Once all parts are here each task of the step gets all of them. */
void ctl_pmi_fence(struct control *c, struct msg_pmi *m);
/* After an event that may have ended steps of the job: what is kept for those goes. */
void ctl_pmi_over(struct control *c, uint32_t job);
void ctl_free_pmi(struct control *c);

/* --- req_history.c: jobs that have left the state --- */

void req_history(struct session *s, uint64_t tag, struct msg_history *m);
void ctl_on_history(void *ctx, const struct history_piece *p);
/* There may be room for more of its answer. */
void history_continue(struct session *s);
void ctl_drop_history(struct session *s);
void ctl_free_history(struct control *c);

/* --- req_prio.c: priorities and shares --- */

/* What priorities are made of: as new as can be had without spending the time on it. */
const struct prio_ctx *ctl_prio(struct control *c);
void ctl_forget_prio(struct control *c);

/* --- lost_nodes.c: nodes that are not heard of --- */

void ctl_lost_init(struct node_link *link);
/* It is not up from now on: what is to become of its jobs is decided when its time is over, extra_ms later
 * where it has yet to be called. */
void ctl_lost_count(struct node_link *link, int64_t extra_ms);
void ctl_lost_found(struct node_link *link);
/* What is to become of a job when its node is lost may be another now: nodes that are lost are looked at
 * again. */
void ctl_lost_again(struct control *c);
/* A lease that is shorter than some heartbeats is made as long. */
void ctl_lost_bound(struct cluster_spec *spec);
/* Jobs that hold more nodes than this one, which they have lost, end on all of them. */
void ctl_end_wide_jobs(struct control *c, const char *node);

/* --- node_clients.c --- */

void ctl_init_calls(struct node_link *link);
int ctl_take_call(struct control *c, struct node_link *link, enum msg_kind kind, const void *body)
    __attribute__((warn_unused_result));

/* --- payload_cache.c: what was read or submitted lately --- */

struct payload_cache *payload_cache_new(void);
void payload_cache_free(struct payload_cache *p);
void payload_cache_put(struct payload_cache *p, uint32_t job, int32_t step, const void *data, size_t n);
const uint8_t *payload_cache_get(struct payload_cache *p, uint32_t job, int32_t step, size_t *ret_n);
void payload_cache_drop(struct payload_cache *p, uint32_t job, int32_t step);
/* One question to the store at a time: false where the same is on its way already. */
bool payload_cache_ask(struct payload_cache *p, uint32_t job, int32_t step);
void payload_cache_answer(struct payload_cache *p, uint32_t job, int32_t step);

/* --- user_cache.c: names and groups, looked up once --- */

struct user_cache *user_cache_new(void);
void user_cache_free(struct user_cache *u);
const char *user_name(struct user_cache *u, uint32_t uid); /* the number where there is no name */
/* For an event that is kept: the name, or NULL where there is none. Caller frees. */
char *ctl_user_of(struct control *c, uint32_t uid) __attribute__((warn_unused_result));
const char *group_name(struct user_cache *u, uint32_t gid);
bool user_in_groups(struct user_cache *u, uint32_t uid, const struct strv *groups);
bool user_is_there(const char *name); /* does the name service know him? Not cached: for what admins type */

/* --- retire.c --- */

void ctl_retire(void *ctx);

#endif
