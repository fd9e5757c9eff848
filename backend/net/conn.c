#include "backend/net/conn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/vec.h"

#define READ_CHUNK 65536u
#define OUT_KEEP   (1u << 20)       /* an idle connection keeps no larger buffer */
#define IN_KEEP    (4 * READ_CHUNK) /* for what it reads */
/* So that one busy peer does not hold up the others: */
#define READS_A_TURN  4
#define FRAMES_A_TURN 128
#define NS_A_TURN     (2 * NS_PER_MS)
/* And one of many of a user, before the next of them: */
#define FRAMES_A_GO 8
#define NS_A_GO     (NS_PER_MS / 2)

struct mark { /* a message that waits */
    uint64_t ticket;
    size_t end; /* of it, in out */
    enum msg_kind kind;
    uint64_t tag;
};

struct conn {
    struct loop *loop;
    struct loop_fd watch;
    struct loop_timer
        more; /* armed: whole frames wait in `in` for the next loop iteration, nothing is read */
    struct loop_call later; /* writes, or frees a connection that was closed inside its own callback */
    const struct conn_ops *ops;
    void *ctx;
    struct frame_reader in;
    struct str out;
    size_t sent; /* of out */
    size_t open; /* of out: may leave */
    size_t max_out, enough;
    bool full; /* CONN_LOW bytes were queued, or the user asked: on_drain is owed */
    uint64_t committed;
    VEC(struct mark) marks; /* in order; from first_mark on */
    size_t first_mark;
    struct mono t_partial; /* when the unfinished frame at the end of `in` began; 0: there is none */
    struct mono
        t_deaf;   /* since when the peer takes nothing more: its pending input is still read; 0: it does */
    bool waiting; /* for `more`, or in its queue */
    bool held;    /* it has enough to read: nothing is read from it */
    bool starved; /* its budget has no room: nothing is read from it */
    struct mono t_moved; /* when bytes left it, or the first of those that wait came */
    bool busy, dead, given_up;
    struct fair_place place;
    struct budget_place room;
    struct mono go; /* when its go began: the frames since then, and their bytes */
    uint32_t n_heard;
    size_t heard_bytes;
};

static void conn_free(void *arg)
{
    struct conn *c = arg;
    loop_unwatch(c->loop, &c->watch);
    loop_timer_cancel(c->loop, &c->more);
    loop_call_cancel(&c->later);
    fair_place_leave(&c->place);
    budget_place_leave(&c->room);
    close(c->watch.fd);
    frame_reader_fini(&c->in);
    str_fini(&c->out);
    vec_fini(&c->marks);
    free(c);
}

void conn_hurry(struct conn *c)
{
    while (!c->dead && c->sent < c->open) {
        ssize_t n = send(c->watch.fd, c->out.s + c->sent, c->open - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n <= 0)
            return;
        c->sent += (size_t)n;
        c->t_moved = loop_now(c->loop);
    }
}

void conn_close(struct conn *c)
{
    if (!c || c->dead)
        return;
    conn_hurry(c); /* a last message should arrive */
    c->dead = true;
    loop_unwatch(c->loop, &c->watch);
    loop_timer_cancel(c->loop, &c->more);
    fair_place_leave(&c->place);
    budget_place_leave(&c->room);
    if (c->busy)
        loop_call_ask(c->loop, &c->later);
    else
        conn_free(c);
}

static void conn_fail(struct conn *c, const char *why)
{
    if (c->dead)
        return;
    bool was_busy = c->busy;
    c->busy = true;
    c->ops->on_close(c->ctx, c, why);
    c->busy = was_busy;
    conn_close(c);
}

bool conn_is_in_queue(const struct conn *c)
{
    return c->waiting && c->place.queue;
}

/* A connection that waits in its queue is not read meanwhile. */
static void conn_watch(struct conn *c, bool writes)
{
    if (!c->dead)
        loop_watch(c->loop, &c->watch,
                   (conn_is_in_queue(c) || c->held || c->starved ? 0 : LOOP_READ) |
                       (writes ? LOOP_WRITE : 0));
}

static void conn_update_watch(struct conn *c)
{
    conn_watch(c, c->sent < c->open && !loop_call_is_asked(&c->later));
}

/* One that was given up is read to its end, which frees it. */
static bool conn_may_take(const struct conn *c, size_t more)
{
    return c->given_up || budget_place_has_room(&c->room, more);
}

/* Once what its buffers take has changed. */
static void conn_charge(struct conn *c)
{
    if (!c->dead)
        budget_place_charge(&c->room, c->in.cap + c->out.cap + c->marks.cap * sizeof *c->marks.v);
}

