/* stepout.c - the output of a step's ranks. */
#include "src/cli/stepout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#define CHUNK_MAX    (256u << 10)
#define LONG_POLL_MS 20000
#define RETRY_MS     300
#define LINE_MAX_OUT (64u << 10) /* a longer line is written in pieces */
#define HOLD_MS      50

void stepout_init(struct stepout *o, struct follow *f, bool by_line)
{
    *o = (struct stepout){.f = f, .step = -1, .by_line = by_line};
}

void stepout_fini(struct stepout *o)
{
    for (uint32_t i = 0; o->v && i < 2 * o->n_ranks; i++)
        str_fini(&o->v[i].line);
    free(o->v);
    o->v = NULL;
    idmap_fini(&o->by_tag);
}

/* ---- writing
 * --------------------------------------------------------------------------------------------- */

static void write_all(struct stepout *o, int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t done = write(fd, p, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) { /* a full disk costs output, not the step */
            o->pipe_broken = o->pipe_broken || (fd == STDOUT_FILENO && errno == EPIPE);
            return;
        }
        p += done;
        n -= (size_t)done;
    }
}

static int stream_fd(const struct stepout_stream *st)
{
    return st->which == 1 ? STDOUT_FILENO : STDERR_FILENO;
}

/* Up to the last line break, so that lines of different ranks never mix. all: what has no line break yet
 * goes out too. */
static void write_lines(struct stepout *o, struct stepout_stream *st, bool all)
{
    const char *last = memrchr(st->line.s, '\n', st->line.len);
    size_t n = last ? (size_t)(last - st->line.s) + 1 : 0;
    if (all || (!n && st->line.len >= LINE_MAX_OUT))
        n = st->line.len;
    write_all(o, stream_fd(st), st->line.s, n);
    memmove(st->line.s, st->line.s + n, st->line.len - n);
    str_truncate(&st->line, st->line.len - n);
}

static void stream_write(struct stepout *o, struct stepout_stream *st, const struct blob *data,
                         int64_t now_ms)
{
    if (!o->by_line && !o->holds) {
        write_all(o, stream_fd(st), (const char *)data->p, data->n);
        return;
    }
    str_append_n(&st->line, (const char *)data->p, data->n);
    if (st->line.len)
        write_lines(o, st, false);
    st->held_ms = now_ms;
}

/* Those whose time is over. */
static void write_held(struct stepout *o, int64_t now_ms)
{
    for (uint32_t i = 0; o->holds && i < 2 * o->n_ranks; i++)
        if (o->v[i].line.len && now_ms - o->v[i].held_ms >= HOLD_MS)
            write_lines(o, &o->v[i], true);
}

static void stream_close(struct stepout *o, struct stepout_stream *st)
{
    st->eof = true;
    if (st->line.len)
        write_lines(o, st, true);
}

void stepout_flush(struct stepout *o)
{
    for (uint32_t i = 0; o->v && i < 2 * o->n_ranks; i++)
        if (o->v[i].line.len)
            write_lines(o, &o->v[i], true);
}

/* ---- asking
 * ---------------------------------------------------------------------------------------------- */

static bool is_streamed(const struct step *s, uint32_t which)
{
    return !s->std_out && (which == 1 || !s->std_err);
}

static void make_streams(struct stepout *o, const struct step *s)
{
    o->step = s->id;
    o->n_ranks = s->n_ranks;
    o->holds = o->by_line && s->n_ranks == 1 && !isatty(STDOUT_FILENO);
    o->by_line = o->by_line && s->n_ranks > 1;
    o->v = xcalloc(2 * (size_t)s->n_ranks, sizeof *o->v);
    for (uint32_t i = 0; i < 2 * s->n_ranks; i++) {
        o->v[i] = (struct stepout_stream){.rank = i / 2, .which = i % 2 + 1};
        str_init(&o->v[i].line);
    }
}

static bool task_has_output(const struct task *t)
{
    return t->state == TASK_RUNNING || (t->state == TASK_DONE && t->end_kind != END_NOT_RUN);
}

