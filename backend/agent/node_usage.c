#include "backend/agent/node_usage.h"

#include <stdlib.h>
#include <unistd.h>

#include "backend/agent/agent_internal.h"
#include "backend/agent/containment.h"
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

/* Of all processes of the task so far: the time of those that have ended is with the processes that waited
 * for them, at last with the shim, where that of its earlier tasks is too. */
static uint64_t usage_ticks(const struct atask *t, const struct proc_list *tree)
{
    struct proc shim;
    uint64_t ticks = proc_read(t->shim, &shim) == 0 ? shim.ended_ticks : 0;
    uint64_t before = t->shim_used_ms * (uint64_t)sysconf(_SC_CLK_TCK) / 1000;
    ticks = ticks > before ? ticks - before : 0;
    for (size_t i = 0; i < tree->n; i++)
        ticks += tree->v[i].cpu_ticks + tree->v[i].ended_ticks;
    return ticks;
}

static bool usage_is_measured(const struct atask *t)
{
    return !t->end && t->shim && t->st.state != LAUNCH_STARTING;
}

/* The first marks, from which the first report is measured. */
static void usage_mark_tasks(struct agent *a)
{
    struct proc_list tree = {0};
    list_for_each (t, &a->tasks->all, struct atask, in_table) {
        if (!usage_is_measured(t))
            continue;
        proc_descendants(t->shim, &tree);
        t->cpu_ticks = usage_ticks(t, &tree);
    }
    proc_list_fini(&tree);
}

static void usage_add_task(struct msg_util *u, struct atask *t, int64_t ms)
{
    struct proc_list tree = {0};
    uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
    proc_descendants(t->shim, &tree);
    struct task_util *row = rec_list_push(&u->tasks);
    row->key = t->st.key;
    row->procs = (uint32_t)tree.n;
    for (size_t i = 0; i < tree.n; i++)
        row->rss_kib += tree.v[i].rss_kib;
    row->mem_kib = containment_memory_kib(t->a->containment, t);
    /* A process that ends while they are read is counted at the next report. */
    uint64_t ticks = usage_ticks(t, &tree), before = t->cpu_ticks;
    t->cpu_ticks = ticks > before ? ticks : before;
    row->cpu_ms = t->cpu_ticks * 1000 / hz;
    if (ms > 0)
        row->cpu_permille = (uint32_t)((t->cpu_ticks - before) * 1000000 / hz / (uint64_t)ms);
    proc_list_fini(&tree);
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
        if (usage_is_measured(t))
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
    usage_mark_tasks(a);
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
