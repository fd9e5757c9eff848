/* test_apply_life.c - the fold of one job from its start to its end: outcomes, kills, requeue, holds. */
#include <errno.h>

#include "src/model/runs.h"
#include "tests/unit/model/fold.h"

/* --- a batch job's life --- */

static void test_batch_life(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    assert_int_equal(add_step(id, 0, 2), 0);
    assert_int_equal(add_step(id, 0, 1), -EEXIST);
    assert_int_equal(add_step(id, 1, 0), -EINVAL);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), -EINVAL);
    assert_int_equal(lab_place(&l, id, 0, 7, lab_alloc("n1", 0, 1, 0, 0, 1)), -ENOENT);
    assert_int_equal(lab_place(&l, id, 0, 1, lab_alloc("n1", 1, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_task(&l, id, 0, 1)->attempt, 3);
    assert_int_equal(lab_end(&l, id, 0, 0, END_EXITED, 0, 0), 0);
    assert_false(job_find_step(lab_get(&l, id), 0)->done);
    assert_int_equal(lab_end(&l, id, 0, 1, END_EXITED, 3, 0), 0);
    assert_true(job_find_step(lab_get(&l, id), 0)->done);
    assert_int_equal(job_rare(lab_get(&l, id))->derived_code, 3);
    assert_int_equal(lab_end(&l, id, 0, 1, END_EXITED, 3, 0), -EINVAL); /* once is enough */
    /* One step outlives the script: the job is completing until it has gone. */
    assert_int_equal(add_step(id, 1, 2), 0);
    assert_int_equal(lab_place(&l, id, 1, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    must_be("script ended", id, JOB_COMPLETING, REASON_NONE);
    assert_true(lab_task(&l, id, 1, 0)->killing);
    assert_int_equal(lab_task(&l, id, 1, 1)->end_kind, END_NOT_RUN);
    assert_int_equal(add_step(id, 2, 1), -EINVAL);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), -EALREADY);
    assert_int_equal(lab_end(&l, id, 1, 0, END_KILLED, 0, 9), 0);
    must_be("all ended", id, JOB_COMPLETED, REASON_NONE);
    assert_int_equal(job_rare(lab_get(&l, id))->derived_code, 137);
    nodes_must_be_empty("all ended");
    assert_string_equal(lab_ids(&l.m.ended), "1");
}

static void test_outcomes_of_a_script(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum end_kind end;
        int32_t code, sig;
        enum job_state state;
        enum reason reason;
    } rows[] = {
        {"success", END_EXITED, 0, 0, JOB_COMPLETED, REASON_NONE},
        {"code", END_EXITED, 3, 0, JOB_FAILED, REASON_NON_ZERO_EXIT},
        {"signal", END_SIGNALED, 0, 11, JOB_FAILED, REASON_RAISED_SIGNAL},
        {"memory", END_OOM, 0, 9, JOB_OUT_OF_MEMORY, REASON_OUT_OF_MEMORY},
        {"time", END_TIMEOUT, 0, 15, JOB_TIMEOUT, REASON_TIME_LIMIT},
        {"not started", END_LAUNCH_FAILED, 0, 0, JOB_FAILED, REASON_LAUNCH_FAILURE},
        {"not observed", END_UNKNOWN, 0, 0, JOB_FAILED, REASON_SYSTEM_FAILURE},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t id = running_batch();
        check_int(rows[i].name, lab_end(&l, id, STEP_BATCH, 0, rows[i].end, rows[i].code, rows[i].sig), 0);
        must_be(rows[i].name, id, rows[i].state, rows[i].reason);
        check_int(rows[i].name, wall_is_set(lab_get(&l, id)->t_end), true);
        nodes_must_be_empty(rows[i].name);
    }
    uint32_t id = running_batch();
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_NONE, 0, 0), -EINVAL);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_N_KINDS, 0, 0), -EINVAL);
    struct ev_end old = {.step = STEP_BATCH, .attempt = 7, .end_kind = END_EXITED};
    assert_int_equal(lab_apply(&l, EV_END, id, &old), -ENOENT);
}

