/* test_welcome.c - an empty queue: what there is, and keys that do something. */
#include "tests/screen/ui_fixture.h"
#include "ui/frame/outbox.h"

static void empty_cluster(struct uilab *u, bool drained)
{
    uilab_init(u);
    lab_node(&u->lab, "n1", 8, 16384, 2, "a100");
    lab_node(&u->lab, "n2", 8, 16384, 0, NULL);
    lab_part(&u->lab, "main", "n[1-2]");
    lab_configure(&u->lab);
    if (drained)
        u->lab.m.nodes[1]->drain = true;
    uilab_connect(u);
    uilab_draw(u, 24, 80);
}

static void says_what_is_free(void **state)
{
    (void)state;
    struct uilab u;
    empty_cluster(&u, false);
    must_show(&u, "2 nodes are free: 16 CPUs, 2 a100 GPUs, 32G of memory");
    uilab_golden(&u, "welcome", 24, 80);
    uilab_fini(&u);
    empty_cluster(&u, true);
    must_show(&u, "n1 is free: 8 CPUs, 2 a100 GPUs, 16G of memory");
    must_show(&u, "1 more takes no jobs now: 2 shows why.");
    uilab_fini(&u);
}

/* Keys of the footer that would do nothing are not there. */
static void no_key_is_dead(void **state)
{
    static const char *const dead[] = {"Enter open", "l output", "m mine", "w why", "c cancel", "/ filter"};
    (void)state;
    struct uilab u;
    empty_cluster(&u, false);
    for (size_t i = 0; i < N_OF(dead); i++)
        must_not_show(&u, dead[i]);
    must_show(&u, "s submit");
    must_show(&u, "i samples");
    keys_show(&u, "i", "the samples are not installed"); /* beside this program */
    uilab_keys(&u, "D");
    assert_true(outbox_take(u.app) & WISH_RUN);
    assert_string_equal(outbox_program(u.app)->v[1], "--demo");
    keys_show(&u, "s", "Submit");
    uilab_fini(&u);
}

/* With jobs these keys mean nothing. */
static void only_of_an_empty_queue(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "iD");
    assert_false(outbox_take(g->u.app) & WISH_RUN);
    must_not_show(&g->u, "i samples");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_what_is_free),
                                       cmocka_unit_test(no_key_is_dead),
                                       UI_FIXTURE_CASE(only_of_an_empty_queue)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
