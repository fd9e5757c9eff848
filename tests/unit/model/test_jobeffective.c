/* test_lost.c - what becomes of a job whose node is lost, and the lease that its attempts get. */
#include "src/base/xalloc.h"
#include "src/model/jobeffective.h"
#include "tests/lib/lab.h"

static struct lab l;

static void test_whose_word_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum lost_node job, part, cluster;
        bool older; /* lost_node_requeue, of logs from before there were four ways */
        enum lost_node want;
    } cases[] = {
        {"not said anywhere", LOST_NOT_SAID, LOST_NOT_SAID, LOST_NOT_SAID, false, LOST_HOLD},
        {"an older log", LOST_NOT_SAID, LOST_NOT_SAID, LOST_NOT_SAID, true, LOST_REQUEUE},
        {"the cluster", LOST_NOT_SAID, LOST_NOT_SAID, LOST_CANCEL, true, LOST_CANCEL},
        {"the partition before it", LOST_NOT_SAID, LOST_LEASE, LOST_CANCEL, false, LOST_LEASE},
        {"the job before all", LOST_HOLD, LOST_LEASE, LOST_CANCEL, true, LOST_HOLD},
        {"no such word", LOST_N, LOST_N, LOST_N, false, LOST_HOLD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab_init(&l);
        lab_node(&l, "n1", 4, 4096, 0, NULL);
        lab_part(&l, "main", "n1")->lost_node = cases[i].part;
        l.spec.lost_node = cases[i].cluster;
        l.spec.lost_node_requeue = cases[i].older;
        lab_configure(&l);
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        req_rare_mut(&j->req)->lost_node = cases[i].job;
        j->req.partition = xstrdup("main");
        uint32_t id = lab_submit(&l, j);
        check_int(cases[i].name, job_lost_node(&l.m, lab_get(&l, id)), cases[i].want);
        lab_fini(&l);
    }
}

/* How often a job is queued again at its time limit. */
static void test_restarts_at_the_limit(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t job, part;
        int32_t signal;
        uint32_t requeue; /* 2: --no-requeue */
        enum job_kind kind;
        uint32_t want;
    } cases[] = {
        {"not said anywhere", 0, 0, 0, 0, JOB_KIND_BATCH, 0},
        {"the job", 3, 0, 0, 0, JOB_KIND_BATCH, 3},
        {"the partition, with a signal", 0, 2, 10, 0, JOB_KIND_BATCH, 2},
        {"the partition, without a signal", 0, 2, 0, 0, JOB_KIND_BATCH, 0},
        {"the job before the partition", 3, 2, 10, 0, JOB_KIND_BATCH, 3},
        {"--no-requeue", 3, 2, 10, 2, JOB_KIND_BATCH, 0},
        {"an interactive job", 3, 2, 10, 0, JOB_KIND_INTERACTIVE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab_init(&l);
        lab_node(&l, "n1", 4, 4096, 0, NULL);
        lab_part(&l, "main", "n1")->limit_restarts = cases[i].part;
        lab_configure(&l);
        struct job *j = lab_job(&l, cases[i].kind);
        req_rare_mut(&j->req)->limit_restarts = cases[i].job;
        req_rare_mut(&j->req)->signal = cases[i].signal;
        req_detail_mut(&j->req)->requeue = cases[i].requeue;
        j->req.partition = xstrdup("main");
        uint32_t id = lab_submit(&l, j);
        check_int(cases[i].name, job_limit_restarts(&l.m, lab_get(&l, id)), cases[i].want);
        lab_fini(&l);
    }
}

/* The limit, as the controller or the node alone enforces it, and the bound. */
static void test_a_job_comes_back_at_its_limit(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 4, 4096, 0, NULL);
    lab_part(&l, "main", "n1");
    lab_configure(&l);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    req_rare_mut(&j->req)->limit_restarts = 2;
    uint32_t id = lab_submit(&l, j);
    for (uint32_t run = 0; run < 3; run++) {
        assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
        if (run != 1)
            assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_TIMEOUT, FATE_END), 0);
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, run == 1 ? END_TIMEOUT : END_KILLED, 0, 15), 0);
        assert_int_equal(lab_get(&l, id)->state, run < 2 ? JOB_PENDING : JOB_TIMEOUT);
        assert_int_equal(lab_get(&l, id)->hold, HOLD_NONE);
    }
    assert_int_equal(lab_get(&l, id)->restarts, 2);
    lab_fini(&l);
}

/* An attempt keeps the lease that it was given out with. */
static void test_lease_of_an_attempt(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 4, 4096, 0, NULL);
    lab_part(&l, "main", "n1");
    l.spec.lease_s = 40;
    lab_configure(&l);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    req_rare_mut(&j->req)->lost_node = LOST_LEASE;
    uint32_t id = lab_submit(&l, j), plain = lab_submit_kind(&l, JOB_KIND_BATCH);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_start(&l, plain, ARRAY_NONE, 0, lab_alloc("n1", 1, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_task(&l, id, STEP_BATCH, 0)->lease_s, 40);
    assert_int_equal(lab_task(&l, plain, STEP_BATCH, 0)->lease_s, 0);
    struct job *declared = lab_job(&l, JOB_KIND_STEPS);
    req_rare_mut(&declared->req)->lost_node = LOST_LEASE;
    lab_step(declared, "one", 1);
    uint32_t steps = lab_submit(&l, declared);
    assert_int_equal(lab_place(&l, steps, 0, 0, lab_alloc("n1", 2, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_task(&l, steps, 0, 0)->lease_s, 40);
    /* Its node ended it: as if the node had failed, so it comes back. */
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_LEASE, 0, 9), 0);
    assert_int_equal(lab_get(&l, id)->state, JOB_PENDING);
    assert_int_equal(lab_get(&l, id)->restarts, 1);
    lab_fini(&l);
}

static void test_words(void **state)
{
    (void)state;
    enum lost_node got = LOST_NOT_SAID;
    for (enum lost_node n = LOST_HOLD; n < LOST_N; n++) {
        assert_true(lost_node_parse(lost_node_text(n), &got));
        assert_int_equal(got, n);
    }
    assert_false(lost_node_parse("", &got));
    assert_false(lost_node_parse("perhaps", &got));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whose_word_counts),
        cmocka_unit_test(test_restarts_at_the_limit),
        cmocka_unit_test(test_a_job_comes_back_at_its_limit),
        cmocka_unit_test(test_lease_of_an_attempt),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