static void test_worst_rank_speaks_for_its_task(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    struct ev_end b = {.step = STEP_BATCH, .attempt = 1, .end_kind = END_SIGNALED, .t_end = l.now};
    *rec_list_push(&b.ranks) = (struct rank_end){.code = 130};
    *rec_list_push(&b.ranks) = (struct rank_end){.signal = 9};
    *rec_list_push(&b.ranks) = (struct rank_end){.code = 2};
    assert_int_equal(lab_apply(&l, EV_END, id, &b), 0);
    assert_int_equal(lab_get(&l, id)->exit_signal, 9);
    assert_int_equal(lab_get(&l, id)->exit_code, 0);
}

/* --- kills --- */

static void test_kill_causes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum kill_cause cause;
        enum job_state state;
        enum reason reason;
    } rows[] = {
        {"cancel", KILL_CANCEL, JOB_CANCELLED, REASON_NONE},
        {"time limit", KILL_TIMEOUT, JOB_TIMEOUT, REASON_TIME_LIMIT},
        {"preemption", KILL_PREEMPT, JOB_PREEMPTED, REASON_NONE},
        {"memory", KILL_OOM, JOB_OUT_OF_MEMORY, REASON_OUT_OF_MEMORY},
        {"deadline", KILL_DEADLINE, JOB_DEADLINE, REASON_DEADLINE},
        {"terminal", KILL_OWNER_GONE, JOB_CANCELLED, REASON_NONE},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t id = running_batch();
        check_int(rows[i].name, lab_kill(&l, id, STEP_ALL, rows[i].cause, FATE_END), 0);
        must_be(rows[i].name, id, JOB_COMPLETING, REASON_NONE);
        check_int(rows[i].name, job_rare(lab_get(&l, id))->kill_grace_s, 30);
        check_int(rows[i].name, lab_task(&l, id, STEP_BATCH, 0)->killing, true);
        check_int(rows[i].name, lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
        must_be(rows[i].name, id, rows[i].state, rows[i].reason);
        nodes_must_be_empty(rows[i].name);
    }
    uint32_t id = running_batch();
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_NONE, FATE_END), -EINVAL);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_N_CAUSES, FATE_END), -EINVAL);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, (enum job_fate)3), -EINVAL);
    assert_int_equal(lab_kill(&l, id, STEP_BATCH, KILL_CANCEL, FATE_END), -ENOENT);
    assert_int_equal(lab_kill(&l, id, 0, KILL_CANCEL, FATE_END), -ENOENT);
}

static void test_kill_while_pending_and_launching(void **state)
{
    (void)state;
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_REQUEUE), -EINVAL);
    assert_int_equal(lab_kill(&l, id, 0, KILL_CANCEL, FATE_END), -EINVAL);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    must_be("pending", id, JOB_CANCELLED, REASON_NONE);
    assert_int_equal(lab_requeue(&l, id, false), -EINVAL); /* it never ran */
    id = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    must_be("launching", id, JOB_COMPLETING, REASON_NONE);
    assert_int_equal(lab_running(&l, id, STEP_BATCH, 0), 0); /* the node was faster */
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
    must_be("launching", id, JOB_CANCELLED, REASON_NONE);
}

static void test_real_end_wins_over_a_later_kill(void **state)
{
    (void)state;
    for (enum job_fate fate = FATE_END; fate <= FATE_REQUEUE_HOLD; fate++)
        for (int32_t code = 0; code < 2; code++) {
            uint32_t id = running_batch();
            assert_int_equal(lab_kill(&l, id, STEP_ALL, fate ? KILL_REQUEUE : KILL_CANCEL, fate), 0);
            assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, code, 0), 0);
            must_be("batch", id, code ? JOB_FAILED : JOB_COMPLETED,
                    code ? REASON_NON_ZERO_EXIT : REASON_NONE);
        }
    uint32_t id = step_job(1, false);
    place_both(id, 0);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    assert_int_equal(lab_end(&l, id, 0, 0, END_EXITED, 0, 0), 0);
    assert_int_equal(lab_end(&l, id, 0, 1, END_EXITED, 0, 0), 0);
    must_be("steps", id, JOB_COMPLETED, REASON_NONE);
}

