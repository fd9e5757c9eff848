/* test_nodeconn.c - how often one node is called: an agent that greets well and then breaks the protocol,
 * and one that refuses.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/net/nodeconn.h"
#include "src/base/xalloc.h"
#include "src/os/unixsock.h"
#include "tests/lib/check.h"

#define CALLS 8

static struct lab {
    struct loop *l;
    char dir[64], *path;
    int listener, fd;
    struct loop_fd watch;
    const char *refused; /* the answer to each greeting; NULL: accepted, then bytes that are no message */
    unsigned calls, up, down, troubles;
    struct mono first;
} t;

static void on_agent(void *ctx, struct nodeconn *n, struct msg_agent *m)
{
    (void)ctx, (void)n, (void)m;
    t.up++;
}

static int on_msg(void *ctx, struct nodeconn *n, enum msg_kind kind, uint64_t tag, void *body)
{
    (void)ctx, (void)n, (void)kind, (void)tag, (void)body;
    return -EPROTO;
}

static void on_down(void *ctx, struct nodeconn *n, const char *why)
{
    (void)ctx, (void)n, (void)why;
    t.down++;
}

static void on_trouble(void *ctx, struct nodeconn *n, const char *text)
{
    (void)ctx, (void)n, (void)text;
    t.troubles++;
}

static const struct nodeconn_ops ops = {
    .on_agent = on_agent, .on_msg = on_msg, .on_down = on_down, .on_trouble = on_trouble};

/* The agent: it answers without having read, which its caller cannot know. */
static void on_call(void *ctx, unsigned ready)
{
    (void)ctx, (void)ready;
    int fd = accept4(t.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    if (t.fd >= 0)
        close(t.fd);
    t.fd = fd;
    if (t.calls++ == 0)
        t.first = mono_read();
    char node[] = "n1";
    struct msg_agent m = {
        .version = PROTO_VERSION, .node = node, .refused = t.refused ? xstrdup(t.refused) : NULL};
    struct str out = STR_INIT;
    msg_append(&out, MSG_AGENT, 0, &m);
    if (!t.refused)
        msg_append(&out, MSG_RESULT, 0, &(struct msg_result){0}); /* none of an agent's messages */
    assert_int_equal(send(fd, out.s, out.len, MSG_NOSIGNAL), (int)out.len);
    str_fini(&out);
    free(m.refused);
    if (t.calls >= CALLS)
        loop_stop(t.l);
}

static int set_up(void **state)
{
    (void)state;
    t = (struct lab){.l = loop_new(), .dir = "/tmp/stoker-nodeconn.XXXXXX", .fd = -1};
    assert_non_null(mkdtemp(t.dir));
    t.path = xasprintf("%s/agent.sock", t.dir);
    t.listener = unixsock_listen(t.path, 0600, 16);
    assert_true(t.listener >= 0);
    t.watch = (struct loop_fd){.fd = t.listener, .fn = on_call};
    loop_watch(t.l, &t.watch, LOOP_READ);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    loop_unwatch(t.l, &t.watch);
    close(t.listener);
    if (t.fd >= 0)
        close(t.fd);
    unlink(t.path);
    rmdir(t.dir);
    free(t.path);
    loop_free(t.l);
    return 0;
}

static void call_again_and_again(void)
{
    char node[] = "n1";
    struct msg_hello hello = {.version = PROTO_VERSION, .node = node};
    struct nodeconn_config cfg = {
        .dir = t.dir, .socket = t.path, .log = "/dev/null", .node = node, .hello = &hello, .beat_ms = 5000};
    struct nodeconn *n = nodeconn_new(t.l, &cfg, 0, &ops, NULL);
    loop_run(t.l);
    nodeconn_free(n);
    /* 5 + 10 + 20 + ... ms lie between the calls. */
    int64_t ms = (mono_read().ns - t.first.ns) / NS_PER_MS, least = 5 * ((1 << (CALLS - 1)) - 1);
    print_message("%u calls in %lld ms\n", t.calls, (long long)ms);
    assert_true(ms >= least);
}

static void test_breaks_the_protocol(void **state)
{
    (void)state;
    call_again_and_again();
    assert_true(t.up >= CALLS - 1);
    assert_int_equal(t.up - t.down <= 1, 1);
}

static void test_refuses(void **state)
{
    (void)state;
    t.refused = "this is another node";
    call_again_and_again();
    assert_int_equal(t.up, 0);
    assert_int_equal(t.troubles, 1); /* the same text is told once */
}

static void test_log_is_bounded(void **state)
{
    (void)state;
    char node[] = "n1";
    struct msg_hello hello = {.version = PROTO_VERSION, .node = node};
    struct nodeconn_config cfg = {
        .dir = t.dir, .socket = t.path, .log = "/dev/null", .node = node, .hello = &hello, .beat_ms = 5000};
    struct nodeconn *n = nodeconn_new(t.l, &cfg, 0, &ops, NULL);
    unsigned lines = 0;
    for (int i = 0; i < 1000; i++)
        lines += nodeconn_may_log(n);
    assert_in_range(lines, 1, 20);
    nodeconn_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_breaks_the_protocol, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refuses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_log_is_bounded, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
