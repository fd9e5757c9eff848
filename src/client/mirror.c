/* mirror.c - the controller's state as its clients see it: a snapshot, then the same events. */
#include <errno.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/client/client_private.h"
#include "src/lang/lang.h"
#include "src/proto/codec.h"

static int take_nodes(struct model *m, struct msg_nodes *nodes, struct errtext *err)
{
    for (size_t i = 0; i < nodes->rows.n; i++) {
        struct node n;
        if (!nodes->rows.v[i].spec.name)
            return err_set(err, -EBADMSG, tr("a node without a name"));
        /* A copy: what it shares goes with the message, and leaves no gaps between the nodes. */
        rec_copy(&node_rec, &n, &nodes->rows.v[i]);
        model_take_node(m, &n);
    }
    return 1;
}

int mirror_check_row(const struct job *row, struct errtext *err)
{
    if (!job_row_is_sound(row))
        return err_set(err, -EBADMSG, tr("a row that is not a job: id %u, state %u"), row->id, row->state);
    return 0;
}

static void (*on_unreadable)(const char *text);

void client_on_unreadable(void (*fn)(const char *text))
{
    on_unreadable = fn;
}

void client_say_unreadable(const struct errtext *err)
{
    if (on_unreadable)
        on_unreadable(err->s);
}

static int each_job(struct msg_jobs *jobs, int (*fn)(void *ctx, struct job *j), void *ctx,
                    struct errtext *err)
{
    int r = 0;
    for (size_t i = 0; i < jobs->rows.n && r >= 0; i++) {
        struct job *row = &jobs->rows.v[i];
        r = mirror_check_row(row, err);
        if (r < 0)
            return r;
        struct job *j = xmemdup(row, sizeof *row);
        list_init(&j->in_all);
        list_init(&j->in_queue);
        *row = (struct job){0};
        r = fn(ctx, j);
    }
    if (r >= 0)
        jobs->rows.n = 0; /* nothing is left to be freed: thousands of empty rows need not be walked */
    return r < 0 ? r : 1;
}

static int into_model(void *ctx, struct job *j)
{
    model_take_job(ctx, j);
    return 0;
}

int mirror_feed_rows(struct model *m, const void *p, size_t n, struct errtext *err)
{
    struct codec_rows *rows = codec_rows_new();
    int r = codec_rows_open(rows, &job_rec, p, n, err), unreadable = 0;
    while (r >= 0 && codec_rows_left(rows)) {
        struct job *j = xcalloc(1, sizeof *j);
        if (codec_rows_next_own(rows, j, m->texts, err) < 0 || mirror_check_row(j, err) < 0) {
            model_drop_row(m, j);
            unreadable++;
        } else {
            model_take_interned_job(m, j);
        }
    }
    codec_rows_free(rows);
    return r < 0 ? r : unreadable;
}

static int take_windows(struct model *m, struct msg_windows *windows, struct errtext *err)
{
    for (size_t i = 0; i < windows->rows.n; i++)
        if (window_check(&windows->rows.v[i], err) < 0)
            return -EBADMSG;
    model_take_windows(m, windows->rows.v, windows->rows.n);
    windows->rows.v = NULL;
    windows->rows.n = 0;
    return 1;
}

static int take_jobs(struct model *m, struct msg_jobs *jobs, struct errtext *err)
{
    return each_job(jobs, into_model, m, err);
}

static int take_snapshot(struct model *m, struct msg_snapshot *s)
{
    m->seq = s->seq;
    m->epoch = s->epoch;
    m->next_job = s->next_job;
    m->now = s->now;
    free(m->uuid);
    m->uuid = s->uuid;
    s->uuid = NULL;
    return 1;
}

static int apply_event(struct model *m, const struct msg_event *msg, struct errtext *err)
{
    if (msg->seq < m->seq || (msg->seq == m->seq && !event_is_row(msg->kind)))
        return 0; /* the snapshot holds it already */
    struct event ev;
    int r = event_from_msg(msg, &ev, err);
    if (r < 0)
        return r;
    r = model_apply(m, &ev);
    /* A client that did not ask for windows does not know the one that goes; no row told of a job that came
     * and went at once. */
    if (r == -ENOENT && (ev.kind == EV_WINDOW || ev.kind == EV_JOB_GONE))
        r = 0;
    if (r < 0)
        err_set(err, r, tr("event %llu (%s of job %u) does not fit what is known here"),
                (unsigned long long)ev.seq, event_name(ev.kind), ev.job);
    event_fini(&ev);
    return r < 0 ? r : 1;
}

static int take_reasons(struct model *m, const struct msg_reasons *reasons)
{
    int changed = 0;
    for (size_t i = 0; i < reasons->rows.n; i++) {
        const struct job_reason *row = &reasons->rows.v[i];
        struct job *j = model_get_job(m, row->job);
        if (j && j->state == JOB_PENDING && row->reason < REASON_N && j->reason != row->reason) {
            j->reason = (uint8_t)row->reason;
            changed = 1;
        }
    }
    return changed;
}

int mirror_feed(struct model *m, const struct incoming *in, struct errtext *err)
{
    if (in->kind == MSG_SPEC) {
        model_take_spec(m, in->body);
        return 1;
    }
    if (in->kind == MSG_NODES)
        return take_nodes(m, in->body, err);
    if (in->kind == MSG_WINDOWS)
        return take_windows(m, in->body, err);
    if (in->kind == MSG_JOBS)
        return take_jobs(m, in->body, err);
    if (in->kind == MSG_SNAPSHOT)
        return take_snapshot(m, in->body);
    if (in->kind == MSG_EVENT)
        return apply_event(m, in->body, err);
    if (in->kind == MSG_REASONS)
        return take_reasons(m, in->body);
    return 0;
}

static int mirror_refused(const struct msg_result *result, struct errtext *err)
{
    return err_set(err, -EACCES, "%s",
                   result->text ? result->text : tr("the controller refuses the request"));
}

int mirror_fetch_rest(struct client *c, uint64_t tag, struct model *m, struct errtext *err)
{
    for (bool done = false; !done;) {
        struct incoming in;
        int r = client_wait_tag(c, tag, &in, err);
        if (r < 0)
            return r;
        done = in.kind == MSG_SNAPSHOT;
        r = in.kind == MSG_RESULT ? mirror_refused(in.body, err) : mirror_feed(m, &in, err);
        msg_free(in.kind, in.body);
        if (r < 0)
            return r;
    }
    return 0;
}

static int into_mirror(void *ctx, const void *p, size_t n, struct errtext *err)
{
    struct errtext text = {""};
    int r = mirror_feed_rows(ctx, p, n, &text);
    if (r > 0)
        client_say_unreadable(&text);
    return r < 0 ? err_set(err, r, "%s", text.s) : 0;
}

int client_fetch(struct client *c, const struct msg_get *get, struct model *m, struct errtext *err)
{
    bug_on(get->follow);
    uint64_t tag;
    const struct client_rows rows = {.take = into_mirror, .ctx = m};
    int r = client_send(c, MSG_GET, get, &tag, err);
    client_take_rows(c, tag, &rows);
    r = r < 0 ? r : mirror_fetch_rest(c, tag, m, err);
    client_take_rows(c, 0, NULL);
    return r;
}