static void test_kill_of_one_step(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    assert_int_equal(add_step(id, 0, 2), 0);
    assert_int_equal(lab_kill(&l, id, 0, KILL_CANCEL, FATE_END), 0);
    assert_true(job_find_step(lab_get(&l, id), 0)->done); /* nothing of it ran */
    assert_int_equal(lab_kill(&l, id, 0, KILL_CANCEL, FATE_END), -ENOENT);
    must_be("goes on", id, JOB_RUNNING, REASON_NONE);
    assert_int_equal(add_step(id, 1, 2), 0);
    assert_int_equal(lab_place(&l, id, 1, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_kill(&l, id, 1, KILL_CANCEL, FATE_END), 0);
    assert_false(job_find_step(lab_get(&l, id), 1)->done);
    assert_int_equal(lab_end(&l, id, 1, 0, END_KILLED, 0, 15), 0);
    assert_true(job_find_step(lab_get(&l, id), 1)->done);
    assert_int_equal(job_find_step(lab_get(&l, id), 1)->signal, 15);
    must_be("goes on", id, JOB_RUNNING, REASON_NONE);
}

static void test_bad_exit_kills_its_step(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    assert_int_equal(add_step(id, 0, 3), 0);
    job_find_step(lab_get(&l, id), 0)->kill_on_bad_exit = true;
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_place(&l, id, 0, 1, lab_alloc("n1", 1, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_end(&l, id, 0, 0, END_EXITED, 1, 0), 0);
    assert_true(lab_task(&l, id, 0, 1)->killing);
    assert_int_equal(lab_task(&l, id, 0, 2)->end_kind, END_NOT_RUN);
    assert_int_equal(lab_end(&l, id, 0, 1, END_KILLED, 0, 15), 0);
    assert_true(job_find_step(lab_get(&l, id), 0)->done);
}

/* --- requeue --- */

static void test_requeue(void **state)
{
    (void)state;
    for (int hold = 0; hold < 2; hold++) {
        uint32_t id = running_batch();
        assert_int_equal(add_step(id, 0, 1), 0);
        assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_REQUEUE, hold ? FATE_REQUEUE_HOLD : FATE_REQUEUE),
                         0);
        must_be("being requeued", id, JOB_COMPLETING, REASON_NONE);
        assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_REQUEUE, FATE_REQUEUE), -EALREADY);
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
        must_be("requeued", id, JOB_PENDING, hold ? REASON_HELD_USER : REASON_NONE);
        const struct job *j = lab_get(&l, id);
        assert_int_equal(j->hold, hold ? HOLD_USER : HOLD_NONE);
        assert_int_equal(j->restarts, 1);
        assert_int_equal(j->steps.n, 0);
        assert_int_equal(j->alloc.n, 0);
        assert_int_equal(j->next_step, 0);
        assert_int_equal(j->kill_cause, KILL_NONE);
        assert_false(wall_is_set(j->t_start));
        nodes_must_be_empty("requeued");
        /* It runs again: the attempts go on counting. */
        assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
        assert_int_equal(lab_task(&l, id, STEP_BATCH, 0)->attempt, 2);
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
        assert_int_equal(lab_requeue(&l, id, hold), 0);
        must_be("requeued after its end", id, JOB_PENDING, hold ? REASON_HELD_USER : REASON_NONE);
        assert_int_equal(lab_get(&l, id)->restarts, 2);
    }
}

/* One more run of the job; its end is the caller's. */
static void run_again(uint32_t id)
{
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
}

static void test_runs_are_kept(void **state)
{
    (void)state;
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    const struct job *j = lab_get(&l, id);
    assert_int_equal(runs_count(j), 1);
    run_again(id);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_REQUEUE, FATE_REQUEUE), 0);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
    run_again(id);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_PREEMPT, FATE_REQUEUE), 0);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
    run_again(id);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_NODE_REBOOT, 0, 0), 0);
    run_again(id);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 3, 0), 0);
    assert_int_equal(lab_requeue(&l, id, false), 0);
    run_again(id);
    static const struct {
        enum job_state state;
        bool requeued;
        int code;
    } want[] = {{JOB_CANCELLED, true, 0},
                {JOB_PREEMPTED, false, 0},
                {JOB_NODE_FAIL, false, 0},
                {JOB_FAILED, false, 3},
                {JOB_RUNNING, false, 0}};
    assert_int_equal(runs_count(j), 5);
    for (uint32_t k = 0; k < 5; k++) {
        struct run_record record, next;
        const struct job *r = run_get(j, k, &record);
        check_int("state", r->state, want[k].state);
        check_int("requeued", run_was_requeued(r), want[k].requeued);
        check_int("code", r->exit_code, want[k].code);
        check_int("restarts", r->restarts, k);
        check_int("nodes", (int)r->alloc.n, 1);
        check_int("steps", (int)r->steps.n, 1);
        assert_true(wall_is_set(r->t_start) && r->t_submit.ms <= r->t_start.ms);
        assert_true(k == 4 ||
                    (r->t_end.ms >= r->t_start.ms && run_get(j, k + 1, &next)->t_submit.ms >= r->t_end.ms));
    }
}

