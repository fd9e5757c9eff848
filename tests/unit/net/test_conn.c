/* test_conn.c - connections on a real loop over a socket pair: tickets, bounds, closing from within. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/net/conn.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

#define MAX_FRAME 65536u
#define MAX_OUT   (1u << 20)
#define TURNS     20000 /* more than any of these needs */

/* One side is a connection, the other one a plain socket that the test reads and writes. */
struct side {
    struct loop *l;
    struct conn *c; /* NULL once it is over */
    int peer;
    struct frame_reader in; /* of the peer */
    unsigned frames, closes, drains;
    uint64_t last_tag;
    size_t last_size;
    char why[128];
    enum { NOTHING, CLOSE_AT_FRAME, REFUSE_FRAME, CLOSE_AT_DRAIN, ECHO, ANSWER_MUCH } behaviour;
    VEC(uint64_t) dropped;
};

static struct side s;

static int on_frame(void *ctx, struct conn *c, const struct frame *f)
{
    struct side *x = ctx;
    x->frames++;
    x->last_tag = f->tag;
    x->last_size = f->size;
    if (x->behaviour == CLOSE_AT_FRAME) {
        conn_close(c);
        x->c = NULL;
    }
    if (x->behaviour == ECHO)
        assert_true(conn_send_encoded(c, 0, (enum msg_kind)f->type, f->tag, f->body, f->size));
    if (x->behaviour == ANSWER_MUCH) {
        static const char much[MAX_FRAME];
        assert_true(conn_send_encoded(c, 0, (enum msg_kind)f->type, f->tag, much, sizeof much));
    }
    return x->behaviour == REFUSE_FRAME ? -EBADMSG : 0;
}

static void on_close(void *ctx, struct conn *c, const char *why)
{
    struct side *x = ctx;
    assert_ptr_equal(c, x->c);
    x->c = NULL;
    x->closes++;
    snprintf(x->why, sizeof x->why, "%s", why);
}

static void on_drain(void *ctx, struct conn *c)
{
    struct side *x = ctx;
    x->drains++;
    assert_true(conn_queued(c) < CONN_LOW);
    if (x->behaviour == CLOSE_AT_DRAIN) {
        conn_close(c);
        x->c = NULL;
    }
}

static const struct conn_ops ops = {.on_frame = on_frame, .on_close = on_close, .on_drain = on_drain};

static int set_up(void **state)
{
    (void)state;
    int sv[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sv), 0);
    s = (struct side){.l = loop_new(), .peer = sv[1], .dropped = VEC_INIT};
    s.c = conn_new(s.l, sv[0], MAX_FRAME, MAX_OUT, 10, &ops, &s);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    conn_close(s.c);
    loop_turn(s.l, 0); /* what closed inside a callback is freed by now */
    loop_free(s.l);
    if (s.peer >= 0)
        close(s.peer);
    frame_reader_fini(&s.in);
    vec_fini(&s.dropped);
    return 0;
}

/* --- the peer's side --- */

static void peer_writes(uint64_t tag, size_t size)
{
    struct str b = STR_INIT;
    char *body = xcalloc(1, size + 1);
    frame_append_header(&b, 3, 0, tag, size);
    str_append_n(&b, body, size);
    for (size_t at = 0; at < b.len;) {
        ssize_t n = write(s.peer, b.s + at, b.len - at);
        if (n < 0) {
            assert_int_equal(errno, EAGAIN);
            loop_turn(s.l, 0);
            continue;
        }
        at += (size_t)n;
    }
    free(body);
    str_fini(&b);
}

/* Reads what is there now; 0 at the end of the stream. */
static ssize_t peer_reads(void)
{
    uint8_t *p = frame_reader_space(&s.in, 65536);
    ssize_t n = read(s.peer, p, 65536);
    if (n > 0)
        frame_reader_added(&s.in, (size_t)n);
    return n;
}

