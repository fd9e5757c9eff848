/* queue_free.c - frees a queue, at once or in pieces after a rebuild. */
#include <stdlib.h>

#include "backend/sched/queue/queue.h"
#include "src/base/xalloc.h"

void queue_drop_started(struct queue *q)
{
    vec_for_each (&q->active.started, i) {
        struct tentative *t = q->active.started.v[i];
        plan_slots_note_freed_all(&q->slots, &t->use); /* what runs is charged again */
        pool_drop(&q->pool, &t->use);
        active_count_element(q, t->array_job, -1);
        free(t);
    }
    vec_clear(&q->active.started);
}

static void queue_free_nodes(struct queue *q)
{
    struct node_table *t = &q->nodes;
    for (uint32_t i = 0; i < q->pool.n_nodes; i++) {
        free(t->unknown[i].parts);
        free(t->gpu_types[i]);
    }
    for (uint32_t i = 0; i < t->n_parts; i++)
        nodeset_fini(&t->part_nodes[i]);
    free(t->gpu_types);
    free(t->tmp_mib);
    free(t->size_unknown);
    free(t->part_nodes);
    idmap_fini(&t->node_at);
    idmap_fini(&t->groups);
    pool_fini(&q->pool);
    free(t->unknown); /* the pool's heap of ends refers to it */
    pool_fini(&q->empty);
}

static void queue_free_entries(struct queue *q)
{
    idmap_for_each (&q->entries.by_job, slot) {
        struct pending_entry *u = slot->value;
        plan_slots_drop(&q->slots, &u->slot);
        sync_leave_class(q, u);
        free(u);
    }
    idmap_fini(&q->entries.by_job);
    heap_fini(&q->entries.wakes);
    vec_fini(&q->entries.fresh);
    vec_fini(&q->entries.moved);
}

static void queue_free_active(struct queue *q)
{
    list_for_each (r, &q->active.list, struct active_job, link)
        sync_drop_active(q, r);
    idmap_for_each (&q->active.licensed, slot)
        held_licences_free(slot->value);
    idmap_fini(&q->active.by_job);
    idmap_fini(&q->active.array_running);
    idmap_fini(&q->active.awaited);
    idmap_fini(&q->active.licensed);
    licence_use_fini(&q->active.licences);
    heap_fini(&q->active.exempt);
    vec_fini(&q->active.started);
}

static void queue_free_classes(struct queue *q)
{
    idmap_for_each (&q->classes.owners, slot)
        for (struct owner *o = slot->value, *next; o; o = next) {
            next = o->next;
            free(o->account);
            free(o->user);
            free(o);
        }
    idmap_fini(&q->classes.owners);
    idmap_fini(&q->classes.sets);
    idmap_fini(&q->classes.shapes);
    idmap_fini(&q->classes.by_key);
    class_numbers_fini(q);
}

void queue_fini(struct queue *q)
{
    queue_drop_started(q);
    queue_free_entries(q);
    queue_free_active(q);
    sync_drop_windows(q);
    vec_fini(&q->windows);
    plan_slots_fini(&q->slots);
    queue_free_nodes(q);
    queue_free_classes(q);
    if (q->prios.known)
        prio_ctx_fini(&q->prios.ctx);
    priorities_drop_update(q);
    limits_free(q->limits);
    free(q->qos_levels);
    vec_fini(&q->notes.jobs);
}

/* --- in pieces, the queue before a rebuild --- */

enum { FREE_UNITS, FREE_RUNS, FREE_GROUPS, FREE_REST };

static void queue_move_list(struct list *to, struct list *from)
{
    list_init(to);
    if (list_empty(from))
        return;
    *to = *from;
    to->next->prev = to->prev->next = to;
    list_init(from);
}

void queue_bury(struct queue *q)
{
    struct queue *o = xmalloc(sizeof *o);
    *o = *q;
    queue_move_list(&o->classes.list, &q->classes.list);
    queue_move_list(&o->classes.buried, &q->classes.buried);
    queue_move_list(&o->active.list, &q->active.list);
    queue_move_list(&o->active.leaving, &q->active.leaving);
    queue_move_list(&o->active.candidates, &q->active.candidates);
    queue_move_list(&o->entries.with_extra_slots, &q->entries.with_extra_slots);
    queue_move_list(&o->slots.list, &q->slots.list);
    o->slots.pool = &o->pool;
    o->freeing = (struct queue_freeing){.stage = FREE_UNITS};
    *q = (struct queue){.view = o->view,
                        .probe = o->probe,
                        .now = o->now,
                        .last_now = o->last_now,
                        .cycle_no = o->cycle_no,
                        .by_user = o->by_user,
                        .prios.shares = o->prios.shares,
                        .notes = o->notes};
    o->notes = (struct queue_notes){0};
    queue_init_lists(q);
    q->old = o;
}

static void queue_free_runs(struct active_job *r)
{
    vec_for_each (&r->v, i) {
        free(r->v.v[i]->use.parts);
        free(r->v.v[i]);
    }
    vec_fini(&r->v);
    free(r);
}

static void queue_free_unit(struct pending_entry *u)
{
    for (uint32_t i = 0; i < u->extra.n; i++)
        free(u->extra.v[i].use.parts);
    free(u->extra.v);
    free(u->slot.use.parts);
    free(u->slot.on);
    free(u);
}

/* Frees the values of a map, from where the last call ended. Returns whether all are freed. */
static bool queue_free_slots(struct queue *o, struct idmap *map, bool units, uint64_t *n)
{
    size_t *at = &o->freeing.at;
    for (; *at < map->cap && *n; ++*at) {
        void *value = map->slots[*at].value;
        if (!value)
            continue;
        --*n;
        if (units)
            queue_free_unit(value);
        else
            queue_free_runs(value);
    }
    if (*at < map->cap)
        return false;
    *at = 0;
    idmap_fini(map);
    *map = (struct idmap){0};
    return true;
}

static bool queue_free_class_list(struct queue *o, uint64_t *n)
{
    for (; !list_empty(&o->classes.list) && *n; --*n)
        job_class_drop(o, list_first(&o->classes.list, struct job_class, link));
    return list_empty(&o->classes.list);
}

/* Its pool is freed as a whole: no allocation is given back to it. */
static bool queue_free_some(struct queue *o, uint64_t *n)
{
    int *stage = &o->freeing.stage;
    if (*stage == FREE_UNITS && o->freeing.at == 0) {
        queue_drop_started(o);
        o->entries.wakes.n = o->active.exempt.n = o->pool.ends.n = 0; /* their nodes go one by one */
    }
    if (*stage == FREE_UNITS && queue_free_slots(o, &o->entries.by_job, true, n)) {
        list_init(&o->slots.list);
        list_init(&o->entries.with_extra_slots);
        *stage = FREE_RUNS;
    }
    if (*stage == FREE_RUNS && queue_free_slots(o, &o->active.by_job, false, n)) {
        list_init(&o->active.list);
        list_init(&o->active.leaving);
        list_init(&o->active.candidates);
        *stage = FREE_GROUPS;
    }
    if (*stage == FREE_GROUPS && queue_free_class_list(o, n))
        *stage = FREE_REST;
    if (*stage != FREE_REST || !*n)
        return false;
    queue_fini(o);
    return true;
}

bool queue_free_old(struct queue *q, uint64_t *n)
{
    while (q->old && *n) {
        struct queue *o = q->old, *next = o->old;
        if (!queue_free_some(o, n))
            break;
        free(o);
        q->old = next;
    }
    return !q->old;
}
