/* test_cycle.c - one cycle over the queue: who starts, who is held back, and by whom. Two nodes of 4 CPUs
 * with 2 GPUs each, a partition on each and one on both. */
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/sched_fixture.h"

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    lab_node(&l, "n1", 4, 8000, 2, NULL);
    lab_node(&l, "n2", 4, 8000, 2, NULL);
    lab_part(&l, "main", "n[1-2]")->default_time_s = 600;
    lab_part(&l, "one", "n1")->max_time_s = 3600;
    lab_part(&l, "two", "n2");
    lab_configure(&l);
    return 0;
}

/* A batch job of n CPUs on one node. */
static struct job *job_of(const char *part, uint32_t cpus)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup(part);
    j->req.cpus_per_task = cpus;
    return j;
}

static uint32_t submit(const char *part, uint32_t cpus)
{
    return lab_submit(&l, job_of(part, cpus));
}

static void state_must_be(uint32_t id, enum job_state state)
{
    const struct job *j = lab_get(&l, id);
    if (j->state != state)
        fail_msg("job %u is %s, not %s", id, job_state_long(j->state), job_state_long(state));
}

static void reason_must_be(uint32_t id, enum reason want)
{
    enum reason got = planner_reason(planner, id);
    if (got != want)
        fail_msg("job %u waits for %s, not %s", id, reason_slurm(got), reason_slurm(want));
}

static void end(uint32_t id)
{
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
}

static struct part_spec *part(const char *name)
{
    for (size_t i = 0; i < l.spec.parts.n; i++)
        if (strcmp(l.spec.parts.v[i].name, name) == 0)
            return &l.spec.parts.v[i];
    fail();
    return NULL;
}

static void set_backfill(enum backfill_mode mode)
{
    l.spec.backfill = mode;
    lab_configure(&l);
}

static void test_empty_queue(void **state)
{
    (void)state;
    assert_int_equal(cycle_full(), 0);
    assert_int_equal(last.changed.n, 0);
    assert_false(wall_is_set(last.next));
    struct lab none;
    lab_init(&none);
    struct sched_result r;
    struct planner *p = planner_new();
    assert_int_equal(lab_cycle(&none, p, &r), 0); /* no cluster at all */
    sched_result_fini(&r);
    planner_free(p);
    lab_fini(&none);
}

static void test_strictly_in_order(void **state)
{
    (void)state;
    set_backfill(BACKFILL_OFF);
    uint32_t a = submit(NULL, 4), b = submit("main", 3), c = submit("main", 2), d = submit("main", 1);
    assert_int_equal(cycle_full(), 2);
    state_must_be(a, JOB_RUNNING);
    state_must_be(b, JOB_RUNNING);
    state_must_be(d, JOB_PENDING); /* it would fit, but c is first */
    reason_must_be(c, REASON_RESOURCES);
    reason_must_be(d, REASON_PRIORITY);
    assert_int_equal(cycle_full(), 0);
    end(b);
    assert_int_equal(cycle_full(), 2);
    assert_int_equal(cycle_full(), 0);
}

/* The same queue: what ends before the place that is held for c begins, or lies beside it, may start. */
static void test_backfill(void **state)
{
    (void)state;
    static const enum backfill_mode modes[] = {BACKFILL_CONSERVATIVE, BACKFILL_EASY};
    for (size_t i = 0; i < N_OF(modes); i++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        set_backfill(modes[i]);
        uint32_t a = submit(NULL, 4), b = submit("main", 3), c = submit("main", 2);
        struct job *j = job_of("main", 1);
        j->req.time_limit_s = 601; /* n1 is free in 600 s: it may go on beside c, on n2 */
        uint32_t beside = lab_submit(&l, j), d = submit("main", 1);
        assert_int_equal(cycle_full(), 3);
        state_must_be(a, JOB_RUNNING);
        state_must_be(b, JOB_RUNNING);
        state_must_be(beside, JOB_RUNNING);
        reason_must_be(c, REASON_RESOURCES);
        state_must_be(d, JOB_PENDING);
        assert_int_equal(cycle_full(), 0);
        end(b);
        assert_int_equal(cycle_full(), 2);
        assert_int_equal(cycle_full(), 0);
    }
}