/* The tag of the next frame that has come; 0 where there is none yet. */
static uint64_t peer_next(void)
{
    struct frame f;
    s.in.max = 8u << 20;
    int r = frame_reader_next(&s.in, &f);
    if (r == 0) {
        loop_turn(s.l, 0);
        peer_reads();
        r = frame_reader_next(&s.in, &f);
    }
    assert_true(r >= 0);
    return r == 1 ? f.tag : 0;
}

static void turn_until_over(void)
{
    for (int i = 0; s.c && i < TURNS; i++)
        loop_turn(s.l, 100);
    assert_null(s.c);
}

static bool send_tag(uint64_t ticket, uint64_t tag)
{
    return conn_send_encoded(s.c, ticket, MSG_RESULT, tag, "\x90", 1);
}

/* --- tickets --- */

static void test_tickets_hold_back_and_keep_the_order(void **state)
{
    (void)state;
    assert_true(send_tag(10, 1)); /* committed already */
    assert_true(send_tag(11, 2));
    assert_true(send_tag(0, 3)); /* no ticket of its own, but it stands behind one */
    assert_true(send_tag(12, 4));
    assert_true(send_tag(11, 5));
    assert_int_equal(peer_next(), 1);
    assert_int_equal(peer_next(), 0);
    conn_release(s.c, 9); /* an older ticket opens nothing */
    assert_int_equal(peer_next(), 0);
    conn_release(s.c, 11);
    assert_int_equal(peer_next(), 2);
    assert_int_equal(peer_next(), 3);
    assert_int_equal(peer_next(), 0);
    assert_true(send_tag(11, 6)); /* behind 12 all the same */
    assert_int_equal(peer_next(), 0);
    conn_release(s.c, 100);
    assert_int_equal(peer_next(), 4);
    assert_int_equal(peer_next(), 5);
    assert_int_equal(peer_next(), 6);
    assert_int_equal(conn_queued(s.c), 0);
    assert_true(send_tag(50, 7));
    assert_int_equal(peer_next(), 7);
}

static void note_dropped(void *ctx, struct conn *c, enum msg_kind kind, uint64_t tag)
{
    struct side *x = ctx;
    assert_int_equal(kind, MSG_RESULT);
    vec_push(&x->dropped, tag);
    if (tag != 99)
        assert_true(conn_send_encoded(c, 0, MSG_RESULT, tag + 1000, "\x90", 1));
}

static void test_dropping_what_waits(void **state)
{
    (void)state;
    conn_drop_uncommitted(s.c, note_dropped, &s); /* nothing waits */
    assert_int_equal(s.dropped.n, 0);
    assert_true(send_tag(0, 1));
    assert_true(send_tag(20, 2));
    assert_true(send_tag(21, 3));
    conn_drop_uncommitted(s.c, note_dropped, &s);
    assert_int_equal(s.dropped.n, 2);
    assert_int_equal(s.dropped.v[0], 2);
    assert_int_equal(s.dropped.v[1], 3);
    assert_int_equal(peer_next(), 1);
    assert_int_equal(peer_next(), 1002); /* said instead */
    assert_int_equal(peer_next(), 1003);
    assert_int_equal(peer_next(), 0);
    conn_release(s.c, 30);
    assert_int_equal(peer_next(), 0);
    assert_true(send_tag(30, 4));
    assert_int_equal(peer_next(), 4);
}

static void close_at_first(void *ctx, struct conn *c, enum msg_kind kind, uint64_t tag)
{
    (void)kind;
    struct side *x = ctx;
    vec_push(&x->dropped, tag);
    conn_close(c);
    x->c = NULL;
}

/* The connection was freed under conn_drop_uncommitted. */
static void test_closing_while_dropping(void **state)
{
    (void)state;
    assert_true(send_tag(20, 2));
    assert_true(send_tag(20, 3));
    conn_drop_uncommitted(s.c, close_at_first, &s);
    assert_int_equal(s.dropped.n, 1); /* and nothing more about the others */
    assert_int_equal(s.closes, 0);    /* conn_close says nothing */
    loop_turn(s.l, 0);
    assert_int_equal(peer_reads(), 0);
}

