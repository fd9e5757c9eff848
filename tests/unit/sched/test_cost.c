/* test_cost.c - what a cycle costs, in nodes looked at and allocations moved: numbers that no load of the
 * machine changes. Each of these once grew with the jobs and the nodes multiplied.
 */
#include "backend/sched/cycle/cycle_internal.h"
#include "src/base/xalloc.h"
#include "tests/lib/sched_fixture.h"

#define NODES  200
#define SLOTS  20
#define WINDOW 30 /* nodes */

/* NODES nodes of 8 CPUs in `low`, whose jobs give way to those of `high`. */
static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%03u", i);
        lab_node(&l, name, 8, 8000, 0, NULL);
    }
    struct part_spec *low = lab_part(&l, "low", "n[000-199]");
    low->preempt_mode = PREEMPT_REQUEUE;
    low->grace_s = 60;
    lab_part(&l, "high", "n[000-199]")->priority_tier = 2;
    l.spec.reservations = SLOTS;
    lab_configure(&l);
    return 0;
}

static uint32_t submit(const char *part, uint32_t cpus, uint32_t limit_s)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup(part);
    j->req.cpus_per_task = cpus;
    j->req.mem_node_mib = 1;
    j->req.time_limit_s = limit_s;
    uint32_t id = lab_submit(&l, j);
    planner_note_job(planner, id);
    return id;
}

static void fill(void)
{
    for (uint32_t i = 0; i < NODES; i++)
        submit("low", 8, 36000 + i);
    assert_int_equal(cycle_resume(), NODES);
}

static void drain(uint32_t node, bool is_drained)
{
    struct ev_drain e = {.node = xstrdup(l.m.nodes[node]->spec.name), .drain = is_drained, .reason = NULL};
    lab_must(&l, EV_DRAIN, 0, &e);
    rec_fini(&ev_drain_rec, &e);
    planner_note_nodes(planner);
}

static void test_a_drain_asks_no_shape_about_empty_nodes(void **state)
{
    (void)state;
    fill();
    for (uint32_t i = 0; i < 100; i++)
        submit("low", 1 + i % 8, 3600 + i);
    cycle_resume();
    uint64_t before = planner->queue.empty.cost;
    drain(3, true);
    cycle_resume();
    drain(3, false);
    cycle_resume();
    assert_int_equal(planner->queue.empty.cost, before);
}

static void add_maintenance(void)
{
    struct ev_window e = {.window = {.name = xstrdup("service"),
                                     .start = wall_add_s(l.now, 100000),
                                     .end = wall_add_s(l.now, 200000),
                                     .kind = WINDOW_MAINTENANCE}};
    for (uint32_t i = 0; i < WINDOW; i++)
        strv_push(&e.window.nodes, l.m.nodes[i]->spec.name);
    lab_must(&l, EV_WINDOW, 0, &e);
    rec_fini(&ev_window_rec, &e);
    planner_note_windows(planner);
}

/* SLOTS jobs have planned starts, and each cycle says again what keeps them off their nodes. */
static void test_a_report_moves_a_window_once(void **state)
{
    (void)state;
    fill();
    add_maintenance();
    for (uint32_t i = 0; i < SLOTS; i++)
        submit("low", 8, 3600 + i);
    cycle_resume();
    uint64_t before = planner->queue.pool.moved;
    drain(NODES - 1, true);
    cycle_resume();
    assert_true(planner->queue.slots.partitions[0].n_held >= SLOTS - 1);
    assert_true(planner->queue.pool.moved - before < (uint64_t)SLOTS * WINDOW);
}

/* SLOTS jobs wait for the end of their victims' grace times. */
static void preempt_for_slots(void)
{
    unsigned planned = 0;
    fill();
    for (uint32_t i = 0; i < SLOTS; i++)
        submit("high", 8, 3600 + i);
    for (int i = 0; i < 4; i++)
        cycle_resume();
    list_for_each (h, &planner->queue.slots.list, struct plan_slot, link)
        planned += h->by_preemption;
    assert_int_equal(planned, SLOTS);
}

static void test_a_preemptor_looks_at_all_nodes_once(void **state)
{
    (void)state;
    preempt_for_slots();
    uint64_t before = planner->queue.pool.cost;
    planner->queue.changes.freed = true; /* all jobs are tried, and nothing has come free */
    cycle_resume();
    assert_true(planner->queue.pool.cost - before < (uint64_t)SLOTS * NODES);
}

/* It stands before a preemptor, which gives way to no job of its tier, and no search finds victims for it:
 * no other job has a turn. */
static void test_a_job_that_finds_no_victims_is_decided_alone(void **state)
{
    (void)state;
    preempt_for_slots();
    int64_t full = planner->pace.full_cycle_ms;
    struct job *first = lab_job(&l, JOB_KIND_BATCH);
    first->req.partition = xstrdup("high");
    first->req.nodes_min = first->req.nodes_max = first->req.ntasks = NODES;
    first->req.cpus_per_task = 8;
    first->req.mem_node_mib = 1;
    first->req.time_limit_s = 60;
    req_detail_mut(&first->req)->has_priority = true;
    req_detail_mut(&first->req)->priority = 1000000;
    planner_note_job(planner, lab_submit(&l, first));
    cycle_resume();
    assert_int_equal(planner->pace.full_cycle_ms, full);
}

