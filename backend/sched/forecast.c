/* forecast.c - when each waiting job will start if nobody ends early. */
#include "backend/sched/forecast.h"

#include <stdlib.h>

#include "backend/sched/planner_private.h"
#include "backend/sched/pool_private.h"
#include "src/base/hostlist.h"

#define CELLS_BY_NODE 256     /* nodes that are planned one by one ... */
#define LOOKS_BY_NODE 4000000 /* ... as long as units times nodes are no more */
#define BATCHES_MAX   64      /* different starts of one array that are planned */
#define STEPS_MAX     400     /* times looked at for a demand over several cells */

/* Nodes that are alike, or one node. */
struct cell {
    struct timeline line; /* free in all of them */
    struct amount cap;    /* of each */
    uint32_t nodes;
    uint32_t first; /* one of them: stands for all in sets */
};

struct waiting { /* a unit as it was at the beginning */
    uint32_t job, count;
    int64_t submit_ms;
    uint32_t order_id, order_index;
};

struct row { /* a group as it was */
    struct group *g;
    uint32_t at, end; /* in waiting */
    uint32_t base;    /* its priority without age */
    uint32_t prio;
    int64_t eligible_after; /* submission + this */
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
    bool by_node;
    VEC(struct waiting) waiting;
    VEC(struct row) rows;
    uint32_t *heap;
    uint32_t n_heap;
    struct idmap bounds; /* hash of the shape -> struct bound */
    int64_t window_end;
};

/* --- cells --- */

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* Equal for nodes that no set tells apart. */
static uint64_t signature(const struct planner *p, uint32_t node)
{
    const struct pool_node *n = &p->pool.nodes[node];
    uint64_t h =
        mix(mix(mix(n->usable, (uint64_t)n->cap.cpus), (uint64_t)n->cap.mem_mib), (uint64_t)n->cap.gpus);
    for (uint32_t i = 0; i < p->n_parts; i++)
        h = mix(h, nodeset_has(&p->part_nodes[i], node) ? i + 1 : 0);
    idmap_for_each (&p->sets, slot)
        for (const struct set *s = slot->value; s; s = s->next)
            h = mix(h, nodeset_has(&s->nodes, node) ? s->hash : 1);
    return h;
}

/* The cell of each node; UINT32_MAX: it is not usable. */
static uint32_t *assign_cells(const struct planner *p, struct forecasts *f)
{
    uint32_t *cell_of = xcalloc(p->pool.n_nodes ? p->pool.n_nodes : 1, sizeof *cell_of);
    struct idmap by_signature = {0};
    f->cells = xcalloc(p->pool.n_nodes ? p->pool.n_nodes : 1, sizeof *f->cells);
    for (uint32_t i = 0; i < p->pool.n_nodes; i++) {
        cell_of[i] = UINT32_MAX;
        if (!p->pool.nodes[i].usable)
            continue;
        uint64_t key = f->by_node ? i : signature(p, i);
        uintptr_t at = (uintptr_t)idmap_get(&by_signature, key);
        if (!at) {
            at = ++f->n_cells;
            idmap_set(&by_signature, key, (void *)at);
            f->cells[at - 1] = (struct cell){.cap = p->pool.nodes[i].cap, .first = i};
        }
        cell_of[i] = (uint32_t)at - 1;
        f->cells[at - 1].nodes++;
    }
    idmap_fini(&by_signature);
    return cell_of;
}

struct change {
    uint32_t cell;
    int64_t t;
    struct amount by;
};

static int by_cell_and_time(const void *pa, const void *pb)
{
    const struct change *a = pa, *b = pb;
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    return a->t < b->t ? -1 : a->t > b->t;
}

