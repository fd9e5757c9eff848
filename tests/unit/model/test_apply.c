/* test_apply.c - the fold, kind by kind: what an event changes, and in which states it is refused. That a
 * refused event changes nothing is checked by tests/lib/lab.c each time. */
#include "tests/lib/lab.h"

#include <errno.h>

#include "src/base/units.h"
#include "src/base/xalloc.h"

static struct lab l;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 8, 16000, 2, NULL);
    lab_node(&l, "n2", 8, 16000, 2, NULL);
    lab_part(&l, "main", "n[1-2]");
    lab_configure(&l);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lab_fini(&l);
    return 0;
}

/* A batch job that runs on CPUs of n1, and its script with it. */
static uint32_t running_batch(void)
{
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    unsigned first = (unsigned)cpuset_count(&model_get_node(&l.m, "n1")->cpus_used);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", first, 2, 0, 0, 100)), 0);
    assert_int_equal(lab_running(&l, id, STEP_BATCH, 0), 0);
    return id;
}

/* srun in a job: a step with `tasks` waiting tasks. */
static int add_step(uint32_t job, int32_t id, uint32_t tasks)
{
    struct ev_step b = {.step = {.id = id, .name = xstrdup("srun"), .n_ranks = tasks}};
    for (uint32_t i = 0; i < tasks; i++) {
        struct task *t = rec_list_push(&b.step.tasks);
        t->index = i;
    }
    return lab_apply(&l, EV_STEP, job, &b);
}

/* A step job of so many steps of two tasks each. */
static uint32_t step_job(unsigned steps, bool keep_going)
{
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    for (unsigned i = 0; i < steps; i++)
        lab_step(j, "s", 2)->keep_going = keep_going;
    return lab_submit(&l, j);
}

static void place_both(uint32_t id, int32_t step)
{
    assert_int_equal(lab_place(&l, id, step, 0, lab_alloc("n1", 0, 1, 0, 1, 10)), 0);
    assert_int_equal(lab_place(&l, id, step, 1, lab_alloc("n2", 0, 1, 0, 1, 10)), 0);
    assert_int_equal(lab_running(&l, id, step, 0), 0);
    assert_int_equal(lab_running(&l, id, step, 1), 0);
}

static void must_be(const char *row, uint32_t id, enum job_state state, enum reason reason)
{
    const struct job *j = lab_get(&l, id);
    check_str(row, job_state_long(j->state), job_state_long(state));
    check_str(row, reason_slurm(j->reason), reason_slurm(reason));
}

static void nodes_must_be_empty(const char *row)
{
    for (size_t i = 0; i < l.m.n_nodes; i++)
        check_int(row, l.m.nodes[i]->n_jobs, 0);
}

/* --- which event in which state --- */

enum at { PENDING, RUNNING, COMPLETING, ENDED, N_AT };

static uint32_t job_at(enum at at)
{
    uint32_t id;
    switch (at) {
    case PENDING: return lab_submit_kind(&l, JOB_KIND_BATCH);
    case RUNNING: return running_batch();
    case COMPLETING:
        id = running_batch();
        assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
        return id;
    case ENDED:
        id = running_batch();
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
        return id;
    case N_AT: break;
    }
    fail();
    return 0;
}

