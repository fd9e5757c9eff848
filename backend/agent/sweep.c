/* sweep.c - the processes of tasks whose shim was killed.
 *
 * They are found in three ways, for each of which a program may have an exit: as orphans that came to the
 * agent, which is a subreaper; by the session, which was the shim's; by the mark in their environment. Only
 * then is the task over, and its end unknown.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "src/base/log.h"
#include "src/base/xalloc.h"

#define SWEEP_MS     50
#define SWEEP_MAX_MS 1000
#define STUCK_ROUNDS 75 /* about a minute */

void sweep_add(struct atask *t)
{
    struct agent *a = t->a;
    log_warn("task=%s its supervisor was lost, killing what it left", t->name);
    list_move_to_end(&a->lost, &t->lost_link);
    loop_timer_set(a->loop, &a->sweep, 0);
}

/* The session of what it left has the shim's number, as long as that has not become a stranger's. */
static bool session_is_its_own(const struct atask *t, const struct proc_list *all)
{
    if (!t->lost_shim || !t->shim_start)
        return false;
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].pid == t->lost_shim)
            return all->v[i].start == t->shim_start;
    return true;
}

static bool is_victim(const struct atask *t, const struct proc *p, bool by_session, const char *mark)
{
    if (p->state == 'Z' || p->pid == getpid() || p->pid == 1)
        return false;
    if (t->shim_start && p->start < t->shim_start)
        return false;
    return (by_session && p->session == t->lost_shim) || proc_has_env(p->pid, mark);
}

static unsigned kill_tree(const struct proc *p)
{
    struct proc_list tree = {0};
    proc_signal(p, SIGSTOP);
    proc_descendants(p->pid, &tree);
    for (size_t i = 0; i < tree.n; i++)
        proc_signal(&tree.v[i], SIGKILL);
    proc_signal(p, SIGKILL);
    unsigned n = (unsigned)tree.n + 1;
    proc_list_fini(&tree);
    return n;
}

/* Children that are neither shims nor helpers have lost their supervisor: every shim leaves only when it
 * has no child. What the fork server has made and not told of yet is none of a task's: nothing has begun.
 */
static unsigned kill_orphans(struct agent *a, const struct proc_list *all)
{
    unsigned n = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct proc *p = &all->v[i];
        if (p->ppid == getpid() && p->state != 'Z' && !gpus_is_child(a, p->pid) &&
            !outfile_is_child(a, p->pid) && p->pid != a->forkserver.pid &&
            !idmap_get(&a->by_pid, (uint64_t)p->pid))
            n += kill_tree(p);
    }
    return n;
}

static void give_up(struct atask *t)
{
    struct launch_end end = {
        .key = t->st.key,
        .end_kind = END_UNKNOWN,
        .t_start = t->st.t_start,
        .t_end = loop_wall(t->a->loop),
        .message = xstrdup("its supervisor was lost; what it left was killed"),
    };
    int fd = openat(t->a->tasks_fd, t->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        if (taskdir_write_end(fd, &end, true) < 0)
            log_error("task=%s cannot write its end", t->name);
        close(fd);
    }
    tasks_ended(t, &end);
}

void sweep_fire(void *ctx)
{
    struct agent *a = ctx;
    struct proc_list all = {0};
    proc_all(&all);
    unsigned orphans = kill_orphans(a, &all);
    list_for_each (t, &a->lost, struct atask, lost_link) {
        char mark[TASKDIR_MARK_SIZE];
        taskdir_mark(&t->st.key, t->cluster ? t->cluster : a->cluster, mark);
        bool by_session = session_is_its_own(t, &all);
        unsigned n = 0;
        for (size_t i = 0; i < all.n; i++)
            if (is_victim(t, &all.v[i], by_session, mark))
                n += kill_tree(&all.v[i]);
        if (!n && !orphans)
            give_up(t);
        else if (++t->lost_rounds == STUCK_ROUNDS) {
            log_error("task=%s %u processes cannot be killed", t->name, n);
            t->st.stuck = true;
            agent_send(a, MSG_TASK_RUNNING, 0, &t->st);
        }
    }
    proc_list_fini(&all);
    if (!list_empty(&a->lost)) {
        const struct atask *first = list_first(&a->lost, struct atask, lost_link);
        loop_timer_set(a->loop, &a->sweep, first->lost_rounds < 10 ? SWEEP_MS : SWEEP_MAX_MS);
    }
}