/* Forgets what has been sent once that is most of the buffer. */
static void conn_compact(struct conn *c)
{
    if (c->sent == c->out.len && c->out.cap > budget_place_kept(&c->room, OUT_KEEP)) {
        str_fini(&c->out);
        str_init(&c->out);
        c->sent = c->open = 0;
        return;
    }
    if (c->sent < READ_CHUNK && c->sent < c->out.len)
        return;
    if (c->sent < c->out.len && c->sent * 2 < c->out.len)
        return;
    size_t gone = c->sent;
    memmove(c->out.s, c->out.s + gone, c->out.len - gone);
    str_truncate(&c->out, c->out.len - gone);
    c->sent = 0;
    c->open -= gone;
    if (c->first_mark) {
        memmove(c->marks.v, c->marks.v + c->first_mark, (c->marks.n - c->first_mark) * sizeof *c->marks.v);
        c->marks.n -= c->first_mark;
        c->first_mark = 0;
    }
    vec_for_each (&c->marks, i)
        c->marks.v[i].end -= gone;
}

static void conn_wait_in_queue(struct conn *c);

/* It is read again: what came meanwhile is handled first. */
static void conn_let_go(struct conn *c)
{
    if (!c->held)
        return;
    c->held = false;
    conn_wait_in_queue(c);
}

/* A peer that has closed may have sent something before. */
static void conn_drop_output(struct conn *c)
{
    c->t_deaf = loop_now(c->loop);
    str_fini(&c->out);
    str_init(&c->out);
    c->sent = c->open = 0;
    c->marks.n = c->first_mark = 0;
    conn_charge(c);
    c->full = false;
    conn_let_go(c);
    conn_update_watch(c);
}

static void conn_write(struct conn *c)
{
    while (c->sent < c->open) {
        ssize_t n = send(c->watch.fd, c->out.s + c->sent, c->open - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n < 0) {
            conn_drop_output(c);
            return;
        }
        c->sent += (size_t)n;
        c->t_moved = loop_now(c->loop);
    }
    conn_compact(c);
    conn_charge(c);
    if (conn_queued(c) < CONN_LOW)
        conn_let_go(c);
    conn_update_watch(c);
}

static void conn_flush(struct conn *c)
{
    conn_write(c);
    if (c->full && conn_queued(c) < CONN_LOW && !conn_has_room(c)) {
        budget_place_wait(&c->room);
    } else if (c->full && conn_queued(c) < CONN_LOW) {
        c->full = false;
        if (c->ops->on_drain)
            c->ops->on_drain(c->ctx, c);
    }
}

/* At the end of a loop iteration, when the controller has decided: on_drain, which may have it decide
 * again, is left to the next one. */
static void conn_on_later(void *arg)
{
    struct conn *c = arg;
    if (c->dead) {
        conn_free(c);
        return;
    }
    conn_write(c);
    if (c->full)
        conn_watch(c, true);
}

static void conn_pass_marks(struct conn *c)
{
    while (c->first_mark < c->marks.n && c->marks.v[c->first_mark].ticket <= c->committed)
        c->open = c->marks.v[c->first_mark++].end;
    if (c->first_mark == c->marks.n)
        c->first_mark = c->marks.n = 0;
}

/* The rest of what is in `in` waits for the next loop iteration, or for the user's other connections. */
static void conn_wait_in_queue(struct conn *c)
{
    c->waiting = true;
    if (c->place.queue)
        fair_place_line_up(&c->place);
    else
        loop_timer_set(c->loop, &c->more, 0);
}

static bool conn_has_had_its_go(const struct conn *c)
{
    int64_t ns = mono_read().ns - c->go.ns;
    return c->place.queue ? c->n_heard >= FRAMES_A_GO || ns >= NS_A_GO
                          : c->n_heard >= FRAMES_A_TURN || ns >= NS_A_TURN;
}

/* The user's connections hold too much: nothing is read from this one until they hold less. */
static void conn_starve(struct conn *c)
{
    c->starved = true;
    budget_place_wait(&c->room);
    conn_update_watch(c);
}

static void conn_on_room(void *arg)
{
    struct conn *c = arg;
    if (c->starved)
        conn_wait_in_queue(c);
    c->starved = false;
    conn_watch(c, c->full || c->sent < c->open);
}

/* Hands out frames until there is none, or this go is over. */
static void conn_hand_out(struct conn *c)
{
    struct frame f;
    int r = 0;
    while (!c->dead && conn_may_take(c, 0) && (r = frame_reader_next(&c->in, &f)) == 1) {
        c->t_partial.ns = 0;
        c->n_heard++;
        c->heard_bytes += f.size;
        r = c->ops->on_frame(c->ctx, c, &f);
        if (r < 0 && !c->dead) {
            conn_fail(c, "protocol error");
            return;
        }
        if (!c->dead && !c->given_up && c->enough && conn_queued(c) >= c->enough) {
            c->held = true;
            conn_update_watch(c);
            return;
        }
        if (!c->dead && c->in.at < c->in.n && conn_has_had_its_go(c)) {
            conn_wait_in_queue(c);
            return;
        }
    }
    if (r < 0)
        conn_fail(c, "frame too large");
    else if (!c->dead && !conn_may_take(c, 0))
        conn_starve(c);
    else if (c->in.at == c->in.n)
        c->t_partial.ns = 0;
    else if (!c->t_partial.ns)
        c->t_partial = loop_now(c->loop);
}

