/* forecast_place.c - where a demand fits on the node classes of a forecast at the earliest, within limits.
 */
#include <stdlib.h>

#include "backend/sched/forecast/forecast_internal.h"

#define AGREE_MAX 64  /* rounds of limits and free resources until they agree */
#define STEPS_MAX 400 /* times looked at for a demand over several node classes */

static struct amount forecast_times(struct amount a, int64_t n)
{
    return (struct amount){a.cpus * n, a.mem_mib * n, a.gpus * n};
}

static int64_t forecast_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t forecast_div_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

int64_t forecast_pieces_in_amount(struct amount have, const struct demand_pieces *w)
{
    int64_t n = INT32_MAX;
    if (have.cpus < 0 || have.gpus < 0 || have.mem_mib < 0)
        return 0;
    n = w->need.cpus ? forecast_least(n, have.cpus / w->need.cpus) : n;
    n = w->need.gpus ? forecast_least(n, have.gpus / w->need.gpus) : n;
    n = w->need.mem_mib ? forecast_least(n, have.mem_mib / w->need.mem_mib) : n;
    return n * w->each;
}

struct amount forecast_amount_of(const struct demand_pieces *w, int64_t pieces)
{
    return forecast_times(w->need, forecast_div_up(pieces, w->each));
}

static struct demand_pieces forecast_pieces_in(const struct demand *d, const struct node_class *c)
{
    struct pool_node node = {.cap = c->cap};
    if (demand_is_uniform(d))
        return (struct demand_pieces){.need = demand_on_node(d, &node), .k = d->need.nodes, .each = 1};
    struct demand_pieces w = demand_piece(d);
    int64_t all = d->need.whole_nodes ? forecast_pieces_in_amount(c->cap, &w) : 0;
    if (all > 0) { /* nodes are taken whole */
        w.need = c->cap;
        w.each = (uint32_t)forecast_least(all, w.k);
    }
    return w;
}

/* The most that the node class takes with nothing on it. */
static int64_t forecast_room_of(const struct node_class *c, const struct demand_pieces *w, bool one_each)
{
    int64_t here = forecast_pieces_in_amount(c->cap, w);
    return (one_each && here > 1 ? 1 : here) * c->nodes;
}

static bool forecast_node_class_is_in(const struct node_class *c, const struct nodeset *s)
{
    return nodeset_has(s, c->first);
}

/* How many nodes must be among its: those that the request names. */
static uint32_t forecast_n_named(const struct plan_choice *c)
{
    return c->demand->one_task ? 0 : c->set->n_listed;
}

/* One of those takes nothing: as things are, it never starts. */
static bool forecast_names_one_out(const struct forecasts *f, const struct plan_choice *c)
{
    for (uint32_t i = 0; forecast_n_named(c) && i < c->set->words * 64; i++)
        if (nodeset_is_listed(c->set, i) && f->class_of[i] == UINT32_MAX)
            return true;
    return false;
}

/* When the node class has that much for it. */
static int64_t forecast_next(const struct node_class *class, const struct plan_choice *c, int64_t t,
                             struct amount all)
{
    for (int64_t at = t; at != WHEN_NEVER; at = t) {
        at = timeline_next(&class->line, at, c->len, all);
        t = at == WHEN_NEVER ? at : node_users_next(&class->users, c->demand->who, at, c->len);
        if (t == at)
            break;
    }
    return t;
}

/* How it would lie in that node class alone; k is 0 where it cannot. */
static struct demand_pieces forecast_alone_in(const struct demand *d, const struct node_class *class)
{
    bool uniform = demand_is_uniform(d);
    if (!uniform && d->need.nodes == 1) { /* all of it on one node, where one takes it */
        struct pool_node node = {.cap = class->cap};
        struct amount all = demand_on_node(d, &node);
        if (amount_covers(class->cap, all))
            return (struct demand_pieces){.need = all, .k = 1, .each = 1};
    }
    struct demand_pieces w = forecast_pieces_in(d, class);
    bool fits = (uniform || (d->nodes_max > 1 && class->nodes >= d->need.nodes)) &&
                amount_covers(class->cap, w.need) && forecast_room_of(class, &w, uniform) >= w.k;
    return fits ? w : (struct demand_pieces){0};
}

int64_t forecast_pieces_taken(const struct demand *d, const struct node_class *class, struct amount taken,
                              struct demand_pieces *ret)
{
    *ret = forecast_alone_in(d, class);
    if (ret->k && amount_eq(taken, forecast_amount_of(ret, ret->k)))
        return ret->k;
    *ret = forecast_pieces_in(d, class);
    return forecast_pieces_in_amount(taken, ret);
}

