/* read.c - everything is read again: the configuration is another one, nodes have come, the clock was set
 * back. Where 100,000 jobs wait that takes a fifth of a second, so who serves others meanwhile has it done
 * in pieces (planner_prepare).
 *
 *     what was there is buried: it still says why jobs wait, and is taken apart in pieces at the end
 *     nodes, partitions, windows    then it can be asked what could ever run
 *     jobs, by their ids            what happens to them meanwhile is noted, and read after that
 *     shares                        what each has used, with what runs
 *     groups                        what the first pass would find out about each: does it fit?
 */
#include <stdlib.h>
#include <string.h>

#include "backend/sched/queue/sync_private.h"

#define COST_ROOM      2 /* in units of work: memory is touched for the first time */
#define COST_NODE      4
#define COST_JOB       10
#define COST_GROUP     20
#define COST_FREE      1
#define NODES_PER_UNIT 4 /* that are looked at for a shape, or put in a partition */

enum read_stage {
    READ_ROOM,
    READ_NODES,
    READ_PARTS,
    READ_WINDOWS,
    READ_IDS,
    READ_JOBS,
    READ_SHARES, /* from here on a pass does it by itself, where nobody waits for pieces */
    READ_GROUPS,
    READ_DONE
};
enum { FREE_UNITS, FREE_RUNS, FREE_GROUPS, FREE_REST };

/* --- what was there --- */

static void move_list(struct list *to, struct list *from)
{
    list_init(to);
    if (list_empty(from))
        return;
    *to = *from;
    to->next->prev = to->prev->next = to;
    list_init(from);
}

static void bury(struct planner *p)
{
    struct planner *o = xmalloc(sizeof *o);
    *o = *p;
    move_list(&o->groups, &p->groups);
    move_list(&o->running, &p->running);
    move_list(&o->leaving, &p->leaving);
    move_list(&o->prey, &p->prey);
    move_list(&o->claimers, &p->claimers);
    move_list(&o->buried, &p->buried);
    move_list(&o->backfill.holds, &p->backfill.holds);
    o->backfill.pool = &o->pool;
    o->freeing = FREE_UNITS;
    o->freed_at = 0;
    *p = (struct planner){.in_pieces = o->in_pieces,
                          .ranks = o->ranks,
                          .decision = o->decision,
                          .pass = o->pass,
                          .last_now = o->last_now,
                          .decided_all = o->decided_all,
                          .view = o->view,
                          .probe = o->probe,
                          .now = o->now,
                          .out = o->out,
                          .nodes_dirty = o->nodes_dirty,
                          .windows_dirty = o->windows_dirty};
    memcpy(p->forecast_records, o->forecast_records, sizeof p->forecast_records);
    memcpy(&p->dirty, &o->dirty, sizeof p->dirty);
    memset(&o->dirty, 0, sizeof o->dirty);
    planner_init_lists(p);
    p->old = o;
}

const struct unit *planner_unit_before(const struct planner *p, uint32_t job)
{
    const struct unit *u = NULL;
    for (const struct planner *o = p->reading ? p->old : NULL; o && !u; o = o->old)
        u = idmap_get(&o->units, job);
    return u;
}

static void free_runs(struct runs *r)
{
    vec_for_each (&r->v, i) {
        free(r->v.v[i]->use.parts);
        free(r->v.v[i]);
    }
    vec_fini(&r->v);
    free(r);
}

static void free_unit(struct unit *u)
{
    for (uint32_t i = 0; i < u->n_more; i++)
        free(u->more[i].use.parts);
    free(u->more);
    free(u->hold.use.parts);
    free(u);
}

/* The slots of a map of such things, from where the last call ended. Returns whether all are gone. */
static bool free_slots(struct planner *o, struct idmap *map, bool units, uint64_t *n)
{
    for (; o->freed_at < map->cap && *n; o->freed_at++) {
        void *value = map->slots[o->freed_at].value;
        if (!value)
            continue;
        *n -= *n < COST_FREE ? *n : COST_FREE;
        if (units) {
            free_unit(value);
        } else {
            free_runs(value);
        }
    }
    if (o->freed_at < map->cap)
        return false;
    o->freed_at = 0;
    idmap_fini(map);
    *map = (struct idmap){0};
    return true;
}

