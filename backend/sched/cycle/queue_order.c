/* queue_order.c - the order of each partition's queue, for queries about a job's place in it.
 *
 * Up to SMALL_QUEUE waiting jobs it is worked out for each query. A long queue is sorted in slices
 * (queue_order_step), at most every few seconds and only after a query. Meanwhile the order before it
 * answers; without one, queries are answered without a place.
 */
#include <stdlib.h>

#include "backend/sched/cycle/cycle_internal.h"
#include "src/base/xalloc.h"

#define SMALL_QUEUE 1000u
#define FRESH_MS    1000 /* and a millisecond more for each this many entries */
#define FRESH_UNITS 20u
#define OLD_MS      60000 /* older than that it says nothing about now */
#define RUN         256   /* places that are sorted in one go; longer runs are merged */

enum stage { STAGE_COLLECT, STAGE_SORT, STAGE_COUNT, STAGE_DONE };

struct queue_order {
    struct partition_queue *partitions;
    uint32_t n_partitions;
    int64_t made_ms;
    /* --- while it is made --- */
    enum stage stage;
    VEC(uint32_t) jobs; /* pending when it was begun */
    size_t at;          /* of the jobs, or of the partition's places */
    uint32_t partition;
    size_t run; /* 0: the partition's places have not been sorted at all */
    struct queue_place *merged;
};

static void order_free(struct queue_order *o)
{
    for (uint32_t i = 0; o && i < o->n_partitions; i++) {
        vec_fini(&o->partitions[i].v);
        idmap_fini(&o->partitions[i].at);
    }
    if (!o)
        return;
    vec_fini(&o->jobs);
    free(o->merged);
    free(o->partitions);
    free(o);
}

void queue_order_free(struct planner *p)
{
    order_free(p->order);
    order_free(p->order_making);
    p->order = p->order_making = NULL;
}

static struct queue_order *order_begin_order(const struct planner *p, struct wall now)
{
    struct queue_order *o = xcalloc(1, sizeof *o);
    o->n_partitions = p->queue.nodes.n_parts;
    o->partitions = xcalloc(p->queue.nodes.n_parts + 1, sizeof *o->partitions);
    o->made_ms = now.ms;
    idmap_for_each (&p->queue.entries.by_job, slot)
        vec_push(&o->jobs, ((const struct pending_entry *)slot->value)->job);
    return o;
}

/* --- its slices --- */

static bool order_partition_was_before(const struct job_class *g, uint32_t choice)
{
    for (uint32_t i = 0; i < choice; i++)
        if (g->choices[i].partition == g->choices[choice].partition)
            return true;
    return false;
}

/* Each element counts, as far as the array's throttle lets it run now; if elements wait for other jobs one
 * by one, the next one. A step job counts once. */
static uint32_t order_count_in_row(const struct planner *p, const struct pending_entry *u)
{
    const struct job *j = u->count > 1 ? model_get_job(p->queue.view->model, u->job) : NULL;
    if (!j || !job_is_array_record(j) || u->by_element || u->singleton)
        return 1;
    uint32_t most = preempt_throttle_left(&p->preempt, j);
    return most >= u->count ? u->count
           : most           ? most
                            : 1; /* none is left: other elements have started since */
}

static void order_collect(const struct planner *p, struct queue_order *o, uint32_t job)
{
    const struct pending_entry *u = idmap_get(&p->queue.entries.by_job, job);
    if (!u || !u->class || !planner_is_in_line(p, u))
        return;
    const struct job *j = model_get_job(p->queue.view->model, job);
    struct queue_place at = {.job = job, .n = order_count_in_row(p, u)};
    at.gpus = j ? (uint64_t)job_gpus(j) * at.n : 0;
    for (uint32_t i = 0; i < u->class->n_choices; i++) {
        uint32_t partition = u->class->choices[i].partition;
        if (partition >= o->n_partitions || order_partition_was_before(u->class, i))
            continue;
        at.key = queue_order_key(p, u->class, u, partition);
        vec_push(&o->partitions[partition].v, at);
    }
}

static int order_by_queue_key(const void *pa, const void *pb)
{
    const struct queue_place *a = pa, *b = pb;
    return queue_key_before(&a->key, &b->key) ? -1 : queue_key_before(&b->key, &a->key);
}

/* Merges two adjacent runs of places. Returns how many places were touched. */
static size_t order_merge(struct queue_order *o, struct queue_place *v, size_t n_first, size_t n)
{
    size_t a = 0, b = n_first, out = 0;
    while (a < n_first && b < n)
        o->merged[out++] = order_by_queue_key(&v[b], &v[a]) < 0 ? v[b++] : v[a++];
    while (a < n_first)
        o->merged[out++] = v[a++];
    for (size_t i = 0; i < out; i++) /* what is left of the second run is in its place */
        v[i] = o->merged[i];
    return n;
}

