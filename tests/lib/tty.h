/* tty.h - a terminal that libvterm plays, a program on it, and what stands there. What does not come within
 * a minute fails the test. */
#ifndef STOKER_TESTS_LIB_TTY_H
#define STOKER_TESTS_LIB_TTY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>
#include <vterm.h>

#include "src/base/str.h"

struct tty {
    int master;
    pid_t pid;
    VTerm *vt;
    VTermScreen *screen;
    bool alt;     /* the alternate screen is shown */
    bool visible; /* the cursor */
    long bytes;   /* received so far */
    struct termios before;
    struct str text, tail; /* tail: the last bytes as they came */
};

int64_t tty_now_ms(void); /* of a clock that only goes forward */

/* Starts argv on a new one. */
void tty_start(struct tty *t, int rows, int cols, const char *const *argv);
/* Waits for the end of the program. Returns its status. */
int tty_wait(struct tty *t);
void tty_fini(struct tty *t);

void tty_type(struct tty *t, const char *keys);
void tty_resize(struct tty *t, int rows, int cols);

/* Takes what comes within so long. False: the program has ended. */
bool tty_read(struct tty *t, int ms);
/* Takes what has come, also what comes while it reads. */
void tty_read_all(struct tty *t);
/* Waits until the screen shows part. Returns the milliseconds that it took. */
int64_t tty_await(struct tty *t, const char *part);
void tty_await_gone(struct tty *t, const char *part);
/* Waits until these bytes have come: not all that is sent is seen. */
void tty_await_bytes(struct tty *t, const char *bytes);
/* Waits until nothing has come for so long. */
void tty_await_quiet(struct tty *t, int ms);
/* The column, in cells, of part in a row that has row_part; -1: it is not there. */
int tty_column(struct tty *t, const char *row_part, const char *part);
/* The terminal is what it was before the program. */
void tty_must_be_sane(struct tty *t, const char *what);

/* A shell's command; its exit code. */
int tty_run(const char *command);

/* A controller with one node, and stoker-ui on 80x24: *state is its struct tty. */
int tty_set_up(void **state);
int tty_tear_down(void **state);
#define TTY_CASE(f) cmocka_unit_test_setup_teardown(f, tty_set_up, tty_tear_down)

#endif
