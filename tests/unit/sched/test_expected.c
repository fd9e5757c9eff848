/* test_expected.c - run times that are expected: what is learnt, the order of backfill candidates, and
 * starts that their limits alone would not allow.
 */
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/sched_fixture.h"

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    lab_node(&l, "n1", 8, 8000, 0, NULL);
    lab_node(&l, "n2", 8, 8000, 0, NULL);
    lab_part(&l, "main", "n[1-2]");
    l.spec.backfill = BACKFILL_CONSERVATIVE;
    l.spec.reservations = 1;
    return 0;
}

static uint32_t submit(const char *name, uint32_t nodes, uint32_t cpus, uint32_t minutes)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    free(j->req.name);
    j->req.name = xstrdup(name);
    j->req.nodes_min = nodes;
    j->req.cpus_per_task = cpus;
    j->req.mem_node_mib = 1;
    j->req.time_limit_s = minutes * 60;
    l.now.ms -= MS_PER_S;
    uint32_t id = lab_submit(&l, j);
    planner_note_job(planner, id);
    return id;
}

static void end(uint32_t id)
{
    l.now.ms -= MS_PER_S;
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    planner_note_job(planner, id);
}

static bool runs(uint32_t job)
{
    return lab_get(&l, job)->state == JOB_RUNNING;
}

static const struct plan_slot *slot_of(uint32_t job)
{
    const struct pending_entry *u = idmap_get(&planner_queue(planner)->entries.by_job, job);
    return &u->slot;
}

/* Two runs of that name took so long. */
static void learn(const char *name, uint32_t minutes)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    free(j->req.name);
    j->req.name = xstrdup(name);
    j->state = JOB_COMPLETED;
    j->t_start = l.now;
    j->t_end = wall_add_s(l.now, minutes * 60);
    planner_note_end(planner, j);
    planner_note_end(planner, j);
    job_free(j);
}

/* --- what is learnt --- */

static void test_what_is_learnt(void **state)
{
    (void)state;
    static const double runs_s[] = {1000, 100, 200, 300, 100};
    struct run_times *r = run_times_new();
    struct run_time t;
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(run_times_predict(r, 7, &t), i >= 2);
        run_times_learn(r, &(struct learnt_run){7, runs_s[i]});
    }
    assert_true(run_times_predict(r, 7, &t));
    assert_int_equal(t.mean_ms, 200 * MS_PER_S);
    assert_int_equal(t.most_ms, (300 * 5 / 4 + 60) * MS_PER_S); /* the first run is forgotten */
    assert_false(run_times_predict(r, 8, &t));
    run_times_learn(r, &(struct learnt_run){8, -1});
    run_times_learn(r, &(struct learnt_run){8, 1e30});
    assert_false(run_times_predict(r, 8, &t));
    for (uint64_t key = 100; key < 100 + RUN_TIMES_KEYS; key++)
        run_times_learn(r, &(struct learnt_run){key, 1});
    assert_false(run_times_predict(r, 7, &t));
    run_times_free(r);
}

static void test_which_runs_count(void **state)
{
    (void)state;
    static const struct {
        enum job_state state;
        enum job_kind kind;
        bool counts;
    } cases[] = {{JOB_COMPLETED, JOB_KIND_BATCH, true},  {JOB_TIMEOUT, JOB_KIND_BATCH, true},
                 {JOB_FAILED, JOB_KIND_BATCH, true},     {JOB_CANCELLED, JOB_KIND_BATCH, false},
                 {JOB_NODE_FAIL, JOB_KIND_BATCH, false}, {JOB_PREEMPTED, JOB_KIND_BATCH, false},
                 {JOB_COMPLETED, JOB_KIND_STEPS, false}};
    lab_configure(&l);
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct run_times *r = run_times_new();
        struct run_time t;
        struct job *j = lab_job(&l, cases[i].kind);
        j->state = (uint8_t)cases[i].state;
        j->t_start = l.now;
        j->t_end = wall_add_s(l.now, 60);
        run_times_learn_job(r, j);
        run_times_learn_job(r, j);
        assert_int_equal(run_times_predict(r, forecast_range_key(j), &t), cases[i].counts);
        job_free(j);
        run_times_free(r);
    }
}

static void test_runs_outlive_a_restart(void **state)
{
    (void)state;
    struct planner *before = planner_new(), *after = planner_new();
    struct forecast_memory m;
    struct run_time t;
    for (uint32_t i = 1; i <= 6; i++)
        run_times_learn(planner_forecaster(before)->runs, &(struct learnt_run){i % 2 + 1, i * 100});
    forecaster_save(planner_forecaster(before), &m);
    forecaster_restore(planner_forecaster(after), &m);
    planner_free(before);
    rec_fini(&forecast_memory_rec, &m);
    assert_true(run_times_predict(planner_forecaster(after)->runs, 1, &t));
    assert_int_equal(t.mean_ms, 500 * MS_PER_S); /* 400 and 600 */
    before = planner_new();
    forecaster_inherit(planner_forecaster(before), planner_forecaster(after));
    assert_true(run_times_predict(planner_forecaster(before)->runs, 2, &t));
    planner_free(after);
    planner_free(before);
}

/* --- the order of candidates --- */