static void test_runs_are_bounded(void **state)
{
    (void)state;
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    const struct job *j = lab_get(&l, id);
    struct run_record record;
    for (uint32_t i = 0; i <= RUNS_MAX; i++) {
        run_again(id);
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, (int32_t)i, 0), 0);
        assert_int_equal(lab_requeue(&l, id, false), 0);
    }
    assert_int_equal(runs_count(j), RUNS_MAX + 1);
    assert_int_equal(run_get(j, 0, &record)->exit_code, 1); /* that of 0 has been forgotten */
    assert_int_equal(run_get(j, 0, &record)->restarts, 1);
    assert_int_equal(run_get(j, RUNS_MAX, &record)->restarts, RUNS_MAX + 1);
    /* Tasks are bounded over all runs: the newest keep theirs. */
    struct job *wide = lab_job(&l, JOB_KIND_STEPS);
    struct step *s = rec_list_push(&wide->steps);
    s->n_tasks = RUN_TASKS_MAX / 2;
    s->time_limit_s = DURATION_NOT_SET;
    id = lab_submit(&l, wide);
    j = lab_get(&l, id);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
        assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_REQUEUE, FATE_REQUEUE), 0);
        assert_int_equal(lab_end(&l, id, 0, 0, END_KILLED, 0, 15), 0);
    }
    assert_int_equal(runs_count(j), 4);
    check_int("steps of the oldest", (int)run_get(j, 0, &record)->steps.n, 0);
    check_int("steps of the newest", (int)run_get(j, 2, &record)->steps.n, 1);
    check_int("tasks of the newest", (int)run_get(j, 2, &record)->steps.v[0].tasks.n, RUN_TASKS_MAX / 2);
}

static void test_requeued_job_waits_where_it_asked_to(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("fast,main");
    j->partition = xstrdup("fast");
    uint32_t id = lab_submit(&l, j);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_string_equal(lab_get(&l, id)->partition, "main");
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_REQUEUE, FATE_REQUEUE), 0);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
    assert_string_equal(lab_get(&l, id)->partition, "fast");
}

static void test_node_reboot_requeues_five_times(void **state)
{
    (void)state;
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    for (unsigned i = 1; i <= 5; i++) {
        assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_NODE_REBOOT, 0, 0), 0);
        must_be("after a reboot", id, JOB_PENDING, i < 5 ? REASON_NONE : REASON_HELD_REQUEUE);
        assert_int_equal(lab_get(&l, id)->restarts, i);
        assert_int_equal(lab_get(&l, id)->hold, i < 5 ? HOLD_NONE : HOLD_USER);
    }
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    req_detail_mut(&j->req)->requeue = 2;
    id = lab_submit(&l, j);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_NODE_REBOOT, 0, 0), 0);
    must_be("--no-requeue", id, JOB_NODE_FAIL, REASON_NODE_DOWN);
}

static void lose_node(uint32_t id)
{
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_NODE_REBOOT, 0, 0), 0);
}

static void give_back(uint32_t id, enum kill_cause cause)
{
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, cause, FATE_REQUEUE), 0);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
}