static int send(enum event_kind kind, uint32_t id)
{
    struct ev_update update = {.time_limit_s = 60};
    struct ev_signal sig = {.step = STEP_ALL, .signal = 10};
    struct ev_split split = {.array_index = 0, .new_id = l.m.next_job};
    struct ev_complete complete = {0};
    struct ev_eligible eligible = {.dep_met = true};
    struct ev_suspend suspend = {.on = true};
    struct ev_none none = {0};
    switch (kind) {
    case EV_START: return lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n2", 0, 1, 0, 0, 1));
    case EV_SPLIT: return lab_apply(&l, kind, id, &split);
    case EV_STEP: return add_step(id, 0, 1);
    case EV_PLACE: return lab_place(&l, id, STEP_BATCH, 0, lab_alloc("n2", 0, 1, 0, 0, 1));
    case EV_RUNNING: return lab_running(&l, id, STEP_BATCH, 0);
    case EV_END: return lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15);
    case EV_KILL: return lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END);
    case EV_SIGNAL: return lab_apply(&l, kind, id, &sig);
    case EV_HOLD: return lab_hold(&l, id, HOLD_USER);
    case EV_REQUEUE: return lab_requeue(&l, id, false);
    case EV_UPDATE:
        rec_copy(&job_req_rec, &update.req, &lab_get(&l, id)->req);
        return lab_apply(&l, kind, id, &update);
    case EV_COMPLETE: return lab_apply(&l, kind, id, &complete);
    case EV_RETIRE: return lab_apply(&l, kind, id, &none);
    case EV_ELIGIBLE: return lab_apply(&l, kind, id, &eligible);
    case EV_SUSPEND: return lab_apply(&l, kind, id, &suspend);
    case EV_WINDOW:
    case EV_PREEMPT:
    case EV_USAGE:
    case EV_EPOCH:
    case EV_CONFIG:
    case EV_NODE:
    case EV_DRAIN:
    case EV_NOTE:
    case EV_SUBMIT:
    case EV_N_KINDS: break;
    }
    fail();
    return 0;
}

