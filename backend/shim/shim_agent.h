/* shim_agent.h - the shim's side of the connection to its agent, whichever agent that is. */
#ifndef STOKER_BACKEND_SHIM_SHIM_AGENT_H
#define STOKER_BACKEND_SHIM_SHIM_AGENT_H

#include "backend/shim/shim_state.h"

void shim_agent_send(struct shim *s, unsigned type, uint64_t tag, const struct rec_desc *d,
                     const void *body);
/* The same, but the message is sent together with the next one. */
void shim_agent_add(struct shim *s, unsigned type, uint64_t tag, const struct rec_desc *d,
                    const void *body);
void shim_agent_flush(struct shim *s);
/* Reads what the agent says; on its end listens for the next one. */
void shim_agent_read(struct shim *s);
/* Acts on what has been read already. */
void shim_agent_take_frames(struct shim *s);
void shim_agent_accept(struct shim *s);
/* That it runs, unless it does not yet: queued, or sent. */
void shim_agent_add_running(struct shim *s);
void shim_agent_tell_running(struct shim *s);

#endif
