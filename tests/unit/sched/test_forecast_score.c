/* test_forecast_score.c - figures of forecasts, worked out by hand. */
#include "backend/sched/forecast/forecast.h"

#include "tests/lib/check.h"

#define MIN 60000
#define T0  INT64_C(1800000000000)

static struct wall at(int64_t minutes)
{
    return (struct wall){T0 + minutes * MIN};
}

/* Told at minute 0. */
static struct forecast_told told(int64_t start, int64_t low, int64_t high)
{
    return (struct forecast_told){.made = at(0),
                                  .start = at(start),
                                  .likely = low < 0 ? (struct wall){0} : at(low),
                                  .unlikely = high < 0 ? (struct wall){0} : at(high)};
}

static void check_seconds(const char *what, double got, double want)
{
    if (got < want - 0.001 || got > want + 0.001)
        fail_msg("%s: %f, not %f", what, got, want);
}

/* Minutes: told 30 (10 to 20), 40 (20 to 30), 50 (10 to 40), 20 (none); came 15, 10, 60, 21.
 *     off          -15, -30, +10, +1
 *     later        10 alone: a minute is not more than the tolerance
 *     score        10, 10 + 4 * 10, 30 + 4 * 20 */
static void one_horizon(void **state)
{
    (void)state;
    static const struct {
        int start, low, high, came;
    } cases[] = {{30, 10, 20, 15}, {40, 20, 30, 10}, {50, 10, 40, 60}, {20, -1, -1, 21}};
    struct forecast_scores *s = forecast_scores_new();
    for (uint32_t i = 0; i < 4; i++) {
        struct forecast_told t = told(cases[i].start, cases[i].low, cases[i].high);
        forecast_scores_tell(s, i + 1, &t);
        forecast_scores_started(s, i + 1, at(cases[i].came));
    }
    const struct score_row *r = &forecast_scores_rows(s)[1];
    assert_int_equal(r->below_s, 3600);
    assert_int_equal(r->starts, 4);
    assert_int_equal(r->later, 1);
    assert_int_equal(r->ranges, 3);
    assert_int_equal(r->before, 1);
    assert_int_equal(r->inside, 1);
    assert_int_equal(r->behind, 1);
    check_seconds("told", r->told_s, 140 * 60);
    check_seconds("bias", score_bias_s(r), -34 * 60 / 4.0);
    check_seconds("sooner", score_early_s(r), 45 * 60 / 4.0);
    check_seconds("later", score_late_s(r), 11 * 60 / 4.0);
    check_seconds("width", score_width_s(r), 50 * 60 / 3.0);
    check_seconds("interval", score_interval_s(r), (10 + 50 + 110) * 60 / 3.0);
    assert_int_equal(forecast_scores_off_s(s, 50), 10 * 60); /* 1, 10, 15, 30 */
    assert_int_equal(forecast_scores_off_s(s, 90), 15 * 60);
    for (size_t h = 0; h < SCORE_HORIZONS; h++)
        if (h != 1)
            assert_int_equal(forecast_scores_rows(s)[h].starts, 0);
    forecast_scores_free(s);
}

static void horizons(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double told_s;
        size_t want;
    } rows[] = {{"none", 0, 0},          {"just under", 599.9, 0},
                {"ten minutes", 600, 1}, {"just under 1 h", 3599, 1},
                {"an hour", 3600, 2},    {"just under 6 h", 21599, 2},
                {"six hours", 21600, 3}, {"a year", 31536000, 3}};
    for (size_t i = 0; i < N_OF(rows); i++)
        check_int(rows[i].name, (long long)score_horizon_of(rows[i].told_s), (long long)rows[i].want);
}

/* Of a job that was told nothing, that left, or that started within a minute, nothing counts. */
static void what_does_not_count(void **state)
{
    (void)state;
    struct forecast_scores *s = forecast_scores_new();
    struct forecast_told first = told(30, 10, 20), second = told(90, 10, 20), near = told(0, -1, -1);
    near.start.ms += 59000;
    forecast_scores_started(s, 1, at(10));
    forecast_scores_tell(s, 2, &first);
    forecast_scores_gone(s, 2);
    forecast_scores_started(s, 2, at(10));
    assert_int_equal(forecast_scores_starts(s), 0);
    forecast_scores_tell(s, 3, &near);
    forecast_scores_started(s, 3, at(10));
    assert_int_equal(forecast_scores_starts(s), 1);
    for (size_t h = 0; h < SCORE_HORIZONS; h++)
        assert_int_equal(forecast_scores_rows(s)[h].starts, 0);
    forecast_scores_tell(s, 4, &first);
    forecast_scores_tell(s, 4, &second);
    assert_int_equal(forecast_scores_told(s, 4)->start.ms, at(30).ms);
    forecast_scores_started(s, 4, at(15));
    forecast_scores_started(s, 4, at(16));
    assert_int_equal(forecast_scores_rows(s)[1].starts, 1);
    assert_null(forecast_scores_told(s, 4));
    forecast_scores_free(s);
}

