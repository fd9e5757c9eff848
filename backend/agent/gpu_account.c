#include "backend/agent/gpu_account.h"

#include <stdlib.h>

#include "backend/agent/agent_internal.h"
#include "backend/node/gpu_sample.h"
#include "backend/node/node_gpus.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/proto/msg.h"

#define GAP_MS 60000 /* after a longer gap a sample says nothing about the time before it */

struct gpu_account {
    struct mono last;         /* the previous sample, or the task's start */
    uint64_t ms, busy_ms_pct; /* of all its GPUs; busy: percent times milliseconds */
    uint64_t seen, worked;    /* GPUs by number: measured at all; found busy */
    uint64_t peak_mib;
};

void gpu_account_open(struct atask *t)
{
    if (t->gpu_account || cpuset_is_empty(&t->st.gpus))
        return;
    t->gpu_account = xcalloc(1, sizeof *t->gpu_account);
    t->gpu_account->last = mono_read();
}

static void gpu_account_add(struct gpu_account *g, const struct cpuset *gpus, const struct msg_util *u,
                            struct mono now)
{
    int64_t ms = (now.ns - g->last.ns) / NS_PER_MS;
    uint64_t used_mib = 0;
    g->last = now;
    if (ms <= 0 || ms > GAP_MS)
        return;
    for (size_t i = 0; i < u->gpus.n; i++) {
        const struct gpu_util *at = &u->gpus.v[i];
        if (at->index >= GPU_DEVICES_MAX || !cpuset_has(gpus, at->index))
            continue;
        g->ms += (uint64_t)ms;
        g->busy_ms_pct += (uint64_t)ms * at->busy_pct;
        g->seen |= UINT64_C(1) << at->index;
        g->worked |= (uint64_t)(at->busy_pct >= GPU_IDLE_PERCENT) << at->index;
        used_mib += at->mem_used_mib;
    }
    g->peak_mib = used_mib > g->peak_mib ? used_mib : g->peak_mib;
}

void gpu_account_sample(struct agent *a)
{
    struct msg_util u = {0};
    struct mono now = mono_read();
    node_gpus_usage(a->gpus, &u);
    list_for_each (t, &a->tasks->all, struct atask, in_table) {
        if (t->end)
            continue;
        gpu_account_open(t); /* a task that an earlier agent has started */
        if (t->gpu_account)
            gpu_account_add(t->gpu_account, &t->st.gpus, &u, now);
    }
    rec_fini(&msg_util_rec, &u);
}

void gpu_account_close(struct atask *t, struct gpu_use *ret)
{
    const struct gpu_account *g = t->gpu_account;
    *ret = (struct gpu_use){0};
    if (g && g->ms)
        *ret = (struct gpu_use){
            .measured_s = (uint32_t)((g->ms + 999) / 1000),
            .permille = (uint32_t)(g->busy_ms_pct * 10 / g->ms),
            .peak_mib = g->peak_mib < UINT32_MAX ? (uint32_t)g->peak_mib : UINT32_MAX,
            .unused = (uint32_t)__builtin_popcountll(g->seen & ~g->worked),
        };
    free(t->gpu_account);
    t->gpu_account = NULL;
}
