/* test_priority.c - each factor of a priority by a table, and that their sum is the priority. A cluster of
 * 100 CPUs, 100 GiB and 8 GPUs. */
#include <math.h>

#include "backend/sched/priority/priority.h"
#include "src/base/xalloc.h"
#include "tests/lib/lab_cycle.h"

static struct lab l;
static struct sched_view view;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 60, 60 * 1024, 8, NULL);
    lab_node(&l, "n2", 40, 40 * 1024, 0, NULL);
    lab_part(&l, "main", "n[1-2]")->priority_job_factor = 1;
    lab_part(&l, "fast", "n1")->priority_job_factor = 4;
    lab_part(&l, "slow", "n1")->priority_job_factor = 0;
    *rec_list_push(&l.spec.qos) = (struct qos_spec){.name = xstrdup("high"), .priority = 200};
    *rec_list_push(&l.spec.qos) = (struct qos_spec){.name = xstrdup("low"), .priority = 50};
    view = lab_view(&l);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lab_fini(&l);
    return 0;
}

static void configure(struct priority_spec p)
{
    l.spec.priority = p;
    lab_configure(&l);
}

static uint32_t prio(uint32_t id, const char *part, struct prio_parts *ret)
{
    struct prio_ctx c;
    prio_ctx_init(&c, view.model, l.now);
    uint32_t p = prio_of(&c, lab_get(&l, id), part ? model_get_part(&l.m, part) : NULL, ret);
    prio_ctx_fini(&c);
    return p;
}

static int64_t sum_of(const struct prio_parts *p)
{
    int64_t sum = p->admin - p->nice;
#define X(factor, weight) sum += p->factor##_points;
    PRIO_FACTORS(X)
#undef X
    return sum;
}

static void test_age(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int waits_s, begin_s; /* begin: from its submission; 0: none */
        bool held;
        uint32_t max_age_s, want;
    } rows[] = {
        {"just came", 0, 0, false, 1000, 0},        {"a tenth", 100, 0, false, 1000, 100},
        {"rounded", 33, 0, false, 1000, 33},        {"all of it", 1000, 0, false, 1000, 1000},
        {"no more", 5000, 0, false, 1000, 1000},    {"from its begin on", 500, 400, false, 1000, 100},
        {"begins later", 100, 400, false, 1000, 0}, {"held", 500, 0, true, 1000, 0},
        {"no maximum", 1, 0, false, 0, 1000},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        configure((struct priority_spec){.weight_age = 1000, .max_age_s = rows[i].max_age_s});
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        j->hold = rows[i].held ? HOLD_USER : HOLD_NONE;
        if (rows[i].begin_s)
            req_detail_mut(&j->req)->begin = wall_add_s(l.now, rows[i].begin_s);
        struct wall t0 = l.now;
        uint32_t id = lab_submit(&l, j);
        l.now = wall_add_s(t0, rows[i].waits_s);
        check_int(rows[i].name, prio(id, "main", NULL), rows[i].want);
    }
}

/* A job that runs keeps the age that it started with. */
static void test_age_stops_at_the_start(void **state)
{
    (void)state;
    configure((struct priority_spec){.weight_age = 1000, .max_age_s = 1000});
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    l.now = wall_add_s(lab_get(&l, id)->t_eligible, 99);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 0)), 0);
    l.now.ms += 500000;
    assert_int_equal(prio(id, "main", NULL), 100);
}

static void test_size_and_tres(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t ntasks, cpus_per_task, nodes;
        uint64_t mem_node_mib;
        uint32_t gpus;
        uint32_t size, small, cpu, mem, gpu; /* points of 1000 */
    } rows[] = {
        {"one CPU", 1, 1, NOT_GIVEN, MEM_NOT_GIVEN, NOT_GIVEN, 10, 990, 10, 0, 0},
        {"half the cluster", 25, 2, NOT_GIVEN, MEM_NOT_GIVEN, NOT_GIVEN, 500, 500, 500, 0, 0},
        {"more than there is", 300, 1, NOT_GIVEN, MEM_NOT_GIVEN, NOT_GIVEN, 1000, 0, 1000, 0, 0},
        {"memory of two nodes", 2, 1, 2, 10 * 1024, NOT_GIVEN, 20, 980, 20, 200, 0},
        {"GPUs", 1, 1, NOT_GIVEN, MEM_NOT_GIVEN, 6, 10, 990, 10, 0, 750},
    };
    for (int small = 0; small < 2; small++) {
        configure((struct priority_spec){.weight_job_size = 1000,
                                         .weight_cpu = 1000,
                                         .weight_mem = 1000,
                                         .weight_gpu = 1000,
                                         .favor_small = small});
        for (size_t i = 0; i < N_OF(rows); i++) {
            struct job *j = lab_job(&l, JOB_KIND_BATCH);
            j->req.ntasks = rows[i].ntasks;
            j->req.cpus_per_task = rows[i].cpus_per_task;
            j->req.nodes_min = rows[i].nodes;
            j->req.mem_node_mib = rows[i].mem_node_mib;
            j->req.gpus = rows[i].gpus;
            struct prio_parts p;
            prio(lab_submit(&l, j), "main", &p);
            check_int(rows[i].name, p.job_size_points, small ? rows[i].small : rows[i].size);
            check_int(rows[i].name, p.cpu_points, rows[i].cpu);
            check_int(rows[i].name, p.mem_points, rows[i].mem);
            check_int(rows[i].name, p.gpu_points, rows[i].gpu);
            check_int(rows[i].name, p.total, sum_of(&p));
        }
    }
    /* A step job: its largest task. */
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    lab_step(j, "small", 100);
    struct step *s = lab_step(j, "large", 1);
    s->cpus_per_rank = 20;
    s->gpus = 2;
    struct prio_parts p;
    prio(lab_submit(&l, j), "main", &p);
    assert_int_equal(p.cpu_points, 200);
    assert_int_equal(p.gpu_points, 250);
}

