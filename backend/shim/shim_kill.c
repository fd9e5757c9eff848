/* Every process of the task is a descendant of the shim, which is their subreaper: one that has left its
 * group, its session and its parent is still found. Nothing is over before waitpid says that there is no
 * child left.
 */
#include "backend/shim/shim_kill.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/shim/shim_group.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"

#define PAUSE_MIN_MS 10
#define PAUSE_MAX_MS 1000
#define BOMB_ROUNDS \
    3 /* rounds after which the tree is stopped before it is killed: it forks faster than it dies */
#define STOP_PASSES 16

void shim_kill_take_spares(struct shim *s)
{
    for (size_t i = 0; i < SPARE_FDS; i++)
        if (s->spare_fds[i] < 0)
            s->spare_fds[i] = fcntl(s->signal_fd, F_DUPFD_CLOEXEC, 0);
}

static void kill_give_spares(struct shim *s)
{
    for (size_t i = 0; i < SPARE_FDS; i++) {
        if (s->spare_fds[i] >= 0)
            close(s->spare_fds[i]);
        s->spare_fds[i] = -1;
    }
}

void shim_kill_tree(const struct shim *s, struct proc_list *ret)
{
    size_t n = 0;
    proc_descendants(getpid(), ret);
    for (size_t i = 0; i < ret->n; i++)
        if (!s->pmi_pid || (ret->v[i].pid != s->pmi_pid && ret->v[i].ppid != s->pmi_pid))
            ret->v[n++] = ret->v[i];
    ret->n = n;
}

static void kill_signal_tree(const struct proc_list *tree, int signo)
{
    for (size_t i = 0; i < tree->n; i++)
        if (tree->v[i].state != 'Z')
            proc_signal(&tree->v[i], signo);
}

/* A stopped process must run on to act on a signal, unless the signal is about stopping. It is continued
 * first, as in Slurm. */
static bool kill_wants_cont(int signo)
{
    return signo != SIGCONT && signo != SIGSTOP && signo != SIGTSTP && signo != SIGTTIN &&
           signo != SIGTTOU && signo != SIGKILL;
}

/* What is stopped cannot fork: once a pass finds no new process, none escapes. */
static void kill_stop_tree(const struct shim *s, struct proc_list *tree)
{
    size_t before = SIZE_MAX;
    for (int i = 0; i < STOP_PASSES && tree->n != before; i++) {
        before = tree->n;
        kill_signal_tree(tree, SIGSTOP);
        shim_kill_tree(s, tree);
    }
}

void shim_kill_signal(struct shim *s, int signo, enum signal_target target)
{
    if (target == SIGNAL_LEADER) {
        for (size_t i = 0; i < s->n_ranks; i++)
            if (s->ranks[i].running) { /* not waited for yet, so the number is its own */
                if (kill_wants_cont(signo))
                    kill(s->ranks[i].pid, SIGCONT);
                kill(s->ranks[i].pid, signo);
            }
        return;
    }
    struct proc_list tree = {0};
    kill_give_spares(s);
    shim_group_leave_cpus(s);
    shim_kill_tree(s, &tree);
    if (kill_wants_cont(signo))
        kill_signal_tree(&tree, SIGCONT);
    if (signo == SIGSTOP)
        kill_stop_tree(s, &tree);
    else
        kill_signal_tree(&tree, signo);
    proc_list_fini(&tree);
    shim_kill_take_spares(s);
}

void shim_kill_round(struct shim *s)
{
    int64_t now = mono_ms();
    if (!s->first_kill_ms) {
        s->first_kill_ms = now;
        s->kill_pause_ms = PAUSE_MIN_MS;
    }
    kill_give_spares(s);
    shim_group_leave_cpus(s);
    shim_group_kill(s);
    struct proc_list tree = {0};
    shim_kill_tree(s, &tree);
    if (s->kill_pause_ms > PAUSE_MIN_MS << BOMB_ROUNDS)
        kill_stop_tree(s, &tree);
    kill_signal_tree(&tree, SIGKILL);
    proc_list_fini(&tree);
    shim_kill_take_spares(s);
    s->kill_ms = now + s->kill_pause_ms;
    s->kill_pause_ms = s->kill_pause_ms * 2 > PAUSE_MAX_MS ? PAUSE_MAX_MS : s->kill_pause_ms * 2;
}

void shim_kill_terminate(struct shim *s, int64_t grace_ms)
{
    int64_t kill_ms = mono_ms() + grace_ms;
    if (!s->terminating) {
        s->terminating = true;
        if (s->opener)
            kill(s->opener, SIGKILL);
        bool own = s->notice == NOTICE_OWN && s->l.early_signal > 0 && !s->early_sent;
        if (grace_ms > 0 && s->notice != NOTICE_NONE)
            shim_kill_signal(s, own ? s->l.early_signal : SIGTERM,
                             own && s->l.early_signal_leader ? SIGNAL_LEADER : SIGNAL_TREE);
    }
    /* A later request may hurry, never delay. */
    if (kill_ms < s->kill_ms)
        s->kill_ms = kill_ms;
    if (grace_ms <= 0)
        shim_kill_round(s);
}
