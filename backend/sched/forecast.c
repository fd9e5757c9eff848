/* forecast.c - when each waiting job will start if nobody ends early. */
#include "backend/sched/forecast.h"

#include <stdlib.h>

#include "backend/sched/gate.h"
#include "backend/sched/licence.h"
#include "backend/sched/limitplan.h"
#include "backend/sched/planner_private.h"
#include "backend/sched/pool_private.h"
#include "src/base/hostlist.h"

#define CELLS_BY_NODE 256     /* nodes that are planned one by one ... */
#define LOOKS_BY_NODE 4000000 /* ... as long as units times nodes are no more */
#define AGREE_MAX     64      /* times that limits and what is free are asked in turn */
#define BATCHES_MAX   64      /* different starts of one array that are planned */
#define STEPS_MAX     400     /* times looked at for a demand over several cells */
#define EXACT_MAX     20000   /* jobs; with more of them: */
#define GRID_MS       60000   /* times are looked at so coarsely ... */
#define GRID_WINDOW_S 2678400 /* for each so much of the window */
#define COST          32      /* preparing so many nodes or units costs as much as planning one unit */

struct change {
    int64_t t;
    struct amount by;
};

/* Nodes that are alike, or one node. */
struct cell {
    VEC(struct change) changes; /* of its nodes, until they are summed up */
    struct timeline line;       /* free in all of them */
    struct amount cap;          /* of each */
    uint32_t nodes;
    uint32_t first; /* one of them: stands for all in sets */
};

struct waiting { /* a unit as it was at the beginning */
    uint32_t job, count;
    int64_t submit_ms;
    uint32_t order_id, order_index;
    int64_t from; /* not before: its array may run no more until then */
};

struct row { /* a group as it was */
    struct group *g;
    uint32_t at, end; /* in waiting */
    int64_t base;     /* its priority, without age where that is added */
    bool ages;
    struct rank rank;       /* of the one at `at` */
    int64_t eligible_after; /* submission + this */
    bool borrow;            /* over a soft limit: behind everybody */
};

enum stage {             /* of what is to be done before the first is planned */
             STAGE_SETS, /* which nodes are alike */
             STAGE_CELLS,
             STAGE_LINES,  /* what is free on each node */
             STAGE_SUMS,   /* and in each cell */
             STAGE_LIMITS, /* what runs, as limits count it */
             STAGE_GROUPS, /* what waits */
             STAGE_PLAN,
};

struct ending { /* of what runs */
    uint32_t job;
    bool fresh; /* started in the last pass: limits count it with: */
    struct limit_ask ask;
    int64_t end;
};

struct bound { /* of a shape: nothing earlier can be found in this forecast */
    const struct shape *shape;
    int64_t t;
};

struct forecasts {
    bool running;
    struct wall t;
    uint32_t n_cells;
    struct cell *cells;
    uint32_t *cell_of; /* of each node; UINT32_MAX: it is not usable */
    bool by_node;
    enum stage stage;
    uint32_t at; /* in the stage */
    VEC(const struct set *) sets;
    VEC(struct group *) groups;
    uint64_t *signatures; /* of each node: equal where no set tells them apart */
    struct idmap by_signature;
    struct amount *slots; /* room for one cell: what changes at each time of the grid */
    int64_t grid_ms;      /* things begin and end at multiples of it after t; 1: whenever they do */
    VEC(struct waiting) waiting;
    VEC(struct row) rows;
    uint32_t *heap;
    uint32_t n_heap;
    struct idmap bounds; /* hash of the shape -> struct bound */
    int64_t window_end;
    struct limit_plan *limits; /* NULL: nothing is limited */
    VEC(struct ending) endings;
    struct idmap array_ends; /* array -> when the first of its elements that run ends */
};

/* --- cells --- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static void sign_node(const struct planner *p, struct forecasts *f, uint32_t node)
{
    const struct pool_node *n = &p->pool.nodes[node];
    uint64_t h =
        mix(mix(mix(n->usable, (uint64_t)n->cap.cpus), (uint64_t)n->cap.mem_mib), (uint64_t)n->cap.gpus);
    for (uint32_t i = 0; i < p->n_parts; i++)
        h = mix(h, nodeset_has(&p->part_nodes[i], node) ? i + 1 : 0);
    f->signatures[node] = mix(f->signatures[node], h);
}

static void sign_set(const struct planner *p, struct forecasts *f, const struct set *s)
{
    for (uint32_t i = 0; i < p->pool.n_nodes; i++)
        f->signatures[i] = mix(f->signatures[i], nodeset_has(&s->nodes, i) ? s->hash : 1);
}

static void assign_cell(const struct planner *p, struct forecasts *f, uint32_t node)
{
    f->cell_of[node] = UINT32_MAX;
    if (!p->pool.nodes[node].usable)
        return;
    if (!f->by_node)
        sign_node(p, f, node);
    uint64_t key = f->by_node ? node : f->signatures[node];
    uintptr_t at = (uintptr_t)idmap_get(&f->by_signature, key);
    if (!at) {
        at = ++f->n_cells;
        idmap_set(&f->by_signature, key, (void *)at);
        f->cells[at - 1] = (struct cell){.cap = p->pool.nodes[node].cap, .first = node};
    }
    f->cell_of[node] = (uint32_t)at - 1;
    f->cells[at - 1].nodes++;
}

/* Where on the grid something begins to hold: what comes free a little later, what is taken a little
 * sooner. Without end it stays. */