static void test_each_event_in_each_state(void **state)
{
    (void)state;
    static const struct {
        enum event_kind kind;
        bool fits[N_AT];
    } rows[] = {
        {EV_START, {[PENDING] = true}},
        {EV_SPLIT, {false}}, /* no array */
        {EV_STEP, {[RUNNING] = true}},
        {EV_PLACE, {false}},   /* the batch task has its place from the start */
        {EV_RUNNING, {false}}, /* it runs already */
        {EV_END, {[RUNNING] = true, [COMPLETING] = true}},
        {EV_KILL, {[PENDING] = true, [RUNNING] = true}},
        {EV_SIGNAL, {true, true, true, true}},
        {EV_HOLD, {[PENDING] = true}},
        {EV_REQUEUE, {[ENDED] = true}},
        {EV_UPDATE, {[PENDING] = true, [RUNNING] = true, [COMPLETING] = true}},
        {EV_COMPLETE, {false}}, /* not interactive */
        {EV_RETIRE, {[ENDED] = true}},
        {EV_ELIGIBLE, {[PENDING] = true}},
        {EV_SUSPEND, {[RUNNING] = true}},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        for (enum at at = 0; at < N_AT; at++) {
            tear_down(NULL);
            set_up(NULL);
            uint32_t id = job_at(at);
            const char *before = job_state_long(lab_get(&l, id)->state);
            bool fits = send(rows[i].kind, id) == 0;
            if (fits != rows[i].fits[at])
                fail_msg("%s on a job that is %s: %s", event_name(rows[i].kind), before,
                         fits ? "folded" : "refused");
        }
}

static int pause(uint32_t id, bool on, int64_t at_s)
{
    struct ev_suspend b = {.on = on};
    l.now = wall_add_s((struct wall){.ms = 0}, at_s);
    return lab_apply(&l, EV_SUSPEND, id, &b);
}

/* The time of a pause is none of the job's; what it holds stays with it. */
static void test_suspend(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    const struct job *j = lab_get(&l, id);
    int64_t t0 = j->t_start.ms / MS_PER_S;
    struct wall later = wall_add_s(j->t_start, 1000);
    assert_int_equal(pause(id, false, t0 + 90), -EINVAL); /* it runs */
    assert_int_equal(pause(id, true, t0 + 100), 0);
    assert_int_equal(j->state, JOB_SUSPENDED);
    assert_true(j->holding);
    uint32_t before = job_run_s(j, later);
    assert_true(before >= 99 && before <= 102);
    assert_int_equal(pause(id, true, t0 + 200), -EINVAL);
    assert_int_equal(pause(id, false, t0 + 400), 0);
    assert_int_equal(j->state, JOB_RUNNING);
    assert_in_range(j->suspended_ms, 299000, 302000);
    assert_in_range(job_run_s(j, later), 697, 702);
    /* Its script ends while it is stopped: a kill from outside does that. */
    assert_int_equal(pause(id, true, t0 + 500), 0);
    l.now = wall_add_s(j->t_start, 600);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_REQUEUE), 0);
    assert_int_equal(j->state, JOB_COMPLETING);
    assert_in_range(j->suspended_ms, 398000, 403000);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
    must_be("put back", id, JOB_PENDING, REASON_NONE);
    assert_int_equal(j->suspended_ms, 0);
    struct job *steps = lab_job(&l, JOB_KIND_STEPS);
    lab_step(steps, "a", 1);
    uint32_t step_job = lab_submit(&l, steps);
    assert_int_equal(lab_place(&l, step_job, 0, 0, lab_alloc("n2", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_get(&l, step_job)->state, JOB_RUNNING);
    assert_int_equal(pause(step_job, true, t0 + 900), -EINVAL);
}

static void test_nobodys_events(void **state)
{
    (void)state;
    for (enum event_kind k = EV_START; k < EV_N_KINDS; k++) {
        struct event ev = {.seq = l.m.seq + 1, .kind = k, .job = 77};
        check_int(event_name(k), model_apply(&l.m, &ev), -EINVAL); /* no body */
        const struct rec_desc *d = event_body_rec(k);
        ev.body = xcalloc(1, d->size);
        bool of_jobs = k != EV_WINDOW && k != EV_USAGE; /* those say nothing of one job */
        if (of_jobs)
            check_int(event_name(k), model_apply(&l.m, &ev), -ENOENT);
        event_fini(&ev);
    }
    struct ev_none none = {0};
    struct event ev = {.seq = 9, .kind = EV_N_KINDS, .job = 0, .body = &none};
    assert_int_equal(model_apply(&l.m, &ev), -ENOENT);
}

/* --- submission --- */

static void test_submissions_that_do_not_fit(void **state)
{
    (void)state;
    uint32_t there = lab_submit_kind(&l, JOB_KIND_BATCH);
    enum {
        OTHER_ID,
        NO_ID,
        LAST_ID,
        TAKEN,
        RUNS,
        HOLDS,
        STARTED,
        STEPLESS,
        STEPS_OF_BATCH,
        STEP_NUMBER,
        TASKS,
        NO_TASKS,
        DONE_STEP,
        ARRAY_OF_STEPS,
        NO_STEP,
        BACKWARDS,
        FAR_ARRAY,
        ELEMENT,
        KIND,
        HOLD,
        KILLED,
        N
    };
    static const char *const names[N] = {[OTHER_ID] = "other id",
                                         [NO_ID] = "no id",
                                         [LAST_ID] = "last id",
                                         [TAKEN] = "id taken",
                                         [RUNS] = "runs",
                                         [HOLDS] = "holds something",
                                         [STARTED] = "has started",
                                         [STEPLESS] = "step job without steps",
                                         [STEPS_OF_BATCH] = "batch job with steps",
                                         [STEP_NUMBER] = "step number",
                                         [TASKS] = "tasks that run",
                                         [NO_TASKS] = "no tasks",
                                         [DONE_STEP] = "step done",
                                         [ARRAY_OF_STEPS] = "array of step jobs",
                                         [NO_STEP] = "range without a step",
                                         [BACKWARDS] = "range backwards",
                                         [FAR_ARRAY] = "another job's array",
                                         [ELEMENT] = "an element",
                                         [KIND] = "kind",
                                         [HOLD] = "hold",
                                         [KILLED] = "killed"};
    for (int i = 0; i < N; i++) {
        bool steps = i == STEPLESS || (i >= STEP_NUMBER && i <= ARRAY_OF_STEPS);
        struct job *j = lab_job(&l, steps ? JOB_KIND_STEPS : JOB_KIND_BATCH);
        struct step *s = i == STEPS_OF_BATCH || (steps && i != STEPLESS) ? lab_step(j, "s", 1) : NULL;
        uint32_t about = j->id = i == NO_ID     ? 0
                                 : i == LAST_ID ? UINT32_MAX
                                 : i == TAKEN   ? there
                                                : l.m.next_job;
        switch (i) {
        case OTHER_ID: about++; break;
        case RUNS: j->state = JOB_RUNNING; break;
        case HOLDS: *rec_list_push(&j->alloc) = lab_alloc("n1", 0, 1, 0, 0, 1); break;
        case STARTED: j->t_start.ms = 1; break;
        case STEP_NUMBER: s->id = 5; break;
        case TASKS: {
            struct task *t = rec_list_push(&s->tasks);
            t->state = TASK_LAUNCHING;
            break;
        }
        case NO_TASKS: s->n_tasks = 0; break;
        case DONE_STEP: s->done = true; break;
        case ARRAY_OF_STEPS:
        case NO_STEP:
        case BACKWARDS:
        case FAR_ARRAY:
            j->array_job = i == FAR_ARRAY ? there : j->id;
            *rec_list_push(&j->array_pending) =
                (struct index_range){4, i == BACKWARDS ? 2 : 6, i == NO_STEP ? 0 : 2};
            break;
        case ELEMENT: j->array_index = 3; break;
        case KIND: j->kind = 3; break;
        case HOLD: j->hold = 3; break;
        case KILLED: j->kill_cause = KILL_CANCEL; break;
        default: break;
        }
        check_int(names[i], lab_apply(&l, EV_SUBMIT, about, j), i == TAKEN ? -EEXIST : -EINVAL);
        free(j);
    }
}

/* --- start, and what nodes carry --- */

static void test_start(void **state)
{
    (void)state;
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 2, 3, 1, 1, 500)), 0);
    const struct job *j = lab_get(&l, id);
    assert_int_equal(j->state, JOB_RUNNING);
    assert_int_equal(j->t_start.ms, l.now.ms);
    assert_int_equal(j->time_limit_s, 3600);
    assert_true(j->holding);
    const struct task *t = lab_task(&l, id, STEP_BATCH, 0);
    assert_int_equal(t->state, TASK_LAUNCHING);
    assert_int_equal(t->attempt, 1);
    assert_string_equal(t->alloc.node, "n1");
    const struct node *n = model_get_node(&l.m, "n1");
    assert_int_equal(cpuset_count(&n->cpus_used), 3);
    assert_true(cpuset_has(&n->gpus_used, 1));
    assert_int_equal(n->mem_used_mib, 500);
    assert_int_equal(lab_running(&l, id, STEP_BATCH, 0), 0);
    assert_int_equal(lab_task(&l, id, STEP_BATCH, 0)->pid, 4242);
}

