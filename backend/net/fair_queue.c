/* fair_queue.c - lines of connections, one for each user. */
#include "backend/net/fair_queue.h"

#include "src/base/err.h"

#define TURN_NS     (8 * NS_PER_MS) /* of a turn, for all */
#define TURN_NS_MIN (1 * NS_PER_MS) /* for each, however many there are */
#define BATCH_MOST  2000u           /* messages of one user, each ... */
#define BATCH_BYTES 16384u          /* ... of so many bytes: what is larger counts as several */
#define BURST_S     10              /* of the rate, at once */

void fair_pool_init(struct fair_pool *p, struct loop *l)
{
    *p = (struct fair_pool){.loop = l};
    list_init(&p->lined);
}

static void fair_on_again(void *ctx);

void fair_queue_init(struct fair_queue *s, struct fair_pool *p, uint32_t rate)
{
    *s = (struct fair_queue){.pool = p, .rate = rate, .again = {.fn = fair_on_again, .ctx = s}};
    list_init(&s->lined);
    list_init(&s->line);
}

void fair_queue_fini(struct fair_queue *s)
{
    bug_on(!list_empty(&s->line));
    loop_timer_cancel(s->pool->loop, &s->again);
}

/* --- what is left --- */

static void fair_begin_turn(struct fair_queue *s)
{
    struct fair_pool *p = s->pool;
    struct mono now = loop_now(p->loop);
    if (s->turn.ns == now.ns)
        return;
    s->turn = now;
    int64_t part = TURN_NS / (p->n_lined + (list_empty(&s->lined) ? 1 : 0));
    part = part < TURN_NS_MIN ? TURN_NS_MIN : part;
    s->left_ns = s->left_ns < 0 ? s->left_ns + part : part;
}

static bool fair_batch_is_full(struct fair_queue *s)
{
    if (s->batch != s->pool->batch) {
        s->batch = s->pool->batch;
        s->in_batch = 0;
    }
    return s->in_batch >= BATCH_MOST;
}

/* Until the rate lets it say something. */
static int64_t fair_slowed_ns(const struct fair_queue *s)
{
    int64_t ns = s->due.ns - loop_now(s->pool->loop).ns - BURST_S * NS_PER_S;
    return s->rate && ns > 0 ? ns : 0;
}

static bool fair_may_go_on(struct fair_queue *s)
{
    fair_begin_turn(s);
    return s->left_ns > 0 && !fair_batch_is_full(s) && !fair_slowed_ns(s);
}

bool fair_queue_is_open(struct fair_queue *s)
{
    return list_empty(&s->line) && fair_may_go_on(s);
}

void fair_queue_spend(struct fair_queue *s, uint32_t messages, size_t bytes, int64_t ns)
{
    int64_t now = loop_now(s->pool->loop).ns;
    s->left_ns -= ns;
    s->spent_ns += ns;
    s->n_messages += messages;
    s->in_batch += messages + (uint32_t)(bytes / BATCH_BYTES);
    if (!s->rate)
        return;
    s->due.ns = (s->due.ns > now ? s->due.ns : now) + messages * (NS_PER_S / s->rate);
}

/* --- the line --- */

/* When the line goes on: in the next turn, or when the rate says so; what waits for a batch is called. */
static void fair_wait_for_more(struct fair_queue *s)
{
    struct fair_pool *p = s->pool;
    int64_t ns = fair_slowed_ns(s);
    s->n_slowed += ns && !s->slowed;
    s->slowed = ns > 0;
    if (ns || !fair_batch_is_full(s))
        loop_timer_set(p->loop, &s->again, (ns + NS_PER_MS - 1) / NS_PER_MS);
}

static void fair_note_line(struct fair_queue *s)
{
    struct fair_pool *p = s->pool;
    bool was = !list_empty(&s->lined), is = !list_empty(&s->line);
    if (is && !was) {
        list_append(&p->lined, &s->lined);
        p->n_lined++;
    } else if (was && !is) {
        list_unlink(&s->lined);
        p->n_lined--;
        loop_timer_cancel(p->loop, &s->again);
    }
}

static void fair_on_again(void *ctx)
{
    struct fair_queue *s = ctx;
    s->slowed = false;
    s->serving = true;
    while (!list_empty(&s->line) && fair_may_go_on(s)) {
        struct fair_place *first = list_first(&s->line, struct fair_place, link);
        list_unlink(&first->link);
        first->serve(first->ctx);
    }
    s->serving = false;
    fair_note_line(s);
    if (!list_empty(&s->line))
        fair_wait_for_more(s);
}

void fair_pool_next_batch(struct fair_pool *p)
{
    p->batch++;
    list_for_each (s, &p->lined, struct fair_queue, lined)
        if (!s->slowed)
            loop_timer_set(p->loop, &s->again, 0);
}

void fair_place_init(struct fair_place *place, struct fair_queue *s, void (*serve)(void *ctx), void *ctx)
{
    *place = (struct fair_place){.share = s, .serve = serve, .ctx = ctx};
    list_init(&place->link);
}

void fair_place_line_up(struct fair_place *place)
{
    struct fair_queue *s = place->share;
    if (!list_empty(&place->link))
        return;
    list_append(&s->line, &place->link);
    if (s->serving || !list_empty(&s->lined))
        return; /* somebody stands there, or it is just being served */
    fair_note_line(s);
    fair_wait_for_more(s);
}

void fair_place_leave(struct fair_place *place)
{
    if (!place->share || list_empty(&place->link))
        return;
    list_unlink(&place->link);
    if (!place->share->serving)
        fair_note_line(place->share);
}
