/* test_sim_play.c - random workloads on random clusters, simulated to their end: every job that came in has
 * ended, no more has been allocated than there is, the books agree, and the same input gives the same
 * schedule. A forecast in a long queue is not made for each submission.
 */
#include <inttypes.h>

#include "backend/sim/generate.h"
#include "backend/sim/play.h"
#include "backend/sim/simcluster.h"
#include "src/base/str.h"
#include "src/conf/conf.h"
#include "tests/lib/check.h"

#define RUNS 30

static uint64_t rnd;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(check_rand(&rnd) % n);
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

static const char *pick(const char *const *words, uint32_t n)
{
    return words[below(n)];
}

/* Preemption by tier or by QOS, not both at once: who may preempt stands first in the order then. */
static void make_cluster_text(struct str *out)
{
    static const char *const modes[] = {"off", "requeue", "cancel"};
    static const char *const backfills[] = {"conservative", "easy", "off"};
    static const char *const sets[] = {"ALL", "n[1-2]", "n[2-4]", "n1"};
    bool by_tier = one_in(2);
    str_appendf(
        out,
        "nodes = ( { name = \"n[1-4]\"; cpus = %u; memory = \"%uG\"; gpus = %u; detect = false; } );\n",
        2 + below(15), 8 + below(60), below(5));
    str_appendf(out, "partitions = ( { name = \"a\"; default = true; priority_tier = %u; }",
                by_tier ? 2 : 1);
    str_appendf(out,
                ", { name = \"b\"; nodes = \"%s\"; preempt_mode = \"%s\"; grace_time = \"%us\"; "
                "requeue_after_grace = %s; }",
                pick(sets, 4), pick(modes, 3), below(2) * below(90), one_in(2) ? "true" : "false");
    str_appendf(out, ", { name = \"c\"; nodes = \"%s\"; } );\n", pick(sets, 4));
    str_appendf(out, "scheduler = { backfill = \"%s\"; reservations = %u; };\n", pick(backfills, 3),
                1 + below(4));
    str_append(out, "priority = { weight_qos = 1000000; };\n");
    str_appendf(out,
                "qos = ( { name = \"low\"; }, { name = \"high\"; priority = 100; preempt = [%s]; } );\n",
                by_tier ? "" : "\"low\"");
    str_append(
        out,
        "limits = ( { scope = \"user\"; name = \"*\"; partition = \"c\"; hard = { running_jobs = 3; }; }");
    if (one_in(2))
        str_appendf(out, ", { scope = \"user\"; name = \"u1\"; soft = { cpus = %u; }; }", 1 + below(8));
    if (one_in(3))
        str_appendf(out, ", { scope = \"cluster\"; hard = { cpus = %u; }; }", 4 + below(20));
    str_append(out, " );\n");
}

static void make_workload_text(struct str *out)
{
    static const char *const parts[] = {"a", "b", "c", "a,b", "b,c"};
    static const char *const qos[] = {"low", "high", "normal"};
    str_appendf(out,
                "days = 3.0; jobs_per_day = %u.0; day_night = 0.%u; drain = true; seed = %u;\nusers = ( ",
                20 + below(100), below(10), below(1000));
    for (uint32_t i = 0; i < 3; i++)
        str_appendf(out, "%s{ name = \"u%u\"; demand = %u.5; partition = \"%s\"; qos = \"%s\"; }",
                    i ? ", " : "", i, below(4), pick(parts, 5), pick(qos, 3));
    str_append(out, " );\nshapes = ( ");
    for (uint32_t i = 0; i < 3; i++)
        str_appendf(out,
                    "%s{ name = \"s%u\"; cpus = %u; memory = \"%uM\"; gpus = %u; run = \"%um\"; burst = "
                    "%u; exclusive = %s; "
                    "keeps_work = %s; %s }",
                    i ? ", " : "", i, 1 + below(6), 100 + below(4000), one_in(2) ? 0 : below(3),
                    1 + below(200), one_in(3) ? 5 : 1, one_in(6) ? "true" : "false",
                    one_in(2) ? "true" : "false", one_in(3) ? "nodes = 2; tasks = 2;" : "");
    str_append(out, " );\n");
}

static void check_job(const struct play_job *j, const struct sim_job *s, uint32_t nr)
{
    if (j->refusal != REFUSAL_NONE) {
        assert_int_equal(j->id, 0);
        return;
    }
    if (!job_state_is_final(j->state))
        fail_msg("job %u is %s after the end", nr, job_state_long(j->state));
    assert_true(j->id && j->start_s >= s->submit_s && j->end_s >= j->start_s);
    int64_t most = s->run_s < s->limit_s ? s->run_s : s->limit_s;
    if (j->state == JOB_COMPLETED && !j->preempted)
        assert_int_equal(j->ran_s, s->run_s);
    if (j->state == JOB_TIMEOUT && !j->preempted)
        assert_int_equal(j->ran_s, s->limit_s);
    if (!j->preempted)
        assert_int_equal(j->end_s - j->start_s, most);
    assert_true(j->lost_cpu_s <= j->cpu_s && j->lost_gpu_s <= j->gpu_s);
}