static void test_partition_and_qos(void **state)
{
    (void)state;
    static const struct {
        const char *name, *part, *qos;
        uint32_t want;
    } rows[] = {
        {"the fastest", "fast", NULL, 1000},
        {"a quarter", "main", NULL, 250},
        {"nothing", "slow", NULL, 0},
        {"not configured", NULL, NULL, 0},
        {"the highest QOS", "slow", "high", 800},
        {"a quarter of it", "slow", "low", 200},
        {"unknown QOS", "slow", "normal", 0},
        {"both", "main", "low", 450},
    };
    configure((struct priority_spec){.weight_partition = 1000, .weight_qos = 800});
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        req_detail_mut(&j->req)->qos = xstrdup(rows[i].qos);
        check_int(rows[i].name, prio(lab_submit(&l, j), rows[i].part, NULL), rows[i].want);
    }
}

/* `normal` is what everything has that names none. */
static void test_no_qos_is_normal(void **state)
{
    (void)state;
    *rec_list_push(&l.spec.qos) = (struct qos_spec){.name = xstrdup("normal"), .priority = 100};
    configure((struct priority_spec){.weight_qos = 800});
    check_int("none", prio(lab_submit_kind(&l, JOB_KIND_BATCH), "main", NULL), 400);
}

static void test_fairshare(void **state)
{
    (void)state;
    configure((struct priority_spec){.weight_fairshare = 1000, .fair_tree = true});
    struct ev_usage body = {0};
    for (int i = 0; i < 2; i++)
        *rec_list_push(&body.rows) = (struct usage_row){.account = xstrdup("staff"),
                                                        .user = xstrdup(i ? "alice" : "bob"),
                                                        .qos = xstrdup(""),
                                                        .partition = xstrdup(""),
                                                        .billing = 100 - 50 * i,
                                                        .t = l.now};
    lab_must(&l, EV_USAGE, 0, &body);
    static const struct {
        const char *user, *account, *group;
        uint32_t want;
    } rows[] = {
        {"bob", "staff", NULL, 500},
        {"alice", NULL, "staff", 1000}, /* no account: the group */
        {"eve", "staff", NULL, 1000},   /* has used nothing */
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        free(j->user);
        j->user = xstrdup(rows[i].user);
        job_origin_mut(j)->group = xstrdup(rows[i].group);
        j->req.account = xstrdup(rows[i].account);
        check_int(rows[i].user, prio(lab_submit(&l, j), "main", NULL), rows[i].want);
    }
}

static void test_nice_and_administrators(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int32_t nice;
        bool has_priority;
        uint32_t priority;
        int64_t admin;
        uint32_t want;
    } rows[] = {
        {"plain", 0, false, 0, 0, 1000},
        {"nice", 300, false, 0, 0, 700},
        {"negative nice", -300, false, 0, 0, 1300},
        {"never below nothing", 5000, false, 0, 0, 0},
        {"as large as it gets", -2147483645, false, 0, 0, 2147484645u},
        {"an administrator's", 300, true, 123456, 122756, 123456},
        {"less than the others", 0, true, 10, -990, 10},
        {"nothing at all", 0, true, 0, -1000, 0},
        {"the largest", 0, true, UINT32_MAX, (int64_t)UINT32_MAX - 1000, UINT32_MAX},
    };
    configure((struct priority_spec){.weight_partition = 1000});
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        req_detail_mut(&j->req)->nice = rows[i].nice;
        req_detail_mut(&j->req)->has_priority = rows[i].has_priority;
        req_detail_mut(&j->req)->priority = rows[i].priority;
        struct prio_parts p;
        check_int(rows[i].name, prio(lab_submit(&l, j), "fast", &p), rows[i].want);
        check_int(rows[i].name, p.total, rows[i].want);
        check_int(rows[i].name, p.admin, rows[i].admin);
        if (rows[i].want)
            check_int(rows[i].name, sum_of(&p), rows[i].want);
    }
}

