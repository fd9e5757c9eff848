/* Sets of CPUs against arrays of bool. */
#include "tests/lib/check.h"

#include <errno.h>

#include "src/base/cpuset.h"

static void refused(void **unused)
{
    (void)unused;
    static const char *const rows[] = {",",      "1,",    "1,,2",        "-1",  "1-",  "3-2",
                                       "a",      "1 ",    " 1",          "1;2", "0x1", "1024",
                                       "0-1024", "1-2-3", "99999999999", "1-,2"};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct errtext err = {0};
        struct cpuset s = {.w = {77}};
        check_int(rows[i], cpuset_parse(rows[i], &s, &err), -EINVAL);
        check_int(rows[i], s.w[0], 77);
        check_has(rows[i], err.s, rows[i]);
    }
}

static void texts(void **unused)
{
    (void)unused;
    static const struct {
        const char *in, *out;
        unsigned n;
    } rows[] = {{"", "", 0},
                {"0", "0", 1},
                {"1023", "1023", 1},
                {"0-3,8", "0-3,8", 5},
                {"8,3,2-2,0-1", "0-3,8", 5},
                {"63-64", "63-64", 2},
                {"1,1,1", "1", 1}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct cpuset s = {0};
        check_int(rows[i].in, cpuset_parse(rows[i].in, &s, NULL), 0);
        char *text = cpuset_format(&s);
        check_str(rows[i].in, text, rows[i].out);
        check_int(rows[i].in, cpuset_count(&s), rows[i].n);
        check_int(rows[i].in, cpuset_is_empty(&s), rows[i].n == 0);
        free(text);
    }
}

static void beyond_the_end_is_nothing(void **unused)
{
    (void)unused;
    struct cpuset s = {0};
    cpuset_add_range(&s, 0, CPUSET_MAX);
    assert_int_equal(cpuset_count(&s), CPUSET_MAX);
    assert_false(cpuset_has(&s, CPUSET_MAX));
    assert_int_equal(cpuset_next(&s, CPUSET_MAX), -1);
    assert_int_equal(cpuset_next(&s, CPUSET_MAX - 1), CPUSET_MAX - 1);
    cpuset_del(&s, CPUSET_MAX);
    cpuset_add_range(&s, CPUSET_MAX, 0);
    assert_int_equal(cpuset_count(&s), CPUSET_MAX);
    struct cpuset taken = cpuset_take_lowest(&s, CPUSET_MAX);
    assert_true(cpuset_is_empty(&s));
    assert_int_equal(cpuset_count(&taken), CPUSET_MAX);
}

static void take_lowest(void **unused)
{
    (void)unused;
    struct cpuset s = {0}, want = {0};
    assert_int_equal(cpuset_parse("5,62-66,700", &s, NULL), 0);
    struct cpuset none = cpuset_take_lowest(&s, 0);
    assert_true(cpuset_is_empty(&none));
    struct cpuset taken = cpuset_take_lowest(&s, 4);
    assert_int_equal(cpuset_parse("5,62-64", &want, NULL), 0);
    assert_true(cpuset_eq(&taken, &want));
    assert_int_equal(cpuset_parse("65-66,700", &want, NULL), 0);
    assert_true(cpuset_eq(&s, &want));
}

static void from_bools(const bool *b, struct cpuset *s)
{
    *s = (struct cpuset){0};
    for (unsigned i = 0; i < CPUSET_MAX; i++)
        if (b[i])
            cpuset_add(s, i);
}

static void set_algebra(void **unused)
{
    (void)unused;
    uint64_t rng = check_seed();
    static bool a[CPUSET_MAX], b[CPUSET_MAX];
    for (int round = 0; round < 300; round++) {
        struct cpuset x, y, u, d;
        uint64_t one_in = 1 + check_rand(&rng) % 400;
        bool subset = check_rand(&rng) % 3 == 0, meet = false, contains = true;
        for (unsigned i = 0; i < CPUSET_MAX; i++) {
            a[i] = check_rand(&rng) % one_in == 0;
            b[i] = check_rand(&rng) % one_in == 0 && (a[i] || !subset);
            meet = meet || (a[i] && b[i]);
            contains = contains && (a[i] || !b[i]);
        }
        from_bools(a, &x);
        from_bools(b, &y);
        u = d = x;
        cpuset_or(&u, &y);
        cpuset_andnot(&d, &y);
        assert_int_equal(cpuset_intersects(&x, &y), meet);
        assert_int_equal(cpuset_contains(&x, &y), contains);
        for (unsigned i = 0; i < CPUSET_MAX; i++) {
            assert_int_equal(cpuset_has(&u, i), a[i] || b[i]);
            assert_int_equal(cpuset_has(&d, i), a[i] && !b[i]);
        }
        char *text = cpuset_format(&x);
        struct cpuset back;
        assert_int_equal(cpuset_parse(text, &back, NULL), 0);
        assert_true(cpuset_eq(&x, &back));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(texts),
                                       cmocka_unit_test(beyond_the_end_is_nothing),
                                       cmocka_unit_test(take_lowest), cmocka_unit_test(set_algebra)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
