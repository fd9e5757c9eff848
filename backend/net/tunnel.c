/* tunnel.c - a descriptor, a window, two directions. */
#include "backend/net/tunnel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#define READS_A_TURN 8

static void tunnel_update(struct tunnel *f)
{
    bool more = f->out_at < f->out.len;
    loop_watch(f->loop, &f->fd,
               (f->under_way < f->window && !f->ending ? LOOP_READ : 0u) | (more ? LOOP_WRITE : 0u));
}

/* False: the descriptor takes no more for ever. */
static bool tunnel_write_out(struct tunnel *f)
{
    size_t done = 0;
    while (f->out_at < f->out.len) {
        ssize_t n =
            send(f->fd.fd, f->out.s + f->out_at, f->out.len - f->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n <= 0)
            return false;
        f->out_at += (size_t)n;
        done += (size_t)n;
    }
    if (f->out_at == f->out.len) {
        str_clear(&f->out);
        f->out_at = 0;
    }
    if (done)
        f->ops->taken(f->ctx, (uint32_t)done);
    return true;
}

/* 1: go on, 0: nothing more now, -1: the end. */
static int tunnel_read_in(struct tunnel *f)
{
    size_t room = f->window - f->under_way, want = room < f->piece ? room : f->piece;
    char *buf = xmalloc(want);
    ssize_t n = recv(f->fd.fd, buf, want, MSG_DONTWAIT);
    int again = n < 0 && (errno == EAGAIN || errno == EINTR);
    if (n > 0) {
        f->under_way += (size_t)n;
        f->ops->send(f->ctx, buf, (size_t)n);
    }
    free(buf);
    return n > 0 ? 1 : again ? 0 : -1;
}

static void tunnel_on_ready(void *arg, unsigned ready)
{
    struct tunnel *f = arg;
    if ((ready & LOOP_WRITE) && !tunnel_write_out(f)) {
        f->ops->over(f->ctx);
        return;
    }
    if (f->ending && f->out_at == f->out.len) {
        f->ops->over(f->ctx);
        return;
    }
    int r = 1;
    for (int i = 0;
         i < READS_A_TURN && r == 1 && (ready & LOOP_READ) && !f->ending && f->under_way < f->window; i++)
        r = tunnel_read_in(f);
    if (r < 0)
        f->ops->over(f->ctx);
    else
        tunnel_update(f);
}

void tunnel_open(struct tunnel *f, struct loop *l, int fd, size_t window, size_t piece,
                 const struct tunnel_ops *ops, void *ctx)
{
    *f = (struct tunnel){.loop = l,
                         .fd = {.fd = fd, .fn = tunnel_on_ready, .ctx = f},
                         .ops = ops,
                         .ctx = ctx,
                         .window = window,
                         .piece = piece,
                         .out = STR_INIT};
    tunnel_update(f);
}

void tunnel_close(struct tunnel *f)
{
    if (!f->loop)
        return;
    loop_unwatch(f->loop, &f->fd);
    close(f->fd.fd);
    str_fini(&f->out);
    f->loop = NULL;
}

int tunnel_give(struct tunnel *f, const void *p, size_t n)
{
    if (f->out.len - f->out_at + n > f->window)
        return -EMSGSIZE;
    if (f->out_at) {
        memmove(f->out.s, f->out.s + f->out_at, f->out.len - f->out_at);
        str_truncate(&f->out, f->out.len - f->out_at);
        f->out_at = 0;
    }
    str_append_n(&f->out, p, n);
    if (!tunnel_write_out(f))
        f->ops->over(f->ctx);
    else
        tunnel_update(f);
    return 0;
}

void tunnel_taken(struct tunnel *f, uint32_t n)
{
    f->under_way -= n < f->under_way ? n : f->under_way;
    tunnel_update(f);
}

void tunnel_end(struct tunnel *f)
{
    f->ending = true;
    if (f->out_at == f->out.len)
        f->ops->over(f->ctx);
    else
        tunnel_update(f);
}
