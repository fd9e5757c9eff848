/* loop.c - epoll, a heap of timers, a signalfd: one turn after the other.
 *
 * Invariant: a watcher that is unwatched is cut out of the batch that is being delivered, so that its owner
 * may free it at once, and a descriptor number that is used again in the same turn never gets the event of
 * the one before it.
 */
#include "backend/loop/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"

#define BATCH_MAX 256

/* epoll_wait counts CLOCK_MONOTONIC, which stands still while the machine sleeps; timers count
 * CLOCK_BOOTTIME. Hence a bound on one wait: it is the longest that a timer can be late after a resume. */
#define WAIT_MAX_MS 30000

struct loop {
    int epoll;
    struct heap timers;
    struct list calls;
    struct epoll_event batch[BATCH_MAX];
    int batch_at, batch_n; /* what is still to be delivered of this turn */
    struct mono now;
    struct wall wall;
    bool stopped;
    struct loop_fd signal_fd;
    loop_signal_fn signal_fn;
    void *signal_ctx;
    loop_fn turn_fn;
    void *turn_ctx;
};

static void loop_read_clocks(struct loop *l)
{
    l->now = mono_read();
    l->wall = wall_read();
}

struct loop *loop_new(void)
{
    struct loop *l = xcalloc(1, sizeof *l);
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    bug_on(l->epoll < 0);
    l->signal_fd.fd = -1;
    list_init(&l->calls);
    loop_read_clocks(l);
    return l;
}

static void loop_fire_calls(struct loop *l);

void loop_free(struct loop *l)
{
    if (!l)
        return;
    loop_fire_calls(l); /* what was closed in the last iteration is freed by them */
    if (l->signal_fd.fd >= 0)
        close(l->signal_fd.fd);
    close(l->epoll);
    heap_fini(&l->timers);
    free(l);
}

/* --- descriptors --- */

/* A descriptor without a waiter is taken out of epoll: it would report a hang-up in every iteration. */
void loop_watch(struct loop *l, struct loop_fd *w, unsigned want)
{
    unsigned had = w->watched ? w->want : 0;
    w->watched = true;
    w->want = want;
    if (had == want)
        return;
    struct epoll_event ev = {
        .events = (want & LOOP_READ ? EPOLLIN | EPOLLRDHUP : 0u) | (want & LOOP_WRITE ? EPOLLOUT : 0u),
        .data.ptr = w,
    };
    int op = !had ? EPOLL_CTL_ADD : want ? EPOLL_CTL_MOD : EPOLL_CTL_DEL;
    bug_on(epoll_ctl(l->epoll, op, w->fd, &ev) < 0);
}

void loop_unwatch(struct loop *l, struct loop_fd *w)
{
    if (!w->watched)
        return;
    /* The descriptor may have been closed already: then the kernel has forgotten it. */
    if (w->want)
        epoll_ctl(l->epoll, EPOLL_CTL_DEL, w->fd, NULL);
    w->watched = false;
    w->want = 0;
    for (int i = l->batch_at; i < l->batch_n; i++)
        if (l->batch[i].data.ptr == w)
            l->batch[i].data.ptr = NULL;
}

static unsigned loop_ready_bits(uint32_t events)
{
    if (events & (EPOLLERR | EPOLLHUP))
        return LOOP_READ | LOOP_WRITE;
    return (events & (EPOLLIN | EPOLLRDHUP) ? LOOP_READ : 0u) | (events & EPOLLOUT ? LOOP_WRITE : 0u);
}

static void loop_fire_fds(struct loop *l)
{
    while (l->batch_at < l->batch_n) {
        struct epoll_event *ev = &l->batch[l->batch_at++];
        struct loop_fd *w = ev->data.ptr;
        /* want may have become 0 by a callback earlier in this turn. */
        if (w && w->want)
            w->fn(w->ctx, loop_ready_bits(ev->events));
    }
    l->batch_at = l->batch_n = 0;
}

