/* rights_sweep.c - the processes of a task whose supervisor was killed.
 *
 * They are found in three ways, each of which a program may evade: as orphans that came to this process,
 * which is a subreaper; by the session, which was the supervisor's; by the mark in their environment. What
 * is in the group of the task is killed too.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "backend/rights/rights_internal.h"

/* The session of what it left has the supervisor's number, as long as that has not become a stranger's. */
static bool sweep_owns_session(const struct shim_record *rec, const struct proc_list *all)
{
    if (!rec->pid || !rec->start)
        return false;
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].pid == rec->pid)
            return all->v[i].start == rec->start;
    return true;
}

static bool sweep_is_victim(const struct rights *r, const struct rights_request *q,
                            const struct shim_record *rec, const struct proc *p, bool by_session,
                            const char *mark)
{
    if (p->state == 'Z' || p->pid == getpid() || p->pid == 1)
        return false;
    if (rec->start && p->start < rec->start)
        return false;
    if (by_session && p->session == rec->pid)
        return true;
    /* Any user can put any mark into an environment. */
    return proc_has_env(p->pid, mark) && (!r->root || !q->flag || proc_real_uid(p->pid) == q->uid);
}

static unsigned sweep_kill_tree(const struct proc *p)
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

/* Children that are neither supervisors nor helpers have lost their supervisor: each leaves only when it
 * has no child. What the fork server has made and not told of yet is none of a task's: nothing has
 * begun. */
static unsigned sweep_kill_orphans(const struct rights *r, const struct proc_list *all)
{
    unsigned n = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct proc *p = &all->v[i];
        if (p->ppid == getpid() && p->state != 'Z' && p->pid != r->forkserver.pid &&
            !idmap_get(&r->shims, (uint64_t)p->pid) && !idmap_get(&r->readers, (uint64_t)p->pid) &&
            !r->cfg.is_helper(r->cfg.ctx, p->pid))
            n += sweep_kill_tree(p);
    }
    return n;
}

void rights_sweep(struct rights *r, const struct rights_request *q, struct rights_answer *a)
{
    char mark[TASKDIR_MARK_SIZE], task[TASKDIR_NAME_SIZE];
    struct shim_record rec = {0};
    struct proc_list all = {0};
    int fd = openat(r->dir->tasks_fd, taskdir_name(&q->key, task),
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || taskdir_read_claim(fd, &rec) < 0)
        rec = (struct shim_record){0};
    if (fd >= 0)
        close(fd);
    taskdir_mark(&q->key, q->cluster, mark);
    proc_all(&all);
    a->number = sweep_kill_orphans(r, &all);
    bool by_session = sweep_owns_session(&rec, &all);
    for (size_t i = 0; i < all.n; i++)
        if (sweep_is_victim(r, q, &rec, &all.v[i], by_session, mark))
            a->number += sweep_kill_tree(&all.v[i]);
    proc_list_fini(&all);
}
