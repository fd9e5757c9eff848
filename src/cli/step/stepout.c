/* stepout.c - the output of a step's ranks. */
#include "src/cli/step/stepout.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"

#define CHUNK_MAX     (256u << 10)
#define CHUNK_MIN     4096u
#define CHUNKS_MAX    (8u << 20) /* of all streams together */
#define KEPT_MAX      (1u << 20) /* unwritten bytes above which no more is fetched */
#define LONG_POLL_MS  20000
#define RETRY_MS      300
#define SPOOL_KEEP_MS 60000       /* what nodes keep a spool for */
#define LINE_MAX_OUT  (64u << 10) /* a longer line is written in pieces */
#define HOLD_MS       50
#define PIECE         4096 /* what a pipe that is ready takes without waiting */

/* The descriptor may be shared with the shell and others, who would be surprised to find it non-blocking: a
 * pipe or a terminal is opened once more for us alone. Where that fails it is only written to when it is
 * ready. */
static void sink_init(struct stepout_sink *k, int fd)
{
    struct stat st;
    char path[32];
    *k = (struct stepout_sink){.fd = fd, .own_fd = -1, .kept = STR_INIT};
    bool known = fstat(fd, &st) == 0;
    k->plain = !known || S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
    if (!known || !(S_ISFIFO(st.st_mode) || isatty(fd)))
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    k->own_fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static bool is_same(const struct stepout_sink *a, const struct stepout_sink *b)
{
    struct stat x, y;
    return !a->plain && !b->plain && fstat(a->fd, &x) == 0 && fstat(b->fd, &y) == 0 &&
           x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A test says otherwise in the environment. */
static int64_t time_of(const char *name, int64_t otherwise_ms)
{
    const char *text = getenv(name);
    int ms = text ? atoi(text) : 0;
    return ms > 0 ? ms : otherwise_ms;
}

void stepout_init(struct stepout *o, struct follow *f, bool by_line)
{
    *o = (struct stepout){.f = f, .step = -1, .by_line = by_line};
    o->keep_alive_ms = time_of("STOKER_SPOOL_KEEP_MS", SPOOL_KEEP_MS) / 3; /* as agents have it */
    o->hold_ms = time_of("STOKER_HOLD_MS", HOLD_MS);
    sink_init(&o->sinks[0], STDOUT_FILENO);
    sink_init(&o->sinks[1], STDERR_FILENO);
    o->shared = is_same(&o->sinks[0], &o->sinks[1]);
}

void stepout_fini(struct stepout *o)
{
    for (uint32_t i = 0; o->v && i < 2 * o->n_ranks; i++)
        str_fini(&o->v[i].line);
    free(o->v);
    o->v = NULL;
    idmap_fini(&o->by_tag);
    free(o->why_not);
    o->why_not = NULL;
    for (int i = 0; i < 2; i++) {
        str_fini(&o->sinks[i].kept);
        if (o->sinks[i].own_fd >= 0)
            close(o->sinks[i].own_fd);
    }
}

/* --- writing --- */

static bool is_writable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    return poll(&p, 1, 0) > 0;
}

/* Whole lines where one fits: others may write to the same pipe. */
static size_t piece_of(const char *p, size_t n)
{
    n = n < PIECE ? n : PIECE;
    const char *last = memrchr(p, '\n', n);
    return last ? (size_t)(last - p) + 1 : n;
}

static void sink_drain(struct stepout *o, struct stepout_sink *k, int64_t now_ms)
{
    int fd = k->own_fd >= 0 ? k->own_fd : k->fd;
    while (k->at < k->kept.len) {
        size_t n = k->kept.len - k->at;
        if (!k->plain && !is_writable(fd))
            return;
        ssize_t done = write(fd, k->kept.s + k->at, k->plain ? n : piece_of(k->kept.s + k->at, n));
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0 && errno == EAGAIN)
            return;
        if (done < 0) { /* a full disk costs output, not the step */
            o->pipe_broken = o->pipe_broken || (k->fd == STDOUT_FILENO && errno == EPIPE);
            break;
        }
        k->at += (size_t)done;
        o->last_data_ms = now_ms;
    }
    str_clear(&k->kept);
    k->at = 0;
}