static bool is_even(void *ctx, uint32_t job)
{
    (void)ctx;
    return job % 2 == 0;
}

static void jobs_that_left_are_forgotten(void **state)
{
    (void)state;
    struct forecast_scores *s = forecast_scores_new();
    struct forecast_told t = told(30, 10, 20);
    for (uint32_t job = 1; job <= 1000; job++)
        forecast_scores_tell(s, job, &t);
    forecast_scores_keep(s, is_even, NULL);
    for (uint32_t job = 1; job <= 1000; job++)
        assert_int_equal(forecast_scores_told(s, job) != NULL, job % 2 == 0);
    forecast_scores_free(s);
}

/* Saved, restored and counted on: the same sums; rows that cannot be are left out. */
static void over_a_restart(void **state)
{
    (void)state;
    struct forecast_scores *a = forecast_scores_new(), *b = forecast_scores_new();
    struct forecast_told t = told(30, 10, 20);
    struct msg_scores m;
    forecast_scores_tell(a, 1, &t);
    forecast_scores_started(a, 1, at(15));
    forecast_scores_save(a, &m);
    assert_int_equal(m.since.ms, at(15).ms);
    m.rows.v[0].starts = 1;
    m.rows.v[0].late_s = -5;
    m.rows.v[2].starts = m.rows.v[2].ranges = 1; /* and the start was nowhere */
    forecast_scores_restore(b, &m);
    forecast_scores_tell(b, 2, &t);
    forecast_scores_started(b, 2, at(25));
    const struct score_row *r = forecast_scores_rows(b);
    assert_int_equal(r[0].starts, 0);
    assert_int_equal(r[2].starts, 0);
    assert_int_equal(r[1].starts, 2);
    assert_int_equal(r[1].inside, 1);
    assert_int_equal(r[1].behind, 1);
    check_seconds("sooner", r[1].early_s, 20 * 60);
    rec_fini(&msg_scores_rec, &m);
    forecast_scores_save(b, &m);
    assert_int_equal(m.since.ms, at(15).ms);
    struct score_row all = score_total(&m);
    assert_int_equal(all.starts, 2);
    rec_fini(&msg_scores_rec, &m);
    forecast_scores_free(a);
    forecast_scores_free(b);
}

/* What is kept of a forecaster: its scores and what its ranges are learnt from, without what cannot be. */
static void a_forecaster_over_a_restart(void **state)
{
    (void)state;
    struct forecaster a, b;
    struct forecast_memory m, again;
    struct queue q = {.cycle_no = 0};
    queue_init_lists(&q);
    forecaster_init(&a, &q);
    forecaster_init(&b, &q);
    forecaster_save(&a, &m);
    for (uint32_t i = 0; i < 200; i++)
        *rec_list_push(&m.starts) =
            (struct learnt_start){.key = 7, .made = at(i), .told_s = 1800, .ratio = i / 100.0};
    *rec_list_push(&m.starts) = (struct learnt_start){.key = 7, .told_s = -90, .ratio = 1};
    *rec_list_push(&m.starts) = (struct learnt_start){.key = 7, .told_s = 90, .ratio = 99};
    forecaster_restore(&b, &m);
    assert_int_equal(forecast_samples(&b), RANGE_SAMPLES);
    forecaster_save(&b, &again);
    assert_int_equal(again.starts.n, RANGE_SAMPLES);
    check_seconds("the oldest", again.starts.v[0].ratio, 0.4);
    check_seconds("its wait", again.starts.v[0].told_s, 1800);
    rec_fini(&forecast_memory_rec, &m);
    rec_fini(&forecast_memory_rec, &again);
    forecaster_inherit(&a, &b);
    assert_int_equal(forecast_samples(&a), RANGE_SAMPLES);
    forecaster_fini(&a);
    forecaster_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_horizon),         cmocka_unit_test(horizons),
        cmocka_unit_test(what_does_not_count), cmocka_unit_test(jobs_that_left_are_forgotten),
        cmocka_unit_test(over_a_restart),      cmocka_unit_test(a_forecaster_over_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
