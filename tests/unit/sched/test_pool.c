/* test_pool.c - the books of a pool, the time of an earliest start, and that both agree with placing. Three
 * nodes: 4 CPUs; 4 CPUs, 2 GPUs; 8 CPUs, 4 GPUs; 1000 MiB each. */
#include "backend/sched/resources/pool_internal.h"
#include "src/base/xalloc.h"
#include "src/model/need.h"
#include "tests/lib/check.h"

#define NOW 1000

static struct pool p;
static struct nodeset all;
static struct pool_parts parts;

static int set_up(void **state)
{
    (void)state;
    pool_init(&p, 3, NOW);
    pool_set_node(&p, 0, (struct amount){4, 1000, 0}, 1, true);
    pool_set_node(&p, 1, (struct amount){4, 1000, 2}, 1, true);
    pool_set_node(&p, 2, (struct amount){8, 1000, 4}, 1, true);
    nodeset_init(&all, 3);
    for (uint32_t i = 0; i < 3; i++)
        nodeset_add(&all, i);
    parts = (struct pool_parts){.v = VEC_INIT};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    vec_fini(&parts.v);
    nodeset_fini(&all);
    pool_fini(&p);
    return 0;
}

/* n nodes with a task of that size on each. */
static struct demand demand_of(uint32_t nodes, uint32_t cpus, uint32_t gpus)
{
    struct job_req r;
    struct demand d = {.tasks_given = true};
    job_req_init(&r);
    r.nodes_min = r.nodes_max = r.ntasks = nodes;
    r.cpus_per_task = cpus;
    r.gpus_per_node = gpus;
    r.mem_node_mib = 100;
    job_need(&r, &d.need);
    d.nodes_max = nodes;
    rec_fini(&job_req_rec, &r);
    return d;
}

/* Tasks that may lie anywhere, over several nodes. */
static struct demand uneven(uint32_t tasks)
{
    struct job_req r;
    struct demand d = {.tasks_given = true};
    job_req_init(&r);
    r.ntasks = tasks;
    r.mem_node_mib = 100;
    job_need(&r, &d.need);
    d.nodes_max = 3;
    rec_fini(&job_req_rec, &r);
    return d;
}

static struct pool_use *run(uint32_t node, int64_t cpus, int64_t gpus, int64_t end)
{
    struct pool_use *u = xcalloc(1, sizeof *u);
    struct pool_parts one = {.v = VEC_INIT};
    vec_push(&one.v, (struct pool_part){node, {cpus, 100, gpus}});
    pool_run(&p, u, &one, end);
    vec_fini(&one.v);
    return u;
}

static struct pool_use *hold(uint32_t node, int64_t cpus, int64_t start, int64_t end)
{
    struct pool_use *u = xcalloc(1, sizeof *u);
    struct pool_parts one = {.v = VEC_INIT};
    vec_push(&one.v, (struct pool_part){node, {cpus, 100, 0}});
    pool_plan(&p, u, &one, start, end);
    vec_fini(&one.v);
    return u;
}

static void drop(struct pool_use *u)
{
    pool_drop(&p, u);
    free(u);
}

/* Where it goes at t for len: "0,2", "" where it does not fit. */
static const char *place(const struct demand *d, int64_t t, int64_t len)
{
    static char text[64];
    size_t n = 0;
    text[0] = '\0';
    if (pool_place(&p, d, &all, t, len, &parts))
        vec_for_each (&parts.v, i)
            n += (size_t)snprintf(text + n, sizeof text - n, i ? ",%u" : "%u", parts.v.v[i].node);
    return text;
}

static int64_t earliest(const struct demand *d, int64_t len)
{
    struct pool_span span = {.from = NOW, .before = WHEN_NEVER, .len = len};
    return pool_earliest(&p, d, &all, span, &parts);
}

