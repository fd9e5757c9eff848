/* test_usage.c - what is charged, to whom, and how it fades. One node of 8 CPUs and 4 GPUs; the rates are 1
 * for a CPU, 0.125 for a GiB, 16 for a GPU. */
#include <math.h>

#include "src/base/xalloc.h"
#include "tests/lib/lab.h"

static struct lab l;

static void configure(uint32_t half_life_s)
{
    l.spec.priority.decay_half_life_s = half_life_s;
    lab_configure(&l);
}

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 8, 65536, 4, NULL);
    lab_part(&l, "main", "n1");
    l.spec.priority = (struct priority_spec){.billing_cpu = 1, .billing_mem_gb = 0.125, .billing_gpu = 16};
    *rec_list_push(&l.spec.qos) = (struct qos_spec){.name = xstrdup("twice"), .usage_factor = 2.0};
    *rec_list_push(&l.spec.qos) = (struct qos_spec){.name = xstrdup("free"), .usage_factor = 0.0};
    configure(0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lab_fini(&l);
    return 0;
}

static void near(const char *row, double got, double want)
{
    if (!(fabs(got - want) <= 1e-9 * (1 + fabs(want))))
        fail_msg("[%s] %.12g, not %.12g", row, got, want);
}

static struct wall after_s(double s)
{
    return (struct wall){.ms = l.now.ms + (int64_t)(s * 1000)};
}

/* --- formulas --- */

static void test_fade(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double s;
        uint32_t half_life_s;
        double want;
    } rows[] = {
        {"no half-life", 1e6, 0, 100},
        {"no time", 0, 10, 100},
        {"one half-life", 10, 10, 50},
        {"three", 30, 10, 12.5},
        {"a half one", 5, 10, 70.71067811865476},
        {"clock set back", -10, 10, 100},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        near(rows[i].name, usage_fade(100, l.now, after_s(rows[i].s), rows[i].half_life_s), rows[i].want);
}

static void test_span(void **state)
{
    (void)state;
    const double ln2 = 0.6931471805599453;
    static const struct {
        const char *name;
        double from, to, at;
        uint32_t half_life_s;
        double want; /* x ln 2 where there is a half-life */
    } rows[] = {
        {"nothing", 5, 5, 9, 10, 0},
        {"the wrong way", 5, 4, 9, 10, 0},
        {"for ever", 0, 10, 1000, 0, 10},
        {"one half-life, at its end", 0, 10, 10, 10, 5},
        {"one half-life, one later", 0, 10, 20, 10, 2.5},
        {"three half-lives", 0, 30, 30, 10, 8.75},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        near(rows[i].name,
             usage_of_span(after_s(rows[i].from), after_s(rows[i].to), after_s(rows[i].at),
                           rows[i].half_life_s),
             rows[i].half_life_s ? rows[i].want / ln2 : rows[i].want);
    /* A second of a long half-life is a second. */
    double s = usage_of_span(after_s(0), after_s(1), after_s(1), 604800);
    assert_true(s > 0.999999 && s < 1.0);
    /* Two parts are the whole. */
    near("two parts",
         usage_of_span(after_s(0), after_s(7), after_s(40), 13) +
             usage_of_span(after_s(7), after_s(31), after_s(40), 13),
         usage_of_span(after_s(0), after_s(31), after_s(40), 13));
}

/* --- charged --- */

static uint32_t submit(const char *account, const char *qos)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.account = xstrdup(account);
    req_detail_mut(&j->req)->qos = xstrdup(qos);
    job_origin_mut(j)->group = xstrdup("staff");
    return lab_submit(&l, j);
}

/* 4 CPUs, 8 GiB, 2 GPUs: 4 + 1 + 32 = 37 a second, 2 GPU-seconds. */
static void start(uint32_t id)
{
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 4, 0, 2, 8192)), 0);
}

/* The event comes a second after the node's end. */
static void end(uint32_t id)
{
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
}

