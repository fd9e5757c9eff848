/* tunnel.c - a descriptor, a window, two directions. */
#include "backend/net/tunnel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#define READS_A_TURN 8

static void tunnel_update(struct tunnel *t)
{
    bool more = t->out_at < t->out.len;
    loop_watch(t->loop, &t->fd,
               (t->under_way < t->window && !t->ending ? LOOP_READ : 0u) | (more ? LOOP_WRITE : 0u));
}

/* False: the descriptor takes no more for ever. */
static bool tunnel_write_out(struct tunnel *t)
{
    size_t done = 0;
    while (t->out_at < t->out.len) {
        ssize_t n =
            send(t->fd.fd, t->out.s + t->out_at, t->out.len - t->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n <= 0)
            return false;
        t->out_at += (size_t)n;
        done += (size_t)n;
    }
    if (t->out_at == t->out.len) {
        str_clear(&t->out);
        t->out_at = 0;
    }
    if (done)
        t->ops->taken(t->ctx, (uint32_t)done);
    return true;
}

/* 1: go on, 0: nothing more now, -1: the end. */
static int tunnel_read_in(struct tunnel *t)
{
    size_t room = t->window - t->under_way, want = room < t->piece ? room : t->piece;
    char *buf = xmalloc(want);
    ssize_t n = recv(t->fd.fd, buf, want, MSG_DONTWAIT);
    int again = n < 0 && (errno == EAGAIN || errno == EINTR);
    if (n > 0) {
        t->under_way += (size_t)n;
        t->ops->send(t->ctx, buf, (size_t)n);
    }
    free(buf);
    return n > 0 ? 1 : again ? 0 : -1;
}

static void tunnel_on_ready(void *arg, unsigned ready)
{
    struct tunnel *t = arg;
    if ((ready & LOOP_WRITE) && !tunnel_write_out(t)) {
        t->ops->over(t->ctx);
        return;
    }
    if (t->ending && t->out_at == t->out.len) {
        t->ops->over(t->ctx);
        return;
    }
    int r = 1;
    for (int i = 0;
         i < READS_A_TURN && r == 1 && (ready & LOOP_READ) && !t->ending && t->under_way < t->window; i++)
        r = tunnel_read_in(t);
    if (r < 0)
        t->ops->over(t->ctx);
    else
        tunnel_update(t);
}

void tunnel_open(struct tunnel *t, struct loop *l, int fd, size_t window, size_t piece,
                 const struct tunnel_ops *ops, void *ctx)
{
    *t = (struct tunnel){.loop = l,
                         .fd = {.fd = fd, .fn = tunnel_on_ready, .ctx = t},
                         .ops = ops,
                         .ctx = ctx,
                         .window = window,
                         .piece = piece,
                         .out = STR_INIT};
    tunnel_update(t);
}

void tunnel_close(struct tunnel *t)
{
    if (!t->loop)
        return;
    loop_unwatch(t->loop, &t->fd);
    close(t->fd.fd);
    str_fini(&t->out);
    t->loop = NULL;
}

int tunnel_give(struct tunnel *t, const void *p, size_t n)
{
    if (t->out.len - t->out_at + n > t->window)
        return -EMSGSIZE;
    if (t->out_at) {
        memmove(t->out.s, t->out.s + t->out_at, t->out.len - t->out_at);
        str_truncate(&t->out, t->out.len - t->out_at);
        t->out_at = 0;
    }
    str_append_n(&t->out, p, n);
    if (!tunnel_write_out(t))
        t->ops->over(t->ctx);
    else
        tunnel_update(t);
    return 0;
}

void tunnel_taken(struct tunnel *t, uint32_t n)
{
    t->under_way -= n < t->under_way ? n : t->under_way;
    tunnel_update(t);
}

void tunnel_end(struct tunnel *t)
{
    t->ending = true;
    if (t->out_at == t->out.len)
        t->ops->over(t->ctx);
    else
        tunnel_update(t);
}
