/* client_private.h - what the files of this folder share. */
#ifndef STOKER_CLIENT_CLIENT_PRIVATE_H
#define STOKER_CLIENT_CLIENT_PRIVATE_H

#include "src/client/client.h"

/* Starts the controller that p describes and connects to it; returns the socket or a negative error with a
 * text. flags: CLIENT_UP waits for as long as the controller lives and says what it does, others for half a
 * minute. */
int client_start_controller(const struct paths *p, unsigned flags, struct errtext *err)
    __attribute__((warn_unused_result));

/* Waits for a message of that tag, keeping all others for client_next. Returns 1 or a negative error. */
int client_wait_tag(struct client *c, uint64_t tag, struct incoming *ret, struct errtext *err)
    __attribute__((warn_unused_result));

/* Feeds m with the answers to a GET up to its SNAPSHOT. */
int mirror_fetch_rest(struct client *c, uint64_t tag, struct model *m, struct errtext *err)
    __attribute__((warn_unused_result));
/* A row that cannot be read was left out. */
void client_say_unreadable(const struct errtext *err);
/* Is it a job at all? -EBADMSG where it is not. */
int mirror_check_row(const struct job *row, struct errtext *err) __attribute__((warn_unused_result));

#endif