/* The cells' timelines are the sums of their nodes'. */
static void sum_up(const struct planner *p, struct forecasts *f)
{
    uint32_t *cell_of = assign_cells(p, f);
    VEC(struct change) changes = VEC_INIT;
    for (uint32_t i = 0; i < p->pool.n_nodes; i++) {
        const struct timeline *l = &p->pool.nodes[i].line;
        struct amount free = {0};
        for (uint32_t k = 0; k < l->n && cell_of[i] != UINT32_MAX; k++) {
            bool over = k + 1 < l->n && l->v[k + 1].t <= p->now.ms;
            if (over)
                continue;
            int64_t t = l->v[k].t <= p->now.ms ? INT64_MIN : l->v[k].t;
            vec_push(&changes, (struct change){cell_of[i], t, amount_minus(l->v[k].free, free)});
            free = l->v[k].free;
        }
    }
    if (changes.n)
        qsort(changes.v, changes.n, sizeof *changes.v, by_cell_and_time);
    for (size_t i = 0; i < changes.n;) {
        struct cell *c = &f->cells[changes.v[i].cell];
        struct amount free = {0};
        uint32_t cell = changes.v[i].cell;
        timeline_init(&c->line, free);
        for (; i < changes.n && changes.v[i].cell == cell;) {
            int64_t t = changes.v[i].t;
            for (; i < changes.n && changes.v[i].cell == cell && changes.v[i].t == t; i++)
                free = amount_plus(free, changes.v[i].by);
            timeline_append(&c->line, t, free);
        }
    }
    vec_fini(&changes);
    free(cell_of);
}

/* --- what is asked of a cell --- */

static struct demand_pieces pieces_in(const struct demand *d, const struct cell *c)
{
    struct pool_node node = {.cap = c->cap};
    if (!demand_is_uniform(d))
        return demand_piece(d);
    return (struct demand_pieces){
        .need = demand_on_node(d, &node), .k = d->need.nodes};
}

