/* spawn.h - the controller's helper programs: where they lie, how they are started. */
#ifndef STOKER_BACKEND_LAUNCH_SPAWN_H
#define STOKER_BACKEND_LAUNCH_SPAWN_H

#include <sys/types.h>

/* Starts path without copying this process; signals are as in a fresh process. fd becomes descriptor 3,
 * err_fd standard error; -1: neither. Returns 0 or a negative errno. */
int spawn_program(const char *path, char *const argv[], int fd, int err_fd, pid_t *ret)
    __attribute__((warn_unused_result));

#endif
