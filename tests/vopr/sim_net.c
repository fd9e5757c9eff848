/* sim_net.c - two queues of timed pieces for each stream, and one timer. */
#include "tests/vopr/sim_net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/err.h"
#include "src/base/list.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/os/unixsock.h"
#include "tests/vopr/sim.h"

#define READ_SIZE     65536
#define QUEUE_ENOUGH  (1u << 20) /* no more is taken from the controller: its socket fills */
#define AGAIN_NS      NS_PER_MS
#define STALL_MAX_MS  20000
#define SILENT_MAX_MS 60000

struct piece {
    struct list link;
    int64_t at_ns; /* when it arrives */
    size_t n;      /* 0: the end */
    uint8_t bytes[];
};

struct way { /* one direction */
    struct list pieces;
    size_t queued;
    int64_t last_ns; /* nothing arrives before that */
    bool ended;
};

struct stream {
    struct list link;
    unsigned id;
    int fd; /* the socket whose other end is the controller's; -1: closed */
    struct way to_controller, from_controller;
    bool silent; /* what is sent gets lost */
    bool closing;
    unsigned busy; /* calls of ops under way */
    bool gone;
    const struct stream_ops *ops;
    void *ctx;
    struct loop_timer timer;
};

struct listener {
    struct list link;
    int fd;
    char *path;
    accept_fn fn;
    void *ctx;
};

static struct list streams = {&streams, &streams}, listeners = {&listeners, &listeners};
static int64_t delay_min_us = 50, delay_max_us = 500;
static unsigned n_made;

static void on_timer(void *ctx);

static int64_t delay_ns(void)
{
    return sim_between(delay_min_us, delay_max_us) * 1000;
}

static void way_init(struct way *w)
{
    *w = (struct way){0};
    list_init(&w->pieces);
}

static void way_drop(struct way *w)
{
    list_for_each (p, &w->pieces, struct piece, link) {
        list_unlink(&p->link);
        free(p);
    }
    w->queued = 0;
}

static void way_push(struct way *w, const void *bytes, size_t n)
{
    struct piece *p = xmalloc(sizeof *p + n);
    int64_t at = sim.now_ns + delay_ns();
    p->at_ns = w->last_ns = at > w->last_ns ? at : w->last_ns;
    p->n = n;
    if (n)
        memcpy(p->bytes, bytes, n);
    w->queued += n;
    w->ended = w->ended || !n;
    list_init(&p->link);
    list_append(&w->pieces, &p->link);
}

static struct piece *way_due(const struct way *w)
{
    struct piece *p = list_first(&w->pieces, struct piece, link);
    return p && p->at_ns <= sim.now_ns ? p : NULL;
}

static void arm(struct stream *s)
{
    int64_t next = INT64_MAX;
    const struct way *ways[] = {&s->to_controller, &s->from_controller};
    for (size_t i = 0; i < 2; i++) {
        const struct piece *p = list_first(&ways[i]->pieces, struct piece, link);
        next = p && p->at_ns < next ? p->at_ns : next;
    }
    if (next == INT64_MAX)
        loop_timer_cancel(sim.world, &s->timer);
    else
        sim_timer_at(&s->timer, next > sim.now_ns ? next : sim.now_ns);
}

static struct stream *stream_new(int fd, const struct stream_ops *ops, void *ctx)
{
    struct stream *s = xcalloc(1, sizeof *s);
    s->id = ++n_made;
    s->fd = fd;
    s->ops = ops;
    s->ctx = ctx;
    way_init(&s->to_controller);
    way_init(&s->from_controller);
    s->timer = (struct loop_timer){.fn = on_timer, .ctx = s};
    list_init(&s->link);
    list_append(&streams, &s->link);
    return s;
}

