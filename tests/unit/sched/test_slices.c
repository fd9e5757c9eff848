/* test_slices.c - no piece of a cycle goes through a whole queue of jobs that are all different; one that
 * is overtaken while it says why jobs wait has said nothing. */
#include "backend/sched/cycle/cycle_internal.h"
#include "src/base/xalloc.h"
#include "tests/lib/sched_fixture.h"

#define JOBS  2200
#define LOOKS 100

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    lab_node(&l, "n1", 1, 8000, 0, NULL);
    lab_part(&l, "main", "n1");
    lab_configure(&l);
    for (uint32_t i = 0; i <= JOBS; i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        j->req.time_limit_s = 600 + i; /* no two alike */
        lab_submit(&l, j);
    }
    cycle_full(); /* one runs, the others wait for their turn behind it */
    return 0;
}

/* A node has come back: all jobs are tried. */
static void look_at_all(void)
{
    struct ev_drain drain = {
        .node = xstrdup("n1"), .drain = !l.m.nodes[0]->drain, .reason = xstrdup("fan")};
    lab_must(&l, EV_DRAIN, 0, &drain);
    rec_fini(&ev_drain_rec, &drain);
    planner_note_nodes(planner);
}

static void test_no_piece_is_long(void **state)
{
    (void)state;
    struct sched_view v = lab_view(&l);
    struct sched_result r;
    unsigned pieces = 0;
    sched_result_init(&r);
    look_at_all();
    for (bool done = false; !done; pieces++) {
        size_t row = planner->cycle ? planner->cycle->heap.n : 0;
        done = planner_cycle_slice(planner, &v, l.now, LOOKS, &r);
        size_t now = planner->cycle ? planner->cycle->heap.n : row;
        assert_true(now <= row + LOOKS); /* nor is it put in the row at once */
    }
    sched_result_fini(&r);
    assert_true(pieces > JOBS / 5);
}

/* In a queue that the planner has not been told about yet. */
static void test_overtaken_while_it_tells(void **state)
{
    (void)state;
    struct sched_view v = lab_view(&l);
    struct sched_result r;
    planner_free(planner);
    planner = planner_new();
    sched_result_init(&r);
    while (!planner->cycle || !planner->cycle->reports || planner->cycle->out.changed.n < JOBS / 2)
        assert_false(planner_cycle_slice(planner, &v, l.now, 1, &r));
    look_at_all();
    assert_false(planner_cycle_slice(planner, &v, l.now, LOOKS, &r)); /* it ends with nothing */
    while (!planner_cycle_slice(planner, &v, l.now, LOOKS, &r))
        continue;
    assert_int_equal(r.changed.n, JOBS);
    sched_result_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_piece_is_long, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_overtaken_while_it_tells, set_up, sched_fixture_end),
    };
    return cmocka_run_group_tests_name("pieces", tests, NULL, NULL);
}
