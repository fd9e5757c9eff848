/* plan_lanes.c - the lanes of the timeline. */
#include "ui/info/plan_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/values/hostlist.h"
#include "ui/text/view_text.h"

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

static bool plan_lanes_has_rest(const struct plan_row *r)
{
    return r->busy_until.ms > r->end.ms && wall_is_set(r->end);
}

static struct bar_item rest_of(const struct plan_row *r)
{
    return (struct bar_item){.row = r, .start = r->end, .end = r->busy_until, .rest = true};
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
    if (plan_lanes_has_rest(r))
        vec_push(&p->items, rest_of(r));
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

/* --- by GPU --- */

struct gpu_lane {
    struct on_node on;
    struct wall end; /* of the last one in it */
};

/* The GPUs of a node that a job holds. A job that has not started holds none: where its GPUs will be is not
 * settled before. */
static struct cpuset gpus_held_by(const struct model *m, const struct plan_row *r, const char *node)
{
    struct cpuset held = {0};
    const struct job *j = r->kind == PLAN_RUNNING ? model_get_job(m, r->job) : NULL;
    for (size_t i = 0; j && i < j->alloc.n; i++)
        if (str_eq(j->alloc.v[i].node, node))
            cpuset_or(&held, &j->alloc.v[i].gpus);
    for (size_t i = 0; j && i < j->steps.n && !j->alloc.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (task_is_live(t) && str_eq(t->alloc.node, node))
                cpuset_or(&held, &t->alloc.gpus);
        }
    return held;
}

static void gpu_lane_put(struct gpu_lane *l, const struct bar_item *b)
{
    vec_push(&l->on.v, *b);
    l->end = b->end.ms > l->end.ms ? b->end : l->end;
}

/* A bar in the lanes of its GPUs: those it holds, all of a window; for a planned start as many as it needs
 * of those that are free then. Returns false where that is none. */
static bool put_on_gpus(struct gpu_lane *gpus, unsigned n, const struct bar_item *b,
                        const struct cpuset *held)
{
    const struct plan_row *r = b->row;
    unsigned need = r->n_nodes ? r->gpus / r->n_nodes : 0, put = 0;
    for (unsigned i = 0; i < n; i++) {
        bool planned = cpuset_is_empty(held) && need && gpus[i].end.ms <= b->start.ms;
        if (r->kind != PLAN_WINDOW && !cpuset_has(held, i) && !planned)
            continue;
        gpu_lane_put(&gpus[i], b);
        need -= planned;
        put++;
    }
    return put > 0;
}

static bool same_bars(const struct on_node *a, const struct on_node *b)
{
    bool same = a->v.n == b->v.n;
    for (size_t i = 0; same && i < a->v.n; i++)
        same = a->v.v[i].row == b->v.v[i].row && a->v.v[i].rest == b->v.v[i].rest;
    return same;
}

static void add_gpu_lanes(struct planlanes *p, const char *node, struct gpu_lane *gpus, unsigned n,
                          uint64_t id)
{
    for (unsigned from = 0, to; from < n; from = to) {
        size_t first = p->items.n;
        for (to = from + 1; to < n && same_bars(&gpus[from].on, &gpus[to].on);)
            to++;
        vec_for_each (&gpus[from].on.v, i)
            vec_push(&p->items, gpus[from].on.v.v[i]);
        add_lane(p, node, first, from > 0, id + from);
        struct lane *l = &p->lanes.v[p->lanes.n - 1];
        l->has_gpus = true;
        l->gpu = from;
        l->gpu_last = to - 1;
    }
}

static void lanes_of_gpus(struct planlanes *p, const struct model *m, const struct node *node,
                          struct on_node *on, uint64_t id)
{
    unsigned n = node->gpus < CPUSET_MAX ? node->gpus : CPUSET_MAX;
    struct gpu_lane *gpus = xcalloc(n, sizeof *gpus);
    struct on_node others = {0};
    if (on->v.n)
        qsort(on->v.v, on->v.n, sizeof *on->v.v, plan_lanes_by_start);
    vec_for_each (&on->v, i) {
        struct cpuset held = gpus_held_by(m, on->v.v[i].row, node->spec.name);
        if (!put_on_gpus(gpus, n, &on->v.v[i], &held))
            vec_push(&others.v, on->v.v[i]);
    }
    add_gpu_lanes(p, node->spec.name, gpus, n, id);
    size_t first = p->lanes.n;
    if (others.v.n)
        lanes_of_node(p, node->spec.name, &others, id + n);
    for (size_t i = first; i < p->lanes.n; i++)
        p->lanes.v[i].again = true;
    vec_fini(&others.v);
    for (unsigned i = 0; i < n; i++)
        vec_fini(&gpus[i].on.v);
    free(gpus);
}

/* --- on nodes --- */

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
        if (on && plan_lanes_has_rest(r))
            vec_push(&on->v, rest_of(r));
    }
    strv_fini(&names);
}

static void lanes_by_node(struct planlanes *p, const struct msg_plan *plan, const struct model *m,
                          struct wall now, struct wall until, enum plan_by by)
{
    struct on_node *all = xcalloc(m->n_nodes + 1, sizeof *all);
    struct idmap index = {0};
    for (size_t i = 0; i < m->n_nodes; i++)
        idmap_set(&index, hash_bytes(m->nodes[i]->spec.name, strlen(m->nodes[i]->spec.name)), &all[i]);
    for (size_t i = 0; i < plan->rows.n; i++)
        if (plan->rows.v[i].kind != PLAN_WINDOW && plan->rows.v[i].start.ms < until.ms)
            put_on_nodes(&plan->rows.v[i], &index, now);
    for (size_t k = 0; k < m->windows.n; k++) /* a window of thousands of nodes need not be written out */
        for (size_t i = 0; i < m->n_nodes; i++)
            if (window_has_node(&m->windows.v[k], m->nodes[i]->spec.name))
                vec_push(&all[i].v, item_of(&p->windows.rows.v[k], now));
    for (size_t i = 0; i < m->n_nodes; i++) {
        if (by == PLAN_BY_GPU && m->nodes[i]->gpus)
            lanes_of_gpus(p, m, m->nodes[i], &all[i], (i + 1) << 12);
        else if (!str_eq(m->nodes[i]->spec.role, "login"))
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
                    struct wall now, struct wall until, enum plan_by by)
{
    vec_clear(&p->items);
    vec_clear(&p->lanes);
    plan_lanes_take_windows(p, m);
    if (by == PLAN_BY_JOB)
        lanes_by_job(p, plan, now);
    else
        lanes_by_node(p, plan, m, now, until, by);
}

void planlanes_fini(struct planlanes *p)
{
    vec_fini(&p->items);
    vec_fini(&p->lanes);
    rec_fini(&msg_plan_rec, &p->windows);
}

/* --- looking --- */

void lane_gpus_text(const struct lane *l, struct str *out)
{
    str_appendf(out, "%u", l->gpu);
    if (l->gpu_last > l->gpu)
        str_appendf(out, "-%u", l->gpu_last);
}

bool lane_shares_node(const struct planlanes *p, const struct lane *l)
{
    const struct lane *end = p->lanes.v + p->lanes.n;
    return !l->has_gpus && (l->again || (l + 1 < end && l[1].again));
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
