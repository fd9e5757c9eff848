/* plan_lanes.c - the lanes of the timeline. */
#include "ui/plan/plan_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/hostlist.h"
#include "src/base/xalloc.h"

#define YEAR_S (365 * 86400)

bool plan_has_bar(const struct plan_row *r)
{
    return r->kind == PLAN_RUNNING || r->kind == PLAN_HELD || r->kind == PLAN_WINDOW ||
           (r->kind == PLAN_FORECAST && wall_is_set(r->start));
}

static struct bar_item item_of(const struct plan_row *r, struct wall now)
{
    return (struct bar_item){
        .row = r, .start = r->start, .end = wall_is_set(r->end) ? r->end : wall_add_s(now, YEAR_S)};
}

static void add_lane(struct planlanes *p, const char *node, size_t first, bool again, uint64_t id)
{
    vec_push(
        &p->lanes,
        (struct lane){.node = node, .first = first, .n = p->items.n - first, .again = again, .id = id});
}

static void add_job_lane(struct planlanes *p, const struct plan_row *r, struct wall now, uint64_t id)
{
    size_t first = p->items.n;
    vec_push(&p->items, item_of(r, now));
    add_lane(p, NULL, first, false, id);
}

static void lanes_by_job(struct planlanes *p, const struct msg_plan *plan, struct wall now)
{
    for (size_t i = 0; i < p->windows.rows.n; i++)
        add_job_lane(p, &p->windows.rows.v[i], now, (i + 1) << 1);
    for (size_t i = 0; i < plan->rows.n; i++)
        if (plan->rows.v[i].kind != PLAN_WINDOW)
            add_job_lane(p, &plan->rows.v[i], now, (uint64_t)plan->rows.v[i].job << 20 | 1);
}

/* --- by node --- */

struct on_node {
    VEC(struct bar_item) v;
};

static int plan_lanes_by_start(const void *pa, const void *pb)
{
    const struct bar_item *a = pa, *b = pb;
    return a->start.ms != b->start.ms ? (a->start.ms > b->start.ms) - (a->start.ms < b->start.ms)
                                      : (a->row->job > b->row->job) - (a->row->job < b->row->job);
}

/* Each bar into the first lane whose last one has ended by then. */
static void lanes_of_node(struct planlanes *p, const char *node, struct on_node *on, uint64_t id)
{
    if (!on->v.n) {
        add_lane(p, node, p->items.n, false, id);
        return;
    }
    qsort(on->v.v, on->v.n, sizeof *on->v.v, plan_lanes_by_start);
    bool *taken = xcalloc(on->v.n, sizeof *taken);
    for (size_t left = on->v.n, lane = 0; left; lane++) {
        size_t first = p->items.n;
        int64_t end = 0;
        for (size_t i = 0; i < on->v.n; i++)
            if (!taken[i] && on->v.v[i].start.ms >= end) {
                taken[i] = true;
                left--;
                end = on->v.v[i].end.ms;
                vec_push(&p->items, on->v.v[i]);
            }
        add_lane(p, node, first, lane > 0, id + lane);
    }
    free(taken);
}

static void put_on_nodes(const struct plan_row *r, const struct idmap *index, struct wall now)
{
    struct strv names = {0};
    struct errtext err;
    if (!r->nodes || !plan_has_bar(r) || hostlist_expand(r->nodes, &names, &err) < 0)
        return;
    for (size_t k = 0; k < names.n; k++) {
        struct on_node *on = idmap_get(index, hash_bytes(names.v[k], strlen(names.v[k])));
        if (on)
            vec_push(&on->v, item_of(r, now));
    }
    strv_fini(&names);
}

static void lanes_by_node(struct planlanes *p, const struct msg_plan *plan, const struct model *m,
                          struct wall now)
{
    struct on_node *all = xcalloc(m->n_nodes + 1, sizeof *all);
    struct idmap index = {0};
    for (size_t i = 0; i < m->n_nodes; i++)
        idmap_set(&index, hash_bytes(m->nodes[i]->spec.name, strlen(m->nodes[i]->spec.name)), &all[i]);
    for (size_t i = 0; i < plan->rows.n; i++)
        if (plan->rows.v[i].kind != PLAN_WINDOW)
            put_on_nodes(&plan->rows.v[i], &index, now);
    for (size_t k = 0; k < m->windows.n; k++) /* a window of thousands of nodes need not be written out */
        for (size_t i = 0; i < m->n_nodes; i++)
            if (window_has_node(&m->windows.v[k], m->nodes[i]->spec.name))
                vec_push(&all[i].v, item_of(&p->windows.rows.v[k], now));
    for (size_t i = 0; i < m->n_nodes; i++) {
        if (!str_eq(m->nodes[i]->spec.role, "login"))
            lanes_of_node(p, m->nodes[i]->spec.name, &all[i], (i + 1) << 12);
        vec_fini(&all[i].v);
    }
    idmap_fini(&index);
    free(all);
}

/* The plan has windows too, but it is as old as its last answer. */
static void plan_lanes_take_windows(struct planlanes *p, const struct model *m)
{
    rec_fini(&msg_plan_rec, &p->windows);
    for (size_t i = 0; i < m->windows.n; i++) {
        const struct window *w = &m->windows.v[i];
        *rec_list_push(&p->windows.rows) = (struct plan_row){
            .kind = PLAN_WINDOW,
            .count = 1,
            .name = xstrdup(str_is_empty(w->reason) ? w->name : w->reason),
            .nodes = hostlist_compress(&w->nodes),
            .start = w->start,
            .end = w->end,
        };
    }
}

void planlanes_fill(struct planlanes *p, const struct msg_plan *plan, const struct model *m,
                    struct wall now, bool by_job)
{
    vec_clear(&p->items);
    vec_clear(&p->lanes);
    plan_lanes_take_windows(p, m);
    if (by_job)
        lanes_by_job(p, plan, now);
    else
        lanes_by_node(p, plan, m, now);
}

void planlanes_fini(struct planlanes *p)
{
    vec_fini(&p->items);
    vec_fini(&p->lanes);
    rec_fini(&msg_plan_rec, &p->windows);
}

/* --- looking --- */

bool lane_shares_node(const struct planlanes *p, const struct lane *l)
{
    const struct lane *end = p->lanes.v + p->lanes.n;
    return l->again || (l + 1 < end && l[1].again);
}

void lane_look(const struct planlanes *p, const struct lane *l, struct wall at,
               const struct bar_item **here, const struct bar_item **next)
{
    *here = *next = NULL;
    for (size_t i = l->first; i < l->first + l->n; i++) {
        const struct bar_item *b = &p->items.v[i];
        if (!l->node || (b->start.ms <= at.ms && at.ms < b->end.ms))
            *here = *here ? *here : b;
        else if (b->start.ms > at.ms && (!*next || b->start.ms < (*next)->start.ms))
            *next = b;
    }
}