static const struct usage_row *row_of(const char *account, const char *qos)
{
    for (size_t i = 0; i < l.m.usage.n; i++)
        if (str_eq(l.m.usage.rows[i].account, account) && str_eq(l.m.usage.rows[i].qos, qos))
            return &l.m.usage.rows[i];
    fail_msg("nothing was charged to %s/%s", account, qos);
    return NULL;
}

static void test_whole_allocation(void **state)
{
    (void)state;
    uint32_t id = submit("vision", NULL);
    start(id);
    l.now = after_s(100);
    end(id);
    const struct usage_row *r = row_of("vision", "");
    near("billing", r->billing, 3700);
    near("GPU seconds", r->gpu_s, 200);
    check_str("user", r->user, "alice");
    check_str("partition", r->partition, "main");
    assert_true(l.m.usage.unsaved);
    /* The same names again: the same row. */
    id = submit("vision", NULL);
    start(id);
    l.now = after_s(10);
    end(id);
    near("two jobs", row_of("vision", "")->billing, 4070);
    assert_int_equal(l.m.usage.n, 1);
}

static void test_account_is_the_group_where_none_is_given(void **state)
{
    (void)state;
    uint32_t id = submit(NULL, NULL);
    start(id);
    l.now = after_s(1);
    end(id);
    near("group", row_of("staff", "")->gpu_s, 2);
}

static void test_qos_factor(void **state)
{
    (void)state;
    static const struct {
        const char *qos;
        double billing;
    } rows[] = {{"twice", 740}, {"free", 0}, {"unknown", 370}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t id = submit("a", rows[i].qos);
        start(id);
        l.now = after_s(10);
        end(id);
        near(rows[i].qos, row_of("a", rows[i].qos)->billing, rows[i].billing);
        near(rows[i].qos, row_of("a", rows[i].qos)->gpu_s, 20); /* GPU time is GPU time */
    }
}

static void test_nothing_is_charged_for_what_did_not_run(void **state)
{
    (void)state;
    uint32_t id = submit("a", NULL);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    assert_int_equal(l.m.usage.n, 0);
    assert_false(l.m.usage.unsaved);
}

static void test_preempted_runs_are_told_apart(void **state)
{
    (void)state;
    static const enum job_fate fates[] = {FATE_REQUEUE, FATE_END};
    configure(100);
    for (size_t i = 0; i < N_OF(fates); i++) {
        uint32_t id = submit("a", NULL);
        start(id);
        l.now = after_s(10);
        assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_PREEMPT, fates[i]), 0);
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
        assert_true(row_of("a", "")->gpu_s > 20 * (double)i + 15);
        near("all of it", row_of("a", "")->preempted_gpu_s, row_of("a", "")->gpu_s);
    }
    struct usage_row before = *row_of("a", "");
    uint32_t other = submit("a", NULL);
    start(other);
    l.now = after_s(5);
    end(other);
    const struct usage_row *r = row_of("a", "");
    near("one that ends by itself", r->preempted_gpu_s,
         usage_fade(before.preempted_gpu_s, before.t, r->t, 100));
    assert_true(r->gpu_s > r->preempted_gpu_s + 5);
    before = *r;
    struct ev_usage saved;
    usage_save(&l.m, l.now, &saved);
    lab_must(&l, EV_USAGE, 0, &saved);
    r = row_of("a", "");
    near("saved and read", r->preempted_gpu_s, usage_fade(before.preempted_gpu_s, before.t, r->t, 100));
}

static void test_requeued_runs_are_charged_too(void **state)
{
    (void)state;
    uint32_t id = submit("a", NULL);
    start(id);
    l.now = after_s(10);
    assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_REQUEUE, FATE_REQUEUE), 0);
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
    assert_int_equal(lab_get(&l, id)->state, JOB_PENDING);
    near("first run", row_of("a", "")->gpu_s, 2 * 11); /* the kill took a second */
    start(id);
    l.now = after_s(5);
    end(id);
    near("both runs", row_of("a", "")->gpu_s, 2 * 16);
}