/* Sorts one run of the partition, or merges two. Returns the cost, in places. */
static size_t order_sort_some(struct queue_order *o)
{
    struct partition_queue *l = &o->partitions[o->partition];
    size_t width = o->run ? o->run : RUN, cost = 1;
    if (!o->merged && l->v.n > RUN)
        o->merged = xmalloc(l->v.n * sizeof *o->merged);
    if (o->at >= l->v.n) {
        o->at = 0;
        o->run = o->run ? o->run * 2 : RUN;
    } else if (!o->run) {
        size_t n = l->v.n - o->at < RUN ? l->v.n - o->at : RUN;
        qsort(l->v.v + o->at, n, sizeof *l->v.v, order_by_queue_key);
        o->at += n;
        cost = n;
    } else {
        size_t n = l->v.n - o->at < 2 * width ? l->v.n - o->at : 2 * width;
        cost = n > width ? order_merge(o, l->v.v + o->at, width, n) / 4 + 1 : 1;
        o->at += n;
    }
    if (o->at == 0 && o->run >= l->v.n) {
        free(o->merged);
        o->merged = NULL;
        o->run = 0;
        o->partition++;
    }
    return cost;
}

static void order_count_one(struct partition_queue *l, size_t i)
{
    struct queue_place *at = &l->v.v[i], *last = i ? at - 1 : NULL;
    at->before = l->of;
    at->gpus_before = last ? last->gpus_before + last->gpus : 0;
    l->of += at->n;
    idmap_set(&l->at, at->job, (void *)(uintptr_t)(i + 1));
}

static size_t order_count_some(struct queue_order *o)
{
    struct partition_queue *l = &o->partitions[o->partition];
    if (o->at < l->v.n) {
        order_count_one(l, o->at++);
    } else {
        o->at = 0;
        o->partition++;
    }
    return 1;
}

/* Returns the cost, in places. */
static size_t order_step(const struct planner *p, struct queue_order *o)
{
    bool through = o->stage == STAGE_COLLECT ? o->at >= o->jobs.n : o->partition >= o->n_partitions;
    if (through) {
        o->stage++;
        o->at = o->partition = 0;
        return 1;
    }
    if (o->stage == STAGE_COLLECT) {
        order_collect(p, o, o->jobs.v[o->at++]);
        return 4;
    }
    return o->stage == STAGE_SORT ? order_sort_some(o) : order_count_some(o);
}

/* --- when --- */

bool queue_order_make_some(struct planner *p, size_t n)
{
    struct queue_order *o = p->order_making;
    if (!o || o->n_partitions != p->queue.nodes.n_parts) /* the queue was rebuilt since */
        return true;
    for (size_t cost; o->stage != STAGE_DONE && n; n -= cost < n ? cost : n)
        cost = order_step(p, o);
    if (o->stage != STAGE_DONE)
        return false;
    order_free(p->order);
    p->order = o;
    p->order_making = NULL;
    vec_fini(&o->jobs);
    return true;
}

void queue_order_begin(struct planner *p, struct wall now)
{
    bool is_long = p->queue.entries.by_job.n > SMALL_QUEUE;
    int64_t age = p->order ? now.ms - p->order->made_ms : 0;
    int64_t fresh_ms = FRESH_MS + (int64_t)(p->queue.entries.by_job.n / FRESH_UNITS);
    if (p->order &&
        (!is_long || p->order->n_partitions != p->queue.nodes.n_parts || age < 0 || age > OLD_MS)) {
        order_free(p->order);
        p->order = NULL;
    }
    bool stale = p->order_making && (!is_long || p->order_making->n_partitions != p->queue.nodes.n_parts);
    if (stale) {
        order_free(p->order_making);
        p->order_making = NULL;
    }
    if (!p->order_making && (!p->order || age >= fresh_ms))
        p->order_making = order_begin_order(p, now);
    if (!is_long)
        queue_order_make_some(p, SIZE_MAX);
}

const struct partition_queue *queue_order_of(const struct planner *p, uint32_t partition)
{
    return p->order && partition < p->order->n_partitions ? &p->order->partitions[partition] : NULL;
}

struct queue_key queue_order_key(const struct planner *p, const struct job_class *g,
                                 const struct pending_entry *u, uint32_t partition)
{
    const struct job *j = model_get_job(p->queue.view->model, u->job);
    bool by_preemptor = u->slot.use.parts && u->slot.by_preemption; /* it counts as started */
    bool borrow = !by_preemptor && job_class_limit_state(&p->queue, g) == LIMIT_OVER_SOFT;
    uint32_t choice = 0;
    while (choice + 1 < g->n_choices && g->choices[choice].partition != partition)
        choice++;
    uint32_t prio =
        j ? prio_of(&p->queue.prios.query, j, &p->queue.view->model->spec.parts.v[partition], NULL) : 0;
    return queue_key_of(g, job_class_tier_of(g, choice), borrow, prio, u->submit_ms, u->order_id,
                        u->order_index);
}
