/* test_groups.c - groups of nodes: a job over several nodes gets nodes of one group if it can, and waits
 * for them with `--switches`, but not for ever.
 */
#include <string.h>

#include "src/base/xalloc.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"
#include "tests/lib/sched_fixture.h"
#include "tests/unit/sched/said.h"

#define WAIT_S 300

/* n1 to n3 are left, n4 to n7 right, n8 and n9 in no group. */
static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    for (int i = 1; i <= 9; i++) {
        char *name = xasprintf("n%d", i);
        struct node_spec *s = lab_node(&l, name, 8, 16000, 0, NULL);
        s->group = i <= 3 ? xstrdup("left") : i <= 7 ? xstrdup("right") : NULL;
        free(name);
    }
    lab_part(&l, "main", "n[1-9]")->default_time_s = 600;
    l.spec.max_switch_wait_s = WAIT_S;
    l.spec.window_s = 86400;
    lab_configure(&l);
    return 0;
}

struct ask {
    uint32_t nodes, switches, wait_s, minutes;
    const char *nodelist, *exclude;
};

static uint32_t submit(struct ask a)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.nodes_min = j->req.nodes_max = a.nodes;
    j->req.time_limit_s = a.minutes ? a.minutes * 60 : 600;
    req_detail_mut(&j->req)->exclusive = true;
    req_rare_mut(&j->req)->switches = a.switches;
    req_rare_mut(&j->req)->switch_wait_s = a.wait_s;
    req_rare_mut(&j->req)->nodelist = a.nodelist ? xstrdup(a.nodelist) : NULL;
    req_rare_mut(&j->req)->exclude = a.exclude ? xstrdup(a.exclude) : NULL;
    uint32_t id = lab_submit(&l, j);
    planner_note_job(planner, id);
    return id;
}

static char *nodes_of(uint32_t id)
{
    struct str s = STR_INIT;
    const struct job *j = lab_get(&l, id);
    for (size_t i = 0; i < j->alloc.n; i++)
        str_appendf(&s, "%s%s", i ? " " : "", j->alloc.v[i].node);
    if (!j->alloc.n)
        str_append(&s, "none");
    return str_take(&s);
}

static void must_have(const char *row, uint32_t id, const char *want)
{
    char *got = nodes_of(id);
    check_str(row, got, want);
    free(got);
}

static void give_back(uint32_t id)
{
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    if (lab_get(&l, id)->alloc.n)
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    planner_note_job(planner, id);
}

/* One job alone: first the nodes that are in use by another, then what it asks for. */
static void test_where(void **state)
{
    static const struct {
        const char *name, *busy;
        struct ask ask;
        const char *want;
    } rows[] = {
        {"one node", NULL, {.nodes = 1, .switches = 1}, "n1"},
        {"the smallest group", NULL, {.nodes = 2}, "n8 n9"},
        {"the group that has them", NULL, {.nodes = 3}, "n1 n2 n3"},
        {"the larger group", NULL, {.nodes = 4}, "n4 n5 n6 n7"},
        {"any nodes", NULL, {.nodes = 5}, "n1 n2 n3 n4 n5"},
        {"one group", NULL, {.nodes = 4, .switches = 1}, "n4 n5 n6 n7"},
        {"no group has them", NULL, {.nodes = 5, .switches = 1}, "none"},
        {"two groups", NULL, {.nodes = 7, .switches = 2}, "n1 n2 n3 n4 n5 n6 n7"},
        {"more than two have", NULL, {.nodes = 8, .switches = 2}, "none"},
        {"no group has them free", "n[2-3],n5,n6,n9", {.nodes = 3}, "n1 n4 n7"},
        {"and it waits", "n[2-3],n5,n6,n9", {.nodes = 3, .switches = 1}, "none"},
        {"named ones in one group", NULL, {.nodes = 2, .switches = 1, .nodelist = "n6"}, "n6 n4"},
        {"named ones in two", NULL, {.nodes = 2, .switches = 1, .nodelist = "n1,n4"}, "none"},
        {"excluded ones", NULL, {.nodes = 2, .exclude = "n8,n1"}, "n2 n3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t busy[9], n = 0;
        struct strv names = {0};
        if (rows[i].busy)
            assert_true(hostlist_expand(rows[i].busy, &names, NULL) >= 0);
        for (size_t k = 0; k < names.n; k++)
            busy[n++] = submit((struct ask){.nodes = 1, .nodelist = names.v[k]});
        strv_fini(&names);
        cycle_resume();
        uint32_t id = submit(rows[i].ask);
        cycle_resume();
        must_have(rows[i].name, id, rows[i].want);
        give_back(id);
        while (n)
            give_back(busy[--n]);
        cycle_resume();
    }
}

/* It waits as long as it says, and no longer than the cluster allows. */
static void test_the_wait_ends(void **state)
{
    (void)state;
    const uint32_t waits[] = {0, 60, 100000}, want[] = {WAIT_S, 60, WAIT_S};
    for (size_t i = 0; i < 3; i++) {
        uint32_t id = submit((struct ask){.nodes = 5, .switches = 1, .wait_s = waits[i]});
        int64_t since = lab_get(&l, id)->t_eligible.ms;
        cycle_resume();
        l.now.ms = since + want[i] * MS_PER_S - 1;
        cycle_resume();
        must_have("before", id, "none");
        l.now.ms = since + want[i] * MS_PER_S;
        cycle_resume();
        must_have("after", id, "n1 n2 n3 n4 n5");
        give_back(id);
        cycle_resume();
    }
}

static int64_t forecast_s(uint32_t id)
{
    struct sched_view v = lab_view(&l);
    forecast_begin(planner_forecaster(planner), &v, l.now);
    while (!forecast_step(planner_forecaster(planner), &v, 1000))
        continue;
    return (forecast_of(planner_forecaster(planner), id).start.ms - lab_get(&l, id)->t_eligible.ms) / 1000;
}

/* Planned starts and forecasts know the groups and the end of the wait. */
static void test_plans(void **state)
{
    (void)state;
    submit((struct ask){.nodes = 1, .nodelist = "n1", .minutes = 2});
    submit((struct ask){.nodes = 1, .nodelist = "n4", .minutes = 20});
    cycle_resume();
    uint32_t soon = submit((struct ask){.nodes = 3, .switches = 1, .minutes = 1, .exclude = "n5"}),
             late = submit((struct ask){.nodes = 4, .switches = 1, .minutes = 1});
    cycle_resume();
    assert_in_range(forecast_s(soon), 110, 120);
    assert_in_range(forecast_s(late), WAIT_S - 2, WAIT_S + 2);
}

static void test_why(void **state)
{
    (void)state;
    uint32_t id = submit((struct ask){.nodes = 5, .switches = 1});
    cycle_resume();
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    struct cause brief;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    assert_non_null(strstr(said(&w.causes.v[0]), "9 would do (n[1-9]), at most 4 of them in 1 group"));
    assert_int_equal((w.causes.v[0].clears.ms - lab_get(&l, id)->t_eligible.ms) / MS_PER_S, WAIT_S);
    sched_waits_begin(planner, &v, l.now);
    sched_wait(planner, &v, lab_get(&l, id), l.now, &brief);
    sched_waits_end(planner);
    assert_non_null(strstr(said_brief(&brief), "needs 5 nodes of 1 group (4 free)"));
    cause_clear(&brief);
    rec_fini(&msg_why_rec, &w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_where, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_the_wait_ends, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_plans, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_why, set_up, sched_fixture_end),
    };
    return cmocka_run_group_tests_name("groups of nodes", tests, NULL, NULL);
}