static void test_backfill_delays_nobody(void **state)
{
    (void)state;
    submit("one", 3);
    uint32_t whole = submit("one", 4);
    struct job *j = job_of("one", 1);
    j->req.time_limit_s = 3600; /* as long as the first one: it ends when that does */
    uint32_t in_time = lab_submit(&l, j);
    assert_int_equal(cycle_full(), 2);
    state_must_be(in_time, JOB_RUNNING);
    end(in_time);
    l.now.ms += 60 * MS_PER_S;
    j = job_of("one", 1);
    j->req.time_limit_s = 3600;
    uint32_t too_long = lab_submit(&l, j);
    assert_int_equal(cycle_full(), 0);
    state_must_be(too_long, JOB_PENDING);
    state_must_be(whole, JOB_PENDING);
}

static void test_time_limits(void **state)
{
    (void)state;
    uint32_t by_default = submit("main", 1), by_most = submit("one", 1), unlimited = submit("two", 1);
    struct job *j = job_of("two", 1);
    j->req.time_limit_s = 99;
    uint32_t own = lab_submit(&l, j);
    cycle_full();
    assert_int_equal(lab_get(&l, by_default)->time_limit_s, 600);
    assert_int_equal(lab_get(&l, by_most)->time_limit_s, 3600);
    assert_int_equal(lab_get(&l, unlimited)->time_limit_s, DURATION_UNLIMITED);
    assert_int_equal(lab_get(&l, own)->time_limit_s, 99);
}

static void test_a_blocked_partition_does_not_block_another(void **state)
{
    (void)state;
    uint32_t a = submit("one", 4), b = submit("one", 1), c = submit("two", 4), d = submit("two", 1), e;
    assert_int_equal(cycle_full(), 2);
    state_must_be(a, JOB_RUNNING);
    state_must_be(c, JOB_RUNNING);
    reason_must_be(b, REASON_RESOURCES);
    reason_must_be(d, REASON_RESOURCES);
    end(c);
    e = submit("two", 3);
    assert_int_equal(cycle_full(), 2);
    state_must_be(d, JOB_RUNNING);
    state_must_be(e, JOB_RUNNING);
    state_must_be(b, JOB_PENDING);
}

/* A job that found a place in its second partition still held back those behind it in its first one. */
/* A job that no node could ever take (released from a hold, or the nodes have shrunk) delays no other
 * job. */
static void test_what_never_fits_blocks_no_job(void **state)
{
    (void)state;
    uint32_t never = submit("one", 5), behind = submit("one", 1);
    cycle_full();
    state_must_be(behind, JOB_RUNNING);
    state_must_be(never, JOB_PENDING);
    reason_must_be(never, REASON_BAD_CONSTRAINTS);
    struct sched_view v = lab_view(&l);
    struct msg_why why;
    sched_why(planner, &v, lab_get(&l, never), l.now, &why);
    assert_int_equal(why.causes.n, 1);
    assert_int_equal(why.causes.v[0].cls, WHY_NO_FIT);
    rec_fini(&msg_why_rec, &why);
    uint32_t large = submit("one", 4),
             after = submit("one", 1); /* this one fits one day: it does hold back */
    cycle_full();
    state_must_be(large, JOB_PENDING);
    state_must_be(after, JOB_PENDING);
    reason_must_be(large, REASON_RESOURCES);
    reason_must_be(after, REASON_PRIORITY);
}

/* What the last cycle saw outlives the configuration that it saw it under. */
static void test_reasons_after_a_new_configuration(void **state)
{
    (void)state;
    submit("one", 4);
    uint32_t waits = submit("one", 4);
    cycle_full();
    lab_configure(&l);
    reason_must_be(waits, REASON_RESOURCES);
}

static void test_several_partitions(void **state)
{
    (void)state;
    set_backfill(BACKFILL_OFF);
    submit("one", 2);
    uint32_t b = submit("one,two", 3), c = submit("two,one", 3), d = submit("one", 1), e = submit("two", 1);
    assert_int_equal(cycle_full(), 2);
    assert_string_equal(lab_get(&l, b)->partition, "two");
    reason_must_be(c, REASON_RESOURCES); /* it fits in neither, and is first in both */
    reason_must_be(d, REASON_PRIORITY);
    reason_must_be(e, REASON_PRIORITY);
    end(b);
    assert_int_equal(cycle_full(), 3);
    assert_string_equal(lab_get(&l, c)->partition, "two");
}

