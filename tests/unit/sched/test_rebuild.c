/* test_rebuild.c - everything is read again in pieces: the same is decided as at once, questions in between
 * have their answers, and what happens meanwhile is not lost. Twelve nodes, a queue that does not fit. */
#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "tests/lib/sched_fixture.h"

#define NODES 12
#define JOBS  80

static uint64_t rnd;

static int set_up(void **state)
{
    (void)state;
    rnd = check_seed();
    sched_fixture_begin();
    for (uint32_t i = 1; i <= NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        lab_node(&l, name, 8, 16000, i % 3, NULL);
    }
    lab_part(&l, "main", "n[1-12]");
    struct part_spec *low = lab_part(&l, "low", "n[1-12]");
    low->preempt_mode = PREEMPT_REQUEUE;
    l.spec.parts.v[0].priority_tier = 2;
    l.spec.reservations = 2;
    lab_configure(&l);
    return 0;
}

static uint32_t any(uint32_t n)
{
    return (uint32_t)(check_rand(&rnd) % n);
}

static uint32_t submit(void)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup(any(3) ? "main" : "low");
    j->req.cpus_per_task = 1 + any(8);
    j->req.gpus_per_node = any(4) ? 0 : 1;
    j->req.mem_node_mib = 500;
    j->req.time_limit_s = 60 * (1 + any(60));
    if (!any(8))
        *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 3, 1};
    uint32_t id = lab_submit(&l, j);
    planner_note_job(planner, id);
    return id;
}

static void fill(void)
{
    for (int i = 0; i < JOBS; i++)
        submit();
    cycle_resume();
    cycle_resume();
    assert_false(list_empty(&l.m.active));
}

/* One piece; true: all is read. */
static bool piece(uint32_t n)
{
    struct sched_view v = lab_view(&l);
    return planner_prepare(planner, &v, l.now, n);
}

static void describe(const struct sched_result *r, struct str *out)
{
    vec_for_each (&r->starts, i)
        str_appendf(out, "start %u on %s\n", r->starts.v[i].job, r->starts.v[i].start.alloc.v[0].node);
    vec_for_each (&r->preempts, i)
        str_appendf(out, "%u goes for %u\n", r->preempts.v[i].job, r->preempts.v[i].by_job);
    str_append(out, ".");
}

/* What one that reads all at once would do, and what this one does. */
static void must_decide_the_same(void)
{
    struct sched_view v = lab_view(&l);
    struct sched_result r;
    struct str want = STR_INIT, got = STR_INIT;
    sched_result_init(&r);
    sched_cycle_once(&v, l.now, &r);
    describe(&r, &want);
    sched_result_fini(&r);
    sched_result_init(&r);
    planner_cycle(planner, &v, l.now, &r);
    describe(&r, &got);
    assert_string_equal(got.s, want.s);
    lab_fold_cycle(&l, planner, &r);
    sched_result_fini(&r);
    str_fini(&want);
    str_fini(&got);
}

static uint32_t first_active(void)
{
    return list_first(&l.m.active, struct job, in_queue)->id;
}

static void end_one(void)
{
    uint32_t id = first_active();
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    planner_note_job(planner, id);
}

static void test_pieces_make_the_same(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 400; n = n * 3 + 1) {
        fill();
        planner_note_all(planner);
        int pieces = 1;
        while (!piece(n))
            pieces++;
        assert_true(n > 100 || pieces > 10);
        must_decide_the_same();
        while (planner_is_reading(planner) || !piece(n))
            ;
    }
}

static void test_what_happens_meanwhile(void **state)
{
    (void)state;
    fill();
    planner_note_all(planner);
    for (int i = 0; !piece(7); i++) {
        if (i % 50 == 10)
            end_one();
        if (i % 50 == 30)
            submit();
        if (i == 60) { /* from the beginning once more */
            planner_note_all(planner);
            assert_false(piece(7));
        }
        if (i == 200) {
            struct ev_drain drain = {.node = xstrdup("n3"), .drain = true, .reason = xstrdup("fan")};
            lab_must(&l, EV_DRAIN, 0, &drain);
            planner_note_nodes(planner);
        }
    }
    must_decide_the_same();
}

/* No job is told that it waits for nothing; what could ever run is known, what would start now is not. */
static void test_questions_meanwhile(void **state)
{
    (void)state;
    fill();
    struct sched_view v = lab_view(&l);
    uint32_t asked = 0;
    planner_note_all(planner);
    assert_false(piece(1));
    do {
        struct trial t;
        struct msg_why why;
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        j->req.partition = xstrdup("main");
        assert_int_equal(sched_admit(planner, &v, j, NULL), REFUSAL_NONE);
        j->req.cpus_per_task = 9;
        assert_int_equal(sched_admit(planner, &v, j, NULL), REFUSAL_NEVER_FITS);
        j->req.cpus_per_task = 1;
        planner_try(planner, &v, j, l.now, &t);
        assert_false(t.now);
        trial_fini(&t);
        list_for_each (w, &l.m.pending, struct job, in_queue)
            assert_int_not_equal(planner_reason(planner, w->id), REASON_NONE);
        sched_why(planner, &v, list_first(&l.m.pending, struct job, in_queue), l.now, &why);
        assert_int_not_equal(why.reason, REASON_NONE);
        rec_fini(&msg_why_rec, &why);
        job_free(j);
        asked++;
    } while (!piece(500));
    assert_true(asked > 2);
    must_decide_the_same();
}

/* It is asked to decide before all is read: then the rest is read at once. */
static void test_cut_short(void **state)
{
    (void)state;
    for (int pieces = 0; pieces < 200; pieces += 13) {
        fill();
        planner_note_all(planner);
        for (int i = 0; i < pieces && !piece(9); i++)
            ;
        must_decide_the_same();
    }
}

/* The configuration changes in the middle of a cycle and of a forecast: neither goes on with what it had of
 * the old one. Reasons stay. */
static void test_a_new_configuration(void **state)
{
    (void)state;
    fill();
    struct sched_view v = lab_view(&l);
    struct sched_result r;
    sched_result_init(&r);
    forecast_begin(planner_forecaster(planner), &v, l.now);
    planner_note_nodes(planner);
    end_one();
    assert_false(planner_cycle_slice(planner, &v, l.now, 1, &r));
    assert_true(planner_is_in_cycle(planner));
    planner_leave_config(planner, &v);
    l.spec.parts.v[1].priority_tier = 1;
    lab_configure(&l);
    assert_false(planner_is_in_cycle(planner));
    assert_true(planner_is_reading(planner));
    assert_false(forecast_is_running(planner_forecaster(planner)));
    list_for_each (w, &l.m.pending, struct job, in_queue)
        assert_int_not_equal(planner_reason(planner, w->id), REASON_NONE);
    uint64_t promises = planner_queue(planner)->old->slots.n_planned;
    while (!piece(50))
        continue;
    cycle_resume();
    assert_true(promises && !list_empty(&planner_queue(planner)->slots.list));
    assert_false(planner_is_reading(planner));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pieces_make_the_same, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_what_happens_meanwhile, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_questions_meanwhile, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_a_new_configuration, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_cut_short, set_up, sched_fixture_end),
    };
    return cmocka_run_group_tests_name("read", tests, NULL, NULL);
}
