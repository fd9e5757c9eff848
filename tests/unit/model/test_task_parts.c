/* test_task_parts.c - the fold of tasks over several nodes. */
#include "src/model/task_parts.h"

#include <errno.h>

#include "src/model/stepstate.h"
#include "tests/unit/model/fold.h"

static uint32_t wide_job(uint32_t tasks, bool keep_going)
{
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    struct step *s = lab_step(j, "s", tasks);
    s->nodes = 2;
    s->n_ranks = 3;
    s->keep_going = keep_going;
    return lab_submit(&l, j);
}

static const struct step *step_of(uint32_t id)
{
    return &lab_get(&l, id)->steps.v[0];
}

/* On n1 and n2, each from that CPU on. */
static int place(uint32_t id, uint32_t task, unsigned cpu)
{
    struct ev_place body = {.task = task, .alloc = lab_alloc("n1", cpu, 1, 0, 0, 10), .time_limit_s = 3600};
    *rec_list_push(&body.more) = lab_alloc("n2", cpu, 1, 0, 0, 10);
    return lab_apply(&l, EV_PLACE, id, &body);
}

static int end(uint32_t id, uint32_t at, enum end_kind kind, int32_t code)
{
    const struct task *t = &step_of(id)->tasks.v[at];
    struct ev_end body = {.task = t->index, .attempt = t->attempt, .end_kind = kind, .t_end = l.now};
    *rec_list_push(&body.ranks) = (struct rank_end){.code = code};
    return lab_apply(&l, EV_END, id, &body);
}

static int unplace(uint32_t id, uint32_t at)
{
    const struct task *t = &step_of(id)->tasks.v[at];
    struct ev_unplace body = {.task = t->index, .attempt = t->attempt};
    return lab_apply(&l, EV_UNPLACE, id, &body);
}

static void check_state(const char *row)
{
    struct errtext err = {""};
    check_int(row, model_check(&l.m, &err), 0);
    check_str(row, err.s, "");
}

static void test_all_nodes_or_none(void **state)
{
    (void)state;
    uint32_t id = wide_job(2, false);
    const struct step *s = step_of(id);
    assert_int_equal(s->tasks.n, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(s->tasks.v[i].index, i / 2);
        assert_int_equal(s->tasks.v[i].part, i % 2);
        assert_int_equal(s->tasks.v[i].rank_base, i % 2 * 3);
    }
    assert_ptr_equal(step_find_task(s, 1), &s->tasks.v[2]);
    assert_null(step_find_task(s, 2));
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 10)), -EINVAL);
    assert_int_equal(place(id, 0, 0), 0);
    assert_int_equal(place(id, 1, 0), -EINVAL); /* those CPUs are taken */
    struct ev_place half = {.task = 1, .alloc = lab_alloc("n1", 1, 1, 0, 0, 10)};
    *rec_list_push(&half.more) = lab_alloc("n2", 0, 1, 0, 0, 10);
    assert_int_equal(lab_apply(&l, EV_PLACE, id, &half), -EINVAL);
    assert_int_equal(model_get_node(&l.m, "n1")->n_jobs, 1);
    check_state("one of two placed");
    assert_int_equal(step_live_end(step_of(id)), 2);
    assert_ptr_equal(step_find_attempt(step_of(id), 0, 2), &step_of(id)->tasks.v[1]);
    assert_ptr_equal(task_parts_find_rank(step_of(id), 0, 4), &step_of(id)->tasks.v[1]);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(task_part_is_listed(&step_of(id)->tasks.v[i]),
                         i < 3); /* the second waits: one row */
    char *nodes = task_parts_node_list(step_of(id), 0);
    assert_string_equal(nodes, "n[1-2]");
    free(nodes);
    struct step_tally c = step_count(step_of(id));
    assert_int_equal(c.n, 2);
    assert_int_equal(c.live, 1);
    assert_int_equal(c.waiting, 1);
}

