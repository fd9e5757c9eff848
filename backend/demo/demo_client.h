/* demo_client.h - a made-up client: it greets, asks, and is told what came of it.
 */
#ifndef STOKER_BACKEND_DEMO_DEMO_CLIENT_H
#define STOKER_BACKEND_DEMO_DEMO_CLIENT_H

#include "backend/loop/loop.h"
#include "src/proto/msg.h"

struct demo_client;

/* The answer to the request of that tag. */
typedef void (*demo_client_fn)(void *ctx, uint64_t tag, const struct msg_result *r);

/* Takes fd (non-blocking). */
struct demo_client *demo_client_new(struct loop *l, int fd, demo_client_fn fn, void *ctx);
void demo_client_free(struct demo_client *c);
/* Returns the tag of its answer; 0: the connection is over. */
uint64_t demo_client_send(struct demo_client *c, enum msg_kind kind, const void *body);

#endif
