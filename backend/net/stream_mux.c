/* stream_mux.c - a ferry for each number. */
#include "backend/net/stream_mux.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "backend/net/tunnel.h"
#include "src/base/xalloc.h"

struct mux_stream {
    struct list link;
    struct stream_mux *all;
    uint32_t id, uid;
    struct tunnel ferry;
};

static void mux_call_free(struct mux_stream *k)
{
    tunnel_close(&k->ferry);
    list_unlink(&k->link);
    k->all->n--;
    free(k);
}

/* One that is given up is found to be at its end in a later turn: it must not go in here. */
static void mux_say(struct mux_stream *k, enum msg_kind kind, const void *body)
{
    if (!k->all->say(k->all->ctx, kind, body))
        shutdown(k->ferry.fd.fd, SHUT_RDWR);
}

static void mux_on_send(void *ctx, const void *p, size_t n)
{
    struct mux_stream *k = ctx;
    struct msg_call_data m = {.id = k->id, .data = {.p = xmemdup(p, n), .n = n}};
    mux_say(k, MSG_CALL_DATA, &m);
    free(m.data.p);
}

static void mux_on_taken(void *ctx, uint32_t n)
{
    struct mux_stream *k = ctx;
    mux_say(k, MSG_CALL_TAKEN, &(struct msg_call_taken){.id = k->id, .n = n});
}

static void mux_on_over(void *ctx)
{
    struct mux_stream *k = ctx;
    mux_say(k, MSG_CALL_END, &(struct msg_call_taken){.id = k->id});
    mux_call_free(k);
}

static const struct tunnel_ops ops = {.send = mux_on_send, .taken = mux_on_taken, .over = mux_on_over};

void stream_mux_init(struct stream_mux *c, stream_mux_say_fn *fn, void *ctx)
{
    *c = (struct stream_mux){.say = fn, .ctx = ctx};
    list_init(&c->open);
}

void stream_mux_add(struct stream_mux *c, struct loop *l, uint32_t id, uint32_t uid, int fd)
{
    struct mux_stream *k = xcalloc(1, sizeof *k);
    *k = (struct mux_stream){.all = c, .id = id, .uid = uid};
    list_init(&k->link);
    list_append(&c->open, &k->link);
    c->n++;
    tunnel_open(&k->ferry, l, fd, CALL_WINDOW, CALL_PIECE, &ops, k);
}

static struct mux_stream *mux_find(struct stream_mux *c, uint32_t id)
{
    list_for_each (k, &c->open, struct mux_stream, link)
        if (k->id == id)
            return k;
    return NULL;
}

int stream_mux_take(struct stream_mux *c, enum msg_kind kind, const void *body)
{
    const struct msg_call_data *data = body;
    const struct msg_call_taken *taken = body;
    struct mux_stream *k = mux_find(c, kind == MSG_CALL_DATA ? data->id : taken->id);
    if (!k)
        return 0;
    if (kind == MSG_CALL_DATA)
        return tunnel_give(&k->ferry, data->data.p, data->data.n);
    if (kind == MSG_CALL_TAKEN)
        tunnel_taken(&k->ferry, taken->n);
    else
        tunnel_end(&k->ferry);
    return 0;
}

unsigned stream_mux_of(const struct stream_mux *c, uint32_t uid)
{
    unsigned n = 0;
    list_for_each (k, &c->open, struct mux_stream, link)
        n += k->uid == uid;
    return n;
}

void stream_mux_drop(struct stream_mux *c)
{
    while (!list_empty(&c->open))
        mux_call_free(list_first(&c->open, struct mux_stream, link));
}
