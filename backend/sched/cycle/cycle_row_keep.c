/* cycle_row_keep.c - the row of passed classes, from one cycle to the next: classes that have changed are
 * lined up again, and the others get their places in the queue as of now.
 */
#include <stdlib.h>

#include "backend/sched/cycle/cycle_internal.h"

#define PLACE_COST 2 /* of a new key, in nodes looked at */

void cycle_row_touch(struct cycle *s, struct job_class *g)
{
    if (g->touched_in == s->p->queue.cycle_no)
        return;
    g->touched_in = s->p->queue.cycle_no;
    vec_push(&s->p->row.touched, g->number);
}

struct row_touched {
    uint64_t nth;
    uint32_t number;
};

static int cycle_row_by_nth(const void *pa, const void *pb)
{
    const struct row_touched *a = pa, *b = pb;
    return a->nth < b->nth ? -1 : a->nth > b->nth;
}

void cycle_row_order_touched(struct planner *p)
{
    struct cycle_row *r = &p->row;
    VEC(struct row_touched) v = VEC_INIT;
    bool in_order = true;
    vec_for_each (&r->touched, i) {
        const struct job_class *g = class_numbered(&p->queue, r->touched.v[i]);
        if (!g)
            continue;
        in_order = in_order && (!v.n || v.v[v.n - 1].nth < g->nth);
        vec_push(&v, ((struct row_touched){.nth = g->nth, .number = g->number}));
    }
    if (!in_order)
        qsort(v.v, v.n, sizeof *v.v, cycle_row_by_nth);
    vec_clear(&r->touched);
    vec_for_each (&v, i)
        vec_push(&r->touched, v.v[i].number);
    vec_fini(&v);
}

void cycle_row_forget_reported(struct planner *p)
{
    struct cycle_row *r = &p->row;
    size_t n = 0;
    vec_for_each (&r->touched, i) {
        const struct job_class *g = class_numbered(&p->queue, r->touched.v[i]);
        if (g && g->rest.now != g->rest.told)
            r->touched.v[n++] = r->touched.v[i];
    }
    r->touched.n = n;
}

/* Its victims are on their way out: it is examined. */
static void cycle_row_note_awaited(struct planner *p)
{
    idmap_for_each (&p->queue.active.awaited, slot) {
        const struct pending_entry *u = idmap_get(&p->queue.entries.by_job, slot->id);
        if (u && u->class)
            class_note_changed(&p->queue, u->class);
    }
}

static void cycle_row_keep_unchanged(struct planner *p)
{
    struct row_part *part = &p->row.now;
    size_t n = 0;
    vec_for_each (&part->others, i)
        if (!class_has_changed(&p->queue, part->others.v[i]))
            part->others.v[n++] = part->others.v[i];
    part->others.n = n;
    n = 0;
    vec_for_each (&part->passed, i)
        if (!class_has_changed(&p->queue, part->passed.v[i].number)) {
            if (n != i)
                part->passed.v[n] = part->passed.v[i];
            n++;
        }
    part->passed.n = n;
    p->queue.pool.cost += n / 8;
}

void cycle_row_resume(struct cycle *s)
{
    struct planner *p = s->p;
    const struct class_numbers *classes = &p->queue.classes.numbers;
    p->row.known = p->row.known && !classes->all_changed && p->row.version == p->queue.prios.version;
    p->row.version = p->queue.prios.version;
    if (p->row.known) {
        cycle_row_note_awaited(p);
        cycle_row_keep_unchanged(p);
        vec_for_each (&classes->changed, i)
            if (class_numbered(&p->queue, classes->changed.v[i]))
                vec_push(&p->row.now.others, classes->changed.v[i]);
    }
    class_forget_changes(&p->queue);
    p->row.placed = 0;
}

/* --- their places --- */

static void cycle_row_place(struct planner *p, struct passed_item *x)
{
    uint32_t prio;
    if (x->keeps_priority) {
        prio = kept_priority_now(&p->queue, &x->priority);
    } else {
        const struct pending_entry *u = cycle_item_head(x->g, x->tier_at);
        prio = job_class_priority(&p->queue, x->g, x->tier_at, u->job, u->submit_ms);
    }
    x->key.first = (x->key.first & ~(uint64_t)UINT32_MAX) | prio;
}

