/* user_budget.h - the bytes that the jobs of one user take: of memory and of the disk.
 *
 *     memory   the records of the user's jobs in the state, with their steps and tasks: user_records
 *     disk     the events of these jobs, and what they run: scripts, arguments, environments: user_disk
 *
 * This is the only place where both are charged, with the event or the payload that is stored, and given
 * back, when the job leaves the state or its step has ended. Beyond a limit what adds to either is refused;
 * jobs can be cancelled always. What the connections of a user take is counted in user_quota.conns. */
#ifndef STOKER_CONTROL_USERS_USER_BUDGET_H
#define STOKER_CONTROL_USERS_USER_BUDGET_H

#include "backend/control/users/user_quota.h"

extern const struct module_ops user_budget_module;

/* An event that is on disk is about to be folded again: n bytes of its body are there. */
void user_budget_note_stored(struct control *c, uint32_t job, size_t n);
/* What a step runs was stored (n bytes), or deleted before its job leaves. */
void user_budget_add_payload(struct control *c, uint32_t job, int32_t step, size_t n);
void user_budget_drop_payload(struct control *c, uint32_t job, int32_t step);
/* Whether the user may add nothing to the state; *why names the limit, the use and the cure. */
bool user_budget_is_spent(const struct control *c, const struct user_quota *q, struct cause *why);
/* Tells the log of users beyond four fifths of a limit, each once a minute. Called now and then. */
void user_budget_warn(struct control *c, struct user_quota *q);

#endif
