/* fakectl.h - a controller that follows a script, for clients: one process, in a directory of the test. */
#ifndef STOKER_TESTS_LIB_FAKECTL_H
#define STOKER_TESTS_LIB_FAKECTL_H

#include <sys/types.h>

#include "src/client/client.h"

enum manner {
    PLAIN,    /* greets, answers, pushes */
    REFUSES,  /* no greeting but a refusal */
    TOO_NEW,  /* a version that is not known yet */
    HANGS_UP, /* closes instead of greeting */
    GARBAGE,  /* bytes that are no message */
    BROKEN,   /* a greeting whose body is wrong */
};

extern char fakectl_home[]; /* $STOKER_HOME */
extern pid_t fakectl_pid;   /* 0: none runs */

/* A group's: the directory is made, and goes with what is in it. */
int fakectl_set_up(void **state);
int fakectl_tear_down(void **state);
/* A test's: ends the controller, empties the directory. */
int fakectl_clean(void **state);

int fakectl_listen(const char *path);
/* One that serves at path, in a process of its own until it is stopped or asked to end. */
void fakectl_start(const char *path, enum manner manner);
void fakectl_stop(void);
/* The same in this process. */
_Noreturn void fakectl_serve(int listener, enum manner manner);

/* Where a client of this test looks for one. Caller frees. */
char *fakectl_socket_path(void);
struct client *fakectl_connect(void);

void fakectl_make_dir(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A file in the directory. */
void fakectl_put(const char *name, const char *text, mode_t mode);

#endif