static void test_one_end(void **state)
{
    static const struct {
        const char *name;
        enum end_kind first, second;
        int32_t code[2];
        bool other_is_ended; /* with the first end */
        enum job_state becomes;
        int32_t exit_code;
    } rows[] = {
        {"all is well", END_EXITED, END_EXITED, {0, 0}, false, JOB_COMPLETED, 0},
        {"the first is the worst", END_EXITED, END_EXITED, {7, 3}, false, JOB_FAILED, 7},
        {"the second is the worst", END_EXITED, END_EXITED, {3, 7}, false, JOB_FAILED, 7},
        {"one fails", END_EXITED, END_EXITED, {0, 2}, false, JOB_FAILED, 2},
        {"a node runs out of memory", END_OOM, END_KILLED, {0, 0}, true, JOB_OUT_OF_MEMORY, 0},
        {"a node cannot start it", END_LAUNCH_FAILED, END_KILLED, {0, 0}, true, JOB_FAILED, 0},
        {"a node is lost", END_NODE_REBOOT, END_KILLED, {0, 0}, true, JOB_PENDING, 0},
        {"a node is lost, and the other sees it first",
         END_EXITED,
         END_NODE_REBOOT,
         {1, 0},
         false,
         JOB_PENDING,
         0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t id = wide_job(1, false);
        check_int(rows[i].name, place(id, 0, 0), 0);
        check_int(rows[i].name, end(id, 0, rows[i].first, rows[i].code[0]), 0);
        must_be(rows[i].name, id, JOB_RUNNING, REASON_NONE);
        check_int(rows[i].name, step_of(id)->tasks.v[1].killing, rows[i].other_is_ended);
        check_state(rows[i].name);
        check_int(rows[i].name, end(id, 1, rows[i].second, rows[i].code[1]), 0);
        check_int(rows[i].name, lab_get(&l, id)->state, rows[i].becomes);
        check_int(rows[i].name, lab_get(&l, id)->exit_code, rows[i].exit_code);
        check_int(rows[i].name, job_nodes(lab_get(&l, id)), 2); /* asked for: none is held */
        nodes_must_be_empty(rows[i].name);
        check_state(rows[i].name);
    }
}

static void test_a_node_that_does_not_begin(void **state)
{
    (void)state;
    for (uint32_t refused = 0; refused < 2; refused++) {
        uint32_t id = wide_job(2, false), other = 1 - refused;
        assert_int_equal(place(id, 0, 0), 0);
        assert_int_equal(unplace(id, refused), 0);
        assert_true(step_of(id)->tasks.v[other].killing);
        assert_int_equal(step_of(id)->tasks.v[refused].state, TASK_DONE);
        assert_int_equal(unplace(id, refused), -EINVAL);
        check_state("one has not begun");
        assert_int_equal(place(id, 0, 1), -EINVAL);
        assert_int_equal(end(id, other, END_KILLED, 0), 0);
        must_be("waits again", id, JOB_RUNNING, REASON_NONE);
        assert_false(task_part_is_listed(&step_of(id)->tasks.v[1]));
        nodes_must_be_empty("waits again");
        check_state("waits again");
        assert_int_equal(place(id, 0, 0), 0);
        assert_int_equal(step_of(id)->tasks.v[0].attempt, 3);
        for (uint32_t at = 0; at < 2; at++)
            assert_int_equal(end(id, at, END_EXITED, 0), 0);
        assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    }
}

static void test_cancelled_while_a_node_does_not_begin(void **state)
{
    (void)state;
    uint32_t id = wide_job(1, false);
    assert_int_equal(place(id, 0, 0), 0);
    assert_int_equal(unplace(id, 1), 0);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    must_be("cancelled", id, JOB_COMPLETING, REASON_NONE);
    assert_int_equal(end(id, 0, END_KILLED, 0), 0);
    must_be("cancelled", id, JOB_CANCELLED, REASON_NONE);
    check_state("cancelled");
}

static void test_one_task_of_several_is_ended(void **state)
{
    (void)state;
    uint32_t id = wide_job(2, true);
    struct ev_kill body = {.step = 0, .cause = KILL_STEP_FAILED, .task = 1};
    assert_int_equal(lab_apply(&l, EV_KILL, id, &(struct ev_kill){.cause = KILL_STEP_FAILED, .task = 1}),
                     -EINVAL);
    assert_int_equal(place(id, 0, 0), 0);
    assert_int_equal(place(id, 1, 1), 0);
    assert_int_equal(lab_apply(&l, EV_KILL, id, &body), 0);
    for (uint32_t at = 0; at < 4; at++)
        assert_int_equal(step_of(id)->tasks.v[at].killing, at < 2);
    for (uint32_t at = 0; at < 4; at++)
        assert_int_equal(end(id, at, at < 2 ? END_KILLED : END_EXITED, 0), 0);
    assert_true(step_of(id)->done);
    check_state("ended");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_all_nodes_or_none),
        TEST(test_one_end),
        TEST(test_a_node_that_does_not_begin),
        TEST(test_cancelled_while_a_node_does_not_begin),
        TEST(test_one_task_of_several_is_ended),
    };
    return cmocka_run_group_tests_name("task_parts", tests, NULL, NULL);
}
