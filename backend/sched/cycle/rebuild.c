/* rebuild.c - the queue is read from the beginning: after a change of the configuration, new nodes, or a
 * clock that was set back. With 100,000 waiting jobs that takes a fifth of a second, so callers with an
 * event loop have it done in pieces (planner_prepare).
 *
 *     the old queue is set aside    it still says why jobs wait, and is freed in pieces at the end
 *     nodes, partitions, windows    from then on admission can be answered
 *     jobs, by their ids            events are noted meanwhile, and read after that
 *     shares                        of the active jobs and of usage
 *     classes                       which shapes fit, as the first cycle would find out
 */
#include <stdlib.h>
#include <string.h>

#include "backend/sched/cycle/cycle_internal.h"

#define COST_ROOM      2 /* memory is touched for the first time */
#define COST_NODE      4
#define COST_JOB       10
#define COST_GROUP     20
#define COST_FREE      1 /* of what is there no more */
#define NODES_PER_UNIT 4 /* looked at for a shape, or put in a partition */

enum read_stage {
    READ_ROOM,
    READ_NODES,
    READ_PARTS,
    READ_WINDOWS,
    READ_IDS,
    READ_JOBS,
    READ_SHARES, /* a cycle does the rest itself if the rebuild is not in pieces */
    READ_GROUPS,
    READ_DONE
};
/* --- what is there now --- */

static void rebuild_sort_ids(struct planner *p)
{
    size_t n = p->rebuild.ids.n;
    if (!n)
        return;
    uint32_t *v = p->rebuild.ids.v, *w = xmalloc(n * sizeof *w);
    for (unsigned shift = 0; shift < 33; shift += 11) { /* by 11 bits each time */
        size_t at[2048] = {0}, sum = 0;
        for (size_t i = 0; i < n; i++)
            at[v[i] >> shift & 2047]++;
        for (size_t i = 0; i < 2048; i++) {
            size_t here = at[i];
            at[i] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++)
            w[at[v[i] >> shift & 2047]++] = v[i];
        uint32_t *swap = v;
        v = w;
        w = swap;
    }
    if (v != p->rebuild.ids.v) { /* an odd number of times */
        memcpy(p->rebuild.ids.v, v, n * sizeof *v);
        free(v);
    } else {
        free(w);
    }
}

/* The maps grow at once, while they are empty. */
static void rebuild_list_ids(struct planner *p)
{
    const struct model *m = p->queue.view->model;
    idmap_reserve(&p->queue.entries.by_job, m->n_pending);
    idmap_reserve(&p->queue.active.by_job, m->n_active);
    limits_reserve(p->queue.limits, (size_t)m->n_pending + m->n_active);
    idmap_for_each (&m->jobs, slot)
        vec_push(&p->rebuild.ids, (uint32_t)slot->id);
    rebuild_sort_ids(p);
}

/* Finds out before the cycle whether a shape fits now, or ever. A class with an end of its own may be
 * shorter. Returns how many searches it took. */
static unsigned rebuild_try_shape(struct planner *p, const struct job_class *g, struct request_shape *s)
{
    if (s->unsure || g->own || g->ends || g->deadline != WHEN_NEVER) {
        s->unsure = true;
        s->unfit = false;
        return 0;
    }
    if (s->unfit)
        return 0;
    struct pool_parts parts = {.v = VEC_INIT};
    s->unfit = !pool_place(&p->queue.pool, &s->demand, &s->set->nodes, p->queue.now.ms, s->len_min, &parts);
    s->unfit_mark = plan_slots_freed_mark(&p->queue.slots);
    s->unsure = !s->unfit;
    vec_fini(&parts.v);
    if (s->ever == EVER_UNKNOWN && pool_fits_easily(&p->queue.empty, &s->demand, &s->set->nodes))
        s->ever = EVER_YES;
    return 1;
}

/* Returns what it cost. */
static uint64_t rebuild_look_at_group(struct planner *p, struct job_class *g)
{
    const struct pending_entry *u = list_first(&g->entries, struct pending_entry, in_class);
    uint64_t cost = 0;
    for (uint32_t e = 0; e < g->n_tiers; e++)
        job_class_priority(&p->queue, g, e, u->job, u->submit_ms);
    for (uint32_t i = 0; i < g->n_choices; i++) {
        cost += rebuild_try_shape(p, g, g->shapes[i]);
        if (p->queue.may_preempt && g->shapes[i]->unfit)
            preempt_shape_is_futile(&p->preempt, g->shapes[i], g->qos);
    }
    return COST_GROUP + cost * p->queue.pool.n_nodes / NODES_PER_UNIT;
}