/* One loss of its node held a job that had been queued again four times for other reasons. */
static void test_only_losses_of_the_node_hold_a_job(void **state)
{
    (void)state;
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    for (int i = 0; i < 3; i++) {
        give_back(id, KILL_REQUEUE);
        give_back(id, KILL_PREEMPT);
    }
    lose_node(id);
    must_be("one loss", id, JOB_PENDING, REASON_NONE);
    give_back(id, KILL_PREEMPT);
    for (int i = 0; i < 3; i++)
        lose_node(id);
    must_be("four losses, a preemption between them", id, JOB_PENDING, REASON_NONE);
    give_back(id, KILL_REQUEUE);
    for (int i = 0; i < 4; i++)
        lose_node(id);
    must_be("four more after a user's requeue", id, JOB_PENDING, REASON_NONE);
    lose_node(id);
    must_be("five", id, JOB_PENDING, REASON_HELD_REQUEUE);
    assert_int_equal(lab_hold(&l, id, HOLD_NONE), 0);
    for (int i = 0; i < 4; i++)
        lose_node(id);
    must_be("four after a release", id, JOB_PENDING, REASON_NONE);
    lose_node(id);
    must_be("five after a release", id, JOB_PENDING, REASON_HELD_REQUEUE);
}

static int end_at(uint32_t id, int32_t step, uint32_t task, struct wall t_end)
{
    struct ev_end body = {.step = step,
                          .task = task,
                          .attempt = lab_task(&l, id, step, task)->attempt,
                          .end_kind = END_EXITED,
                          .t_end = t_end};
    *rec_list_push(&body.ranks) = (struct rank_end){0};
    return lab_apply(&l, EV_END, id, &body);
}

/* A step ended when the controller heard of it, which may be hours later. */
static void test_step_ends_when_its_last_task_did(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    assert_int_equal(add_step(id, 0, 2), 0);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_place(&l, id, 0, 1, lab_alloc("n1", 1, 1, 0, 0, 1)), 0);
    struct wall first = wall_add_s(l.now, 10), second = wall_add_s(l.now, 20);
    l.now = wall_add_s(l.now, 3600);
    assert_int_equal(end_at(id, 0, 1, second), 0);
    assert_int_equal(end_at(id, 0, 0, first), 0);
    assert_int_equal(job_find_step(lab_get(&l, id), 0)->t_end.ms, second.ms);
    /* A node's time that does not lie in the step's is not believed. */
    assert_int_equal(end_at(id, STEP_BATCH, 0, (struct wall){.ms = 1}), 0);
    assert_int_equal(job_find_step(lab_get(&l, id), STEP_BATCH)->t_end.ms, l.now.ms);
}

/* A suspension reached a job whose script had ended before, on a node that was out of reach: the time from
 * the suspension to the report was taken off the time that it ran. */
static void test_pause_after_the_end_is_none(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    const struct job *j = lab_get(&l, id);
    struct wall end = wall_add_s(j->t_start, 100);
    struct ev_suspend b = {.on = true};
    l.now = wall_add_s(j->t_start, 200);
    assert_int_equal(lab_apply(&l, EV_SUSPEND, id, &b), 0);
    l.now = wall_add_s(j->t_start, 290);
    assert_int_equal(end_at(id, STEP_BATCH, 0, end), 0);
    must_be("ended", id, JOB_COMPLETED, REASON_NONE);
    assert_int_equal(job_rare(j)->suspended_ms, 0);
    assert_int_equal(job_run_s(j, l.now), 100);
}

/* A job whose node rebooted went back to the queue although it was cancelled while its other node still
 * cleaned up. */
static void test_cancel_keeps_a_job_from_coming_back(void **state)
{
    (void)state;
    for (int how = 0; how < 2; how++) {
        uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
        struct ev_start b = {.array_index = ARRAY_NONE, .time_limit_s = 60};
        *rec_list_push(&b.alloc) = lab_alloc("n1", 0, 1, 0, 0, 1);
        *rec_list_push(&b.alloc) = lab_alloc("n2", 0, 1, 0, 0, 1);
        assert_int_equal(lab_apply(&l, EV_START, id, &b), 0);
        assert_int_equal(add_step(id, 0, 1), 0);
        assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n2", 0, 1, 0, 0, 1)), 0);
        if (how == 0) {
            assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_NODE_REBOOT, 0, 0), 0);
        } else {
            assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_REQUEUE, FATE_REQUEUE), 0);
            assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
        }
        must_be("completing", id, JOB_COMPLETING, REASON_NONE);
        assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
        assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), -EALREADY);
        assert_int_equal(lab_end(&l, id, 0, 0, END_KILLED, 0, 15), 0);
        must_be("cancelled", id, JOB_CANCELLED, REASON_NONE);
    }
}