static void test_many_tickets_through_a_full_socket(void **state)
{
    (void)state;
    char body[900] = "\x90";
    uint64_t sent = 0, got = 0, tag;
    for (uint64_t ticket = 11; got < 3000;) {
        while (sent < 3000 && conn_send_encoded(s.c, ticket, MSG_RESULT, sent + 1, body, sizeof body)) {
            sent++;
            ticket += sent % 3 == 0;
        }
        conn_release(s.c, ticket);
        while ((tag = peer_next())) {
            got++;
            assert_int_equal(tag, got);
        }
    }
    assert_int_equal(conn_queued(s.c), 0);
}

/* --- input --- */

static void test_many_small_frames(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 20000; i++)
        peer_writes(i, i % 5);
    for (int i = 0; s.frames < 20000 && i < TURNS; i++)
        loop_turn(s.l, 100);
    assert_int_equal(s.frames, 20000);
    assert_int_equal(s.last_tag, 20000);
}

static void test_echo(void **state)
{
    (void)state;
    s.behaviour = ECHO;
    uint64_t got = 0, tag;
    for (uint64_t i = 1; i <= 500; i++) {
        peer_writes(i, 1000);
        while ((tag = peer_next()))
            assert_int_equal(tag, ++got);
    }
    for (int i = 0; got < 500 && i < TURNS; i++)
        got += peer_next() != 0;
    assert_int_equal(got, 500);
}

static void test_one_byte_at_a_time(void **state)
{
    (void)state;
    struct str b = STR_INIT;
    frame_append_header(&b, 3, 0, 7, 2);
    str_append_n(&b, "xy", 2);
    for (size_t i = 0; i < b.len; i++) {
        assert_int_equal(s.frames, 0);
        assert_int_equal(write(s.peer, b.s + i, 1), 1);
        loop_turn(s.l, 1000);
    }
    assert_int_equal(s.frames, 1);
    str_fini(&b);
}

static void test_largest_frame_and_one_byte_more(void **state)
{
    (void)state;
    peer_writes(1, MAX_FRAME);
    for (int i = 0; !s.frames && i < TURNS; i++)
        loop_turn(s.l, 100);
    assert_int_equal(s.last_size, MAX_FRAME);
    struct str b = STR_INIT;
    frame_append_header(&b, 3, 0, 2, MAX_FRAME + 1); /* the header alone is enough */
    assert_int_equal(write(s.peer, b.s, b.len), (ssize_t)b.len);
    str_fini(&b);
    turn_until_over();
    assert_int_equal(s.frames, 1);
    assert_int_equal(s.closes, 1);
    assert_string_equal(s.why, "frame too large");
    loop_turn(s.l, 0);
    assert_int_equal(peer_reads(), 0);
}

static void test_refused_frame_closes(void **state)
{
    (void)state;
    s.behaviour = REFUSE_FRAME;
    peer_writes(1, 1);
    peer_writes(2, 1);
    turn_until_over();
    assert_int_equal(s.frames, 1); /* the second one is not looked at */
    assert_string_equal(s.why, "protocol error");
}

static void test_peer_goes_away(void **state)
{
    (void)state;
    peer_writes(1, 1);
    shutdown(s.peer, SHUT_RDWR);
    turn_until_over();
    assert_int_equal(s.frames, 1); /* its last words were heard */
    assert_int_equal(s.closes, 1);
    assert_string_equal(s.why, "closed by the peer");
}

/* Data sent to a peer that has gone must not hide what the peer has sent. */
static void test_last_words_are_heard_by_who_writes(void **state)
{
    (void)state;
    peer_writes(1, 10);
    peer_writes(2, 10);
    close(s.peer);
    s.peer = -1;
    assert_true(send_tag(0, 5));
    assert_true(send_tag(11, 6));
    conn_release(s.c, 11); /* written at once: the peer is gone */
    assert_non_null(s.c);
    assert_true(send_tag(0, 7));
    turn_until_over();
    assert_int_equal(s.frames, 2);
    assert_int_equal(s.last_tag, 2);
    assert_int_equal(s.closes, 1);
}

