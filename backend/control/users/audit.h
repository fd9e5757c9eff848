/* audit.h - the audit log: who asked for what, and what came of it.
 *
 * A request that may change something is noted when it comes. Its line is added to the batch of the events
 * that it makes, so that no change is on disk without its line. A refused request has a line as well, but a
 * user has only a few of them a minute: others are counted. What the controller does by itself (starts,
 * stops, a configuration read again for a signal) has lines in the name of its own user.
 */
#ifndef STOKER_CONTROL_USERS_AUDIT_H
#define STOKER_CONTROL_USERS_AUDIT_H

#include "backend/control/clients/session.h"
#include "src/proto/audit_line.h"

extern const struct module_ops audit_module;

/* A request is about to be handled; then it has been. Its answer may come later. describe NULL: it changes
 * nothing, no line is written. */
void audit_begin(struct session *s, uint64_t tag, audit_fn *describe, const void *body);
void audit_end(struct session *s);
/* The answer to a request: its line is written, once. */
void audit_answered(struct session *s, uint64_t tag, const struct msg_result *r);

/* What the controller does by itself. object: taken; NULL: nothing to say. */
void audit_own(struct control *c, enum audit_request request, char *take_object);

/* Of describing functions: a job that the request names, at most AUDIT_JOBS_MAX of them. */
void audit_add_job(struct control *c, struct audit_line *l, uint32_t job, uint32_t index);

#endif