static void test_books(void **state)
{
    (void)state;
    struct pool_use *a = run(0, 3, 0, NOW + 100), *b = run(0, 1, 0, WHEN_NEVER);
    assert_int_equal(p.nodes[0].free_now.cpus, 0);
    assert_int_equal(p.nodes[0].free_now.mem_mib, 800);
    pool_suspend(&p, a);
    assert_int_equal(p.nodes[0].free_now.cpus, 3);
    pool_restore(&p, a);
    assert_int_equal(p.nodes[0].line.n, 3);
    pool_change_end(&p, a, NOW + 50);
    assert_int_equal(timeline_min(&p.nodes[0].line, NOW + 50, WHEN_NEVER).cpus, 3);
    pool_change_end(&p, a, NOW - 5); /* at once, but not in the past */
    assert_int_equal(a->end, NOW + 1);
    struct pool_use *h = hold(0, 2, NOW + 10, NOW + 20);
    assert_int_equal(p.nodes[0].free_now.cpus, 0);
    assert_int_equal(timeline_min(&p.nodes[0].line, NOW + 15, NOW + 16).cpus, 1);
    drop(a);
    drop(h);
    drop(b);
    drop(xcalloc(1, sizeof(struct pool_use))); /* holds nothing */
    timeline_trim(&p.nodes[0].line, NOW);
    assert_int_equal(p.nodes[0].line.n, 1);
    assert_true(amount_eq(p.nodes[0].free_now, p.nodes[0].cap));
}

/* What is overdue is expected again on the same grid, at whatever time it is asked. */
static void test_overdue(void **state)
{
    (void)state;
    struct pool_use *a = run(0, 4, 0, NOW + 100);
    pool_advance(&p, NOW + 99, 1000);
    assert_int_equal(a->end, NOW + 100);
    pool_advance(&p, NOW + 100, 1000);
    assert_int_equal(a->end, NOW + 1100);
    pool_advance(&p, NOW + 5555, 1000);
    assert_int_equal(a->end, NOW + 6100);
    drop(a);
}

static void test_a_node_changes(void **state)
{
    (void)state;
    struct pool_use *a = run(0, 4, 0, NOW + 100);
    pool_set_node(&p, 0, (struct amount){2, 1000, 0}, 1, true); /* less than it carries */
    assert_int_equal(p.nodes[0].free_now.cpus, -2);
    drop(a);
    assert_int_equal(p.nodes[0].free_now.cpus, 2);
    pool_set_node(&p, 2, p.nodes[2].cap, 1, false);
    struct demand d = demand_of(1, 8, 0);
    assert_string_equal(place(&d, NOW, 10), "");
    assert_int_equal(earliest(&d, 10), WHEN_NEVER);
}

static void test_earliest(void **state)
{
    (void)state;
    struct pool_use *uses[] = {run(0, 4, 0, NOW + 100), run(1, 2, 2, NOW + 50), run(2, 6, 4, NOW + 200),
                               hold(0, 4, NOW + 150, NOW + 160)};
    static const struct {
        const char *name;
        uint32_t nodes, cpus, gpus;
        int64_t len, want; /* after NOW; -1: never */
    } rows[] = {
        {"fits", 1, 2, 0, 1000, 0},
        {"a GPU", 1, 1, 1, 1000, 50},
        {"four CPUs", 1, 4, 0, 1000, 50},
        {"four GPUs", 1, 1, 4, 1000, 200},
        {"two nodes, before the hold", 2, 3, 0, 50, 100},
        {"two nodes, after it", 2, 3, 0, 51, 160},
        {"two nodes with GPUs", 2, 1, 1, 10, 200},
        {"three nodes", 3, 4, 0, 10, 200},
        {"too many", 3, 5, 0, 10, -1},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct demand d = demand_of(rows[i].nodes, rows[i].cpus, rows[i].gpus);
        int64_t want = rows[i].want < 0 ? WHEN_NEVER : NOW + rows[i].want;
        check_int(rows[i].name, earliest(&d, rows[i].len), want);
        if (want != WHEN_NEVER)
            check_int(rows[i].name, parts.v.n, rows[i].nodes);
        /* Not before: the search has an end. */
        struct pool_span before = {.from = NOW, .before = want, .len = rows[i].len};
        if (want != WHEN_NEVER)
            check_int(rows[i].name, pool_earliest(&p, &d, &all, before, &parts), WHEN_NEVER);
    }
    for (size_t i = 0; i < N_OF(uses); i++)
        drop(uses[i]);
}

