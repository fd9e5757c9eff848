#include "backend/agent/node_usage.h"

#include <stdlib.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/task_table.h"
#include "backend/node/node_gpus.h"
#include "src/base/xalloc.h"

#define USAGE_MS 1000

struct node_usage {
    struct agent *a;
    bool watched;
    struct loop_timer timer;
    struct probe_cpu cpu;
    struct mono measured_at;
};

static void usage_add_task(struct msg_util *u, struct atask *t, int64_t ms)
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

static void usage_report(void *ctx)
{
    struct node_usage *nu = ctx;
    struct agent *a = nu->a;
    if (!a->uplink.wire)
        node_usage_watch(nu, false);
    if (!nu->watched)
        return;
    struct mono now = mono_read();
    int64_t ms = (now.ns - nu->measured_at.ns) / NS_PER_MS;
    nu->measured_at = now;
    struct msg_util u = {.node = xstrdup(a->cfg.node), .t = wall_read(), .load1 = probe_load1()};
    u.cpu_permille = probe_cpu_permille(&nu->cpu);
    probe_memory(&u.mem_used_mib, &u.mem_mib);
    node_gpus_usage(a->gpus, &u);
    list_for_each (t, &a->tasks->all, struct atask, in_table)
        if (!t->end && t->shim)
            usage_add_task(&u, t, ms);
    uplink_send(&a->uplink, MSG_UTIL, 0, &u);
    rec_fini(&msg_util_rec, &u);
    loop_timer_set(a->loop, &nu->timer, USAGE_MS);
}

void node_usage_watch(struct node_usage *nu, bool on)
{
    struct agent *a = nu->a;
    if (on == nu->watched)
        return;
    nu->watched = on;
    node_gpus_watch(a->gpus, on);
    if (!on) {
        loop_timer_cancel(a->loop, &nu->timer);
        return;
    }
    /* The first look only sets the marks that the next ones are measured from. */
    nu->cpu = (struct probe_cpu){0};
    probe_cpu_permille(&nu->cpu);
    nu->measured_at = mono_read();
    list_for_each (t, &a->tasks->all, struct atask, in_table)
        t->cpu_ticks = 0;
    loop_timer_set(a->loop, &nu->timer, USAGE_MS / 4);
}

struct node_usage *node_usage_new(struct agent *a)
{
    struct node_usage *nu = xcalloc(1, sizeof *nu);
    nu->a = a;
    nu->timer = (struct loop_timer){.fn = usage_report, .ctx = nu};
    return nu;
}

void node_usage_free(struct node_usage *nu)
{
    if (nu)
        node_usage_watch(nu, false);
    free(nu);
}