static void test_each_task_of_a_step_job(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    j->req.account = xstrdup("a");
    lab_step(j, "s", 3);
    uint32_t id = lab_submit(&l, j);
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 1, 0)), 0);
    assert_int_equal(lab_running(&l, id, 0, 0), 0); /* began when it was placed: the event is later */
    l.now = after_s(9);
    assert_int_equal(lab_end(&l, id, 0, 0, END_EXITED, 0, 0), 0);
    near("one task", row_of("a", "")->gpu_s, 10);
    near("one task", row_of("a", "")->billing, 170);
    /* One that never ran costs nothing. */
    assert_int_equal(lab_place(&l, id, 0, 1, lab_alloc("n1", 0, 1, 0, 1, 0)), 0);
    l.now = after_s(60);
    near("launching", usage_held(&l.m, lab_get(&l, id), l.now).billing, 0);
    assert_int_equal(usage_held(&l.m, lab_get(&l, id), l.now).gpus, 1);
    assert_int_equal(lab_end(&l, id, 0, 1, END_LAUNCH_FAILED, 0, 0), 0);
    near("not launched", row_of("a", "")->gpu_s, 10);
}

/* What runs counts as it will be charged. */
static void test_an_end_changes_nothing(void **state)
{
    (void)state;
    configure(50);
    uint32_t id = submit("a", "twice");
    start(id);
    l.now = after_s(80);
    struct usage_now before = usage_held(&l.m, lab_get(&l, id), l.now);
    near("rate", before.rate, 74);
    struct wall end_at = l.now;
    end(id);
    const struct usage_row *r = row_of("a", "twice");
    struct usage_now later = usage_held(&l.m, lab_get(&l, id), l.now);
    near("held", later.billing, 0);
    near("billing", r->billing, usage_fade(before.billing, end_at, r->t, 50));
    near("GPU seconds", r->gpu_s, usage_fade(before.gpu_s, end_at, r->t, 50));
    assert_true(r->t.ms > end_at.ms);
}

static void test_new_half_life_from_its_day_on(void **state)
{
    (void)state;
    configure(10);
    uint32_t id = submit("a", NULL);
    start(id);
    l.now = after_s(10);
    end(id);
    double then = row_of("a", "")->billing;
    struct wall at = row_of("a", "")->t;
    l.now = (struct wall){.ms = at.ms + 9000};
    configure(0); /* a second later: one half-life has passed */
    l.now = after_s(1e6);
    const struct usage_row *r = row_of("a", "");
    near("half, and no less", usage_fade(r->billing, r->t, l.now, 0), then / 2);
}

/* --- saved --- */

static void test_save(void **state)
{
    (void)state;
    configure(3600);
    for (int i = 0; i < 3; i++) {
        uint32_t id = submit(i == 1 ? "b" : "a", i == 2 ? "twice" : NULL);
        start(id);
        l.now = after_s(10 + i);
        end(id);
    }
    struct lab_copy *before = lab_copy_new(&l.m);
    struct ev_usage body;
    usage_save(&l.m, l.now, &body);
    assert_int_equal(body.rows.n, 3);
    lab_must(&l, EV_USAGE, 0, &body);
    struct lab_copy *after = lab_copy_new(&l.m);
    assert_null(lab_differs(before, after, true));
    lab_copy_free(before);
    lab_copy_free(after);
    assert_false(l.m.usage.unsaved);
    assert_true(l.m.usage.saved_seq == l.m.seq);
    /* It is the whole table: what it does not have is gone. */
    struct ev_usage one = {0};
    *rec_list_push(&one.rows) = (struct usage_row){.account = xstrdup("c"),
                                                   .user = xstrdup("u"),
                                                   .qos = xstrdup(""),
                                                   .partition = xstrdup(""),
                                                   .billing = 5,
                                                   .t = l.now};
    lab_must(&l, EV_USAGE, 0, &one);
    assert_int_equal(l.m.usage.n, 1);
    /* What has faded to nothing is not kept. */
    l.now = after_s(3600 * 20);
    usage_save(&l.m, l.now, &body);
    assert_int_equal(body.rows.n, 0);
    rec_fini(&ev_usage_rec, &body);
}

