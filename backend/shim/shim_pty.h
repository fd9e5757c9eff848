/* shim_pty.h - a rank on a terminal of its own, which lives here: SSH sessions, controllers and the
 * terminals of users come and go. */
#ifndef STOKER_BACKEND_SHIM_SHIM_PTY_H
#define STOKER_BACKEND_SHIM_SHIM_PTY_H

#include "backend/shim/shim_state.h"

/* Before any client speaks to the task, if its launch asks for a terminal. */
void shim_pty_start(struct shim *s);
/* Makes it: r reads and writes our end, given gets the rank's as its three standard ones. 0 or -errno. */
int shim_pty_open(struct shim *s, struct rank *r, int given[3]);
/* In the rank: a session of its own on that terminal. NULL, or a text. */
const char *shim_pty_enter(int slave);
/* Whether what it prints is taken now: else the rank waits for the present one. */
bool shim_pty_has_room(const struct shim *s);
int64_t shim_pty_next_ms(const struct shim *s);
void shim_pty_look(struct shim *s);
/* False when there is nothing more now. */
bool shim_pty_read(struct shim *s, struct rank *r);
/* The rank has ended: takes the rest and hangs up. */
void shim_pty_finish(struct shim *s, struct rank *r);
void shim_pty_input(struct shim *s, uint64_t tag, const struct msg_input *m);

#endif