static void check_books(const struct play *r, const struct workload *w, const struct cluster_spec *cluster)
{
    struct sim_capacity have = simcluster_capacity(cluster, NULL);
    double cpu_s = 0, gpu_s = 0;
    for (uint32_t i = 0; i < r->n_jobs; i++) {
        check_job(&r->jobs[i], &w->jobs.v[i], i);
        cpu_s += r->jobs[i].cpu_s;
        gpu_s += r->jobs[i].gpu_s;
    }
    assert_true(cpu_s > r->cpu_s - 1 && cpu_s < r->cpu_s + 1 && gpu_s > r->gpu_s - 1 &&
                gpu_s < r->gpu_s + 1);
    assert_true(cpu_s <= have.cpus * (double)r->end_s && gpu_s <= have.gpus * (double)r->end_s);
}

static void run(unsigned nr, unsigned *started, unsigned *preempted)
{
    struct str cluster_text = STR_INIT, work_text = STR_INIT;
    struct cluster_spec cluster;
    struct made_spec made;
    struct workload w;
    struct play r[2];
    struct errtext err = {""};
    make_cluster_text(&cluster_text);
    make_workload_text(&work_text);
    printf("run %u\n%s%s", nr, cluster_text.s, work_text.s);
    fflush(stdout);
    if (conf_parse("cluster", cluster_text.s, &cluster, &err) < 0 ||
        generate_parse("workload", work_text.s, &made, &err) < 0 ||
        generate_workload(&made, "workload", &cluster, &w, &err) < 0)
        fail_msg("%s", err.s);
    for (int i = 0; i < 2; i++)
        if (play_run(&cluster, &w, NULL, &r[i], &err) < 0)
            fail_msg("%s", err.s);
    check_books(&r[0], &w, &cluster);
    assert_int_equal(r[0].n_jobs, r[1].n_jobs);
    for (size_t i = 0; i < r[0].n_jobs; i++) {
        assert_int_equal(r[0].jobs[i].start_s, r[1].jobs[i].start_s);
        assert_int_equal(r[0].jobs[i].end_s, r[1].jobs[i].end_s);
        *started += r[0].jobs[i].start_s >= 0;
        *preempted += r[0].jobs[i].preempted;
    }
    play_fini(&r[0]);
    play_fini(&r[1]);
    workload_fini(&w);
    rec_fini(&made_spec_rec, &made);
    rec_fini(&cluster_spec_rec, &cluster);
    str_fini(&cluster_text);
    str_fini(&work_text);
}

static void test_any_month(void **state)
{
    (void)state;
    rnd = check_seed();
    unsigned started = 0, preempted = 0;
    for (unsigned i = 0; i < RUNS; i++)
        run(i, &started, &preempted);
    printf("%u starts, %u preemptions\n", started, preempted);
    assert_true(started > 100 * RUNS && preempted > 0); /* something happened */
}

/* One node, and n jobs of an hour that come a second apart: nearly all of them wait. */
static uint64_t forecast_jobs_of(uint32_t n)
{
    struct cluster_spec cluster;
    struct workload w;
    struct play r;
    struct errtext err = {""};
    if (conf_parse("cluster",
                   "nodes = ( { name = \"n1\"; cpus = 1; memory = \"1G\"; detect = false; } );\n"
                   "partitions = ( { name = \"a\"; default = true; } );\n",
                   &cluster, &err) < 0)
        fail_msg("%s", err.s);
    workload_init(&w, "long queue");
    vec_push(&w.users, ((struct sim_user){.name = xstrdup("u"), .group = xstrdup("g")}));
    struct job *j = job_new();
    struct sim_shape shape = {.name = xstrdup("s")};
    rec_copy(&job_req_rec, &shape.req, &j->req);
    shape.req.ntasks = shape.req.cpus_per_task = 1;
    job_free(j);
    vec_push(&w.shapes, shape);
    for (uint32_t i = 0; i < n; i++)
        vec_push(&w.jobs, ((struct sim_job){.id = i + 1,
                                            .submit_s = i,
                                            .run_s = 3600,
                                            .limit_s = 3600,
                                            .tasks = NOT_GIVEN,
                                            .mem_cpu_mib = MEM_NOT_GIVEN}));
    w.until_s = n;
    if (play_run(&cluster, &w, NULL, &r, &err) < 0)
        fail_msg("%s", err.s);
    assert_true(r.jobs[0].start_s == 0 && r.jobs[n - 1].id && r.jobs[n - 1].start_s < 0);
    uint64_t sum = r.forecast_jobs;
    play_fini(&r);
    workload_fini(&w);
    rec_fini(&cluster_spec_rec, &cluster);
    return sum;
}

static void test_forecasts_of_a_long_queue(void **state)
{
    (void)state;
    uint64_t few = forecast_jobs_of(300), some = forecast_jobs_of(2000), many = forecast_jobs_of(4000);
    printf("%" PRIu64 ", %" PRIu64 ", %" PRIu64 " jobs in forecasts\n", few, some, many);
    assert_true(few >= 299 * 298 / 2); /* after each submission */
    assert_true(some > 2000 * 128 && many < 4000 * 512 && many < some * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_month),
                                       cmocka_unit_test(test_forecasts_of_a_long_queue)};
    return cmocka_run_group_tests_name("sim_play", tests, NULL, NULL);
}
