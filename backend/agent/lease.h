/* lease.h - when the controller was heard last, for tasks that live no longer than that.
 *
 * Heartbeats and launches renew it: PING carries a number and, above it, the number of the newest PONG
 * that the controller has; LAUNCH carries the latter alone. What counts is when that PONG was sent from
 * here: the controller has heard it later, so its clock of the lease starts later than ours, whatever the
 * way between does.
 */
#ifndef STOKER_BACKEND_AGENT_LEASE_H
#define STOKER_BACKEND_AGENT_LEASE_H

#include "backend/agent/task_table.h"

#define LEASE_BEATS 8 /* answers to heartbeats whose time is kept */

struct lease {
    int64_t renewed_ms; /* when the newest answer was sent that the controller has; 0: none yet */
};

/* Of one connection. */
struct heartbeats {
    struct {
        uint32_t seq; /* 0: none */
        int64_t at_ms;
    } v[LEASE_BEATS];
};

/* A heartbeat, before it is answered at now_ms. */
void lease_note_ping(struct heartbeats *h, uint64_t tag, int64_t now_ms);
/* The tag of a heartbeat or launch of the controller: renews the lease of each task in tt. */
void lease_take(struct lease *l, const struct heartbeats *h, uint64_t tag, struct task_table *tt);
/* To its shim: how long it may go on. */
void lease_tell(const struct lease *l, struct atask *t);
/* Whether the controller was heard so lately that a task with that lease may begin at now_ms. */
bool lease_holds(const struct lease *l, uint32_t lease_s, int64_t now_ms);

#endif
