/* test_planner.c - what a planner keeps from cycle to cycle and what it may not: faults that reading and
 * random queues have found, one by one. Two nodes of 4 CPUs with 2 GPUs each, main on both, one and two on
 * each. */
#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/sched_fixture.h"
#include "tests/unit/sched/said.h"

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    lab_node(&l, "n1", 4, 8000, 2, NULL);
    lab_node(&l, "n2", 4, 8000, 2, NULL);
    lab_part(&l, "main", "n[1-2]");
    lab_part(&l, "one", "n1");
    lab_part(&l, "two", "n2");
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("lic"), 1};
    l.spec.reservations = 3;
    lab_configure(&l);
    return 0;
}

static struct job *job_of(const char *part, uint32_t cpus)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup(part);
    j->req.cpus_per_task = cpus;
    j->req.mem_node_mib = 100;
    j->req.time_limit_s = 600;
    return j;
}

static uint32_t submit_job(struct job *j)
{
    uint32_t id = lab_submit(&l, j);
    planner_note_job(planner, id);
    return id;
}

static uint32_t submit(const char *part, uint32_t cpus)
{
    return submit_job(job_of(part, cpus));
}

static uint32_t submit_array(uint32_t last_index, uint32_t throttle, const char *dependency)
{
    struct job *j = job_of("main", 1);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, last_index, 1};
    j->req.array_throttle = throttle;
    j->req.dependency = xstrdup(dependency);
    return submit_job(j);
}

/* A step job of main: each task takes a node, all of it 1000 s. */
static uint32_t submit_tasks(uint32_t n, uint32_t time_min_s)
{
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    j->req.partition = xstrdup("main");
    j->req.time_limit_s = 1000;
    req_detail_mut(&j->req)->time_min_s = time_min_s;
    lab_step(j, "s", n)->cpus_per_rank = 4;
    return submit_job(j);
}

/* A user with more than one CPU of the partition has borrowed it. */
static void limit_one(void)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("*"), .partition = xstrdup("one")};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    s->soft.cpus = 1;
    lab_configure(&l);
    planner_note_all(planner);
}

static void end_with(uint32_t id, int32_t code)
{
    l.now.ms -= MS_PER_S;
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, code, 0), 0);
    planner_note_job(planner, id);
}

static void end(uint32_t id)
{
    end_with(id, 0);
}

static void drain(const char *node, bool on)
{
    struct ev_drain e = {.node = xstrdup(node), .drain = on, .reason = xstrdup("fan")};
    lab_must(&l, EV_DRAIN, 0, &e);
    planner_note_nodes(planner);
}

static bool runs(uint32_t id)
{
    return lab_get(&l, id)->state == JOB_RUNNING;
}

static void reason_must_be(uint32_t id, enum reason want)
{
    check_str("reason", reason_slurm(planner_reason(planner, id)), reason_slurm(want));
}

/* One missed deadline gave the whole shape up for the cycle. */
static void test_a_missed_deadline_is_one_jobs_own(void **state)
{
    (void)state;
    struct job *j = job_of("main", 4);
    req_rare_mut(&j->req)->deadline = wall_add_s(l.now, 300);
    uint32_t late = submit_job(j), fine = submit("main", 4);
    cycle_resume();
    assert_false(runs(late));
    assert_true(runs(fine));
}

/* Without a time limit and with a deadline: that is its limit. */
static void test_no_limit_but_a_deadline(void **state)
{
    (void)state;
    struct job *j = job_of("main", 1);
    j->req.time_limit_s = DURATION_UNLIMITED;
    req_rare_mut(&j->req)->deadline = wall_add_s(l.now, 301); /* the submission takes a second */
    uint32_t id = submit_job(j);
    assert_int_equal(cycle_resume(), 1);
    assert_int_equal(lab_get(&l, id)->time_limit_s, 300);
}

static void test_a_hold_leaves_a_lost_node(void **state)
{
    (void)state;
    submit("one", 4);
    struct job *j = job_of("two", 4);
    j->req.time_limit_s = 3000;
    uint32_t b = submit_job(j);
    assert_int_equal(cycle_resume(), 2);
    uint32_t id = submit("main", 4);
    assert_int_equal(cycle_resume(), 0); /* held on n1, in 10 minutes */
    drain("n1", true);
    cycle_resume();
    assert_true(last.next.ms > wall_add_s(l.now, 2000).ms); /* on n2 now */
    end(b);
    assert_int_equal(cycle_resume(), 1);
    assert_string_equal(lab_get(&l, id)->alloc.v[0].node, "n2");
}

