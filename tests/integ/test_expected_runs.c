/* test_expected_runs.c - a real controller learns how long jobs run, and starts a job by that in front of a
 * planned start, without a later time for the job that was promised it.
 */
#include "src/model/state.h"
#include "src/os/clock.h"
#include "src/values/units.h"
#include "tests/lib/check.h"
#include "tests/lib/live_lab.h"

#define MINUTES(n) ((int64_t)(n)*60 * MS_PER_S)

struct mono mono_read(void)
{
    return live_mono();
}

struct wall wall_read(void)
{
    return live_wall();
}

static const struct live_node nodes[] = {{"n1", 8, 0, 32, NULL}, {"n2", 8, 0, 32, NULL}};

#define POLICY(predicts)                                                    \
    "partitions = ( { name = \"main\"; nodes = \"ALL\"; default = true; } );\n" \
    "scheduler = { predict_run_times = " predicts "; };\n"

static uint32_t state_of(struct live_lab *l, uint32_t job, struct wall *ret_start)
{
    struct msg_why *w = live_why(l, "root", job);
    assert_non_null(w);
    uint32_t state = w->state;
    *ret_start = w->start;
    msg_free(MSG_WHY_CAUSES, w);
    return state;
}

/* Returns whether a job whose limit runs into the planned start has started. */
static bool starts_early(const char *policy)
{
    struct live_lab l;
    struct msg_result r;
    struct wall promised, told, ignored;
    live_open(&l, nodes, N_OF(nodes), policy);
    for (int i = 0; i < 2; i++)
        live_submit(&l, "ann", "-J test -c8 -t 10");
    live_play(&l, MINUTES(12)); /* both have ended, at their limits */
    uint32_t one = live_submit(&l, "bob", "-c8 -t 120");
    live_submit(&l, "bob", "-c8 -t 100");
    live_play(&l, MS_PER_S);
    uint32_t wide = live_submit(&l, "cas", "-N2 -c8 -t 60");
    live_play(&l, MS_PER_S);
    assert_int_equal(state_of(&l, wide, &promised), JOB_PENDING);
    live_act(&l, "bob", ACT_CANCEL, one, &r);
    rec_fini(&msg_result_rec, &r);
    live_play(&l, MINUTES(1));
    uint32_t test = live_submit(&l, "ann", "-J test -c8 -t 110");
    live_play(&l, MS_PER_S);
    bool early = state_of(&l, test, &ignored) == JOB_RUNNING;
    assert_int_equal(state_of(&l, wide, &told), JOB_PENDING);
    assert_true(told.ms <= promised.ms + MS_PER_S);
    live_play(&l, MINUTES(121)); /* it has run to its limit */
    assert_int_equal(state_of(&l, wide, &told), JOB_RUNNING);
    live_close(&l);
    return early;
}

static void test_with_and_without(void **state)
{
    (void)state;
    assert_false(starts_early(POLICY("false")));
    assert_true(starts_early(POLICY("true")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_with_and_without)};
    return cmocka_run_group_tests_name("expected runs", tests, NULL, NULL);
}
