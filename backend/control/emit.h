/* emit.h - the only way into the state. */
#ifndef STOKER_BACKEND_CONTROL_EMIT_H
#define STOKER_BACKEND_CONTROL_EMIT_H

#include "backend/control/core.h"

/* An event on its way, as modules see it before and after it is folded. */
struct emission {
    const struct event *ev;
    const void *bytes; /* its body, encoded */
    size_t n;
    const struct job *job; /* before: as it was; after: as it is; NULL: there is none */
    enum job_state state_before;
    uint32_t elements_before; /* that a waiting array's record stood for; else 1 */
    uint32_t queued_before;   /* jobs in the queue */
    uint32_t uid;             /* of the job; 0: there is none */
    uint32_t array;           /* of the job; 0: none */
    int32_t step;             /* that an end or a kill is about; STEP_ALL: no single one */
    uint32_t element;         /* of an array, which becomes this job of its own; 0: none does */
    bool kept;                /* the event belongs on the disk: the store says so before the fold */
};

/* Makes an event, tells the modules before it is folded, folds it and tells them after it. Takes what body
 * owns (body itself is the caller's). Errors: what the fold answers, -EROFS; then nothing was stored. */
int ctl_emit(struct control *c, enum event_kind kind, uint32_t job, void *body);
/* What follows from the state as it is now may leave the process once this ticket is committed. */
uint64_t ctl_ticket(const struct control *c);
/* The job's actions are derived again at the end of this loop iteration. */
void ctl_touch(struct control *c, uint32_t job);

#endif