static void test_unsound_tables_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *user;
        double billing, gpu_s;
    } rows[] = {{"no user", NULL, 1, 1},
                {"less than nothing", "u", -1, 1},
                {"infinite", "u", 1, INFINITY},
                {"no number", "u", NAN, 1}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct ev_usage body = {0};
        *rec_list_push(&body.rows) = (struct usage_row){.account = xstrdup("a"),
                                                        .user = xstrdup(rows[i].user),
                                                        .qos = xstrdup(""),
                                                        .partition = xstrdup(""),
                                                        .billing = rows[i].billing,
                                                        .gpu_s = rows[i].gpu_s};
        check_int(rows[i].name, lab_apply(&l, EV_USAGE, 0, &body) < 0, 1);
    }
}

/* A row of a slightly later time than the event: the sum is as if the clock had stood still. */
static void test_clock_set_back(void **state)
{
    (void)state;
    configure(100);
    uint32_t first = submit("a", NULL);
    start(first);
    l.now = after_s(10);
    end(first);
    struct wall late = row_of("a", "")->t;
    double v = row_of("a", "")->billing;
    l.now = after_s(-50);
    uint32_t id = submit("a", NULL);
    start(id);
    l.now = after_s(10);
    end(id);
    assert_true(row_of("a", "")->t.ms == late.ms);
    assert_true(row_of("a", "")->billing > v && row_of("a", "")->billing < v + 370);
}

/* What was charged while the clock was ahead stays, and what comes after it counts in full. */
static void test_clock_was_ahead(void **state)
{
    (void)state;
    configure(100000);
    l.now = after_s(1000000);
    uint32_t first = submit("a", NULL);
    start(first);
    l.now = after_s(3);
    end(first);
    double v = row_of("a", "")->billing;
    l.now = after_s(-1000003);
    uint32_t id = submit("a", NULL);
    start(id);
    l.now = after_s(44);
    end(id);
    assert_true(row_of("a", "")->t.ms <= l.now.ms);
    double more = row_of("a", "")->billing - v;
    assert_true(more > 37 * 42 && more < 37 * 46);
}

static void test_a_table_that_is_ahead(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        configure(again ? 200 : 100);
        struct ev_usage one = {0};
        *rec_list_push(&one.rows) = (struct usage_row){.account = xstrdup("a"),
                                                       .user = xstrdup("u"),
                                                       .qos = xstrdup(""),
                                                       .partition = xstrdup(""),
                                                       .billing = 5,
                                                       .t = after_s(1000000)};
        lab_must(&l, EV_USAGE, 0, &one); /* read again after a restart */
        assert_true(row_of("a", "")->t.ms <= l.now.ms);
        l.m.usage.rows[0].t = after_s(1000000);
        configure(again ? 100 : 200); /* another half-life: all rows are settled */
        assert_true(row_of("a", "")->t.ms <= l.now.ms);
        assert_true(row_of("a", "")->billing > 4.9);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_fade),
        TEST(test_span),
        TEST(test_whole_allocation),
        TEST(test_account_is_the_group_where_none_is_given),
        TEST(test_qos_factor),
        TEST(test_nothing_is_charged_for_what_did_not_run),
        TEST(test_preempted_runs_are_told_apart),
        TEST(test_requeued_runs_are_charged_too),
        TEST(test_each_task_of_a_step_job),
        TEST(test_an_end_changes_nothing),
        TEST(test_new_half_life_from_its_day_on),
        TEST(test_save),
        TEST(test_unsound_tables_are_refused),
        TEST(test_clock_set_back),
        TEST(test_clock_was_ahead),
        TEST(test_a_table_that_is_ahead),
    };
    return cmocka_run_group_tests_name("usage", tests, NULL, NULL);
}