/* A node that says what it has after the window was laid over it. */
static void test_a_window_holds_what_a_node_turns_out_to_have(void **state)
{
    (void)state;
    struct ev_window e = {.window = {.name = xstrdup("w"), .start = wall_add_s(l.now, 300)}};
    e.window.end = wall_add_s(e.window.start, 600);
    strv_push(&e.window.nodes, WINDOW_ALL_NODES);
    lab_must(&l, EV_WINDOW, 0, &e);
    assert_int_equal(cycle_resume(), 0);
    l.spec.nodes.v[0].cpus = 8;
    lab_configure(&l);
    planner_note_all(planner);
    cycle_resume();
    struct job *j = job_of("one", 8);
    uint32_t crosses = submit_job(j);
    j = job_of("one", 8);
    j->req.time_limit_s = 60;
    uint32_t in_time = submit_job(j);
    cycle_resume();
    assert_false(runs(crosses));
    assert_true(runs(in_time));
}

static void test_unknown_gpus_may_be_enough(void **state)
{
    (void)state;
    lab_node(&l, "n3", 4, 8000, UINT32_MAX, NULL);
    lab_part(&l, "new", "n3");
    lab_configure(&l);
    planner_note_all(planner);
    struct job *j = job_of("new", 1);
    j->req.gpus = 4;
    uint32_t id = submit_job(j);
    cycle_resume();
    reason_must_be(id, REASON_RESOURCES);
}

/* Elements whose own dependency is open are passed over. */
static void test_elements_one_by_one(void **state)
{
    (void)state;
    uint32_t first = submit_array(2, 0, NULL);
    assert_int_equal(cycle_resume(), 3);
    uint32_t second = submit_array(2, 0, "aftercorr:1");
    assert_int_equal(cycle_resume(), 0);
    const struct job *middle = model_get_element(&l.m, first, 1);
    end(middle->id);
    planner_note_job(planner, second); /* who drives it knows who waits */
    assert_int_equal(cycle_resume(), 1);
    const struct job *e = model_get_element(&l.m, second, 1);
    assert_false(job_is_array_record(e));
    assert_int_equal(e->state, JOB_RUNNING);
    planner_note_job(planner, second);
    planner_note_job(planner, e->id);
    assert_int_equal(cycle_resume(), 0);
    assert_int_equal(job_pending_elements(lab_get(&l, second)), 2);
}

static void test_one_singleton_in_a_pass(void **state)
{
    (void)state;
    uint32_t id = submit_array(2, 0, "singleton");
    assert_int_equal(cycle_resume(), 1);
    planner_note_job(planner, id);
    assert_int_equal(cycle_resume(), 0);
    reason_must_be(id, REASON_DEPENDENCY);
}

/* Counted once for the job, not for each task of the cycle. */
static void test_licences_of_a_step_job(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    req_detail_mut(&j->req)->licenses = xstrdup("lic");
    lab_step(j, "s", 3);
    submit_job(j);
    j = job_of("main", 1);
    req_detail_mut(&j->req)->licenses = xstrdup("lic");
    uint32_t other = submit_job(j);
    assert_int_equal(cycle_resume(), 3);
    reason_must_be(other, REASON_LICENSES);
}

/* A task of a step job ends with its job, however late it began. */
static void test_tasks_end_with_their_job(void **state)
{
    (void)state;
    uint32_t blocks = submit("two", 4);
    uint32_t steps = submit_tasks(2, DURATION_NOT_SET);
    assert_int_equal(cycle_resume(), 2);
    l.now.ms += 500 * MS_PER_S;
    end(blocks);
    assert_int_equal(cycle_resume(), 1); /* the second task: 500 s are left */
    assert_int_equal(lab_get(&l, steps)->state, JOB_RUNNING);
    uint32_t next = submit("two", 4);
    cycle_resume();
    reason_must_be(next, REASON_RESOURCES);
    assert_int_equal(last.next.ms, wall_add_s(lab_get(&l, steps)->t_start, 1000).ms);
}

/* --time-min cuts the job down when it begins: its tasks go on until it ends, and where they could not
 * they do not start; nor once its time is over. */
static void test_tasks_are_not_cut_down(void **state)
{
    (void)state;
    struct ev_window e = {.window = {.name = xstrdup("w"), .kind = WINDOW_MAINTENANCE}};
    e.window.start = wall_add_s(l.now, 300);
    e.window.end = wall_add_s(l.now, 400);
    strv_push(&e.window.nodes, "n2");
    lab_must(&l, EV_WINDOW, 0, &e);
    rec_fini(&ev_window_rec, &e);
    planner_note_windows(planner);
    uint32_t steps = submit_tasks(3, 100);
    assert_int_equal(cycle_resume(), 1);
    assert_int_equal(lab_get(&l, steps)->time_limit_s, 1000);
    planner_note_job(planner, steps);
    assert_int_equal(cycle_resume(), 0);
    l.now = wall_add_s(l.now, 400);
    assert_int_equal(cycle_resume(), 1);
    l.now = wall_add_s(lab_get(&l, steps)->t_start, 1000);
    assert_int_equal(lab_end(&l, steps, 0, 0, END_EXITED, 0, 0), 0);
    planner_note_job(planner, steps);
    assert_int_equal(cycle_resume(), 0);
}

