/* whyqueue.c - who stands in front of a waiting job: its place in a partition's queue, and what those ahead
 * ask for.
 *
 * In the queue stand those who wait for their turn or for resources alone (planner_stands_in_row). Whom
 * something else keeps back is in nobody's way, and has no place.
 */
#include <stdlib.h>

#include "backend/sched/why_private.h"
#include "src/base/xalloc.h"

/* In the queue of that partition: with its tier and the priority there. */
static struct rank rank_in_queue(const struct planner *p, const struct group *g, const struct unit *u,
                                 uint32_t lane)
{
    const struct job *j = model_get_job(p->view->model, u->job);
    bool borrow = planner_limit_state(p, g) == LIMIT_OVER_SOFT;
    uint32_t choice = 0;
    while (choice + 1 < g->n_choices && g->choices[choice].lane != lane)
        choice++;
    uint32_t prio = j ? prio_of(&p->asking, j, &p->view->model->spec.parts.v[lane], NULL) : 0;
    return rank_of(g, group_entry_of(g, choice), borrow, prio, u->submit_ms, u->order_id, u->order_index);
}

static bool group_uses(const struct group *g, uint32_t lane)
{
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (g->choices[i].lane == lane)
            return true;
    return false;
}

/* Each element is one of the queue, as far as the array's throttle lets it run now; where they wait for
 * others one by one, the next. A step job is one, however many tasks wait. */
static uint32_t count_in_row(const struct question *q, const struct unit *u)
{
    const struct job *j = u->count > 1 ? model_get_job(q->v->model, u->job) : NULL;
    if (!j || !job_is_array_record(j) || u->by_element || u->singleton)
        return 1;
    uint32_t most = planner_throttle_leaves(q->p, j);
    return most >= u->count ? u->count : most ? most : 1; /* none is left: others have started since */
}

/* --- the queue of each partition in its order --- */

struct place {
    struct rank rank;
    uint32_t job, n, before;    /* n: elements; before: of those in front of it */
    uint64_t gpus, gpus_before; /* that they ask for */
};

struct lane_queue {
    VEC(struct place) v;
    struct idmap at; /* job -> its place in v + 1 */
    uint32_t of;
    bool made;
};

/* A list asks about each of its rows: the order is worked out once for all of them. */
struct queue_order {
    struct lane_queue *lanes;
    uint32_t n_lanes;
    int64_t made_ms;
};

#define SMALL_QUEUE 1000u /* in order anew for each question */
#define FRESH_MS    1000  /* and a millisecond more for so many units */
#define FRESH_UNITS 20u

void why_free_order(struct planner *p)
{
    for (uint32_t i = 0; p->order && i < p->order->n_lanes; i++) {
        vec_fini(&p->order->lanes[i].v);
        idmap_fini(&p->order->lanes[i].at);
    }
    if (p->order)
        free(p->order->lanes);
    free(p->order);
    p->order = NULL;
}

void why_begin_order(struct planner *p, struct wall now)
{
    int64_t age = p->order ? now.ms - p->order->made_ms : 0;
    bool fresh = p->order && p->units.n > SMALL_QUEUE && p->order->n_lanes == p->n_parts && age >= 0 &&
                 age < FRESH_MS + (int64_t)(p->units.n / FRESH_UNITS);
    if (fresh)
        return;
    why_free_order(p);
    p->order = xcalloc(1, sizeof *p->order);
    p->order->n_lanes = p->n_parts;
    p->order->lanes = xcalloc(p->n_parts + 1, sizeof *p->order->lanes);
    p->order->made_ms = now.ms;
}

static int by_rank(const void *pa, const void *pb)
{
    const struct place *a = pa, *b = pb;
    return rank_before(&a->rank, &b->rank) ? -1 : rank_before(&b->rank, &a->rank);
}

static void add_group(const struct question *q, const struct group *g, uint32_t lane, struct lane_queue *l)
{
    list_for_each (u, &g->units, struct unit, in_group) {
        if (!planner_stands_in_row(q->p, u))
            continue;
        const struct job *j = model_get_job(q->v->model, u->job);
        struct place at = {.rank = rank_in_queue(q->p, g, u, lane), .job = u->job, .n = count_in_row(q, u)};
        at.gpus = j ? (uint64_t)job_gpus(j) * at.n : 0;
        vec_push(&l->v, at);
    }
}