/* One of two candidates fits beside the planned start. */
static void candidates(bool shortest, bool predicts, uint32_t ret[2])
{
    l.spec.backfill_shortest = shortest;
    l.spec.predict_run_times = predicts;
    lab_configure(&l);
    submit("a", 1, 8, 60), submit("a", 1, 4, 60);
    cycle_full();
    uint32_t wide = submit("wide", 2, 8, 60);
    ret[0] = submit("first", 1, 4, 50);
    ret[1] = submit("second", 1, 4, 20);
    if (predicts)
        learn("first", 5);
    cycle_full();
    assert_non_null(slot_of(wide)->use.parts);
    assert_int_equal(runs(ret[0]) + runs(ret[1]), 1);
}

static void test_candidates_in_the_order_of_the_queue(void **state)
{
    (void)state;
    uint32_t ids[2];
    candidates(false, false, ids);
    assert_true(runs(ids[0]));
}

static void test_the_shortest_candidate_first(void **state)
{
    (void)state;
    uint32_t ids[2];
    candidates(true, false, ids);
    assert_true(runs(ids[1]));
}

static void test_the_one_expected_to_be_shortest_first(void **state)
{
    (void)state;
    uint32_t ids[2];
    candidates(true, true, ids);
    assert_true(runs(ids[0]));
}

/* Neither passes a job of a higher tier. */
static void test_tiers_come_before_length(void **state)
{
    (void)state;
    lab_part(&l, "low", "n[1-2]")->priority_tier = 1;
    l.spec.parts.v[0].priority_tier = 2;
    l.spec.backfill_shortest = true;
    lab_configure(&l);
    submit("a", 1, 8, 60), submit("a", 1, 4, 60);
    cycle_full();
    submit("wide", 2, 8, 60);
    uint32_t high = submit("high", 1, 4, 50), low = submit("low", 1, 4, 20);
    lab_get(&l, low)->req.partition = xstrdup("low");
    planner_note_job(planner, low);
    cycle_full();
    assert_true(runs(high));
    assert_false(runs(low));
}

/* --- starts by the time that is expected --- */

/* The wide job was promised 120 minutes, and could start in 100: n1 is free, n2 is not. */
static uint32_t promised_with_time_to_spare(uint32_t *ret_other)
{
    l.spec.predict_run_times = true;
    lab_configure(&l);
    uint32_t one = submit("a", 1, 8, 120), other = submit("a", 1, 8, 100);
    cycle_full();
    uint32_t wide = submit("wide", 2, 8, 60);
    cycle_resume();
    int64_t promised = slot_of(wide)->use.start;
    end(one);
    cycle_resume();
    assert_true(slot_of(wide)->use.start < promised);
    assert_true(plan_slot_told(slot_of(wide)) == promised);
    *ret_other = other;
    return wide;
}

static void test_a_start_within_the_promise(void **state)
{
    (void)state;
    uint32_t other, wide = promised_with_time_to_spare(&other);
    int64_t promised = plan_slot_told(slot_of(wide)), planned = slot_of(wide)->use.start;
    uint32_t unknown = submit("unknown", 1, 8, 110);
    cycle_resume();
    assert_false(runs(unknown));
    learn("test", 10);
    uint32_t test = submit("test", 1, 8, 110);
    cycle_resume();
    assert_true(runs(test));
    assert_true(slot_of(wide)->use.start > planned && slot_of(wide)->use.start <= promised);
    assert_true(plan_slot_told(slot_of(wide)) == promised);
    /* It runs to its limit after all. */
    l.now = wall_add_s(lab_get(&l, test)->t_start, 100 * 60);
    end(other);
    cycle_resume();
    l.now = wall_add_s(lab_get(&l, test)->t_start, 110 * 60);
    end(test);
    cycle_resume();
    assert_true(runs(wide));
    assert_true(lab_get(&l, wide)->t_start.ms <= promised);
}

/* It ends as expected: the planned start comes back to where it was. */
static void test_the_planned_start_comes_back(void **state)
{
    (void)state;
    uint32_t other, wide = promised_with_time_to_spare(&other);
    int64_t planned = slot_of(wide)->use.start;
    learn("test", 10);
    uint32_t test = submit("test", 1, 8, 110);
    cycle_resume();
    assert_true(runs(test));
    l.now = wall_add_s(l.now, 600);
    end(test);
    cycle_resume();
    assert_true(slot_of(wide)->use.start == planned);
}

static void test_no_start_behind_the_promise(void **state)
{
    (void)state;
    uint32_t other, wide = promised_with_time_to_spare(&other);
    int64_t planned = slot_of(wide)->use.start;
    learn("test", 10);
    learn("long", 90);
    uint32_t over = submit("test", 1, 8, 121), late = submit("long", 1, 8, 110);
    cycle_resume();
    assert_false(runs(over)); /* its limit is behind the promise */
    assert_false(runs(late)); /* with the margin it would end after the planned start */
    assert_true(slot_of(wide)->use.start == planned);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, sched_fixture_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(test_what_is_learnt),
        CASE(test_which_runs_count),
        CASE(test_runs_outlive_a_restart),
        CASE(test_candidates_in_the_order_of_the_queue),
        CASE(test_the_shortest_candidate_first),
        CASE(test_the_one_expected_to_be_shortest_first),
        CASE(test_tiers_come_before_length),
        CASE(test_a_start_within_the_promise),
        CASE(test_the_planned_start_comes_back),
        CASE(test_no_start_behind_the_promise),
    };
    return cmocka_run_group_tests_name("expected", tests, NULL, NULL);
}
