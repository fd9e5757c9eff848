#include "backend/shim/shim_reap.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/shim/shim_io.h"
#include "backend/shim/shim_kill.h"
#include "backend/shim/shim_rank.h"
#include "src/os/clock.h"

#define LEFTOVER_GRACE_MS 2000

static void rank_ended(struct shim *s, struct rank *r, int status)
{
    if (r->report_fd >= 0)
        shim_rank_read_report(s, r);
    r->running = false;
    s->n_alive--;
    if (!r->bad_start)
        r->end = (struct rank_end){.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                                   .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
    shim_io_pump_finish(s, r);
    if (r->in_fd >= 0) {
        close(r->in_fd);
        r->in_fd = -1;
        shim_io_input_push(s);
    }
    if (s->l.wait_s && s->n_alive && s->wait_ms == INT64_MAX)
        s->wait_ms = mono_ms() + (int64_t)s->l.wait_s * 1000;
    bool failed = s->launch_failed || (s->l.kill_on_bad_exit && (r->end.code || r->end.signal));
    if (failed && s->n_alive && !s->terminating)
        shim_kill_terminate(s, (int64_t)s->l.kill_wait_s * 1000);
}

void shim_reap(struct shim *s)
{
    int status;
    pid_t pid;
    struct rusage u;
    while ((pid = wait4(-1, &status, WNOHANG, &u)) > 0) {
        if ((uint64_t)u.ru_maxrss > s->largest_kib)
            s->largest_kib = (uint64_t)u.ru_maxrss;
        if (pid == s->opener)
            s->opener = 0;
        for (size_t i = 0; i < s->n_ranks; i++)
            if (s->ranks[i].running && s->ranks[i].pid == pid)
                rank_ended(s, &s->ranks[i], status);
    }
    bool none = pid < 0 && errno == ECHILD;
    if (s->phase == SHIM_RUNNING && !s->n_alive) {
        s->end_ms = mono_ms();
        s->t_end = wall_read();
        s->phase = SHIM_LEFTOVERS;
        s->limit_ms = s->early_ms = s->mem_ms = s->spool_ms = INT64_MAX;
        if (!none && !s->first_kill_ms) {
            shim_kill_signal(s, SIGTERM, SIGNAL_TREE);
            int64_t at = s->end_ms + LEFTOVER_GRACE_MS;
            s->terminating = true;
            s->kill_ms = at < s->kill_ms ? at : s->kill_ms;
        }
    }
    if (s->phase == SHIM_LEFTOVERS && none)
        s->phase = SHIM_GONE;
}
