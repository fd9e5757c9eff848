/* test_nodeevents.c - what has happened to a node stays in its record, and is told in words. */
#include "src/model/fold/nodeevents.h"
#include "src/text/nodetext.h"
#include "tests/unit/model/fold.h"

/* "text | text ..." */
static const char *told(const struct node *n)
{
    static char text[4000];
    struct str s = STR_INIT;
    for (size_t i = 0; i < n->events.n; i++) {
        str_append(&s, i ? " | " : "");
        nodetext_event(&s, &n->events.v[i]);
    }
    snprintf(text, sizeof text, "%s", s.s);
    str_fini(&s);
    return text;
}

static void drain(const char *node, bool on, const char *reason)
{
    struct ev_drain b = {
        .node = xstrdup(node), .drain = on, .reason = xstrdup(reason), .user = xstrdup("root")};
    lab_must(&l, EV_DRAIN, 0, &b);
}

static void note(const char *node, const char *text)
{
    struct ev_note b = {.node = xstrdup(node), .text = xstrdup(text), .user = xstrdup("ann")};
    lab_must(&l, EV_NOTE, 0, &b);
}

static void news(const char *node, enum node_state state, enum node_news what, const char *text)
{
    struct ev_node b = {.node = xstrdup(node), .state = state, .news = what, .news_text = xstrdup(text)};
    lab_must(&l, EV_NODE, 0, &b);
}

static void test_what_is_kept(void **state)
{
    (void)state;
    const struct node *n = model_get_node(&l.m, "n1");
    news("n1", NODE_UP, NEWS_NONE, NULL);
    news("n1", NODE_SUSPECT, NEWS_NONE, NULL);
    assert_string_equal(told(n), "");
    assert_false(nodeevents_is_away(n));
    news("n1", NODE_LOST, NEWS_LOST, "no route to host");
    assert_true(nodeevents_is_away(n));
    drain("n1", true, "fan is loud");
    assert_true(nodeevents_is_away(n));
    news("n1", NODE_UP, NEWS_REBOOTED, "GPU 3: lost (0000:3b:00.0)");
    assert_false(nodeevents_is_away(n));
    note("n1", "vendor comes on Friday");
    note("n1", "");
    drain("n1", false, NULL);
    news("n1", NODE_UP, NEWS_GPUS, "GPU 3 works again");
    news("n1", NODE_LOST, NEWS_LOST, NULL);
    news("n1", NODE_UP, NEWS_BACK, NULL);
    news("n1", NODE_UP, NEWS_N, "of a later release");
    assert_string_equal(told(n),
                        "lost: no route to host | drained by root: fan is loud | "
                        "rebooted, GPU 3: lost (0000:3b:00.0) | note by ann: vendor comes on Friday | "
                        "note deleted by ann | resumed by root | GPU 3 works again | "
                        "lost: it does not answer | back");
    assert_string_equal(told(model_get_node(&l.m, "n2")), "");
}

static void test_the_last_ones_are_kept(void **state)
{
    (void)state;
    const struct node *n = model_get_node(&l.m, "n1");
    char text[32];
    for (int i = 0; i < NODE_EVENTS_MAX + 5; i++) {
        snprintf(text, sizeof text, "note %d", i);
        note("n1", text);
    }
    assert_int_equal(n->events.n, NODE_EVENTS_MAX);
    assert_string_equal(n->events.v[0].text, "note 5");
    assert_string_equal(n->events.v[NODE_EVENTS_MAX - 1].text, text);
}

/* A node of the same name that comes later is another one. */
static void test_they_go_with_the_node(void **state)
{
    (void)state;
    note("n2", "old");
    l.spec.nodes.n--; /* n2 */
    lab_configure(&l);
    l.spec.nodes.n++;
    lab_configure(&l);
    assert_string_equal(told(model_get_node(&l.m, "n2")), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_kept),
        TEST(test_the_last_ones_are_kept),
        TEST(test_they_go_with_the_node),
    };
    return cmocka_run_group_tests_name("nodeevents", tests, NULL, NULL);
}
