/* node_usage.c - how busy the node and each task are, once a second while somebody watches; nothing is
 * measured otherwise. */
#include <unistd.h>

#include "backend/agent/agent_private.h"
#include "src/base/xalloc.h"

#define UTIL_MS 1000

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
        util_watch(a, false);
    if (!a->watch_util)
        return;
    struct mono now = mono_read();
    int64_t ms = (now.ns - a->util_at.ns) / NS_PER_MS;
    a->util_at = now;
    struct msg_util u = {.node = xstrdup(a->cfg.node), .t = wall_read(), .load1 = probe_load1()};
    u.cpu_permille = probe_cpu_permille(&a->cpu);
    probe_memory(&u.mem_used_mib, &u.mem_mib);
    gpus_util(a, &u);
    list_for_each (t, &a->tasks, struct atask, link)
        if (!t->end && t->shim)
            add_task(&u, t, ms);
    agent_send(a, MSG_UTIL, 0, &u);
    rec_fini(&msg_util_rec, &u);
    loop_timer_set(a->loop, &a->util_timer, UTIL_MS);
}

void util_watch(struct agent *a, bool on)
{
    if (on == a->watch_util)
        return;
    a->watch_util = on;
    gpus_watch(a, on);
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