static int64_t on_grid(const struct forecasts *f, int64_t t, bool later)
{
    if (t <= f->t.ms || t == WHEN_NEVER || f->grid_ms <= 1)
        return t;
    int64_t k = (t - f->t.ms + (later ? f->grid_ms - 1 : 0)) / f->grid_ms;
    return k ? f->t.ms + k * f->grid_ms : INT64_MIN;
}

static void add_changes(const struct planner *p, struct forecasts *f, uint32_t node)
{
    const struct timeline *l = &p->pool.nodes[node].line;
    struct amount free = {0};
    for (uint32_t k = 0; k < l->n && f->cell_of[node] != UINT32_MAX; k++) {
        bool over = k + 1 < l->n && l->v[k + 1].t <= f->t.ms;
        if (over)
            continue;
        struct amount by = amount_minus(l->v[k].free, free);
        bool frees = amount_covers(by, (struct amount){0});
        int64_t t = l->v[k].t <= f->t.ms ? INT64_MIN : on_grid(f, l->v[k].t, frees);
        vec_push(&f->cells[f->cell_of[node]].changes, (struct change){t, by});
        free = l->v[k].free;
    }
}

static int by_change(const void *pa, const void *pb)
{
    const struct change *a = pa, *b = pb;
    return a->t < b->t ? -1 : a->t > b->t;
}

static uint32_t n_slots(const struct forecasts *f)
{
    return (uint32_t)((f->window_end - f->t.ms) / f->grid_ms) + 1;
}

/* Few: one after the other. */
static void sum_sorted(struct cell *c)
{
    struct amount free = {0};
    if (c->changes.n)
        qsort(c->changes.v, c->changes.n, sizeof *c->changes.v, by_change);
    for (size_t i = 0; i < c->changes.n;) {
        int64_t t = c->changes.v[i].t;
        for (; i < c->changes.n && c->changes.v[i].t == t; i++)
            free = amount_plus(free, c->changes.v[i].by);
        timeline_append(&c->line, t, free);
    }
}

/* Many: each has its slot; what is behind the window is not looked at. */
static void sum_by_slot(struct forecasts *f, struct cell *c)
{
    uint32_t n = n_slots(f);
    struct amount free = {0};
    if (!f->slots)
        f->slots = xmalloc(n * sizeof *f->slots);
    memset(f->slots, 0, n * sizeof *f->slots);
    vec_for_each (&c->changes, i) {
        const struct change *x = &c->changes.v[i];
        uint64_t at = x->t == INT64_MIN ? 0 : (uint64_t)(x->t - f->t.ms) / (uint64_t)f->grid_ms;
        if (at < n)
            f->slots[at] = amount_plus(f->slots[at], x->by);
    }
    for (uint32_t i = 0; i < n; i++) {
        free = amount_plus(free, f->slots[i]);
        if (i == 0 || !amount_eq(f->slots[i], (struct amount){0}))
            timeline_append(&c->line, i ? f->t.ms + i * f->grid_ms : INT64_MIN, free);
    }
}

/* The cell's timeline is the sum of its nodes'. */
static void sum_up(struct forecasts *f, struct cell *c)
{
    timeline_init(&c->line, (struct amount){0});
    if (f->grid_ms > 1 && c->changes.n > n_slots(f) / 8)
        sum_by_slot(f, c);
    else
        sum_sorted(c);
    vec_fini(&c->changes);
}

/* --- what is asked of a cell --- */

