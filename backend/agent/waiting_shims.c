#include "backend/agent/waiting_shims.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"

#define WAITING_MAX 64
#define LOOK_MS     500 /* a supervisor waits up to twice as long */

struct waiting_shim {
    pid_t pid;
    int fd;
    uint32_t uid;
    bool old; /* it was here at the last check */
};

struct waiting_shims {
    struct agent *a;
    struct loop_timer timer;
    bool looks;
    unsigned n_killed;
    VEC(struct waiting_shim) all;
};

static void waiting_shims_drop(struct waiting_shims *w, size_t i)
{
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

void waiting_shims_keep(struct waiting_shims *w, pid_t pid, uint32_t uid, int fd, unsigned n_killed)
{
    if (w->all.n >= WAITING_MAX || n_killed != w->n_killed) {
        close(fd);
        return;
    }
    vec_push(&w->all, (struct waiting_shim){.pid = pid, .fd = fd, .uid = uid});
    if (!w->looks)
        loop_timer_set(w->a->loop, &w->timer, LOOK_MS);
    w->looks = true;
}

int waiting_shims_take(void *ctx, uint32_t uid, pid_t *ret_pid)
{
    struct waiting_shims *w = ctx;
    for (size_t i = w->all.n; i-- > 0;)
        if (w->all.v[i].uid == uid) {
            int fd = w->all.v[i].fd;
            *ret_pid = w->all.v[i].pid;
            vec_remove(&w->all, i);
            return fd;
        }
    return -1;
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
