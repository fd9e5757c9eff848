/* syncwindows.c - windows and reservations: each holds whole nodes of the pool from its start to its end.
 */
#include <stdlib.h>

#include "backend/sched/queue/sync_private.h"
#include "src/model/window.h"

/* Its nodes as positions. */
static void nodes_of_window(const struct planner *p, const struct window *w, struct nodeset *ret)
{
    nodeset_init(ret, p->pool.n_nodes);
    bool all = w->nodes.n == 1 && str_eq(w->nodes.v[0], WINDOW_ALL_NODES);
    for (uint32_t i = 0; all && i < p->pool.n_nodes; i++)
        nodeset_add(ret, i);
    for (size_t i = 0; !all && i < w->nodes.n; i++) {
        uint32_t at = planner_find_node(p, w->nodes.v[i]);
        if (at != UINT32_MAX)
            nodeset_add(ret, at);
    }
}

static void parts_of_window(const struct planner *p, const struct window *w, struct pool_parts *ret)
{
    struct nodeset s;
    nodes_of_window(p, w, &s);
    for (uint32_t k = 0; k < p->pool.n_nodes; k++)
        if (nodeset_has(&s, k))
            vec_push(&ret->v, (struct pool_part){.node = k, .amount = p->pool.nodes[k].cap});
    nodeset_fini(&s);
}

static bool same_parts(const struct pool_use *u, const struct pool_parts *parts)
{
    bool same = u->n_parts == parts->v.n;
    for (uint32_t i = 0; i < u->n_parts && same; i++)
        same =
            u->parts[i].node == parts->v.v[i].node && amount_eq(u->parts[i].amount, parts->v.v[i].amount);
    return same;
}

/* What waits for it, or in it, is asked at the gate again; its groups are made anew. */
static void turn_out(struct planner *p, const char *name)
{
    idmap_for_each (&p->units, slot) {
        struct unit *u = slot->value;
        const struct job *j = planner_job(p, u->job);
        if (!j || !str_eq(req_rare(&j->req)->reservation, name))
            continue;
        vec_push(&p->dirty, u->job);
        if (!u->group)
            continue;
        backfill_give_up(&p->backfill, &u->hold);
        sync_leave_group(p, u);
    }
}

static bool is_reservation(const struct window *w)
{
    return w->kind == WINDOW_RESERVATION;
}

static void drop_window(struct planner *p, struct window_use *use)
{
    backfill_gain_all(&p->backfill, &use->use);
    p->gained = true;
    pool_drop(&p->pool, &use->use);
    free(use->name);
    free(use);
}

void sync_drop_windows(struct planner *p)
{
    vec_for_each (&p->windows, i)
        drop_window(p, p->windows.v[i]);
    vec_clear(&p->windows);
}

static void add_window(struct planner *p, const struct window *w, const struct pool_parts *parts)
{
    struct window_use *use = xcalloc(1, sizeof *use);
    *use = (struct window_use){.name = xstrdup(w->name),
                               .start = w->start.ms,
                               .end = w->end.ms,
                               .is_reservation = is_reservation(w)};
    if (parts->v.n)
        pool_hold(&p->pool, &use->use, parts, w->start.ms, w->end.ms);
    vec_push(&p->windows, use);
    p->lost = true;
}

/* The one that is there for it already, as it is now; NULL: none. */
static struct window_use *find_window(struct planner *p, const struct window *w,
                                      const struct pool_parts *parts)
{
    vec_for_each (&p->windows, i) {
        struct window_use *use = p->windows.v[i];
        if (str_eq(use->name, w->name) && use->start == w->start.ms && use->end == w->end.ms &&
            use->is_reservation == is_reservation(w) && same_parts(&use->use, parts))
            return use;
    }
    return NULL;
}

/* Those that are no longer there, or have changed, go; then come those that are new. */
void sync_windows(struct planner *p)
{
    const struct model *m = p->view->model;
    struct pool_parts *parts = xcalloc(m->windows.n + 1, sizeof *parts);
    bool *there = xcalloc(m->windows.n + 1, sizeof *there);
    vec_for_each (&p->windows, i)
        p->windows.v[i]->seen = false;
    for (size_t i = 0; i < m->windows.n; i++) {
        parts_of_window(p, &m->windows.v[i], &parts[i]);
        struct window_use *use = find_window(p, &m->windows.v[i], &parts[i]);
        there[i] = use != NULL;
        if (use)
            use->seen = true;
    }
    size_t kept = 0;
    vec_for_each (&p->windows, i) {
        struct window_use *use = p->windows.v[i];
        if (use->seen) {
            p->windows.v[kept++] = use;
            continue;
        }
        if (use->is_reservation) {
            forecast_forget(p); /* it may be looking at groups that have their place in it */
            turn_out(p, use->name);
        }
        drop_window(p, use);
    }
    p->windows.n = kept;
    for (size_t i = 0; i < m->windows.n; i++) {
        if (!there[i]) {
            add_window(p, &m->windows.v[i], &parts[i]);
            if (is_reservation(&m->windows.v[i]))
                turn_out(p, m->windows.v[i].name);
        }
        vec_fini(&parts[i].v);
    }
    free(parts);
    free(there);
}

/* A window that is over has given its nodes back. */
void sync_end_windows(struct planner *p)
{
    vec_for_each (&p->windows, i) {
        const struct window_use *w = p->windows.v[i];
        if (w->end <= p->last_now || w->end > p->now.ms)
            continue;
        if (w->is_reservation)
            turn_out(p, w->name);
        backfill_gain_all(&p->backfill, &w->use);
        p->gained = true;
    }
}