static void close_fd(struct stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

/* Freed at once, or when the calls into the model that are under way return. */
static void drop(struct stream *s)
{
    s->gone = true;
    if (s->busy)
        return;
    loop_timer_cancel(sim.world, &s->timer);
    close_fd(s);
    way_drop(&s->to_controller);
    way_drop(&s->from_controller);
    list_unlink(&s->link);
    free(s);
}

struct stream *net_connect(const char *path, const struct stream_ops *ops, void *ctx)
{
    int fd = unixsock_connect(path, SOCK_NONBLOCK, 0);
    return fd < 0 ? NULL : stream_new(fd, ops, ctx);
}

struct listener *net_listen(const char *path, accept_fn fn, void *ctx)
{
    struct listener *l = xcalloc(1, sizeof *l);
    l->fd = unixsock_listen(path, 0600, 64);
    bug_on(l->fd < 0);
    l->path = xstrdup(path);
    l->fn = fn;
    l->ctx = ctx;
    list_init(&l->link);
    list_append(&listeners, &l->link);
    return l;
}

void net_unlisten(struct listener *l)
{
    if (!l)
        return;
    unlink(l->path);
    close(l->fd);
    list_unlink(&l->link);
    free(l->path);
    free(l);
}

void net_set_ops(struct stream *s, const struct stream_ops *ops, void *ctx)
{
    s->ops = ops;
    s->ctx = ctx;
}

bool net_is_open(const struct stream *s)
{
    return s->fd >= 0;
}

void net_send(struct stream *s, const void *p, size_t n)
{
    if (!s || s->gone || s->closing || !n)
        return;
    sim_hash(p, n);
    if (!s->silent)
        way_push(&s->to_controller, p, n);
    arm(s);
}

void net_close(struct stream *s)
{
    if (!s || s->gone)
        return;
    /* What has been sent still arrives, and then the end. */
    s->closing = true;
    s->ops = NULL;
    way_drop(&s->from_controller);
    if (s->silent || s->fd < 0) {
        drop(s);
        return;
    }
    way_push(&s->to_controller, NULL, 0);
    arm(s);
}

/* --- the clock brings the next piece --- */

/* To the controller's socket; what that does not take now comes again. Returns false where it must wait. */
static bool deliver_to_controller(struct stream *s, struct piece *p)
{
    ssize_t n = s->fd < 0 ? (ssize_t)p->n : send(s->fd, p->bytes, p->n, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno != EAGAIN)
        n = (ssize_t)p->n; /* it has closed; its end is found by net_collect */
    if (n == (ssize_t)p->n)
        return true;
    if (n > 0) {
        memmove(p->bytes, p->bytes + n, p->n - (size_t)n);
        p->n -= (size_t)n;
        s->to_controller.queued -= (size_t)n;
    }
    p->at_ns = sim.now_ns + AGAIN_NS;
    return false;
}

static void tell_close(struct stream *s)
{
    const struct stream_ops *ops = s->ops;
    s->ops = NULL;
    s->busy++;
    if (ops)
        ops->on_close(s->ctx, s);
    s->busy--;
    drop(s);
}

static void pump_to_controller(struct stream *s)
{
    struct piece *p;
    while ((p = way_due(&s->to_controller))) {
        if (p->n && !deliver_to_controller(s, p))
            return;
        bool is_end = !p->n;
        s->to_controller.queued -= p->n;
        list_unlink(&p->link);
        free(p);
        if (is_end) {
            drop(s);
            return;
        }
    }
}

static void pump_from_controller(struct stream *s)
{
    struct piece *p;
    while (!s->gone && (p = way_due(&s->from_controller))) {
        list_unlink(&p->link);
        s->from_controller.queued -= p->n;
        if (p->n && s->ops) {
            sim_hash(p->bytes, p->n);
            s->ops->on_bytes(s->ctx, s, p->bytes, p->n);
        }
        bool is_end = !p->n;
        free(p);
        if (is_end && !s->gone && !s->closing) {
            tell_close(s);
            return;
        }
    }
}

static void on_timer(void *ctx)
{
    struct stream *s = ctx;
    s->busy++;
    pump_to_controller(s);
    if (!s->gone)
        pump_from_controller(s);
    s->busy--;
    if (s->gone)
        drop(s);
    else
        arm(s);
}

/* --- what the controller does --- */

static void collect(struct stream *s)
{
    static uint8_t buf[READ_SIZE];
    while (s->fd >= 0 && !s->from_controller.ended && s->from_controller.queued < QUEUE_ENOUGH) {
        ssize_t n = recv(s->fd, buf, sizeof buf, MSG_DONTWAIT);
        if (n < 0 && errno == EAGAIN)
            break;
        if (n > 0 && (s->silent || s->closing))
            continue;
        if (n > 0) { /* in two pieces now and then: no message ends where a read does */
            size_t first = n > 1 && sim_chance(100) ? 1 + sim_below((uint32_t)n - 1) : (size_t)n;
            way_push(&s->from_controller, buf, first);
            if (first < (size_t)n)
                way_push(&s->from_controller, buf + first, (size_t)n - first);
            continue;
        }
        close_fd(s);
        if (s->closing) {
            drop(s);
            return;
        }
        way_push(&s->from_controller, NULL, 0);
    }
    arm(s);
}

void net_collect(void)
{
    list_for_each (l, &listeners, struct listener, link)
        for (int fd; (fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;)
            l->fn(l->ctx, stream_new(fd, NULL, NULL));
    list_for_each (s, &streams, struct stream, link)
        collect(s);
}

/* Bytes that are under way do not arrive. */
static void lose_tail(struct way *w)
{
    size_t n = 0;
    list_for_each (p, &w->pieces, struct piece, link)
        n++;
    size_t keep = n ? sim_below((uint32_t)n + 1) : 0;
    list_for_each (p, &w->pieces, struct piece, link) {
        if (keep) {
            keep--;
            if (keep || p->n < 2 || sim_chance(500))
                continue;
            size_t part = 1 + sim_below((uint32_t)p->n - 1); /* the last one in part */
            w->queued -= p->n - part;
            p->n = part;
            continue;
        }
        w->queued -= p->n;
        list_unlink(&p->link);
        free(p);
    }
}

/* The end of it is seen on both sides, each after a time of its own. */
static void cut(struct stream *s)
{
    lose_tail(&s->from_controller);
    if (!s->closing) {
        s->from_controller.last_ns += sim_between(0, 2000) * NS_PER_MS;
        s->from_controller.ended = false;
        way_push(&s->from_controller, NULL, 0);
    }
    close_fd(s);
    way_drop(&s->to_controller);
    if (s->closing)
        drop(s);
    else
        arm(s);
}

void net_controller_died(void)
{
    net_collect();
    list_for_each (s, &streams, struct stream, link)
        cut(s);
}

/* --- weather --- */

void net_set_delay(int64_t min_us, int64_t max_us)
{
    delay_min_us = min_us;
    delay_max_us = max_us;
}

static struct stream *any_stream(void)
{
    uint32_t n = 0;
    list_for_each (s, &streams, struct stream, link)
        n++;
    uint32_t at = n ? sim_below(n) : 0;
    list_for_each (s, &streams, struct stream, link)
        if (!at--)
            return s;
    return NULL;
}

static void hold_up(struct way *w, int64_t ns)
{
    int64_t at = sim.now_ns + ns;
    list_for_each (p, &w->pieces, struct piece, link)
        p->at_ns = p->at_ns > at ? p->at_ns : at;
    w->last_ns = w->last_ns > at ? w->last_ns : at;
}

void net_disturb(void)
{
    struct stream *s = any_stream();
    if (!s || s->closing)
        return;
    switch (sim_below(4)) {
    case 0:
        sim_note("stream %u is cut", s->id);
        cut(s);
        break;
    case 1: {
        int64_t ms = sim_between(10, STALL_MAX_MS);
        sim_note("stream %u stalls towards the controller for %d ms", s->id, (int)ms);
        hold_up(&s->to_controller, ms * NS_PER_MS);
        arm(s);
        break;
    }
    case 2: {
        int64_t ms = sim_between(10, STALL_MAX_MS);
        sim_note("stream %u stalls from the controller for %d ms", s->id, (int)ms);
        hold_up(&s->from_controller, ms * NS_PER_MS);
        arm(s);
        break;
    }
    default: {
        int64_t ms = sim_between(1000, SILENT_MAX_MS);
        sim_note("stream %u is half-open for %d ms", s->id, (int)ms);
        s->silent = true;
        way_drop(&s->to_controller);
        way_drop(&s->from_controller);
        s->from_controller.last_ns = sim.now_ns + ms * NS_PER_MS;
        way_push(&s->from_controller, NULL, 0);
        s->from_controller.ended = false; /* the controller's own end may come first */
        arm(s);
    }
    }
}

void net_calm(void)
{
    list_for_each (s, &streams, struct stream, link)
        if (s->silent)
            cut(s);
}

void net_reset(void)
{
    list_for_each (s, &streams, struct stream, link) {
        s->busy = 0;
        drop(s);
    }
    list_for_each (l, &listeners, struct listener, link)
        net_unlisten(l);
    n_made = 0;
}
