/* audit_syslog.h - lines of the audit log for syslog or journald.
 *
 * syslog(3) waits while the receiver is busy; these functions never do. A line waits here until it is on
 * disk, and then until the receiver takes it. If too many wait, the oldest are dropped and counted in the
 * log of the controller: all lines are in the audit log anyway.
 */
#ifndef STOKER_CONTROL_USERS_AUDIT_SYSLOG_H
#define STOKER_CONTROL_USERS_AUDIT_SYSLOG_H

#include "backend/loop/loop.h"
#include "src/proto/audit_line.h"

struct audit_syslog;

/* path: of the datagram socket; NULL: /dev/log. */
struct audit_syslog *audit_syslog_new(struct loop *l, const char *path) __attribute__((warn_unused_result));
void audit_syslog_free(struct audit_syslog *a); /* sends what it can of what is on disk */
/* To be sent when the batch of that ticket is on disk. */
void audit_syslog_add(struct audit_syslog *a, const struct audit_line *l, uint64_t ticket);
void audit_syslog_release(struct audit_syslog *a, uint64_t committed);
/* A commit has failed: what is not on disk will not be. */
void audit_syslog_drop(struct audit_syslog *a);

#endif
