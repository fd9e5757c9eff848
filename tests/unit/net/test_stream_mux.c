/* test_stream_mux.c - numbered streams of two ends that are joined by hand: what is said lies in a queue
 * until it is carried over. */
#include "tests/lib/check.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/net/stream_mux.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"

struct said {
    enum msg_kind kind;
    uint32_t id, n;
    char *text; /* of TUNNEL_DATA */
};

struct end {
    struct stream_mux mux;
    VEC(struct said) said;
    bool full; /* its connection takes no more */
};

static struct loop *l;
static struct end a, b;

static bool say(void *ctx, enum msg_kind kind, const void *body)
{
    struct end *e = ctx;
    const struct msg_tunnel_data *data = body;
    const struct msg_tunnel_taken *taken = body;
    struct said s = {.kind = kind, .id = taken->id};
    if (e->full)
        return false;
    if (kind == MSG_TUNNEL_DATA)
        s.text = xstrndup((const char *)data->data.p, s.n = (uint32_t)data->data.n);
    else
        s.n = taken->n;
    vec_push(&e->said, s);
    return true;
}

static int set_up(void **state)
{
    (void)state;
    l = loop_new();
    a = b = (struct end){0};
    stream_mux_init(&a.mux, say, &a);
    stream_mux_init(&b.mux, say, &b);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    stream_mux_drop(&a.mux);
    stream_mux_drop(&b.mux);
    struct end *ends[] = {&a, &b};
    for (size_t i = 0; i < N_OF(ends); i++) {
        vec_for_each (&ends[i]->said, k)
            free(ends[i]->said.v[k].text);
        vec_fini(&ends[i]->said);
    }
    loop_free(l);
    return 0;
}

/* Returns the other end of its descriptor. */
static int open_call(struct end *e, uint32_t id, uint32_t uid)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    stream_mux_add(&e->mux, l, id, uid, pair[0]);
    return pair[1];
}

static void carry(struct end *from, struct end *to)
{
    for (size_t i = 0; i < from->said.n; i++) {
        struct said s = from->said.v[i];
        struct msg_tunnel_data data = {.id = s.id, .data = {.p = (uint8_t *)s.text, .n = s.n}};
        struct msg_tunnel_taken other = {.id = s.id, .n = s.n};
        const void *body = s.kind == MSG_TUNNEL_DATA ? (const void *)&data : &other;
        assert_int_equal(stream_mux_take(&to->mux, s.kind, body), 0);
        free(s.text);
    }
    vec_clear(&from->said);
}

static void turns(void)
{
    for (int i = 0; i < 20; i++) {
        loop_turn(l, 0);
        carry(&a, &b);
        carry(&b, &a);
    }
}

static void must_read(int fd, const char *want)
{
    char buf[64] = "";
    ssize_t n = read(fd, buf, sizeof buf - 1);
    check_str(want, n > 0 ? buf : n == 0 ? "(end)" : "(nothing)", want);
}

static void test_numbers_keep_streams_apart(void **state)
{
    (void)state;
    int a1 = open_call(&a, 1, 100), a2 = open_call(&a, 2, 100), a3 = open_call(&a, 3, 200),
        b1 = open_call(&b, 1, 100), b2 = open_call(&b, 2, 100), b3 = open_call(&b, 3, 200);
    assert_int_equal(stream_mux_of(&a.mux, 100), 2);
    assert_int_equal(stream_mux_of(&a.mux, 200), 1);
    assert_int_equal(stream_mux_of(&a.mux, 300), 0);
    assert_int_equal(write(a1, "one", 3), 3);
    assert_int_equal(write(a2, "two", 3), 3);
    assert_int_equal(write(b3, "three", 5), 5);
    turns();
    must_read(b1, "one");
    must_read(b2, "two");
    must_read(a3, "three");
    must_read(b3, "(nothing)");
    /* The end of one comes behind what it said, and is the end of one. */
    assert_int_equal(write(a2, "last", 4), 4);
    close(a2);
    turns();
    must_read(b2, "last");
    must_read(b2, "(end)");
    assert_int_equal(a.mux.n, 2);
    assert_int_equal(b.mux.n, 2);
    assert_int_equal(write(a1, "more", 4), 4);
    turns();
    must_read(b1, "more");
    int fds[] = {a1, b1, b2, a3, b3};
    for (size_t i = 0; i < N_OF(fds); i++)
        close(fds[i]);
}

static void test_what_comes_for_one_that_is_over(void **state)
{
    (void)state;
    uint8_t text[] = "late";
    struct msg_tunnel_data data = {.id = 7, .data = {.p = text, .n = 4}};
    struct msg_tunnel_taken end = {.id = 7, .n = 4};
    assert_int_equal(stream_mux_take(&a.mux, MSG_TUNNEL_DATA, &data), 0);
    assert_int_equal(stream_mux_take(&a.mux, MSG_TUNNEL_TAKEN, &end), 0);
    assert_int_equal(stream_mux_take(&a.mux, MSG_TUNNEL_END, &end), 0);
    assert_int_equal(a.said.n, 0);
}

static void test_who_keeps_to_no_window(void **state)
{
    (void)state;
    int fd = open_call(&a, 1, 100);
    struct msg_tunnel_data m = {.id = 1,
                                .data = {.p = xcalloc(1, TUNNEL_WINDOW + 1), .n = TUNNEL_WINDOW + 1}};
    assert_int_equal(stream_mux_take(&a.mux, MSG_TUNNEL_DATA, &m), -EMSGSIZE);
    free(m.data.p);
    close(fd);
}

static void test_a_connection_that_is_full_cuts_the_call(void **state)
{
    (void)state;
    int fd = open_call(&a, 1, 100), other = open_call(&a, 2, 100);
    a.full = true;
    assert_int_equal(write(fd, "x", 1), 1);
    turns();
    must_read(fd, "(end)");
    assert_int_equal(a.mux.n, 1);
    a.full = false;
    must_read(other, "(nothing)");
    stream_mux_drop(&a.mux);
    must_read(other, "(end)");
    assert_int_equal(a.mux.n, 0);
    assert_int_equal(a.said.n, 0);
    close(fd);
    close(other);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_numbers_keep_streams_apart),
        TEST(test_what_comes_for_one_that_is_over),
        TEST(test_who_keeps_to_no_window),
        TEST(test_a_connection_that_is_full_cuts_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