static void test_what_is_taken_is_not_given_again(void **state)
{
    (void)state;
    assert_int_equal(
        lab_start(&l, lab_submit_kind(&l, JOB_KIND_BATCH), ARRAY_NONE, 0, lab_alloc("n1", 0, 4, 0, 1, 100)),
        0);
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 3, 2, 0, 0, 1)), -EINVAL);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 4, 2, 0, 1, 1)), -EINVAL);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("", 4, 2, 0, 0, 1)), -EINVAL);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 4, 2, 0, 0, UINT64_MAX)), -EINVAL);
    struct ev_start none = {.array_index = ARRAY_NONE};
    assert_int_equal(lab_apply(&l, EV_START, id, &none), -EINVAL);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 4, 2, 1, 1, 1)), 0);
}

/* An exclusive start that was refused for its second node left the first one held whole. */
static void test_whole_nodes(void **state)
{
    (void)state;
    uint32_t small = lab_submit_kind(&l, JOB_KIND_BATCH), wide = 0;
    assert_int_equal(lab_start(&l, small, ARRAY_NONE, 0, lab_alloc("n2", 0, 1, 0, 0, 1)), 0);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.exclusive = true;
    wide = lab_submit(&l, j);
    struct ev_start both = {.array_index = ARRAY_NONE};
    *rec_list_push(&both.alloc) = lab_alloc("n1", 0, 8, 0, 2, 16000);
    *rec_list_push(&both.alloc) = lab_alloc("n2", 1, 7, 0, 2, 15000);
    assert_int_equal(lab_apply(&l, EV_START, wide, &both), -EINVAL);
    assert_false(model_get_node(&l.m, "n1")->exclusive);
    assert_int_equal(lab_start(&l, wide, ARRAY_NONE, 0, lab_alloc("n1", 0, 8, 0, 2, 16000)), 0);
    assert_true(model_get_node(&l.m, "n1")->exclusive);
    uint32_t other = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_int_equal(lab_start(&l, other, ARRAY_NONE, 0, lab_alloc("n1", 9, 1, 0, 0, 0)), -EINVAL);
    assert_int_equal(lab_end(&l, wide, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    assert_false(model_get_node(&l.m, "n1")->exclusive);
}

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
    assert_int_equal(lab_get(&l, id)->derived_code, 3);
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
    assert_int_equal(lab_get(&l, id)->derived_code, 137);
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
        {"nobody saw it", END_UNKNOWN, 0, 0, JOB_FAILED, REASON_SYSTEM_FAILURE},
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
        check_int(rows[i].name, lab_get(&l, id)->kill_grace_s, 30);
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
    j->req.requeue = 2;
    id = lab_submit(&l, j);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_NODE_REBOOT, 0, 0), 0);
    must_be("--no-requeue", id, JOB_NODE_FAIL, REASON_NODE_DOWN);
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
    b.req.nice = 5;
    assert_int_equal(lab_apply(&l, EV_UPDATE, id, &b), 0);
    assert_string_equal(lab_get(&l, id)->partition, "main");
    assert_int_equal(lab_get(&l, id)->req.nice, 5);
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
        {"nobody saw it", END_UNKNOWN, 0, 0, JOB_FAILED, REASON_SYSTEM_FAILURE},
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
    *rec_list_push(&j->array_pending) = (struct index_range){first, last, step};
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
    assert_int_equal(lab_get(&l, id)->array_pending.n, 2);
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