void stepout_drain(struct stepout *o, int64_t now_ms)
{
    for (int i = 0; i < 2; i++)
        if (o->sinks[i].kept.len)
            sink_drain(o, &o->sinks[i], now_ms);
}

bool stepout_is_drained(const struct stepout *o)
{
    return !o->sinks[0].kept.len && !o->sinks[1].kept.len;
}

void stepout_fds(const struct stepout *o, int ret_fds[2])
{
    for (int i = 0; i < 2; i++) {
        const struct stepout_sink *k = &o->sinks[i];
        ret_fds[i] = !k->kept.len ? -1 : k->own_fd >= 0 ? k->own_fd : k->fd;
    }
}

static struct stepout_sink *stepout_sink_of(struct stepout *o, const struct stepout_stream *st)
{
    return &o->sinks[st->which == 1 || o->shared ? 0 : 1];
}

static bool is_full(struct stepout *o, const struct stepout_stream *st)
{
    const struct stepout_sink *k = stepout_sink_of(o, st);
    return k->kept.len - k->at >= KEPT_MAX;
}

static void sink_write(struct stepout *o, const struct stepout_stream *st, const char *p, size_t n)
{
    struct stepout_sink *k = stepout_sink_of(o, st);
    if (k->at > k->kept.len / 2) { /* what is written makes room */
        memmove(k->kept.s, k->kept.s + k->at, k->kept.len - k->at);
        str_truncate(&k->kept, k->kept.len - k->at);
        k->at = 0;
    }
    str_append_n(&k->kept, p, n);
}

/* As nodes write them: "07: text". */
static void write_labelled(struct stepout *o, struct stepout_stream *st, const char *p, size_t n)
{
    char label[16];
    int width = snprintf(label, sizeof label, "%0*u: ", o->label_width, st->rank);
    while (n) {
        const char *end = memchr(p, '\n', n);
        size_t line = end ? (size_t)(end - p) + 1 : n;
        if (!st->within)
            sink_write(o, st, label, (size_t)width);
        sink_write(o, st, p, line);
        st->within = !end;
        p += line;
        n -= line;
    }
}

/* Up to the last line break, so that lines of different ranks never mix. all: what has no line break yet
 * goes out too. */
static void write_lines(struct stepout *o, struct stepout_stream *st, bool all)
{
    const char *last = memrchr(st->line.s, '\n', st->line.len);
    size_t n = last ? (size_t)(last - st->line.s) + 1 : 0;
    if (all || (!n && st->line.len >= LINE_MAX_OUT))
        n = st->line.len;
    if (o->label_width)
        write_labelled(o, st, st->line.s, n);
    else
        sink_write(o, st, st->line.s, n);
    memmove(st->line.s, st->line.s + n, st->line.len - n);
    str_truncate(&st->line, st->line.len - n);
}

/* Our terminal is raw: output that a terminal has not formatted lacks carriage returns. */
static void write_notes(struct stepout *o, const struct stepout_stream *st, const struct blob *data)
{
    for (size_t i = 0; i < data->n; i++) {
        if (data->p[i] == '\n')
            sink_write(o, st, "\r", 1);
        sink_write(o, st, (const char *)data->p + i, 1);
    }
}

static void write_screen(struct stepout *o, const struct stepout_stream *st, const struct blob *data)
{
    const uint8_t *line = o->whole_line ? memchr(data->p, '\n', data->n) : NULL;
    size_t from = line ? (size_t)(line - data->p) + 1 : 0;
    o->whole_line = o->whole_line && !data->n;
    sink_write(o, st, (const char *)data->p + from, data->n - from);
}

