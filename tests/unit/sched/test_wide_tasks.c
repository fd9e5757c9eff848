/* test_wide_tasks.c - tasks of step jobs over several nodes: each part on a node of its own, all parts or
 * none, and every part counts against limits.
 *
 *     node   CPUs  memory  GPUs
 *     n1        4    8000     2
 *     n2        4    8000     2
 *     n3        2    4000     0
 */
#include "src/base/xalloc.h"
#include "src/model/task_parts.h"
#include "tests/lib/sched_fixture.h"
#include "tests/unit/sched/said.h"

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    lab_node(&l, "n1", 4, 8000, 2, NULL);
    lab_node(&l, "n2", 4, 8000, 2, NULL);
    lab_node(&l, "n3", 2, 4000, 0, NULL);
    lab_part(&l, "main", "n[1-3]")->default_time_s = 600;
    lab_configure(&l);
    return 0;
}

struct wide {
    uint32_t tasks, nodes, ranks, cpus, gpus; /* ranks to GPUs are of each node */
    uint64_t mem_mib;
};

static uint32_t submit(const struct wide *w)
{
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    struct step *s = lab_step(j, "s", w->tasks);
    xstrset(&j->user, "ann");
    s->nodes = w->nodes;
    s->n_ranks = w->ranks;
    s->cpus_per_rank = w->cpus;
    s->gpus = w->gpus;
    s->mem_mib = w->mem_mib ? w->mem_mib : 100; /* 0 would be all of it */
    return lab_submit(&l, j);
}

/* Parts of the task at `at` on that node. */
static unsigned parts_on(const struct step *s, size_t at, const char *node)
{
    unsigned n = 0;
    for (size_t i = at; i < task_parts_end(s, at); i++)
        n += str_eq(s->tasks.v[i].alloc.node, node);
    return n;
}

/* "n1+n2 n1+n2 -": the nodes of each task, "-" for one that waits. A task that has some of its places, or
 * a node twice, fails the test. */
static const char *places(uint32_t id)
{
    static const char *const nodes[] = {"n1", "n2", "n3"};
    const struct step *s = &lab_get(&l, id)->steps.v[0];
    struct str out = STR_INIT;
    for (size_t at = 0; at < s->tasks.n; at = task_parts_end(s, at)) {
        size_t placed = 0;
        str_append(&out, at ? " " : "");
        for (size_t i = 0; i < N_OF(nodes); i++) {
            unsigned n = parts_on(s, at, nodes[i]);
            assert_true(n <= 1);
            if (n)
                str_appendf(&out, "%s%s", placed ? "+" : "", nodes[i]);
            placed += n;
        }
        assert_true(placed == 0 || placed == task_parts_end(s, at) - at);
        str_append(&out, placed ? "" : "-");
    }
    return said_keep(&out);
}

static void limit_ann(const struct limit_set *hard)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("ann"), .hard = *hard};
    memset(&s->soft, 0xff, sizeof s->soft);
    lab_configure(&l);
}

