/* Output without a label never comes here: the rank writes to the file itself.
 *
 * A user may name a FIFO or a terminal without a reader. The shim never waits for one: what it does not
 * take is queued, and while the queue is long the rank's pipe is not read, so that the rank waits.
 */
#include "backend/shim/shim_io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/shim/shim_agent.h"
#include "backend/shim/shim_pty.h"
#include "src/os/clock.h"

#define READ_SIZE    32768
#define INPUT_MAX    (1u << 20) /* bytes held for the slowest rank */
#define QUEUE_MAX    (256u << 10)
#define REST_MAX     (1u << 20) /* no pipe holds more, unless a process goes on writing */
#define DRAIN_MS     5000
#define LABEL_DIGITS 10 /* of a rank, which has 32 bits */

/* How much has left; all of it where it can go nowhere: a full disk costs output, not the task. */
static size_t shim_io_write_all(int fd, const char *p, size_t size)
{
    for (size_t at = 0; fd >= 0 && at < size;) {
        ssize_t n = write(fd, p + at, size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            return at;
        if (n <= 0)
            return size;
        at += (size_t)n;
    }
    return size;
}

void shim_io_sink_setup(struct sink *k)
{
    struct stat st;
    k->queued =
        fstat(k->fd, &st) == 0 && !S_ISREG(st.st_mode) && fcntl(k->fd, F_SETFL, O_APPEND | O_NONBLOCK) == 0;
}

void shim_io_sink_flush(struct shim *s, struct sink *k)
{
    size_t n = shim_io_write_all(k->fd, k->queue.s, k->queue.len);
    if (n && s->drain_ms)
        s->drain_ms = mono_ms() + DRAIN_MS;
    size_t left = k->queue.len - n;
    if (n && left)
        memmove(k->queue.s, k->queue.s + n, left);
    str_truncate(&k->queue, left);
}

void shim_io_sink_write(struct shim *s, struct sink *k, const struct str *text)
{
    if (!k->queued) {
        shim_io_write_all(k->fd, text->s, text->len);
        return;
    }
    str_append_n(&k->queue, text->s, text->len);
    shim_io_sink_flush(s, k);
}

bool shim_io_sink_has_room(const struct shim *s, const struct rank *r, int stream)
{
    if (s->pty)
        return shim_pty_has_room(s);
    return s->sinks.v[r->sink[stream]].queue.len < QUEUE_MAX;
}

bool shim_io_sinks_drain(struct shim *s)
{
    bool waits = false;
    vec_for_each (&s->sinks, i)
        waits |= s->sinks.v[i].queue.len > 0;
    if (!s->drain_ms)
        s->drain_ms = mono_ms() + DRAIN_MS;
    return waits && !s->was_killed && !s->oom && mono_ms() < s->drain_ms;
}

/* Whole lines, each with its label, in one write: so ranks that share a file never cut one another's
 * lines. */
static void io_put_lines(struct shim *s, struct rank *r, int stream, bool all)
{
    struct pump *p = &r->pump[stream];
    struct str text = STR_INIT;
    char *line = p->line.s, *end = p->line.s + p->line.len;
    /* It comes from the controller, and this process may be root's. */
    int width = s->l.label_width < LABEL_DIGITS ? (int)s->l.label_width : LABEL_DIGITS;
    while (line < end) {
        char *nl = memchr(line, '\n', (size_t)(end - line));
        if (!nl && !all && end - line < (ptrdiff_t)PUMP_LINE_MAX)
            break;
        size_t n = (size_t)((nl ? nl : end) - line);
        str_appendf(&text, "%0*u: ", width, r->l->rank);
        str_append_n(&text, line, n);
        str_append_char(&text, '\n');
        line += n + (nl ? 1 : 0);
    }
    shim_io_sink_write(s, &s->sinks.v[r->sink[stream]], &text);
    str_fini(&text);
    size_t left = (size_t)(end - line);
    memmove(p->line.s, line, left);
    str_truncate(&p->line, left);
}

/* Returns false when there is nothing more now. */
static bool shim_io_read_some(struct shim *s, struct rank *r, int stream)
{
    struct pump *p = &r->pump[stream];
    str_reserve(&p->line, READ_SIZE);
    ssize_t n = read(p->fd, p->line.s + p->line.len, READ_SIZE);
    if (n < 0)
        return errno == EINTR;
    if (n == 0) {
        io_put_lines(s, r, stream, true);
        close(p->fd);
        p->fd = -1;
        return false;
    }
    p->line.len += (size_t)n;
    p->line.s[p->line.len] = '\0';
    io_put_lines(s, r, stream, false);
    return true;
}

void shim_io_pump_read(struct shim *s, struct rank *r, int stream)
{
    if (s->pty)
        shim_pty_read(s, r);
    else
        shim_io_read_some(s, r, stream);
}

void shim_io_pump_finish(struct shim *s, struct rank *r)
{
    if (s->pty)
        shim_pty_finish(s, r);
    for (int i = 0; i < 2; i++) {
        struct pump *p = &r->pump[i];
        /* Bounded: a process that the rank has left may write as fast as this reads. */
        for (size_t n = 0; p->fd >= 0 && n < REST_MAX && shim_io_read_some(s, r, i); n += READ_SIZE)
            ;
        if (p->fd >= 0) {
            io_put_lines(s, r, i, true);
            close(p->fd);
            p->fd = -1;
        }
        str_fini(&p->line);
    }
}

/* --- standard input --- */

static void io_input_ack(struct shim *s)
{
    bool open = false;
    for (size_t i = 0; i < s->n_ranks; i++)
        open |= s->ranks[i].in_fd >= 0;
    struct msg_input_ack ack = {.offset = s->input_at, .closed = !open && s->phase != SHIM_OPENING};
    shim_agent_send(s, MSG_INPUT_ACK, s->input_tag, &msg_input_ack_rec, &ack);
    s->input_waits = false;
}

static void io_close_input(struct rank *r)
{
    if (r->in_fd >= 0)
        close(r->in_fd);
    r->in_fd = -1;
}

/* Bytes that the slowest reader has got; all of them where no rank reads any more. */
static size_t io_push_ranks(struct shim *s)
{
    size_t slowest = s->input.len;
    for (size_t i = 0; i < s->n_ranks; i++) {
        struct rank *r = &s->ranks[i];
        while (r->in_fd >= 0 && r->in_at < s->input.len) {
            ssize_t n = write(r->in_fd, s->input.s + r->in_at, s->input.len - r->in_at);
            if (n > 0)
                r->in_at += (size_t)n;
            else if (n < 0 && errno == EAGAIN)
                break;
            else if (n < 0 && errno != EINTR)
                io_close_input(r); /* it has closed its input: the others read on */
        }
        if (r->in_fd >= 0 && r->in_at < slowest)
            slowest = r->in_at;
    }
    return slowest;
}

void shim_io_input_push(struct shim *s)
{
    if (s->phase == SHIM_OPENING || io_push_ranks(s) < s->input.len)
        return;
    s->input_at += s->input.len;
    str_clear(&s->input);
    for (size_t i = 0; i < s->n_ranks; i++) {
        s->ranks[i].in_at = 0;
        if (s->input_eof)
            io_close_input(&s->ranks[i]);
    }
    if (s->input_waits)
        io_input_ack(s);
}

void shim_io_input_take(struct shim *s, uint64_t tag, const struct msg_input *m)
{
    if (s->pty) {
        shim_pty_input(s, tag, m);
        return;
    }
    if (s->input_waits)
        io_input_ack(s); /* a second piece before the first has gone: tell how far it is */
    s->input_tag = tag;
    s->input_waits = true;
    uint64_t have = s->input_at + s->input.len;
    bool gap = m->offset > have, full = s->input.len + m->data.n > INPUT_MAX;
    if (gap || full || s->input_eof) {
        io_input_ack(s);
        return;
    }
    uint64_t known = have - m->offset;
    if (known < m->data.n)
        str_append_n(&s->input, (const char *)m->data.p + known, m->data.n - (size_t)known);
    s->input_eof = m->eof;
    shim_io_input_push(s);
}
