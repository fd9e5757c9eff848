/* test_node_ranges.c - `--nodes=MIN-MAX` and `--spread-job` take as many nodes as are free: what Slurm
 * 22.05.8 gives on four nodes of 8 CPUs.
 */
#include "src/base/xalloc.h"
#include "tests/lib/sched_fixture.h"

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    for (int i = 1; i <= 4; i++) {
        char *name = xasprintf("n%d", i);
        lab_node(&l, name, 8, 16000, 2, NULL);
        free(name);
    }
    lab_part(&l, "main", "n[1-4]")->default_time_s = 600;
    return 0;
}

struct row {
    const char *name;
    uint32_t min, max, tasks, cpus_per_task, tasks_per_node, gpus, gpus_per_node,
        gpus_per_task; /* 0: not given */
    const char *nodelist;
    bool exclusive, spread, fewest;
    const char *want; /* nodes with their CPUs */
};

static uint32_t given(uint32_t n)
{
    return n ? n : NOT_GIVEN;
}

static uint32_t submit(const struct row *r)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.nodes_min = given(r->min);
    j->req.nodes_max = given(r->max ? r->max : r->min);
    j->req.ntasks = given(r->tasks);
    j->req.cpus_per_task = given(r->cpus_per_task);
    j->req.gpus = given(r->gpus);
    j->req.gpus_per_node = given(r->gpus_per_node);
    req_detail_mut(&j->req)->ntasks_per_node = given(r->tasks_per_node);
    req_detail_mut(&j->req)->gpus_per_task = given(r->gpus_per_task);
    req_detail_mut(&j->req)->exclusive = r->exclusive;
    req_detail_mut(&j->req)->spread_job = r->spread;
    req_detail_mut(&j->req)->use_min_nodes = r->fewest;
    if (r->nodelist)
        req_rare_mut(&j->req)->nodelist = xstrdup(r->nodelist);
    return lab_submit(&l, j);
}

static char *places(uint32_t id)
{
    struct str s = STR_INIT;
    const struct job *j = lab_get(&l, id);
    for (size_t i = 0; i < j->alloc.n; i++)
        str_appendf(&s, "%s%s:%u", i ? " " : "", j->alloc.v[i].node, cpuset_count(&j->alloc.v[i].cpus));
    return str_take(&s);
}

static void give_back(uint32_t id)
{
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    if (lab_get(&l, id)->alloc.n)
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
}

static const struct row rows[] = {
    {"a range alone", .min = 1, .max = 2, .want = "n1:1 n2:1"},
    {"up to all", .min = 2, .max = 9, .want = "n1:1 n2:1 n3:1 n4:1"},
    {"one task", .min = 1, .max = 2, .tasks = 1, .want = "n1:1"},
    {"no more nodes than tasks", .min = 1, .max = 4, .tasks = 3, .want = "n1:1 n2:1 n3:1"},
    {"more tasks than nodes", .min = 1, .max = 4, .tasks = 8, .want = "n1:5 n2:1 n3:1 n4:1"},
    {"as many CPUs as there are tasks", .min = 2, .max = 3, .tasks = 10, .want = "n1:4 n2:3 n3:3"},
    {"large tasks", .min = 1, .max = 4, .tasks = 2, .cpus_per_task = 8, .want = "n1:8 n2:8"},
    {"tasks of each node", .min = 1, .max = 3, .tasks_per_node = 2, .want = "n1:2 n2:2 n3:2"},
    {"whole nodes", .min = 1, .max = 4, .exclusive = true, .want = "n1:8 n2:8 n3:8 n4:8"},
    {"nodes that are named come first", .min = 1, .max = 3, .nodelist = "n3,n4", .want = "n3:1 n4:1 n1:1"},
    {"GPUs of each node", .min = 1, .max = 3, .gpus_per_node = 1, .want = "n1:1 n2:1 n3:1"},
    {"a sum of GPUs stays together", .min = 1, .max = 3, .gpus = 2, .want = "n1:1"},
    {"tasks that follow from GPUs", .min = 1, .max = 2, .gpus = 2, .gpus_per_task = 1, .want = "n1:2"},
    {"the fewest", .min = 1, .max = 3, .fewest = true, .want = "n1:1"},
    {"one number", .min = 2, .want = "n1:1 n2:1"},
    {"spread", .tasks = 4, .spread = true, .want = "n1:1 n2:1 n3:1 n4:1"},
    {"spread within a range", .min = 1, .max = 3, .tasks = 4, .spread = true, .want = "n1:2 n2:1 n3:1"},
    {"not spread", .tasks = 4, .want = "n1:4"},
};

static void test_what_slurm_gives(void **state)
{
    (void)state;
    lab_configure(&l);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t id = submit(&rows[i]);
        cycle_full();
        char *got = places(id);
        if (strcmp(got, rows[i].want) != 0)
            fail_msg("%s: %s instead of %s", rows[i].name, got, rows[i].want);
        free(got);
        give_back(id);
    }
}

/* What is not free is not waited for; a job that needs more than is free waits. */
static void test_only_what_is_free(void **state)
{
    (void)state;
    lab_configure(&l);
    submit(&(struct row){.min = 2, .nodelist = "n1,n2", .exclusive = true});
    cycle_full();
    uint32_t range = submit(&(struct row){.min = 1, .max = 4}),
             more = submit(&(struct row){.min = 3, .max = 4, .tasks_per_node = 8});
    cycle_full();
    char *got = places(range);
    assert_string_equal(got, "n3:1 n4:1");
    assert_int_equal(lab_get(&l, more)->alloc.n, 0);
    free(got);
}

/* The further nodes of a range leave what a planned start needs. */
static void test_planned_starts_come_first(void **state)
{
    (void)state;
    lab_configure(&l);
    struct job *first = lab_job(&l, JOB_KIND_BATCH);
    first->req.nodes_min = first->req.nodes_max = 2;
    first->req.time_limit_s = 60;
    req_rare_mut(&first->req)->nodelist = xstrdup("n1,n2");
    req_detail_mut(&first->req)->exclusive = true;
    lab_submit(&l, first);
    cycle_full();
    submit(
        &(struct row){.min = 3, .exclusive = true}); /* from the end of the first on: n1, n2 and another */
    uint32_t range = submit(&(struct row){.min = 1, .max = 4});
    cycle_full();
    assert_int_equal(lab_get(&l, range)->alloc.n, 1);
}

static struct limit_spec *limit_of_users(void)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("*")};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    return s;
}

/* Within the soft limit it has borrowed nothing, although more nodes were tried. */
static void test_nothing_is_borrowed(void **state)
{
    (void)state;
    limit_of_users()->soft.nodes = 2;
    lab_configure(&l);
    uint32_t id = submit(&(struct row){.min = 1, .max = 4});
    cycle_full();
    assert_int_equal(lab_get(&l, id)->alloc.n, 2);
    assert_false(lab_get(&l, id)->borrowed);
}

/* A limit lets it have some of the nodes that are free. */
static void test_as_many_as_limits_allow(void **state)
{
    (void)state;
    limit_of_users()->hard.nodes = 3;
    lab_configure(&l);
    uint32_t id = submit(&(struct row){.min = 1, .max = 4});
    cycle_full();
    assert_int_equal(lab_get(&l, id)->alloc.n, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_slurm_gives, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_only_what_is_free, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_planned_starts_come_first, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_nothing_is_borrowed, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_as_many_as_limits_allow, set_up, sched_fixture_end),
    };
    return cmocka_run_group_tests_name("ranges of nodes", tests, NULL, NULL);
}
