/* ptyin.c - keys, window size, and signs of life for a task on a terminal. One message is under way at a
 * time. */
#include "src/cli/step/ptyin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/user_record.h"

#define KEPT_MAX (64u << 10)
#define ALIVE_MS 3000 /* a third of what the supervisor waits for */
#define RETRY_MS 200
#define LOST_MS  5000        /* an answer that does not come: an agent that died on the way */
#define SEEN_MIN (64u << 10) /* of output, before it is worth a message of its own */

static char *who_we_are(void)
{
    char host[256] = "?";
    const struct passwd *pw = user_record_of_uid(getuid());
    const char *tty = ttyname(STDIN_FILENO);
    gethostname(host, sizeof host - 1);
    return xasprintf("%s on %s%s%s", pw ? pw->pw_name : "?", host, tty ? ", " : "",
                     tty && strncmp(tty, "/dev/", 5) == 0 ? tty + 5 : "");
}

void ptyin_init(struct ptyin *p, struct follow *f, bool on, bool attached, bool take)
{
    *p = (struct ptyin){.f = f, .on = on, .attached = attached, .take = take, .kept = STR_INIT};
    if (!on)
        return;
    if (getrandom(&p->writer, sizeof p->writer, 0) != sizeof p->writer || !p->writer)
        p->writer = (uint64_t)getpid();
    p->who = who_we_are();
    p->is_tty = isatty(STDIN_FILENO);
    p->resized = true;
    p->escape = 1; /* as if Enter had been typed */
}

void ptyin_fini(struct ptyin *p)
{
    str_fini(&p->kept);
    free(p->who);
    free(p->refused);
}

static bool ptyin_is_over(const struct ptyin *p)
{
    return !p->on || p->refused || p->left || p->hung_up || p->closed;
}

/* A background process that reads its terminal would be stopped. */
static bool ptyin_may_read(void)
{
    pid_t foreground = tcgetpgrp(STDIN_FILENO);
    return foreground < 0 || foreground == getpgrp();
}

int ptyin_fd(const struct ptyin *p)
{
    return !ptyin_is_over(p) && !p->at_end && p->kept.len < KEPT_MAX && ptyin_may_read() ? STDIN_FILENO
                                                                                         : -1;
}

/* Enter ~ . leaves, as ssh's users know it; of anything else nothing is held back but the ~ itself. */
static void take_key(struct ptyin *p, char c)
{
    if (p->attached && p->escape == 2) {
        p->escape = 0;
        if (c == '.') {
            p->left = true;
            return;
        }
        if (c != '~')
            str_append_char(&p->kept, '~');
    } else if (p->attached && p->escape == 1 && c == '~') {
        p->escape = 2;
        return;
    }
    p->escape = c == '\r' || c == '\n';
    str_append_char(&p->kept, c);
}

