#include "backend/demo/demo_client.h"

#include <stdlib.h>

#include "backend/net/conn.h"
#include "src/base/xalloc.h"

#define OUT_MAX (16u << 20)

struct demo_client {
    struct conn *conn; /* NULL: it is over */
    uint64_t last_tag;
    demo_client_fn fn;
    void *ctx;
};

static int demo_client_on_frame(void *ctx, struct conn *conn, const struct frame *f)
{
    (void)conn;
    struct demo_client *c = ctx;
    struct errtext err;
    void *body;
    int r = msg_decode(f, &body, &err);
    if (r < 0)
        return r;
    if (f->type == MSG_RESULT)
        c->fn(c->ctx, f->tag, body);
    msg_free(f->type, body);
    return 0;
}

static void demo_client_on_close(void *ctx, struct conn *conn, const char *why)
{
    (void)conn;
    (void)why;
    ((struct demo_client *)ctx)->conn = NULL;
}

static const struct conn_ops demo_client_ops = {.on_frame = demo_client_on_frame,
                                                .on_close = demo_client_on_close};

struct demo_client *demo_client_new(struct loop *l, int fd, demo_client_fn fn, void *ctx)
{
    struct demo_client *c = xcalloc(1, sizeof *c);
    char program[] = "sbatch";
    c->fn = fn;
    c->ctx = ctx;
    c->conn = conn_new(l, fd, FRAME_MAX, OUT_MAX, 0, &demo_client_ops, c);
    struct msg_hello hello = {.version = PROTO_VERSION, .program = program};
    demo_client_send(c, MSG_HELLO, &hello);
    return c;
}

void demo_client_free(struct demo_client *c)
{
    if (c && c->conn)
        conn_close(c->conn);
    free(c);
}

uint64_t demo_client_send(struct demo_client *c, enum msg_kind kind, const void *body)
{
    if (!c->conn || !conn_send(c->conn, 0, kind, ++c->last_tag, body))
        return 0;
    return c->last_tag;
}