static void test_who_takes_nothing_and_stays_is_stuck(void **state)
{
    (void)state;
    shutdown(s.peer, SHUT_RD);
    assert_true(send_tag(0, 5));
    for (int i = 0; !conn_stuck_ms(s.c) && i < TURNS; i++)
        loop_turn(s.l, 1);
    assert_true(conn_stuck_ms(s.c) > 0);
    peer_writes(1, 10);
    loop_turn(s.l, 1000);
    assert_int_equal(s.frames, 1);
    assert_int_equal(conn_queued(s.c), 0);
}

/* --- its user's part of a turn is used up --- */

static struct fair_pool pool;
static struct fair_queue share;

static void use_up_share(int turns)
{
    fair_pool_init(&pool, s.l);
    fair_queue_init(&share, &pool, 0);
    conn_set_queue(s.c, &share);
    fair_queue_spend(&share, 1, 0, turns * 8 * NS_PER_MS);
}

static void test_in_line_nothing_is_read(void **state)
{
    (void)state;
    use_up_share(100);
    peer_writes(1, 10);
    peer_writes(2, 10);
    for (int i = 0; i < 50; i++)
        loop_turn(s.l, 1000);
    assert_int_equal(s.frames, 0);
    assert_true(conn_is_in_queue(s.c));
    assert_true(send_tag(0, 5)); /* but it is written to */
    assert_int_equal(peer_next(), 5);
    for (int i = 0; s.frames < 2 && i < TURNS; i++)
        loop_turn(s.l, 1000);
    assert_int_equal(s.frames, 2);
    assert_false(conn_is_in_queue(s.c));
    peer_writes(3, 10);
    for (int i = 0; s.frames < 3 && i < TURNS; i++) /* what the go before took is taken off */
        loop_turn(s.l, 1000);
    assert_int_equal(s.last_tag, 3);
}

static void test_half_a_frame_in_line_is_not_the_peers_fault(void **state)
{
    (void)state;
    struct str b = STR_INIT;
    frame_append_header(&b, 3, 0, 7, 2);
    str_append_n(&b, "xy", 2);
    assert_int_equal(write(s.peer, b.s, 5), 5);
    loop_turn(s.l, 1000);
    loop_turn(s.l, 3);
    assert_true(conn_stuck_ms(s.c) > 0);
    use_up_share(100);
    assert_int_equal(write(s.peer, b.s + 5, b.len - 5), (ssize_t)b.len - 5);
    loop_turn(s.l, 1000);
    assert_true(conn_is_in_queue(s.c));
    assert_int_equal(conn_stuck_ms(s.c), 0);
    for (int i = 0; !s.frames && i < TURNS; i++)
        loop_turn(s.l, 1000);
    assert_int_equal(s.last_tag, 7);
    str_fini(&b);
}

static void test_over_while_in_line(void **state)
{
    (void)state;
    use_up_share(1000000);
    peer_writes(1, 10);
    loop_turn(s.l, 1000);
    assert_true(conn_is_in_queue(s.c));
    s.behaviour = REFUSE_FRAME; /* as one who is given up is not heard any more */
    conn_give_up(s.c);
    loop_turn(s.l, 1000);
    assert_int_equal(s.closes, 1);
    assert_true(list_empty(&share.waiting));
    fair_queue_fini(&share);
}

/* --- output --- */

static void test_slow_reader_is_bounded(void **state)
{
    (void)state;
    char *body = xcalloc(1, 50000);
    uint64_t sent = 0;
    while (conn_send_encoded(s.c, 0, MSG_RESULT, sent + 1, body, 50000)) {
        sent++;
        loop_turn(s.l, 0);
        assert_true(sent < 1000);
    }
    assert_in_range(conn_queued(s.c), MAX_OUT, MAX_OUT + 50000 + FRAME_HEADER_SIZE);
    assert_false(send_tag(0, 1)); /* not even a small one */
    assert_false(conn_send(s.c, 0, MSG_RESULT, 1, &(struct msg_result){0}));
    assert_int_equal(s.drains, 0);
    uint64_t got = 0;
    for (int i = 0; got < sent && i < TURNS; i++)
        if (peer_next())
            got++;
    assert_int_equal(got, sent);
    assert_int_equal(s.drains, 1); /* said once, when there was room again */
    assert_true(send_tag(0, 1));
    free(body);
}

