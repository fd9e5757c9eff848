/* test_timeline.c - steps of free amounts, by hand and against an array with a cell for each instant. */
#include "backend/sched/resources/resources.h"
#include "tests/lib/check.h"

static const struct amount all = {8, 100, 2};

static struct amount cpus(int64_t n)
{
    return (struct amount){n, 0, 0};
}

/* "-inf:8 10:5": the CPUs of the steps. */
static const char *steps_of(const struct timeline *l)
{
    static char text[200];
    size_t n = 0;
    for (uint32_t i = 0; i < l->n; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, i ? " %lld:%lld" : "%.0lld%lld",
                              i ? (long long)l->v[i].t : 0LL, (long long)l->v[i].free.cpus);
    return text;
}

static void test_taking_and_giving(void **state)
{
    (void)state;
    static const struct {
        int64_t from, to, cpus;
        const char *want;
    } rows[] = {
        {10, 20, 3, "8 10:5 20:8"},
        {20, 30, 3, "8 10:5 30:8"}, /* joined */
        {15, 25, 1, "8 10:5 15:4 25:5 30:8"},
        {15, 25, -1, "8 10:5 30:8"}, /* as it was */
        {10, 10, 9, "8 10:5 30:8"},
        {20, 10, 9, "8 10:5 30:8"}, /* empty */
        {0, WHEN_NEVER, 8, "8 0:0 10:-3 30:0"},
        {0, WHEN_NEVER, -8, "8 10:5 30:8"}, /* for ever; below nothing */
        {10, 30, -3, "8"},
    };
    struct timeline l;
    timeline_init(&l, all);
    for (size_t i = 0; i < N_OF(rows); i++) {
        timeline_take(&l, rows[i].from, rows[i].to, cpus(rows[i].cpus));
        check_str(rows[i].want, steps_of(&l), rows[i].want);
    }
    timeline_fini(&l);
}

static void test_when_something_fits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t from, len, cpus, want;
    } rows[] = {
        {"now", 0, 10, 4, 0},
        {"not long enough in between", 0, 11, 5, 40},
        {"just long enough", 0, 10, 5, 0},
        {"from within a gap", 5, 6, 5, 20},
        {"after all", 0, 31, 8, 40},
        {"in the gap", 20, 10, 5, 20},
        {"for ever", 0, WHEN_NEVER, 1, 40},
        {"never", 0, 1, 9, WHEN_NEVER},
        {"late", 100, 5, 8, 100},
    };
    struct timeline l;
    timeline_init(&l, all);
    timeline_take(&l, 10, 20, cpus(4));
    timeline_take(&l, 30, 40, cpus(8));
    for (size_t i = 0; i < N_OF(rows); i++)
        check_int(rows[i].name, timeline_next(&l, rows[i].from, rows[i].len, cpus(rows[i].cpus)),
                  rows[i].want);
    assert_int_equal(timeline_min(&l, 0, 10).cpus, 8);
    assert_int_equal(timeline_min(&l, 0, 11).cpus, 4);
    assert_int_equal(timeline_min(&l, 25, WHEN_NEVER).cpus, 0);
    assert_int_equal(timeline_next_step(&l, 10), 20);
    assert_int_equal(timeline_next_step(&l, 40), WHEN_NEVER);
    timeline_trim(&l, 25);
    assert_string_equal(steps_of(&l), "8 30:0 40:8");
    timeline_fini(&l);
}

/* Each kind has to be there, at the same time. */
static void test_all_kinds_count(void **state)
{
    (void)state;
    struct timeline l;
    timeline_init(&l, all);
    timeline_take(&l, 0, 10, (struct amount){0, 60, 0});
    timeline_take(&l, 10, 20, (struct amount){0, 0, 1});
    assert_int_equal(timeline_next(&l, 0, 5, (struct amount){1, 50, 0}), 10);
    assert_int_equal(timeline_next(&l, 0, 5, (struct amount){1, 40, 2}), 0);
    assert_int_equal(timeline_next(&l, 0, 11, (struct amount){1, 40, 2}), 20);
    struct amount least = timeline_min(&l, 5, 15);
    assert_int_equal(least.mem_mib, 40);
    assert_int_equal(least.gpus, 1);
    timeline_fini(&l);
}

#define CELLS 64

static void test_against_an_array(void **state)
{
    (void)state;
    uint64_t rnd = check_seed();
    for (int run = 0; run < 200; run++) {
        int64_t cells[CELLS];
        struct timeline l;
        timeline_init(&l, cpus(9));
        for (int i = 0; i < CELLS; i++)
            cells[i] = 9;
        for (int k = 0; k < 30; k++) {
            int64_t from = (int64_t)(check_rand(&rnd) % CELLS), to = (int64_t)(check_rand(&rnd) % CELLS);
            int64_t by = (int64_t)(check_rand(&rnd) % 7) - 3, need = (int64_t)(check_rand(&rnd) % 10);
            int64_t len = 1 + (int64_t)(check_rand(&rnd) % 12), best = WHEN_NEVER;
            timeline_take(&l, from, to, cpus(by));
            for (int64_t i = from; i < to; i++)
                cells[i] -= by;
            for (int64_t t = CELLS - 1; t >= from; t--) { /* after the last cell it is 9 again */
                bool fits = need <= 9;
                for (int64_t i = t; i < t + len && i < CELLS; i++)
                    fits = fits && cells[i] >= need;
                best = fits ? t : best;
            }
            int64_t got = timeline_next(&l, from, len, cpus(need));
            if (best != WHEN_NEVER || got < CELLS)
                assert_int_equal(got, best);
            int64_t before = from + 1 + (int64_t)(check_rand(&rnd) % CELLS);
            int64_t bounded = timeline_next_before(&l, from, before, len, cpus(need));
            assert_true(got < before ? bounded == got : bounded >= before);
            for (uint32_t i = 1; i < l.n; i++)
                assert_true(l.v[i].t > l.v[i - 1].t && !amount_eq(l.v[i].free, l.v[i - 1].free));
        }
        timeline_fini(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taking_and_giving),
        cmocka_unit_test(test_when_something_fits),
        cmocka_unit_test(test_all_kinds_count),
        cmocka_unit_test(test_against_an_array),
    };
    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
