/* test_nodes.c - nodes: what was measured of them, their states, their page. */
#include "tests/screen/ui_fixture.h"

static void what_was_measured_is_kept(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    static const uint32_t busy[] = {97, 2, 0, 0, 0, 60, 88, 0};
    uilab_keys(u, "2");
    for (int i = 0; i < 20; i++) {
        feed_util(u, "gpu01", busy, N_OF(busy), 0, 0);
        uilab_wait(u, 1000);
    }
    uilab_keys(u, "1"); /* not watched for a while */
    uilab_wait(u, 20000);
    uilab_keys(u, "2G");
    feed_util(u, "gpu01", busy, N_OF(busy), 0, 0);
    uilab_keys(u, "g");
    uilab_draw(u, 43, 132);
    must_show(u, "⢠⣤⣤⣤   ⡄ 43% busy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(what_was_measured_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
