/* spool_quota.h - what the outputs of one user may take of the node's own disk, over all tasks.
 *
 * A task alone is bounded by its shim (spool_max of the policy); some tasks of one user could still fill
 * the disk, which drains the node. Looked at once a second while a task writes here. */
#ifndef STOKER_AGENT_SPOOL_SPOOL_QUOTA_H
#define STOKER_AGENT_SPOOL_SPOOL_QUOTA_H

struct agent;
struct spool_quota;

struct spool_quota *spool_quota_new(struct agent *a) __attribute__((warn_unused_result));
void spool_quota_free(struct spool_quota *q);
/* A task that writes into the spool has begun. */
void spool_quota_begin(struct spool_quota *q);

#endif
