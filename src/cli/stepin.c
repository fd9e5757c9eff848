/* stepin.c - standard input for a step. One piece is under way at a time: it is the window. */
#include "src/cli/stepin.h"

#include <errno.h>
#include <unistd.h>

#define WINDOW   (64u << 10)
#define RETRY_MS 200

void stepin_init(struct stepin *i, struct follow *f, bool on)
{
    *i = (struct stepin){.f = f, .on = on};
    str_init(&i->kept);
}

void stepin_fini(struct stepin *i)
{
    str_fini(&i->kept);
}

void stepin_stop(struct stepin *i)
{
    i->on = false;
}

/* A background process that reads its terminal would be stopped. */
static bool may_read(void)
{
    pid_t foreground = tcgetpgrp(STDIN_FILENO);
    return foreground < 0 || foreground == getpgrp();
}

int stepin_fd(const struct stepin *i)
{
    return i->on && !i->at_end && i->kept.len < WINDOW && may_read() ? STDIN_FILENO : -1;
}

void stepin_read(struct stepin *i)
{
    char buf[WINDOW];
    ssize_t n = read(STDIN_FILENO, buf, WINDOW - i->kept.len);
    if (n > 0)
        str_append_n(&i->kept, buf, (size_t)n);
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        i->at_end = true;
}

void stepin_update(struct stepin *i, int32_t step, int64_t now_ms)
{
    if (!i->on || i->asked || i->told_end || (!i->kept.len && !i->at_end) || i->retry_at_ms > now_ms ||
        !i->f->client)
        return;
    struct msg_input m = {
        .key = {.job = i->f->job, .step = step},
        .offset = i->offset,
        .data = {.p = (uint8_t *)i->kept.s, .n = i->kept.len},
        .eof = i->at_end,
    };
    i->asked = follow_send(i->f, MSG_INPUT, &m, &i->tag);
    i->asked_end = m.eof;
}

void stepin_reconnected(struct stepin *i)
{
    i->asked = false;
}

bool stepin_take(struct stepin *i, const struct incoming *in, int64_t now_ms)
{
    if (!i->asked || in->tag != i->tag)
        return false;
    i->asked = false;
    i->retry_at_ms = 0;
    const struct msg_input_ack *ack = in->kind == MSG_INPUT_ACK ? in->body : NULL;
    if (!ack) { /* not there yet, or its node is out of reach */
        i->retry_at_ms = now_ms + RETRY_MS;
        return true;
    }
    uint64_t end = i->offset + i->kept.len;
    uint64_t taken = ack->offset > end ? end : ack->offset;
    if (taken > i->offset) {
        size_t n = (size_t)(taken - i->offset);
        struct str rest = STR_INIT;
        str_append_n(&rest, i->kept.s + n, i->kept.len - n);
        str_fini(&i->kept);
        i->kept = rest;
        i->offset = taken;
    } else if (i->kept.len) { /* the ranks read slowly: their pipe is full */
        i->retry_at_ms = now_ms + RETRY_MS;
    }
    i->told_end = i->asked_end && !i->kept.len;
    if (ack->closed)
        i->on = false;
    return true;
}

int stepin_timeout(const struct stepin *i, int64_t now_ms)
{
    if (!i->on || !i->retry_at_ms)
        return -1;
    return i->retry_at_ms > now_ms ? (int)(i->retry_at_ms - now_ms) : 0;
}
