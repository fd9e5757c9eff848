/* What running jobs use: sstat's rows by its manual (a Slurm whose accounting gathers could not be had),
 * and lines of the script of `srun --overlap` as a real step has printed them. */
#include "backend/slurm/live/slurm_probe.h"
#include "backend/slurm/live/slurm_use.h"
#include "backend/slurm/slurm_job.h"
#include "backend/slurm/slurm_mirror.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

static struct slurm_span span(const char *text)
{
    return (struct slurm_span){text, strlen(text)};
}

/* shape: rows that are no step of the user's, or have no figures, say nothing */
static void test_rows_of_sstat(void **state)
{
    (void)state;
    struct slurm_span rows =
        span("7.extern|cpu=00:00:00,mem=1M\n"
             "7.batch|cpu=00:00:02,energy=0,fs/disk=2012,mem=5648K,pages=0,vmem=9128K\n"
             "7.0|cpu=1-00:01:00,mem=1.50G\n"
             "7.1|\n7.2|cpu=,mem=\n7.3|cpu=00:00:01,mem=much\n"
             "7.4|cpu=213503982334-14:25:51,mem=1M\n7.5|cpu=UNLIMITED,mem=1M\n7.6|cpu=00:00:00,mem=1M\n"
             "nonsense\n");
    struct slurm_use_sample s = {0};
    slurm_use_read(&rows, &s);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.v[2].step, 6); /* of a time limit 00:00:00 would be none */
    assert_int_equal(s.v[2].cpu_ms, 0);
    assert_int_equal(s.v[0].step, STEP_BATCH);
    assert_int_equal(s.v[0].cpu_ms, 2000);
    assert_int_equal(s.v[0].mem_kib, 5648);
    assert_int_equal(s.v[1].step, 0);
    assert_int_equal(s.v[1].cpu_ms, (86400 + 60) * 1000);
    assert_int_equal(s.v[1].mem_kib, 1536 * 1024);
    free(s.v);
    struct slurm_span none = span("");
    slurm_use_read(&none, &s);
    assert_int_equal(s.n, 0);
    free(s.v);
}

/* units: permille of one CPU since the sample before */
static void test_use_between_samples(void **state)
{
    (void)state;
    struct slurm_use_step had[] = {{.step = 0, .cpu_ms = 10000, .mem_kib = 5}, {.step = 1, .cpu_ms = 9000}},
                          has[] = {{.step = 0, .cpu_ms = 30000, .mem_kib = 7},
                                   {.step = 1, .cpu_ms = 4000},
                                   {.step = 2, .cpu_ms = 5000}};
    struct slurm_use_sample before = {.at = {5 * NS_PER_S}, .n = 2, .v = had},
                            now = {.at = {15 * NS_PER_S}, .n = 3, .v = has};
    struct msg_job_use m = {0};
    slurm_use_between(&before, &now, &m);
    assert_int_equal(m.steps.n, 3);
    assert_int_equal(m.steps.v[0].cpu_permille, 2000);
    assert_int_equal(m.steps.v[0].mem_kib, 7);
    assert_int_equal(m.steps.v[1].cpu_permille, 0); /* it began again: nothing can be said */
    assert_int_equal(m.steps.v[2].cpu_permille, 500);
    rec_fini(&msg_job_use_rec, &m);
    m = (struct msg_job_use){0};
    slurm_use_between(&now, &now, &m); /* no time has passed */
    assert_int_equal(m.steps.n, 0);
    rec_fini(&msg_job_use_rec, &m);
}

static struct job *job_on_nodes(const char *const *nodes, size_t n)
{
    struct job *j = job_new();
    struct strv names = {0};
    j->id = 7;
    for (size_t i = 0; i < n; i++)
        strv_push(&names, nodes[i]);
    slurm_job_spread(j, &names, &(struct slurm_amounts){.nodes = (uint32_t)n, .cpus = 4, .mem_mib = 400});
    strv_fini(&names);
    return j;
}

static void utils_free(struct msg_util *u, size_t n)
{
    for (size_t i = 0; i < n; i++)
        rec_fini(&msg_util_rec, &u[i]);
    free(u);
}

#define W "\037qZ"

