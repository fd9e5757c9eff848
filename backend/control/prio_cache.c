#include "backend/control/prio_cache.h"

#include <stdlib.h>

#include "backend/control/emit.h"
#include "backend/control/policy_view.h"

#define FRESH_MS 1000 /* an answer holds this long while nothing happens: usage grows */
#define PAUSE    50   /* times what it cost, before it is made again: that walks over all running jobs */

struct prio_cache {
    struct prio_ctx own;
    struct prio_ctx lent; /* or the planner's, for a moment */
    struct mono at;       /* of own */
    uint64_t seq;
    int64_t cost_ns;
};

static void prio_cache_start(struct control *c)
{
    c->state[MODULE_PRIO] = xcalloc(1, sizeof(struct prio_cache));
}

static void prio_cache_forget(struct control *c)
{
    struct prio_cache *p = c->state[MODULE_PRIO];
    if (p->own.model)
        prio_ctx_fini(&p->own);
}

static void prio_cache_stop(struct control *c)
{
    prio_cache_forget(c);
    free(c->state[MODULE_PRIO]);
}

/* Its tables are as long as those of the configuration that goes. */
static void prio_cache_before(struct control *c, struct emission *e)
{
    if (e->ev->kind == EV_CONFIG)
        prio_cache_forget(c);
}

const struct module_ops prio_cache_module = {.start = prio_cache_start,
                                             .stop = prio_cache_stop,
                                             .before = prio_cache_before,
                                             .reset = prio_cache_forget};

const struct prio_ctx *prio_cache_get(struct control *c)
{
    struct prio_cache *p = c->state[MODULE_PRIO];
    struct mono now = mono_read();
    if (priorities_lend(planner_queue(c->planner), &c->model, loop_wall(c->loop), &p->lent))
        return &p->lent;
    bool same = p->seq == c->model.seq && now.ns < mono_add_ms(p->at, FRESH_MS).ns;
    if (p->own.model && (same || now.ns < p->at.ns + PAUSE * p->cost_ns))
        return &p->own;
    prio_cache_forget(c);
    struct sched_view v = policy_view(c);
    prio_ctx_init(&p->own, v.model, loop_wall(c->loop));
    p->at = mono_read();
    p->cost_ns = p->at.ns - now.ns;
    p->seq = c->model.seq;
    return &p->own;
}