/* A buffer that a large message has left is given back. */
static void conn_read_frames(struct conn *c)
{
    conn_hand_out(c);
    if (!c->dead && c->in.at == c->in.n && c->in.cap > budget_place_kept(&c->room, IN_KEEP))
        frame_reader_fini(&c->in);
    conn_charge(c);
}

/* Makes room for what comes next: bytes to be read; 0: there is none now. A large message has all of its
 * room from the start, or waits: half of one is of no use. */
static size_t conn_make_room(struct conn *c)
{
    /* A peer that may send little yet gets a small buffer. */
    size_t chunk = c->in.max < READ_CHUNK ? c->in.max + FRAME_HEADER_SIZE : READ_CHUNK;
    size_t frame = frame_reader_expects(&c->in), had = c->in.cap;
    bool large = c->room.budget && frame > READ_CHUNK;
    if (!conn_may_take(c, large && frame > had ? frame - had : 0)) {
        conn_starve(c);
        return 0;
    }
    if (!large)
        return chunk;
    frame_reader_reserve(&c->in, frame);
    conn_charge(c);
    size_t missing = frame - c->in.n;
    return missing < chunk ? missing : chunk;
}

static void conn_read_some(struct conn *c)
{
    for (int i = 0; i < READS_A_TURN && !c->dead && !c->waiting && !c->held && !c->starved; i++) {
        size_t chunk = conn_make_room(c);
        if (!chunk)
            return;
        uint8_t *p = frame_reader_space(&c->in, chunk);
        ssize_t n = recv(c->watch.fd, p, chunk, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            conn_fail(c, n < 0 ? strerror(errno) : "closed by the peer");
            return;
        }
        frame_reader_added(&c->in, (size_t)n);
        conn_read_frames(c);
        if ((size_t)n < chunk)
            return;
    }
}

static void conn_begin_go(struct conn *c)
{
    c->busy = true;
    c->go = mono_read();
    c->n_heard = 0;
    c->heard_bytes = 0;
}

static void conn_end_go(struct conn *c)
{
    c->busy = false;
    if (c->place.queue)
        fair_queue_spend(c->place.queue, c->n_heard, c->heard_bytes, mono_read().ns - c->go.ns);
}

static void conn_on_more(void *arg)
{
    struct conn *c = arg;
    conn_begin_go(c);
    c->waiting = false;
    conn_read_frames(c);
    conn_end_go(c);
}

/* Its queue serves it. */
static void conn_on_served(void *arg)
{
    struct conn *c = arg;
    conn_begin_go(c);
    c->waiting = false;
    if (c->t_partial.ns)
        c->t_partial = loop_now(c->loop); /* the rest may have been there for long */
    conn_read_frames(c);
    if (!c->dead && !c->held)
        conn_read_some(c);
    conn_end_go(c);
    conn_update_watch(c);
}

static void conn_on_ready(void *arg, unsigned ready)
{
    struct conn *c = arg;
    c->busy = true;
    if (ready & LOOP_WRITE)
        conn_flush(c);
    c->busy = false;
    if (!(ready & LOOP_READ) || c->dead || c->waiting || c->held || c->starved)
        return;
    if (c->place.queue && !c->given_up && !fair_queue_is_open(c->place.queue)) {
        conn_wait_in_queue(c);
        conn_update_watch(c);
        return;
    }
    conn_begin_go(c);
    conn_read_some(c);
    conn_end_go(c);
    if (c->waiting)
        conn_update_watch(c);
}

struct conn *conn_new(struct loop *l, int fd, size_t max_frame, size_t max_out, uint64_t committed,
                      const struct conn_ops *ops, void *ctx)
{
    struct conn *c = xcalloc(1, sizeof *c);
    c->loop = l;
    c->ops = ops;
    c->ctx = ctx;
    c->in.max = max_frame;
    c->max_out = max_out;
    c->committed = committed;
    str_init(&c->out);
    c->watch = (struct loop_fd){.fd = fd, .fn = conn_on_ready, .ctx = c};
    c->more = (struct loop_timer){.fn = conn_on_more, .ctx = c};
    c->later = (struct loop_call){.fn = conn_on_later, .ctx = c};
    c->room = (struct budget_place){.serve = conn_on_room, .ctx = c};
    list_init(&c->room.link);
    conn_update_watch(c);
    return c;
}