static void test_tasks_stay_in_the_partition_of_the_first(void **state)
{
    (void)state;
    uint32_t first = submit("two", 4);
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    j->req.partition = xstrdup("two,one");
    lab_step(j, "s", 2)->cpus_per_rank = 4;
    uint32_t id = lab_submit(&l, j), behind = submit("two", 1);
    assert_int_equal(cycle_full(), 2);
    assert_string_equal(lab_get(&l, id)->partition, "one");
    end(first);
    assert_int_equal(cycle_full(), 1); /* not its second task, which would overtake */
    state_must_be(behind, JOB_RUNNING);
}

static void test_gates(void **state)
{
    (void)state;
    struct job *j = job_of("main", 1);
    j->hold = HOLD_USER;
    j->reason = REASON_HELD_USER;
    uint32_t held = lab_submit(&l, j);
    j = job_of("main", 1);
    j->hold = HOLD_ADMIN;
    j->reason = REASON_HELD_ADMIN;
    uint32_t held_by_admin = lab_submit(&l, j);
    j = job_of("main", 1);
    req_detail_mut(&j->req)->begin = wall_add_s(l.now, 500);
    uint32_t later = lab_submit(&l, j);
    j = job_of("main", 1);
    req_detail_mut(&j->req)->begin = wall_add_s(l.now, 5000);
    lab_submit(&l, j);
    j = job_of("one", 1);
    j->req.time_limit_s = 3601;
    uint32_t too_long = lab_submit(&l, j);
    uint32_t nowhere = submit("none", 1), free_one = submit("main", 1);
    part("two")->state = PART_DOWN;
    part("one")->max_nodes = 1;
    lab_configure(&l);
    uint32_t down = submit("two", 1);
    j = job_of("one", 1);
    j->req.nodes_min = 2;
    uint32_t too_wide = lab_submit(&l, j);
    assert_int_equal(cycle_full(), 1);
    state_must_be(free_one, JOB_RUNNING); /* none of those ahead of it is in its way */
    reason_must_be(held, REASON_HELD_USER);
    reason_must_be(held_by_admin, REASON_HELD_ADMIN);
    reason_must_be(later, REASON_BEGIN_TIME);
    reason_must_be(too_long, REASON_PART_TIME);
    reason_must_be(nowhere, REASON_PART_CONFIG);
    reason_must_be(down, REASON_PART_DOWN);
    reason_must_be(too_wide, REASON_PART_NODES);
    assert_int_equal(last.next.ms,
                     req_detail(&lab_get(&l, later)->req)->begin.ms); /* the first gate of time to open */
    l.now = req_detail(&lab_get(&l, later)->req)->begin;
    assert_int_equal(cycle_full(), 1);
    assert_int_equal(lab_hold(&l, held, HOLD_NONE), 0);
    assert_int_equal(cycle_full(), 1);
}

static void test_partition_states(void **state)
{
    (void)state;
    static const struct {
        enum part_state state;
        bool starts;
        enum reason reason;
    } rows[] = {{PART_UP, true, REASON_NONE},
                {PART_DOWN, false, REASON_PART_DOWN},
                {PART_DRAIN, true, REASON_NONE}, /* what waits there still runs */
                {PART_INACTIVE, false, REASON_PART_INACTIVE}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        part("one")->state = rows[i].state;
        lab_configure(&l);
        uint32_t id = submit("one", 1);
        check_int(part_state_text(rows[i].state), cycle_full(), rows[i].starts);
        if (!rows[i].starts)
            reason_must_be(id, rows[i].reason);
    }
}

static bool in_staff(void *ctx, uint32_t uid, const struct strv *groups)
{
    (void)ctx;
    return uid == 1000 && strv_has(groups, "staff");
}

