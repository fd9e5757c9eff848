/* test_generate.c - workloads that are made up: what the description says is what comes, and what is wrong
 * with one is said with its line. */
#include <errno.h>
#include <math.h>

#include "backend/sim/generate.h"
#include "backend/sim/random.h"
#include "backend/sim/simcluster.h"
#include "src/base/str.h"
#include "tests/lib/check.h"
#include "tests/lib/doc.h"

#define ONE_SHAPE "shapes = ( { name = \"s\"; } );\n"
#define ONE_USER  "users = ( { name = \"u\"; } );\n"

static void make(const char *text, struct workload *ret)
{
    struct made_spec made;
    struct cluster_spec cluster;
    struct errtext err = {""};
    simcluster_small(&cluster);
    if (generate_parse("w", text, &made, &err) < 0 ||
        generate_workload(&made, "w", &cluster, ret, &err) < 0)
        fail_msg("%s", err.s);
    rec_fini(&made_spec_rec, &made);
    rec_fini(&cluster_spec_rec, &cluster);
}

static void near(const char *what, double got, double want, double share)
{
    if (fabs(got - want) > share * want)
        fail_msg("%s is %g, not near %g", what, got, want);
}

static void test_wrong_descriptions(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *says;
    } cases[] = {
        {"nothing", "", "w:"},
        {"no users", ONE_SHAPE, "at least one user"},
        {"no shapes", ONE_USER, "at least one user and one shape"},
        {"a slip", ONE_USER "shapes = ( { name = \"s\";\n gpu = 1; } );", "w:3: \"gpu\""},
        {"a shape that is none", ONE_SHAPE "users = (\n { name = \"u\"; shapes = [\"t\"]; } );",
         "w:3: user u: there is no shape \"t\""},
        {"twice", ONE_SHAPE "users = ( { name = \"u\"; }, { name = \"u\"; } );", "user u is there twice"},
        {"no demand", ONE_SHAPE "users = ( { name = \"u\"; demand = 0.0; } );", "no user has any demand"},
        {"no weight", ONE_USER "shapes = ( { name = \"s\"; weight = 0.0; } );",
         "user u: no shape with any weight"},
        {"a bad run", ONE_USER "shapes = ( { name = \"s\"; run = \"soon\"; } );", "w:2: "},
        {"a bad share", ONE_USER ONE_SHAPE "day_night = 2.0;", "w:3: "},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct made_spec made;
        struct errtext err = {""};
        check_int(cases[i].name, generate_parse("w", cases[i].text, &made, &err), -EINVAL);
        check_has(cases[i].name, err.s, cases[i].says);
    }
}

static void test_impossible_loads(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *says;
        int rc;
    } cases[] = {
        {"no GPUs", ONE_USER "shapes = ( { name = \"s\"; gpus = 1; } );", "ask for GPUs", -EINVAL},
        {"too many", ONE_USER ONE_SHAPE "jobs_per_day = 100000000.0;", "too many", -E2BIG},
    };
    struct cluster_spec cluster;
    simcluster_small(&cluster);
    for (size_t i = 0; i < cluster.nodes.n; i++)
        cluster.nodes.v[i].gpus = 0;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct made_spec made;
        struct workload w;
        struct errtext err = {""};
        check_int(cases[i].name, generate_parse("w", cases[i].text, &made, &err), 0);
        check_int(cases[i].name, generate_workload(&made, "w", &cluster, &w, &err), cases[i].rc);
        check_has(cases[i].name, err.s, cases[i].says);
        rec_fini(&made_spec_rec, &made);
    }
    rec_fini(&cluster_spec_rec, &cluster);
}

