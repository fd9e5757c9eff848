/* slurm_command.h - runs one of Slurm's commands as the user and collects what it prints.
 *
 * Never blocks. The command gets a clean environment: nothing of SLURM_*, SBATCH_*, SQUEUE_* ... of this
 * process but where Slurm's configuration lies, times as seconds, no translations. A command that takes too
 * long, or prints too much, is killed.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_COMMAND_H
#define STOKER_BACKEND_SLURM_SLURM_COMMAND_H

#include <sys/types.h>

#include "backend/loop/loop.h"
#include "src/base/err.h"
#include "src/base/str.h"

struct slurm_command;

struct slurm_output {
    struct str out;  /* what it printed; valid during the call */
    struct str says; /* what it printed to standard error, without the program's name */
    int exit_code;   /* 0: it has done it; -1: it was killed or could not be started */
    int64_t ms;      /* that it took */
};

typedef void slurm_command_fn(void *ctx, const struct slurm_output *o);

struct slurm_command_spec {
    const char *dir; /* where Slurm's commands lie */
    const struct strv *argv;
    const struct strv *env; /* slurm_clean_env, or that with more in it */
    uint32_t timeout_ms;    /* 0: it may run for as long as it likes */
    int in_fd;              /* its standard input, which stays the caller's; 0: nothing is read */
    const char *begins_in;  /* its working directory; NULL: that of this process */
    /* Gets each piece of output of stream 1 or 2, which is then not collected; NULL: the output is
     * collected. */
    void (*on_bytes)(void *ctx, unsigned stream, const char *p, size_t n);
};

/* Starts it. fn is called once, later, unless the command is dropped. */
struct slurm_command *slurm_command_new(struct loop *l, const struct slurm_command_spec *spec,
                                        slurm_command_fn *fn, void *ctx)
    __attribute__((warn_unused_result));
/* Kills it if it still runs; fn is not called. NULL is fine. */
void slurm_command_free(struct slurm_command *c);

/* spawn_program, which begins in that directory; NULL: in that of this process. For a process of one
 * thread. */
struct spawn;
int slurm_command_spawn(const char *dir, const struct spawn *spawn, pid_t *ret)
    __attribute__((warn_unused_result));

/* The clean environment; the caller frees it. env: what this process has. */
struct strv slurm_clean_env(char *const *env);

#endif
