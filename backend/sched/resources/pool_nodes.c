/* pool_nodes.c - allocations and planned starts on the nodes. placement.c finds where a demand fits,
 * earliest_start.c when.
 */
#include "backend/sched/resources/pool.h"

#include <stdlib.h>

#include "backend/sched/resources/pool_internal.h"

void nodeset_init(struct nodeset *s, uint32_t n_nodes)
{
    *s = (struct nodeset){.words = (n_nodes + 63) / 64};
    s->bits = xcalloc(s->words ? s->words : 1, sizeof *s->bits);
}

void nodeset_fini(struct nodeset *s)
{
    free(s->bits);
    free(s->listed);
    *s = (struct nodeset){0};
}

static bool pool_has_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

void nodeset_add(struct nodeset *s, uint32_t node)
{
    s->n += !pool_has_bit(s->bits, node);
    s->bits[node / 64] |= UINT64_C(1) << node % 64;
}

void nodeset_add_listed(struct nodeset *s, uint32_t node)
{
    if (!s->listed)
        s->listed = xcalloc(s->words, sizeof *s->listed);
    s->n_listed += !pool_has_bit(s->listed, node);
    s->listed[node / 64] |= UINT64_C(1) << node % 64;
}

void nodeset_count(struct nodeset *s)
{
    s->n = 0;
    for (uint32_t i = 0; i < s->words; i++)
        s->n += (uint32_t)__builtin_popcountll(s->bits[i]);
}

bool nodeset_has(const struct nodeset *s, uint32_t node)
{
    return node / 64 < s->words && pool_has_bit(s->bits, node);
}

bool nodeset_is_listed(const struct nodeset *s, uint32_t node)
{
    return s->listed && pool_has_bit(s->listed, node);
}

void pool_init_bare(struct pool *p, uint32_t n_nodes, int64_t now)
{
    *p = (struct pool){.nodes = xcalloc(n_nodes ? n_nodes : 1, sizeof *p->nodes),
                       .n_nodes = n_nodes,
                       .now = now,
                       .work = scratch_new(n_nodes)};
    free_index_init(&p->free, n_nodes);
}

void pool_init_node(struct pool *p, uint32_t node)
{
    timeline_init(&p->nodes[node].line, (struct amount){0});
}

void pool_init(struct pool *p, uint32_t n_nodes, int64_t now)
{
    pool_init_bare(p, n_nodes, now);
    for (uint32_t i = 0; i < n_nodes; i++)
        pool_init_node(p, i);
}

void pool_fini(struct pool *p)
{
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        timeline_fini(&p->nodes[i].line);
        node_users_fini(&p->nodes[i].users);
    }
    free(p->nodes);
    free_index_fini(&p->free);
    heap_fini(&p->ends);
    scratch_free(p->work);
    *p = (struct pool){0};
}

static void pool_set_free_now(struct pool *p, uint32_t node, struct amount free_now)
{
    free_index_move(&p->free, node, p->nodes[node].free_now, free_now);
    p->nodes[node].free_now = free_now;
}

void pool_set_node(struct pool *p, uint32_t node, struct amount cap, uint32_t weight, bool usable)
{
    struct pool_node *n = &p->nodes[node];
    struct amount more = amount_minus(cap, n->cap);
    timeline_give(&n->line, INT64_MIN, WHEN_NEVER, more);
    pool_set_free_now(p, node, amount_plus(n->free_now, more));
    n->cap = cap;
    n->weight = weight;
    n->usable = usable;
}

void pool_set_group(struct pool *p, uint32_t node, uint32_t group)
{
    p->nodes[node].group = group;
    p->n_groups = group > p->n_groups ? group : p->n_groups;
}

static void pool_take_parts(struct pool *p, const struct pool_use *u, int64_t from, int64_t to)
{
    for (uint32_t i = 0; i < u->n_parts; i++)
        timeline_take(&p->nodes[u->parts[i].node].line, from, to, u->parts[i].amount);
}

static void pool_give_parts(struct pool *p, const struct pool_use *u, int64_t from, int64_t to)
{
    for (uint32_t i = 0; i < u->n_parts; i++)
        timeline_give(&p->nodes[u->parts[i].node].line, from, to, u->parts[i].amount);
}

static void pool_take_over(struct pool *p, struct pool_use *u, const struct pool_parts *parts,
                           int64_t start, int64_t end)
{
    *u = (struct pool_use){.n_parts = (uint32_t)parts->v.n, .who = parts->who, .start = start, .end = end};
    u->parts = xmemdup(parts->v.v, parts->v.n * sizeof *u->parts);
    for (uint32_t i = 0; i < u->n_parts; i++)
        timeline_trim(&p->nodes[u->parts[i].node].line, p->now);
}

