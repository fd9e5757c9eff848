/* Growable strings, string lists, environments. */
#include "tests/lib/check.h"

#include "src/base/err.h"
#include "src/base/str.h"

static void empty_string_needs_no_memory(void **unused)
{
    (void)unused;
    struct str b = STR_INIT;
    assert_string_equal(b.s, "");
    str_append(&b, "");
    str_clear(&b);
    str_truncate(&b, 10);
    assert_int_equal(b.cap, 0);
    str_fini(&b);
    char *s = str_take(&b);
    assert_string_equal(s, "");
    free(s);
}

static void append_grows_across_the_first_sizes(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 140; n++) {
        struct str b = STR_INIT;
        for (size_t i = 0; i < n; i++)
            str_append_char(&b, (char)('a' + i % 26));
        assert_int_equal(b.len, n);
        assert_int_equal(strlen(b.s), n);
        assert_true(n == 0 || b.s[n - 1] == (char)('a' + (n - 1) % 26));
        str_fini(&b);
    }
}

static void appendf_at_every_fill(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 80; n++) {
        struct str b = STR_INIT;
        for (size_t i = 0; i < n; i++)
            str_append_char(&b, '.');
        str_appendf(&b, "%s-%d", "thirty-one characters of a text", 7);
        assert_int_equal(b.len, n + 33);
        assert_string_equal(b.s + n, "thirty-one characters of a text-7");
        str_fini(&b);
    }
}

static void predicates_take_null(void **unused)
{
    (void)unused;
    assert_true(str_eq(NULL, NULL));
    assert_false(str_eq(NULL, ""));
    assert_false(str_eq("a", "A"));
    assert_true(str_ieq("a", "A"));
    assert_true(str_is_empty(NULL));
    assert_true(str_is_empty(""));
    assert_false(str_is_empty(" "));
    assert_true(str_starts("abc", ""));
    assert_false(str_starts("ab", "abc"));
    assert_true(str_ends("abc", "bc"));
    assert_false(str_ends("bc", "abc"));
}

static void trim(void **unused)
{
    (void)unused;
    static const struct {
        const char *in, *out;
    } rows[] = {{"", ""}, {"   ", ""}, {" a", "a"}, {"a\n", "a"}, {" a b\t", "a b"}, {"a", "a"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        char buf[16];
        snprintf(buf, sizeof buf, "%s", rows[i].in);
        check_str(rows[i].in, str_trim(buf), rows[i].out);
    }
}

static void split_and_join(void **unused)
{
    (void)unused;
    static const struct {
        const char *in, *joined;
        size_t n;
    } rows[] = {{NULL, "", 0}, {"", "", 0}, {",,", "", 0}, {"a", "a", 1}, {",a,,b;c,", "a+b+c", 3}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct strv a = strv_split(rows[i].in, ",;");
        char *joined = strv_join(&a, "+");
        check_int(rows[i].joined, a.n, rows[i].n);
        check_str(rows[i].joined, joined, rows[i].joined);
        free(joined);
        strv_fini(&a);
    }
}

static void list_stays_terminated(void **unused)
{
    (void)unused;
    struct strv a = {0};
    for (size_t n = 0; n < 70; n++) {
        if (n)
            assert_null(a.v[n]);
        strv_push(&a, n % 2 ? "odd" : "even");
    }
    assert_true(strv_has(&a, "odd"));
    assert_false(strv_has(&a, "neither"));
    struct strv b = strv_copy(&a);
    assert_int_equal(b.n, 70);
    assert_ptr_not_equal(a.v[0], b.v[0]);
    strv_fini(&a);
    strv_fini(&a);
    assert_string_equal(b.v[69], "odd");
    strv_fini(&b);
}

static void environment(void **unused)
{
    (void)unused;
    struct strv env = {0};
    assert_null(strv_getenv(&env, "A"));
    strv_unsetenv(&env, "A");
    strv_setenv(&env, "AB", "1");
    assert_null(strv_getenv(&env, "A"));
    strv_setenv(&env, "A", "x=y");
    strv_setenvf(&env, "AB", "%d", 22);
    assert_int_equal(env.n, 2);
    assert_string_equal(strv_getenv(&env, "A"), "x=y");
    assert_string_equal(strv_getenv(&env, "AB"), "22");
    strv_unsetenv(&env, "AB");
    assert_int_equal(env.n, 1);
    assert_null(env.v[1]);
    /* What was removed makes room: the list grows again from where it is. */
    for (int i = 0; i < 20; i++)
        strv_setenvf(&env, "AB", "%d", i);
    assert_int_equal(env.n, 2);
    strv_fini(&env);
}

static void error_texts_are_cut_not_overrun(void **unused)
{
    (void)unused;
    struct errtext err = {0};
    char big[2000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    assert_int_equal(err_set(NULL, -22, "%s", big), -22);
    assert_int_equal(err_prefix(NULL, -22, "%s", big), -22);
    assert_int_equal(err_set(&err, -5, "%s", "no such node"), -5);
    assert_int_equal(err_prefix(&err, -7, "line %d", 12), -7);
    assert_string_equal(err.s, "line 12: no such node");
    assert_int_equal(err_prefix(&err, -7, "%s", big), -7);
    assert_int_equal(strlen(err.s), sizeof err.s - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_texts_are_cut_not_overrun),
        cmocka_unit_test(empty_string_needs_no_memory),
        cmocka_unit_test(append_grows_across_the_first_sizes),
        cmocka_unit_test(appendf_at_every_fill),
        cmocka_unit_test(predicates_take_null),
        cmocka_unit_test(trim),
        cmocka_unit_test(split_and_join),
        cmocka_unit_test(list_stays_terminated),
        cmocka_unit_test(environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
