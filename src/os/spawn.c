/* spawn.c - posix_spawn with clean signals. */
#include "src/os/spawn.h"

#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include "src/os/given_env.h"

int spawn_program(const struct spawn *s, pid_t *ret)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    for (size_t i = 0; i < s->n_fds; i++)
        posix_spawn_file_actions_adddup2(&files, s->fds[i].ours, s->fds[i].theirs);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, s->signals_blocked ? &all : &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                            (s->session ? POSIX_SPAWN_SETSID : 0)));
    int r = posix_spawnp(ret, s->path, &files, &attr, s->argv, s->env ? s->env : given_env());
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return -r;
}

int spawner_start(const struct spawner *w, const struct spawn *s, pid_t *ret)
{
    return w->spawn ? w->spawn(w->ctx, s, ret) : spawn_program(s, ret);
}