/* The limit of what runs has been raised: its next task lies on the nodes until then. */
static void test_tasks_go_on_as_long_as_their_job_may_now(void **state)
{
    (void)state;
    uint32_t blocks = submit("two", 4);
    uint32_t steps = submit_tasks(2, DURATION_NOT_SET);
    assert_int_equal(cycle_resume(), 2);
    struct ev_update e = {.time_limit_s = 5000};
    rec_copy(&job_req_rec, &e.req, &lab_get(&l, steps)->req);
    lab_must(&l, EV_UPDATE, steps, &e);
    rec_fini(&job_req_rec, &e.req);
    planner_note_job(planner, steps);
    end(blocks);
    uint32_t next = submit("two", 4);
    assert_int_equal(cycle_resume(), 1);
    reason_must_be(next, REASON_RESOURCES);
    assert_int_equal(last.next.ms, wall_add_s(lab_get(&l, steps)->t_start, 5000).ms);
}

/* Behind an array that is throttled, in the same group: it does not wait for that. */
static void test_a_new_job_behind_a_throttled_array(void **state)
{
    (void)state;
    l.spec.reservations = 1;
    lab_configure(&l);
    planner_note_all(planner);
    submit_array(3, 1, NULL);
    assert_int_equal(cycle_resume(), 1);
    struct job *j = job_of("main", 4);
    req_rare_mut(&j->req)->nodelist = xstrdup("n1");
    submit_job(j);
    assert_int_equal(cycle_resume(), 0); /* the one place of main is held for it */
    assert_int_equal(cycle_resume(), 0);
    uint32_t id = submit("main", 1);
    assert_int_equal(cycle_resume(), 1);
    assert_true(runs(id));
}

static void test_a_new_job_alone(void **state)
{
    (void)state;
    submit("one", 4);
    struct job *j = job_of("two", 3);
    submit_job(j);
    assert_int_equal(cycle_resume(), 2);
    uint32_t waits = submit("one", 4);
    assert_int_equal(cycle_resume(), 0);
    uint32_t fits = submit("two", 1), too_large = submit("two", 2);
    assert_int_equal(cycle_resume(), 1);
    assert_true(runs(fits));
    uint32_t other = submit("two", 3);
    assert_int_equal(cycle_resume(), 0);
    reason_must_be(waits, REASON_RESOURCES);
    reason_must_be(too_large, REASON_RESOURCES);
    assert_int_not_equal(planner_reason(planner, other), REASON_NONE);
    struct job *never = job_of("two", 5);
    uint32_t id = submit_job(never);
    cycle_resume();
    reason_must_be(id, REASON_BAD_CONSTRAINTS);
}

/* A new job that stands before the first changes the first one's reason. */
static void test_reasons_move_with_the_queue(void **state)
{
    (void)state;
    l.spec.reservations = 1;
    lab_configure(&l);
    planner_note_all(planner);
    submit("one", 4);
    uint32_t a = submit("one", 4), b = submit("one", 4);
    cycle_resume();
    reason_must_be(a, REASON_RESOURCES);
    reason_must_be(b, REASON_PRIORITY);
    struct job *j = job_of("one", 4);
    req_detail_mut(&j->req)->has_priority = true;
    req_detail_mut(&j->req)->priority = 1000;
    uint32_t c = submit_job(j);
    cycle_resume();
    reason_must_be(c, REASON_RESOURCES);
    reason_must_be(a, REASON_PRIORITY);
    bool told = false;
    vec_for_each (&last.changed, i)
        told = told || last.changed.v[i] == a;
    assert_true(told);
}

/* What a start earlier than planned gives up is free for the jobs that were tried before. */
static void test_who_had_his_turn_gets_what_is_given_up(void **state)
{
    (void)state;
    uint32_t a = submit("one", 4), b = submit("two", 4);
    cycle_resume();
    struct job *j = job_of("main", 4);
    j->req.nodes_min = j->req.nodes_max = j->req.ntasks = 2;
    uint32_t wide = submit_job(j), narrow = submit("two", 4);
    cycle_resume();
    end(a);
    end(b);
    assert_int_equal(cycle_resume(), 1);
    assert_true(runs(wide));
    reason_must_be(narrow, REASON_RESOURCES);
    end(wide);
    assert_int_equal(cycle_resume(), 1);
    assert_int_equal(cycle_resume(), 0); /* nothing is left over */
}