static void test_uncommitted_output_is_bounded_too(void **state)
{
    (void)state;
    char *body = xcalloc(1, 50000);
    unsigned sent = 0;
    while (conn_send_encoded(s.c, 99, MSG_RESULT, 1, body, 50000) && sent < 1000)
        sent++;
    assert_in_range(sent, 20, 22);
    free(body);
}

static void fill_up(size_t bytes)
{
    char *body = xcalloc(1, bytes);
    assert_true(conn_send_encoded(s.c, 0, MSG_RESULT, 1, body, bytes));
    free(body);
}

static void test_closing_when_drained(void **state)
{
    (void)state;
    s.behaviour = CLOSE_AT_DRAIN;
    fill_up(900000);
    for (int i = 0; s.c && i < TURNS; i++) {
        loop_turn(s.l, 0);
        peer_reads();
    }
    assert_null(s.c);
    assert_int_equal(s.drains, 1);
}

static void test_closing_when_drained_by_a_release(void **state)
{
    (void)state;
    s.behaviour = CLOSE_AT_DRAIN;
    int size = 4 << 20;
    setsockopt(conn_fd(s.c), SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    char *body = xcalloc(1, 300000);
    assert_true(conn_send_encoded(s.c, 20, MSG_RESULT, 1, body, 300000));
    free(body);
    conn_release(s.c, 20); /* goes out here and now, or as the peer reads */
    for (int i = 0; s.c && i < TURNS; i++) {
        peer_reads();
        loop_turn(s.l, 0);
    }
    assert_null(s.c);
    assert_int_equal(s.drains, 1);
}

static void test_closing_inside_a_frame(void **state)
{
    (void)state;
    s.behaviour = CLOSE_AT_FRAME;
    peer_writes(1, 10);
    peer_writes(2, 10);
    turn_until_over();
    assert_int_equal(s.frames, 1);
    assert_int_equal(s.closes, 0);
    loop_turn(s.l, 0);
    assert_int_equal(peer_reads(), 0);
}

static void test_last_words_are_sent(void **state)
{
    (void)state;
    assert_true(send_tag(0, 5));
    assert_true(send_tag(99, 6)); /* its ticket never opens: it stays unsaid */
    conn_close(s.c);
    s.c = NULL;
    assert_int_equal(peer_next(), 5);
    assert_int_equal(peer_next(), 0);
    assert_int_equal(peer_reads(), 0);
    conn_close(NULL);
}

static void test_writing_to_one_who_has_gone(void **state)
{
    (void)state;
    fill_up(900000);
    loop_turn(s.l, 0);
    shutdown(s.peer, SHUT_RDWR);
    turn_until_over();
    assert_int_equal(s.closes, 1);
    assert_true(strlen(s.why) > 0);
}

/* However much has come, a turn takes a share of it; the rest needs no further byte, not even a peer. */
static void test_many_frames_are_shared_out(void **state)
{
    (void)state;
    struct str b = STR_INIT;
    for (unsigned i = 1; i <= 1000; i++)
        frame_append_header(&b, MSG_RESULT, 0, i, 0);
    assert_int_equal(write(s.peer, b.s, b.len), b.len);
    str_fini(&b);
    loop_turn(s.l, 1000);
    assert_in_range(s.frames, 1, 128);
    shutdown(s.peer, SHUT_WR);
    for (int i = 0; !s.closes && i < TURNS; i++)
        loop_turn(s.l, 1000);
    assert_int_equal(s.frames, 1000);
    assert_int_equal(s.closes, 1);
}

static void test_largest_frame_may_change(void **state)
{
    (void)state;
    conn_set_max_frame(s.c, 100);
    peer_writes(1, 100);
    for (int i = 0; s.frames < 1 && i < TURNS; i++)
        loop_turn(s.l, 100);
    conn_set_max_frame(s.c, MAX_FRAME);
    peer_writes(2, 101);
    for (int i = 0; s.frames < 2 && i < TURNS; i++)
        loop_turn(s.l, 100);
    assert_int_equal(s.frames, 2);
    conn_set_max_frame(s.c, 100);
    peer_writes(3, 101);
    turn_until_over();
    assert_int_equal(s.frames, 2);
}

/* A peer that asks and does not read is not heard while it has enough to read; how long it has read nothing
 * is known. Once it reads, what it has said meanwhile is heard, in its order. */
static void test_one_with_enough_to_read_is_not_heard(void **state)
{
    (void)state;
    enum { FRAMES = 200, ENOUGH = 8 * CONN_LOW / 4 };
    conn_set_enough(s.c, ENOUGH);
    s.behaviour = ANSWER_MUCH;
    for (uint64_t i = 1; i <= FRAMES; i++)
        peer_writes(i, 1);
    for (int i = 0; conn_queued(s.c) < ENOUGH && i < TURNS; i++)
        loop_turn(s.l, 100);
    for (int i = 0; i < 50; i++)
        loop_turn(s.l, 0);
    unsigned heard = s.frames;
    assert_in_range(heard, 2, FRAMES - 1);
    assert_in_range(conn_queued(s.c), CONN_LOW, ENOUGH + MAX_FRAME + FRAME_HEADER_SIZE);
    assert_int_equal(conn_stuck_ms(s.c), 0);
    struct mono since = loop_now(s.l);
    while (loop_now(s.l).ns - since.ns < 20 * NS_PER_MS)
        loop_turn(s.l, 5);
    assert_int_equal(s.frames, heard);
    assert_in_range(conn_unread_ms(s.c), 15, 1000000);
    uint64_t got = 0, tag;
    for (int i = 0; got < FRAMES && i < TURNS; i++)
        while ((tag = peer_next()))
            assert_int_equal(tag, ++got);
    assert_int_equal(got, FRAMES);
    assert_int_equal(s.frames, FRAMES);
    assert_int_equal(conn_unread_ms(s.c), 0);
}

/* It goes away instead: that is noticed. */
static void test_one_with_enough_to_read_goes(void **state)
{
    (void)state;
    conn_set_enough(s.c, CONN_LOW);
    s.behaviour = ANSWER_MUCH;
    for (uint64_t i = 1; i <= 100; i++)
        peer_writes(i, 1);
    for (int i = 0; conn_queued(s.c) < CONN_LOW && i < TURNS; i++)
        loop_turn(s.l, 100);
    close(s.peer);
    s.peer = -1;
    turn_until_over();
    assert_int_equal(s.closes, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_largest_frame_and_one_byte_more),
        TEST(test_refused_frame_closes),
        TEST(test_peer_goes_away),
        TEST(test_last_words_are_heard_by_who_writes),
        TEST(test_who_takes_nothing_and_stays_is_stuck),
        TEST(test_in_line_nothing_is_read),
        TEST(test_half_a_frame_in_line_is_not_the_peers_fault),
        TEST(test_over_while_in_line),
        TEST(test_writing_to_one_who_has_gone),
        TEST(test_closing_inside_a_frame),
        TEST(test_closing_when_drained),
        TEST(test_closing_when_drained_by_a_release),
        TEST(test_closing_while_dropping),
        TEST(test_dropping_what_waits),
        TEST(test_tickets_hold_back_and_keep_the_order),
        TEST(test_many_tickets_through_a_full_socket),
        TEST(test_slow_reader_is_bounded),
        TEST(test_uncommitted_output_is_bounded_too),
        TEST(test_many_small_frames),
        TEST(test_many_frames_are_shared_out),
        TEST(test_largest_frame_may_change),
        TEST(test_one_byte_at_a_time),
        TEST(test_echo),
        TEST(test_one_with_enough_to_read_is_not_heard),
        TEST(test_one_with_enough_to_read_goes),
        TEST(test_last_words_are_sent),
    };
    return cmocka_run_group_tests_name("conn", tests, NULL, NULL);
}