static void stream_ask(struct stepout *o, struct stepout_stream *st)
{
    struct msg_output_read m = {
        .key = {.job = o->f->job, .step = o->step, .task = st->task},
        .rank = st->rank,
        .stream = st->which,
        .offset = st->offset,
        .max = CHUNK_MAX,
        .wait_ms = LONG_POLL_MS,
    };
    uint64_t tag;
    if (!follow_send(o->f, MSG_OUTPUT_READ, &m, &tag))
        return;
    st->asked = true;
    idmap_set(&o->by_tag, tag, st);
}

static void task_streams(struct stepout *o, const struct step *s, const struct task *t, int64_t now_ms)
{
    for (uint32_t i = 0; i < 2 * t->n_ranks; i++) {
        uint64_t at = 2 * (uint64_t)t->rank_base + i;
        if (at >= 2 * (uint64_t)o->n_ranks)
            return;
        struct stepout_stream *st = &o->v[at];
        st->task = t->index;
        st->open = is_streamed(s, st->which);
        if (st->open && !st->eof && !st->asked && st->retry_at_ms <= now_ms && o->f->client)
            stream_ask(o, st);
    }
}

void stepout_update(struct stepout *o, const struct step *s, int64_t now_ms)
{
    if (!o->v && s->tasks.n)
        make_streams(o, s);
    for (size_t i = 0; o->v && i < s->tasks.n; i++)
        if (task_has_output(&s->tasks.v[i]))
            task_streams(o, s, &s->tasks.v[i], now_ms);
    write_held(o, now_ms);
}

void stepout_reconnected(struct stepout *o)
{
    idmap_fini(&o->by_tag);
    for (uint32_t i = 0; o->v && i < 2 * o->n_ranks; i++)
        o->v[i].asked = false;
}

bool stepout_take(struct stepout *o, const struct incoming *in, bool task_may_live, int64_t now_ms)
{
    struct stepout_stream *st = idmap_remove(&o->by_tag, in->tag);
    if (!st)
        return false;
    st->asked = false;
    st->retry_at_ms = 0;
    const struct msg_output_data *d = in->kind == MSG_OUTPUT_DATA ? in->body : NULL;
    if (!d || d->error) { /* its node is out of reach, or the spool is gone */
        if (task_may_live)
            st->retry_at_ms = now_ms + RETRY_MS;
        else
            stream_close(o, st);
        return true;
    }
    if (d->offset == st->offset && d->data.n) {
        st->offset += d->data.n;
        o->last_data_ms = now_ms;
        stream_write(o, st, &d->data, now_ms);
    }
    if (d->eof)
        stream_close(o, st);
    return true;
}

bool stepout_task_is_done(const struct stepout *o, const struct step *s, const struct task *t)
{
    if (t->state != TASK_DONE)
        return false;
    for (uint32_t i = 0; o->v && task_has_output(t) && i < 2 * t->n_ranks; i++) {
        uint64_t at = 2 * (uint64_t)t->rank_base + i;
        if (at < 2 * (uint64_t)o->n_ranks && is_streamed(s, o->v[at].which) && !o->v[at].eof)
            return false;
    }
    return true;
}

bool stepout_is_done(const struct stepout *o, const struct step *s)
{
    for (size_t i = 0; i < s->tasks.n; i++)
        if (!stepout_task_is_done(o, s, &s->tasks.v[i]))
            return false;
    return true;
}

int stepout_timeout(const struct stepout *o, int64_t now_ms)
{
    int64_t next = INT64_MAX;
    for (uint32_t i = 0; o->v && i < 2 * o->n_ranks; i++) {
        const struct stepout_stream *st = &o->v[i];
        if (st->open && !st->eof && !st->asked && st->retry_at_ms && st->retry_at_ms < next)
            next = st->retry_at_ms;
        if (o->holds && st->line.len && st->held_ms + HOLD_MS < next)
            next = st->held_ms + HOLD_MS;
    }
    if (next == INT64_MAX)
        return -1;
    return next > now_ms ? (int)(next - now_ms) : 0;
}
