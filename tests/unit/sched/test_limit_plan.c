/* test_limit_plan.c - limits and licences over time, by hand-worked tables. */
#include "backend/sched/limits/limits.h"
#include "src/base/xalloc.h"
#include "tests/lib/lab.h"

#define S INT64_C(1000)

static struct lab l;
static struct limits *lim;
static struct limit_plan *plan;
static unsigned next_cpu;

static struct limit_spec *limit(enum limit_scope scope, const char *name)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = scope, .name = xstrdup(name)};
    memset(&s->soft, 0xff, sizeof s->soft); /* LIMIT_NONE everywhere */
    s->hard = s->soft;
    return s;
}

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 64, 64000, 64, NULL);
    lab_part(&l, "main", "n1");
    next_cpu = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    limit_plan_free(plan);
    limits_free(lim);
    plan = NULL;
    lim = NULL;
    lab_fini(&l);
    return 0;
}

static void begin(void)
{
    lab_configure(&l);
    lim = limits_new(&l.m);
}

/* Runs with n GPUs, a CPU and its licences. */
static uint32_t run(const char *user, unsigned gpus, const char *licences)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    free(j->user);
    j->user = xstrdup(user);
    req_detail_mut(&j->req)->licenses = xstrdup(licences);
    uint32_t id = lab_submit(&l, j);
    struct ev_start body = {.array_index = ARRAY_NONE, .partition = xstrdup("main"), .time_limit_s = 3600};
    *(struct alloc *)rec_list_push(&body.alloc) = lab_alloc("n1", next_cpu, 1, next_cpu, gpus, 100);
    next_cpu += gpus ? gpus : 1;
    lab_must(&l, EV_START, id, &body);
    limits_recount(lim, &l.m, id);
    return id;
}

/* Of each of those that run, in the order of their ids: the end, in seconds from now; -1: without one. */
static void plan_for(const int64_t *ends)
{
    limit_plan_free(plan);
    plan = limit_plan_new(lim, &l.m);
    for (uint32_t id = 1; id < l.m.next_job; id++, ends++)
        limit_plan_run(plan, lab_get(&l, id), *ends < 0 ? WHEN_NEVER : l.now.ms + *ends * S);
    limit_plan_seal(plan, l.now.ms);
}

static struct limit_request ask_of(const char *user, uint64_t gpus)
{
    return (struct limit_request){.who = limits_who(lim, &l.m, user, "lab", NULL, "main"),
                                  .jobs = 1,
                                  .gpus = gpus,
                                  .cpus = 1,
                                  .nodes = 1,
                                  .limit_s = 600};
}

/* In seconds from now; -1: never. */
static int64_t next(const char *user, uint64_t gpus, const char *licences)
{
    struct limit_request request = ask_of(user, gpus);
    int64_t t = limit_plan_next(plan, &request, licences, l.now.ms, 600 * S);
    return t == WHEN_NEVER ? -1 : (t - l.now.ms) / S;
}

static void test_nothing_is_limited(void **state)
{
    (void)state;
    begin();
    plan = limit_plan_new(lim, &l.m);
    assert_null(plan);
    assert_int_equal(next("ann", 100, NULL), 0);
}

static void test_running_jobs(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*")->hard.running_jobs = 2;
    begin();
    limits_who(lim, &l.m, "ann", "lab", NULL, "main");
    run("ann", 0, NULL);
    run("ann", 0, NULL);
    run("bob", 0, NULL);
    plan_for((const int64_t[]){500, 300, 900});
    assert_int_equal(next("ann", 1, NULL), 300);
    assert_int_equal(next("bob", 1, NULL), 0);
    /* What is planned counts for those behind it: the one at 300 holds until 900, the one at 500 ends. */
    struct limit_request request = ask_of("ann", 1);
    limit_plan_take(plan, &request, NULL, l.now.ms + 300 * S, l.now.ms + 900 * S);
    assert_int_equal(next("ann", 1, NULL), 500);
    limit_plan_take(plan, &request, NULL, l.now.ms + 500 * S, l.now.ms + 1100 * S);
    assert_int_equal(next("ann", 1, NULL), 900);
}

static void test_gpus(void **state)
{
    (void)state;
    limit(LIMIT_CLUSTER, "")->hard.gpus = 8;
    begin();
    limits_who(lim, &l.m, "ann", "lab", NULL, "main");
    run("ann", 4, NULL);
    run("bob", 3, NULL);
    run("bob", 1, NULL);
    plan_for((const int64_t[]){100, 200, -1});
    assert_int_equal(next("cid", 0, NULL), 0); /* what is not asked for breaks nothing */
    assert_int_equal(next("cid", 4, NULL), 100);
    assert_int_equal(next("cid", 7, NULL), 200);
    assert_int_equal(next("cid", 8, NULL), -1); /* one goes on without an end */
}

static void test_gpu_minutes_fade(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*")->hard.gpu_minutes = 80; /* the ask is for 10 */
    l.spec.priority.decay_half_life_s = 1000;
    begin();
    run("ann", 2, NULL); /* 120 minutes until its limit */
    plan_for((const int64_t[]){3600});
    /* 120 fade to 70 within 1000 s x log2(120 / 70) of its end. */
    assert_in_range(next("ann", 1, NULL), 3600 + 777, 3600 + 778);
    assert_int_equal(next("ann", 9, NULL), -1); /* 90 by itself */
    assert_int_equal(next("bob", 1, NULL), 0);
}

static void test_licences(void **state)
{
    (void)state;
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("lic"), 3};
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("sim"), 1};
    begin();
    run("ann", 0, "lic:2");
    run("ann", 0, "lic,sim");
    plan_for((const int64_t[]){400, 200});
    assert_int_equal(next("bob", 0, NULL), 0);
    assert_int_equal(next("bob", 0, "lic"), 200);
    assert_int_equal(next("bob", 0, "lic:2"), 400);
    assert_int_equal(next("bob", 0, "sim,lic:2"), 400);
    struct limit_request request = ask_of("bob", 0);
    limit_plan_take(plan, &request, "lic:3", l.now.ms + 400 * S, l.now.ms + 1000 * S);
    assert_int_equal(next("bob", 0, "lic:2"), 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_is_limited), TEST(test_running_jobs), TEST(test_gpus),
        TEST(test_gpu_minutes_fade),   TEST(test_licences),
    };
    return cmocka_run_group_tests_name("limitplan", tests, NULL, NULL);
}
