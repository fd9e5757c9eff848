#include "backend/net/stream_mux.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "backend/net/tunnel.h"
#include "src/base/xalloc.h"

struct mux_stream {
    struct list link;
    struct stream_mux *mux;
    uint32_t id, uid;
    struct tunnel tunnel;
};

static void mux_stream_free(struct mux_stream *k)
{
    tunnel_close(&k->tunnel);
    list_unlink(&k->link);
    k->mux->n--;
    free(k);
}

/* A stream that cannot be sent ends in a later loop iteration: it must not be freed in here. */
static void mux_say(struct mux_stream *k, enum msg_kind kind, const void *body)
{
    if (!k->mux->say(k->mux->ctx, kind, body))
        shutdown(k->tunnel.fd.fd, SHUT_RDWR);
}

static void mux_on_send(void *ctx, const void *p, size_t n)
{
    struct mux_stream *k = ctx;
    struct msg_tunnel_data m = {.id = k->id, .data = {.p = xmemdup(p, n), .n = n}};
    mux_say(k, MSG_TUNNEL_DATA, &m);
    free(m.data.p);
}

static void mux_on_taken(void *ctx, uint32_t n)
{
    struct mux_stream *k = ctx;
    mux_say(k, MSG_TUNNEL_TAKEN, &(struct msg_tunnel_taken){.id = k->id, .n = n});
}

static void mux_on_over(void *ctx)
{
    struct mux_stream *k = ctx;
    mux_say(k, MSG_TUNNEL_END, &(struct msg_tunnel_taken){.id = k->id});
    mux_stream_free(k);
}

static const struct tunnel_ops mux_tunnel_ops = {
    .send = mux_on_send, .taken = mux_on_taken, .over = mux_on_over};

void stream_mux_init(struct stream_mux *mux, stream_mux_say_fn *fn, void *ctx)
{
    *mux = (struct stream_mux){.say = fn, .ctx = ctx};
    list_init(&mux->open);
}

void stream_mux_add(struct stream_mux *mux, struct loop *l, uint32_t id, uint32_t uid, int fd)
{
    struct mux_stream *k = xcalloc(1, sizeof *k);
    *k = (struct mux_stream){.mux = mux, .id = id, .uid = uid};
    list_init(&k->link);
    list_append(&mux->open, &k->link);
    mux->n++;
    tunnel_open(&k->tunnel, l, fd, TUNNEL_WINDOW, TUNNEL_PIECE, &mux_tunnel_ops, k);
}

static struct mux_stream *mux_find(struct stream_mux *mux, uint32_t id)
{
    list_for_each (k, &mux->open, struct mux_stream, link)
        if (k->id == id)
            return k;
    return NULL;
}

int stream_mux_take(struct stream_mux *mux, enum msg_kind kind, const void *body)
{
    const struct msg_tunnel_data *data = body;
    const struct msg_tunnel_taken *taken = body;
    struct mux_stream *k = mux_find(mux, kind == MSG_TUNNEL_DATA ? data->id : taken->id);
    if (!k)
        return 0;
    if (kind == MSG_TUNNEL_DATA)
        return tunnel_give(&k->tunnel, data->data.p, data->data.n);
    if (kind == MSG_TUNNEL_TAKEN)
        tunnel_taken(&k->tunnel, taken->n);
    else
        tunnel_end(&k->tunnel);
    return 0;
}

unsigned stream_mux_of(const struct stream_mux *mux, uint32_t uid)
{
    unsigned n = 0;
    list_for_each (k, &mux->open, struct mux_stream, link)
        n += k->uid == uid;
    return n;
}

void stream_mux_drop(struct stream_mux *mux)
{
    while (!list_empty(&mux->open))
        mux_stream_free(list_first(&mux->open, struct mux_stream, link));
}
