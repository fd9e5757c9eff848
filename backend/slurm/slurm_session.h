/* slurm_session.h - a client's connection, as the files that answer it share it: what is sent, and the
 * commands that run for it. */
#ifndef STOKER_BACKEND_SLURM_SLURM_SESSION_H
#define STOKER_BACKEND_SLURM_SLURM_SESSION_H

#include "backend/net/conn.h"
#include "backend/slurm/slurm_command.h"
#include "backend/slurm/slurm_mirror.h"
#include "backend/slurm/slurm_poll.h"
#include "src/base/list.h"

enum slurm_follow { SLURM_FOLLOW_NONE, SLURM_FOLLOW_JOB, SLURM_FOLLOW_OWN, SLURM_FOLLOW_ALL };

/* What all connections share. */
struct slurm_hub {
    struct loop *loop;
    char *dir; /* of Slurm's commands */
    struct strv env;
    struct list sessions, commands; /* commands: that run for them */
    uint64_t last_number;
    void (*changed)(
        void *ctx); /* what has to be read, or whether there is anything to do, may be another */
    void *ctx;
};

struct slurm_session {
    struct list link;
    struct slurm_hub *hub;
    struct slurm_server *server;
    const struct slurm_mirror *mirror;
    struct slurm_poll *poll;
    struct slurm_submits *submits;
    struct slurm_trials *trials;
    struct slurm_history *history;
    struct slurm_asks *asks;
    struct slurm_planner *planner;
    struct slurm_live *live;
    struct slurm_named *named;
    struct slurm_uses *uses;
    struct slurm_probes *probes;
    struct slurm_attaches *attaches;
    struct conn *conn;
    uint64_t number;           /* of this connection: commands that it has asked for outlive it */
    bool greeted, hello_waits; /* hello_waits: with hello_tag, until this user's rights are known */
    uint64_t hello_tag;
    bool missed; /* its queue was full: it is told to ask again once it has read */
    enum slurm_follow follow;
    uint64_t follow_tag;
    uint32_t follow_job;
    struct mono plans_until; /* it shows the plan: all jobs are read until then; ns 0: it does not */
    bool waits;              /* get is to be answered when its rows are known */
    bool has_list;           /* they were young once since it came: only more about them is waited for */
    uint64_t get_tag;
    struct mono get_at; /* when it came */
    struct msg_get get;
    uint32_t watch_job; /* the job that it shows, whose steps are asked for; 0: none */
    struct list reads;  /* reads of outputs that wait for more (slurm_output.h) */
    uint32_t n_reads;
    struct slurm_parked {
        uint32_t kind; /* enum msg_kind; 0: none */
        uint64_t tag;
        void *body;
        struct mono at; /* when it came */
        bool all;       /* the rows of all users are needed */
    } parked;           /* a question that is answered once its rows are known */
};

void slurm_session_send(struct slurm_session *s, enum msg_kind kind, uint64_t tag, const void *body);
void slurm_session_send_encoded(struct slurm_session *s, enum msg_kind kind, uint64_t tag,
                                const struct str *bytes);
/* text: in Slurm's words, or what this engine cannot do. */
void slurm_session_refuse(struct slurm_session *s, uint64_t tag, enum refusal refusal, const char *text);
/* The needs of all clients may be others now. */
void slurm_session_need(struct slurm_session *s);

/* Runs a command of Slurm for the client. fn gets what it has answered; s is NULL where the client has gone
 * by then: the command goes on all the same. arg is fn's. */
typedef void slurm_done_fn(struct slurm_session *s, uint64_t tag, const struct slurm_output *o, void *arg);
void slurm_session_run(struct slurm_session *s, uint64_t tag, const struct strv *argv, slurm_done_fn *fn,
                       void *arg);

/* The same for no client: s is NULL. */
void slurm_hub_run(struct slurm_hub *hub, const struct strv *argv, slurm_done_fn *fn, void *arg);
/* NULL: it has gone. */
struct slurm_session *slurm_hub_find(struct slurm_hub *hub, uint64_t number);
/* Drops the commands that run. */
void slurm_hub_fini(struct slurm_hub *hub);

#endif
