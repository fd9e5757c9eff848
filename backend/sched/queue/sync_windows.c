/* sync_windows.c - windows and reservations: each takes whole nodes of the pool from its start to its end.
 */
#include <stdlib.h>

#include "backend/sched/queue/queue.h"
#include "src/model/window.h"

/* Its nodes as positions. */
static void sync_windows_nodes_of_window(const struct queue *q, const struct window *w, struct nodeset *ret)
{
    nodeset_init(ret, q->pool.n_nodes);
    bool all = w->nodes.n == 1 && str_eq(w->nodes.v[0], WINDOW_ALL_NODES);
    for (uint32_t i = 0; all && i < q->pool.n_nodes; i++)
        nodeset_add(ret, i);
    for (size_t i = 0; !all && i < w->nodes.n; i++) {
        uint32_t at = queue_find_node(q, w->nodes.v[i]);
        if (at != UINT32_MAX)
            nodeset_add(ret, at);
    }
}

static void sync_windows_parts_of_window(const struct queue *q, const struct window *w,
                                         struct pool_parts *ret)
{
    struct nodeset s;
    sync_windows_nodes_of_window(q, w, &s);
    for (uint32_t k = 0; k < q->pool.n_nodes; k++)
        if (nodeset_has(&s, k))
            vec_push(&ret->v, (struct pool_part){.node = k, .amount = q->pool.nodes[k].cap});
    nodeset_fini(&s);
}

static bool sync_windows_same_parts(const struct pool_use *u, const struct pool_parts *parts)
{
    bool same = u->n_parts == parts->v.n;
    for (uint32_t i = 0; i < u->n_parts && same; i++)
        same =
            u->parts[i].node == parts->v.v[i].node && amount_eq(u->parts[i].amount, parts->v.v[i].amount);
    return same;
}

/* Entries that wait for it or in it are read again; their classes are rebuilt. */
static void sync_windows_turn_out(struct queue *q, const char *name)
{
    idmap_for_each (&q->entries.by_job, slot) {
        struct pending_entry *u = slot->value;
        const struct job *j = queue_job(q, u->job);
        if (!j || !str_eq(req_rare(&j->req)->reservation, name))
            continue;
        vec_push(&q->notes.jobs, u->job);
        if (!u->class)
            continue;
        plan_slots_drop(&q->slots, &u->slot);
        sync_leave_class(q, u);
    }
}

static bool sync_windows_is_reservation(const struct window *w)
{
    return w->kind == WINDOW_RESERVATION;
}

static void sync_windows_drop_window(struct queue *q, struct window_use *use)
{
    plan_slots_note_freed_all(&q->slots, &use->use);
    q->changes.freed = true;
    pool_drop(&q->pool, &use->use);
    free(use->name);
    free(use);
}

void sync_drop_windows(struct queue *q)
{
    vec_for_each (&q->windows, i)
        sync_windows_drop_window(q, q->windows.v[i]);
    vec_clear(&q->windows);
}

static void sync_windows_add_window(struct queue *q, const struct window *w, const struct pool_parts *parts)
{
    struct window_use *use = xcalloc(1, sizeof *use);
    *use = (struct window_use){.name = xstrdup(w->name),
                               .start = w->start.ms,
                               .end = w->end.ms,
                               .is_reservation = sync_windows_is_reservation(w)};
    if (parts->v.n)
        pool_plan(&q->pool, &use->use, parts, w->start.ms, w->end.ms);
    vec_push(&q->windows, use);
    q->changes.lost = true;
}

/* The use of the window if it is unchanged; NULL: none. */
static struct window_use *sync_windows_find_window(struct queue *q, const struct window *w,
                                                   const struct pool_parts *parts)
{
    vec_for_each (&q->windows, i) {
        struct window_use *use = q->windows.v[i];
        if (str_eq(use->name, w->name) && use->start == w->start.ms && use->end == w->end.ms &&
            use->is_reservation == sync_windows_is_reservation(w) &&
            sync_windows_same_parts(&use->use, parts))
            return use;
    }
    return NULL;
}

/* Drops windows that have gone or changed, then adds new ones. */
bool sync_windows(struct queue *q)
{
    const struct model *m = q->view->model;
    struct pool_parts *parts = xcalloc(m->windows.n + 1, sizeof *parts);
    bool *there = xcalloc(m->windows.n + 1, sizeof *there);
    vec_for_each (&q->windows, i)
        q->windows.v[i]->seen = false;
    for (size_t i = 0; i < m->windows.n; i++) {
        sync_windows_parts_of_window(q, &m->windows.v[i], &parts[i]);
        struct window_use *use = sync_windows_find_window(q, &m->windows.v[i], &parts[i]);
        there[i] = use != NULL;
        if (use)
            use->seen = true;
    }
    size_t kept = 0;
    bool gone = false;
    vec_for_each (&q->windows, i) {
        struct window_use *use = q->windows.v[i];
        if (use->seen) {
            q->windows.v[kept++] = use;
            continue;
        }
        if (use->is_reservation) {
            gone = true;
            sync_windows_turn_out(q, use->name);
        }
        sync_windows_drop_window(q, use);
    }
    q->windows.n = kept;
    for (size_t i = 0; i < m->windows.n; i++) {
        if (!there[i]) {
            sync_windows_add_window(q, &m->windows.v[i], &parts[i]);
            if (sync_windows_is_reservation(&m->windows.v[i]))
                sync_windows_turn_out(q, m->windows.v[i].name);
        }
        vec_fini(&parts[i].v);
    }
    free(parts);
    free(there);
    return gone;
}

/* Windows that are over have freed their nodes. */
void sync_end_windows(struct queue *q)
{
    vec_for_each (&q->windows, i) {
        const struct window_use *w = q->windows.v[i];
        if (w->end <= q->last_now || w->end > q->now.ms)
            continue;
        if (w->is_reservation)
            sync_windows_turn_out(q, w->name);
        plan_slots_note_freed_all(&q->slots, &w->use);
        q->changes.freed = true;
    }
}
