/* node_class.c - what a forecast plans on: single nodes, or classes of nodes that nothing tells apart, with
 * the sum of what is free on them.
 */
#include <stdlib.h>

#include "backend/sched/forecast/forecast_internal.h"

static uint64_t node_class_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static void node_class_sign_node(const struct forecaster *p, struct forecasts *f, uint32_t node)
{
    const struct pool_node *n = &p->queue->pool.nodes[node];
    uint64_t h = node_class_mix(
        node_class_mix(node_class_mix(n->usable, (uint64_t)n->cap.cpus), (uint64_t)n->cap.mem_mib),
        (uint64_t)n->cap.gpus);
    h = node_class_mix(h, n->group);
    for (uint32_t i = 0; i < p->queue->nodes.n_parts; i++)
        h = node_class_mix(h, nodeset_has(&p->queue->nodes.part_nodes[i], node) ? i + 1 : 0);
    f->signatures[node] = node_class_mix(f->signatures[node], h);
}

void node_classes_sign(const struct forecaster *p, struct forecasts *f, const struct eligible_nodes *s)
{
    for (uint32_t i = 0; i < p->queue->pool.n_nodes; i++)
        f->signatures[i] = node_class_mix(f->signatures[i], nodeset_has(&s->nodes, i) ? s->hash : 1);
}

void node_classes_assign(const struct forecaster *p, struct forecasts *f, uint32_t node)
{
    f->class_of[node] = UINT32_MAX;
    if (!p->queue->pool.nodes[node].usable)
        return;
    if (!f->by_node)
        node_class_sign_node(p, f, node);
    uint64_t key = f->by_node ? node : f->signatures[node];
    uintptr_t at = (uintptr_t)idmap_get(&f->by_signature, key);
    if (!at) {
        at = ++f->n_classes;
        idmap_set(&f->by_signature, key, (void *)at);
        f->classes[at - 1] = (struct node_class){.cap = p->queue->pool.nodes[node].cap, .first = node};
    }
    f->class_of[node] = (uint32_t)at - 1;
    f->classes[at - 1].nodes++;
}

int64_t forecast_on_grid(const struct forecasts *f, int64_t t, bool later)
{
    if (t <= f->t.ms || t == WHEN_NEVER || f->grid_ms <= 1)
        return t;
    int64_t k = (t - f->t.ms + (later ? f->grid_ms - 1 : 0)) / f->grid_ms;
    return k ? f->t.ms + k * f->grid_ms : INT64_MIN;
}

void node_classes_add(const struct forecaster *p, struct forecasts *f, uint32_t node)
{
    const struct timeline *l = &p->queue->pool.nodes[node].line;
    const struct node_users *users = &p->queue->pool.nodes[node].users;
    struct amount free = {0};
    /* Among nodes that are counted together, one that is kept for a user counts as full. */
    int64_t kept_until = f->by_node ? INT64_MIN : node_users_alone_until(users, f->t.ms);
    for (size_t i = 0; i < users->v.n && f->by_node && f->class_of[node] != UINT32_MAX; i++)
        node_users_add(&f->classes[f->class_of[node]].users, users->v.v[i]);
    for (uint32_t k = 0; k < l->n && f->class_of[node] != UINT32_MAX; k++) {
        bool over = k + 1 < l->n && (l->v[k + 1].t <= f->t.ms || l->v[k + 1].t <= kept_until);
        if (over)
            continue;
        struct amount by = amount_minus(l->v[k].free, free);
        bool frees = amount_covers(by, (struct amount){0});
        int64_t at = l->v[k].t > kept_until ? l->v[k].t : kept_until;
        int64_t t = at <= f->t.ms ? INT64_MIN : forecast_on_grid(f, at, frees);
        vec_push(&f->classes[f->class_of[node]].changes, (struct free_change){t, by});
        free = l->v[k].free;
    }
}

static int node_class_by_change(const void *pa, const void *pb)
{
    const struct free_change *a = pa, *b = pb;
    return a->t < b->t ? -1 : a->t > b->t;
}

static uint32_t node_class_n_slots(const struct forecasts *f)
{
    return (uint32_t)((f->window_end - f->t.ms) / f->grid_ms) + 1;
}

/* Few: one after the other. */
static void node_class_sum_sorted(struct node_class *c)
{
    struct amount free = {0};
    if (c->changes.n)
        qsort(c->changes.v, c->changes.n, sizeof *c->changes.v, node_class_by_change);
    for (size_t i = 0; i < c->changes.n;) {
        int64_t t = c->changes.v[i].t;
        for (; i < c->changes.n && c->changes.v[i].t == t; i++)
            free = amount_plus(free, c->changes.v[i].by);
        timeline_append(&c->line, t, free);
    }
}

/* Many changes: a slot for each time of the grid; times behind the window are left out. */
static void node_class_sum_by_slot(struct forecasts *f, struct node_class *c)
{
    uint32_t n = node_class_n_slots(f);
    struct amount free = {0};
    if (!f->slots)
        f->slots = xmalloc(n * sizeof *f->slots);
    memset(f->slots, 0, n * sizeof *f->slots);
    vec_for_each (&c->changes, i) {
        const struct free_change *x = &c->changes.v[i];
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

/* The node class's timeline is the sum of its nodes'. */
void node_classes_sum(struct forecasts *f, struct node_class *c)
{
    timeline_init(&c->line, (struct amount){0});
    if (f->grid_ms > 1 && c->changes.n > node_class_n_slots(f) / 8)
        node_class_sum_by_slot(f, c);
    else
        node_class_sum_sorted(c);
    vec_fini(&c->changes);
}