/* --- timers --- */

void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t delay_ms)
{
    heap_remove(&l->timers, &t->node);
    heap_insert(&l->timers, &t->node, mono_add_ms(mono_read(), delay_ms > 0 ? delay_ms : 0).ns);
}

void loop_timer_cancel(struct loop *l, struct loop_timer *t)
{
    heap_remove(&l->timers, &t->node);
}

/* Milliseconds until the first timer, rounded up, so that it is due when epoll_wait returns. */
static int loop_wait_ms(const struct loop *l, int timeout_ms)
{
    int limit = timeout_ms < 0 || timeout_ms > WAIT_MAX_MS ? WAIT_MAX_MS : timeout_ms;
    const struct heap_node *first = heap_peek(&l->timers);
    if (!first)
        return limit;
    int64_t ns = first->key - mono_read().ns;
    if (ns <= 0)
        return 0;
    int64_t ms = (ns + NS_PER_MS - 1) / NS_PER_MS;
    return ms < limit ? (int)ms : limit;
}

/* What is armed during this turn waits for the next one, even with no delay. */
static void loop_fire_timers(struct loop *l)
{
    uint64_t armed_before = l->timers.seq;
    for (struct heap_node *n;
         (n = heap_peek(&l->timers)) && n->key <= l->now.ns && n->seq <= armed_before;) {
        heap_remove(&l->timers, n);
        struct loop_timer *t = container_of(n, struct loop_timer, node);
        t->fn(t->ctx);
    }
}

/* --- calls --- */

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

static void loop_fire_calls(struct loop *l)
{
    while (!list_empty(&l->calls)) {
        struct loop_call *call = list_first(&l->calls, struct loop_call, link);
        list_unlink(&call->link);
        call->fn(call->ctx);
    }
}

/* --- signals --- */

static void loop_on_signal_fd(void *ctx, unsigned ready)
{
    struct loop *l = ctx;
    (void)ready;
    struct signalfd_siginfo si;
    while (read(l->signal_fd.fd, &si, sizeof si) == (ssize_t)sizeof si)
        l->signal_fn(l->signal_ctx, (int)si.ssi_signo);
}

void loop_on_signals(struct loop *l, const int *signals, int n, loop_signal_fn fn, void *ctx)
{
    bug_on(l->signal_fd.fd >= 0);
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < n; i++)
        sigaddset(&set, signals[i]);
    bug_on(sigprocmask(SIG_BLOCK, &set, NULL) < 0);
    l->signal_fn = fn;
    l->signal_ctx = ctx;
    l->signal_fd = (struct loop_fd){
        .fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK),
        .fn = loop_on_signal_fd,
        .ctx = l,
    };
    bug_on(l->signal_fd.fd < 0);
    loop_watch(l, &l->signal_fd, LOOP_READ);
}

/* --- turns --- */

void loop_on_turn(struct loop *l, loop_fn fn, void *ctx)
{
    l->turn_fn = fn;
    l->turn_ctx = ctx;
}

void loop_turn(struct loop *l, int timeout_ms)
{
    loop_fire_calls(l);
    int n = epoll_wait(l->epoll, l->batch, BATCH_MAX, loop_wait_ms(l, timeout_ms));
    bug_on(n < 0 && errno != EINTR);
    l->batch_at = 0;
    l->batch_n = n > 0 ? n : 0;
    loop_read_clocks(l);
    loop_fire_fds(l);
    loop_fire_timers(l);
    if (l->turn_fn)
        l->turn_fn(l->turn_ctx);
}

int64_t loop_next_ns(const struct loop *l)
{
    const struct heap_node *first = heap_peek(&l->timers);
    return !list_empty(&l->calls) ? l->now.ns : first ? first->key : INT64_MAX;
}

int loop_poll_fd(const struct loop *l)
{
    return l->epoll;
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