static struct amount times(struct amount a, int64_t n)
{
    return (struct amount){a.cpus * n, a.mem_mib * n, a.gpus * n};
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* How many pieces are in `have`. */
static int64_t pieces_in_amount(struct amount have, const struct demand_pieces *w)
{
    int64_t n = INT32_MAX;
    if (have.cpus < 0 || have.gpus < 0 || have.mem_mib < 0)
        return 0;
    n = w->need.cpus ? least(n, have.cpus / w->need.cpus) : n;
    n = w->need.gpus ? least(n, have.gpus / w->need.gpus) : n;
    n = w->need.mem_mib ? least(n, have.mem_mib / w->need.mem_mib) : n;
    return n * w->each;
}

/* What so many pieces take. */
static struct amount amount_of(const struct demand_pieces *w, int64_t pieces)
{
    return times(w->need, div_up(pieces, w->each));
}

static struct demand_pieces pieces_in(const struct demand *d, const struct cell *c)
{
    struct pool_node node = {.cap = c->cap};
    if (demand_is_uniform(d))
        return (struct demand_pieces){.need = demand_on_node(d, &node), .k = d->need.nodes, .each = 1};
    struct demand_pieces w = demand_piece(d);
    int64_t all = d->need.whole_nodes ? pieces_in_amount(c->cap, &w) : 0;
    if (all > 0) { /* nodes are taken whole */
        w.need = c->cap;
        w.each = (uint32_t)least(all, w.k);
    }
    return w;
}

/* The most that the cell takes with nothing on it. */
static int64_t room_of(const struct cell *c, const struct demand_pieces *w, bool one_each)
{
    int64_t here = pieces_in_amount(c->cap, w);
    return (one_each && here > 1 ? 1 : here) * c->nodes;
}

struct found {
    int64_t t;
    uint32_t choice;
    VEC(struct pool_part) parts; /* cells */
};

static bool cell_is_in(const struct cell *c, const struct nodeset *s)
{
    return nodeset_has(s, c->first);
}

/* How it would lie in that cell alone; k is 0 where it cannot. */
static struct demand_pieces alone_in(const struct demand *d, const struct cell *cell)
{
    bool uniform = demand_is_uniform(d);
    if (!uniform && d->need.nodes == 1) { /* all of it on one node, where one takes it */
        struct pool_node node = {.cap = cell->cap};
        struct amount all = demand_on_node(d, &node);
        if (amount_covers(cell->cap, all))
            return (struct demand_pieces){.need = all, .k = 1, .each = 1};
    }
    struct demand_pieces w = pieces_in(d, cell);
    bool fits = (uniform || (d->nodes_max > 1 && cell->nodes >= d->need.nodes)) &&
                amount_covers(cell->cap, w.need) && room_of(cell, &w, uniform) >= w.k;
    return fits ? w : (struct demand_pieces){0};
}

/* All of it in one cell, the earliest such. */
static void find_in_one(struct forecasts *f, const struct backfill_choice *c, int64_t from,
                        struct found *ret)
{
    for (uint32_t i = 0; i < f->n_cells; i++) {
        const struct cell *cell = &f->cells[i];
        if (!cell_is_in(cell, c->set))
            continue;
        struct demand_pieces w = alone_in(c->demand, cell);
        if (!w.k)
            continue;
        struct amount all = amount_of(&w, w.k);
        int64_t t = timeline_next(&cell->line, from, c->len, all);
        if (t >= ret->t)
            continue;
        ret->t = t;
        vec_clear(&ret->parts);
        vec_push(&ret->parts, (struct pool_part){i, all});
        if (t == from)
            return;
    }
}

struct spread {       /* over cells, at one time */
    int64_t left;     /* pieces to place */
    int64_t to_leave; /* nodes that must take part beside those that do */
    int64_t next;     /* when one of the cells can take more */
};

/* What the cell gives throughout [t, t + len). */
static void spread_to(const struct cell *cell, uint32_t at, const struct backfill_choice *c, int64_t t,
                      struct spread *s, struct found *ret)
{
    bool uniform = demand_is_uniform(c->demand);
    struct demand_pieces w = pieces_in(c->demand, cell);
    if (!amount_covers(cell->cap, w.need))
        return;
    int64_t keep =
        s->to_leave > cell->nodes ? s->to_leave - cell->nodes : 0; /* a piece for each of those */
    int64_t most = least(room_of(cell, &w, uniform), s->left - keep);
    int64_t here = least(pieces_in_amount(timeline_min(&cell->line, t, when_plus(t, c->len)), &w), most);
    if (here > 0) {
        vec_push(&ret->parts, (struct pool_part){at, amount_of(&w, here)});
        s->left -= here;
        s->to_leave -= least(s->to_leave, least(here, cell->nodes));
    }
    if (s->left && here < most)
        s->next =
            least(s->next, timeline_next(&cell->line, t, c->len, amount_of(&w, (here > 0 ? here : 0) + 1)));
}

/* Over several cells: at each time that something changes for the better. */
static void find_in_many(struct forecasts *f, const struct backfill_choice *c, int64_t from,
                         struct found *ret)
{
    uint32_t nodes = c->demand->need.nodes;
    struct found at = {.parts = VEC_INIT};
    int64_t k = demand_is_uniform(c->demand) ? nodes : demand_piece(c->demand).k;
    int steps = 0;
    for (int64_t t = from; t < ret->t && t < f->window_end && steps < STEPS_MAX; steps++) {
        struct spread s = {.left = k, .to_leave = nodes, .next = WHEN_NEVER};
        vec_clear(&at.parts);
        for (uint32_t i = 0; i < f->n_cells && s.left; i++)
            if (cell_is_in(&f->cells[i], c->set))
                spread_to(&f->cells[i], i, c, t, &s, &at);
        if (!s.left) {
            ret->t = t;
            vec_clear(&ret->parts);
            vec_for_each (&at.parts, i)
                vec_push(&ret->parts, at.parts.v[i]);
            break;
        }
        if (s.next <= t)
            break;
        t = s.next;
    }
    vec_fini(&at.parts);
}

static struct bound *bound_of(struct forecasts *f, const struct shape *s)
{
    struct bound *b = idmap_get(&f->bounds, s->hash);
    if (b && b->shape == s)
        return b;
    if (!b) {
        b = xcalloc(1, sizeof *b);
        idmap_set(&f->bounds, s->hash, b);
    }
    *b = (struct bound){.shape = s, .t = INT64_MIN};
    return b;
}

/* The nodes of the reservation that it asks for are its own. */
static void set_own_aside(struct forecasts *f, const struct pool_use *own, bool aside)
{
    for (uint32_t i = 0; own && i < own->n_parts; i++) {
        uint32_t cell = f->cell_of[own->parts[i].node];
        if (cell == UINT32_MAX)
            continue;
        struct timeline *l = &f->cells[cell].line;
        if (aside)
            timeline_give(l, own->start, own->end, own->parts[i].amount);
        else
            timeline_take(l, own->start, own->end, own->parts[i].amount);
    }
}

/* In one partition, earlier than ret->t, which then is changed; without limits. */
static void find_free(struct forecasts *f, const struct backfill_choice *c, int64_t from, struct found *ret)
{
    find_in_one(f, c, from, ret);
    if (ret->t > from && (f->by_node ? c->demand->nodes_max > 1 : ret->t == WHEN_NEVER))
        find_in_many(f, c, from, ret);
}

/* And with limits: until these and what is free agree. */
static void find_allowed(struct forecasts *f, const struct group *g, uint32_t choice, const char *licences,
                         int64_t from, struct found *ret)
{
    const struct backfill_choice *c = &g->choices[choice];
    struct found at = {.parts = VEC_INIT};
    int64_t t = limit_plan_next(f->limits, &g->asks[choice], licences, from, c->len);
    for (int i = 0; i < AGREE_MAX && t < ret->t && t < f->window_end; i++) {
        at.t = ret->t;
        find_free(f, c, t, &at);
        if (at.t >= ret->t)
            break;
        t = limit_plan_next(f->limits, &g->asks[choice], licences, at.t, c->len);
        if (t > at.t)
            continue;
        ret->t = at.t;
        vec_clear(&ret->parts);
        vec_for_each (&at.parts, k)
            vec_push(&ret->parts, at.parts.v[k]);
        break;
    }
    vec_fini(&at.parts);
}

/* The earliest in any of the group's partitions. licences: of its job. */
static void find(struct forecasts *f, const struct group *g, const char *licences, int64_t from,
                 struct found *ret)
{
    ret->t = WHEN_NEVER;
    set_own_aside(f, g->own, true);
    vec_clear(&ret->parts);
    for (uint32_t i = 0; i < g->n_choices; i++) {
        const struct backfill_choice *c = &g->choices[i];
        struct bound *b = bound_of(f, g->shapes[i]);
        int64_t begin = b->t > from ? b->t : from, before = ret->t;
        if (begin >= before || begin >= f->window_end)
            continue;
        if (f->limits)
            find_allowed(f, g, i, licences, begin, ret);
        else
            find_free(f, c, begin, ret);
        if (ret->t < before)
            ret->choice = i;
        /* Looked for without a cut-off, from the first moment on that it could be: the truth. */
        if (before == WHEN_NEVER && !f->limits && (from <= f->t.ms || from <= b->t))
            b->t = ret->t;
    }
    set_own_aside(f, g->own, false);
    if (ret->t != WHEN_NEVER && when_plus(ret->t, g->choices[ret->choice].len_min) > g->deadline)
        ret->t = WHEN_NEVER;
}

static void take(struct forecasts *f, const struct found *at, const struct group *g, const char *licences)
{
    const struct backfill_choice *c = &g->choices[at->choice];
    limit_plan_take(f->limits, &g->asks[at->choice], licences, at->t, when_plus(at->t, c->len));
    int64_t end = on_grid(f, when_plus(at->t, c->len), true);
    vec_for_each (&at->parts, i) {
        struct cell *cell = &f->cells[at->parts.v[i].node];
        struct amount free = timeline_min(&cell->line, at->t, end);
        timeline_take(&cell->line, at->t, end,
                      demand_takes(c->demand, &cell->cap, at->parts.v[i].amount, free));
    }
}

/* --- one after the other --- */

static bool row_goes_first(const struct forecasts *f, uint32_t a, uint32_t b)
{
    return rank_before(&f->rows.v[a].rank, &f->rows.v[b].rank);
}

static void sink(struct forecasts *f, uint32_t i)
{
    uint32_t *v = f->heap, row = v[i];
    for (uint32_t k; (k = 2 * i + 1) < f->n_heap; i = k) {
        k += k + 1 < f->n_heap && row_goes_first(f, v[k + 1], v[k]);
        if (!row_goes_first(f, v[k], row))
            break;
        v[i] = v[k];
    }
    v[i] = row;
}

/* Age adds to all alike until it is capped: the rest of the priority is the group's. */
static void weigh_row(const struct planner *p, const struct forecasts *f, struct row *r)
{
    const struct priority_spec *s = &p->view->model->spec.priority;
    const struct waiting *u = &f->waiting.v[r->at];
    double age_ms = (double)(f->t.ms - u->submit_ms - r->eligible_after);
    double most_ms = (double)s->max_age_s * MS_PER_S;
    double part = most_ms <= 0 || age_ms <= 0 ? 0 : age_ms < most_ms ? age_ms / most_ms : 1;
    int64_t sum = r->base + (r->ages ? (int64_t)(part * s->weight_age + 0.5) : 0);
    uint32_t prio = sum < 0 ? 0 : sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    r->rank = rank_of(r->borrow, r->g->tier, r->g->begun, prio, u->submit_ms, u->order_id, u->order_index);
}

static void clear(struct forecasts *f)
{
    for (uint32_t i = 0; i < f->n_cells; i++) {
        timeline_fini(&f->cells[i].line);
        vec_fini(&f->cells[i].changes);
    }
    free(f->cells);
    free(f->cell_of);
    free(f->signatures);
    free(f->slots);
    free(f->heap);
    limit_plan_free(f->limits);
    vec_fini(&f->endings);
    idmap_fini(&f->array_ends);
    idmap_fini(&f->by_signature);
    vec_fini(&f->sets);
    vec_fini(&f->groups);
    vec_fini(&f->waiting);
    vec_fini(&f->rows);
    idmap_for_each (&f->bounds, slot)
        free(slot->value);
    idmap_fini(&f->bounds);
    *f = (struct forecasts){0};
}

/* How many of it are planned: one has its place already; of an array that may run no more, the next; and
 * where other jobs keep it back no time is known. */
static uint32_t count_planned(const struct forecasts *f, const struct unit *u)
{
    if (u->reason == REASON_ARRAY_LIMIT)
        return idmap_get(&f->array_ends, u->order_id) != NULL;
    if (u->reason == REASON_DEPENDENCY)
        return 0;
    return u->count - (u->count && u->hold.use.parts);
}

static void note_first(struct unit *u, int64_t start, struct wall now)
{
    if (u->first_forecast_t)
        return;
    u->first_forecast_t = now.ms;
    u->first_forecast = start;
}

/* That a partition is open where it never fits is no help. */
enum limit_state planner_limit_state(const struct planner *p, const struct group *g)
{
    enum limit_state best = LIMIT_OVER_HARD, best_of_all = LIMIT_OVER_HARD;
    bool any = false;
    for (uint32_t i = 0; i < g->n_choices && best != LIMIT_OK; i++) {
        struct limit_verdict v;
        enum limit_state state = limits_check(p->limits, &g->asks[i], &v);
        best_of_all = state < best_of_all ? state : best_of_all;
        if (g->shapes[i]->ever == EVER_NO)
            continue;
        any = true;
        best = state < best ? state : best;
    }
    return any ? best : best_of_all;
}

/* Asked for in full where the last pass does not know it: its age stands still, or it was set. */
static void set_base(struct planner *p, const struct group *g, uint32_t job, struct row *r)
{
    r->eligible_after = g->age_delay_ms;
    r->ages = planner_rank_base(p, g, &r->base);
    if (r->ages)
        return;
    const struct job *j = model_get_job(p->view->model, job);
    for (uint32_t i = 0; i < g->n_choices && j && p->ranked; i++) {
        uint32_t prio = prio_of(&p->prio, j, &p->view->model->spec.parts.v[g->choices[i].lane], NULL);
        r->base = prio > r->base ? prio : r->base;
    }
}

static int64_t waits_until(const struct forecasts *f, const struct unit *u)
{
    return u->reason == REASON_ARRAY_LIMIT ? (int64_t)(uintptr_t)idmap_get(&f->array_ends, u->order_id)
                                           : INT64_MIN;
}

static void list_ending(struct forecasts *f, uint32_t array_job, struct ending e)
{
    int64_t first = array_job ? (int64_t)(uintptr_t)idmap_get(&f->array_ends, array_job) : 1;
    if (e.end != WHEN_NEVER && (!first || e.end < first))
        idmap_set(&f->array_ends, array_job, (void *)(uintptr_t)e.end);
    e.end = on_grid(f, e.end, true);
    if (f->limits)
        vec_push(&f->endings, e);
}

/* What runs, with its end by its time limit. */
static void list_endings(const struct planner *p, struct forecasts *f)
{
    list_for_each (r, &p->running, struct runs, link) {
        int64_t end = f->t.ms;
        vec_for_each (&r->v, i)
            end = r->v.v[i]->use.end > end ? r->v.v[i]->use.end : end;
        list_ending(f, r->array_job, (struct ending){.job = r->job, .end = end});
    }
    vec_for_each (&p->started, i) {
        const struct tentative *t = p->started.v[i];
        list_ending(f, t->array_job,
                    (struct ending){.job = t->job, .fresh = true, .ask = t->ask, .end = t->use.end});
    }
}

static void add_ending(const struct planner *p, struct forecasts *f, const struct ending *e)
{
    const struct job *j = model_get_job(p->view->model, e->job);
    if (j && e->fresh)
        limit_plan_start(f->limits, &e->ask, j->req.licenses, e->end);
    else if (j)
        limit_plan_run(f->limits, j, e->end);
}

static void copy_group(struct planner *p, struct forecasts *f, struct group *g)
{
    struct row r = {
        .g = g, .at = (uint32_t)f->waiting.n, .borrow = planner_limit_state(p, g) == LIMIT_OVER_SOFT};
    list_for_each (u, &g->units, struct unit, in_group) {
        uint32_t count = count_planned(f, u);
        if (u->hold.use.parts)
            note_first(u, u->hold.use.start, f->t);
        if (count)
            vec_push(&f->waiting, (struct waiting){.job = u->job,
                                                   .count = count,
                                                   .submit_ms = u->submit_ms,
                                                   .order_id = u->order_id,
                                                   .order_index = u->order_index,
                                                   .from = waits_until(f, u)});
    }
    r.end = (uint32_t)f->waiting.n;
    if (r.at == r.end || g->rest == REASON_BAD_CONSTRAINTS) {
        f->waiting.n = r.at;
        return;
    }
    set_base(p, g, f->waiting.v[r.at].job, &r);
    weigh_row(p, f, &r);
    vec_push(&f->rows, r);
}

static void order_rows(struct forecasts *f)
{
    f->heap = xcalloc(f->rows.n ? f->rows.n : 1, sizeof *f->heap);
    f->n_heap = (uint32_t)f->rows.n;
    for (uint32_t i = 0; i < f->n_heap; i++)
        f->heap[i] = i;
    for (uint32_t i = f->n_heap / 2; i-- > 0;)
        sink(f, i);
}

static void begin_cells(const struct planner *p, struct forecasts *f)
{
    size_t n = p->pool.n_nodes ? p->pool.n_nodes : 1;
    f->cells = xcalloc(n, sizeof *f->cells);
    f->cell_of = xmalloc(n * sizeof *f->cell_of);
    f->signatures = xcalloc(n, sizeof *f->signatures);
    if (f->by_node)
        return;
    idmap_for_each (&p->sets, slot)
        for (const struct set *s = slot->value; s; s = s->next)
            vec_push(&f->sets, s);
}

void forecast_begin(struct planner *p, const struct sched_view *v, struct wall now)
{
    struct forecasts *f = p->making;
    if (!f)
        f = p->making = xcalloc(1, sizeof *f);
    clear(f);
    planner_bury_groups(p);
    p->view = v;
    f->t = now;
    f->running = true;
    f->window_end = now.ms + (int64_t)v->model->spec.window_s * MS_PER_S;
    f->by_node =
        p->pool.n_nodes <= CELLS_BY_NODE && (uint64_t)p->pool.n_nodes * p->units.n <= LOOKS_BY_NODE;
    f->grid_ms =
        p->units.n + p->runs.n <= EXACT_MAX ? 1 : GRID_MS * (v->model->spec.window_s / GRID_WINDOW_S + 1);
    begin_cells(p, f);
    list_for_each (g, &p->groups, struct group, link)
        vec_push(&f->groups, g); /* none is freed while a forecast is under way */
    limits_begin(p->limits, v->model, now);
    f->limits = limit_plan_new(p->limits, v->model);
    list_endings(p, f);
}

static void note_answer(struct planner *p, const struct forecasts *f, uint32_t job, int64_t start)
{
    struct unit *u = idmap_get(&p->units, job);
    if (!u)
        return;
    u->forecast_t = f->t.ms;
    u->forecast = start < f->window_end ? start : WHEN_NEVER;
    if (u->forecast != WHEN_NEVER)
        note_first(u, start, f->t);
}

/* An element after the other, those that begin at the same time at once. */
static void plan_unit(struct planner *p, struct forecasts *f, const struct row *r, struct found *at)
{
    const struct waiting *u = &f->waiting.v[r->at];
    const struct job *j = r->g->licensed ? model_get_job(p->view->model, u->job) : NULL;
    const char *licences = j ? j->req.licenses : NULL;
    uint32_t left = u->count;
    for (int batch = 0; left && batch < BATCHES_MAX; batch++) {
        find(f, r->g, licences, u->from > f->t.ms ? u->from : f->t.ms, at);
        if (batch == 0)
            note_answer(p, f, u->job, at->t);
        if (at->t >= f->window_end)
            return;
        int64_t t = at->t;
        do {
            take(f, at, r->g, licences);
            if (--left == 0)
                return;
            find(f, r->g, licences, t, at);
        } while (at->t == t);
    }
}

bool forecast_is_running(const struct planner *p)
{
    return p->making && p->making->running;
}

static void finish(struct planner *p)
{
    struct forecasts *f = p->made;
    p->made = p->making;
    p->making = f;
    p->made->running = false;
    if (f)
        clear(f);
}

static uint32_t n_in_stage(const struct planner *p, const struct forecasts *f)
{
    switch (f->stage) {
    case STAGE_SETS: return (uint32_t)f->sets.n;
    case STAGE_CELLS:
    case STAGE_LINES: return p->pool.n_nodes;
    case STAGE_SUMS: return f->n_cells;
    case STAGE_LIMITS: return (uint32_t)f->endings.n;
    case STAGE_GROUPS: return (uint32_t)f->groups.n;
    case STAGE_PLAN: break;
    }
    return 0;
}

/* One piece of what comes before the planning. Returns what it costs, in units planned, times COST. */
static uint32_t prepare_one(struct planner *p, struct forecasts *f)
{
    size_t before = f->waiting.n;
    switch (f->stage) {
    case STAGE_SETS: sign_set(p, f, f->sets.v[f->at]); return 1 + p->pool.n_nodes / 10;
    case STAGE_CELLS: assign_cell(p, f, f->at); return 1;
    case STAGE_LINES: add_changes(p, f, f->at); return 1;
    case STAGE_SUMS: sum_up(f, &f->cells[f->at]); return COST * 10;
    case STAGE_LIMITS: add_ending(p, f, &f->endings.v[f->at]); return 2;
    case STAGE_GROUPS: copy_group(p, f, f->groups.v[f->at]); return 1 + (uint32_t)(f->waiting.n - before);
    case STAGE_PLAN: break;
    }
    return 0;
}

/* Returns what is left of n; with the stage PLAN all is prepared. */
static uint32_t prepare(struct planner *p, struct forecasts *f, uint32_t n)
{
    uint64_t left = (uint64_t)n * COST;
    while (f->stage != STAGE_PLAN && left) {
        if (f->at < n_in_stage(p, f)) {
            uint32_t cost = prepare_one(p, f);
            left -= cost < left ? cost : left;
            f->at++;
            continue;
        }
        f->at = 0;
        if (f->stage == STAGE_LIMITS)
            limit_plan_seal(f->limits, f->t.ms);
        if (++f->stage == STAGE_PLAN)
            order_rows(f);
    }
    return f->stage == STAGE_PLAN ? (uint32_t)(left / COST) : 0;
}

bool forecast_step(struct planner *p, const struct sched_view *v, uint32_t n)
{
    struct forecasts *f = p->making;
    struct found at = {0};
    p->view = v;
    if (!forecast_is_running(p))
        return true;
    n = prepare(p, f, n);
    for (; n && f->n_heap; n--) {
        struct row *r = &f->rows.v[f->heap[0]];
        plan_unit(p, f, r, &at);
        if (++r->at < r->end)
            weigh_row(p, f, r);
        else
            f->heap[0] = f->heap[--f->n_heap];
        if (f->n_heap)
            sink(f, 0);
    }
    vec_fini(&at.parts);
    if (f->stage != STAGE_PLAN || f->n_heap)
        return false;
    finish(p);
    return true;
}

void forecast_forget(struct planner *p)
{
    struct forecasts *both[] = {p->making, p->made};
    for (size_t i = 0; i < 2; i++)
        if (both[i]) {
            clear(both[i]);
            free(both[i]);
        }
    p->making = p->made = NULL;
    planner_bury_groups(p);
}

/* --- how good they are --- */

void forecast_learn(struct planner *p, const struct unit *u)
{
    int64_t told = u->first_forecast - u->first_forecast_t, took = p->now.ms - u->first_forecast_t;
    if (!u->first_forecast_t || told < 1000)
        return;
    double ratio = (double)took / (double)told;
    p->ratios[p->n_ratios++ % FORECAST_SAMPLES] = (float)(ratio < 4 ? ratio : 4);
}

static int by_value(const void *pa, const void *pb)
{
    const float *a = pa, *b = pb;
    return *a < *b ? -1 : *a > *b;
}

static void add_range(const struct planner *p, struct forecast *f)
{
    uint32_t n = forecast_samples(p);
    float sorted[FORECAST_SAMPLES];
    f->samples = n;
    if (n < 8)
        return;
    memcpy(sorted, p->ratios, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    double wait = (double)(f->start.ms - f->made.ms);
    f->likely.ms = f->made.ms + (int64_t)(wait * (double)sorted[n / 4]);
    f->unlikely.ms = f->made.ms + (int64_t)(wait * (double)sorted[n * 3 / 4]);
}

struct wall forecast_made(const struct planner *p)
{
    return p->made ? p->made->t : (struct wall){0};
}

uint32_t forecast_samples(const struct planner *p)
{
    return p->n_ratios < FORECAST_SAMPLES ? p->n_ratios : FORECAST_SAMPLES;
}

struct forecast planner_forecast(const struct planner *p, uint32_t job)
{
    const struct unit *u = idmap_get(&p->units, job);
    struct forecast f = {.kind = FORECAST_NONE};
    if (!u || !u->group)
        return f;
    if (u->hold.use.parts) {
        f = (struct forecast){.kind = FORECAST_HELD, .start.ms = u->hold.use.start, .made.ms = p->last_now};
    } else if (u->forecast_t) {
        f = (struct forecast){.kind = u->forecast == WHEN_NEVER ? FORECAST_BEYOND : FORECAST_PLANNED,
                              .start.ms = u->forecast == WHEN_NEVER ? 0 : u->forecast,
                              .made.ms = u->forecast_t};
    }
    if (f.kind == FORECAST_HELD || f.kind == FORECAST_PLANNED)
        add_range(p, &f);
    return f;
}

/* --- one that is not in the queue --- */

/* The partitions where limits let it in. */
static uint32_t choose_open(struct planner *p, const struct group *g, struct backfill_choice *ret,
                            uint32_t *positions, struct trial *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        struct limit_verdict v;
        if (limits_check(p->limits, &g->asks[i], &v) == LIMIT_OVER_HARD) {
            t->verdict = v;
            continue;
        }
        positions[n] = i;
        ret[n++] = g->choices[i];
    }
    return n;
}

static char *names_of(const struct planner *p, const struct pool_parts *parts, uint32_t *ret_cpus)
{
    struct strv names = {0};
    *ret_cpus = 0;
    vec_for_each (&parts->v, i) {
        strv_push(&names, p->view->model->nodes[parts->v.v[i].node]->spec.name);
        *ret_cpus += (uint32_t)parts->v.v[i].amount.cpus;
    }
    char *text = hostlist_compress(&names);
    strv_fini(&names);
    return text;
}

/* When it would start behind all that is planned. */
static void try_later(struct planner *p, const struct group *g, const struct job *j, int64_t from,
                      struct trial *ret)
{
    struct forecasts *f = p->made;
    struct found found = {0};
    if (!f)
        return;
    find(f, g, j->req.licenses, from, &found);
    bool within = found.t < f->window_end;
    ret->forecast = (struct forecast){.kind = within ? FORECAST_PLANNED : FORECAST_BEYOND,
                                      .start.ms = within ? found.t : 0,
                                      .made = f->t};
    if (within) {
        ret->partition = p->view->model->spec.parts.v[g->choices[found.choice].lane].name;
        add_range(p, &ret->forecast);
    }
    vec_fini(&found.parts);
}

static bool has_licences(const struct planner *p, const struct job *j)
{
    return licence_fits(&p->licences_held, p->view->model, j);
}

static void try_group(struct planner *p, const struct group *g, const struct job *j, int64_t from,
                      struct trial *ret)
{
    struct backfill_choice *open = xcalloc(g->n_choices, sizeof *open);
    uint32_t *positions = xcalloc(g->n_choices, sizeof *positions);
    struct backfill_item it = {
        .choices = open, .n_choices = choose_open(p, g, open, positions, ret), .deadline = g->deadline};
    struct backfill_place at = {0};
    if (!it.n_choices)
        ret->reason = limit_reason(&ret->verdict);
    else if (g->licensed && !has_licences(p, j))
        ret->reason = REASON_LICENSES;
    if (ret->reason == REASON_NONE && from <= p->now.ms && backfill_start_beside(&p->backfill, &it, &at)) {
        ret->now = true;
        ret->len_ms = at.len;
        ret->partition = p->view->model->spec.parts.v[open[at.choice].lane].name;
        ret->nodes = names_of(p, &at.parts, &ret->cpus);
        ret->forecast = (struct forecast){.kind = FORECAST_PLANNED, .start = p->now, .made = p->now};
    } else {
        try_later(p, g, j, from, ret);
    }
    backfill_place_fini(&at);
    free(positions);
    free(open);
}

void planner_try(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                 struct trial *ret)
{
    uint32_t tasks = 1;
    *ret = (struct trial){.reason = REASON_NONE};
    planner_ready(p, v, now);
    if (p->reading) /* what runs is not all known */
        return;
    limits_begin(p->limits, v->model, now);
    const struct step *s = j->kind == JOB_KIND_STEPS ? planner_waiting_step(j, &tasks) : NULL;
    struct group *g = planner_group(p, j, s, &ret->reason);
    if (!g)
        return;
    struct wall clears = {0};
    enum reason gate = gate_job(v, j, now, &clears);
    bool waits_for_others = gate == REASON_DEPENDENCY || gate == REASON_DEPENDENCY_NEVER;
    ret->reason = waits_for_others ? gate : REASON_NONE;
    if (!waits_for_others)
        try_group(p, g, j, clears.ms > now.ms ? clears.ms : now.ms, ret);
    if (!g->n_units)
        planner_drop_group(p, g);
}

void trial_fini(struct trial *t)
{
    free(t->nodes);
    *t = (struct trial){0};
}
