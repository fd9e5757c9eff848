#include "backend/net/fair_queue.h"

#include "src/base/err.h"

#define ITERATION_NS     (8 * NS_PER_MS) /* of a loop iteration, for all queues */
#define ITERATION_NS_MIN (1 * NS_PER_MS) /* for each queue, however many there are */
#define BATCH_MOST       2000u           /* messages of one user, each ... */
#define BATCH_BYTES      2048u           /* ... of this many bytes: what is larger counts as several */
#define BURST_S          10              /* of the rate, at once */

void fair_pool_init(struct fair_pool *p, struct loop *l)
{
    *p = (struct fair_pool){.loop = l};
    list_init(&p->busy);
}

static void fair_on_again(void *ctx);

void fair_queue_init(struct fair_queue *q, struct fair_pool *p, uint32_t rate)
{
    *q = (struct fair_queue){.pool = p, .rate = rate, .again = {.fn = fair_on_again, .ctx = q}};
    list_init(&q->link);
    list_init(&q->waiting);
}

void fair_queue_fini(struct fair_queue *q)
{
    bug_on(!list_empty(&q->waiting));
    loop_timer_cancel(q->pool->loop, &q->again);
}

/* --- what is left --- */

static void fair_begin_iteration(struct fair_queue *q)
{
    struct fair_pool *p = q->pool;
    struct mono now = loop_now(p->loop);
    if (q->iteration.ns == now.ns)
        return;
    q->iteration = now;
    int64_t part = ITERATION_NS / (p->n_busy + (list_empty(&q->link) ? 1 : 0));
    part = part < ITERATION_NS_MIN ? ITERATION_NS_MIN : part;
    q->left_ns = q->left_ns < 0 ? q->left_ns + part : part;
}

static bool fair_batch_is_full(struct fair_queue *q)
{
    if (q->batch != q->pool->batch) {
        q->batch = q->pool->batch;
        q->in_batch = 0;
    }
    return q->in_batch >= BATCH_MOST;
}

/* Until the rate allows a message. */
static int64_t fair_slowed_ns(const struct fair_queue *q)
{
    int64_t ns = q->due.ns - loop_now(q->pool->loop).ns - BURST_S * NS_PER_S;
    return q->rate && ns > 0 ? ns : 0;
}

static bool fair_may_go_on(struct fair_queue *q)
{
    fair_begin_iteration(q);
    return q->left_ns > 0 && !fair_batch_is_full(q) && !fair_slowed_ns(q);
}

bool fair_queue_is_open(struct fair_queue *q)
{
    return list_empty(&q->waiting) && fair_may_go_on(q);
}

void fair_queue_spend(struct fair_queue *q, uint32_t messages, size_t bytes, int64_t ns)
{
    int64_t now = loop_now(q->pool->loop).ns;
    q->left_ns -= ns;
    q->spent_ns += ns;
    q->n_messages += messages;
    q->in_batch += messages + (uint32_t)(bytes / BATCH_BYTES);
    if (!q->rate)
        return;
    q->due.ns = (q->due.ns > now ? q->due.ns : now) + messages * (NS_PER_S / q->rate);
}

/* --- waiting --- */

/* The queue is served again in the next iteration, or when the rate allows; fair_pool_next_batch calls what
 * waits for a batch. */
static void fair_wait_for_more(struct fair_queue *q)
{
    struct fair_pool *p = q->pool;
    int64_t ns = fair_slowed_ns(q);
    q->n_slowed += ns && !q->slowed;
    q->slowed = ns > 0;
    if (ns || !fair_batch_is_full(q))
        loop_timer_set(p->loop, &q->again, (ns + NS_PER_MS - 1) / NS_PER_MS);
}

static void fair_note_waiting(struct fair_queue *q)
{
    struct fair_pool *p = q->pool;
    bool was = !list_empty(&q->link), is = !list_empty(&q->waiting);
    if (is && !was) {
        list_append(&p->busy, &q->link);
        p->n_busy++;
    } else if (was && !is) {
        list_unlink(&q->link);
        p->n_busy--;
        loop_timer_cancel(p->loop, &q->again);
    }
}

static void fair_on_again(void *ctx)
{
    struct fair_queue *q = ctx;
    q->slowed = false;
    q->serving = true;
    while (!list_empty(&q->waiting) && fair_may_go_on(q)) {
        struct fair_place *first = list_first(&q->waiting, struct fair_place, link);
        list_unlink(&first->link);
        first->serve(first->ctx);
    }
    q->serving = false;
    fair_note_waiting(q);
    if (!list_empty(&q->waiting))
        fair_wait_for_more(q);
}

void fair_pool_next_batch(struct fair_pool *p)
{
    p->batch++;
    list_for_each (q, &p->busy, struct fair_queue, link)
        if (!q->slowed)
            loop_timer_set(p->loop, &q->again, 0);
}

void fair_place_init(struct fair_place *place, struct fair_queue *q, void (*serve)(void *ctx), void *ctx)
{
    *place = (struct fair_place){.queue = q, .serve = serve, .ctx = ctx};
    list_init(&place->link);
}

void fair_place_line_up(struct fair_place *place)
{
    struct fair_queue *q = place->queue;
    if (!list_empty(&place->link))
        return;
    list_append(&q->waiting, &place->link);
    if (q->serving || !list_empty(&q->link))
        return; /* it waits already, or is being served */
    fair_note_waiting(q);
    fair_wait_for_more(q);
}

void fair_place_leave(struct fair_place *place)
{
    if (!place->queue || list_empty(&place->link))
        return;
    list_unlink(&place->link);
    if (!place->queue->serving)
        fair_note_waiting(place->queue);
}
