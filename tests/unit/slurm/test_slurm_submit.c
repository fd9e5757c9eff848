/* What sbatch is told, and what its answers come to. */
#include "backend/slurm/slurm_submit.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "backend/slurm/slurm_intent.h"
#include "backend/slurm/slurm_sbatch.h"
#include "backend/slurm/slurm_trial.h"
#include "src/base/xalloc.h"
#include "tests/unit/slurm/fixture.h"

static void test_job_of_an_answer(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t job;
    } rows[] = {
        {"", 0},
        {"12", 0}, /* may be the beginning of 123 */
        {"12\n", 12},
        {"12;cluster\n", 12},
        {"wrapper 2.0\n12\n", 12},
        {"12\nbye\n", 12},
        {"12x\n", 0},
        {"-12\n", 0},
        {"99999999999\n", 0},
        {"4294967295\n", 0},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        check_int(rows[i].text, slurm_intent_job(rows[i].text), rows[i].job);
}

static void test_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",    ".",       "..",  "a/b",
        "a b", "../../x", "a\n", "0123456789012345678901234567890123456789012345678901234567890123456"};
    assert_true(slurm_intent_is_number("0a1b-2c"));
    assert_false(slurm_intent_is_number(NULL));
    for (size_t i = 0; i < N_OF(bad); i++)
        check_int(bad[i], slurm_intent_is_number(bad[i]), false);
}

static void test_intent_outlives_its_writer(void **state)
{
    (void)state;
    char root[] = "/tmp/st-intent.XXXXXX";
    assert_non_null(mkdtemp(root));
    struct blob script = {.p = (uint8_t *)(uintptr_t) "#!/bin/sh\n", .n = 10};
    struct slurm_intent first, second;
    struct slurm_intent_state is;
    struct errtext err;
    assert_int_equal(slurm_intent_begin(root, "n1", "job.sh", &script, &first, &err), 0);
    slurm_intent_read(root, "n1", &is);
    assert_true(is.is_there && is.runs && !is.job);
    slurm_intent_state_fini(&is);
    /* While its sbatch runs no other server begins it again. */
    assert_int_equal(slurm_intent_begin(root, "n1", "job.sh", &script, &second, &err), -EBUSY);
    assert_int_equal(write(first.out_fd, "77\n", 3), 3);
    slurm_intent_fini(&first);
    slurm_intent_read(root, "n1", &is);
    assert_true(is.is_there && !is.runs);
    assert_int_equal(is.job, 77);
    slurm_intent_state_fini(&is);
    struct strv all;
    slurm_intent_list(root, &all);
    assert_int_equal(all.n, 1);
    strv_fini(&all);
    slurm_intent_forget(root, "n1");
    slurm_intent_read(root, "n1", &is);
    assert_false(is.is_there);
    slurm_intent_state_fini(&is);
    assert_int_equal(rmdir(root), 0);
}

static void test_doubt(void **state)
{
    (void)state;
    static const struct {
        const char *says;
        bool doubtful;
    } rows[] = {
        {"", true}, /* it was killed */
        {"sbatch: error: Batch job submission failed: Socket timed out on send/recv operation", true},
        {"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)",
         true},
        {"sbatch: error: Batch job submission failed: Zero Bytes were transmitted or received", true},
        {"sbatch: error: Batch job submission failed: Invalid qos specification", false},
        {"sbatch: error: invalid partition specified: x\n", false},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        check_int(rows[i].says, slurm_submit_is_doubtful(rows[i].says), rows[i].doubtful);
}

static void test_answers_of_tests(void **state)
{
    (void)state;
    static const char says[] = "sbatch: Job 12 to start at 2026-11-23T06:30:00 using 4 processors on nodes "
                               "n[1-2] in partition main\n";
    struct slurm_span when = {"2026-11-23T06:30:00", 19};
    struct wall start = slurm_time(&when);
    struct msg_result r;
    slurm_trial_read(says, start, &r);
    assert_int_equal(r.refusal, REFUSAL_NONE);
    assert_int_equal(r.count, 1);
    assert_string_equal(r.cause.nodes, "n[1-2]");
    assert_string_equal(r.cause.part, "main");
    rec_fini(&msg_result_rec, &r);
    slurm_trial_read(says, wall_add_s(start, -60), &r);
    assert_int_equal(r.count, 0);
    assert_string_equal(
        r.text, "to start at 2026-11-23T06:30:00 using 4 processors on nodes n[1-2] in partition main");
    rec_fini(&msg_result_rec, &r);
    slurm_trial_read("allocation failure: Requested node configuration is not available", start, &r);
    assert_int_equal(r.refusal, REFUSAL_NEVER_FITS);
    rec_fini(&msg_result_rec, &r);
}

static void test_words(void **state)
{
    (void)state;
    static const char text[] =
        "#!/bin/sh\n#SBATCH --time=30 --nodes=2 --switches=1\n#SBATCH --mem=2G\ntrue\n";
    struct msg_submit m = {.kind = JOB_KIND_BATCH, .hold = true};
    struct strv words = {0}, own = {0};
    job_req_init(&m.req);
    m.req.time_limit_s = 1800; /* as in the script */
    m.req.nodes_min = m.req.nodes_max = 4;
    m.req.mem_node_mib = 2048;
    m.req.name = xstrdup("a|b\n;c");
    m.req.workdir = xstrdup("/data");
    req_detail_mut(&m.req)->exclusive = true;
    m.payload.script = (struct blob){.p = (uint8_t *)xstrdup(text), .n = strlen(text)};
    strv_push(&m.payload.env, "SLURM_SUBMIT_DIR=/home/ann");
    strv_push(&m.payload.env, "SBATCH_PARTITION=x");
    strv_push(&m.payload.env, "LANG=pl_PL.UTF-8");
    strv_push(&own, "SLURM_CONF=/etc/slurm.conf");
    slurm_sbatch_words(&m, &words);
    char *line = strv_join(&words, " ");
    assert_string_equal(line,
                        "sbatch --parsable --exclusive --job-name=a|b\n;c --nodes=4 --chdir=/data --hold");
    req_detail_mut(&m.req)->exclusive = false;
    req_detail_mut(&m.req)->exclusive_user = true;
    slurm_sbatch_words(&m, &words);
    assert_string_equal(words.v[words.n - 5], "--exclusive=user");
    free(line);
    strv_fini(&words);
    struct strv env = slurm_sbatch_env(&m, &own);
    assert_null(strv_getenv(&env, "SBATCH_PARTITION"));
    assert_string_equal(strv_getenv(&env, "SLURM_CONF"), "/etc/slurm.conf");
    assert_string_equal(strv_getenv(&env, "LANG"), "pl_PL.UTF-8");
    assert_string_equal(strv_getenv(&env, "PWD"), "/home/ann");
    strv_fini(&env);
    strv_fini(&own);
    rec_fini(&msg_submit_rec, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job_of_an_answer),           cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_intent_outlives_its_writer), cmocka_unit_test(test_doubt),
        cmocka_unit_test(test_answers_of_tests),           cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