static bool free_groups(struct planner *o, uint64_t *n)
{
    while (!list_empty(&o->groups) && *n) {
        struct group *g = list_first(&o->groups, struct group, link);
        planner_drop_group(o, g);
        *n -= *n < COST_FREE ? *n : COST_FREE;
    }
    return list_empty(&o->groups);
}

/* What it has is nobody's any more: nothing is given back. */
static bool free_some(struct planner *o, uint64_t *n)
{
    if (o->freeing == FREE_UNITS && o->freed_at == 0) {
        forecast_forget(o);
        planner_drop_started(o);
        o->wakes.n = o->pool.ends.n = 0; /* their nodes go one by one */
    }
    if (o->freeing == FREE_UNITS && free_slots(o, &o->units, true, n)) {
        list_init(&o->backfill.holds);
        list_init(&o->claimers);
        o->freeing = FREE_RUNS;
    }
    if (o->freeing == FREE_RUNS && free_slots(o, &o->runs, false, n)) {
        list_init(&o->running);
        list_init(&o->leaving);
        list_init(&o->prey);
        o->freeing = FREE_GROUPS;
    }
    if (o->freeing == FREE_GROUPS && free_groups(o, n))
        o->freeing = FREE_REST;
    if (o->freeing != FREE_REST || !*n)
        return false;
    planner_fini(o);
    return true;
}

bool planner_free_old(struct planner *p, uint64_t *n)
{
    while (p->old && *n) {
        struct planner *o = p->old, *next = o->old;
        if (!free_some(o, n))
            break;
        free(o);
        p->old = next;
    }
    return !p->old;
}

/* --- what is there now --- */

static void sort_ids(struct planner *p)
{
    size_t n = p->to_read.n;
    if (!n)
        return;
    uint32_t *v = p->to_read.v, *w = xmalloc(n * sizeof *w);
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
    if (v != p->to_read.v) { /* an odd number of times */
        memcpy(p->to_read.v, v, n * sizeof *v);
        free(v);
    } else {
        free(w);
    }
}

/* Their maps grow at once, while they are empty. */
static void list_ids(struct planner *p)
{
    const struct model *m = p->view->model;
    idmap_reserve(&p->units, m->n_pending);
    idmap_reserve(&p->runs, m->n_active);
    limits_reserve(p->limits, (size_t)m->n_pending + m->n_active);
    idmap_for_each (&m->jobs, slot)
        vec_push(&p->to_read, (uint32_t)slot->id);
    sort_ids(p);
}

/* A shape that fits nowhere now, or that could run at some time, is found out before the pass. Who has an
 * end of his own may be shorter. Returns how often it was looked for. */
static unsigned try_shape(struct planner *p, const struct group *g, struct shape *s)
{
    if (s->unsure || g->own || g->ends || g->deadline != WHEN_NEVER) {
        s->unsure = true;
        s->dead = false;
        return 0;
    }
    if (s->dead)
        return 0;
    struct pool_parts parts = {VEC_INIT};
    s->dead = !pool_place(&p->pool, &s->demand, &s->set->nodes, p->now.ms, s->len_min, &parts);
    s->dead_mark = backfill_mark(&p->backfill);
    s->unsure = !s->dead;
    vec_fini(&parts.v);
    if (s->ever == EVER_UNKNOWN && pool_fits_easily(&p->empty, &s->demand, &s->set->nodes))
        s->ever = EVER_YES;
    return 1;
}

/* Returns what it cost. */
static uint64_t look_at_group(struct planner *p, struct group *g)
{
    const struct unit *u = list_first(&g->units, struct unit, in_group);
    uint64_t looks = 0;
    for (uint32_t e = 0; e < g->n_entries; e++)
        planner_rank(p, g, e, u->job, u->submit_ms);
    for (uint32_t i = 0; i < g->n_choices; i++) {
        looks += try_shape(p, g, g->shapes[i]);
        if (p->may_preempt && g->shapes[i]->dead)
            prey_is_in_vain(p, g->shapes[i], g->qos);
    }
    return COST_GROUP + looks * p->pool.n_nodes / NODES_PER_UNIT;
}

