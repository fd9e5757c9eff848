/* sim_loop.c - backend/loop/loop.h over virtual time, linked in its place.
 *
 * Descriptors are real (Unix sockets within this process); those that are ready are served in an order that
 * the dice choose, as epoll promises none. There are no signals.
 */
#include <poll.h>
#include <stdlib.h>

#include "src/base/err.h"
#include "src/base/vec.h"
#include "tests/vopr/sim.h"

struct ready {
    struct loop_fd *w; /* NULL: unwatched since */
    unsigned bits;
};

struct loop {
    struct heap timers;
    struct list calls;
    VEC(struct loop_fd *) fds; /* those that are waited for */
    VEC(struct ready) batch;
    VEC(struct pollfd) polls;
    struct mono now;
    struct wall wall;
    bool stopped;
    loop_fn turn_fn;
    void *turn_ctx;
};

struct loop *loop_new(void)
{
    struct loop *l = xcalloc(1, sizeof *l);
    list_init(&l->calls);
    l->now = mono_read();
    l->wall = wall_read();
    return l;
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    heap_fini(&l->timers);
    vec_fini(&l->fds);
    vec_fini(&l->batch);
    vec_fini(&l->polls);
    free(l);
}

static void forget_fd(struct loop *l, const struct loop_fd *w)
{
    vec_for_each (&l->fds, i)
        if (l->fds.v[i] == w) {
            vec_remove(&l->fds, i);
            return;
        }
}

void loop_watch(struct loop *l, struct loop_fd *w, unsigned want)
{
    unsigned had = w->watched ? w->want : 0;
    w->watched = true;
    w->want = want;
    if (!had && want)
        vec_push(&l->fds, w);
    else if (had && !want)
        forget_fd(l, w);
}

void loop_unwatch(struct loop *l, struct loop_fd *w)
{
    if (!w->watched)
        return;
    forget_fd(l, w);
    w->watched = false;
    w->want = 0;
    vec_for_each (&l->batch, i)
        if (l->batch.v[i].w == w)
            l->batch.v[i].w = NULL;
}

void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t delay_ms)
{
    heap_remove(&l->timers, &t->node);
    heap_insert(&l->timers, &t->node, mono_add_ms(mono_read(), delay_ms > 0 ? delay_ms : 0).ns);
}

void loop_timer_cancel(struct loop *l, struct loop_timer *t)
{
    heap_remove(&l->timers, &t->node);
}

void loop_call_ask(struct loop *l, struct loop_call *call)
{
    if (!loop_call_is_asked(call))
        list_insert_before(&l->calls, &call->link);
}

void loop_call_cancel(struct loop_call *call)
{
    if (loop_call_is_asked(call))
        list_unlink(&call->link);
}

void sim_timer_at(struct loop_timer *t, int64_t at_ns)
{
    heap_remove(&sim.world->timers, &t->node);
    heap_insert(&sim.world->timers, &t->node, at_ns);
}

int64_t loop_next_ns(const struct loop *l)
{
    const struct heap_node *first = heap_peek(&l->timers);
    return first ? first->key : INT64_MAX;
}

static short events_of(unsigned want)
{
    return (short)((want & LOOP_READ ? POLLIN | POLLRDHUP : 0) | (want & LOOP_WRITE ? POLLOUT : 0));
}

static unsigned ready_bits(short events)
{
    if (events & (POLLERR | POLLHUP))
        return LOOP_READ | LOOP_WRITE;
    return (events & (POLLIN | POLLRDHUP) ? LOOP_READ : 0u) | (events & POLLOUT ? LOOP_WRITE : 0u);
}

/* How many are ready; polls has them in the order of fds. */
static int poll_fds(struct loop *l)
{
    vec_clear(&l->polls);
    vec_for_each (&l->fds, i)
        vec_push(&l->polls, (struct pollfd){.fd = l->fds.v[i]->fd, .events = events_of(l->fds.v[i]->want)});
    int n = l->polls.n ? poll(l->polls.v, (nfds_t)l->polls.n, 0) : 0;
    bug_on(n < 0);
    return n;
}

bool sim_loop_is_ready(const struct loop *l)
{
    union {
        const struct loop *in;
        struct loop *out; /* polls is scratch space */
    } u = {.in = l};
    return !list_empty(&l->calls) || poll_fds(u.out) > 0;
}

static void fire_fds(struct loop *l)
{
    vec_clear(&l->batch);
    vec_for_each (&l->polls, i)
        if (l->polls.v[i].revents)
            vec_push(&l->batch, (struct ready){l->fds.v[i], ready_bits(l->polls.v[i].revents)});
    for (size_t i = l->batch.n; i > 1; i--) {
        size_t k = sim_below((uint32_t)i);
        struct ready r = l->batch.v[k];
        l->batch.v[k] = l->batch.v[i - 1];
        l->batch.v[i - 1] = r;
    }
    for (size_t i = 0; i < l->batch.n; i++) {
        struct ready r = l->batch.v[i];
        if (r.w && r.w->want)
            r.w->fn(r.w->ctx, r.bits);
    }
    vec_clear(&l->batch);
}

static void fire_timers(struct loop *l)
{
    uint64_t armed_before = l->timers.seq;
    for (struct heap_node *n;
         (n = heap_peek(&l->timers)) && n->key <= l->now.ns && n->seq <= armed_before;) {
        heap_remove(&l->timers, n);
        struct loop_timer *t = container_of(n, struct loop_timer, node);
        t->fn(t->ctx);
    }
}

static void fire_calls(struct loop *l)
{
    while (!list_empty(&l->calls)) {
        struct loop_call *call = list_first(&l->calls, struct loop_call, link);
        list_unlink(&call->link);
        call->fn(call->ctx);
    }
}

void loop_on_signals(struct loop *l, const int *signals, int n, loop_signal_fn fn, void *ctx)
{
    (void)l;
    (void)signals;
    (void)n;
    (void)fn;
    (void)ctx;
}

void loop_on_turn(struct loop *l, loop_fn fn, void *ctx)
{
    l->turn_fn = fn;
    l->turn_ctx = ctx;
}

/* Never waits: the world's driver has moved the clock before. Where the loop would wait again the driver
 * goes on, so what is asked for comes at the end of the turn. */
void loop_turn(struct loop *l, int timeout_ms)
{
    (void)timeout_ms;
    poll_fds(l);
    l->now = mono_read();
    l->wall = wall_read();
    fire_fds(l);
    fire_timers(l);
    if (l->turn_fn)
        l->turn_fn(l->turn_ctx);
    fire_calls(l);
}

void loop_run(struct loop *l)
{
    l->stopped = false;
    while (!l->stopped)
        loop_turn(l, -1);
}

void loop_stop(struct loop *l)
{
    l->stopped = true;
}

struct mono loop_now(const struct loop *l)
{
    return l->now;
}

struct wall loop_wall(const struct loop *l)
{
    return l->wall;
}
