/* wire.c - one stream of frames on the agent's loop. */
#include "backend/agent/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/proto/codec.h"

#define READ_SIZE 65536

static int wire_let_go(struct wire *w)
{
    int fd = w->fd.fd;
    w->open = false;
    list_unlink(&w->link);
    loop_unwatch(w->loop, &w->fd);
    w->fd.fd = -1;
    frame_reader_fini(&w->in);
    str_fini(&w->out);
    w->out_at = 0;
    return fd;
}

void wire_close(struct wire *w)
{
    if (w->open)
        close(wire_let_go(w));
}

int wire_release(struct wire *w)
{
    return w->open && w->out_at == w->out.len && w->in.at == w->in.n ? wire_let_go(w) : -1;
}

static void wire_fail(struct wire *w, const char *why)
{
    wire_close(w);
    w->ops->on_close(w->ctx, why);
}

/* 0, or an errno that ended the stream. */
static int wire_flush(struct wire *w)
{
    while (w->out_at < w->out.len) {
        ssize_t n =
            send(w->fd.fd, w->out.s + w->out_at, w->out.len - w->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n <= 0)
            return n < 0 ? errno : EPIPE;
        w->out_at += (size_t)n;
    }
    if (w->out_at == w->out.len) {
        str_clear(&w->out);
        w->out_at = 0;
    } else if (w->out_at > READ_SIZE) {
        size_t left = w->out.len - w->out_at;
        memmove(w->out.s, w->out.s + w->out_at, left);
        str_truncate(&w->out, left);
        w->out_at = 0;
    }
    loop_watch(w->loop, &w->fd, LOOP_READ | (w->out.len ? LOOP_WRITE : 0));
    return 0;
}

static int wire_take_frames(struct wire *w, const char **ret_why)
{
    struct frame f;
    int r;
    while ((r = frame_reader_next(&w->in, &f)) > 0) {
        r = w->ops->on_frame(w->ctx, &f);
        if (!w->open)
            return 0; /* closed by a call of its owner from elsewhere */
        if (r < 0) {
            *ret_why = "a message that is not accepted";
            return r;
        }
    }
    if (r < 0)
        *ret_why = "a message that is too long";
    return r;
}

/* Reads once. 1: something came; 0: nothing is there now; negative: the stream is over. */
static int wire_read(struct wire *w, const char **ret_why)
{
    ssize_t n = recv(w->fd.fd, frame_reader_space(&w->in, READ_SIZE), READ_SIZE, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (n <= 0) {
        *ret_why = n < 0 ? strerror(errno) : "closed by the peer";
        return -1;
    }
    frame_reader_added(&w->in, (size_t)n);
    return wire_take_frames(w, ret_why) < 0 ? -1 : 1;
}

/* What a peer said before it went is heard: a shim goes with the end of its task as its last word. */
static void wire_fail_to_write(struct wire *w, int e)
{
    const char *why = NULL;
    while (w->open && wire_read(w, &why) > 0)
        ;
    if (w->open)
        wire_fail(w, strerror(e));
}

static void wire_on_ready(void *ctx, unsigned ready)
{
    struct wire *w = ctx;
    if (w->full) {
        wire_fail(w, "it does not read what is sent");
        return;
    }
    int e = ready & LOOP_WRITE ? wire_flush(w) : 0;
    if (e) {
        wire_fail_to_write(w, e);
        return;
    }
    const char *why = NULL;
    if ((ready & LOOP_READ) && wire_read(w, &why) < 0)
        wire_fail(w, why);
}

void wire_open(struct wire *w, struct loop *l, struct list *dirty, int fd, size_t max_frame,
               const struct wire_ops *ops, void *ctx)
{
    *w = (struct wire){
        .loop = l,
        .fd = {.fd = fd, .fn = wire_on_ready, .ctx = w},
        .in = {.max = max_frame},
        .out = STR_INIT,
        .max_out = max_frame * 10,
        .open = true,
        .dirty = dirty,
        .ops = ops,
        .ctx = ctx,
    };
    list_init(&w->link);
    loop_watch(l, &w->fd, LOOP_READ);
}

/* An error of the stream shows at its next event, never inside a caller that does not expect its wire to
 * go. */
void wire_flush_all(struct list *dirty)
{
    list_for_each (w, dirty, struct wire, link) {
        list_unlink(&w->link);
        if (wire_flush(w) != 0 || w->full)
            loop_watch(w->loop, &w->fd, LOOP_READ | LOOP_WRITE);
    }
}

static void wire_sent(struct wire *w)
{
    if (w->out.len - w->out_at > w->max_out)
        w->full = true;
    list_move_to_end(w->dirty, &w->link);
}

void wire_send(struct wire *w, unsigned type, uint64_t tag, const struct rec_desc *d, const void *body)
{
    if (!w->open || w->full)
        return;
    size_t at = frame_begin(&w->out);
    if (d)
        codec_encode(d, body, &w->out);
    frame_end(&w->out, at, (uint16_t)type, 0, tag);
    wire_sent(w);
}

void wire_send_encoded(struct wire *w, unsigned type, uint64_t tag, const void *p, size_t n)
{
    if (!w->open || w->full)
        return;
    frame_append_header(&w->out, (uint16_t)type, 0, tag, n);
    str_append_n(&w->out, p, n);
    wire_sent(w);
}
