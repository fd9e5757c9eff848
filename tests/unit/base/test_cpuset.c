/* Sets of CPUs against arrays of bool. */
#include "tests/lib/check.h"

#include "src/base/cpuset.h"
#include "src/base/str.h"

/* The numbers of a list that ends with -1. */
static struct cpuset set_of(const int *v)
{
    struct cpuset s = {0};
    for (; *v >= 0; v++)
        cpuset_add(&s, (unsigned)*v);
    return s;
}

static void texts(void **unused)
{
    (void)unused;
    static const struct {
        int in[8];
        const char *out;
        unsigned n;
    } rows[] = {{{-1}, "", 0},
                {{0, -1}, "0", 1},
                {{1023, -1}, "1023", 1},
                {{0, 1, 2, 3, 8, -1}, "0-3,8", 5},
                {{8, 3, 2, 0, 1, -1}, "0-3,8", 5},
                {{63, 64, -1}, "63-64", 2},
                {{1, 1, 1, -1}, "1", 1}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct cpuset s = set_of(rows[i].in);
        char *text = cpuset_format(&s);
        check_str(rows[i].out, text, rows[i].out);
        check_int(rows[i].out, cpuset_count(&s), rows[i].n);
        check_int(rows[i].out, cpuset_is_empty(&s), rows[i].n == 0);
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
    struct cpuset s = set_of((int[]){5, 62, 63, 64, 65, 66, 700, -1});
    struct cpuset none = cpuset_take_lowest(&s, 0);
    assert_true(cpuset_is_empty(&none));
    struct cpuset taken = cpuset_take_lowest(&s, 4), lowest = set_of((int[]){5, 62, 63, 64, -1}),
                  rest = set_of((int[]){65, 66, 700, -1});
    assert_true(cpuset_eq(&taken, &lowest));
    assert_true(cpuset_eq(&s, &rest));
}

static void from_bools(const bool *b, struct cpuset *s)
{
    *s = (struct cpuset){0};
    for (unsigned i = 0; i < CPUSET_MAX; i++)
        if (b[i])
            cpuset_add(s, i);
}

static void text_of_bools(const bool *b, struct str *out)
{
    str_clear(out);
    for (unsigned i = 0; i < CPUSET_MAX; i++) {
        unsigned first = i;
        while (b[i] && i + 1 < CPUSET_MAX && b[i + 1])
            i++;
        if (b[i])
            str_appendf(out, first == i ? "%s%u" : "%s%u-%u", out->len ? "," : "", first, i);
    }
}

static void set_algebra(void **unused)
{
    (void)unused;
    uint64_t rng = check_seed();
    static bool a[CPUSET_MAX], b[CPUSET_MAX];
    struct str want = STR_INIT;
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
        text_of_bools(a, &want);
        assert_string_equal(text, want.s);
        free(text);
    }
    str_fini(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(beyond_the_end_is_nothing),
                                       cmocka_unit_test(take_lowest), cmocka_unit_test(set_algebra)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