/* --- planned starts in many partitions --- */

#define PART_NODES 4

static void set_up_parts(uint32_t n)
{
    char name[16], nodes[32];
    sched_fixture_begin();
    for (uint32_t i = 0; i < n * PART_NODES; i++) {
        snprintf(name, sizeof name, "m%05u", i);
        lab_node(&l, name, 8, 8000, 0, NULL);
    }
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "p%u", i);
        snprintf(nodes, sizeof nodes, "m[%05u-%05u]", i * PART_NODES, (i + 1) * PART_NODES - 1);
        lab_part(&l, name, nodes);
    }
    struct limit_spec *limit = rec_list_push(&l.spec.limits);
    *limit = (struct limit_spec){.scope = LIMIT_CLUSTER};
    memset(&limit->soft, 0xff, sizeof limit->soft); /* LIMIT_NONE everywhere */
    limit->hard = limit->soft;
    limit->hard.running_jobs = UINT64_C(6) * n; /* less than all that run and all that are planned */
    l.spec.reservations = 3;
    lab_configure(&l);
}

/* Each partition is full and has three planned starts, and the next cycle looks at all of them. */
static void fill_parts(uint32_t n)
{
    char name[16];
    set_up_parts(n);
    for (uint32_t k = 0; k < PART_NODES + 4; k++)
        for (uint32_t i = 0; i < n; i++) {
            snprintf(name, sizeof name, "p%u", i);
            submit(name, 8, 3600 + k * n + i);
        }
    for (int i = 0; i < 3; i++)
        cycle_resume();
    assert_true(planner->queue.slots.n_planned >= 2 * n);
    planner->queue.changes.freed = planner->queue.changes.freed_anywhere = true;
}

static uint64_t cost_of_parts(uint32_t n)
{
    fill_parts(n);
    uint64_t before = planner->queue.pool.cost;
    cycle_resume();
    uint64_t cost = planner->queue.pool.cost - before;
    sched_fixture_end(NULL);
    return cost;
}

/* A planned start is compared with those on the same nodes alone, and all of them are compared with the
 * limit at once. */
static void test_partitions_cost_what_they_are(void **state)
{
    (void)state;
    uint64_t few = cost_of_parts(10), many = cost_of_parts(40);
    assert_true(many < 5 * few);
}

/* Neither are they checked at once, nor are the jobs that were tried. */
static void test_a_slice_checks_few_planned_starts(void **state)
{
    struct sched_view v;
    struct sched_result r;
    unsigned checks = 0, reports = 0;
    (void)state;
    fill_parts(10);
    v = lab_view(&l);
    sched_result_init(&r);
    while (!planner_cycle_slice(planner, &v, l.now, 1, &r)) {
        checks += planner->cycle->iteration == ITERATION_CHECKS;
        reports += planner->cycle->reports;
    }
    assert_true(checks >= planner->queue.slots.n_planned);
    assert_true(reports >= planner->queue.slots.n_planned);
    sched_result_fini(&r);
    sched_fixture_end(NULL);
}

/* --- a long queue of unlike jobs --- */

#define UNLIKE 600

/* Each node has a job of 2 CPUs and one of 6, and no two waiting jobs ask for the same. */
static void fill_with_unlike(uint32_t least_cpus)
{
    for (uint32_t i = 0; i < NODES; i++) {
        submit("high", 6, 36000 + i);
        submit("high", 2, 72000 + i);
    }
    assert_int_equal(cycle_resume(), 2 * NODES);
    for (uint32_t i = 0; i < UNLIKE; i++)
        submit("high", least_cpus + i % 4, 100000 + i);
    for (int i = 0; i < 3; i++)
        cycle_resume();
}

static uint64_t cost_of_unlike_cycle(void)
{
    uint64_t before = planner->queue.pool.cost;
    planner->queue.changes.freed = true;
    cycle_resume();
    return planner->queue.pool.cost - before;
}

/* The row of the cycle before still holds. */
static void test_a_cycle_examines_no_class_again(void **state)
{
    (void)state;
    fill_with_unlike(3);
    assert_true(planner->row.next.passed.n > UNLIKE - 2 * SLOTS);
    assert_true(cost_of_unlike_cycle() < 10 * UNLIKE);
}

/* An end with less than any of them needs is of no use to them. */
static void test_an_end_examines_what_could_fit(void **state)
{
    uint64_t without, with;
    uint32_t small = 0;
    (void)state;
    fill_with_unlike(3);
    list_for_each (j, &l.m.active, struct job, in_queue)
        small = j->req.cpus_per_task == 2 ? j->id : small;
    without = cost_of_unlike_cycle();
    assert_int_equal(lab_end(&l, small, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    planner_note_job(planner, small);
    with = cost_of_unlike_cycle();
    assert_true(with < without + 10 * UNLIKE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_drain_asks_no_shape_about_empty_nodes, set_up,
                                        sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_a_report_moves_a_window_once, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_a_preemptor_looks_at_all_nodes_once, set_up,
                                        sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_a_job_that_finds_no_victims_is_decided_alone, set_up,
                                        sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_a_cycle_examines_no_class_again, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_an_end_examines_what_could_fit, set_up, sched_fixture_end),
        cmocka_unit_test(test_partitions_cost_what_they_are),
        cmocka_unit_test(test_a_slice_checks_few_planned_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