static struct amount times(struct amount a, int64_t n)
{
    return (struct amount){a.cpus * n, a.mem_mib * n, a.gpus * n};
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How many pieces are in `have`. */
static int64_t pieces_in_amount(struct amount have, struct amount need)
{
    int64_t n = INT32_MAX;
    if (have.cpus < 0 || have.gpus < 0 || have.mem_mib < 0)
        return 0;
    n = need.cpus ? least(n, have.cpus / need.cpus) : n;
    n = need.gpus ? least(n, have.gpus / need.gpus) : n;
    return need.mem_mib ? least(n, have.mem_mib / need.mem_mib) : n;
}

/* The most that the cell takes with nothing on it. */
static int64_t room_of(const struct cell *c, const struct demand_pieces *w, bool one_each)
{
    int64_t here = pieces_in_amount(c->cap, w->need);
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

/* All of it in one cell, the earliest such. */
static void find_in_one(struct forecasts *f, const struct backfill_choice *c, int64_t from,
                        struct found *ret)
{
    bool uniform = demand_is_uniform(c->demand);
    for (uint32_t i = 0; i < f->n_cells; i++) {
        const struct cell *cell = &f->cells[i];
        if (!cell_is_in(cell, c->set))
            continue;
        struct demand_pieces w = pieces_in(c->demand, cell);
        if (!amount_covers(cell->cap, w.need) || room_of(cell, &w, uniform) < w.k)
            continue;
        struct amount all = times(w.need, w.k);
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

/* Over several cells: at each time that something changes for the better. */
static void find_in_many(struct forecasts *f, const struct backfill_choice *c, int64_t from,
                         struct found *ret)
{
    bool uniform = demand_is_uniform(c->demand);
    VEC(struct pool_part) parts = VEC_INIT;
    int steps = 0;
    for (int64_t t = from, next; t < ret->t && t < f->window_end && steps < STEPS_MAX; t = next, steps++) {
        uint32_t left = demand_piece(c->demand).k;
        left = uniform ? c->demand->need.nodes : left;
        next = WHEN_NEVER;
        vec_clear(&parts);
        for (uint32_t i = 0; i < f->n_cells && left; i++) {
            const struct cell *cell = &f->cells[i];
            struct demand_pieces w = cell_is_in(cell, c->set) ? pieces_in(c->demand, cell) : (struct demand_pieces){0};
            if (!w.k || !amount_covers(cell->cap, w.need))
                continue;
            int64_t most = room_of(cell, &w, uniform);
            int64_t here = pieces_in_amount(timeline_min(&cell->line, t, when_plus(t, c->len)), w.need);
            here = least(least(here, most), left);
            if (here > 0)
                vec_push(&parts, (struct pool_part){i, times(w.need, here)});
            left -= (uint32_t)here;
            if (left && here < most)
                next = least(next, timeline_next(&cell->line, t, c->len, times(w.need, here + 1)));
        }
        if (!left) {
            ret->t = t;
            vec_clear(&ret->parts);
            vec_for_each (&parts, i)
                vec_push(&ret->parts, parts.v[i]);
            break;
        }
        if (next <= t)
            break;
    }
    vec_fini(&parts);
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

/* The earliest in any of the group's partitions. */
static void find(struct forecasts *f, const struct group *g, int64_t from, struct found *ret)
{
    ret->t = WHEN_NEVER;
    vec_clear(&ret->parts);
    for (uint32_t i = 0; i < g->n_choices; i++) {
        const struct backfill_choice *c = &g->choices[i];
        struct bound *b = bound_of(f, g->shapes[i]);
        int64_t begin = b->t > from ? b->t : from, before = ret->t;
        if (begin >= before || begin >= f->window_end)
            continue;
        find_in_one(f, c, begin, ret);
        if (ret->t > begin && (f->by_node ? c->demand->nodes_max > 1 : ret->t == WHEN_NEVER))
            find_in_many(f, c, begin, ret);
        if (ret->t < before)
            ret->choice = i;
        if (before == WHEN_NEVER) /* looked for without a cut-off: the truth */
            b->t = ret->t;
    }
}

static void take(struct forecasts *f, const struct found *at, int64_t len)
{
    for (size_t i = 0; i < at->parts.n; i++)
        timeline_take(&f->cells[at->parts.v[i].node].line, at->t, when_plus(at->t, len),
                      at->parts.v[i].amount);
}

/* --- one after the other --- */

static bool row_goes_first(const struct forecasts *f, uint32_t a, uint32_t b)
{
    const struct row *x = &f->rows.v[a], *y = &f->rows.v[b];
    if (x->g->tier != y->g->tier)
        return x->g->tier > y->g->tier;
    if (x->g->begun != y->g->begun)
        return x->g->begun;
    if (x->prio != y->prio)
        return x->prio > y->prio;
    const struct waiting *u = &f->waiting.v[x->at], *w = &f->waiting.v[y->at];
    if (u->submit_ms != w->submit_ms)
        return u->submit_ms < w->submit_ms;
    return u->order_id != w->order_id ? u->order_id < w->order_id : u->order_index < w->order_index;
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
    double age_ms = (double)(f->t.ms - f->waiting.v[r->at].submit_ms - r->eligible_after);
    double most_ms = (double)s->max_age_s * MS_PER_S;
    double part = most_ms <= 0 || age_ms <= 0 ? 0 : age_ms < most_ms ? age_ms / most_ms : 1;
    r->prio = r->base + (uint32_t)(part * s->weight_age + 0.5);
}

static void clear(struct forecasts *f)
{
    for (uint32_t i = 0; i < f->n_cells; i++)
        timeline_fini(&f->cells[i].line);
    free(f->cells);
    free(f->heap);
    vec_fini(&f->waiting);
    vec_fini(&f->rows);
    idmap_for_each (&f->bounds, slot)
        free(slot->value);
    idmap_fini(&f->bounds);
    *f = (struct forecasts){0};
}

static void copy_group(struct planner *p, struct forecasts *f, struct group *g)
{
    struct row r = {.g = g, .at = (uint32_t)f->waiting.n};
    list_for_each (u, &g->units, struct unit, in_group)
        if (!u->hold.use.parts && u->reason != REASON_ARRAY_LIMIT && u->count)
            vec_push(&f->waiting, (struct waiting){.job = u->job,
                                                   .count = u->count,
                                                   .submit_ms = u->submit_ms,
                                                   .order_id = u->order_id,
                                                   .order_index = u->order_index});
    r.end = (uint32_t)f->waiting.n;
    bool limited = g->rest != REASON_PRIORITY; /* by a limit, a licence: no time is known for it */
    if (r.at == r.end || limited) {
        f->waiting.n = r.at;
        return;
    }
    const struct job *j = model_get_job(p->view->model, f->waiting.v[r.at].job);
    struct prio_parts parts;
    uint32_t best = 0;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        uint32_t prio = prio_of(&p->prio, j, &p->view->model->spec.parts.v[g->choices[i].lane], &parts);
        bool fixed = j->req.has_priority;
        uint32_t base = fixed || prio < parts.age_points ? prio : prio - parts.age_points;
        best = base > best ? base : best;
    }
    r.base = best;
    r.eligible_after = j->t_eligible.ms - j->t_submit.ms;
    weigh_row(p, f, &r);
    vec_push(&f->rows, r);
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
    sum_up(p, f);
    prio_ctx_init(&p->prio, v, now);
    list_for_each (g, &p->groups, struct group, link)
        copy_group(p, f, g);
    prio_ctx_fini(&p->prio);
    f->heap = xcalloc(f->rows.n ? f->rows.n : 1, sizeof *f->heap);
    f->n_heap = (uint32_t)f->rows.n;
    for (uint32_t i = 0; i < f->n_heap; i++)
        f->heap[i] = i;
    for (uint32_t i = f->n_heap / 2; i-- > 0;)
        sink(f, i);
}

static void note_answer(struct planner *p, const struct forecasts *f, uint32_t job, int64_t start)
{
    struct unit *u = idmap_get(&p->units, job);
    if (!u)
        return;
    u->forecast_t = f->t.ms;
    u->forecast = start < f->window_end ? start : WHEN_NEVER;
    if (!u->first_forecast_t && u->forecast != WHEN_NEVER) {
        u->first_forecast_t = f->t.ms;
        u->first_forecast = start;
    }
}

/* An element after the other, those that begin at the same time at once. */
static void plan_unit(struct planner *p, struct forecasts *f, const struct row *r, struct found *at)
{
    const struct waiting *u = &f->waiting.v[r->at];
    uint32_t left = u->count;
    for (int batch = 0; left && batch < BATCHES_MAX; batch++) {
        find(f, r->g, f->t.ms, at);
        if (batch == 0)
            note_answer(p, f, u->job, at->t);
        if (at->t >= f->window_end)
            return;
        int64_t t = at->t;
        do {
            take(f, at, r->g->choices[at->choice].len);
            if (--left == 0)
                return;
            find(f, r->g, t, at);
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

bool forecast_step(struct planner *p, const struct sched_view *v, uint32_t n)
{
    struct forecasts *f = p->making;
    struct found at = {0};
    p->view = v;
    if (!forecast_is_running(p))
        return true;
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
    if (f->n_heap)
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
static void try_later(struct planner *p, const struct group *g, struct trial *ret)
{
    struct forecasts *f = p->made;
    struct found found = {0};
    if (!f)
        return;
    find(f, g, p->now.ms, &found);
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

static void try_group(struct planner *p, const struct group *g, struct trial *ret)
{
    struct backfill_choice *open = xcalloc(g->n_choices, sizeof *open);
    uint32_t *positions = xcalloc(g->n_choices, sizeof *positions);
    struct backfill_item it = {
        .choices = open, .n_choices = choose_open(p, g, open, positions, ret), .deadline = g->deadline};
    struct backfill_place at = {0};
    if (!it.n_choices) {
        ret->reason = limit_reason(&ret->verdict);
    } else if (backfill_start_beside(&p->backfill, &it, &at)) {
        ret->now = true;
        ret->len_ms = at.len;
        ret->partition = p->view->model->spec.parts.v[open[at.choice].lane].name;
        ret->nodes = names_of(p, &at.parts, &ret->cpus);
        ret->forecast = (struct forecast){.kind = FORECAST_PLANNED, .start = p->now, .made = p->now};
    } else {
        try_later(p, g, ret);
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
    limits_begin(p->limits, v->model, now);
    const struct step *s = j->kind == JOB_KIND_STEPS ? planner_waiting_step(j, &tasks) : NULL;
    struct group *g = planner_group(p, j, s, &ret->reason);
    if (!g)
        return;
    ret->reason = REASON_NONE;
    try_group(p, g, ret);
    if (!g->n_units)
        planner_drop_group(p, g);
}

void trial_fini(struct trial *t)
{
    free(t->nodes);
    *t = (struct trial){0};
}