static bool look_at_groups(struct planner *p, uint64_t *n)
{
    while (p->at_group != &p->groups && *n) {
        struct group *g = container_of(p->at_group, struct group, link);
        p->at_group = p->at_group->next;
        uint64_t cost = g->n_units ? look_at_group(p, g) : COST_FREE;
        *n -= cost < *n ? cost : *n;
    }
    return p->at_group == &p->groups;
}

void planner_begin_reading(struct planner *p)
{
    if (p->gpu_types)
        bury(p);
    p->all_dirty = p->nodes_dirty = p->windows_dirty = false;
    p->reading = true;
    p->read_stage = READ_ROOM;
    p->read_at = 0;
    vec_clear(&p->to_read);
    planner_read_frame(p);
}

bool planner_has_frame(const struct planner *p)
{
    return !p->reading || p->read_stage > READ_WINDOWS;
}

static void next_stage(struct planner *p)
{
    p->read_stage++;
    p->read_at = 0;
}

static uint64_t read_part(struct planner *p)
{
    if (p->read_at == p->n_parts) {
        next_stage(p);
        return 1;
    }
    uint32_t at = (uint32_t)p->read_at++;
    planner_read_part(p, at);
    return p->view->model->spec.parts.v[at].nodes.n / NODES_PER_UNIT + 1;
}

/* One stage further, or a part of it. What cannot be cut is a piece of its own. */
static void read_some(struct planner *p, uint64_t *n)
{
    uint64_t cost = *n;
    switch ((enum read_stage)p->read_stage) {
    case READ_ROOM:
        cost = COST_ROOM;
        if (p->read_at < 2 * (size_t)p->pool.n_nodes)
            planner_read_room(p, (uint32_t)p->read_at++);
        else
            next_stage(p);
        break;
    case READ_NODES:
        cost = COST_NODE;
        if (p->read_at < p->pool.n_nodes)
            planner_read_node(p, (uint32_t)p->read_at++);
        else
            next_stage(p);
        break;
    case READ_PARTS: cost = read_part(p); break;
    case READ_WINDOWS:
        sync_windows(p);
        next_stage(p);
        break;
    case READ_IDS:
        list_ids(p);
        next_stage(p);
        break;
    case READ_JOBS:
        cost = COST_JOB;
        if (p->read_at < p->to_read.n) {
            planner_read_job(p, p->to_read.v[p->read_at++]);
        } else {
            vec_fini(&p->to_read);
            next_stage(p);
        }
        break;
    case READ_SHARES:
        cost = 0;
        if (!planner_rank_some(p, n))
            break;
        pool_advance(&p->pool, p->now.ms, OVERDUE_MS);
        p->at_group = p->groups.next;
        next_stage(p);
        break;
    case READ_GROUPS:
        if (look_at_groups(p, n))
            next_stage(p);
        cost = 0;
        break;
    case READ_DONE: break;
    }
    *n -= cost < *n ? cost : *n;
}

void planner_read_all(struct planner *p)
{
    uint64_t n = UINT64_MAX;
    while (p->read_stage < READ_SHARES) {
        n = UINT64_MAX;
        read_some(p, &n);
    }
    planner_drop_ranks_anew(p);
    p->all_gained = p->all_gained || p->read_stage == READ_SHARES;
    p->gained = true;
    p->reading = false;
    for (bool done = false; !done && !p->in_pieces; n = UINT64_MAX)
        done = planner_free_old(p, &n);
}

bool planner_prepare(struct planner *p, const struct sched_view *v, struct wall now, uint32_t n)
{
    uint64_t left = n;
    p->view = v;
    p->now = now;
    p->in_pieces = true;
    if (!p->reading && planner_is_stale(p))
        planner_begin_reading(p);
    if (p->reading && (p->all_dirty || v->model->n_nodes != p->pool.n_nodes)) /* from the beginning */
        planner_begin_reading(p);
    if (!p->reading) {
        planner_free_old(p, &left);
        return true;
    }
    while (left && p->read_stage < READ_DONE)
        read_some(p, &left);
    return p->read_stage == READ_DONE;
}

bool planner_is_reading(const struct planner *p)
{
    return p->reading;
}
