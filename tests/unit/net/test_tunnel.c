/* test_tunnel.c - two ends of a carried stream, joined by hand: bytes, windows, ends. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/net/tunnel.h"

#define WINDOW 4096
#define PIECE  1000

struct end {
    struct tunnel f;
    struct end *other;
    size_t largest, sent;
    bool over, deaf; /* deaf: what it sends goes nowhere, as over a line that stands still */
    int user;        /* the other end of the descriptor */
};

static void on_send(void *ctx, const void *p, size_t n)
{
    struct end *e = ctx;
    e->sent += n;
    e->largest = n > e->largest ? n : e->largest;
    if (!e->deaf)
        assert_int_equal(tunnel_give(&e->other->f, p, n), 0);
}

static void on_taken(void *ctx, uint32_t n)
{
    struct end *e = ctx;
    tunnel_taken(&e->other->f, n);
}

static void on_over(void *ctx)
{
    struct end *e = ctx;
    e->over = true;
    tunnel_close(&e->f);
}

static const struct tunnel_ops ops = {.send = on_send, .taken = on_taken, .over = on_over};

static void open_end(struct end *e, struct loop *l, struct end *other)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    *e = (struct end){.other = other, .user = pair[1]};
    tunnel_open(&e->f, l, pair[0], WINDOW, PIECE, &ops, e);
}

static void turns(struct loop *l, int n)
{
    for (int i = 0; i < n; i++)
        loop_turn(l, 1);
}

static void test_bytes_and_end(void **state)
{
    (void)state;
    struct loop *l = loop_new();
    struct end a, b;
    open_end(&a, l, &b);
    open_end(&b, l, &a);
    char in[20000], out[20000];
    size_t got = 0;
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (char)(i * 7);
    assert_int_equal(write(a.user, in, sizeof in), sizeof in);
    for (int i = 0; i < 500 && got < sizeof in; i++) {
        turns(l, 1);
        ssize_t n = read(b.user, out + got, sizeof out - got);
        got += n > 0 ? (size_t)n : 0;
    }
    assert_int_equal(got, sizeof in);
    assert_memory_equal(in, out, sizeof in);
    assert_int_equal(a.largest, PIECE);
    assert_int_equal(write(b.user, "back", 4), 4);
    turns(l, 5);
    assert_int_equal(read(a.user, out, sizeof out), 4);

    close(a.user);
    turns(l, 5);
    assert_true(a.over);
    assert_false(b.over);
    tunnel_end(&b.f);
    assert_true(b.over);
    assert_int_equal(read(b.user, out, 1), 0);
    close(b.user);
    loop_free(l);
}

static void test_window(void **state)
{
    (void)state;
    struct loop *l = loop_new();
    struct end a, b;
    open_end(&a, l, &b);
    open_end(&b, l, &a);
    char in[3 * WINDOW];
    memset(in, 'x', sizeof in);
    a.deaf = true;
    assert_int_equal(write(a.user, in, sizeof in), sizeof in);
    turns(l, 20);
    assert_int_equal(a.sent, WINDOW); /* and no more until something is taken */
    tunnel_taken(&a.f, 100);
    turns(l, 20);
    assert_int_equal(a.sent, WINDOW + 100);
    tunnel_taken(&a.f, 1u << 30); /* more than was sent: no harm */
    turns(l, 20);
    assert_int_equal(a.sent, 2 * WINDOW + 100);
    assert_int_equal(tunnel_give(&b.f, in, WINDOW + 1), -EMSGSIZE);
    tunnel_close(&a.f);
    tunnel_close(&a.f);
    tunnel_close(&b.f);
    close(a.user);
    close(b.user);
    loop_free(l);
}

/* What was given before the end still goes out, then it is over. */
static void test_end_waits_for_what_is_queued(void **state)
{
    (void)state;
    struct loop *l = loop_new();
    struct end a, b;
    open_end(&a, l, &b);
    open_end(&b, l, &a);
    int small = 1;
    setsockopt(b.f.fd.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    char in[WINDOW], out[4 * WINDOW];
    memset(in, 'y', sizeof in);
    size_t given = 0, got = 0;
    while (b.f.out.len == 0 && given < 100 * WINDOW) { /* until the socket is full */
        assert_int_equal(tunnel_give(&b.f, in, sizeof in), 0);
        given += sizeof in;
    }
    tunnel_end(&b.f);
    assert_false(b.over);
    for (int i = 0; i < 1000 && !b.over; i++) {
        ssize_t n;
        while ((n = read(b.user, out, sizeof out)) > 0)
            got += (size_t)n;
        turns(l, 1);
    }
    for (ssize_t n; (n = read(b.user, out, sizeof out)) > 0;)
        got += (size_t)n;
    assert_true(b.over);
    assert_int_equal(got, given);
    tunnel_close(&a.f);
    close(a.user);
    close(b.user);
    loop_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_and_end),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_end_waits_for_what_is_queued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