static void test_who_may_use_a_partition(void **state)
{
    (void)state;
    static const struct {
        const char *name, *group, *account, *qos;
        uint32_t uid;
        bool starts;
        bool deny; /* the lists say who may not */
    } rows[] = {{"a member", "staff", NULL, NULL, 1000, true, false},
                {"no member", "staff", NULL, NULL, 1001, false, false},
                {"root", "staff", NULL, NULL, 0, true, false},
                {"account", NULL, "vision", NULL, 1000, true, false},
                {"other account", NULL, "speech", NULL, 1000, false, false},
                {"QOS", NULL, NULL, "high", 1000, true, false},
                {"other QOS", NULL, NULL, "low", 1000, false, false},
                {"a denied member", "staff", NULL, NULL, 1000, false, true},
                {"no denied member", "staff", NULL, NULL, 1001, true, true},
                {"root is denied nothing", "staff", NULL, NULL, 0, true, true},
                {"a denied account", NULL, "vision", NULL, 1000, false, true},
                {"another account", NULL, "speech", NULL, 1000, true, true},
                {"a denied QOS", NULL, NULL, "high", 1000, false, true},
                {"another QOS", NULL, NULL, "low", 1000, true, true}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        struct part_spec *one = part("one");
        if (rows[i].group)
            strv_push(rows[i].deny ? &one->deny_groups : &one->allow_groups, rows[i].group);
        if (rows[i].account)
            strv_push(rows[i].deny ? &one->deny_accounts : &one->allow_accounts, "vision");
        if (rows[i].qos)
            strv_push(rows[i].deny ? &one->deny_qos : &one->allow_qos, "high");
        lab_configure(&l);
        struct job *j = job_of("one", 1);
        j->uid = rows[i].uid;
        j->req.account = xstrdup(rows[i].account);
        req_detail_mut(&j->req)->qos = xstrdup(rows[i].qos);
        uint32_t id = lab_submit(&l, j);
        struct sched_view v = {.model = &l.m, .in_groups = in_staff};
        struct sched_result r;
        sched_result_init(&r);
        planner_cycle(planner, &v, l.now, &r);
        check_int(rows[i].name, r.starts.n, rows[i].starts);
        if (!rows[i].starts)
            check_int(rows[i].name, planner_reason(planner, id), REASON_PART_CONFIG);
        sched_result_fini(&r);
    }
}

/* Every job waited for an hour after the clock had been set back by one. */
static void test_clock_set_back(void **state)
{
    (void)state;
    uint32_t id = submit("main", 1);
    l.now.ms -= 3600 * MS_PER_S;
    assert_int_equal(cycle_full(), 1);
    state_must_be(id, JOB_RUNNING);
}

static uint32_t submit_array(uint32_t last_index, uint32_t throttle, uint32_t cpus)
{
    struct job *j = job_of("main", cpus);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, last_index, 1};
    j->req.array_throttle = throttle;
    return lab_submit(&l, j);
}

static void test_array_starts_as_it_fits(void **state)
{
    (void)state;
    uint32_t id = submit_array(9, 0, 1), behind = submit("main", 1);
    assert_int_equal(cycle_full(), 8);
    reason_must_be(id, REASON_RESOURCES);
    reason_must_be(behind, REASON_PRIORITY);
    char *text = job_format_id(lab_get(&l, id), 0);
    assert_string_equal(text, "1_[8-9]");
    free(text);
    end(3);
    assert_int_equal(cycle_full(), 1);
    end(4);
    assert_int_equal(cycle_full(), 1); /* the last one is the record itself */
    assert_false(job_is_array_record(lab_get(&l, id)));
    end(5);
    assert_int_equal(cycle_full(), 1);
    state_must_be(behind, JOB_RUNNING);
}

static void test_array_throttle(void **state)
{
    (void)state;
    uint32_t id = submit_array(5, 2, 1), behind = submit("main", 2);
    assert_int_equal(cycle_full(), 3); /* two elements, and what stands behind: it is not in its way */
    state_must_be(behind, JOB_RUNNING);
    reason_must_be(id, REASON_ARRAY_LIMIT);
    assert_int_equal(cycle_full(), 0);
    end(3);
    assert_int_equal(cycle_full(), 1);
    assert_int_equal(cycle_full(), 0);
}