void ptyin_read(struct ptyin *p)
{
    char buf[4096];
    ssize_t n = read(STDIN_FILENO, buf, sizeof buf);
    for (ssize_t i = 0; i < n && !p->left; i++)
        if (p->is_tty)
            take_key(p, buf[i]);
        else
            str_append_char(&p->kept, buf[i]);
    if (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
        return;
    if (p->is_tty) /* a raw terminal has no end of input: it is gone */
        p->hung_up = true;
    else
        p->at_end = true;
}

void ptyin_resize(struct ptyin *p)
{
    p->resized = true;
}

/* --- saying --- */

static void ptyin_send(struct ptyin *p, const struct step *s, uint64_t seen, int64_t now_ms, bool leave)
{
    struct winsize w = {0};
    if (p->resized)
        ioctl(STDIN_FILENO, TIOCGWINSZ, &w);
    struct msg_input m = {
        .key = {.job = p->f->job, .step = s->id},
        .offset = p->offset,
        .data = {.p = (uint8_t *)p->kept.s, .n = p->held ? p->kept.len : 0},
        .eof = p->at_end && p->held,
        .writer = p->writer,
        .who = p->who,
        .fresh = !p->held && !leave,
        .take = p->take && !p->held && !leave,
        .redraw = p->attached && !p->held && !leave,
        .leave = leave,
        .rows = w.ws_row,
        .cols = w.ws_col,
        .seen = seen,
    };
    p->asked = follow_send(p->f, MSG_INPUT, &m, &p->tag);
    p->resized = p->resized && !p->asked;
    p->eof_asked = m.eof;
    p->asked_ms = now_ms;
    p->seen_told = seen;
    p->next_ms = now_ms + ALIVE_MS;
}

void ptyin_update(struct ptyin *p, const struct step *s, uint64_t seen, int64_t now_ms)
{
    if (p->asked && now_ms - p->asked_ms > LOST_MS) { /* said again: its place in the stream is known */
        p->asked = false;
        p->resized = true;
    }
    if (ptyin_is_over(p) || p->asked || !p->f->client || !s->tasks.n || s->tasks.v[0].state != TASK_RUNNING)
        return;
    bool news = p->kept.len || p->resized || (p->at_end && !p->eof_done) || seen - p->seen_told >= SEEN_MIN;
    if (now_ms >= p->retry_ms && (!p->held || news || now_ms >= p->next_ms))
        ptyin_send(p, s, seen, now_ms, false);
}

void ptyin_leave(struct ptyin *p, const struct step *s)
{
    /* Also a client that has asked to be the writer and leaves before the answer. */
    if (p->on && (p->held || (p->asked && !p->refused)) && p->f->client)
        ptyin_send(p, s, p->seen_told, 0, true);
}

/* --- answers --- */

static void take_ack(struct ptyin *p, const struct msg_input_ack *ack, int64_t now_ms)
{
    if (ack->refused) {
        p->refused = xstrdup(ack->refused);
        p->held = false;
        return;
    }
    if (!ack->held) { /* its supervisor is not reached yet */
        p->closed = ack->closed;
        p->retry_ms = now_ms + RETRY_MS;
        p->resized = true;
        return;
    }
    p->retry_ms = 0;
    if (!p->held) {
        p->held = true;
        p->offset = ack->offset;
        p->out = ack->out;
        return;
    }
    uint64_t end = p->offset + p->kept.len;
    uint64_t taken = ack->offset < p->offset ? p->offset : ack->offset > end ? end : ack->offset;
    size_t n = (size_t)(taken - p->offset);
    if (!n && p->kept.len) /* the program reads slowly */
        p->retry_ms = now_ms + RETRY_MS;
    memmove(p->kept.s, p->kept.s + n, p->kept.len - n);
    str_truncate(&p->kept, p->kept.len - n);
    p->offset = taken;
    p->eof_done = p->eof_done || (p->eof_asked && !p->kept.len);
}

bool ptyin_take(struct ptyin *p, const struct incoming *in, int64_t now_ms)
{
    if (!p->asked || in->tag != p->tag)
        return false;
    p->asked = false;
    if (in->kind == MSG_INPUT_ACK) {
        take_ack(p, in->body, now_ms);
    } else { /* its node is out of reach */
        p->retry_ms = now_ms + RETRY_MS;
        p->resized = true;
    }
    return true;
}

void ptyin_reconnected(struct ptyin *p)
{
    p->asked = false;
    p->resized = p->on;
    p->next_ms = p->retry_ms = 0;
}

int ptyin_timeout(const struct ptyin *p, int64_t now_ms)
{
    if (ptyin_is_over(p) || !p->next_ms || !p->f->client)
        return -1; /* not begun, or away: the task's start or a connection says when */
    int64_t at = p->asked ? p->asked_ms + LOST_MS + 1 : p->retry_ms > now_ms ? p->retry_ms : p->next_ms;
    return at > now_ms ? (int)(at - now_ms) : 0;
}
