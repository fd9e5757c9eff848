/* time_limit.h - how long a job may run: the timer that ends it, and the signal that it asked for before.
 *
 * The timer is the controller's; the node has a later one for when no controller is there. The signal is
 * the node's, which counts it back from the limit that it was told at the launch. Where the end has moved
 * since (another limit, a suspension) the node is told both again, and at each connection: it may have
 * missed that. */
#ifndef STOKER_BACKEND_CONTROL_NODES_TIME_LIMIT_H
#define STOKER_BACKEND_CONTROL_NODES_TIME_LIMIT_H

#include "backend/control/core.h"

struct attempt_state;

extern const struct module_ops time_limit_module;

/* The timer that ends it at its limit: as the job is now. No-op when it is set so. */
void time_limit_set(struct control *c, const struct job *j);
void time_limit_drop(struct control *c, uint32_t job);
/* For how long this run of it has run, suspensions not counted. */
int64_t time_limit_ran_ms(const struct control *c, const struct job *j);
/* Whether the step gets the signal that its job asked for before the limit. */
bool time_limit_signals_early(const struct job *j, const struct step *s);
/* When the job's limit is over as the state has it: what its early signal is counted back from. INT64_MAX
 * where it has none, or stands still. */
int64_t time_limit_base_ms(const struct job *j);
/* Tells the node of a task when its early signal is due. No-op when it was told so, or there is none. */
void time_limit_tell_early(struct control *c, const struct job *j, const struct step *s,
                           const struct task *t, struct attempt_state *f);
/* Tells the node of a task when the time limit that it keeps is over, where it was told otherwise. */
void time_limit_tell(struct control *c, const struct job *j, const struct task *t, struct attempt_state *f);
/* In how many seconds the node ends what runs of the job where no controller is there to do it. */
uint32_t time_limit_backstop_s(const struct control *c, const struct job *j);

#endif
