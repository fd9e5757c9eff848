/* test_replan.c - what a change of a waiting job does to the plan, before the change is made. */
#include "backend/sched/explain/explain.h"
#include "tests/unit/sched/whylab.h"

enum { MANY = 1600 };

static const struct plan_row *row_of(const struct msg_plan *plan, uint32_t job)
{
    for (size_t i = 0; i < plan->rows.n; i++)
        if (plan->rows.v[i].job == job)
            return &plan->rows.v[i];
    fail_msg("job %u is not in the plan", job);
    return NULL;
}

static void plan_with(uint32_t id, uint32_t minutes, uint32_t cpus, struct msg_plan *ret)
{
    struct sched_view v = lab_view(&l);
    struct plan_filter filter = {.rows_max = 2000};
    struct job probe = *lab_get(&l, id);
    probe.req.time_limit_s = minutes * 60;
    probe.req.cpus_per_task = cpus;
    planner_report_with(planner, &v, &probe, l.now, &filter, ret);
    assert_true(ret->changed);
}

static void row_must_be(const struct msg_plan *plan, uint32_t job, enum plan_kind kind, int64_t from_min,
                        int64_t to_min, const char *nodes)
{
    const struct plan_row *r = row_of(plan, job);
    check_str("kind", plan_kind_name((enum plan_kind)r->kind), plan_kind_name(kind));
    check_int("start", (r->start.ms - l.now.ms + 30000) / 60000, from_min);
    check_int("end", (r->end.ms - l.now.ms + 30000) / 60000, to_min);
    check_str("nodes", r->nodes, nodes);
}

/* One runs for an hour on 6 of 8 CPUs; the first needs all 8, the second 2 for two hours. */
static void submit_three(uint32_t *ret_first, uint32_t *ret_second)
{
    l.spec.window_s = 86400;
    lab_configure(&l);
    submit_req("main", 6, "n2", 60);
    cycle_full();
    *ret_first = submit_req("main", 8, "n2", 60);
    *ret_second = submit_req("main", 2, "n2", 120);
    cycle_full();
    assert_int_equal(lab_get(&l, *ret_first)->state, JOB_PENDING);
    assert_int_equal(lab_get(&l, *ret_second)->state, JOB_PENDING);
}

static void test_a_shorter_limit_starts_now(void **state)
{
    (void)state;
    uint32_t first, second;
    struct msg_plan plan;
    submit_three(&first, &second);
    plan_with(second, 120, 2, &plan);
    row_must_be(&plan, second, PLAN_FORECAST, 120, 240, "n2");
    rec_fini(&msg_plan_rec, &plan);
    plan_with(second, 30, 2, &plan);
    row_must_be(&plan, second, PLAN_HELD, 0, 30, "n2");
    row_must_be(&plan, first, PLAN_HELD, 60, 120, "n2");
    rec_fini(&msg_plan_rec, &plan);
    assert_int_equal(lab_get(&l, second)->req.time_limit_s, 7200);
}

/* The other jobs of the plan move as well. */
static void test_others_move(void **state)
{
    (void)state;
    uint32_t first, second;
    struct msg_plan plan;
    submit_three(&first, &second);
    plan_with(first, 60, 2, &plan);
    row_must_be(&plan, first, PLAN_HELD, 0, 60, "n2");
    row_must_be(&plan, second, PLAN_HELD, 60, 180, "n2");
    check_int("CPUs of its row", row_of(&plan, first)->cpus, 2);
    rec_fini(&msg_plan_rec, &plan);
}

/* A long queue is not planned again: the row of the job alone is another. */
static void test_a_long_queue(void **state)
{
    (void)state;
    uint32_t first, second;
    struct msg_plan plan;
    submit_three(&first, &second);
    for (uint32_t i = 0; i < MANY; i++) { /* as if they had been submitted: that takes too long here */
        struct job *j = xcalloc(1, sizeof *j);
        rec_copy(&job_rec, j, lab_get(&l, first));
        free(j->request_id);
        j->request_id = NULL;
        j->id = l.m.next_job++;
        model_take_job(&l.m, j);
    }
    cycle_full();
    plan_with(second, 30, 2, &plan);
    row_must_be(&plan, second, PLAN_HELD, 0, 30, "n2");
    row_must_be(&plan, first, PLAN_HELD, 60, 120, "n2");
    check_int("running and waiting", (int)plan.rows.n, MANY + 3);
    for (size_t i = 1; i < plan.rows.n; i++) /* by start; what has none comes last */
        if (wall_is_set(plan.rows.v[i].start))
            assert_true(plan.rows.v[i - 1].start.ms <= plan.rows.v[i].start.ms);
    rec_fini(&msg_plan_rec, &plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_shorter_limit_starts_now),
        TEST(test_others_move),
        TEST(test_a_long_queue),
    };
    return cmocka_run_group_tests_name("replan", tests, NULL, NULL);
}
