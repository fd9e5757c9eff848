/* connector.h - connects to the controller in a thread: to find, start and greet it may take seconds. */
#ifndef UI_APP_CONNECTOR_H
#define UI_APP_CONNECTOR_H

#include "src/client/client.h"

struct connector;

struct connector *connector_new(void) __attribute__((warn_unused_result));
/* Begins an attempt; no-op while one runs. flags: CLIENT_*. */
void connector_start(struct connector *k, unsigned flags);
/* Becomes readable when an attempt has ended. */
int connector_fd(const struct connector *k);
/* The result of the attempt that has ended: 1 with a connection, which the caller owns; 0: none has ended;
 * or a negative error. */
int connector_take(struct connector *k, struct client **ret, struct errtext *err);

#endif
