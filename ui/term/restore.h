/* restore.h - the terminal is put back whatever happens: a crash, an abort, TERM, HUP. */
#ifndef UI_TERM_RESTORE_H
#define UI_TERM_RESTORE_H

#include <stddef.h>
#include <termios.h>

/* bytes: what to send to the terminal on fd; saved: its settings before. Kept by copy; one per process. */
void restore_arm(int fd, const char *bytes, size_t n, const struct termios *saved);
/* Puts it back now. Safe in a signal handler. No-op when not armed. */
void restore_now(void);

#endif
