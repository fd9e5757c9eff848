/* rows.c - jobs of a snapshot one at a time, without a mirror. */
#include <errno.h>

#include "src/client/client_private.h"
#include "src/proto/codec.h"

struct rows_each {
    const struct client *client;
    struct model *m;
    struct codec_rows *rows;
    struct job row;
    void (*fn)(void *ctx, const struct job *j);
    void *ctx;
};

static int rows_take_rows(void *ctx, const void *p, size_t n, struct errtext *err)
{
    struct rows_each *e = ctx;
    e->m->now = client_welcome(e->client)->now;
    int r = codec_rows_open(e->rows, &job_rec, p, n, err);
    while (r >= 0 && codec_rows_left(e->rows)) {
        struct errtext text = {""};
        if (codec_rows_next(e->rows, &e->row, &text) < 0 || mirror_check_row(&e->row, &text) < 0)
            client_say_unreadable(&text);
        else
            e->fn(e->ctx, &e->row);
    }
    return r < 0 ? r : 0;
}

int client_each_job(struct client *c, const struct msg_get *get, struct model *m,
                    void (*fn)(void *ctx, const struct job *j), void *ctx, struct errtext *err)
{
    struct rows_each e = {.client = c, .m = m, .rows = codec_rows_new(), .fn = fn, .ctx = ctx};
    const struct client_rows rows = {.take = rows_take_rows, .ctx = &e};
    uint64_t tag;
    int r = client_send(c, MSG_GET, get, &tag, err);
    client_take_rows(c, tag, &rows);
    if (r >= 0)
        r = mirror_fetch_rest(c, tag, m, err);
    client_take_rows(c, 0, NULL);
    codec_rows_free(e.rows);
    return r;
}
