/* test_node_floods.c - a node that was broken into says as much as it can: each report was an event on the
 * controller's disk, each client that it made up a line of its log and a question to the name service. */
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/file.h"
#include "tests/lib/asking.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"
#include "tests/lib/fake_agent.h"

static pid_t controller;

static struct msg_stats stats(struct client *c)
{
    enum msg_kind kind;
    void *got = NULL;
    struct errtext err = {""};
    if (client_call(c, MSG_STATS, NULL, &kind, &got, &err) < 0)
        fail_msg("no answer: %s", err.s);
    struct msg_stats m = {.events = ((const struct msg_stats *)got)->events};
    msg_free(kind, got);
    return m;
}

static bool node_is_up(struct client *c, struct strv *ret_notes, char **ret_os)
{
    struct msg_get get = {.what = GET_NODES};
    struct errtext err = {""};
    struct model m;
    model_init(&m);
    if (client_fetch(c, &get, &m, &err) < 0)
        fail_msg("the controller does not answer: %s", err.s);
    const struct node *n = model_get_node(&m, "n1");
    bool up = n && n->state == NODE_UP;
    if (up && ret_notes) {
        *ret_notes = strv_copy(&n->gpu_notes);
        *ret_os = xstrdup(n->os);
    }
    model_fini(&m);
    return up;
}

static struct client *start(void)
{
    cluster_configure(4, 4, 4);
    fake_agent_listen();
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    int64_t end = cluster_now_ms() + WITHIN_MS;
    while (!node_is_up(c, NULL, NULL) && cluster_now_ms() < end)
        fake_agent_turn(10);
    assert_true(node_is_up(c, NULL, NULL));
    return c;
}

/* What was said has been heard: its answer has come. */
static void until_heard(void)
{
    for (int i = 0; i < 50; i++)
        fake_agent_turn(1);
}

static void stop(struct client *c)
{
    client_free(c);
    fake_agent_hang_up();
    cluster_stop(controller);
    fake_agent_close();
}

static void reports_are_bounded(void **unused)
{
    (void)unused;
    struct client *c = start();
    uint64_t before = stats(c).events;
    int64_t began = cluster_now_ms();
    char *long_text = xcalloc(1, 5001);
    memset(long_text, 'x', 5000);
    memcpy(long_text, "\x1b[2J\n\xc2\x9b", 7);
    for (int i = 0; i < 400; i++) {
        struct msg_agent m;
        char note[32];
        snprintf(note, sizeof note, "news\x1b[31m %d", i);
        fake_agent_report(&m, note);
        for (int k = 0; k < 100; k++)
            strv_push(&m.gpu_notes, long_text);
        xstrset(&m.os, long_text);
        m.spool_full = i % 2;
        *(struct launch_status *)rec_list_push(&m.launches) =
            (struct launch_status){.key = {.job = 1000 + (uint32_t)i}, .state = LAUNCH_RUNNING};
        fake_agent_say(MSG_AGENT, 0, &m);
        rec_fini(&msg_agent_rec, &m);
        fake_agent_turn(0);
    }
    until_heard();
    uint64_t seconds = (uint64_t)(cluster_now_ms() - began) / 1000, events = stats(c).events - before;
    assert_in_range(events, 1, 60 + 8 * seconds);

    struct strv notes = {0};
    char *os = NULL;
    assert_true(node_is_up(c, &notes, &os));
    assert_in_range(notes.n, 1, 64);
    for (size_t i = 0; i < notes.n; i++) {
        assert_in_range(strlen(notes.v[i]), 1, 256);
        assert_null(strpbrk(notes.v[i], "\x1b\n"));
        assert_null(strstr(notes.v[i], "\xc2\x9b"));
    }
    assert_in_range(strlen(os), 1, 256);
    strv_fini(&notes);
    free(os);
    free(long_text);
    stop(c);
}

static size_t log_lines(void)
{
    char *path = xasprintf("%s/log/stokerd.log", getenv("STOKER_HOME")), *text = file_text(path);
    size_t n = 0;
    assert_non_null(text);
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        n++;
    free(text);
    free(path);
    return n;
}

static void clients_that_are_made_up_are_bounded(void **unused)
{
    (void)unused;
    struct client *c = start();
    size_t before = log_lines();
    static char name[] = "who\x1b[2J";
    for (uint32_t i = 0; i < 5000; i++) {
        struct msg_tunnel_open m = {.id = i + 1, .uid = 100000 + i, .gid = 100000, .pid = 1, .user = name};
        fake_agent_say(MSG_TUNNEL_OPEN, 0, &m);
        fake_agent_turn(0);
    }
    until_heard();
    assert_true(fake_agent_is_called());
    assert_in_range(log_lines() - before, 0, 60);
    stop(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reports_are_bounded),
                                       cmocka_unit_test(clients_that_are_made_up_are_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