static void test_earliest_of_what_may_be_spread(void **state)
{
    (void)state;
    struct pool_use *uses[] = {run(0, 4, 0, NOW + 100), run(1, 4, 0, NOW + 300), run(2, 8, 0, NOW + 200)};
    struct demand four = uneven(4), nine = uneven(9), all16 = uneven(16);
    assert_int_equal(earliest(&four, 10), NOW + 100);
    assert_int_equal(earliest(&nine, 10), NOW + 200);
    assert_int_equal(earliest(&all16, 10), NOW + 300);
    struct pool_use *h = hold(0, 1, NOW + 195, NOW + 205); /* now more is free before than after */
    assert_int_equal(earliest(&four, 10), NOW + 100);
    assert_int_equal(earliest(&nine, 10), NOW + 200);
    drop(h);
    for (size_t i = 0; i < N_OF(uses); i++)
        drop(uses[i]);
}

static void test_room(void **state)
{
    (void)state;
    struct demand d = demand_of(1, 3, 0);
    struct pool_use *h = hold(0, 2, NOW + 500, NOW + 600);
    assert_true(pool_place(&p, &d, &all, NOW, 400, &parts));
    assert_int_equal(parts.v.v[0].node, 0);
    assert_int_equal(pool_room(&p, &parts, NOW), 500);
    drop(h);
    assert_int_equal(pool_room(&p, &parts, NOW), WHEN_NEVER);
}

/* Whatever the search finds is where placing agrees, and no step before it does. */
static void test_search_agrees_with_placing(void **state)
{
    (void)state;
    uint64_t rnd = check_seed();
    for (int run_no = 0; run_no < 300; run_no++) {
        struct pool_use *uses[8];
        for (size_t i = 0; i < N_OF(uses); i++) {
            uint32_t node = (uint32_t)(check_rand(&rnd) % 3);
            int64_t n = 1 + (int64_t)(check_rand(&rnd) % 2),
                    t = NOW + 1 + (int64_t)(check_rand(&rnd) % 100);
            bool fits = p.nodes[node].free_now.cpus >= n;
            uses[i] = fits ? run(node, n, 0, t) : hold(node, n, t, t + 30);
        }
        struct demand d =
            demand_of(1 + (uint32_t)(check_rand(&rnd) % 3), 1 + (uint32_t)(check_rand(&rnd) % 4), 0);
        if (check_rand(&rnd) % 3 == 0) /* a share of each node, by its size */
            d.need.mem_per_node_mib = MEM_NOT_GIVEN;
        d.need.whole_nodes = check_rand(&rnd) % 8 == 0;
        int64_t len = 1 + (int64_t)(check_rand(&rnd) % 60), t = earliest(&d, len);
        for (int64_t at = NOW; at < NOW + 260; at++) {
            bool fits = pool_place(&p, &d, &all, at, len, &parts);
            if (fits && at < t)
                fail_msg("run %d: it fits after %d and was found after %d", run_no, (int)(at - NOW),
                         (int)(t - NOW));
            if (!fits && at == t)
                fail_msg("run %d: it does not fit where it was found", run_no);
        }
        for (size_t i = 0; i < N_OF(uses); i++)
            drop(uses[i]);
    }
}

/* --- many nodes --- */

#define MANY 60

static void fill_many(struct pool *many, struct nodeset *s, uint64_t *rnd)
{
    pool_init(many, MANY, NOW);
    nodeset_init(s, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        struct amount cap = {1 + (int64_t)(check_rand(rnd) % 8), 100 * (int64_t)(check_rand(rnd) % 12),
                             (int64_t)(check_rand(rnd) % 4)};
        pool_set_node(many, i, cap, 1 + (uint32_t)(check_rand(rnd) % 3), check_rand(rnd) % 8 > 0);
        nodeset_add(s, i);
    }
}

static bool same_nodes(const struct pool_parts *a, const struct pool_parts *b)
{
    bool same = a->v.n == b->v.n;
    for (size_t i = 0; i < a->v.n && same; i++)
        same = a->v.v[i].node == b->v.v[i].node && amount_eq(a->v.v[i].amount, b->v.v[i].amount);
    return same;
}

/* A node chosen among many is chosen among few of them too, in whichever way the best are found; and a
 * quick look never says more than placing does. */
