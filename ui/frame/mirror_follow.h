/* mirror_follow.h - the connection to the controller, and the mirror of its state: built from a snapshot,
 * kept up by events.
 *
 * As long as nothing but the user's own jobs is shown the mirror has these alone, and is kept up by their
 * rows. When something else is shown everything is asked for; what is shown stays until it is there. Once
 * it has not been needed for a minute the mirror becomes small again. */
#ifndef UI_FRAME_MIRROR_FOLLOW_H
#define UI_FRAME_MIRROR_FOLLOW_H

#include "ui/state/view.h"

/* How the connection is, for the header. */
struct connection {
    bool was_online;
    struct mono lost_at;
    char *why_lost, *connecting; /* NULL: nothing to say */
};

void follow_new(struct ui *ui);
void follow_free(struct ui *ui);
const struct connection *follow_connection(const struct ui *ui);

/* Connected: asks for the state. */
void follow_connected(struct ui *ui, const struct msg_welcome *w);
/* why: what is shown stays and grows stale. */
void follow_lost(struct ui *ui, const char *why);
/* what is shown until there is data. */
void follow_connecting(struct ui *ui, const char *what);

/* Takes in->body's contents; the caller frees it with msg_free. */
void follow_feed(struct ui *ui, const struct incoming *in);
/* The same for a body of MSG_JOBS that answers the GET sent last, as it came. */
void follow_feed_rows(struct ui *ui, const void *p, size_t n);
/* Asks for the state again. */
void follow_resync(struct ui *ui);
/* Asks for all jobs, or for the user's own, where that is what is shown now. */
void follow_fit(struct ui *ui);
/* When follow_fit will have something to do if nothing changes; 0: never. */
struct mono follow_due(const struct ui *ui);
/* Stops taking changes in; or goes on, with a new snapshot where something was missed. */
void follow_freeze(struct ui *ui, bool freeze);

#endif
