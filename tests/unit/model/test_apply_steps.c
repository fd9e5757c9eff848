/* test_apply_steps.c - the fold of step jobs and arrays. */
#include <errno.h>

#include "tests/unit/model/fold.h"

/* --- step jobs --- */

static void test_step_job_life(void **state)
{
    (void)state;
    uint32_t id = step_job(2, false);
    assert_int_equal(lab_get(&l, id)->steps.v[0].tasks.n, 2);
    assert_int_equal(lab_get(&l, id)->steps.v[1].tasks.n, 0);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), -EINVAL);
    assert_int_equal(add_step(id, 2, 1), -EINVAL);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 1, 10)), 0);
    must_be("begun", id, JOB_RUNNING, REASON_NONE);
    assert_int_equal(lab_get(&l, id)->time_limit_s, 3600);
    assert_int_equal(lab_place(&l, id, 0, 1, lab_alloc("n1", 0, 1, 0, 0, 10)),
                     -EINVAL); /* that CPU is taken */
    assert_int_equal(lab_place(&l, id, 1, 0, lab_alloc("n2", 0, 1, 0, 0, 10)), -ENOENT); /* not its turn */
    assert_int_equal(lab_kill(&l, id, 1, KILL_CANCEL, FATE_END), -ENOENT);
    assert_int_equal(lab_end(&l, id, 0, 0, END_EXITED, 0, 0), 0);
    nodes_must_be_empty("between tasks"); /* nothing is held idle */
    must_be("between tasks", id, JOB_RUNNING, REASON_NONE);
    assert_int_equal(lab_place(&l, id, 0, 1, lab_alloc("n1", 0, 1, 0, 0, 10)), 0);
    assert_int_equal(lab_end(&l, id, 0, 1, END_EXITED, 0, 0), 0);
    assert_int_equal(lab_get(&l, id)->steps.v[1].tasks.n, 2);
    place_both(id, 1);
    assert_int_equal(lab_end(&l, id, 1, 1, END_EXITED, 0, 0), 0);
    assert_int_equal(lab_end(&l, id, 1, 0, END_EXITED, 0, 0), 0);
    must_be("ended", id, JOB_COMPLETED, REASON_NONE);
    assert_int_equal(lab_get(&l, id)->launches, 4);
}

/* Each event of a task looked at all tasks of its step: the cost of a step was the square of its tasks. */
static void test_few_tasks_may_be_live(void **state)
{
    (void)state;
    enum { N = 20 };
    struct job *given = lab_job(&l, JOB_KIND_STEPS);
    lab_step(given, "s", N);
    uint32_t id = lab_submit(&l, given);
    const struct step *s = &lab_get(&l, id)->steps.v[0];
    assert_int_equal(step_live_end(s), 0);
    for (uint32_t i = 0; i < N; i++) {
        if (i == N / 2) { /* after a restart */
            struct step *fresh = &lab_get(&l, id)->steps.v[0];
            fresh->n_done_first = fresh->n_waiting_last = 0;
        }
        assert_int_equal(lab_place(&l, id, 0, i, lab_alloc("n1", i % 8, 1, 0, 0, 10)), 0);
        assert_int_equal(step_live_end(s), i + 1);
        if (i)
            assert_int_equal(lab_end(&l, id, 0, i - 1, END_EXITED, 0, 0), 0);
        assert_int_equal(step_live_begin(s), i);
    }
    assert_int_equal(lab_end(&l, id, 0, N - 1, END_EXITED, 0, 0), 0);
    must_be("ended", id, JOB_COMPLETED, REASON_NONE);
}

