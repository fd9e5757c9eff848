#include "backend/agent/waiting_shims.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/task_table.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"

#define WAITING_MAX 64
#define LOOK_MS     500 /* a supervisor waits up to twice as long */

struct waiting_shim {
    pid_t pid;
    int fd;
    uint32_t uid;
    bool old; /* it was here at the last check */
    struct launch_key last;
    bool has_dir; /* of that task */
};

struct waiting_shims {
    struct agent *a;
    struct loop_timer timer;
    bool looks;
    unsigned n_killed;
    VEC(struct waiting_shim) all;
};

static void waiting_shim_drop_dir(const struct waiting_shims *w, struct waiting_shim *s)
{
    char name[TASKDIR_NAME_SIZE];
    if (s->has_dir)
        taskdir_remove(w->a->dir.tasks_fd, taskdir_name(&s->last, name));
    s->has_dir = false;
}

static void waiting_shims_drop(struct waiting_shims *w, size_t i)
{
    waiting_shim_drop_dir(w, &w->all.v[i]);
    close(w->all.v[i].fd);
    vec_remove(&w->all, i);
}

static void waiting_shims_look(void *ctx)
{
    struct waiting_shims *w = ctx;
    for (size_t i = w->all.n; i-- > 0;)
        if (w->all.v[i].old)
            waiting_shims_drop(w, i);
        else
            w->all.v[i].old = true;
    w->looks = w->all.n > 0;
    if (w->looks)
        loop_timer_set(w->a->loop, &w->timer, LOOK_MS);
}

unsigned waiting_shims_n_killed(const struct waiting_shims *w)
{
    return w->n_killed;
}

void waiting_shims_keep(struct waiting_shims *w, pid_t pid, int fd, const struct atask *t)
{
    if (w->all.n >= WAITING_MAX || t->n_killed != w->n_killed) {
        close(fd);
        return;
    }
    vec_push(&w->all, (struct waiting_shim){.pid = pid, .fd = fd, .uid = t->uid, .last = t->st.key});
    if (!w->looks)
        loop_timer_set(w->a->loop, &w->timer, LOOK_MS);
    w->looks = true;
}

bool waiting_shims_keep_dir(struct waiting_shims *w, const struct launch_key *key)
{
    vec_for_each (&w->all, i)
        if (launch_key_eq(&w->all.v[i].last, key))
            return w->all.v[i].has_dir = true;
    return false;
}

void waiting_shims_drop_dir(struct waiting_shims *w, const struct launch_key *key)
{
    struct launch_key any_job = *key;
    any_job.nonce = 0;
    vec_for_each (&w->all, i)
        if (launch_key_eq(&w->all.v[i].last, &any_job))
            waiting_shim_drop_dir(w, &w->all.v[i]);
}

int waiting_shims_take(void *ctx, uint32_t uid, const char *task, pid_t *ret_pid, bool *ret_has_dir)
{
    struct waiting_shims *w = ctx;
    size_t best = w->all.n;
    for (size_t i = w->all.n; i-- > 0 && (best == w->all.n || !w->all.v[best].has_dir);)
        if (w->all.v[i].uid == uid && (best == w->all.n || w->all.v[i].has_dir))
            best = i;
    if (best == w->all.n)
        return -1;
    struct waiting_shim s = w->all.v[best];
    vec_remove(&w->all, best);
    *ret_pid = s.pid;
    char kept[TASKDIR_NAME_SIZE];
    *ret_has_dir =
        s.has_dir && task && taskdir_pass_on(w->a->dir.tasks_fd, taskdir_name(&s.last, kept), task) == 0;
    if (!*ret_has_dir)
        waiting_shim_drop_dir(w, &s);
    return s.fd;
}

void waiting_shims_child_ended(struct waiting_shims *w, pid_t pid, int status)
{
    w->n_killed += WIFSIGNALED(status);
    for (size_t i = w->all.n; i-- > 0;)
        if (w->all.v[i].pid == pid || WIFSIGNALED(status))
            waiting_shims_drop(w, i);
}

struct waiting_shims *waiting_shims_new(struct agent *a)
{
    struct waiting_shims *w = xcalloc(1, sizeof *w);
    w->a = a;
    w->timer = (struct loop_timer){.fn = waiting_shims_look, .ctx = w};
    return w;
}

void waiting_shims_free(struct waiting_shims *w)
{
    if (!w)
        return;
    while (w->all.n)
        waiting_shims_drop(w, w->all.n - 1);
    vec_fini(&w->all);
    if (w->looks)
        loop_timer_cancel(w->a->loop, &w->timer);
    free(w);
}
