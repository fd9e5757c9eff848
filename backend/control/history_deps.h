/* history_deps.h - dependencies on jobs that have left the state.
 *
 *     request --dependency on 12, which has left the state--> parked --history: 12?--> store's thread
 *     resume, with the answer known <-------------------------------------------------+
 *
 * How a retired job ended does not change any more, so an answer is kept. Two short questions say all: is
 * there one that did not succeed, is there one at all. Only after:JOB+MINUTES asks for all of an array, for
 * the last start; what is left of the minutes becomes the request's begin time. A dependency that such a
 * job meets is taken out of the request; one that it rules out stays, and never comes true. */
#ifndef STOKER_BACKEND_CONTROL_HISTORY_DEPS_H
#define STOKER_BACKEND_CONTROL_HISTORY_DEPS_H

#include "backend/control/core.h"
#include "backend/net/byte_budget.h"
#include "src/base/list.h"

extern const struct module_ops history_deps_module;

/* A request that waits for the history; the storage is the caller's. */
struct parked {
    struct list link;
    struct session *session;
    uint64_t tag;
    const char *dependency; /* the caller's, in what it keeps for resume */
    size_t size;            /* bytes that it keeps meanwhile: charged to its user with the connections */
    struct budget_place room;
    uint64_t waits_for;
    /* All is known: goes on where it stopped; then, or where the session has gone instead, release. */
    void (*resume)(struct parked *p);
    void (*release)(struct parked *p);
};

enum history_wait {
    HISTORY_KNOWN,  /* all is known: nothing to wait for */
    HISTORY_PARKED, /* p is resumed later */
    HISTORY_FULL,   /* too much of its user, or of all, waits already */
};

/* Asks the history how the jobs ended that p->dependency names and that have left the state. */
enum history_wait history_deps_wait(struct control *c, struct parked *p)
    __attribute__((warn_unused_result));
/* Checks the dependencies of a job that comes in or is changed, and takes out of req->dependency what is
 * met by jobs that have left the state. self: its own id, 0 where it has none yet. Returns
 * REFUSAL_DEPENDENCY and *why where one is not known, or the text cannot be read. */
enum refusal history_deps_settle(struct control *c, struct job_req *req, uint32_t self, struct cause *why);

#endif
