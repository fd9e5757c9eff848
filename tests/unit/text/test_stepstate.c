/* test_stepstate.c - what is said of steps and tasks: the one that failed, those that were stopped because
 * of it, those that have not run, and those that wait. */
#include "src/model/stepstate.h"
#include "src/text/jobtext.h"
#include "src/text/steptext.h"
#include "tests/unit/model/fold.h"

static void says(const char *name, uint32_t id, int32_t step, const char *want)
{
    struct str s = STR_INIT;
    steptext_state(&s, lab_get(&l, id), job_find_step(lab_get(&l, id), step));
    check_str(name, s.s, want);
    str_fini(&s);
}

static void task_says(const char *name, uint32_t id, int32_t step, uint32_t task, const char *want)
{
    struct str s = STR_INIT;
    tasktext_stopped(&s, lab_get(&l, id), job_find_step(lab_get(&l, id), step),
                     lab_task(&l, id, step, task));
    check_str(name, s.s, want);
    str_fini(&s);
}

static void reason_says(const char *name, uint32_t id, const char *want)
{
    struct str s = STR_INIT;
    jobtext_reason_words(&s, lab_get(&l, id));
    check_str(name, s.s, want);
    str_fini(&s);
}

static uint32_t train_and_collect(void)
{
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    lab_step(j, "train", 4);
    lab_step(j, "collect", 1);
    return lab_submit(&l, j);
}

static void test_the_task_that_failed_is_named(void **state)
{
    (void)state;
    uint32_t id = train_and_collect();
    const struct step *s = NULL;
    says("not begun", id, 0, "4 tasks wait, each needs 1 CPU");
    says("later", id, 1, "not started, 1 task");
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(lab_place(&l, id, 0, k, lab_alloc("n1", k, 1, 0, 0, 1)), 0);
    says("running", id, 0, "0 of 4 done, 3 running, 1 waiting");
    assert_int_equal(lab_end(&l, id, 0, 2, END_EXITED, 1, 0), 0);
    assert_int_equal(lab_end(&l, id, 0, 0, END_KILLED, 0, 15), 0);
    assert_int_equal(lab_end(&l, id, 0, 1, END_KILLED, 0, 15), 0);
    must_be("failed", id, JOB_FAILED, REASON_NON_ZERO_EXIT);
    says("step", id, 0, "1 failed (task 2, exit 1, n1), 2 stopped because of it, 1 not run");
    says("never", id, 1, "not run (step 0 failed)");
    task_says("stopped", id, 0, 0, "stopped: task 2 failed");
    task_says("not run", id, 0, 3, "not run: task 2 failed");
    reason_says("job", id, "step 0 task 2 exited with 1 on n1");
    assert_int_equal(job_first_failed(lab_get(&l, id), &s)->index, 2);
    assert_int_equal(s->id, 0);
    assert_false(task_has_failed(lab_task(&l, id, 0, 0)));
    assert_int_equal(step_stage(lab_get(&l, id), job_find_step(lab_get(&l, id), 1)), STEP_NOT_RUN);
}

static void test_cancelled_has_not_failed(void **state)
{
    (void)state;
    uint32_t id = train_and_collect();
    const struct step *s = NULL;
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    assert_int_equal(lab_end(&l, id, 0, 0, END_KILLED, 0, 15), 0);
    must_be("cancelled", id, JOB_CANCELLED, REASON_NONE);
    assert_null(job_first_failed(lab_get(&l, id), &s));
    struct step_tally c = step_count(job_find_step(lab_get(&l, id), 0));
    assert_int_equal(c.failed, 0);
    assert_int_equal(c.stopped, 1);
    assert_int_equal(c.not_run, 3);
    assert_int_equal(c.done, 0);
}

/* The time that a step of an allocation waits is not its time. */
static void test_a_step_that_waits_has_not_begun(void **state)
{
    (void)state;
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 2, 0, 0, 1)), 0);
    assert_int_equal(add_step(id, 0, 1), 0);
    const struct step *s = job_find_step(lab_get(&l, id), 0);
    assert_false(step_has_begun(s));
    assert_int_equal(step_stage(lab_get(&l, id), s), STEP_WAITS);
    l.now.ms += 6000;
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 1, 1, 0, 0, 1)), 0);
    s = job_find_step(lab_get(&l, id), 0);
    assert_true(step_has_begun(s));
    assert_int_equal(step_stage(lab_get(&l, id), s), STEP_RUNS);
    assert_true(s->t_start.ms >= lab_get(&l, id)->t_start.ms + 6000);
    assert_int_equal(lab_end(&l, id, 0, 0, END_EXITED, 0, 0), 0);
    says("over", id, 0, "1 of 1 done");
}

/* --- arrays --- */

static uint32_t gone(uint32_t array, enum job_state state)
{
    const struct job_rare *rare = job_rare(lab_get(&l, array));
    for (size_t i = 0; i < rare->array_gone.n; i++)
        if (rare->array_gone.v[i].state == state)
            return rare->array_gone.v[i].n;
    return 0;
}

/* Elements leave the state; how they ended stays with their array. */
static void test_an_array_keeps_its_counts(void **state)
{
    (void)state;
    struct ev_none none = {0};
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 9, 1};
    uint32_t id = lab_submit(&l, j);
    for (uint32_t k = 0; k < 9; k++) {
        uint32_t e = l.m.next_job;
        assert_int_equal(lab_start(&l, id, k, e, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
        if (k == 4)
            assert_int_equal(lab_kill(&l, e, STEP_ALL, KILL_CANCEL, FATE_END), 0);
        assert_int_equal(
            lab_end(&l, e, STEP_BATCH, 0, k == 4 ? END_KILLED : END_EXITED, k == 2 || k == 7, 0), 0);
        lab_must(&l, EV_RETIRE, e, &none);
        if (k == 2)
            assert_int_equal(gone(id, JOB_FAILED), 1);
        assert_null(model_get_job(&l.m, e));
    }
    assert_int_equal(gone(id, JOB_COMPLETED), 6);
    assert_int_equal(gone(id, JOB_FAILED), 2);
    assert_int_equal(gone(id, JOB_CANCELLED), 1);
    struct ev_split split = {.array_index = 9, .new_id = 0}; /* the last one is the record itself */
    lab_must(&l, EV_SPLIT, id, &split);
    assert_int_equal(gone(id, JOB_COMPLETED), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_task_that_failed_is_named),
        TEST(test_cancelled_has_not_failed),
        TEST(test_a_step_that_waits_has_not_begun),
        TEST(test_an_array_keeps_its_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
