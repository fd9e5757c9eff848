/* test_window.c - windows: what can be one, their order, who stands in them, which is in the way. */
#include "src/base/xalloc.h"
#include "tests/lib/lab.h"

static struct lab l;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lab_fini(&l);
    return 0;
}

static struct wall at(int64_t s)
{
    return (struct wall){.ms = 1000000 + s * 1000};
}

static struct ev_window window(const char *name, const char *nodes, int64_t start, int64_t end,
                               const char *users)
{
    return (struct ev_window){.window = {.name = xstrdup(name),
                                         .nodes = strv_split(nodes, ","),
                                         .start = at(start),
                                         .end = at(end),
                                         .kind = users ? WINDOW_RESERVATION : WINDOW_MAINTENANCE,
                                         .users = strv_split(users, ",")}};
}

static int set(const char *name, const char *nodes, int64_t start, int64_t end, const char *users)
{
    struct ev_window body = window(name, nodes, start, end, users);
    return lab_apply(&l, EV_WINDOW, 0, &body);
}

static int drop(const char *name)
{
    struct ev_window body = {.window.name = xstrdup(name), .remove = true};
    return lab_apply(&l, EV_WINDOW, 0, &body);
}

static void test_what_is_none(void **state)
{
    (void)state;
    assert_true(set("", "n1", 0, 10, NULL) < 0);
    assert_true(set(NULL, "n1", 0, 10, NULL) < 0);
    assert_true(set("w", NULL, 0, 10, NULL) < 0);
    assert_true(set("w", "n1", 10, 10, NULL) < 0);
    assert_true(set("w", "n1", 10, 9, NULL) < 0);
    struct ev_window odd = window("w", "n1", 0, 10, NULL);
    odd.window.kind = 7;
    assert_true(lab_apply(&l, EV_WINDOW, 0, &odd) < 0);
    assert_true(drop("w") < 0);
    assert_int_equal(l.m.windows.n, 0);
}

static void order_must_be(const char *want)
{
    struct str b = STR_INIT;
    for (size_t i = 0; i < l.m.windows.n; i++)
        str_appendf(&b, "%s%s", i ? " " : "", l.m.windows.v[i].name);
    check_str("order", b.s, want);
    str_fini(&b);
}

static void test_set_change_and_drop(void **state)
{
    (void)state;
    set("late", "n1", 50, 60, NULL);
    set("b", "n1", 10, 20, NULL);
    set("a", "n1", 10, 30, NULL);
    order_must_be("a b late");
    assert_int_equal(set("late", "n2", 5, 60, NULL), 0); /* all of it again */
    order_must_be("late a b");
    assert_string_equal(model_get_window(&l.m, "late")->nodes.v[0], "n2");
    assert_int_equal(drop("a"), 0);
    order_must_be("late b");
    assert_null(model_get_window(&l.m, "a"));
    assert_null(model_get_window(&l.m, NULL));
}

static void test_which_is_in_the_way(void **state)
{
    (void)state;
    set("service", "n1", 100, 200, NULL);
    set("course", "n2,n3", 150, 300, "eve");
    set("all", "ALL", 400, 500, NULL);
    static const struct {
        const char *row, *node, *reservation;
        int64_t from, until;
        const char *want;
    } rows[] = {
        {"ends as it begins", "n1", NULL, 0, 100, NULL},
        {"ends in it", "n1", NULL, 0, 101, "service"},
        {"lies in it", "n1", NULL, 120, 130, "service"},
        {"begins as it ends", "n1", NULL, 200, 300, NULL},
        {"beyond it, into the next", "n1", NULL, 200, 401, "all"},
        {"another node", "n4", NULL, 0, 400, NULL},
        {"no end: whatever comes", "n4", NULL, 0, INT32_MAX, "all"},
        {"another user's reservation", "n3", NULL, 100, 200, "course"},
        {"its own", "n3", "course", 100, 200, NULL},
        {"its own, and then another", "n3", "course", 200, 450, "all"},
        {"maintenance has no owner", "n1", "service", 100, 200, "service"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct window *w =
            window_in_way(&l.m, rows[i].node, rows[i].reservation, at(rows[i].from), at(rows[i].until));
        check_str(rows[i].row, w ? w->name : NULL, rows[i].want);
    }
    const struct window *course = model_get_window(&l.m, "course");
    assert_true(window_admits(course, "eve", NULL));
    assert_false(window_admits(course, "bob", NULL));
    assert_false(window_admits(course, NULL, "eve"));
    assert_false(window_admits(model_get_window(&l.m, "service"), "eve", NULL));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_none),
        TEST(test_set_change_and_drop),
        TEST(test_which_is_in_the_way),
    };
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
