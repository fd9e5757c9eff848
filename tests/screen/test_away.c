/* test_away.c - while the controller is away, the header says since when, and what the user can do. */
#include "tests/screen/ui_fixture.h"
#include "ui/frame/mirror_follow.h"
#include "ui/state/ui_state.h"

static void each_cluster_has_its_advice(void **state)
{
    static const struct {
        enum start_by by;
        const char *advice;
    } cases[] = {{START_BY_USER, "; jobs go on running. Start it: b or stoker up"},
                 {START_BY_ADMIN, "; jobs go on running. Tell an administrator."},
                 {START_BY_ITSELF, "; jobs go on running. Connecting again."}};
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    follow_lost(u->app, "the controller went away");
    uilab_wait(u, 7200000);
    for (size_t i = 0; i < N_OF(cases); i++) {
        u->app->o.start_by = cases[i].by;
        uilab_draw(u, 24, 80);
        must_show(u, " No controller since 14:19");
        must_show(u, cases[i].advice);
        must_not_show(u, "96/384"); /* bars of then */
    }
    uilab_connect(u);
    uilab_draw(u, 24, 80);
    must_not_show(u, "No controller");
    must_show(u, "96/384");
}

/* No key is bound: the command remains. */
static void a_command_where_there_is_no_key(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    u->app->o.start_by = START_BY_USER;
    struct errtext err;
    assert_int_equal(keymap_bind(&u->app->o.keys, ACTION_START, "", &err), 0);
    follow_lost(u->app, "the controller went away");
    uilab_draw(u, 24, 80);
    must_show(u, "; jobs go on running. Start it: stoker up");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(each_cluster_has_its_advice),
        UI_FIXTURE_CASE(a_command_where_there_is_no_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