/* A cancel of a preempted job had no effect until the grace time of the preemption was over. */
static void test_cancel_in_the_grace_of_a_preemption(void **state)
{
    (void)state;
    static const enum job_fate fates[] = {FATE_END, FATE_REQUEUE};
    for (size_t i = 0; i < 2; i++) {
        uint32_t id = running_batch();
        assert_int_equal(add_step(id, 0, 1), 0);
        assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
        struct ev_kill preempt = {
            .step = STEP_ALL, .cause = KILL_PREEMPT, .grace_s = 120, .fate = fates[i], .by_job = 7};
        assert_int_equal(lab_apply(&l, EV_KILL, id, &preempt), 0);
        assert_true(job_is_in_grace(lab_get(&l, id)));
        struct ev_kill cancel = {.step = STEP_ALL, .cause = KILL_CANCEL, .uid = 5, .grace_s = 30};
        assert_int_equal(lab_apply(&l, EV_KILL, id, &cancel), 0);
        const struct job *j = lab_get(&l, id);
        assert_false(job_is_in_grace(j));
        assert_int_equal(j->kill_cause, KILL_CANCEL);
        assert_int_equal(j->fate, FATE_END);
        assert_int_equal(job_rare(j)->kill_uid, 5);
        assert_int_equal(job_rare(j)->kill_grace_s, 30);
        assert_int_equal(job_rare(j)->preempted_by, 7);
        assert_int_equal(job_find_step(j, 0)->kill_cause, KILL_CANCEL);
        /* Once more has no effect; at once has. A longer grace time never has. */
        cancel = (struct ev_kill){.step = STEP_ALL, .cause = KILL_CANCEL, .grace_s = 300};
        assert_int_equal(lab_apply(&l, EV_KILL, id, &cancel), -EALREADY);
        cancel = (struct ev_kill){.step = STEP_ALL, .cause = KILL_CANCEL, .uid = 6};
        assert_int_equal(lab_apply(&l, EV_KILL, id, &cancel), 0);
        assert_int_equal(job_rare(j)->kill_grace_s, 0);
        assert_int_equal(job_rare(j)->kill_uid, 5);
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 9), 0);
        assert_int_equal(lab_end(&l, id, 0, 0, END_KILLED, 0, 9), 0);
        must_be("cancelled", id, JOB_CANCELLED, REASON_NONE);
        assert_int_equal(lab_get(&l, id)->restarts, 0);
    }
}

/* A cancel in the last seconds of a grace time must not make it longer. */
static void test_cancel_never_delays(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    struct ev_kill preempt = {.step = STEP_ALL, .cause = KILL_PREEMPT, .grace_s = 40};
    assert_int_equal(lab_apply(&l, EV_KILL, id, &preempt), 0);
    l.now.ms += 30 * MS_PER_S;
    struct ev_kill cancel = {.step = STEP_ALL, .cause = KILL_CANCEL, .grace_s = 30};
    assert_int_equal(lab_apply(&l, EV_KILL, id, &cancel), 0);
    assert_in_range(job_rare(lab_get(&l, id))->kill_grace_s, 8, 10);
    /* A job over its limit stays that, however it is hurried. */
    id = running_batch();
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_TIMEOUT, FATE_END), 0);
    struct ev_kill now = {.step = STEP_ALL, .cause = KILL_CANCEL};
    assert_int_equal(lab_apply(&l, EV_KILL, id, &now), 0);
    assert_int_equal(lab_get(&l, id)->kill_cause, KILL_TIMEOUT);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_TIMEOUT, 0, 9), 0);
    must_be("over its limit", id, JOB_TIMEOUT, REASON_TIME_LIMIT);
}

/* --- holds, updates --- */

static void test_hold_and_release(void **state)
{
    (void)state;
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    int64_t eligible = lab_get(&l, id)->t_eligible.ms;
    assert_int_equal(lab_hold(&l, id, HOLD_NONE), 0); /* nothing to release: its age stays */
    assert_int_equal(lab_get(&l, id)->t_eligible.ms, eligible);
    assert_int_equal(lab_hold(&l, id, HOLD_USER), 0);
    must_be("user", id, JOB_PENDING, REASON_HELD_USER);
    assert_int_equal(lab_hold(&l, id, HOLD_ADMIN), 0);
    must_be("admin", id, JOB_PENDING, REASON_HELD_ADMIN);
    assert_int_equal(lab_hold(&l, id, (enum job_hold)3), -EINVAL);
    assert_int_equal(lab_hold(&l, id, HOLD_NONE), 0);
    must_be("released", id, JOB_PENDING, REASON_NONE);
    assert_int_equal(lab_get(&l, id)->t_eligible.ms, l.now.ms);
}

