/* client_history.c - jobs that have left the controller's state, row by row. */
#include <errno.h>

#include "src/base/xalloc.h"
#include "src/client/client_private.h"
#include "src/lang/lang.h"
#include "src/proto/codec.h"

struct history_each {
    int (*fn)(void *ctx, struct job *j);
    void *ctx;
};

static int client_history_take_rows(void *ctx, const void *p, size_t n, struct errtext *err)
{
    const struct history_each *e = ctx;
    struct codec_rows *rows = codec_rows_new();
    int r = codec_rows_open(rows, &job_rec, p, n, err);
    while (r >= 0 && codec_rows_left(rows)) {
        struct errtext text = {""};
        struct job *j = xcalloc(1, sizeof *j);
        list_init(&j->in_all);
        list_init(&j->in_queue);
        if (codec_rows_next_own(rows, j, NULL, &text) < 0 || mirror_check_row(j, &text) < 0) {
            client_say_unreadable(&text);
            job_free(j);
        } else {
            r = e->fn(e->ctx, j);
        }
    }
    codec_rows_free(rows);
    return r < 0 ? r : 0;
}

static int client_history_refused(const struct msg_result *result, struct errtext *err)
{
    return err_set(err, -EACCES, "%s",
                   result->text ? result->text : tr("the controller refuses the request"));
}

int client_history(struct client *c, const struct msg_history *q, int (*fn)(void *ctx, struct job *j),
                   void *ctx, struct errtext *err)
{
    uint64_t tag;
    struct history_each e = {.fn = fn, .ctx = ctx};
    const struct client_rows rows = {.take = client_history_take_rows, .ctx = &e};
    int r = client_send(c, MSG_HISTORY, q, &tag, err);
    client_take_rows(c, tag, &rows);
    for (bool done = false; r >= 0 && !done;) {
        struct incoming in;
        r = client_wait_tag(c, tag, &in, err);
        if (r < 0)
            break;
        done = in.kind == MSG_HISTORY_END;
        if (in.kind == MSG_RESULT)
            r = client_history_refused(in.body, err);
        msg_free(in.kind, in.body);
    }
    client_take_rows(c, 0, NULL);
    return r < 0 ? r : 0;
}