static void test_where_the_parts_lie(void **state)
{
    static const struct {
        const char *name;
        struct wide w;
        const char *want;
    } rows[] = {
        {"two nodes", {1, 2, 1, 4, 0, 0}, "n1+n2"},
        {"all of them", {1, 3, 1, 1, 0, 0}, "n1+n2+n3"},
        {"not twice on a node that has room for both parts", {1, 3, 1, 2, 0, 0}, "n1+n2+n3"},
        {"one beside another", {2, 2, 1, 2, 1, 0}, "n1+n2 n1+n2"},
        {"one node is too small for a part", {1, 3, 3, 1, 0, 0}, "-"},
        {"the third has no node left", {3, 2, 1, 2, 1, 0}, "n1+n2 n1+n2 -"},
        {"the second has one node and not two", {2, 2, 3, 1, 0, 0}, "n1+n2 -"},
        {"GPUs are of each node", {2, 2, 1, 1, 2, 0}, "n1+n2 -"},
        {"more GPUs than a node has", {1, 2, 1, 1, 3, 0}, "-"},
        {"memory is of each node", {2, 2, 1, 1, 0, 8000}, "n1+n2 -"},
        {"more nodes than there are", {1, 4, 1, 1, 0, 0}, "-"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        sched_fixture_end(state);
        set_up(state);
        uint32_t id = submit(&rows[i].w);
        cycle_full();
        check_str(rows[i].name, places(id), rows[i].want);
    }
}

/* Two of three nodes are free at first: none of them is charged before the third is free too. */
static void test_all_or_none(void **state)
{
    (void)state;
    uint32_t holder = submit(&(struct wide){1, 1, 4, 1, 2, 0});
    assert_int_equal(cycle_full(), 1);
    uint32_t id = submit(&(struct wide){1, 3, 1, 1, 0, 0});
    assert_int_equal(cycle_full(), 0);
    assert_string_equal(places(id), "-");
    assert_int_equal(lab_get(&l, id)->state, JOB_PENDING);
    assert_int_equal(lab_end(&l, holder, 0, 0, END_EXITED, 0, 0), 0);
    assert_int_equal(cycle_full(), 1);
    assert_string_equal(places(id), "n1+n2+n3");
}

static void test_every_part_counts_against_limits(void **state)
{
    static const struct {
        const char *name;
        uint64_t nodes, cpus, gpus;
        struct wide w;
        const char *want;
    } rows[] = {
        {"two nodes of one", 1, LIMIT_NONE, LIMIT_NONE, {1, 2, 1, 1, 0, 0}, "-"},
        {"two of two", 2, LIMIT_NONE, LIMIT_NONE, {1, 2, 1, 1, 1, 0}, "n1+n2"},
        {"a node is held once", 2, LIMIT_NONE, LIMIT_NONE, {2, 2, 1, 1, 1, 0}, "n1+n2 n1+n2"},
        {"three of two", 2, LIMIT_NONE, LIMIT_NONE, {1, 3, 1, 1, 0, 0}, "-"},
        {"CPUs of both parts", LIMIT_NONE, 3, LIMIT_NONE, {1, 2, 2, 1, 1, 0}, "-"},
        {"CPUs of one task of two", LIMIT_NONE, 7, LIMIT_NONE, {2, 2, 2, 1, 1, 0}, "n1+n2 -"},
        {"CPUs of both tasks", LIMIT_NONE, 8, LIMIT_NONE, {2, 2, 2, 1, 1, 0}, "n1+n2 n1+n2"},
        {"GPUs of both parts", LIMIT_NONE, LIMIT_NONE, 3, {1, 2, 1, 1, 2, 0}, "-"},
        {"GPUs of one task of two", LIMIT_NONE, LIMIT_NONE, 3, {2, 2, 1, 1, 1, 0}, "n1+n2 -"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct limit_set hard;
        sched_fixture_end(state);
        set_up(state);
        memset(&hard, 0xff, sizeof hard);
        hard.nodes = rows[i].nodes;
        hard.cpus = rows[i].cpus;
        hard.gpus = rows[i].gpus;
        limit_ann(&hard);
        uint32_t id = submit(&rows[i].w);
        cycle_full();
        check_str(rows[i].name, places(id), rows[i].want);
    }
}

static void test_a_partition_allows_so_many_nodes(void **state)
{
    (void)state;
    l.spec.parts.v[0].max_nodes = 2;
    lab_configure(&l);
    uint32_t two = submit(&(struct wide){1, 2, 1, 1, 0, 0}),
             three = submit(&(struct wide){1, 3, 1, 1, 0, 0});
    assert_int_equal(cycle_full(), 1);
    assert_string_equal(places(two) + 2, "+n2");
    assert_string_equal(places(three), "-");
    assert_int_equal(planner_reason(planner, three), REASON_PART_NODES);
}

/* A node refuses the user: the job runs on without a task, and the answer names the node. */
static void test_why_a_task_waits_again(void **state)
{
    (void)state;
    uint32_t id = submit(&(struct wide){1, 2, 3, 1, 0, 0});
    assert_int_equal(cycle_full(), 1);
    struct job *j = lab_get(&l, id);
    struct task *refused = &j->steps.v[0].tasks.v[1];
    struct ev_avoid avoid = {.node = xstrdup(refused->alloc.node)};
    *(struct node_avoid *)rec_list_push(&avoid.rows) = (struct node_avoid){.uid = j->uid,
                                                                           .user = xstrdup("ann"),
                                                                           .text = xstrdup("no such user"),
                                                                           .until = wall_add_s(l.now, 600)};
    const char *node = strcmp(avoid.node, "n1") == 0 ? "n1" : "n2";
    lab_must(&l, EV_AVOID, 0, &avoid);
    struct ev_unplace unplace = {.step = 0, .task = refused->index, .attempt = refused->attempt};
    lab_must(&l, EV_UNPLACE, id, &unplace);
    assert_int_equal(lab_end_part(&l, id, 0, &lab_get(&l, id)->steps.v[0].tasks.v[0], END_KILLED, 0), 0);
    assert_string_equal(places(id), "-");
    assert_int_equal(cycle_full(), 0);
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    struct str want = STR_INIT;
    str_appendf(&want, "%s: no such user", node);
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    check_has("the wait", said_summary(&w), "1 of its tasks wait: ");
    check_has("the node", said_summary(&w), want.s);
    str_fini(&want);
    rec_fini(&msg_why_rec, &w);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, sched_fixture_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_where_the_parts_lie),
        TEST(test_all_or_none),
        TEST(test_every_part_counts_against_limits),
        TEST(test_a_partition_allows_so_many_nodes),
        TEST(test_why_a_task_waits_again),
    };
    return cmocka_run_group_tests_name("wide_tasks", tests, NULL, NULL);
}
