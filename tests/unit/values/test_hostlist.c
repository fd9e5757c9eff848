/* Node lists in bracket form. */
#include "tests/lib/check.h"

#include <errno.h>

#include "src/values/hostlist.h"

static void refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *in;
        int r;
        const char *says;
    } rows[] = {{",", -EINVAL, "character 1"},
                {"a,", -EINVAL, "a name is missing"},
                {"a,,b", -EINVAL, "character 3"},
                {"a b", -EINVAL, "blank"},
                {" a", -EINVAL, "blank"},
                {"a\n", -EINVAL, "control"},
                {"n[", -EINVAL, "']' is missing"},
                {"n[1-2", -EINVAL, "']' is missing"},
                {"n]", -EINVAL, "without '['"},
                {"n[1]]", -EINVAL, "without '['"},
                {"n[[1]", -EINVAL, "inside"},
                {"n[]", -EINVAL, "a range"},
                {"n[1,]", -EINVAL, "a range"},
                {"n[,1]", -EINVAL, "a range"},
                {"n[1-]", -EINVAL, "a range"},
                {"n[-1]", -EINVAL, "a range"},
                {"n[1-2-3]", -EINVAL, "a range"},
                {"n[a-b]", -EINVAL, "a range"},
                {"n[2-1]", -EINVAL, "character 3"},
                {"n[1234567890]", -EINVAL, "a range"},
                {"n[1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2][1-2]", -EINVAL, "too many brackets"},
                {"ok,n[1-2,x]", -EINVAL, "character 10"},
                {"n[0-100000]", -E2BIG, "100000"},
                {"n[1-999999999]", -E2BIG, "100000"},
                {"n[1-50000],m[1-50001]", -E2BIG, "100000"},
                {"n[1-1000][1-1000][1-1000][1-1000]", -E2BIG, "100000"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct errtext err = {0};
        struct strv v = {.v = NULL, .n = 77};
        check_int(rows[i].in, hostlist_expand(rows[i].in, &v, &err), rows[i].r);
        check_int(rows[i].in, v.n, 77);
        check_has(rows[i].in, err.s, rows[i].says);
    }
}

static void name_length(void **unused)
{
    (void)unused;
    char name[300];
    struct strv v = {0};
    memset(name, 'n', sizeof name);
    name[256] = '\0';
    assert_int_equal(hostlist_expand(name, &v, NULL), -EINVAL);
    name[255] = '\0';
    assert_int_equal(hostlist_expand(name, &v, NULL), 0);
    assert_int_equal(v.n, 1);
    strv_fini(&v);
}

static void expanded(void **unused)
{
    (void)unused;
    static const struct {
        const char *in, *out;
    } rows[] = {{"", ""},
                {"a", "a"},
                {"a,a", "a a"},
                {"n[1]", "n1"},
                {"n[1-3]", "n1 n2 n3"},
                {"n[01-03]", "n01 n02 n03"},
                {"n[8-11]", "n8 n9 n10 n11"},
                {"n[098-101]", "n098 n099 n100 n101"},
                {"n[1-2,05-07],x3", "n1 n2 n05 n06 n07 x3"},
                {"n[3,1,3]", "n3 n1 n3"},
                {"n[1-2]-ib", "n1-ib n2-ib"},
                {"r[1-2]n[01-02]", "r1n01 r1n02 r2n01 r2n02"},
                {"[1-2]", "1 2"},
                {"gpu[000-001].lab.example,login", "gpu000.lab.example gpu001.lab.example login"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct strv v = {0};
        struct errtext err = {0};
        check_int(rows[i].in, hostlist_expand(rows[i].in, &v, &err), 0);
        char *joined = strv_join(&v, " ");
        check_str(rows[i].in, joined, rows[i].out);
        free(joined);
        strv_fini(&v);
    }
}

static void compressed(void **unused)
{
    (void)unused;
    static const struct {
        const char *in, *out;
    } rows[] = {{"", ""},
                {"a", "a"},
                {"n1", "n1"},
                {"n1 n2 n3", "n[1-3]"},
                {"n01 n02 n04", "n[01-02,04]"},
                {"n9 n10 n11", "n[9-11]"},
                {"n09 n10 n11", "n[09-11]"},
                {"n99 n100", "n[99-100]"},
                {"n099 n100", "n[099-100]"},
                {"n1 n2 n05 n06 n07 x3", "n[1-2,05-07],x3"},
                {"n3 n2 n1", "n[3,2,1]"},
                {"n1 n1", "n[1,1]"},
                {"n1 m1 n2", "n1,m1,n2"},
                {"n1-ib n2-ib", "n1-ib,n2-ib"},
                {"a b", "a,b"},
                {"n n1", "n,n1"},
                {"1 2 3", "[1-3]"},
                {"n9999999999 n10000000000", "n9999999999,n10000000000"},
                {"n1234567890 n1234567891", "n1[234567890-234567891]"},
                {"n999999999 n1000000000", "n999999999,n1000000000"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct strv v = strv_split(rows[i].in, " ");
        char *text = hostlist_compress(&v);
        check_str(rows[i].in, text, rows[i].out);
        free(text);
        strv_fini(&v);
    }
}

/* Whatever the names: compressed and expanded again they are the same, in the same order. */
static void round_trip(void **unused)
{
    (void)unused;
    static const char *const prefixes[] = {"n", "gpu", "n0", "rack1-n", ""};
    uint64_t rng = check_seed();
    for (int i = 0; i < 3000; i++) {
        struct strv names = {0}, back = {0};
        size_t n = 1 + check_rand(&rng) % 20, number = check_rand(&rng) % 120;
        for (size_t k = 0; k < n; k++) {
            number = check_rand(&rng) % 3 ? number + 1 : check_rand(&rng) % 1200;
            char name[64];
            snprintf(name, sizeof name, "%s%0*zu%s",
                     prefixes[check_rand(&rng) % 8 ? 0 : check_rand(&rng) % N_OF(prefixes)],
                     (int)(check_rand(&rng) % 9 ? 2 : check_rand(&rng) % 12), number,
                     check_rand(&rng) % 20 ? "" : "x");
            strv_push(&names, name);
        }
        char *text = hostlist_compress(&names), *want = strv_join(&names, " ");
        struct errtext err = {0};
        if (hostlist_expand(text, &back, &err) < 0)
            fail_msg("%s", err.s);
        char *got = strv_join(&back, " ");
        check_str(text, got, want);
        free(got);
        free(want);
        free(text);
        strv_fini(&back);
        strv_fini(&names);
    }
}

static void the_limit_itself(void **unused)
{
    (void)unused;
    struct strv v = {0};
    assert_int_equal(hostlist_expand("n[1-100000]", &v, NULL), 0);
    assert_int_equal(v.n, HOSTLIST_MAX);
    char *text = hostlist_compress(&v);
    assert_string_equal(text, "n[1-100000]");
    free(text);
    strv_fini(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused),    cmocka_unit_test(name_length),
                                       cmocka_unit_test(expanded),   cmocka_unit_test(compressed),
                                       cmocka_unit_test(round_trip), cmocka_unit_test(the_limit_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