/* Elements that were requeued count as well as those that have not begun. */
static void test_array_throttle_counts_requeued_elements(void **state)
{
    (void)state;
    uint32_t id = submit_array(5, 2, 1);
    assert_int_equal(cycle_full(), 2);
    assert_int_equal(lab_end(&l, 2, STEP_BATCH, 0, END_NODE_REBOOT, 0, 0), 0);
    assert_int_equal(lab_end(&l, 3, STEP_BATCH, 0, END_NODE_REBOOT, 0, 0), 0);
    struct ev_split b = {.array_index = 2, .new_id = 4};
    lab_must(&l, EV_SPLIT, id, &b);
    assert_int_equal(cycle_full(), 2);
    state_must_be(2, JOB_RUNNING);
    state_must_be(3, JOB_RUNNING);
    reason_must_be(4, REASON_ARRAY_LIMIT);
    reason_must_be(id, REASON_ARRAY_LIMIT);
}

static uint32_t submit_steps(uint32_t tasks, uint32_t gpus)
{
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    for (int i = 0; i < 2; i++)
        lab_step(j, "s", tasks)->gpus = gpus;
    return lab_submit(&l, j);
}

static void test_tasks_are_placed_as_gpus_free_up(void **state)
{
    (void)state;
    set_backfill(BACKFILL_OFF);
    uint32_t id = submit_steps(6, 1), behind = submit("main", 1);
    assert_int_equal(cycle_full(), 4); /* four GPUs */
    state_must_be(id, JOB_RUNNING);
    reason_must_be(behind, REASON_PRIORITY); /* a job that has begun comes first */
    for (uint32_t t = 0; t < 4; t++)
        assert_int_equal(lab_end(&l, id, 0, t, END_EXITED, 0, 0), 0);
    assert_int_equal(cycle_full(), 3); /* the two that were left, and the one behind */
    state_must_be(behind, JOB_RUNNING);
    assert_int_equal(cycle_full(), 0); /* the next step waits for all of them */
    assert_int_equal(lab_end(&l, id, 0, 4, END_EXITED, 0, 0), 0);
    assert_int_equal(cycle_full(), 0);
    assert_int_equal(lab_end(&l, id, 0, 5, END_EXITED, 0, 0), 0);
    assert_int_equal(cycle_full(), 4);
}

static void test_step_job_that_waits(void **state)
{
    (void)state;
    uint32_t first = submit("main", 4), second = submit("main", 4), id = submit_steps(2, 0);
    assert_int_equal(cycle_full(), 2);
    reason_must_be(id, REASON_RESOURCES);
    assert_int_equal(lab_hold(&l, id, HOLD_USER), 0);
    end(first);
    end(second);
    assert_int_equal(cycle_full(), 0);
    reason_must_be(id, REASON_HELD_USER);
}

static void test_tasks_of_two_steps_ask_for_their_own_gpu_type(void **state)
{
    (void)state;
    free(l.spec.nodes.v[1].gpu_type);
    l.spec.nodes.v[1].gpu_type = xstrdup("a100");
    lab_configure(&l);
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    struct step *s = lab_step(j, "s", 1);
    s->gpus = 1;
    s->gpu_type = xstrdup("a100");
    uint32_t id = lab_submit(&l, j);
    assert_int_equal(cycle_full(), 1);
    assert_string_equal(lab_task(&l, id, 0, 0)->alloc.node, "n2");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, sched_fixture_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_empty_queue),
        TEST(test_gates),
        TEST(test_partition_states),
        TEST(test_who_may_use_a_partition),
        TEST(test_clock_set_back),
        TEST(test_strictly_in_order),
        TEST(test_backfill),
        TEST(test_backfill_delays_nobody),
        TEST(test_time_limits),
        TEST(test_a_blocked_partition_does_not_block_another),
        TEST(test_what_never_fits_blocks_no_job),
        TEST(test_reasons_after_a_new_configuration),
        TEST(test_several_partitions),
        TEST(test_tasks_stay_in_the_partition_of_the_first),
        TEST(test_array_starts_as_it_fits),
        TEST(test_array_throttle),
        TEST(test_array_throttle_counts_requeued_elements),
        TEST(test_tasks_are_placed_as_gpus_free_up),
        TEST(test_step_job_that_waits),
        TEST(test_tasks_of_two_steps_ask_for_their_own_gpu_type),
    };
    return cmocka_run_group_tests_name("decide", tests, NULL, NULL);
}