static void test_step_failure(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum end_kind end;
        int32_t code, sig;
        enum job_state state;
        enum reason reason;
    } rows[] = {
        {"code", END_EXITED, 3, 0, JOB_FAILED, REASON_NON_ZERO_EXIT},
        {"signal", END_SIGNALED, 0, 11, JOB_FAILED, REASON_RAISED_SIGNAL},
        {"memory", END_OOM, 0, 9, JOB_OUT_OF_MEMORY, REASON_OUT_OF_MEMORY},
        {"time", END_TIMEOUT, 0, 15, JOB_TIMEOUT, REASON_TIME_LIMIT},
        {"not started", END_LAUNCH_FAILED, 0, 0, JOB_FAILED, REASON_LAUNCH_FAILURE},
        {"not observed", END_UNKNOWN, 0, 0, JOB_FAILED, REASON_SYSTEM_FAILURE},
        {"reboot", END_NODE_REBOOT, 0, 0, JOB_PENDING, REASON_NONE},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        const char *name = rows[i].name;
        uint32_t id = step_job(2, false);
        place_both(id, 0);
        check_int(name, lab_end(&l, id, 0, 1, rows[i].end, rows[i].code, rows[i].sig), 0);
        must_be(name, id, JOB_COMPLETING, REASON_NONE);
        check_int(name, lab_task(&l, id, 0, 0)->killing, true);
        check_int(name, lab_end(&l, id, 0, 0, END_KILLED, 0, 15), 0);
        must_be(name, id, rows[i].state, rows[i].reason);
        if (rows[i].state == JOB_FAILED && rows[i].end == END_EXITED)
            check_int(name, lab_get(&l, id)->exit_code, 3);
        nodes_must_be_empty(name);
        /* on_failure = "continue" */
        id = step_job(2, true);
        place_both(id, 0);
        check_int(name, lab_end(&l, id, 0, 1, rows[i].end, rows[i].code, rows[i].sig), 0);
        check_int(name, lab_end(&l, id, 0, 0, END_EXITED, 0, 0), 0);
        must_be(name, id, JOB_RUNNING, REASON_NONE);
        place_both(id, 1);
        check_int(name, lab_end(&l, id, 1, 0, END_EXITED, 0, 0), 0);
        check_int(name, lab_end(&l, id, 1, 1, END_EXITED, 0, 0), 0);
        must_be(name, id, JOB_COMPLETED, REASON_NONE);
    }
}

/* Killing the step of a step job while all of its tasks waited left the job running with nothing in it;
 * killed while they ran, the job counted as completed. */
static void test_kill_of_a_declared_step(void **state)
{
    (void)state;
    uint32_t id = step_job(2, false);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_end(&l, id, 0, 0, END_EXITED, 0, 0), 0);
    assert_int_equal(lab_kill(&l, id, 0, KILL_CANCEL, FATE_END), 0);
    must_be("waiting", id, JOB_CANCELLED, REASON_NONE);
    id = step_job(2, false);
    place_both(id, 0);
    assert_int_equal(lab_kill(&l, id, 0, KILL_CANCEL, FATE_END), 0);
    must_be("running", id, JOB_RUNNING, REASON_NONE);
    assert_int_equal(lab_end(&l, id, 0, 0, END_KILLED, 0, 15), 0);
    assert_int_equal(lab_end(&l, id, 0, 1, END_EXITED, 0, 0), 0);
    must_be("killed", id, JOB_CANCELLED, REASON_NONE);
    /* One task had not begun, the other one ended by itself: the next step depends on both. */
    id = step_job(2, false);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_kill(&l, id, 0, KILL_CANCEL, FATE_END), 0);
    assert_int_equal(lab_end(&l, id, 0, 0, END_EXITED, 0, 0), 0);
    must_be("half run", id, JOB_CANCELLED, REASON_NONE);
    id = step_job(2, true);
    place_both(id, 0);
    assert_int_equal(lab_kill(&l, id, 0, KILL_CANCEL, FATE_END), 0);
    assert_int_equal(lab_end(&l, id, 0, 0, END_KILLED, 0, 15), 0);
    assert_int_equal(lab_end(&l, id, 0, 1, END_KILLED, 0, 15), 0);
    must_be("continue", id, JOB_RUNNING, REASON_NONE);
    assert_int_equal(lab_get(&l, id)->steps.v[1].tasks.n, 2);
}

static void test_kill_and_requeue_of_a_step_job(void **state)
{
    (void)state;
    uint32_t id = step_job(2, false);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    must_be("pending", id, JOB_CANCELLED, REASON_NONE);
    id = step_job(2, false);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_REQUEUE, FATE_REQUEUE), 0);
    assert_int_equal(lab_task(&l, id, 0, 1)->end_kind, END_NOT_RUN);
    assert_int_equal(lab_end(&l, id, 0, 0, END_KILLED, 0, 15), 0);
    must_be("requeued", id, JOB_PENDING, REASON_NONE);
    assert_int_equal(lab_get(&l, id)->steps.n, 2); /* declared, not run */
    assert_int_equal(lab_task(&l, id, 0, 1)->state, TASK_WAITING);
    place_both(id, 0);
    assert_int_equal(lab_task(&l, id, 0, 0)->attempt, 2);
}