static void stream_write(struct stepout *o, struct stepout_stream *st, const struct blob *data,
                         int64_t now_ms)
{
    if (o->screen) {
        if (st->which == 1)
            write_screen(o, st, data);
        else
            write_notes(o, st, data);
        return;
    }
    if (!o->by_line && !o->holds) {
        sink_write(o, st, (const char *)data->p, data->n);
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
        if (o->v[i].line.len && now_ms - o->v[i].held_ms >= o->hold_ms)
            write_lines(o, &o->v[i], true);
}

static void stream_close(struct stepout *o, struct stepout_stream *st)
{
    st->eof = true;
    if (st->line.len)
        write_lines(o, st, true);
}

/* --- asking --- */

static bool is_streamed(const struct step *s, uint32_t which)
{
    return !s->std_out && (which == 1 || !s->std_err);
}

static int digits(uint32_t n)
{
    return snprintf(NULL, 0, "%u", n);
}

static void make_streams(struct stepout *o, const struct step *s)
{
    o->step = s->id;
    o->n_ranks = s->n_ranks;
    o->label_width = !o->labels || s->label || s->pty ? 0 : digits(s->n_ranks ? s->n_ranks - 1 : 0);
    o->holds = o->by_line && s->n_ranks == 1 && !o->label_width && !isatty(STDOUT_FILENO);
    o->by_line = (o->by_line && s->n_ranks > 1) || o->label_width;
    o->chunk = CHUNKS_MAX / (2 * (s->n_ranks ? s->n_ranks : 1));
    o->chunk = o->chunk > CHUNK_MAX ? CHUNK_MAX : o->chunk < CHUNK_MIN ? CHUNK_MIN : o->chunk;
    o->v = xcalloc(2 * (size_t)s->n_ranks, sizeof *o->v);
    for (uint32_t i = 0; i < 2 * s->n_ranks; i++) {
        uint32_t only = o->only[i % 2];
        o->v[i] = (struct stepout_stream){.rank = i / 2, .which = i % 2 + 1};
        o->v[i].eof = only && only != i / 2 + 1; /* not wanted: as if it had been read */
        str_init(&o->v[i].line);
    }
    o->v[0].offset = o->from;
}

void stepout_of_screen(struct stepout *o, uint64_t from)
{
    o->screen = true;
    o->from = from;
    o->whole_line = from > 0;
}

uint64_t stepout_seen(const struct stepout *o)
{
    const struct stepout_sink *k = &o->sinks[0];
    uint64_t kept = k->kept.len - k->at;
    return !o->v ? 0 : o->v[0].offset > kept ? o->v[0].offset - kept : 0;
}

static bool task_has_output(const struct task *t)
{
    return t->state == TASK_RUNNING || (t->state == TASK_DONE && t->end_kind != END_NOT_RUN);
}

/* From the moment that it is on its way to the node: the question travels behind it, and the node answers
 * when there is something to say. Waiting until it is known to run would cost two more ways. */
static bool task_may_be_asked(const struct task *t)
{
    return t->state == TASK_LAUNCHING || task_has_output(t);
}

/* Where what is here has not been taken yet, one byte: only to be seen reading. */
static void stream_ask(struct stepout *o, struct stepout_stream *st, const struct task *t)
{
    bool full = is_full(o, st);
    struct msg_output_read m = {
        .key = {.job = o->f->job, .step = o->step, .task = st->task},
        .rank = st->rank,
        .stream = st->which,
        .offset = st->offset,
        .max = full ? 1 : o->chunk,
        .wait_ms = full ? 0 : LONG_POLL_MS,
    };
    uint64_t tag;
    if (!follow_send(o->f, MSG_OUTPUT_READ, &m, &tag))
        return;
    st->asked = true;
    st->asked_early = t->state == TASK_LAUNCHING;
    st->asked_ended = t->state == TASK_DONE;
    idmap_set(&o->by_tag, tag, st);
}

static void stream_go_on(struct stepout_stream *st)
{
    st->paused = false;
    st->retry_at_ms = 0;
}

static void task_streams(struct stepout *o, const struct step *s, const struct task *t, int64_t now_ms)
{
    for (uint32_t i = 0; i < 2 * t->n_ranks; i++) {
        uint64_t at = 2 * (uint64_t)step_rank(s, t, i / 2) + i % 2;
        if (at >= 2 * (uint64_t)o->n_ranks)
            return;
        struct stepout_stream *st = &o->v[at];
        st->task = t->index;
        st->open = is_streamed(s, st->which);
        if (st->early && t->state != TASK_LAUNCHING)
            st->retry_at_ms = 0;
        st->early = st->early && t->state == TASK_LAUNCHING;
        if (st->paused && !is_full(o, st))
            stream_go_on(st);
        if (st->open && !st->eof && !st->asked && st->retry_at_ms <= now_ms && o->f->client)
            stream_ask(o, st, t);
    }
}

void stepout_update(struct stepout *o, const struct step *s, int64_t now_ms)
{
    if (!o->v && s->tasks.n)
        make_streams(o, s);
    for (size_t i = 0; o->v && i < s->tasks.n; i++)
        if (task_may_be_asked(&s->tasks.v[i]))
            task_streams(o, s, &s->tasks.v[i], now_ms);
    write_held(o, now_ms);
    stepout_drain(o, now_ms);
}

void stepout_reconnected(struct stepout *o)
{
    idmap_fini(&o->by_tag);
    for (uint32_t i = 0; o->v && i < 2 * o->n_ranks; i++)
        o->v[i].asked = false;
}

static void stream_lost(struct stepout *o, struct stepout_stream *st, const char *why)
{
    const struct stepout_stream *other = &o->v[2 * (size_t)st->rank + (st->which == 1)];
    if (!other->lost)
        cli_error(o->f->cli, "some output of task %u could not be fetched: %s", st->rank, why);
    st->lost = o->failed = true;
    stream_close(o, st);
}

/* The controller could not answer: the node is out of reach. That does not end the output. */
static void not_answered(struct stepout *o, struct stepout_stream *st, const struct incoming *in,
                         int64_t now_ms)
{
    const struct msg_result *result = in->kind == MSG_RESULT ? in->body : NULL;
    if (result && !str_is_empty(result->text)) {
        xstrset(&o->why_not, result->text);
    }
    st->retry_at_ms = now_ms + RETRY_MS;
    st->early = st->asked_early;
}

static void take_data(struct stepout *o, struct stepout_stream *st, const struct msg_output_data *d,
                      int64_t now_ms)
{
    if (d->error && !st->asked_ended) { /* it may just have begun */
        st->retry_at_ms = now_ms + RETRY_MS;
        st->early = st->asked_early;
        return;
    }
    if (d->error) {
        stream_lost(o, st, d->error);
        return;
    }
    if (o->screen &&
        d->offset > st->offset) /* the node dropped the oldest output while no client read it */
        st->offset = d->offset;
    if (d->offset == st->offset && d->data.n) {
        st->offset += d->data.n;
        o->last_data_ms = now_ms;
        stream_write(o, st, &d->data, now_ms);
    }
    if (d->eof)
        stream_close(o, st);
    stepout_drain(o, now_ms);
    st->paused = is_full(o, st);
    if (st->paused)
        st->retry_at_ms = now_ms + o->keep_alive_ms;
}

bool stepout_take(struct stepout *o, const struct incoming *in, int64_t now_ms)
{
    struct stepout_stream *st = idmap_remove(&o->by_tag, in->tag);
    if (!st)
        return false;
    st->asked = st->paused = false;
    st->retry_at_ms = 0;
    if (st->eof) /* given up meanwhile */
        return true;
    if (in->kind == MSG_OUTPUT_DATA)
        take_data(o, st, in->body, now_ms);
    else
        not_answered(o, st, in, now_ms);
    return true;
}

void stepout_give_up(struct stepout *o, const struct step *s)
{
    for (size_t i = 0; o->v && i < s->tasks.n; i++) {
        const struct task *t = &s->tasks.v[i];
        for (uint32_t k = 0; task_has_output(t) && k < 2 * t->n_ranks; k++) {
            uint64_t at = 2 * (uint64_t)step_rank(s, t, k / 2) + k % 2;
            if (at < 2 * (uint64_t)o->n_ranks && is_streamed(s, o->v[at].which) && !o->v[at].eof)
                stream_lost(o, &o->v[at], o->why_not ? o->why_not : "no answer");
        }
    }
}

bool stepout_task_is_done(const struct stepout *o, const struct step *s, const struct task *t)
{
    if (t->state != TASK_DONE || !stepout_is_drained(o))
        return false;
    for (uint32_t i = 0; o->v && task_has_output(t) && i < 2 * t->n_ranks; i++) {
        uint64_t at = 2 * (uint64_t)step_rank(s, t, i / 2) + i % 2;
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
        if (o->holds && st->line.len && st->held_ms + o->hold_ms < next)
            next = st->held_ms + o->hold_ms;
    }
    if (next == INT64_MAX)
        return -1;
    return next > now_ms ? (int)(next - now_ms) : 0;
}
