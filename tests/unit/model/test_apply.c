/* test_apply.c - the fold, kind by kind: what an event changes, and in which states it is refused. That a
 * refused event changes nothing is checked by tests/lib/lab.c each time. */
#include <errno.h>

#include "src/model/fold/apply_taking.h"
#include "tests/unit/model/fold.h"

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
    struct ev_unplace unplace = {.step = STEP_BATCH, .attempt = 1};
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
    case EV_UNPLACE: return lab_apply(&l, kind, id, &unplace);
    case EV_JOB_ROW:
    case EV_JOB_GONE:
    case EV_NODE_ROW:
    case EV_UNKNOWN:
    case EV_AVOID:
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
        {EV_UNPLACE, {false}}, /* no step job */
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
    assert_in_range(job_rare(j)->suspended_ms, 299000, 302000);
    assert_in_range(job_run_s(j, later), 697, 702);
    /* Its script ends while it is stopped: a kill from outside does that. */
    assert_int_equal(pause(id, true, t0 + 500), 0);
    l.now = wall_add_s(j->t_start, 600);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_REQUEUE), 0);
    assert_int_equal(j->state, JOB_COMPLETING);
    assert_in_range(job_rare(j)->suspended_ms, 398000, 403000);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
    must_be("put back", id, JOB_PENDING, REASON_NONE);
    assert_int_equal(job_rare(j)->suspended_ms, 0);
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
        /* Those say nothing of one job, or need not know it. */
        bool of_jobs = k != EV_WINDOW && k != EV_USAGE && k != EV_JOB_ROW && k != EV_NODE_ROW;
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
            *rec_list_push(&job_rare_mut(j)->array_pending) =
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

/* What is moved into the state is what would have been copied; what is refused stays with its caller. */
static void test_a_submission_is_taken(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_STEPS), copy;
    lab_step(j, "s", 2);
    job_origin_mut(j)->group = xstrdup("staff");
    j->id = l.m.next_job;
    j->partition = xstrdup("main");
    rec_copy(&job_rec, &copy, j);
    struct event ev = {.seq = l.m.seq + 1, .t = l.now, .kind = EV_SUBMIT, .job = j->id, .body = j};
    assert_int_equal(model_apply_taking(&l.m, &ev), 0);
    assert_null(j->req.name);
    assert_null(j->origin);
    assert_int_equal(j->steps.n, 0);
    const struct job *taken = lab_get(&l, ev.job);
    struct job expected;
    rec_copy(&job_rec, &expected, taken);
    assert_int_equal(expected.steps.v[0].tasks.n, 2); /* its first step has begun */
    rec_list_free(&task_rec, &expected.steps.v[0].tasks);
    assert_true(rec_eq(&job_rec, &expected, &copy));
    assert_int_equal(l.m.seq, ev.seq);
    uint64_t rejected = l.m.n_rejected;
    ev.body = &copy;
    assert_int_equal(model_apply_taking(&l.m, &ev), -EEXIST);
    assert_int_equal(l.m.n_rejected, rejected + 1);
    assert_string_equal(copy.req.name, "work");
    rec_fini(&job_rec, &expected);
    rec_fini(&job_rec, &copy);
    free(j);
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
    req_detail_mut(&j->req)->exclusive = true;
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

/* --- rows --- */

static int tell(enum event_kind kind, uint32_t job, const struct rec_desc *d, const void *row)
{
    void *body = xcalloc(1, d->size);
    rec_copy(d, body, row);
    int r = lab_apply(&l, kind, job, body);
    free(body);
    return r;
}