/* An update of a job without a partition of its own took away the one it had. */
static void test_update(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->partition = xstrdup("main");
    uint32_t id = lab_submit(&l, j);
    struct ev_update b = {.time_limit_s = DURATION_NOT_SET};
    rec_copy(&job_req_rec, &b.req, &lab_get(&l, id)->req);
    req_detail_mut(&b.req)->nice = 5;
    assert_int_equal(lab_apply(&l, EV_UPDATE, id, &b), 0);
    assert_string_equal(lab_get(&l, id)->partition, "main");
    assert_int_equal(req_detail(&lab_get(&l, id)->req)->nice, 5);
    rec_copy(&job_req_rec, &b.req, &lab_get(&l, id)->req);
    b.req.partition = xstrdup("other,main");
    b.time_limit_s = 600;
    assert_int_equal(lab_apply(&l, EV_UPDATE, id, &b), 0);
    assert_string_equal(lab_get(&l, id)->partition, "other");
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    rec_copy(&job_req_rec, &b.req, &lab_get(&l, id)->req);
    b.time_limit_s = 7200;
    assert_int_equal(lab_apply(&l, EV_UPDATE, id, &b), 0);
    assert_int_equal(lab_get(&l, id)->time_limit_s, 7200);
    assert_string_equal(lab_get(&l, id)->partition, "main"); /* where it runs */
}

/* --- interactive jobs --- */

static int complete(uint32_t id, int32_t code)
{
    struct ev_complete b = {.code = code};
    return lab_apply(&l, EV_COMPLETE, id, &b);
}

static void test_interactive_life(void **state)
{
    (void)state;
    uint32_t id = lab_submit_kind(&l, JOB_KIND_INTERACTIVE);
    assert_int_equal(complete(id, 0), -EINVAL);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 2, 0, 0, 1)), 0);
    assert_int_equal(lab_get(&l, id)->steps.n, 0); /* its script is a terminal */
    assert_int_equal(add_step(id, 0, 1), 0);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_end(&l, id, 0, 0, END_EXITED, 1, 0), 0);
    must_be("a step failed", id, JOB_RUNNING, REASON_NONE);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_REQUEUE, FATE_REQUEUE), -EINVAL);
    assert_int_equal(complete(id, 2), 0);
    must_be("terminal done", id, JOB_FAILED, REASON_NON_ZERO_EXIT);
    assert_int_equal(lab_requeue(&l, id, false), -EINVAL);
    nodes_must_be_empty("terminal done");
    id = lab_submit_kind(&l, JOB_KIND_INTERACTIVE);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 2, 0, 0, 1)), 0);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_OWNER_GONE, FATE_END), 0);
    must_be("nothing ran in it", id, JOB_CANCELLED, REASON_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_batch_life),
        TEST(test_outcomes_of_a_script),
        TEST(test_worst_rank_speaks_for_its_task),
        TEST(test_kill_causes),
        TEST(test_kill_while_pending_and_launching),
        TEST(test_real_end_wins_over_a_later_kill),
        TEST(test_kill_of_one_step),
        TEST(test_bad_exit_kills_its_step),
        TEST(test_requeue),
        TEST(test_runs_are_kept),
        TEST(test_runs_are_bounded),
        TEST(test_requeued_job_waits_where_it_asked_to),
        TEST(test_node_reboot_requeues_five_times),
        TEST(test_only_losses_of_the_node_hold_a_job),
        TEST(test_step_ends_when_its_last_task_did),
        TEST(test_pause_after_the_end_is_none),
        TEST(test_cancel_keeps_a_job_from_coming_back),
        TEST(test_cancel_in_the_grace_of_a_preemption),
        TEST(test_cancel_never_delays),
        TEST(test_hold_and_release),
        TEST(test_update),
        TEST(test_interactive_life),
    };
    return cmocka_run_group_tests_name("apply_life", tests, NULL, NULL);
}
