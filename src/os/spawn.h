/* spawn.h - other programs are started without a copy of this process, and with clean signals: what a
 * daemon blocks, ignores and catches for its loop does not concern them.
 */
#ifndef STOKER_OS_SPAWN_H
#define STOKER_OS_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define SPAWN_FDS_MAX 4

struct spawn_fd {
    int ours, theirs;
};

struct spawn {
    const char *path; /* one without a slash is looked for in PATH */
    char *const *argv;
    char *const *env; /* NULL: ours */
    /* Put in place in this order. What is not named here is theirs too, unless it closes on exec. */
    struct spawn_fd fds[SPAWN_FDS_MAX];
    size_t n_fds;
    bool session;         /* one of its own */
    bool signals_blocked; /* all of them, till it wants them; else none */
};

/* Replaces spawn_program in a process that may not start programs itself. */
struct spawner {
    int (*spawn)(void *ctx, const struct spawn *s, pid_t *ret); /* NULL: spawn_program */
    void *ctx;
};
int spawner_start(const struct spawner *w, const struct spawn *s, pid_t *ret)
    __attribute__((warn_unused_result));

/* Returns 0 or a negative errno. */
int spawn_program(const struct spawn *s, pid_t *ret) __attribute__((warn_unused_result));

#endif