static void test_rows_that_do_not_fit(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    struct job row = *lab_get(&l, id);
    struct index_range bad = {.first = 1, .last = 4, .step = 0};
    assert_int_equal(tell(EV_JOB_ROW, id + 1, &job_rec, &row), -EINVAL);
    row.state = JOB_N_STATES;
    assert_int_equal(tell(EV_JOB_ROW, id, &job_rec, &row), -EINVAL);
    row.state = JOB_COMPLETED; /* and holds something */
    assert_int_equal(tell(EV_JOB_ROW, id, &job_rec, &row), -EINVAL);
    row = *lab_get(&l, id);
    row.array_job = id;
    struct job_rare rare = *job_rare(&row);
    rare.array_pending.v = &bad; /* whose elements cannot be counted */
    rare.array_pending.n = 1;
    row.rare = &rare;
    assert_int_equal(tell(EV_JOB_ROW, id, &job_rec, &row), -EINVAL);
    struct node n = *model_get_node(&l.m, "n1");
    n.state = NODE_N_STATES;
    assert_int_equal(tell(EV_NODE_ROW, 0, &node_rec, &n), -EINVAL);
    n = *model_get_node(&l.m, "n1");
    n.gpus = CPUSET_MAX + 1;
    assert_int_equal(tell(EV_NODE_ROW, 0, &node_rec, &n), -EINVAL);
    n = *model_get_node(&l.m, "n1");
    n.spec.name = NULL;
    assert_int_equal(tell(EV_NODE_ROW, 0, &node_rec, &n), -EINVAL);
    struct ev_none none = {0};
    assert_int_equal(lab_apply(&l, EV_JOB_GONE, id + 1, &none), -ENOENT);
}

/* A row is believed whatever came before, and the job stays where it is in memory and in its lists. */
static void test_row_takes_the_place_of_its_job(void **state)
{
    (void)state;
    uint32_t first = lab_submit_kind(&l, JOB_KIND_BATCH), second = lab_submit_kind(&l, JOB_KIND_BATCH);
    struct job *j = lab_get(&l, first), row;
    rec_copy(&job_rec, &row, j); /* what *j owns is freed by the first row */
    xstrset(&row.request_id, "mine");
    row.priority = 77;
    assert_int_equal(tell(EV_JOB_ROW, first, &job_rec, &row), 0);
    assert_ptr_equal(lab_get(&l, first), j);
    assert_ptr_equal(model_get_request(&l.m, "mine"), j);
    assert_int_equal(j->priority, 77);
    check_str("both wait", lab_ids(&l.m.pending), "1 2");
    xstrset(&row.request_id, NULL);
    row.state = JOB_CANCELLED;
    assert_int_equal(tell(EV_JOB_ROW, first, &job_rec, &row), 0);
    assert_null(model_get_request(&l.m, "mine"));
    check_str("one has ended", lab_ids(&l.m.ended), "1");
    struct ev_none none = {0};
    assert_int_equal(lab_apply(&l, EV_JOB_GONE, second, &none), 0); /* though it has not ended */
    assert_null(model_get_job(&l.m, second));
    row.id = 9;
    assert_int_equal(tell(EV_JOB_ROW, 9, &job_rec, &row), 0);
    check_str("one is new", lab_ids(&l.m.ended), "1 9");
    rec_fini(&job_rec, &row);
}

static void test_node_rows(void **state)
{
    (void)state;
    uint64_t avoids = l.m.n_avoids;
    struct node n = *model_get_node(&l.m, "n2");
    struct node_avoid avoid = {.uid = 1000};
    char name[] = "n7";
    n.drain = true;
    n.avoids.v = &avoid;
    n.avoids.n = 1;
    assert_int_equal(tell(EV_NODE_ROW, 0, &node_rec, &n), 0);
    assert_true(model_get_node(&l.m, "n2")->drain);
    assert_true(l.m.n_avoids > avoids);
    n.spec.name = name;
    assert_int_equal(tell(EV_NODE_ROW, 0, &node_rec, &n), 0);
    assert_int_equal(l.m.n_nodes, 3);
    n.gone = true; /* and nothing runs there */
    assert_int_equal(tell(EV_NODE_ROW, 0, &node_rec, &n), 0);
    assert_int_equal(l.m.n_nodes, 2);
    assert_int_equal(tell(EV_NODE_ROW, 0, &node_rec, &n), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_suspend),
        TEST(test_rows_that_do_not_fit),
        TEST(test_row_takes_the_place_of_its_job),
        TEST(test_node_rows),
        TEST(test_nobodys_events),
        TEST(test_submissions_that_do_not_fit),
        TEST(test_a_submission_is_taken),
        TEST(test_each_event_in_each_state),
        TEST(test_start),
        TEST(test_what_is_taken_is_not_given_again),
        TEST(test_whole_nodes),
    };
    return cmocka_run_group_tests_name("apply", tests, NULL, NULL);
}
