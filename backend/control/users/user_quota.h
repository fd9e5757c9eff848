/* user_quota.h - what all connections and all jobs of one user have in common.
 *
 * How many there may be, their part of each loop iteration, and what has been done for them. A quota is
 * made when its user first comes, and kept: there are as many as the machine has users. */
#ifndef STOKER_CONTROL_USERS_USER_QUOTA_H
#define STOKER_CONTROL_USERS_USER_QUOTA_H

#include "backend/control/core.h"
#include "backend/net/byte_budget.h"
#include "backend/net/fair_queue.h"

extern const struct module_ops user_quota_module;

struct user_quota {
    uint32_t uid;
    uint32_t n_sessions;
    uint32_t n_jobs;          /* in the queue, array records counted once */
    uint32_t n_reads;         /* of outputs, that nodes have yet to answer */
    struct fair_queue queue;  /* of what its connections say */
    struct byte_budget conns; /* memory of its connections that administrate nothing, and of ... */
    size_t parked_bytes;      /* ... its requests that wait for the history */
    struct list queries;      /* its sessions that wait for rows */
    struct list query_link;   /* in the query queue while there are any */
    struct list history_asks; /* history queries that wait for the one ... */
    bool reads_history;       /* ... of which a piece is on its way */
    bool is_admin;
    uint64_t disk_bytes, record_bytes; /* of its jobs: user_budget.h counts them */
    struct mono told_bytes;
    uint64_t n_refused;   /* connections */
    uint64_t slowed_told; /* of queue.n_slowed */
    struct mono told_room, told_slow;
    struct mono log_from; /* the minute that n_logged is of */
    uint32_t n_logged;    /* lines of the log about what this user does wrong */
};

struct user_quota *user_quota_get(struct control *c, uint32_t uid); /* made where there is none */
/* Messages a second: when a session begins, and after a change of the configuration or of groups. */
void user_quota_set_rate(struct control *c, struct user_quota *q);
/* Jobs that a user who is not an administrator may have in the queue. */
uint32_t user_quota_jobs_most(const struct control *c);
/* Whether one more connection is let in; *why tells why not. */
bool user_quota_admits(struct control *c, struct user_quota *q, bool admin, struct cause *why);
void user_quota_join(struct control *c, struct user_quota *q);
void user_quota_leave(struct control *c, struct user_quota *q);
/* Whether a line of the log about what the user does wrong is one of those that there may be in a minute;
 * says once that more are left out. */
bool user_quota_may_log(struct control *c, struct user_quota *q);
/* Each is called for every quota. */
void user_quota_sweep(struct control *c, void (*also)(struct control *c, struct user_quota *q));
void user_quota_clear_bytes(struct control *c);
void user_quota_tell(struct control *c, struct msg_stats *m);
/* What is said from now on is of another batch for the disk. */
void user_quota_next_batch(struct control *c);

#endif
