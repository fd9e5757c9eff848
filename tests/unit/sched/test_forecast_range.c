/* test_forecast_range.c - the range in which a start is likely, worked out by hand. */
#include "backend/sched/forecast/forecast.h"

#include "tests/lib/check.h"

static struct wall at(int64_t minutes)
{
    return (struct wall){INT64_C(1800000000000) + minutes * 60000};
}

static struct range_ask ask(uint64_t key)
{
    return (struct range_ask){.key = key, .told_s = 3600, .waiting = 9};
}

static void learn(struct forecast_ranges *r, uint64_t key, int64_t made_min, double came_s)
{
    struct range_ask a = ask(key);
    forecast_ranges_learn(r, &a, at(made_min), came_s);
}

/* In seconds, -1: none. Returns how many samples. */
static uint32_t find(const struct forecast_ranges *r, const struct range_ask *a, int *low, int *high)
{
    bool has;
    double low_s = -1, high_s = -1;
    uint32_t n = forecast_ranges_find(r, a, &has, &low_s, &high_s);
    *low = has ? (int)(low_s + 0.5) : -1;
    *high = has ? (int)(high_s + 0.5) : -1;
    return n;
}

/* 5 waits of one name, told alike: 23 % is the second, 77 % the fourth. */
static void the_middle_of_a_names_own_waits(void **state)
{
    (void)state;
    struct forecast_ranges *r = forecast_ranges_new();
    struct range_ask a = ask(1), other = ask(2);
    int low, high;
    for (int i = 0; i < 5; i++)
        learn(r, 1, i, 600 + i * 300);
    assert_int_equal(find(r, &a, &low, &high), 5);
    assert_int_equal(low, 900);
    assert_int_equal(high, 1500);
    assert_int_equal(find(r, &other, &low, &high), 5); /* too few of all */
    assert_int_equal(low, -1);
    for (int i = 0; i < 5; i++)
        learn(r, 3, i, 600 + i * 300);
    assert_int_equal(find(r, &other, &low, &high), 10);
    assert_int_equal(low, 900);
    forecast_ranges_free(r);
}

/* A sweep of 60 elements that were told at once counts as one job does: 1 of 5. */
static void a_sweep_counts_once(void **state)
{
    (void)state;
    struct forecast_ranges *r = forecast_ranges_new();
    struct range_ask a = ask(1);
    int low, high;
    for (int i = 0; i < 60; i++)
        learn(r, 1, 0, 60);
    for (int i = 1; i < 5; i++)
        learn(r, 1, i, 940);
    assert_int_equal(find(r, &a, &low, &high), 64);
    assert_int_equal(low, 940);
    assert_int_equal(high, 940);
    forecast_ranges_free(r);
}

/* The scale: four times as many jobs wait, 4^0.3 = 1.516 times the wait; a wait told 4 times as long,
 * 4^0.7 = 2.639 times, of the wait and a minute. */
static void the_scale(void **state)
{
    (void)state;
    struct forecast_ranges *r = forecast_ranges_new();
    struct range_ask longer = ask(1), more = ask(1);
    int low, high;
    for (int i = 0; i < 3; i++)
        learn(r, 1, i, 940);
    more.waiting = 39;
    find(r, &more, &low, &high);
    assert_int_equal(low, 1456); /* 1000 * 1.5157 - 60 */
    assert_int_equal(high, 1456);
    longer.told_s = 3660 * 4 - 60;
    find(r, &longer, &low, &high);
    assert_int_equal(low, 2579); /* 1000 * 2.6390 - 60 */
    forecast_ranges_free(r);
}

/* Waits that were told far longer or shorter count less. */
static void what_is_near_counts_more(void **state)
{
    (void)state;
    struct forecast_ranges *r = forecast_ranges_new();
    struct range_ask a = ask(1), far = ask(1);
    int low, high;
    far.told_s = 3600000;
    for (int i = 0; i < 20; i++)
        forecast_ranges_learn(r, &far, at(i), 10);
    for (int i = 20; i < 25; i++)
        learn(r, 1, i, 940);
    find(r, &a, &low, &high);
    assert_int_equal(low, 940);
    assert_int_equal(high, 940);
    forecast_ranges_free(r);
}

/* The samples of a name are bounded, and so are the names: the one that started longest ago goes. */
static void bounds(void **state)
{
    (void)state;
    struct forecast_ranges *r = forecast_ranges_new();
    struct range_ask first = ask(1), last = ask(RANGE_KEYS + 10);
    int low, high;
    for (uint64_t key = 1; key <= RANGE_KEYS + 10; key++)
        for (int i = 0; i < 3; i++)
            learn(r, key, i, key == RANGE_KEYS + 10 ? 3000 : 600);
    assert_int_equal(find(r, &last, &low, &high), 3);
    assert_int_equal(low, 3000);
    assert_true(find(r, &first, &low, &high) > 3); /* those of all */
    for (int i = 0; i < 1000; i++)
        learn(r, 5000, i, 600);
    assert_int_equal(forecast_ranges_samples(r), RANGE_SAMPLES);
    forecast_ranges_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_of_a_names_own_waits),
        cmocka_unit_test(a_sweep_counts_once),
        cmocka_unit_test(the_scale),
        cmocka_unit_test(what_is_near_counts_more),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