static bool rebuild_look_at_groups(struct planner *p, uint64_t *n)
{
    while (p->rebuild.at_class != &p->queue.classes.list && *n) {
        struct job_class *g = container_of(p->rebuild.at_class, struct job_class, link);
        p->rebuild.at_class = p->rebuild.at_class->next;
        uint64_t cost = g->n_pending ? rebuild_look_at_group(p, g) : COST_FREE;
        *n -= cost < *n ? cost : *n;
    }
    return p->rebuild.at_class == &p->queue.classes.list;
}

/* Whether both ask for the same for the same time, on whatever nodes. */
static bool rebuild_asks_same(const struct request_shape *now, const struct request_shape *was)
{
    struct pool_who a = now->demand.who, b = was->demand.who;
    return now->key_len == was->key_len && a.user == b.user && a.alone == b.alone &&
           memcmp(now->key, was->key, now->key_len - REQUEST_KEY_OF_QUEUE) == 0;
}

/* The choice of the entry that its promise was made for before the rebuild; NULL: it asks for something
 * else now, or the partition does not admit it any more. */
static const struct plan_choice *rebuild_choice_of(const struct pending_entry *u,
                                                   const struct pending_entry *was)
{
    const struct plan_slot *h = &was->slot;
    const struct job_class *g = u->class, *old = was->class;
    for (uint32_t i = 0; g && old && i < g->n_choices; i++) {
        bool same = g->choices[i].partition == h->partition && job_class_tier_of(g, i) == h->tier_at &&
                    g->tiers[h->tier_at].tier == h->tier;
        for (uint32_t k = 0; same && k < old->n_choices; k++)
            if (old->choices[k].partition == h->partition &&
                rebuild_asks_same(g->shapes[i], old->shapes[k]))
                return &g->choices[i];
    }
    return NULL;
}

/* Its nodes are at the same places, and the choice may use them. */
static bool rebuild_has_nodes(const struct planner *p, const struct queue *old, const struct plan_slot *h,
                              const struct plan_choice *c)
{
    const struct model *m = p->queue.view->model;
    for (uint32_t i = 0; i < h->use.n_parts; i++) {
        uint32_t at = h->use.parts[i].node;
        const char *name = at < m->n_nodes ? m->nodes[at]->spec.name : "";
        uint64_t hash = hash_bytes(name, strlen(name)); /* as queue_find_node, whose view has gone */
        if ((uintptr_t)idmap_get(&old->nodes.node_at, hash) != at + 1 || !nodeset_has(c->set, at))
            return false;
    }
    return true;
}

static void rebuild_carry_promise(struct planner *p, const struct queue *old,
                                  const struct pending_entry *was)
{
    struct plan_slots *b = &p->queue.slots;
    struct pending_entry *u = idmap_get(&p->queue.entries.by_job, was->job);
    const struct plan_slot *h = &was->slot;
    if (!u || u->slot.use.parts || h->by_preemption || !h->promised || h->use.start <= p->queue.now.ms)
        return;
    const struct plan_choice *c = rebuild_choice_of(u, was);
    if (!c || !rebuild_has_nodes(p, old, h, c))
        return;
    plan_slots_copy(b, &u->slot, h, c->own);
    if (h->counts >= b->n_partitions || !plan_slots_is_use_valid(b, &u->slot.use, u->slot.own))
        plan_slots_drop(b, &u->slot);
}

/* A change of the configuration ends no promise that is still possible. A rebuild that began again has left
 * queues behind that were not read to the end, and hold no promises. */
static void rebuild_carry_promises(struct planner *p)
{
    const struct queue *old = p->queue.old;
    while (old && old->reading)
        old = old->old;
    if (!old || !p->queue.slots.opts.keep)
        return;
    list_for_each (h, &old->slots.list, struct plan_slot, link)
        rebuild_carry_promise(p, old, container_of(h, struct pending_entry, slot));
}

void planner_begin_reading(struct planner *p)
{
    uint64_t arrivals = p->queue.slots.arrivals;
    if (p->queue.nodes.gpu_types) {
        forecast_forget(&p->forecast);
        preempt_forget(&p->preempt);
        planner_forget_cycle(p);
        queue_bury(&p->queue);
    }
    p->queue.notes.all = p->queue.notes.nodes = p->queue.notes.windows = false;
    p->queue.reading = true;
    p->rebuild.stage = READ_ROOM;
    p->rebuild.at = 0;
    vec_clear(&p->rebuild.ids);
    queue_frame_begin(&p->queue);
    p->queue.slots.arrivals = arrivals;
    p->first_blocked = xcalloc(p->queue.nodes.n_parts + 1, sizeof *p->first_blocked);
    cycle_row_init(p);
    p->taken = xcalloc((size_t)p->queue.pool.n_nodes + 1, sizeof *p->taken);
}

