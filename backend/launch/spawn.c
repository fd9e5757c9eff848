/* spawn.c - posix_spawn with clean signals. */
#include "backend/launch/spawn.h"

#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

int spawn_program(const char *path, char *const argv[], int fd, int err_fd, pid_t *ret)
{
    posix_spawnattr_t attr;
    posix_spawn_file_actions_t files;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none); /* ours are blocked for the loop */
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawn_file_actions_init(&files);
    if (err_fd >= 0)
        posix_spawn_file_actions_adddup2(&files, err_fd, 2);
    if (fd >= 0)
        posix_spawn_file_actions_adddup2(&files, fd, 3);
    int r = posix_spawnp(ret, path, &files, &attr, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return -r;
}