struct passed_place {
    struct queue_key key;
    size_t at;
};

/* Merges the runs [from, mid) and [mid, to). */
static void cycle_row_merge(const struct passed_place *v, struct passed_place *out, size_t from, size_t mid,
                            size_t to)
{
    size_t a = from, b = mid;
    for (size_t i = from; i < to; i++) {
        bool second = a == mid || (b < to && queue_key_before(&v[b].key, &v[a].key));
        out[i] = v[second ? b++ : a++];
    }
}

static size_t cycle_row_end_of_run(const struct passed_place *v, size_t at, size_t n)
{
    for (at++; at < n && !queue_key_before(&v[at].key, &v[at - 1].key);)
        at++;
    return at < n ? at : n;
}

/* By merging the runs that are in order already: ages and shares move few jobs past one another. Returns
 * which of the two arrays has them in order. */
static struct passed_place *cycle_row_sort(struct passed_place *v, struct passed_place *out, size_t n)
{
    for (bool whole = false; !whole;) {
        whole = true;
        for (size_t from = 0; from < n;) {
            size_t mid = cycle_row_end_of_run(v, from, n);
            size_t to = mid < n ? cycle_row_end_of_run(v, mid, n) : n;
            cycle_row_merge(v, out, from, mid, to);
            whole = whole && from == 0 && to == n;
            from = to;
        }
        struct passed_place *swap = v;
        v = out;
        out = swap;
    }
    return v;
}

static void cycle_row_order(struct planner *p)
{
    struct row_part *now = &p->row.now, *room = &p->row.next;
    size_t n = now->passed.n;
    bool in_order = true;
    for (size_t i = 1; i < n && in_order; i++)
        in_order = !queue_key_before(&now->passed.v[i].key, &now->passed.v[i - 1].key);
    if (in_order)
        return;
    struct passed_place *places = xcalloc(2 * n, sizeof *places), *v;
    for (size_t i = 0; i < n; i++)
        places[i] = (struct passed_place){.key = now->passed.v[i].key, .at = i};
    v = cycle_row_sort(places, places + n, n);
    vec_reserve(&room->passed, n);
    for (size_t i = 0; i < n; i++)
        room->passed.v[i] = now->passed.v[v[i].at];
    struct passed_item *swap = now->passed.v;
    size_t cap = now->passed.cap;
    now->passed.v = room->passed.v;
    now->passed.cap = room->passed.cap;
    room->passed.v = swap;
    room->passed.cap = cap;
    free(places);
    p->queue.pool.cost += n;
}

bool cycle_row_place_some(struct cycle *s)
{
    struct cycle_row *r = &s->p->row;
    if (!r->known)
        return false;
    for (int i = 0; i < 64 && r->placed < r->now.passed.n; i++, r->placed++) {
        cycle_row_place(s->p, &r->now.passed.v[r->placed]);
        s->p->queue.pool.cost += PLACE_COST;
    }
    if (r->placed < r->now.passed.n)
        return true;
    if (r->placed != SIZE_MAX)
        cycle_row_order(s->p);
    r->placed = SIZE_MAX;
    return false;
}

/* --- as a whole --- */

static void cycle_row_part_clear(struct row_part *r)
{
    vec_clear(&r->passed);
    vec_clear(&r->others);
}

void cycle_row_reset(struct planner *p)
{
    struct cycle_row *r = &p->row;
    cycle_row_part_clear(&r->now);
    cycle_row_part_clear(&r->next);
    vec_clear(&r->touched);
    free(r->freed.in);
    r->freed = (struct row_freed){0};
    r->known = r->complete = false;
}

void cycle_row_init(struct planner *p)
{
    p->row.freed.in = xcalloc(p->queue.nodes.n_parts + (size_t)1, sizeof *p->row.freed.in);
}

void cycle_row_fini(struct planner *p)
{
    struct cycle_row *r = &p->row;
    cycle_row_reset(p);
    vec_fini(&r->now.passed);
    vec_fini(&r->now.others);
    vec_fini(&r->next.passed);
    vec_fini(&r->next.others);
    vec_fini(&r->touched);
    vec_fini(&r->marks);
}