/* What is read of the old configuration is read again from the beginning. */
void planner_leave_config(struct planner *p, const struct sched_view *v)
{
    planner_note_all(p);
    cycle_goes_on(p, v);
    p->queue.view = v;
    if (p->queue.nodes.gpu_types) /* else it has read nothing yet */
        planner_begin_reading(p);
    planner_note_all(p);
}

bool planner_has_frame(const struct planner *p)
{
    return !p->queue.reading || p->rebuild.stage > READ_WINDOWS;
}

static void rebuild_next_stage(struct planner *p)
{
    p->rebuild.stage++;
    p->rebuild.at = 0;
}

static uint64_t rebuild_read_part(struct planner *p)
{
    if (p->rebuild.at == p->queue.nodes.n_parts) {
        rebuild_next_stage(p);
        return 1;
    }
    uint32_t at = (uint32_t)p->rebuild.at++;
    queue_frame_read_partition(&p->queue, at);
    return p->queue.view->model->spec.parts.v[at].nodes.n / NODES_PER_UNIT + 1;
}

/* Does a stage, or a part of it. */
static void rebuild_read_some(struct planner *p, uint64_t *n)
{
    uint64_t cost = *n;
    switch ((enum read_stage)p->rebuild.stage) {
    case READ_ROOM:
        cost = COST_ROOM;
        if (p->rebuild.at < 2 * (size_t)p->queue.pool.n_nodes)
            queue_frame_init_node(&p->queue, (uint32_t)p->rebuild.at++);
        else
            rebuild_next_stage(p);
        break;
    case READ_NODES:
        cost = COST_NODE;
        if (p->rebuild.at < p->queue.pool.n_nodes)
            queue_frame_read_node(&p->queue, (uint32_t)p->rebuild.at++);
        else
            rebuild_next_stage(p);
        break;
    case READ_PARTS: cost = rebuild_read_part(p); break;
    case READ_WINDOWS:
        planner_sync_windows(p);
        rebuild_next_stage(p);
        break;
    case READ_IDS:
        rebuild_list_ids(p);
        rebuild_next_stage(p);
        break;
    case READ_JOBS:
        cost = COST_JOB;
        if (p->rebuild.at < p->rebuild.ids.n) {
            planner_read_job(p, p->rebuild.ids.v[p->rebuild.at++]);
        } else {
            vec_fini(&p->rebuild.ids);
            rebuild_next_stage(p);
        }
        break;
    case READ_SHARES:
        cost = 0;
        if (!priorities_update_some(&p->queue, n))
            break;
        pool_advance(&p->queue.pool, p->queue.now.ms, OVERDUE_MS);
        p->rebuild.at_class = p->queue.classes.list.next;
        rebuild_next_stage(p);
        break;
    case READ_GROUPS:
        if (rebuild_look_at_groups(p, n))
            rebuild_next_stage(p);
        cost = 0;
        break;
    case READ_DONE: break;
    }
    *n -= cost < *n ? cost : *n;
}

void planner_read_all(struct planner *p)
{
    uint64_t n = UINT64_MAX;
    while (p->rebuild.stage < READ_SHARES) {
        n = UINT64_MAX;
        rebuild_read_some(p, &n);
    }
    priorities_drop_update(&p->queue);
    p->queue.changes.freed_anywhere = p->queue.changes.freed_anywhere || p->rebuild.stage == READ_SHARES;
    p->queue.changes.freed = true;
    pool_advance(&p->queue.pool, p->queue.now.ms, OVERDUE_MS);
    rebuild_carry_promises(p);
    p->queue.reading = false;
    for (bool done = false; !done && !p->rebuild.in_pieces; n = UINT64_MAX)
        done = queue_free_old(&p->queue, &n);
}

bool planner_prepare(struct planner *p, const struct sched_view *v, struct wall now, uint32_t n)
{
    uint64_t left = n;
    p->queue.view = v;
    p->queue.now = now;
    p->rebuild.in_pieces = true;
    if (!p->queue.reading && planner_is_stale(p))
        planner_begin_reading(p);
    if (p->queue.reading &&
        (p->queue.notes.all || v->model->n_nodes != p->queue.pool.n_nodes)) /* from the beginning */
        planner_begin_reading(p);
    if (!p->queue.reading) {
        queue_free_old(&p->queue, &left);
        return true;
    }
    while (left && p->rebuild.stage < READ_DONE && !p->queue.notes.all)
        rebuild_read_some(p, &left);
    return p->rebuild.stage == READ_DONE && !p->queue.notes.all;
}

bool planner_is_reading(const struct planner *p)
{
    return p->queue.reading;
}
