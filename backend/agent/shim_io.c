/* shim_io.c - streams that pass through the shim: labelled output, and standard input for all ranks.
 *
 * Output without a label never comes here: the rank writes to the file itself.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backend/agent/shim_private.h"

#define READ_SIZE 32768
#define INPUT_MAX (1u << 20) /* bytes held for the slowest rank */

static void write_sink(int fd, const struct str *text)
{
    for (size_t at = 0; fd >= 0 && at < text->len;) {
        ssize_t n = write(fd, text->s + at, text->len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* a full disk costs output, not the task */
        at += (size_t)n;
    }
}

/* Whole lines, each with its label, in one write: so ranks that share a file never cut one another's lines.
 */
static void put_lines(struct shim *s, struct rank *r, int stream, bool all)
{
    struct pump *p = &r->pump[stream];
    struct str text = STR_INIT;
    char *line = p->line.s, *end = p->line.s + p->line.len;
    while (line < end) {
        char *nl = memchr(line, '\n', (size_t)(end - line));
        if (!nl && !all && end - line < (ptrdiff_t)PUMP_LINE_MAX)
            break;
        size_t n = (size_t)((nl ? nl : end) - line);
        str_appendf(&text, "%0*u: ", (int)s->l.label_width, r->l->rank);
        str_append_n(&text, line, n);
        str_append_char(&text, '\n');
        line += n + (nl ? 1 : 0);
    }
    write_sink(s->sinks.v[r->sink[stream]].fd, &text);
    str_fini(&text);
    size_t left = (size_t)(end - line);
    memmove(p->line.s, line, left);
    str_truncate(&p->line, left);
}

/* Returns false when there is nothing more now. */
static bool read_some(struct shim *s, struct rank *r, int stream)
{
    struct pump *p = &r->pump[stream];
    str_reserve(&p->line, READ_SIZE);
    ssize_t n = read(p->fd, p->line.s + p->line.len, READ_SIZE);
    if (n < 0)
        return errno == EINTR;
    if (n == 0) {
        put_lines(s, r, stream, true);
        close(p->fd);
        p->fd = -1;
        return false;
    }
    p->line.len += (size_t)n;
    p->line.s[p->line.len] = '\0';
    put_lines(s, r, stream, false);
    return true;
}

void pump_read(struct shim *s, struct rank *r, int stream)
{
    read_some(s, r, stream);
}

void pump_finish(struct shim *s, struct rank *r)
{
    for (int i = 0; i < 2; i++) {
        struct pump *p = &r->pump[i];
        while (p->fd >= 0 && read_some(s, r, i))
            ;
        if (p->fd >= 0) {
            put_lines(s, r, i, true);
            close(p->fd);
            p->fd = -1;
        }
        str_fini(&p->line);
    }
}

/* --- standard input --- */

static void input_ack(struct shim *s)
{
    bool open = false;
    for (size_t i = 0; i < s->n_ranks; i++)
        open |= s->ranks[i].in_fd >= 0;
    struct msg_input_ack ack = {.offset = s->input_at, .closed = !open && s->phase != SHIM_OPENING};
    link_send(s, MSG_INPUT_ACK, s->input_tag, &msg_input_ack_rec, &ack);
    s->input_waits = false;
}

static void close_input(struct rank *r)
{
    if (r->in_fd >= 0)
        close(r->in_fd);
    r->in_fd = -1;
}

/* Bytes that the slowest reader has got; all of them where nobody reads any more. */
static size_t push_ranks(struct shim *s)
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
                close_input(r); /* it has closed its input: the others read on */
        }
        if (r->in_fd >= 0 && r->in_at < slowest)
            slowest = r->in_at;
    }
    return slowest;
}

void input_push(struct shim *s)
{
    if (s->phase == SHIM_OPENING || push_ranks(s) < s->input.len)
        return;
    s->input_at += s->input.len;
    str_clear(&s->input);
    for (size_t i = 0; i < s->n_ranks; i++) {
        s->ranks[i].in_at = 0;
        if (s->input_eof)
            close_input(&s->ranks[i]);
    }
    if (s->input_waits)
        input_ack(s);
}

void input_take(struct shim *s, uint64_t tag, const struct msg_input *m)
{
    if (s->input_waits)
        input_ack(s); /* a second piece before the first has gone: tell how far it is */
    s->input_tag = tag;
    s->input_waits = true;
    uint64_t have = s->input_at + s->input.len;
    bool gap = m->offset > have, full = s->input.len + m->data.n > INPUT_MAX;
    if (gap || full || s->input_eof) {
        input_ack(s);
        return;
    }
    uint64_t known = have - m->offset;
    if (known < m->data.n)
        str_append_n(&s->input, (const char *)m->data.p + known, m->data.n - (size_t)known);
    s->input_eof = m->eof;
    input_push(s);
}
