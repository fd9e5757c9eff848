/* test_ulimit.c - names of resource limits, and what becomes of a limit above the hard one. test-user */
#include "src/os/ulimit.h"

#include <errno.h>
#include <sys/resource.h>

#include "tests/lib/check.h"

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        uint32_t want; /* UINT32_MAX: refused */
        const char *bad;
    } rows[] = {
        {"ALL", ULIMIT_ALL, NULL},
        {"all", ULIMIT_ALL, NULL},
        {"NONE", 0, NULL},
        {"NOFILE", 1u << ULIMIT_NOFILE, NULL},
        {"rlimit_core,Stack", 1u << ULIMIT_CORE | 1u << ULIMIT_STACK, NULL},
        {"AS,ALL", ULIMIT_ALL, NULL},
        {"", UINT32_MAX, ""},
        {"NOFILE,", UINT32_MAX, ""},
        {"NOFILE,NONE", UINT32_MAX, "NONE"},
        {"FILES,CORE", UINT32_MAX, "FILES"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t got = 0;
        const char *bad = NULL;
        int len = 0, r = ulimit_parse(rows[i].list, &got, &bad, &len);
        assert_int_equal(r, rows[i].want == UINT32_MAX ? -EINVAL : 0);
        if (r == 0)
            assert_int_equal(got, rows[i].want);
        else
            assert_true((size_t)len == strlen(rows[i].bad) && strncmp(bad, rows[i].bad, (size_t)len) == 0);
    }
    assert_string_equal(ulimit_name(ULIMIT_MEMLOCK), "MEMLOCK");
}

static void test_hard_limit_holds(void **state)
{
    (void)state;
    uint64_t soft = 0;
    struct rlimit lim = {.rlim_cur = 50, .rlim_max = 100};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &lim), 0);
    assert_true(ulimit_get(ULIMIT_NOFILE, &soft));
    assert_int_equal(soft, 50);
    assert_int_equal(ulimit_set(ULIMIT_NOFILE, 80), 0);
    assert_int_equal(ulimit_set(ULIMIT_NOFILE, 101), 1);
    assert_true(ulimit_get(ULIMIT_NOFILE, &soft));
    assert_int_equal(soft, 100);
    assert_int_equal(ulimit_set(ULIMIT_NOFILE, ULIMIT_UNLIMITED), 1);
    assert_int_equal(ulimit_set(ULIMIT_N, 1), -EINVAL);
}

static void test_bequest_is_taken_once(void **state)
{
    (void)state;
    uint64_t nofile = 1, core = 2;
    ulimit_inherited(&nofile, &core);
    assert_true(nofile == 1 && core == 2);
    ulimit_bequeath(1024, ULIMIT_UNLIMITED);
    ulimit_inherited(&nofile, &core);
    assert_true(nofile == 1024 && core == ULIMIT_UNLIMITED);
    nofile = 7;
    ulimit_inherited(&nofile, &core);
    assert_int_equal(nofile, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_hard_limit_holds),
        cmocka_unit_test(test_bequest_is_taken_once),
    };
    return cmocka_run_group_tests_name("ulimit", tests, NULL, NULL);
}
