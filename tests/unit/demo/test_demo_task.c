/* test_demo_task.c - made-up tasks: the same seed gives the same task, and output fits its run. */
#include <string.h>

#include "backend/demo/demo_machines.h"
#include "backend/demo/demo_output.h"
#include "backend/demo/demo_task.h"
#include "backend/demo/demo_work.h"
#include "src/conf/conf.h"
#include "tests/lib/check.h"

static struct demo_task task_of(char *name, uint32_t job, uint64_t seed)
{
    struct launch l = {.key = {.job = job, .step = STEP_BATCH, .attempt = 1, .nonce = seed * 31 + job},
                       .job_name = name,
                       .is_batch = true};
    struct demo_task t;
    demo_task_init(&t, &l, seed);
    return t;
}

static void same_seed_gives_the_same_task(void **state)
{
    (void)state;
    char name[] = "train-resnet";
    struct demo_task a = task_of(name, 7, 1), b = task_of(name, 7, 1), c = task_of(name, 7, 2);
    assert_int_equal(a.run_ms, b.run_ms);
    assert_int_equal(a.seed, b.seed);
    assert_int_not_equal(a.run_ms, c.run_ms);
}

static void nonce_does_not_count(void **state)
{
    (void)state;
    char name[] = "eval";
    struct launch l = {.key = {.job = 3, .step = STEP_BATCH, .nonce = 1}, .job_name = name};
    struct demo_task a, b;
    demo_task_init(&a, &l, 5);
    l.key.nonce = 2;
    demo_task_init(&b, &l, 5);
    assert_int_equal(a.run_ms, b.run_ms);
}

static void some_elements_fail(void **state)
{
    (void)state;
    char name[] = "sweep";
    unsigned failed = 0;
    for (uint32_t job = 1; job <= 1000; job++) {
        struct demo_task t = task_of(name, job, 1);
        failed += t.code != 0;
        assert_true(t.run_ms > 0 && t.run_ms <= t.full_ms);
        assert_int_equal(t.code != 0, t.fail_text != NULL);
    }
    assert_in_range(failed, 20, 80);
}

static void pieces_come_in_order(void **state)
{
    (void)state;
    char names[][16] = {"train-resnet", "eval", "merge", "relax", "anything"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct demo_task t = task_of(names[i], 11, 1);
        struct str out = STR_INIT;
        uint32_t n = 0;
        int64_t last = 0;
        for (int64_t at; (at = demo_output_at(&t, n)) != INT64_MAX; n++) {
            assert_true(at >= last && at <= t.full_ms);
            demo_output_append(&t, n, &out);
            last = at;
        }
        assert_true(n > 2 && out.len > 50);
        str_fini(&out);
    }
}

static void bar_is_of_one_line(void **state)
{
    (void)state;
    char name[] = "train-resnet";
    struct demo_task t = task_of(name, 11, 1);
    struct str out = STR_INIT;
    demo_output_append(&t, 5, &out);
    assert_int_equal(out.s[0], '\r');
    assert_null(strchr(out.s, '\n'));
    assert_non_null(strstr(out.s, "loss="));
    str_fini(&out);
}

static void usage_is_a_percentage(void **state)
{
    (void)state;
    char name[] = "finetune"; /* its script starts no step that works for it */
    struct demo_task t = task_of(name, 2, 1);
    for (int64_t ms = 0; ms < 600000; ms += 1000) {
        assert_in_range(demo_task_gpu_pct(&t, 1, ms), 0, 100);
        assert_in_range(demo_task_cpu_pct(&t, ms), 0, 100);
    }
    assert_true(demo_task_gpu_pct(&t, 1, 100000) > 80);
}

static void every_row_is_a_submission(void **state)
{
    (void)state;
    uint32_t *ids = test_calloc(demo_n_works, sizeof *ids);
    for (unsigned i = 0; i < demo_n_works; i++) {
        struct msg_submit m;
        struct errtext err = {""};
        if (demo_work_message(&demo_works[i], ids, (struct wall){.ms = 1795255200000}, &m, &err) < 0)
            fail_msg("%s: %s", demo_works[i].name, err.s);
        assert_string_equal(m.req.name, demo_works[i].name);
        assert_string_equal(m.host, DEMO_LOGIN);
        for (size_t k = 0; k < m.payload.env.n; k++)
            assert_null(strstr(m.payload.env.v[k], "STOKER_HOME"));
        rec_fini(&msg_submit_rec, &m);
        ids[i] = 100 + i;
    }
    test_free(ids);
}

static void configurations_are_right(void **state)
{
    (void)state;
    for (int size = DEMO_SMALL; size <= DEMO_CLUSTER; size++) {
        struct str text = STR_INIT;
        struct cluster_spec spec;
        struct errtext err = {""};
        demo_cluster_config((enum demo_size)size, "/nowhere", &text);
        if (conf_parse("stoker.cfg", text.s, &spec, &err) < 0)
            fail_msg("%s", err.s);
        rec_fini(&cluster_spec_rec, &spec);
        str_fini(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_seed_gives_the_same_task),
                                       cmocka_unit_test(nonce_does_not_count),
                                       cmocka_unit_test(some_elements_fail),
                                       cmocka_unit_test(pieces_come_in_order),
                                       cmocka_unit_test(bar_is_of_one_line),
                                       cmocka_unit_test(usage_is_a_percentage),
                                       cmocka_unit_test(every_row_is_a_submission),
                                       cmocka_unit_test(configurations_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