/* All of it in one node class, the earliest such. */
static void forecast_find_in_one(struct forecasts *f, const struct plan_choice *c, int64_t from,
                                 struct forecast_start *ret)
{
    uint32_t named = f->by_node ? forecast_n_named(c) : 0;
    for (uint32_t i = 0; named < 2 && i < f->n_classes; i++) {
        const struct node_class *class = &f->classes[i];
        if (!forecast_node_class_is_in(class, c->set) ||
            (named && !nodeset_is_listed(c->set, class->first)))
            continue;
        struct demand_pieces w = forecast_alone_in(c->demand, class);
        if (!w.k)
            continue;
        struct amount all = forecast_amount_of(&w, w.k);
        int64_t t = forecast_next(class, c, from, all);
        if (t >= ret->t)
            continue;
        ret->t = t;
        vec_clear(&ret->parts);
        vec_push(&ret->parts, (struct pool_part){i, all});
        if (t == from)
            return;
    }
}

struct forecast_spread { /* over node classes, at one time */
    int64_t left;        /* pieces to place */
    int64_t to_leave;    /* nodes that must take part beside those that do */
    int64_t next;        /* when one of the node classes can take more */
};

/* What the node class gives throughout [t, t + len). */
static void forecast_spread_to(const struct node_class *class, uint32_t at, const struct plan_choice *c,
                               int64_t t, struct forecast_spread *s, struct forecast_start *ret)
{
    bool uniform = demand_is_uniform(c->demand);
    struct demand_pieces w = forecast_pieces_in(c->demand, class);
    if (!amount_covers(class->cap, w.need))
        return;
    int64_t keep =
        s->to_leave > class->nodes ? s->to_leave - class->nodes : 0; /* a piece for each of those */
    int64_t most = forecast_least(forecast_room_of(class, &w, uniform), s->left - keep);
    int64_t end = when_plus(t, c->len);
    bool open = node_users_allow(&class->users, c->demand->who, t, end);
    int64_t here =
        open ? forecast_least(forecast_pieces_in_amount(timeline_min(&class->line, t, end), &w), most) : 0;
    if (here > 0) {
        vec_push(&ret->parts, (struct pool_part){at, forecast_amount_of(&w, here)});
        s->left -= here;
        s->to_leave -= forecast_least(s->to_leave, forecast_least(here, class->nodes));
    }
    if (s->left && here < most)
        s->next = forecast_least(
            s->next, forecast_next(class, c, t, forecast_amount_of(&w, (here > 0 ? here : 0) + 1)));
}

/* At one time, over the node classes that are named (where any are, each is a node), or over the others. */
static void forecast_spread(const struct forecasts *f, const struct plan_choice *c, int64_t t, bool named,
                            struct forecast_spread *s, struct forecast_start *ret)
{
    for (uint32_t i = 0; i < f->n_classes && s->left; i++)
        if (forecast_node_class_is_in(&f->classes[i], c->set) &&
            named == (f->by_node && nodeset_is_listed(c->set, f->classes[i].first)))
            forecast_spread_to(&f->classes[i], i, c, t, s, ret);
}

