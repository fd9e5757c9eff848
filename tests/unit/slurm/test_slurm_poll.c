/* How long Slurm is left alone after an answer. */
#include "backend/slurm/slurm_poll.h"

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pauses), cmocka_unit_test(test_busy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
