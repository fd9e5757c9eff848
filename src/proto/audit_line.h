/* audit_line.h - who did what: a line of the audit log, as it is stored and as it travels. */
#ifndef STOKER_PROTO_AUDIT_LINE_H
#define STOKER_PROTO_AUDIT_LINE_H

#include "src/record/rec.h"

/* X(enum member, name, what was asked for). Stored by number: new ones go to the END. */
#define AUDIT_REQUESTS(X)                                                  \
    X(NONE, "", "")                                                        \
    X(START, "start", "the controller started")                            \
    X(STOP, "stop", "the controller stopped")                              \
    X(RELOAD, "reload", "the configuration was read again")                \
    X(SHUTDOWN, "shutdown", "the controller was asked to stop")            \
    X(SUBMIT, "submit", "a job was submitted")                             \
    X(STEP, "step", "a step was created (srun)")                           \
    X(CANCEL, "cancel", "jobs or steps were cancelled")                    \
    X(SIGNAL, "signal", "a signal was sent")                               \
    X(HOLD, "hold", "jobs were held")                                      \
    X(RELEASE, "release", "jobs were released")                            \
    X(REQUEUE, "requeue", "jobs were requeued")                            \
    X(REQUEUE_HOLD, "requeue-hold", "jobs were requeued and held")         \
    X(SUSPEND, "suspend", "jobs were suspended")                           \
    X(RESUME, "resume", "suspended jobs were resumed")                     \
    X(NOTIFY, "notify", "a text was written to the output of a job")       \
    X(UPDATE, "update", "a job was changed")                               \
    X(COMPLETE, "complete", "the terminal of an interactive job ended")    \
    X(DRAIN, "drain", "nodes were drained")                                \
    X(UNDRAIN, "undrain", "nodes were resumed")                            \
    X(NOTE, "note", "a note was written about nodes, or removed")          \
    X(END_TASKS, "end-tasks", "unknown tasks on a node were ended")        \
    X(WINDOW, "window", "a reservation or a maintenance window was set")   \
    X(WINDOW_REMOVE, "window-remove", "a reservation or window was removed")

enum audit_request {
#define X(name, text, what) AUDIT_##name,
    AUDIT_REQUESTS(X)
#undef X
        AUDIT_N
};

#define AUDIT_JOBS_MAX 1000u /* listed in a line */
#define AUDIT_TEXT_MAX 240u  /* bytes of the object and of the reason */
#define AUDIT_NO_OWNER UINT32_MAX
#define AUDIT_NO_INDEX UINT32_MAX

struct audit_job { /* a job that a request named */
    uint32_t job;
    uint32_t index; /* of an element; AUDIT_NO_INDEX: the job, or all of the array */
    uint32_t uid;   /* its owner; AUDIT_NO_OWNER: not known */
};
#define AUDIT_JOB_FIELDS(F, G, S) F(S, U32, job) F(S, U32, index) F(S, U32, uid)

struct audit_line {
    struct wall t;
    uint32_t uid;
    char *user;       /* its name then */
    char *node;       /* the request came through that node; NULL: from the controller's machine */
    uint32_t request; /* enum audit_request */
    REC_LIST(struct audit_job) jobs;
    char *object;      /* what it was done to beside jobs, and how; at most AUDIT_TEXT_MAX bytes */
    uint32_t count;    /* things changed */
    uint32_t refusal;  /* enum refusal; NONE: done. With a count: done in part */
    char *why;         /* it was refused */
    uint32_t left_out; /* refused requests of the user before this one that have no line */
};
#define AUDIT_LINE_FIELDS(F, G, S)                                                                          \
    F(S, WALL, t) F(S, U32, uid) F(S, STR, user) F(S, STR, node) F(S, U32, request)                         \
    G(S, LISTOF, jobs, audit_job) F(S, STR, object) F(S, U32, count) F(S, U32, refusal) F(S, STR, why)      \
    F(S, U32, left_out)

struct msg_audit {            /* C->S: lines of the audit log, the oldest first, answered by AUDIT_LINES */
    uint64_t after;           /* place of the last answer; 0: from the beginning */
    struct wall since, until; /* unset: any */
    struct strv users, nodes, requests; /* names; node "local": no node. Empty: any */
    uint32_t job;                       /* 0: any */
    bool refused;                       /* refused requests alone */
};
#define MSG_AUDIT_FIELDS(F, G, S)                                                                     \
    F(S, U64, after) F(S, WALL, since) F(S, WALL, until) F(S, STRV, users) F(S, STRV, nodes)          \
    F(S, STRV, requests) F(S, U32, job) F(S, BOOL, refused)

struct msg_audit_lines {
    REC_LIST(struct audit_line) rows;
    uint64_t after; /* ask again with this */
    bool more;      /* there may be more now */
};
#define MSG_AUDIT_LINES_FIELDS(F, G, S) G(S, LISTOF, rows, audit_line) F(S, U64, after) F(S, BOOL, more)

extern const struct rec_desc audit_job_rec, audit_line_rec, msg_audit_rec, msg_audit_lines_rec;

const char *audit_request_name(uint32_t request); /* "?" for one that is not known here */

/* Whose lines a client may see: an administrator all, a user those of their own requests and those about
 * their own jobs. */
struct audit_reader {
    uint32_t uid;
    bool admin;
};
bool audit_may_see(const struct audit_reader *who, const struct audit_line *l);
/* Whether a question means a line. */
bool audit_is_wanted(const struct msg_audit *q, const struct audit_line *l);

/* One line of text without a newline, for the system's log: key=value, texts in quotes, control characters
 * as \xHH. */
void audit_format(struct str *out, const struct audit_line *l);

#endif
