/* session.h - a client's connection, as the modules that answer it share it. */
#ifndef STOKER_BACKEND_CONTROL_CLIENTS_SESSION_H
#define STOKER_BACKEND_CONTROL_CLIENTS_SESSION_H

#include "backend/control/clients/query_cache.h"
#include "backend/control/core.h"
#include "backend/control/users/user_quota.h"
#include "backend/net/conn.h"

enum follow {
    FOLLOW_NONE,
    FOLLOW_STARTING,
    FOLLOW_ALL,
    FOLLOW_JOB,
    FOLLOW_OWN,
    FOLLOW_MASKED /* all jobs, of other users' only what they hold: rows instead of events */
};

struct row_query {    /* for rows, from when it is asked until the last one has been sent */
    struct list link; /* in user_quota.queries while it waits for its turn */
    struct mono asked;
    bool begun;
    struct query_stamp stamp; /* ... then */
    struct str key;           /* the question, encoded; empty: its answer is of no use to other clients */
    bool keeping;
    struct query_answer keep; /* what has been sent so far */
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
    struct list link;
    struct control *ctl;
    struct conn *conn;
    struct user_quota *quota;
    uint32_t uid, gid;
    uint32_t pid;
    bool greeted, admin;
    char *node;           /* its identity is what this node says; NULL: the kernel's word */
    struct cause refused; /* why it is not welcome; CAUSE_NONE: it is */
    uint32_t n_causes;    /* codes of causes that the client knows */
    bool given_up;        /* its connection ends with this loop iteration */
    struct mono t_open;
    char *program;
    /* rows being sent, and what is pushed afterwards */
    enum follow follow;
    uint64_t follow_tag;
    uint32_t follow_job;
    struct msg_get get; /* of the snapshot under way */
    bool snapshotting;
    struct row_query query;
    uint32_t cursor; /* jobs up to this id have been sent */
    struct late late;
    bool resync_told;
    uint32_t n_inputs, n_reads;   /* of its relays that are under way */
    uint32_t n_old;               /* of its questions about outputs of old jobs that wait for the history */
    struct history_ask *history;  /* its question about the history that is being answered */
    struct list audits;           /* of struct audit_note: requests without an answer so far */
    struct audit_note *audit_now; /* of those: the one that is being handled; NULL */
};

typedef void request_fn(struct session *s, uint64_t tag, void *body);
struct audit_line;
/* Says in *l what is asked for (backend/control/users/audit.h); AUDIT_NONE: it changes nothing. */
typedef void audit_fn(struct control *c, const void *body, struct audit_line *l);

struct request_kind { /* a kind of message that clients send */
    request_fn *handle;
    bool changes;         /* the state: not while that cannot be written */
    enum admin_act admin; /* for administrators only; NONE: for all */
    audit_fn *audit;      /* of what has a line in the audit log */
    /* Whether this one adds nothing to the state, and ends what takes room in it: it is done also where
     * memory, the disk or the user's share of them is short. NULL: none does. */
    bool (*frees)(const void *body);
};

void session_done(struct session *s, uint64_t tag, uint32_t job, uint32_t count);
/* Takes what *why owns. */
void session_refuse(struct session *s, uint64_t tag, enum refusal refusal, uint32_t job, struct cause *why);
/* Any RESULT. Takes what *r owns. */
void session_answer(struct session *s, uint64_t tag, struct msg_result *r);
void session_send(struct session *s, enum msg_kind kind, uint64_t tag, const void *body);
void session_send_encoded(struct session *s, enum msg_kind kind, uint64_t tag, const void *p, size_t n);
/* Pushes an event to a client that follows. False if the client, or its user over all of its clients, has
 * too much left to read. */
bool session_push(struct session *s, enum msg_kind kind, const struct str *body);
bool session_owns(const struct session *s, const struct job *j); /* owner or administrator */
/* The job that a request names, array element or not; NULL: answered. */
struct job *session_find_job(struct session *s, uint64_t tag, const struct job_target *t);

#endif