static bool conn_queue_mark(struct conn *c, uint64_t ticket, enum msg_kind kind, uint64_t tag)
{
    c->full = c->full || conn_queued(c) >= CONN_LOW;
    if (ticket <= c->committed && c->first_mark == c->marks.n) {
        bool idle = c->sent == c->open;
        c->open = c->out.len;
        if (idle) {
            c->t_moved = loop_now(c->loop);
            loop_call_ask(c->loop, &c->later); /* many messages of an iteration in one call */
        }
    } else {
        vec_push(&c->marks, (struct mark){.ticket = ticket, .end = c->out.len, .kind = kind, .tag = tag});
    }
    conn_charge(c);
    return true;
}

bool conn_send(struct conn *c, uint64_t ticket, enum msg_kind kind, uint64_t tag, const void *body)
{
    if (c->t_deaf.ns)
        return true;
    if (c->dead || conn_queued(c) > c->max_out)
        return false;
    msg_append(&c->out, kind, tag, body);
    return conn_queue_mark(c, ticket, kind, tag);
}

bool conn_send_encoded(struct conn *c, uint64_t ticket, enum msg_kind kind, uint64_t tag, const void *p,
                       size_t n)
{
    if (c->t_deaf.ns)
        return true;
    if (c->dead || conn_queued(c) > c->max_out)
        return false;
    frame_append_header(&c->out, (uint16_t)kind, 0, tag, n);
    str_append_n(&c->out, p, n);
    return conn_queue_mark(c, ticket, kind, tag);
}

void conn_release(struct conn *c, uint64_t ticket)
{
    if (c->dead || ticket <= c->committed)
        return;
    c->committed = ticket;
    size_t before = c->open;
    conn_pass_marks(c);
    if (c->open != before) {
        bool was_busy = c->busy;
        c->busy = true;
        conn_flush(c);
        c->busy = was_busy;
    }
}

void conn_drop_uncommitted(struct conn *c,
                           void (*fn)(void *ctx, struct conn *c, enum msg_kind kind, uint64_t tag),
                           void *ctx)
{
    size_t first = c->first_mark, n = c->marks.n;
    struct mark *marks = c->marks.v;
    c->marks.v = NULL;
    c->marks.n = c->marks.cap = c->first_mark = 0;
    str_truncate(&c->out, c->open);
    conn_charge(c);
    bool was_busy = c->busy;
    c->busy = true; /* fn may close c */
    for (size_t i = first; i < n && !c->dead; i++)
        fn(ctx, c, marks[i].kind, marks[i].tag);
    free(marks);
    c->busy = was_busy;
}

void conn_ask_drain(struct conn *c)
{
    c->full = true;
    conn_watch(c, true); /* once: flush sets it as it should be */
}

void conn_set_queue(struct conn *c, struct fair_queue *q)
{
    fair_place_init(&c->place, q, conn_on_served, c);
}

void conn_set_budget(struct conn *c, struct byte_budget *b)
{
    budget_place_join(&c->room, b);
    conn_charge(c);
}

bool conn_has_room(const struct conn *c)
{
    return budget_place_has_room(&c->room, 0);
}

void conn_set_enough(struct conn *c, size_t bytes)
{
    c->enough = bytes;
}

void conn_set_max_frame(struct conn *c, size_t max_frame)
{
    c->in.max = max_frame;
}

size_t conn_queued(const struct conn *c)
{
    return c->out.len - c->sent;
}

int64_t conn_unread_ms(const struct conn *c)
{
    return c->held || c->sent < c->open ? (loop_now(c->loop).ns - c->t_moved.ns) / NS_PER_MS : 0;
}

bool conn_is_held(const struct conn *c)
{
    return c->held;
}

int64_t conn_stuck_ms(const struct conn *c)
{
    if (c->t_deaf.ns)
        return (loop_now(c->loop).ns - c->t_deaf.ns) / NS_PER_MS;
    return c->t_partial.ns && !c->waiting && !c->held && !c->starved
               ? (loop_now(c->loop).ns - c->t_partial.ns) / NS_PER_MS
               : 0;
}

void conn_give_up(struct conn *c)
{
    if (c->dead)
        return;
    c->given_up = true;
    c->held = c->starved = false;
    list_unlink(&c->room.link);
    shutdown(c->watch.fd, SHUT_RDWR); /* read as an end of file in the next iteration */
    if (conn_is_in_queue(c)) {
        fair_place_leave(&c->place);
        c->waiting = false;
    }
    conn_update_watch(c);
}

int conn_fd(const struct conn *c)
{
    return c->watch.fd;
}