/* Over several node classes: at each time that something changes for the better. */
static void forecast_find_in_many(struct forecasts *f, const struct plan_choice *c, int64_t from,
                                  struct forecast_start *ret)
{
    uint32_t nodes = c->demand->need.nodes, named = f->by_node ? forecast_n_named(c) : 0;
    struct forecast_start at = {.parts = VEC_INIT};
    int64_t k = demand_is_uniform(c->demand) ? nodes : demand_piece(c->demand).k;
    int steps = 0;
    for (int64_t t = from; t < ret->t && t < f->window_end && steps < STEPS_MAX; steps++) {
        struct forecast_spread s = {.left = k, .to_leave = nodes, .next = WHEN_NEVER};
        vec_clear(&at.parts);
        forecast_spread(f, c, t, true, &s, &at);
        bool has_named = at.parts.n >= named;
        forecast_spread(f, c, t, false, &s, &at);
        if (!s.left && has_named) {
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

static struct forecast_bound *forecast_bound_of(struct forecasts *f, const struct request_shape *s)
{
    struct forecast_bound *b = idmap_get(&f->bounds, s->hash);
    if (b && b->shape == s)
        return b;
    if (!b) {
        b = xcalloc(1, sizeof *b);
        idmap_set(&f->bounds, s->hash, b);
    }
    *b = (struct forecast_bound){.shape = s, .t = INT64_MIN};
    return b;
}

/* The nodes of its reservation are free for it. */
static void forecast_suspend_own(struct forecasts *f, const struct pool_use *own, bool aside)
{
    for (uint32_t i = 0; own && i < own->n_parts; i++) {
        uint32_t class = f->class_of[own->parts[i].node];
        if (class == UINT32_MAX)
            continue;
        struct timeline *l = &f->classes[class].line;
        if (aside)
            timeline_give(l, own->start, own->end, own->parts[i].amount);
        else
            timeline_take(l, own->start, own->end, own->parts[i].amount);
    }
}

/* In one partition, earlier than ret->t, which then is changed; without limits. Of nodes that are counted
 * together it takes whole ones if it shares them with its own user alone. */
static void forecast_find_free(struct forecasts *f, const struct plan_choice *c, int64_t from,
                               struct forecast_start *ret)
{
    struct demand whole = *c->demand;
    struct plan_choice on_whole = *c;
    if (!f->by_node && whole.who.alone) {
        whole.need.whole_nodes = true;
        on_whole.demand = &whole;
        c = &on_whole;
    }
    forecast_find_in_one(f, c, from, ret);
    if (ret->t > from && (f->by_node ? c->demand->nodes_max > 1 : ret->t == WHEN_NEVER))
        forecast_find_in_many(f, c, from, ret);
}

/* On the nodes of one group, and from the time on when any nodes will do on those. More groups than one are
 * as good as any nodes. */
static void forecast_find_in_groups(struct forecasts *f, const struct plan_choice *c, int64_t from,
                                    struct forecast_start *ret)
{
    struct plan_choice in_group = *c;
    int64_t until = c->demand->groups_until;
    for (uint32_t g = 0; g <= f->pool->n_groups; g++) {
        struct nodeset set;
        nodeset_init(&set, f->pool->n_nodes);
        for (uint32_t i = 0; i < f->pool->n_nodes; i++) {
            bool is_in = f->pool->nodes[i].group == g && nodeset_has(c->set, i);
            if (is_in)
                nodeset_add(&set, i);
            if (is_in && nodeset_is_listed(c->set, i))
                nodeset_add_listed(&set, i);
        }
        in_group.set = &set;
        if (set.n && set.n_listed == c->set->n_listed)
            forecast_find_free(f, &in_group, from, ret);
        nodeset_fini(&set);
    }
    if (ret->t > until)
        forecast_find_free(f, c, from > until ? from : until, ret);
}

static void forecast_find_somewhere(struct forecasts *f, const struct plan_choice *c, int64_t from,
                                    struct forecast_start *ret)
{
    if (f->pool->n_groups && c->demand->groups_max == 1 && demand_is_in_groups(c->demand, from))
        forecast_find_in_groups(f, c, from, ret);
    else
        forecast_find_free(f, c, from, ret);
}

/* The same within limits: repeated until limits and free resources agree. */
static void forecast_find_allowed(struct forecasts *f, const struct job_class *g, uint32_t choice,
                                  const char *licences, int64_t from, struct forecast_start *ret)
{
    const struct plan_choice *c = &g->choices[choice];
    struct forecast_start at = {.parts = VEC_INIT};
    int64_t t = limit_plan_next(f->limits, &g->requests[choice], licences, from, c->len);
    for (int i = 0; i < AGREE_MAX && t < ret->t && t < f->window_end; i++) {
        at.t = ret->t;
        forecast_find_somewhere(f, c, t, &at);
        if (at.t >= ret->t)
            break;
        t = limit_plan_next(f->limits, &g->requests[choice], licences, at.t, c->len);
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

void forecast_find(struct forecasts *f, const struct job_class *g, uint32_t tier_at, const char *licences,
                   int64_t from, struct forecast_start *ret)
{
    bool all = tier_at == ALL_TIERS;
    uint32_t first = all ? 0 : g->tiers[tier_at].first;
    uint32_t end = all ? g->n_choices : first + g->tiers[tier_at].n;
    ret->t = WHEN_NEVER;
    forecast_suspend_own(f, g->own, true);
    vec_clear(&ret->parts);
    bool gone = !f->limits && !str_is_empty(licences); /* no licence is configured any more */
    for (uint32_t i = first; i < end && !gone; i++) {
        const struct plan_choice *c = &g->choices[i];
        struct forecast_bound *b = forecast_bound_of(f, g->shapes[i]);
        int64_t begin = b->t > from ? b->t : from, before = ret->t;
        if (begin >= before || begin >= f->window_end || forecast_names_one_out(f, c))
            continue;
        if (f->limits)
            forecast_find_allowed(f, g, i, licences, begin, ret);
        else
            forecast_find_somewhere(f, c, begin, ret);
        if (ret->t < before)
            ret->choice = i;
        /* Searched without a cut-off from the first possible time on: a valid bound. */
        if (before == WHEN_NEVER && !f->limits && (from <= f->t.ms || from <= b->t))
            b->t = ret->t;
    }
    forecast_suspend_own(f, g->own, false);
    bool late = ret->t != WHEN_NEVER && ((g->ends && ret->t >= g->ends) ||
                                         when_plus(ret->t, g->choices[ret->choice].len_min) > g->deadline);
    ret->t = late ? WHEN_NEVER : ret->t;
}

void forecast_take(struct forecasts *f, const struct forecast_start *at, const struct job_class *g,
                   const char *licences)
{
    const struct plan_choice *c = &g->choices[at->choice];
    limit_plan_take(f->limits, &g->requests[at->choice], licences, at->t, when_plus(at->t, c->len));
    int64_t end = forecast_on_grid(f, when_plus(at->t, c->len), true);
    vec_for_each (&at->parts, i) {
        struct node_class *class = &f->classes[at->parts.v[i].node];
        struct amount free = timeline_min(&class->line, at->t, end);
        timeline_take(&class->line, at->t, end,
                      demand_takes(c->demand, &class->cap, at->parts.v[i].amount, free));
        if (f->users)
            node_users_add(&class->users, (struct node_user){c->demand->who, at->t, end});
    }
}