static void test_the_best_are_the_best_of_fewer(void **state)
{
    (void)state;
    uint64_t rnd = check_seed();
    struct pool_parts fewer = {.v = VEC_INIT};
    for (int run_no = 0; run_no < 500; run_no++) {
        struct pool many;
        struct nodeset s, few;
        fill_many(&many, &s, &rnd);
        uint32_t nodes = 1 + (uint32_t)(check_rand(&rnd) % 7);
        struct demand d = check_rand(&rnd) % 3 ? demand_of(nodes, 1 + (uint32_t)(check_rand(&rnd) % 6),
                                                           (uint32_t)(check_rand(&rnd) % 3))
                                               : uneven(nodes * 3);
        if (!demand_is_uniform(&d))
            d.nodes_max = nodes;
        bool fits = pool_place(&many, &d, &s, NOW, 10, &parts);
        bool easily = pool_fits_easily(&many, &d, &s);
        if (easily != (fits && demand_is_uniform(&d)))
            fail_msg("run %d: %s, and at a quick look %s", run_no, fits ? "it fits" : "it does not fit",
                     easily ? "it does" : "it does not");
        nodeset_init(&few, MANY);
        vec_for_each (&parts.v, i)
            nodeset_add(&few, parts.v.v[i].node);
        for (uint32_t i = 0; i < MANY; i += 1 + (uint32_t)(check_rand(&rnd) % 20))
            nodeset_add(&few, i);
        if (easily && (!pool_place(&many, &d, &few, NOW, 10, &fewer) || !same_nodes(&parts, &fewer)))
            fail_msg("run %d: others are chosen among fewer", run_no);
        nodeset_fini(&few);
        nodeset_fini(&s);
        pool_fini(&many);
    }
    vec_fini(&fewer.v);
}

/* Of 6,400 nodes one has 4 CPUs left, and another one 2 GPUs more. */
static void test_full_nodes_are_passed_over(void **state)
{
    enum { FULL = 6400 };
    struct pool many;
    struct nodeset s;
    struct pool_use use[FULL] = {{0}};
    (void)state;
    pool_init(&many, FULL, NOW);
    nodeset_init(&s, FULL);
    for (uint32_t i = 0; i < FULL; i++) {
        pool_set_node(&many, i, (struct amount){64, 1000, 8}, 1, true);
        nodeset_add(&s, i);
        vec_clear(&parts.v);
        vec_push(&parts.v, (struct pool_part){.node = i,
                                              .amount = {i == 5000 ? 60
                                                         : i == 70 ? 62
                                                                   : 64,
                                                         0, i == 70 ? 6 : 8}});
        pool_run(&many, &use[i], &parts, NOW + 1000);
    }
    static const struct {
        uint32_t cpus, gpus, node;
    } rows[] = {{4, 0, 5000}, {3, 0, 5000}, {2, 0, 5000}, {2, 2, 70},
                {5, 0, FULL}, {3, 1, FULL}, {1, 3, FULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct demand d = demand_of(1, rows[i].cpus, rows[i].gpus);
        uint64_t before = many.cost;
        bool fits = pool_place(&many, &d, &s, NOW, 10, &parts);
        assert_int_equal(fits, rows[i].node != FULL);
        if (fits)
            assert_int_equal(parts.v.v[0].node, rows[i].node);
        assert_in_range(many.cost - before, 1, 100);
    }
    pool_drop(&many, &use[9]);
    struct demand whole = demand_of(1, 64, 8);
    assert_true(pool_place(&many, &whole, &s, NOW, 10, &parts));
    assert_int_equal(parts.v.v[0].node, 9);
    for (uint32_t i = 0; i < FULL; i++)
        pool_drop(&many, &use[i]);
    nodeset_fini(&s);
    pool_fini(&many);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_books),
        TEST(test_overdue),
        TEST(test_a_node_changes),
        TEST(test_earliest),
        TEST(test_earliest_of_what_may_be_spread),
        TEST(test_room),
        TEST(test_search_agrees_with_placing),
        TEST(test_the_best_are_the_best_of_fewer),
        TEST(test_full_nodes_are_passed_over),
    };
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