static void test_best_partition(void **state)
{
    (void)state;
    static const struct {
        const char *parts;
        uint32_t want;
    } rows[] = {{"main", 250},        {"slow,main", 250}, {"slow,fast,main", 1000},
                {"nosuch,main", 250}, {"nosuch", 0},      {NULL, 250}};
    configure((struct priority_spec){.weight_partition = 1000});
    struct prio_ctx c;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        j->req.partition = xstrdup(rows[i].parts);
        uint32_t id = lab_submit(&l, j);
        prio_ctx_init(&c, view.model, l.now);
        check_int(rows[i].parts ? rows[i].parts : "the default", prio_of_best(&c, lab_get(&l, id)),
                  rows[i].want);
        prio_ctx_fini(&c);
    }
    /* A held one has no turn. */
    struct job *held = lab_job(&l, JOB_KIND_BATCH);
    held->hold = HOLD_USER;
    uint32_t held_id = lab_submit(&l, held);
    prio_ctx_init(&c, view.model, l.now);
    assert_int_equal(prio_of_best(&c, lab_get(&l, held_id)), 0);
    prio_ctx_fini(&c);
    /* Where it runs counts then. */
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("fast,main");
    uint32_t id = lab_submit(&l, j);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", 0, 1, 0, 0, 0)), 0);
    prio_ctx_init(&c, view.model, l.now);
    assert_int_equal(prio_of_best(&c, lab_get(&l, id)), 250);
    prio_ctx_fini(&c);
}

/* Whatever the weights and the job: the points add up, are no more than their weights, and asking for the
 * parts changes nothing. */
static void test_the_sum_is_the_priority(void **state)
{
    (void)state;
    uint64_t rand = check_seed();
    static const char *const parts[] = {"main", "fast", "slow"}, *const qos[] = {"high", "low", NULL};
    for (int i = 0; i < 300; i++) {
        uint32_t limit = i % 3 ? 100000 : 1000000000;
#define WEIGHT ((uint32_t)(check_rand(&rand) % limit))
        configure((struct priority_spec){.weight_age = WEIGHT,
                                         .weight_fairshare = WEIGHT,
                                         .weight_job_size = WEIGHT,
                                         .weight_partition = WEIGHT,
                                         .weight_qos = WEIGHT,
                                         .weight_cpu = WEIGHT,
                                         .weight_mem = WEIGHT,
                                         .weight_gpu = WEIGHT,
                                         .max_age_s = 1 + WEIGHT % 10000,
                                         .favor_small = WEIGHT & 1});
#undef WEIGHT
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        j->req.ntasks = 1 + (uint32_t)(check_rand(&rand) % 120);
        req_detail_mut(&j->req)->mem_cpu_mib = check_rand(&rand) % 4096;
        j->req.gpus = (uint32_t)(check_rand(&rand) % 10);
        req_detail_mut(&j->req)->nice = (int32_t)(check_rand(&rand) % 2000) - 1000;
        req_detail_mut(&j->req)->has_priority = check_rand(&rand) % 8 == 0;
        req_detail_mut(&j->req)->priority = (uint32_t)(check_rand(&rand) % 100000);
        req_detail_mut(&j->req)->qos = xstrdup(qos[check_rand(&rand) % 3]);
        uint32_t id = lab_submit(&l, j);
        l.now.ms += (int64_t)(check_rand(&rand) % 5000000);
        struct prio_parts p;
        const char *part = parts[check_rand(&rand) % 3];
        uint32_t with = prio(id, part, &p), without = prio(id, part, NULL);
        int64_t sum = sum_of(&p);
        assert_int_equal(with, without);
        assert_int_equal(with, p.total);
        if (p.total != (sum < 0 ? 0 : sum < UINT32_MAX ? sum : UINT32_MAX))
            fail_msg("the points of job %u add up to %lld, its priority is %u", id, (long long)sum,
                     p.total);
#define X(factor, weight)                                                           \
    if (p.factor < 0 || p.factor > 1 || p.factor##_points > l.spec.priority.weight) \
        fail_msg(#factor " is %g: %u of %u", p.factor, p.factor##_points, l.spec.priority.weight);
        PRIO_FACTORS(X)
#undef X
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_age),
        TEST(test_age_stops_at_the_start),
        TEST(test_size_and_tres),
        TEST(test_partition_and_qos),
        TEST(test_no_qos_is_normal),
        TEST(test_fairshare),
        TEST(test_nice_and_administrators),
        TEST(test_best_partition),
        TEST(test_the_sum_is_the_priority),
    };
    return cmocka_run_group_tests_name("prio", tests, NULL, NULL);
}