static void test_lines_of_the_probe(void **state)
{
    (void)state;
    static const char *const nodes[] = {"n1", "n2"};
    struct job *j = job_on_nodes(nodes, 2);
    j->alloc.v[0].gpus = (struct cpuset){{0}};
    cpuset_add_range(&j->alloc.v[0].gpus, 2, 2); /* GPUs 2 and 3 */
    struct slurm_span out =
        span("the site's prolog says hello\n" W " job n2 100.00 101.00 635 5128 8 735 5128 8 100 4096\n" W
             " job n1 13987.49 13988.59 635 5128 8 675 5128 8 100 4096\n" W
             " machine n1 2240954 2789998 2241173 2790217 18.52 24684084 22422740\n" W
             " gpu n1 93 4096 81559\n" W " gpu n1 [N/A] [N/A] [N/A]\n" W
             " job n9 1 2 0 0 0 0 0 0 100 4096\n" W " job n1 1 2 0 0 0 900 0 0 100 4096\n"
             "\037qY job n1 1 2 0 0 0 900 0 0 100 4096\n" W " gpu n2\n" W);
    struct msg_util *u;
    size_t n = slurm_probe_read(&out, W, j, (struct wall){5}, &u);
    assert_int_equal(n, 2);
    assert_string_equal(u[0].node, "n2");
    assert_int_equal(u[0].tasks.v[0].cpu_permille, 1000);
    assert_int_equal(u[0].gpus.n, 0); /* none of this job on that node */
    assert_string_equal(u[1].node, "n1");
    assert_int_equal(u[1].tasks.n, 1); /* the first line of a node counts */
    assert_int_equal(u[1].tasks.v[0].key.job, 7);
    assert_in_range(u[1].tasks.v[0].cpu_permille, 363, 364);
    assert_int_equal(u[1].tasks.v[0].rss_kib, 5128 * 4);
    assert_int_equal(u[1].cpu_permille, 1000);
    assert_int_equal(u[1].mem_mib, 24684084 / 1024);
    assert_int_equal(u[1].gpus.n, 1);
    assert_int_equal(u[1].gpus.v[0].index, 2); /* the first one that it shows is the first of the job */
    assert_int_equal(u[1].gpus.v[0].busy_pct, 93);
    assert_int_equal(u[1].gpus.v[0].mem_mib, 81559);
    utils_free(u, n);
    job_free(j);
}

/* A node without confinement shows the GPUs of all jobs, by their own numbers. */
static void test_gpus_of_other_jobs_are_left_out(void **state)
{
    (void)state;
    static const char *const nodes[] = {"n1"};
    struct job *j = job_on_nodes(nodes, 1);
    j->alloc.v[0].gpus = (struct cpuset){{0}};
    cpuset_add_range(&j->alloc.v[0].gpus, 1, 1);
    struct slurm_span out = span(W " gpu n1 10 1 2\n" W " gpu n1 20 1 2\n" W " gpu n1 30 1 2\n");
    struct msg_util *u;
    size_t n = slurm_probe_read(&out, W, j, (struct wall){5}, &u);
    assert_int_equal(n, 1);
    assert_int_equal(u[0].gpus.n, 1);
    assert_int_equal(u[0].gpus.v[0].index, 1);
    assert_int_equal(u[0].gpus.v[0].busy_pct, 20);
    utils_free(u, n);
    job_free(j);
}

static void test_accounting_that_gathers_nothing(void **state)
{
    (void)state;
    struct slurm_mirror *m = slurm_mirror_new(NULL, NULL);
    struct slurm_span none = span("ClusterName = a\nJobAcctGatherType       = jobacct_gather/none\n"),
                      some = span("ClusterName = a\nJobAcctGatherType       = jobacct_gather/cgroup\n");
    assert_true(slurm_mirror_gathers(m));
    assert_true(slurm_mirror_take_config(m, &none, NULL) >= 0);
    assert_false(slurm_mirror_gathers(m));
    assert_true(slurm_mirror_take_config(m, &some, NULL) >= 0);
    assert_true(slurm_mirror_gathers(m));
    slurm_mirror_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_sstat),
        cmocka_unit_test(test_use_between_samples),
        cmocka_unit_test(test_lines_of_the_probe),
        cmocka_unit_test(test_gpus_of_other_jobs_are_left_out),
        cmocka_unit_test(test_accounting_that_gathers_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
