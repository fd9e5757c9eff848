/* util.c - how busy the node and each task are, once a second while somebody watches; nothing is measured
 * otherwise. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "src/base/xalloc.h"

#define UTIL_MS      1000
#define GPU_EVERY    3 /* seconds from the end of one nvidia-smi to the next: it is slow and not free */
#define GPU_TEXT_MAX 65536

extern char **environ;

/* --- GPUs, by a helper process that is never waited for --- */

static void gpu_over(struct agent *a)
{
    if (a->gpu_out.fd >= 0) {
        loop_unwatch(a->loop, &a->gpu_out);
        close(a->gpu_out.fd);
        a->gpu_out.fd = -1;
        rec_fini(&msg_util_rec, &a->gpu_util);
        probe_gpu_parse(a->gpu_text.s, &a->gpu_util);
        str_clear(&a->gpu_text);
    }
}

static void on_gpu_out(void *ctx, unsigned ready)
{
    (void)ready;
    struct agent *a = ctx;
    char buf[4096];
    ssize_t n = read(a->gpu_out.fd, buf, sizeof buf);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n > 0 && a->gpu_text.len < GPU_TEXT_MAX)
        str_append_n(&a->gpu_text, buf, (size_t)n);
    else
        gpu_over(a);
}

static void gpu_ask(struct agent *a)
{
    if (!a->probe.gpus || a->gpu_pid || a->gpu_pause-- > 0)
        return;
    a->gpu_pause = GPU_EVERY;
    int p[2];
    if (pipe2(p, O_CLOEXEC) < 0)
        return;
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_adddup2(&fa, p[1], 1);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int r = posix_spawnp(&a->gpu_pid, probe_gpu_command[0], &fa, &attr, probe_gpu_command, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&fa);
    close(p[1]);
    if (r) {
        a->gpu_pid = 0;
        a->gpu_pause = 60;
        close(p[0]);
        return;
    }
    fcntl(p[0], F_SETFL, O_NONBLOCK);
    a->gpu_out = (struct loop_fd){.fd = p[0], .fn = on_gpu_out, .ctx = a};
    loop_watch(a->loop, &a->gpu_out, LOOP_READ);
}

bool util_child_ended(struct agent *a, pid_t pid)
{
    if (!a->gpu_pid || pid != a->gpu_pid)
        return false;
    a->gpu_pid = 0;
    return true;
}

/* --- tasks --- */

static void add_task(struct msg_util *u, struct atask *t, int64_t ms)
{
    struct proc_list tree = {0};
    proc_descendants(t->shim, &tree);
    struct task_util *row = rec_list_push(&u->tasks);
    row->key = t->st.key;
    row->procs = (uint32_t)tree.n;
    uint64_t ticks = 0;
    for (size_t i = 0; i < tree.n; i++) {
        ticks += tree.v[i].cpu_ticks;
        row->rss_kib += tree.v[i].rss_kib;
    }
    proc_list_fini(&tree);
    row->cpu_ms = ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
    /* Processes that have ended take their time with them: the sum may fall. */
    if (t->cpu_ticks && ticks > t->cpu_ticks && ms > 0) {
        uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
        row->cpu_permille = (uint32_t)((ticks - t->cpu_ticks) * 1000000 / hz / (uint64_t)ms);
    }
    t->cpu_ticks = ticks;
}

static void look(void *ctx)
{
    struct agent *a = ctx;
    if (!a->controller)
        a->watch_util = false;
    if (!a->watch_util)
        return;
    struct mono now = mono_read();
    int64_t ms = (now.ns - a->util_at.ns) / NS_PER_MS;
    a->util_at = now;
    struct msg_util u = {.node = xstrdup(a->cfg.node), .t = wall_read(), .load1 = probe_load1()};
    u.cpu_permille = probe_cpu_permille(&a->cpu);
    probe_memory(&u.mem_used_mib, &u.mem_mib);
    for (size_t i = 0; i < a->gpu_util.gpus.n; i++)
        *rec_list_push(&u.gpus) = a->gpu_util.gpus.v[i];
    list_for_each (t, &a->tasks, struct atask, link)
        if (!t->end && t->shim)
            add_task(&u, t, ms);
    agent_send(a, MSG_UTIL, 0, &u);
    rec_fini(&msg_util_rec, &u);
    gpu_ask(a);
    loop_timer_set(a->loop, &a->util_timer, UTIL_MS);
}

void util_watch(struct agent *a, bool on)
{
    if (on == a->watch_util)
        return;
    a->watch_util = on;
    a->util_timer = (struct loop_timer){.node = a->util_timer.node, .fn = look, .ctx = a};
    if (!on) {
        loop_timer_cancel(a->loop, &a->util_timer);
        return;
    }
    /* The first look only sets the marks that the next ones are measured from. */
    a->cpu = (struct probe_cpu){0};
    probe_cpu_permille(&a->cpu);
    a->util_at = mono_read();
    list_for_each (t, &a->tasks, struct atask, link)
        t->cpu_ticks = 0;
    loop_timer_set(a->loop, &a->util_timer, UTIL_MS / 4);
}
