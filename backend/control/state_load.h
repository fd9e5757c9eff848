/* state_load.h - from the disk into memory, and the takeover by this controller. */
#ifndef STOKER_BACKEND_CONTROL_STATE_LOAD_H
#define STOKER_BACKEND_CONTROL_STATE_LOAD_H

#include "backend/control/core.h"

struct compact;

/* Folds what is on disk into a fresh state. compact: notes which events are superseded; NULL: does not. */
int state_load(struct control *c, struct compact *compact, struct errtext *err)
    __attribute__((warn_unused_result));
/* A new epoch, of this process. */
void state_take_over(struct control *c, bool accept_loss);
/* Nothing is known of nodes until their agents have answered this controller. */
void state_doubt_nodes(struct control *c);
/* All active jobs, and the policy, are looked at again. */
void state_touch_active(struct control *c);
/* 64 random bits, not all of them zero. */
uint64_t random_nonce(void);

#endif