static void pool_move_user(struct pool *p, const struct pool_use *u, bool away)
{
    struct node_user a = {u->who, u->start, u->end};
    for (uint32_t i = 0; p->by_user && u->who.user && i < u->n_parts; i++) {
        struct node_users *on = &p->nodes[u->parts[i].node].users;
        if (away)
            node_users_remove(on, a);
        else
            node_users_add(on, a);
    }
}

static void pool_note_moved(struct pool *p, const struct pool_use *u)
{
    p->moved += u->n_parts;
    p->cost += (uint64_t)u->n_parts * POOL_COST_MOVE;
}

void pool_suspend(struct pool *p, struct pool_use *u)
{
    pool_note_moved(p, u);
    pool_give_parts(p, u, u->is_planned ? u->start : p->now, u->end);
    pool_move_user(p, u, true);
    for (uint32_t i = 0; i < u->n_parts; i++) {
        struct pool_node *n = &p->nodes[u->parts[i].node];
        if (u->is_planned)
            n->n_planned--;
        else
            pool_set_free_now(p, u->parts[i].node, amount_plus(n->free_now, u->parts[i].amount));
    }
}

void pool_restore(struct pool *p, struct pool_use *u)
{
    pool_note_moved(p, u);
    pool_take_parts(p, u, u->is_planned ? u->start : p->now, u->end);
    pool_move_user(p, u, false);
    for (uint32_t i = 0; i < u->n_parts; i++) {
        struct pool_node *n = &p->nodes[u->parts[i].node];
        if (u->is_planned)
            n->n_planned++;
        else
            pool_set_free_now(p, u->parts[i].node, amount_minus(n->free_now, u->parts[i].amount));
    }
}

void pool_run(struct pool *p, struct pool_use *u, const struct pool_parts *parts, int64_t end)
{
    pool_take_over(p, u, parts, p->now, end > p->now ? end : p->now + 1);
    pool_restore(p, u);
    heap_insert(&p->ends, &u->by_end, u->end);
}

void pool_plan(struct pool *p, struct pool_use *u, const struct pool_parts *parts, int64_t start,
               int64_t end)
{
    pool_take_over(p, u, parts, start, end);
    u->is_planned = true;
    pool_restore(p, u);
}

void pool_drop(struct pool *p, struct pool_use *u)
{
    if (!u->parts)
        return;
    heap_remove(&p->ends, &u->by_end);
    pool_suspend(p, u);
    free(u->parts);
    *u = (struct pool_use){0};
}

void pool_change_end(struct pool *p, struct pool_use *u, int64_t end)
{
    end = end > p->now ? end : p->now + 1;
    if (end > u->end)
        pool_take_parts(p, u, u->end, end);
    else
        pool_give_parts(p, u, end, u->end);
    pool_move_user(p, u, true);
    u->end = end;
    pool_move_user(p, u, false);
    heap_remove(&p->ends, &u->by_end);
    heap_insert(&p->ends, &u->by_end, end);
}

void pool_advance(struct pool *p, int64_t now, int64_t overdue_ms)
{
    p->now = now;
    for (struct heap_node *h; (h = heap_peek(&p->ends)) && h->key <= now;)
        pool_change_end(p, container_of(h, struct pool_use, by_end),
                        h->key + ((now - h->key) / overdue_ms + 1) * overdue_ms);
}

struct pool_parts pool_parts_of(const struct pool_use *u)
{
    struct pool_parts parts = {.who = u->who};
    for (uint32_t i = 0; i < u->n_parts; i++)
        vec_push(&parts.v, u->parts[i]);
    return parts;
}

int64_t pool_room(const struct pool *p, const struct pool_parts *parts, int64_t t)
{
    int64_t room = WHEN_NEVER;
    vec_for_each (&parts->v, i) {
        const struct pool_part *part = &parts->v.v[i];
        const struct timeline *l = &p->nodes[part->node].line;
        int64_t until = t;
        while (until != WHEN_NEVER && amount_covers(timeline_min(l, until, until + 1), part->amount))
            until = timeline_next_step(l, until);
        int64_t others = node_users_until(&p->nodes[part->node].users, parts->who, t);
        until = others < until ? others : until;
        if (until != WHEN_NEVER && until - t < room)
            room = until - t;
    }
    return room;
}
