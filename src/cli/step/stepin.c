/* stepin.c - standard input for a step. One piece is under way to each node at a time: it is the window. */
#include "src/cli/step/stepin.h"

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
    vec_fini(&i->targets);
}

/* A background process that reads its terminal would be stopped. */
static bool stepin_may_read(void)
{
    pid_t foreground = tcgetpgrp(STDIN_FILENO);
    return foreground < 0 || foreground == getpgrp();
}

int stepin_fd(const struct stepin *i)
{
    return i->on && !i->at_end && i->kept.len < WINDOW && stepin_may_read() ? STDIN_FILENO : -1;
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

/* What every node has taken is forgotten; where no one reads any more, reading here ends too. */
static void trim(struct stepin *i)
{
    uint64_t taken = UINT64_MAX;
    vec_for_each (&i->targets, k)
        if (!i->targets.v[k].done && i->targets.v[k].taken < taken)
            taken = i->targets.v[k].taken;
    if (taken == UINT64_MAX) {
        i->on = false;
        return;
    }
    size_t n = (size_t)(taken - i->offset);
    struct str rest = STR_INIT;
    str_append_n(&rest, i->kept.s + n, i->kept.len - n);
    str_fini(&i->kept);
    i->kept = rest;
    i->offset = taken;
}

/* --- sending --- */

static void target_send(struct stepin *i, int32_t step, struct stepin_target *t)
{
    size_t at = (size_t)(t->taken - i->offset);
    struct msg_input m = {
        .key = {.job = i->f->job,
                .step = step,
                .task = t->rank}, /* a rank: the controller finds its task */
        .offset = t->taken,
        .data = {.p = (uint8_t *)i->kept.s + at, .n = i->kept.len - at},
        .eof = i->at_end,
    };
    t->asked = follow_send(i->f, MSG_INPUT, &m, &t->tag);
}

void stepin_update(struct stepin *i, const struct step *s, int64_t now_ms)
{
    while (i->on && i->targets.n < s->tasks.n)
        vec_push(&i->targets, (struct stepin_target){.taken = i->offset});
    for (size_t k = 0; i->on && k < s->tasks.n; k++) {
        struct stepin_target *t = &i->targets.v[k];
        t->rank = step_rank(s, &s->tasks.v[k], 0);
        if (!t->done && s->tasks.v[k].state == TASK_DONE) {
            t->done = true;
            trim(i); /* the others may have waited for what it had not taken */
        }
        bool more = t->taken < i->offset + i->kept.len || i->at_end;
        if (s->tasks.v[k].state == TASK_RUNNING && more && !t->asked && !t->done &&
            t->retry_at_ms <= now_ms && i->f->client)
            target_send(i, s->id, t);
    }
}

/* --- answers --- */

static void target_take(struct stepin *i, struct stepin_target *t, const struct msg_input_ack *ack,
                        int64_t now_ms)
{
    uint64_t end = i->offset + i->kept.len;
    uint64_t taken = ack->offset > end ? end : ack->offset;
    if (taken > t->taken)
        t->taken = taken;
    else /* its ranks read slowly: their pipe is full. Or its agent has just begun, and does not reach it */
        t->retry_at_ms = now_ms + RETRY_MS;
    t->done = ack->closed; /* the end is taken when all ranks' inputs are closed */
    trim(i);
}

bool stepin_take(struct stepin *i, const struct incoming *in, int64_t now_ms)
{
    vec_for_each (&i->targets, k) {
        struct stepin_target *t = &i->targets.v[k];
        if (!t->asked || t->tag != in->tag)
            continue;
        t->asked = false;
        t->retry_at_ms = 0;
        if (in->kind == MSG_INPUT_ACK)
            target_take(i, t, in->body, now_ms);
        else /* not there yet, or its node is out of reach */
            t->retry_at_ms = now_ms + RETRY_MS;
        return true;
    }
    return false;
}

void stepin_reconnected(struct stepin *i)
{
    vec_for_each (&i->targets, k)
        i->targets.v[k].asked = false;
}

int stepin_timeout(const struct stepin *i, int64_t now_ms)
{
    int64_t next = INT64_MAX;
    vec_for_each (&i->targets, k) {
        const struct stepin_target *t = &i->targets.v[k];
        if (i->on && !t->done && !t->asked && t->retry_at_ms && t->retry_at_ms < next)
            next = t->retry_at_ms;
    }
    if (next == INT64_MAX)
        return -1;
    return next > now_ms ? (int)(next - now_ms) : 0;
}