static void test_rates(void **state)
{
    (void)state;
    struct workload w;
    make("days = 100.0; jobs_per_day = 200.0; day_night = 1.0;\n"
         "users = ( { name = \"a\"; demand = 3.0; }, { name = \"b\"; shapes = [\"y\"]; } );\n"
         "shapes = ( { name = \"x\"; weight = 4.0; }, { name = \"y\"; run = \"2h\"; spread = 0.5; } );",
         &w);
    double n = (double)w.jobs.n, a = 0, x_of_a = 0, y_of_b = 0, by_day = 0, log_sum = 0, y = 0;
    int64_t last = 0;
    vec_for_each (&w.jobs, i) {
        const struct sim_job *j = &w.jobs.v[i];
        assert_true(j->submit_s >= last && j->run_s >= 1 && j->id == (int64_t)i + 1);
        last = j->submit_s;
        a += j->user == 0;
        x_of_a += j->user == 0 && j->shape == 0;
        y_of_b += j->user == 1 && j->shape == 1;
        by_day += j->submit_s % 86400 >= 8 * 3600 && j->submit_s % 86400 < 20 * 3600;
        y += j->shape == 1;
        log_sum += j->shape == 1 ? log((double)j->run_s) : 0;
    }
    assert_true(last < 100 * 86400 && w.until_s == 100 * 86400);
    near("jobs", n, 20000, 0.03);
    near("share of a", a / n, 0.75, 0.03);
    near("share of x in what a submits", x_of_a / a, 0.8, 0.03);
    assert_true(y_of_b == n - a); /* nothing but y */
    near("share between eight and eight", by_day / n, 0.5 + 1 / 3.14159, 0.03);
    near("median run of y", exp(log_sum / y), 7200, 0.05);
    workload_fini(&w);
}

static void test_limits(void **state)
{
    (void)state;
    struct workload w;
    make("days = 50.0; jobs_per_day = 200.0;\n" ONE_USER
         "shapes = ( { name = \"s\"; run = \"1h\"; over_factor = 4.0; overruns = 0.1; },"
         " { name = \"t\"; run = \"1h\"; limit = \"90m\"; } );",
         &w);
    double n = 0, over = 0;
    size_t values = 0;
    uint32_t seen[64];
    vec_for_each (&w.jobs, i) {
        const struct sim_job *j = &w.jobs.v[i];
        if (j->shape == 1) {
            assert_int_equal(j->limit_s, 5400);
            continue;
        }
        n++;
        over += j->run_s > j->limit_s;
        size_t k = 0;
        while (k < values && seen[k] != j->limit_s)
            k++;
        if (k == values) {
            assert_true(values < N_OF(seen));
            seen[values++] = j->limit_s;
        }
    }
    near("share of jobs that overrun", over / n, 0.1, 0.15);
    assert_true(values <= 20); /* people write few different ones */
    workload_fini(&w);
}

/* What the jobs ask for, cut at their limits, is the load that was asked for. */
static void test_load(void **state)
{
    (void)state;
    static const struct {
        const char *name, *shapes;
        double cpus, gpus; /* of each job */
    } cases[] = {
        {"cpus", "{ name = \"s\"; tasks = 2; cpus = 4; }", 8, 0},
        {"gpus", "{ name = \"s\"; cpus = 2; gpus = 1; burst = 3; }", 2, 1},
        {"gpus on nodes", "{ name = \"s\"; nodes = 2; tasks = 2; gpus = 2; }", 2, 4},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct workload w;
        struct str text = STR_INIT;
        str_appendf(&text, "days = 300.0; load = 0.7;\n" ONE_USER "shapes = ( %s );", cases[i].shapes);
        make(text.s, &w);
        double busy = 0;
        vec_for_each (&w.jobs, k) {
            const struct sim_job *j = &w.jobs.v[k];
            busy += (double)(j->run_s < j->limit_s ? j->run_s : j->limit_s);
        }
        double cpus = busy * cases[i].cpus / (128 * 300 * 86400.0),
               gpus = busy * cases[i].gpus / (16 * 300 * 86400.0);
        near(cases[i].name, cpus > gpus ? cpus : gpus, 0.7, 0.06);
        workload_fini(&w);
        str_fini(&text);
    }
}