static void test_reservation_that_is_over(void **state)
{
    (void)state;
    struct ev_window e = {.window = {.name = xstrdup("r"), .start = l.now, .kind = WINDOW_RESERVATION}};
    e.window.end = wall_add_s(l.now, 1000);
    strv_push(&e.window.nodes, "n1");
    strv_push(&e.window.users, "alice");
    lab_must(&l, EV_WINDOW, 0, &e);
    planner_note_windows(planner);
    uint32_t outside = submit("one", 1);
    struct job *j = job_of("one", 1);
    req_rare_mut(&j->req)->reservation = xstrdup("r");
    uint32_t inside = submit_job(j);
    j = job_of("one", 1);
    req_rare_mut(&j->req)->reservation = xstrdup("r");
    j->req.time_limit_s = 2000;
    uint32_t too_long = submit_job(j);
    assert_int_equal(cycle_resume(), 1);
    assert_true(runs(inside));
    assert_false(runs(outside));
    l.now.ms += 1000 * MS_PER_S;
    assert_int_equal(cycle_resume(), 1); /* who waited outside */
    assert_true(runs(outside));
    reason_must_be(too_long, REASON_RESERVATION_GONE);
}

static void test_two_ways_to_borrow(void **state)
{
    (void)state;
    limit_one();
    uint32_t a = submit("two", 4), b = submit("one", 2);
    assert_int_equal(cycle_resume(), 2);
    assert_false(lab_get(&l, a)->borrowed);
    assert_true(lab_get(&l, b)->borrowed);
}

/* Within its limits it could only be where the node is out: it starts where it would be borrowed, in the
 * same cycle and as a single new job. */
static void test_borrowed_where_its_own_node_is_out(void **state)
{
    (void)state;
    limit_one();
    drain("n2", true);
    uint32_t a = submit("two,one", 2);
    assert_int_equal(cycle_resume(), 1);
    assert_true(lab_get(&l, a)->borrowed);
    uint32_t b = submit("two,one", 2), c = submit("two,one", 2);
    assert_int_equal(cycle_resume(), 1);
    assert_true(lab_get(&l, b)->borrowed);
    reason_must_be(c, REASON_RESOURCES);
    drain("n2", false);
    assert_int_equal(cycle_resume(), 1);
    assert_false(lab_get(&l, c)->borrowed);
}

/* Tasks of a step job share the one node that it may hold, also where the other one would be as good. */
static void test_a_limit_on_nodes_counts_a_node_once(void **state)
{
    (void)state;
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("*")};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    s->hard.nodes = 1;
    lab_configure(&l);
    planner_note_all(planner);
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    j->req.partition = xstrdup("main");
    j->req.time_limit_s = 1000;
    lab_step(j, "s", 6);
    uint32_t id = submit_job(j);
    assert_int_equal(cycle_resume(), 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_string_equal(lab_task(&l, id, 0, i)->alloc.node, lab_task(&l, id, 0, 0)->alloc.node);
    planner_note_job(planner, id);
    assert_int_equal(cycle_resume(), 0);
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    assert_string_equal(said_summary(&w),
                        "job 1 does not wait: it is running; 2 of its tasks wait: user alice holds 1 "
                        "of 1 node and asks for 1 more (hard limit for users)");
    rec_fini(&msg_why_rec, &w);
    l.now.ms -= MS_PER_S;
    assert_int_equal(lab_end(&l, id, 0, 1, END_EXITED, 0, 0), 0);
    planner_note_job(planner, id);
    assert_int_equal(cycle_resume(), 1);
    assert_string_equal(lab_task(&l, id, 0, 4)->alloc.node, lab_task(&l, id, 0, 0)->alloc.node);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, sched_fixture_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_missed_deadline_is_one_jobs_own),
        TEST(test_a_limit_on_nodes_counts_a_node_once),
        TEST(test_no_limit_but_a_deadline),
        TEST(test_a_hold_leaves_a_lost_node),
        TEST(test_a_window_holds_what_a_node_turns_out_to_have),
        TEST(test_unknown_gpus_may_be_enough),
        TEST(test_elements_one_by_one),
        TEST(test_one_singleton_in_a_pass),
        TEST(test_licences_of_a_step_job),
        TEST(test_tasks_end_with_their_job),
        TEST(test_tasks_are_not_cut_down),
        TEST(test_tasks_go_on_as_long_as_their_job_may_now),
        TEST(test_a_new_job_behind_a_throttled_array),
        TEST(test_a_new_job_alone),
        TEST(test_reasons_move_with_the_queue),
        TEST(test_who_had_his_turn_gets_what_is_given_up),
        TEST(test_reservation_that_is_over),
        TEST(test_two_ways_to_borrow),
        TEST(test_borrowed_where_its_own_node_is_out),
    };
    return cmocka_run_group_tests_name("planner", tests, NULL, NULL);
}