/* --- arrays --- */

static uint32_t array(uint32_t first, uint32_t last, uint32_t step, uint32_t throttle)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){first, last, step};
    j->req.array_throttle = throttle;
    j->request_id = xstrdup("r");
    return lab_submit(&l, j);
}

static int split(uint32_t job, uint32_t index, uint32_t new_id)
{
    struct ev_split b = {.array_index = index, .new_id = new_id};
    return lab_apply(&l, EV_SPLIT, job, &b);
}

static void id_must_be(const char *row, uint32_t job, const char *want)
{
    char *id = job_format_id(lab_get(&l, job), 0);
    check_str(row, id, want);
    free(id);
}

static void test_array_life(void **state)
{
    (void)state;
    uint32_t id = array(1, 9, 2, 2);
    id_must_be("whole", id, "1_[1,3,5,7,9%2]");
    static const struct {
        const char *name;
        uint32_t index, new_id;
    } wrong[] = {{"between two", 2, 2},       {"beyond", 11, 2},
                 {"without an id", 3, 0},     {"an id that is taken", 3, 1},
                 {"no index", ARRAY_NONE, 2}, {"the last id", 3, UINT32_MAX}};
    for (size_t i = 0; i < N_OF(wrong); i++) {
        check_int(wrong[i].name, split(id, wrong[i].index, wrong[i].new_id), -EINVAL);
        check_int(wrong[i].name,
                  lab_start(&l, id, wrong[i].index, wrong[i].new_id, lab_alloc("n1", 0, 1, 0, 0, 1)),
                  -EINVAL);
    }
    assert_int_equal(lab_start(&l, id, 5, 2, lab_alloc("n1", 0, 1, 0, 0, 1)), 0); /* from the middle */
    id_must_be("two ranges", id, "1_[1,3,7,9%2]");
    id_must_be("the element", 2, "1_5");
    assert_int_equal(job_rare(lab_get(&l, id))->array_pending.n, 2);
    assert_null(lab_get(&l, 2)->rare); /* an element has no box for the ranges, which are the record's */
    assert_int_equal(lab_start(&l, id, 1, 3, lab_alloc("n1", 1, 1, 0, 0, 1)), 0);
    assert_int_equal(split(id, 9, 4), 0);
    id_must_be("ends taken", id, "1_[3,7%2]");
    assert_int_equal(split(id, 5, 5), -EINVAL);        /* gone already */
    assert_string_equal(lab_ids(&l.m.pending), "4 1"); /* what was split off stands in front of the rest */
    assert_ptr_equal(model_get_element(&l.m, id, 5), lab_get(&l, 2));
    assert_ptr_equal(model_get_element(&l.m, id, 3), lab_get(&l, id));
    assert_null(model_get_element(&l.m, id, 4));
    assert_null(lab_get(&l, 2)->request_id); /* the request made the array, not its element */
    assert_ptr_equal(model_get_request(&l.m, "r"), lab_get(&l, id));
    assert_int_equal(split(id, 7, 5), 0);
    /* The last one keeps the array's id. */
    assert_int_equal(split(id, 3, 6), -EINVAL);
    assert_int_equal(lab_start(&l, id, 3, 0, lab_alloc("n1", 2, 1, 0, 0, 1)), 0);
    id_must_be("the last", id, "1_3");
    assert_false(job_is_array_record(lab_get(&l, id)));
    assert_ptr_equal(model_get_element(&l.m, id, 3), lab_get(&l, id));
    assert_string_equal(lab_ids(&l.m.pending), "5 4");
    /* A requeued element stands by its index. */
    assert_int_equal(lab_kill(&l, 2, STEP_ALL, KILL_REQUEUE, FATE_REQUEUE), 0);
    assert_int_equal(lab_end(&l, 2, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
    assert_string_equal(lab_ids(&l.m.pending), "2 5 4");
    assert_int_equal(lab_kill(&l, 4, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    must_be("one cancelled", 4, JOB_CANCELLED, REASON_NONE);
}

static void test_array_cancelled_whole(void **state)
{
    (void)state;
    uint32_t id = array(0, 3, 1, 0);
    assert_int_equal(lab_start(&l, id, 0, 2, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    must_be("the rest", id, JOB_CANCELLED, REASON_NONE);
    id_must_be("the rest", id, "1_[1-3]");
    must_be("the element", 2, JOB_RUNNING, REASON_NONE);
    assert_int_equal(split(id, 1, 3), -EINVAL);
}

static void update_throttle(uint32_t id, uint32_t throttle)
{
    struct ev_update body = {.time_limit_s = DURATION_NOT_SET};
    rec_copy(&job_req_rec, &body.req, &lab_get(&l, id)->req);
    body.req.array_throttle = throttle;
    lab_must(&l, EV_UPDATE, id, &body);
}

/* Elements that wait by themselves too, whichever of them it is asked for. */
static void test_an_array_has_one_throttle(void **state)
{
    (void)state;
    uint32_t id = array(0, 3, 1, 2), other = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_int_equal(split(id, 1, 3), 0);
    assert_int_equal(split(id, 2, 4), 0);
    update_throttle(id, 0);
    assert_int_equal(lab_get(&l, 3)->req.array_throttle, 0);
    assert_int_equal(lab_get(&l, 4)->req.array_throttle, 0);
    update_throttle(4, 7);
    assert_int_equal(lab_get(&l, id)->req.array_throttle, 7);
    assert_int_equal(lab_get(&l, 3)->req.array_throttle, 7);
    assert_int_equal(lab_get(&l, other)->req.array_throttle, 0);
}

/* What is kept of the ends of many ranks: runs of neighbours that ended alike while those are few, then how
 * many ended in which way. The worst one speaks for the task as ever. */
static void test_ends_of_many_ranks(void **state)
{
    (void)state;
    static const struct {
        uint32_t ranks, every; /* of which each so-many-th fails */
        uint32_t entries, failed;
        bool by_code;
    } rows[] = {{64, 2, 64, 32, false},
                {4096, 4096, 2, 1, false},
                {4096, 200, 41, 20, false},
                {4096, 2, 2, 2048, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t id = running_batch();
        assert_int_equal(add_step(id, 0, 1), 0);
        struct ev_place place = {
            .step = 0, .alloc = lab_alloc("n1", 0, 1, 0, 0, 1), .n_ranks = rows[i].ranks};
        assert_int_equal(lab_apply(&l, EV_PLACE, id, &place), 0);
        struct ev_end end = {
            .step = 0, .attempt = lab_task(&l, id, 0, 0)->attempt, .end_kind = END_EXITED, .t_end = l.now};
        for (uint32_t k = 1; k <= rows[i].ranks; k++)
            *(struct rank_end *)rec_list_push(&end.ranks) =
                (struct rank_end){.code = k % rows[i].every ? 0 : 9};
        assert_int_equal(lab_apply(&l, EV_END, id, &end), 0);
        const struct task *t = lab_task(&l, id, 0, 0);
        assert_int_equal(t->ranks.n, rows[i].entries);
        assert_int_equal(t->ends_by_code, rows[i].by_code);
        assert_int_equal(t->code, 9);
        uint32_t all = 0, failed = 0, told = 0;
        for (size_t k = 0; k < t->ranks.n; k++) {
            all += rank_end_count(&t->ranks.v[k]);
            failed += t->ranks.v[k].code ? rank_end_count(&t->ranks.v[k]) : 0;
        }
        for (uint32_t k = 0; k < rows[i].ranks; k++)
            told += task_rank_end(t, k) && task_rank_end(t, k)->code && (k + 1) % rows[i].every == 0;
        assert_int_equal(all, rows[i].ranks);
        assert_int_equal(failed, rows[i].failed);
        assert_int_equal(told, rows[i].by_code ? 0 : rows[i].failed);
        assert_null(task_rank_end(t, rows[i].ranks));
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_step_job_life),
        TEST(test_few_tasks_may_be_live),
        TEST(test_step_failure),
        TEST(test_kill_of_a_declared_step),
        TEST(test_kill_and_requeue_of_a_step_job),
        TEST(test_array_life),
        TEST(test_ends_of_many_ranks),
        TEST(test_array_cancelled_whole),
        TEST(test_an_array_has_one_throttle),
    };
    return cmocka_run_group_tests_name("apply_steps", tests, NULL, NULL);
}
