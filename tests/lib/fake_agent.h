/* fake_agent.h - in the place of n1's agent: it greets, answers heartbeats, and says what the test makes it
 * say. One at a time, in $STOKER_HOME.
 */
#ifndef STOKER_TESTS_LIB_FAKE_AGENT_H
#define STOKER_TESTS_LIB_FAKE_AGENT_H

#include "src/proto/frame.h"
#include "src/proto/msg.h"

/* Before the controller looks for it. */
void fake_agent_listen(void);
void fake_agent_close(void);
bool fake_agent_is_called(void); /* a controller is connected */
void fake_agent_hang_up(void);
/* A node of 4 CPUs and 4 GPUs with that note about its GPUs; rec_fini. */
void fake_agent_report(struct msg_agent *ret, const char *note);
/* No-op while no controller is connected. */
void fake_agent_say(enum msg_kind kind, uint64_t tag, const void *body);
/* Hears the controller for at most ms; answers heartbeats, and greetings with the last report over this
 * connection. */
void fake_agent_turn(int ms);
/* What it hears besides goes to fn; NULL: nowhere. */
void fake_agent_on_frame(void (*fn)(void *ctx, const struct frame *f), void *ctx);

#endif