/* --- nodes, configuration, epoch --- */

static void test_epoch(void **state)
{
    (void)state;
    struct ev_epoch b = {.uuid = xstrdup("u"), .epoch = 3, .next_job = 100};
    lab_must(&l, EV_EPOCH, 0, &b);
    b = (struct ev_epoch){.uuid = xstrdup("v"), .epoch = 2, .next_job = 200};
    assert_int_equal(lab_apply(&l, EV_EPOCH, 0, &b), -EINVAL);
    b = (struct ev_epoch){.uuid = xstrdup("u"), .epoch = 4, .next_job = 50};
    lab_must(&l, EV_EPOCH, 0, &b);
    assert_int_equal(l.m.next_job, 100); /* ids only go up */
    assert_int_equal(lab_submit_kind(&l, JOB_KIND_BATCH), 100);
}

static void test_node_figures(void **state)
{
    (void)state;
    struct node_spec *spec = lab_node(&l, "n3", 0, 0, UINT32_MAX, NULL);
    spec->mem_mib = 4000;
    lab_configure(&l);
    const struct node *n = model_get_node(&l.m, "n3");
    assert_int_equal(n->cpus, 0);
    struct ev_node b = {.node = xstrdup("n3"),
                        .state = NODE_UP,
                        .boot_id = xstrdup("b1"),
                        .cpus = 16,
                        .gpus = 4,
                        .mem_mib = 9000,
                        .gpu_type = xstrdup("a100")};
    lab_must(&l, EV_NODE, 0, &b);
    assert_int_equal(n->cpus, 16);
    assert_int_equal(n->gpus, 4);
    assert_int_equal(n->mem_mib, 4000); /* the configuration's word counts */
    assert_string_equal(n->gpu_type, "a100");
    b = (struct ev_node){.node = xstrdup("n3"), .state = NODE_LOST};
    lab_must(&l, EV_NODE, 0, &b);
    assert_int_equal(n->cpus, 16); /* reachability alone */
    assert_int_equal(n->t_state.ms, l.now.ms);
    b = (struct ev_node){.node = xstrdup("n3"), .state = NODE_N_STATES};
    assert_int_equal(lab_apply(&l, EV_NODE, 0, &b), -EINVAL);
    b = (struct ev_node){.node = NULL, .state = NODE_UP};
    assert_int_equal(lab_apply(&l, EV_NODE, 0, &b), -ENOENT);
    struct ev_drain d = {
        .node = xstrdup("n3"), .drain = true, .reason = xstrdup("fan"), .user = xstrdup("root")};
    lab_must(&l, EV_DRAIN, 0, &d);
    assert_string_equal(n->drain_reason, "fan");
    d = (struct ev_drain){.node = xstrdup("n3"), .reason = xstrdup("mended")};
    lab_must(&l, EV_DRAIN, 0, &d);
    assert_null(n->drain_reason);
    assert_false(wall_is_set(n->t_drain));
    d = (struct ev_drain){.node = xstrdup("n9"), .drain = true};
    assert_int_equal(lab_apply(&l, EV_DRAIN, 0, &d), -ENOENT);
}