static void test_requests(void **state)
{
    (void)state;
    struct workload w;
    make("days = 20.0; jobs_per_day = 20.0; drain = true;\n"
         "users = ( { name = \"a\"; group = \"g\"; account = \"acc\"; qos = \"q\"; partition = \"p,r\"; }, "
         "{ name = \"b\"; } );\n"
         "shapes = ( { name = \"s\"; nodes = 2; tasks = 4; cpus = 3; memory = \"2G\"; gpus = 1; gpu_type = "
         "\"a100\";"
         " features = [\"x\", \"y\"]; exclusive = true; partition = \"own\"; }, { name = \"t\"; gpus = 5; "
         "keeps_work = true; } );",
         &w);
    assert_int_equal(w.until_s, 0);
    check_str("user", w.users.v[0].name, "a");
    check_str("group", w.users.v[0].group, "g");
    check_str("account", w.users.v[0].account, "acc");
    check_str("qos", w.users.v[0].qos, "q");
    check_str("group of all", w.users.v[1].group, "users");
    unsigned seen[2][2] = {{0}};
    vec_for_each (&w.jobs, i) {
        const struct sim_job *j = &w.jobs.v[i];
        const struct sim_shape *s = &w.shapes.v[j->shape];
        const struct job_req *r = &s->req;
        bool is_s = str_eq(s->name, "s");
        seen[j->user][is_s]++;
        check_str("partition", r->partition, j->user == 0 ? "p,r" : is_s ? "own" : NULL);
        assert_int_equal(r->nodes_min, is_s ? 2 : NOT_GIVEN);
        assert_int_equal(r->ntasks, is_s ? 4 : 1);
        assert_int_equal(r->cpus_per_task, is_s ? 3 : 1);
        assert_true(r->mem_node_mib == (is_s ? 2048 : MEM_NOT_GIVEN));
        assert_int_equal(r->gpus_per_node, is_s ? 1 : NOT_GIVEN);
        assert_int_equal(r->gpus, is_s ? NOT_GIVEN : 5);
        check_str("type", req_detail(r)->gpu_type, is_s ? "a100" : NULL);
        check_str("features", req_detail(r)->features, is_s ? "x&y" : NULL);
        assert_int_equal(req_detail(r)->exclusive, is_s);
        assert_int_equal(s->keeps_work, !is_s);
    }
    assert_true(seen[0][0] && seen[0][1] && seen[1][0] && seen[1][1]);
    workload_fini(&w);
}

static void test_random_numbers(void **state)
{
    (void)state;
    struct random r = {.state = 42};
    double unit = 0, exponential = 0, normal = 0, square = 0;
    const int n = 200000;
    for (int i = 0; i < n; i++) {
        double u = random_unit(&r), e = random_exponential(&r), x = random_normal(&r);
        assert_true(u >= 0 && u < 1 && e >= 0 && isfinite(e) && isfinite(x));
        unit += u;
        exponential += e;
        normal += x;
        square += x * x;
    }
    near("mean of uniform numbers", unit / n, 0.5, 0.01);
    near("mean of exponential numbers", exponential / n, 1, 0.01);
    near("variance of normal numbers", square / n, 1, 0.02);
    assert_true(fabs(normal / n) < 0.01);
}

static void test_the_documentation_is_that_of_the_tables(void **state)
{
    (void)state;
    struct str reference = STR_INIT;
    generate_reference(&reference);
    doc_must_end_with("docs/WORKLOAD.md", "with tests/sim/test_generate. -->\n\n", reference.s);
    str_fini(&reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_descriptions),
        cmocka_unit_test(test_impossible_loads),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_random_numbers),
        cmocka_unit_test(test_the_documentation_is_that_of_the_tables),
    };
    return cmocka_run_group_tests_name("generate", tests, NULL, NULL);
}
