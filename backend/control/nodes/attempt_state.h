/* attempt_state.h - what is known of an attempt beyond the state: what its node was told.
 *
 * Over the present connection; lost at a restart and made again from the agent's report. */
#ifndef STOKER_BACKEND_CONTROL_NODES_ATTEMPT_STATE_H
#define STOKER_BACKEND_CONTROL_NODES_ATTEMPT_STATE_H

#include "backend/control/core.h"

struct attempt_state {
    struct launch_key key;
    int64_t clock_ms; /* what the wall clock was ahead of the monotonic clock by when this was made */
    bool sent;        /* the node has it, or was sent it */
    bool loading;     /* its payload is being read */
    bool kill_sent;
    uint32_t kill_grace_s;                                        /* that was said with it */
    enum kill_cause kill_cause;                                   /* the same */
    enum { MOTION_UNKNOWN, MOTION_GOING, MOTION_STOPPED } motion; /* as the node was told */
    bool absent_once;                                             /* a report did not list it */
    bool stuck;           /* its processes will not die, as the node says */
    int64_t early_for_ms; /* time_limit_base_ms that the node was told its early signal for; 0: not known */
    int64_t limit_for_ms; /* ... its time limit for */
};

extern const struct module_ops attempt_state_module;

/* The name of a task's launch. */
struct launch_key launch_key_of(const struct job *j, const struct step *s, const struct task *t);
/* Made where there is none. */
struct attempt_state *attempt_state_get(struct control *c, const struct job *j, const struct step *s,
                                        const struct task *t);
struct attempt_state *attempt_state_find(struct control *c, uint32_t job, uint32_t attempt); /* or NULL */
/* By how much the controller's clock was set forward since the attempt was launched; 0: not known. */
int64_t attempt_state_clock_step(struct control *c, uint32_t job, uint32_t attempt);
void attempt_state_drop(struct control *c, uint32_t job, uint32_t attempt);
/* The connection to a node is new: nothing is known to have been sent until its report says so. */
void attempt_state_forget_sent(struct control *c, const char *node);
struct idmap *attempt_states(struct control *c); /* of struct attempt_state */

#endif
