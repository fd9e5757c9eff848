#include "backend/agent/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/containment.h"
#include "backend/agent/controller_id.h"
#include "backend/agent/task_end.h"
#include "src/base/log.h"
#include "src/base/xalloc.h"

#define SWEEP_MS     50
#define SWEEP_MAX_MS 1000
#define STUCK_ROUNDS 75 /* about a minute */

struct sweep {
    struct agent *a;
    struct loop_timer timer;
    bool (*is_helper)(void *ctx, pid_t pid);
    void *ctx;
};

/* The session of what it left has the shim's number, as long as that has not become a stranger's. */
static bool sweep_owns_session(const struct atask *t, const struct proc_list *all)
{
    if (!t->lost_shim || !t->shim_start)
        return false;
    for (size_t i = 0; i < all->n; i++)
        if (all->v[i].pid == t->lost_shim)
            return all->v[i].start == t->shim_start;
    return true;
}

static bool sweep_is_victim(const struct atask *t, const struct proc *p, bool by_session, const char *mark)
{
    if (p->state == 'Z' || p->pid == getpid() || p->pid == 1)
        return false;
    if (t->shim_start && p->start < t->shim_start)
        return false;
    if (by_session && p->session == t->lost_shim)
        return true;
    /* Any user can put any mark into an environment. */
    return proc_has_env(p->pid, mark) && (!t->a->root || !t->gpus_known || proc_real_uid(p->pid) == t->uid);
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

/* Children that are neither shims nor helpers have lost their supervisor: every shim leaves only when it
 * has no child. What the fork server has made and not told of yet is none of a task's: nothing has
 * begun. */
static unsigned sweep_kill_orphans(const struct sweep *sw, const struct proc_list *all)
{
    unsigned n = 0;
    for (size_t i = 0; i < all->n; i++) {
        const struct proc *p = &all->v[i];
        if (p->ppid == getpid() && p->state != 'Z' && !sw->is_helper(sw->ctx, p->pid) &&
            !idmap_get(&sw->a->tasks->by_pid, (uint64_t)p->pid))
            n += sweep_kill_tree(p);
    }
    return n;
}

static void sweep_give_up(struct atask *t)
{
    struct launch_end end = {
        .key = t->st.key,
        .end_kind = END_UNKNOWN,
        .t_start = t->st.t_start,
        .t_end = loop_wall(t->a->loop),
        .message = xstrdup("its supervisor was lost; what it left was killed"),
    };
    int fd = openat(t->a->dir.tasks_fd, t->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        if (taskdir_write_end(fd, &end, true) < 0)
            log_error("task=%s cannot write its end", t->name);
        close(fd);
    }
    task_ended(t, &end);
}

static void sweep_fire(void *ctx)
{
    struct sweep *sw = ctx;
    struct agent *a = sw->a;
    struct list *lost = &a->tasks->lost;
    struct proc_list all = {0};
    proc_all(&all);
    unsigned orphans = sweep_kill_orphans(sw, &all);
    list_for_each (t, lost, struct atask, in_lost) {
        char mark[TASKDIR_MARK_SIZE];
        taskdir_mark(&t->st.key, t->cluster ? t->cluster : a->controller->cluster, mark);
        bool by_session = sweep_owns_session(t, &all);
        unsigned n = 0;
        containment_kill(a->containment, t); /* also what has left its session and its environment */
        for (size_t i = 0; i < all.n; i++)
            if (sweep_is_victim(t, &all.v[i], by_session, mark))
                n += sweep_kill_tree(&all.v[i]);
        if (!n && !orphans)
            sweep_give_up(t);
        else if (++t->lost_rounds == STUCK_ROUNDS) {
            log_error("task=%s %u processes cannot be killed", t->name, n);
            t->st.stuck = true;
            uplink_send(&a->uplink, MSG_TASK_RUNNING, 0, &t->st);
        }
    }
    proc_list_fini(&all);
    if (!list_empty(lost)) {
        const struct atask *first = list_first(lost, struct atask, in_lost);
        loop_timer_set(a->loop, &sw->timer, first->lost_rounds < 10 ? SWEEP_MS : SWEEP_MAX_MS);
    }
}

struct sweep *sweep_new(struct agent *a, bool (*is_helper)(void *ctx, pid_t pid), void *ctx)
{
    struct sweep *sw = xcalloc(1, sizeof *sw);
    *sw =
        (struct sweep){.a = a, .timer = {.fn = sweep_fire, .ctx = sw}, .is_helper = is_helper, .ctx = ctx};
    return sw;
}

void sweep_free(struct sweep *sw)
{
    if (sw)
        loop_timer_cancel(sw->a->loop, &sw->timer);
    free(sw);
}

void sweep_add(struct sweep *sw, struct atask *t)
{
    log_warn("task=%s its supervisor was lost, killing what it left", t->name);
    list_move_to_end(&sw->a->tasks->lost, &t->in_lost);
    loop_timer_set(sw->a->loop, &sw->timer, 0);
}
