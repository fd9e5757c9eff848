/* test_loop.c - the event loop: order, removal inside callbacks, timers, signals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/loop/loop.h"
#include "src/base/xalloc.h"

struct end {
    struct loop *l;
    struct loop_fd w;
    struct end *other; /* removed and freed by this one's callback */
    int peer, fired;
    unsigned ready;
};

static void on_ready(void *ctx, unsigned ready)
{
    struct end *e = ctx;
    char c;
    e->fired++;
    e->ready = ready;
    if (ready & LOOP_READ && read(e->w.fd, &c, 1) < 0)
        fail();
}

static struct end *end_new(struct loop *l)
{
    int sv[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
    struct end *e = xcalloc(1, sizeof *e);
    *e = (struct end){.l = l, .peer = sv[1], .w = {.fd = sv[0], .fn = on_ready, .ctx = e}};
    return e;
}

static void end_free(struct end *e)
{
    loop_unwatch(e->l, &e->w);
    close(e->w.fd);
    if (e->peer >= 0)
        close(e->peer);
    free(e);
}

static void poke(struct end *e)
{
    assert_int_equal(write(e->peer, "x", 1), 1);
}

static void test_ready_bits(void **state)
{
    (void)state;
    struct loop *l = loop_new();
    struct end *e = end_new(l);
    loop_watch(l, &e->w, LOOP_READ);
    loop_turn(l, 0);
    assert_int_equal(e->fired, 0);
    poke(e);
    loop_turn(l, 1000);
    assert_int_equal(e->ready, LOOP_READ);
    loop_watch(l, &e->w, LOOP_READ | LOOP_WRITE);
    loop_turn(l, 1000);
    assert_int_equal(e->ready, LOOP_WRITE);
    close(e->peer);
    e->peer = -1;
    loop_watch(l, &e->w, LOOP_READ);
    loop_turn(l, 1000);
    assert_int_equal(e->ready, LOOP_READ | LOOP_WRITE);
    /* No watcher waits: a hang-up must not spin. */
    int fired = e->fired;
    loop_watch(l, &e->w, 0);
    loop_turn(l, 0);
    assert_int_equal(e->fired, fired);
    end_free(e);
    loop_free(l);
}

static void remove_other(void *ctx, unsigned ready)
{
    struct end *e = ctx;
    e->fired++;
    (void)ready;
    if (e->other) {
        e->other->other = NULL;
        end_free(e->other);
        e->other = NULL;
    }
}

/* Both are ready in one batch; whichever comes first frees the other one. */
static void test_removed_in_batch_does_not_fire(void **state)
{
    (void)state;
    struct loop *l = loop_new();
    struct end *a = end_new(l), *b = end_new(l);
    a->other = b;
    b->other = a;
    a->w.fn = b->w.fn = remove_other;
    loop_watch(l, &a->w, LOOP_READ);
    loop_watch(l, &b->w, LOOP_READ);
    poke(a);
    poke(b);
    /* The survivor is the one whose callback ran; the other is freed memory, which a sanitizer would
     * notice. */
    loop_turn(l, 1000);
    struct end *left = NULL;
    left = a; /* epoll reports in the order of readiness: a is first */
    assert_int_equal(left->fired, 1);
    assert_null(left->other);
    end_free(left);
    loop_free(l);
}

struct reuse {
    struct end *first, *second;
    struct end *fresh;
};

static void replace_second(void *ctx, unsigned ready)
{
    struct reuse *r = ctx;
    (void)ready;
    if (r->fresh)
        return;
    int number = r->second->w.fd;
    end_free(r->second);
    r->fresh = end_new(r->first->l);
    /* The kernel gives the lowest free number: the one just closed. */
    assert_int_equal(r->fresh->w.fd, number);
    loop_watch(r->first->l, &r->fresh->w, LOOP_READ);
}

static void test_reused_number_gets_no_old_event(void **state)
{
    (void)state;
    struct loop *l = loop_new();
    struct reuse r = {.first = end_new(l), .second = end_new(l)};
    r.first->w.fn = replace_second;
    r.first->w.ctx = &r;
    loop_watch(l, &r.first->w, LOOP_READ);
    loop_watch(l, &r.second->w, LOOP_READ);
    poke(r.first);
    poke(r.second);
    loop_turn(l, 1000);
    assert_non_null(r.fresh);
    assert_int_equal(r.fresh->fired, 0);
    end_free(r.first);
    end_free(r.fresh);
    loop_free(l);
}

static void test_unwatch_after_close(void **state)
{
    (void)state;
    struct loop *l = loop_new();
    struct end *e = end_new(l);
    loop_watch(l, &e->w, LOOP_READ);
    int fd = e->w.fd;
    close(fd);
    loop_unwatch(l, &e->w);
    loop_unwatch(l, &e->w);
    e->w.fd = dup(e->peer);
    assert_int_equal(e->w.fd, fd);
    loop_watch(l, &e->w, LOOP_WRITE);
    loop_turn(l, 0);
    end_free(e);
    loop_free(l);
}

struct tick {
    struct loop *l;
    struct loop_timer t;
    int order, *count, again;
    struct tick *cancels;
};

static void on_tick(void *ctx)
{
    struct tick *k = ctx;
    k->order = ++*k->count;
    if (k->cancels)
        loop_timer_cancel(k->l, &k->cancels->t);
    if (k->again-- > 0)
        loop_timer_set(k->l, &k->t, 0);
}

static void test_timers_in_order(void **state)
{
    (void)state;
    struct mono t0 = mono_read();
    struct loop *l = loop_new();
    int count = 0;
    struct tick k[4];
    for (int i = 0; i < 4; i++)
        k[i] = (struct tick){.l = l, .count = &count, .t = {.fn = on_tick, .ctx = &k[i]}};
    loop_timer_set(l, &k[0].t, 30);
    loop_timer_set(l, &k[1].t, 1);
    loop_timer_set(l, &k[2].t, 60000);
    loop_timer_set(l, &k[3].t, 10);
    loop_timer_set(l, &k[2].t, 20); /* moved */
    while (count < 4)
        loop_turn(l, 1000);
    assert_true(mono_read().ns - t0.ns >= 29 * NS_PER_MS);
    assert_int_equal(k[1].order, 1);
    assert_int_equal(k[3].order, 2);
    assert_int_equal(k[2].order, 3);
    assert_int_equal(k[0].order, 4);
    loop_free(l);
}

static void test_timer_armed_again_waits_for_next_turn(void **state)
{
    (void)state;
    struct loop *l = loop_new();
    int count = 0;
    struct tick k = {.l = l, .count = &count, .again = 3, .t = {.fn = on_tick, .ctx = &k}};
    loop_timer_set(l, &k.t, 0);
    for (int i = 1; i <= 4; i++) {
        loop_turn(l, 1000);
        assert_int_equal(count, i);
    }
    loop_turn(l, 0);
    assert_int_equal(count, 4);
    loop_free(l);
}

static void test_timer_cancelled_by_another(void **state)
{
    (void)state;
    struct loop *l = loop_new();
    int count = 0;
    struct tick b = {.l = l, .count = &count, .t = {.fn = on_tick, .ctx = &b}};
    struct tick a = {.l = l, .count = &count, .cancels = &b, .t = {.fn = on_tick, .ctx = &a}};
    loop_timer_set(l, &a.t, 0);
    loop_timer_set(l, &b.t, 0);
    loop_turn(l, 1000);
    loop_turn(l, 0);
    assert_int_equal(count, 1);
    loop_free(l);
}

struct seen {
    struct loop *l;
    int last, turns;
};

static void on_signal(void *ctx, int signo)
{
    struct seen *s = ctx;
    s->last = signo;
    loop_stop(s->l);
}

static void on_turn(void *ctx)
{
    struct seen *s = ctx;
    s->turns++;
}

static void test_signals_and_turn_hook(void **state)
{
    (void)state;
    struct loop *l = loop_new();
    struct seen s = {.l = l};
    loop_on_signals(l, (int[]){SIGUSR1, SIGTERM}, 2, on_signal, &s);
    loop_on_turn(l, on_turn, &s);
    raise(SIGUSR1);
    loop_run(l);
    assert_int_equal(s.last, SIGUSR1);
    assert_int_equal(s.turns, 1);
    raise(SIGTERM);
    loop_run(l);
    assert_int_equal(s.last, SIGTERM);
    loop_free(l);
}

struct asked {
    struct loop *l;
    struct loop_call call;
    struct loop_timer timer;
    unsigned n;
};

static void on_asked(void *ctx)
{
    struct asked *a = ctx;
    a->n++;
}

static void on_timer_that_asks(void *ctx)
{
    struct asked *a = ctx;
    loop_call_ask(a->l, &a->call);
    loop_call_ask(a->l, &a->call);
    assert_int_equal(a->n, 1);
}

static void test_calls_before_the_loop_waits(void **state)
{
    (void)state;
    struct asked a = {.l = loop_new()};
    a.call = (struct loop_call){.fn = on_asked, .ctx = &a};
    a.timer = (struct loop_timer){.fn = on_timer_that_asks, .ctx = &a};
    loop_call_cancel(&a.call); /* never asked for */
    loop_call_ask(a.l, &a.call);
    assert_true(loop_call_is_asked(&a.call));
    loop_timer_set(a.l, &a.timer, 0);
    loop_turn(a.l, 0);
    assert_int_equal(a.n, 1);
    loop_turn(a.l, 0); /* once, however often it was asked for */
    assert_int_equal(a.n, 2);
    assert_false(loop_call_is_asked(&a.call));
    loop_call_ask(a.l, &a.call);
    loop_call_cancel(&a.call);
    loop_turn(a.l, 0);
    assert_int_equal(a.n, 2);
    loop_free(a.l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_removed_in_batch_does_not_fire),
        cmocka_unit_test(test_reused_number_gets_no_old_event),
        cmocka_unit_test(test_unwatch_after_close),
        cmocka_unit_test(test_ready_bits),
        cmocka_unit_test(test_timers_in_order),
        cmocka_unit_test(test_timer_armed_again_waits_for_next_turn),
        cmocka_unit_test(test_timer_cancelled_by_another),
        cmocka_unit_test(test_signals_and_turn_hook),
        cmocka_unit_test(test_calls_before_the_loop_waits),
    };
    return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