static void test_node_leaves_the_configuration(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    struct cluster_spec spec;
    rec_copy(&cluster_spec_rec, &spec, &l.spec);
    rec_fini(&node_spec_rec, &spec.nodes.v[0]);
    memmove(&spec.nodes.v[0], &spec.nodes.v[1], sizeof spec.nodes.v[0]);
    spec.nodes.n = 1;
    lab_must(&l, EV_CONFIG, 0, &spec);
    assert_int_equal(l.m.n_nodes, 2);
    assert_string_equal(l.m.nodes[0]->spec.name, "n2"); /* those that are gone stand behind */
    assert_true(model_get_node(&l.m, "n1")->gone);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    assert_null(model_get_node(&l.m, "n1"));
    lab_configure(&l);
    assert_string_equal(l.m.nodes[0]->spec.name, "n1");
    /* A job on a node that nobody knows: carried, then forgotten. */
    id = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n7", 0, 1, 0, 0, 1)), 0);
    assert_true(model_get_node(&l.m, "n7")->gone);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    assert_null(model_get_node(&l.m, "n7"));
}

static void test_bad_configurations(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct cluster_spec spec;
        rec_copy(&cluster_spec_rec, &spec, &l.spec);
        char **name = i < 2 ? &spec.nodes.v[1].name : &spec.parts.v[0].name;
        if (i == 3) {
            spec.parts.v[0].state = PART_INACTIVE + 1;
        } else {
            free(*name);
            *name = i == 0 ? xstrdup("n1") : NULL;
        }
        assert_int_equal(lab_apply(&l, EV_CONFIG, 0, &spec), -EINVAL);
    }
}

static void test_retire(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    struct ev_none none = {0};
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    lab_must(&l, EV_RETIRE, id, &none);
    assert_null(model_get_job(&l.m, id));
    assert_int_equal(l.m.n_ended, 0);
    assert_int_equal(lab_submit_kind(&l, JOB_KIND_BATCH), id + 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_suspend),
        TEST(test_nobodys_events),
        TEST(test_submissions_that_do_not_fit),
        TEST(test_each_event_in_each_state),
        TEST(test_start),
        TEST(test_what_is_taken_is_not_given_again),
        TEST(test_whole_nodes),
        TEST(test_batch_life),
        TEST(test_outcomes_of_a_script),
        TEST(test_worst_rank_speaks_for_its_task),
        TEST(test_kill_causes),
        TEST(test_kill_while_pending_and_launching),
        TEST(test_real_end_wins_over_a_later_kill),
        TEST(test_kill_of_one_step),
        TEST(test_bad_exit_kills_its_step),
        TEST(test_requeue),
        TEST(test_requeued_job_waits_where_it_asked_to),
        TEST(test_node_reboot_requeues_five_times),
        TEST(test_cancel_keeps_a_job_from_coming_back),
        TEST(test_hold_and_release),
        TEST(test_update),
        TEST(test_interactive_life),
        TEST(test_step_job_life),
        TEST(test_step_failure),
        TEST(test_kill_of_a_declared_step),
        TEST(test_kill_and_requeue_of_a_step_job),
        TEST(test_array_life),
        TEST(test_array_cancelled_whole),
        TEST(test_epoch),
        TEST(test_node_figures),
        TEST(test_node_leaves_the_configuration),
        TEST(test_bad_configurations),
        TEST(test_retire),
    };
    return cmocka_run_group_tests_name("apply", tests, NULL, NULL);
}