static struct lane_queue *queue_of(const struct question *q, uint32_t lane)
{
    struct lane_queue *l = &q->p->order->lanes[lane];
    uint64_t gpus = 0;
    if (l->made)
        return l;
    l->made = true;
    list_for_each (g, &q->p->groups, struct group, link)
        if (group_uses(g, lane))
            add_group(q, g, lane, l);
    if (l->v.n)
        qsort(l->v.v, l->v.n, sizeof *l->v.v, by_rank);
    vec_for_each (&l->v, i) {
        l->v.v[i].before = l->of;
        l->v.v[i].gpus_before = gpus;
        l->of += l->v.v[i].n;
        gpus += l->v.v[i].gpus;
        idmap_set(&l->at, l->v.v[i].job, (void *)(uintptr_t)(i + 1));
    }
    return l;
}

struct row { /* of the queue in a partition */
    uint32_t before, of;
    uint64_t gpus; /* that those before ask for */
};

/* One that has come in since stands where it would. */
static struct row row_of(const struct question *q, uint32_t lane, const struct rank *mine)
{
    const struct lane_queue *l = queue_of(q, lane);
    uintptr_t known = (uintptr_t)idmap_get(&l->at, q->u->job);
    size_t low = 0, high = l->v.n;
    if (known) {
        const struct place *p = &l->v.v[known - 1];
        return (struct row){.before = p->before, .of = l->of, .gpus = p->gpus_before};
    }
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (rank_before(&l->v.v[mid].rank, mine))
            low = mid + 1;
        else
            high = mid;
    }
    const struct place *last = low ? &l->v.v[low - 1] : NULL;
    return (struct row){.before = last ? last->before + last->n : 0,
                        .of = l->of,
                        .gpus = last ? last->gpus_before + last->gpus : 0};
}

/* The one whose turn it is there, where that one stands ahead; 0: it does not. */
static uint32_t first_ahead(const struct question *q, uint32_t lane, const struct rank *mine)
{
    const struct unit *u = q->p->first_blocked ? idmap_get(&q->p->units, q->p->first_blocked[lane]) : NULL;
    if (!u || u == q->u || !planner_stands_in_row(q->p, u))
        return 0;
    struct rank its = rank_in_queue(q->p, u->group, u, lane);
    return rank_before(&its, mine) ? u->job : 0;
}

void why_behind(const struct question *q, uint32_t lane)
{
    struct rank mine = rank_in_queue(q->p, q->u->group, q->u, lane);
    struct row row = row_of(q, lane, &mine);
    if (!q->w->rank && planner_stands_in_row(q->p, q->u)) { /* in the first where it could run */
        q->w->rank = row.before + 1;
        q->w->rank_of = row.of;
    }
    if (!row.before)
        return;
    struct str b = STR_INIT;
    uint32_t first = first_ahead(q, lane, &mine);
    str_appendf(&b, "%u job%s", row.before, row.before == 1 ? "" : "s");
    if (row.gpus)
        str_appendf(&b, " (%llu GPU%s)", (unsigned long long)row.gpus, row.gpus == 1 ? "" : "s");
    str_appendf(&b, " %s ahead in %s", row.before == 1 ? "is" : "are",
                q->v->model->spec.parts.v[lane].name);
    const struct job *f = first ? model_get_job(q->v->model, first) : NULL;
    if (f && f->state != JOB_PENDING)
        str_appendf(&b, "; tasks of %u, which runs, wait for resources first", first);
    else if (first)
        str_appendf(&b, "; the first of them, %u, waits for resources", first);
    why_add_cause(q->w, WHY_BEHIND, (struct wall){0}, str_take(&b));
    why_set_head(q->w, xasprintf("%u job%s ahead", row.before, row.before == 1 ? "" : "s"), NULL,
                 (struct wall){0});
}
