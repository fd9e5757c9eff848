/* How long Slurm is left alone after an answer. */
#include "backend/slurm/slurm_poll.h"

#include <sys/prctl.h>

#include "backend/slurm/host/slurm_peers.h"
#include "tests/unit/slurm/fixture.h"

static void test_pauses(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t last_ms, best_ms;
        uint32_t slow;
        bool busy;
        int64_t least_ms, want;
        uint32_t want_slow;
    } rows[] = {
        {"quick", 20, 20, 0, false, 10000, 10000, 0},
        {"2 % of the time", 400, 300, 0, false, 10000, 20000, 0},
        {"a long list is not slow", 1100, 1000, 0, false, 10000, 55000, 0},
        {"a long list may take as long again", 1800, 1000, 3, false, 10000, 90000, 0},
        {"slow", 1100, 200, 0, false, 10000, 110000, 1},
        {"slow again", 1100, 200, 1, false, 10000, 220000, 2},
        {"slow for long: 10 min", 1100, 200, 9, false, 10000, 600000, 10},
        {"very slow: 10 min", 60000, 60000, 0, false, 10000, 600000, 0},
        {"quick again", 300, 200, 7, false, 10000, 15000, 0},
        {"busy", 20, 20, 0, true, 10000, 20000, 0},
        {"seldom asked anyway", 20, 20, 0, true, 3600000, 3600000, 0},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t slow = rows[i].slow;
        int64_t got =
            slurm_poll_pause(rows[i].last_ms, rows[i].best_ms, &slow, rows[i].busy, rows[i].least_ms);
        if (got != rows[i].want || slow != rows[i].want_slow)
            fail_msg("%s: %lld ms, %u slow", rows[i].name, (long long)got, slow);
    }
}

static void test_among_others(void **state)
{
    (void)state;
    static const struct {
        int64_t pause_ms;
        unsigned readers;
        int64_t want;
    } rows[] = {{10000, 0, 10000}, {10000, 1, 10000},   {10000, 2, 10000},   {10000, 3, 15000},
                {20000, 5, 50000}, {20000, 50, 500000}, {20000, 100, 600000}};
    for (size_t i = 0; i < N_OF(rows); i++)
        assert_int_equal(slurm_poll_among(rows[i].pause_ms, rows[i].readers), rows[i].want);
}

/* Each of them tells it by its name alone. */
static void test_readers(void **state)
{
    (void)state;
    char name[32] = "";
    slurm_peers_tell(true);
    assert_true(slurm_peers_count() >= 1);
    assert_int_equal(prctl(PR_GET_NAME, name), 0);
    assert_string_equal(name, "stoker-slurm-a");
    slurm_peers_tell(false);
    assert_int_equal(prctl(PR_GET_NAME, name), 0);
    assert_string_equal(name, "stoker-slurm");
}

/* As Slurm 22.05 prints it; the figures were put in by hand. */
static void test_busy(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool want;
    } rows[] = {
        {"", false},
        {"Server thread count:  3\nAgent queue size:     0\nAgent count:          0\n", false},
        {"Server thread count:  50\nAgent queue size:     100\n", false},
        {"Server thread count:  51\nAgent queue size:     0\n", true},
        {"Server thread count:  1\nAgent queue size:     101\n", true},
        {"Server thread count:", false},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct slurm_span text = {rows[i].text, strlen(rows[i].text)};
        assert_int_equal(slurm_poll_reads_busy(&text), rows[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pauses), cmocka_unit_test(test_among_others),
                                       cmocka_unit_test(test_readers), cmocka_unit_test(test_busy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
