/* controller_id.h - the controller that this agent obeys: the one with the cluster's uuid and the highest
 * epoch seen, which is remembered on disk, and its incarnation.
 *
 * Two controllers that came to the same epoch independently (a copy of the state, an old machine that comes
 * back) are told apart by the incarnation.
 */
#ifndef STOKER_BACKEND_AGENT_CONTROLLER_ID_H
#define STOKER_BACKEND_AGENT_CONTROLLER_ID_H

#include "src/base/err.h"
#include "src/proto/msg.h"

struct agent;

struct controller_id {
    char cluster[64];
    uint64_t epoch;
    uint64_t incarnation; /* of that epoch; 0: its controller did not tell */
    uint32_t kill_wait_s; /* the controller's, for what the agent has to end itself */
};

/* Reads what the agent's directory remembers. */
void controller_id_load(struct controller_id *c, int dir_fd);
/* Whether the sender of h is the controller to obey; remembers it then. A refusal has a text. */
int controller_id_check(struct agent *a, const struct msg_hello *h, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
