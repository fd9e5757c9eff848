/* Records: one with a member of every type. */
#include "tests/lib/check.h"

#include <math.h>

#include "src/base/xalloc.h"
#include "src/record/json.h"
#include "src/record/rec.h"

struct leaf {
    char *name;
    uint32_t n;
};
#define LEAF_FIELDS(F, G, S) F(S, STR, name) F(S, U32, n)
extern const struct rec_desc leaf_rec, whole_rec;
REC_DEFINE(leaf, LEAF_FIELDS)

struct whole {
    bool flag;
    uint32_t u32;
    int32_t i32;
    uint64_t u64;
    int64_t i64;
    double f64;
    char *str;
    struct blob blob;
    struct strv strv;
    struct wall wall;
    struct cpuset cpus;
    struct leaf leaf;
    REC_LIST(struct leaf) leaves;
};
#define WHOLE_FIELDS(F, G, S) \
    F(S, BOOL, flag)          \
    F(S, U32, u32)            \
    F(S, I32, i32)            \
    F(S, U64, u64)            \
    F(S, I64, i64)            \
    F(S, F64, f64)            \
    F(S, STR, str)            \
    F(S, BLOB, blob)          \
    F(S, STRV, strv)          \
    F(S, WALL, wall)          \
    F(S, CPUSET, cpus)        \
    G(S, SUB, leaf, leaf)     \
    G(S, LISTOF, leaves, leaf)
REC_DEFINE(whole, WHOLE_FIELDS)

static struct whole filled(size_t n_leaves)
{
    struct whole w = {.flag = true,
                      .u32 = UINT32_MAX,
                      .i32 = INT32_MIN,
                      .u64 = UINT64_MAX,
                      .i64 = INT64_MIN,
                      .f64 = 0.1,
                      .str = xstrdup("a \"b\"\n"),
                      .blob = {.p = xmemdup("\0\xff"
                                            "xy",
                                            4),
                               .n = 4},
                      .wall = {.ms = 5},
                      .leaf = {.name = xstrdup("sub"), .n = 1}};
    strv_push(&w.strv, "one");
    strv_push(&w.strv, "two");
    cpuset_add_range(&w.cpus, 0, 4);
    for (size_t i = 0; i < n_leaves; i++) {
        struct leaf *l = rec_list_push(&w.leaves);
        assert_null(l->name);
        assert_int_equal(l->n, 0);
        l->name = xasprintf("leaf %zu", i);
        l->n = (uint32_t)i;
    }
    return w;
}

static void zero_record(void **unused)
{
    (void)unused;
    struct whole a = {0}, b;
    memset(&b, 0xee, sizeof b);
    rec_copy(&whole_rec, &b, &a);
    assert_true(rec_eq(&whole_rec, &a, &b));
    struct str out = STR_INIT;
    rec_to_json(&whole_rec, &b, &out);
    assert_string_equal(
        out.s,
        "{\"flag\":false,\"u32\":0,\"i32\":0,\"u64\":0,\"i64\":0,\"f64\":0,\"str\":null,\"blob\":\"\","
        "\"strv\":[],\"wall\":0,\"cpus\":\"\",\"leaf\":{\"name\":null,\"n\":0},\"leaves\":[]}");
    str_fini(&out);
    rec_fini(&whole_rec, &a);
    rec_fini(&whole_rec, &b);
}

static void json(void **unused)
{
    (void)unused;
    struct whole w = filled(2);
    struct str out = STR_INIT;
    rec_to_json(&whole_rec, &w, &out);
    assert_string_equal(
        out.s, "{\"flag\":true,\"u32\":4294967295,\"i32\":-2147483648,\"u64\":18446744073709551615,"
               "\"i64\":-9223372036854775808,\"f64\":0.1,\"str\":\"a \\\"b\\\"\\n\",\"blob\":\"AP94eQ==\","
               "\"strv\":[\"one\",\"two\"],\"wall\":5,\"cpus\":\"0-3\",\"leaf\":{\"name\":\"sub\",\"n\":1},"
               "\"leaves\":[{\"name\":\"leaf 0\",\"n\":0},{\"name\":\"leaf 1\",\"n\":1}]}");
    str_clear(&out);
    w.f64 = NAN;
    w.blob.n = 3;
    rec_to_json(&whole_rec, &w, &out);
    assert_non_null(strstr(out.s, "\"f64\":null,"));
    assert_non_null(strstr(out.s, "\"blob\":\"AP94\","));
    str_fini(&out);
    rec_fini(&whole_rec, &w);
}

static void json_strings(void **unused)
{
    (void)unused;
    static const struct {
        const char *in, *out;
    } rows[] = {{NULL, "null"},
                {"", "\"\""},
                {"a\\b\"c", "\"a\\\\b\\\"c\""},
                {"\t\x01\x1b\x7f", "\"\\t\\u0001\\u001b\\u007f\""},
                {"\xc3\xa9", "\"\xc3\xa9\""},
                {"a\xff\xc3", "\"a\xef\xbf\xbd\xef\xbf\xbd\""}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str out = STR_INIT;
        json_text_or_null(&out, NULL, rows[i].in);
        check_str(rows[i].out, out.s, rows[i].out);
        str_fini(&out);
    }
}

/* Lists of every length around the powers of two: a copy has to have room like the original. */
static void copies_are_deep_and_can_grow(void **unused)
{
    (void)unused;
    for (size_t n = 0; n < 18; n++) {
        struct whole a = filled(n), b;
        memset(&b, 0xee, sizeof b);
        rec_copy(&whole_rec, &b, &a);
        assert_true(rec_eq(&whole_rec, &a, &b));
        assert_ptr_not_equal(a.str, b.str);
        for (int k = 0; k < 9; k++)
            rec_list_push(&b.leaves)->n = 100;
        assert_int_equal(b.leaves.n, n + 9);
        assert_false(rec_eq(&whole_rec, &a, &b));
        rec_fini(&whole_rec, &a);
        assert_int_equal(a.leaves.n, 0);
        assert_null(a.str);
        assert_string_equal(b.str, "a \"b\"\n");
        if (n) {
            char name[32];
            snprintf(name, sizeof name, "leaf %zu", n - 1);
            assert_string_equal(b.leaves.v[n - 1].name, name);
        }
        rec_fini(&whole_rec, &b);
    }
}

/* Every member counts: a change of any of them is seen. */
static void equality_sees_each_member(void **unused)
{
    (void)unused;
    struct whole a = filled(2);
    for (int member = 0; member < 15; member++) {
        struct whole b;
        rec_copy(&whole_rec, &b, &a);
        switch (member) {
        case 0: b.flag = false; break;
        case 1: b.u32--; break;
        case 2: b.i32++; break;
        case 3: b.u64--; break;
        case 4: b.i64++; break;
        case 5: b.f64 = 0.2; break;
        case 6: b.str[0] = 'x'; break;
        case 7: b.blob.p[3] = 'x'; break;
        case 8: b.blob.n--; break;
        case 9: b.strv.v[1][0] = 'x'; break;
        case 10: b.wall.ms++; break;
        case 11: cpuset_del(&b.cpus, 3); break;
        case 12: b.leaf.n++; break;
        case 13: b.leaves.v[1].name[0] = 'x'; break;
        case 14:
            free(b.str);
            b.str = NULL;
            break;
        }
        check_int("changed", member * 10 + rec_eq(&whole_rec, &a, &b), member * 10);
        rec_fini(&whole_rec, &b);
    }
    rec_fini(&whole_rec, &a);
}

struct seldom {
    uint32_t n;
    char *text;
    REC_LIST(struct leaf) leaves;
};
struct boxed {
    uint32_t id;
    struct seldom *rare;
};
#define BOXED_FIELDS(F, G, S)     \
    F(S, U32, id)                 \
    G(S, BOXED, rare, U32, n)     \
    G(S, BOXED, rare, STR, text)  \
    G(S, BOXED_LISTOF, rare, leaves, leaf)
extern const struct rec_desc boxed_rec;
REC_DEFINE(boxed, BOXED_FIELDS)

static void check_json(const struct boxed *b, const char *want)
{
    struct str out = STR_INIT;
    rec_to_json(&boxed_rec, b, &out);
    assert_string_equal(out.s, want);
    str_fini(&out);
}

/* Without a box all members in it are unset; an empty box says the same. */
static void a_box_is_there_once_it_holds_something(void **unused)
{
    (void)unused;
    struct boxed none = {.id = 1}, empty = {.id = 1}, copy;
    assert_ptr_equal(rec_box(&empty.rare), rec_box(&empty.rare));
    assert_int_equal(empty.rare->n, 0);
    assert_true(rec_eq(&boxed_rec, &none, &empty) && rec_eq(&boxed_rec, &empty, &none));
    check_json(&none, "{\"id\":1,\"n\":0,\"text\":null,\"leaves\":[]}");
    check_json(&empty, "{\"id\":1,\"n\":0,\"text\":null,\"leaves\":[]}");
    memset(&copy, 0xee, sizeof copy);
    rec_copy(&boxed_rec, &copy, &none);
    assert_null(copy.rare);
    *(uint32_t *)rec_at_mut(&boxed_rec.fields[1], &copy) = 7;
    assert_int_equal(copy.rare->n, 7);
    assert_false(rec_eq(&boxed_rec, &none, &copy) || rec_eq(&boxed_rec, &copy, &empty));
    rec_fini(&boxed_rec, &copy);
    assert_null(copy.rare);
    rec_fini(&boxed_rec, &empty);
    rec_fini(&boxed_rec, &none);
}

static void count_text(void *ctx, char **text)
{
    *(int *)ctx += *text != NULL;
}

static void a_copy_has_a_box_of_its_own(void **unused)
{
    (void)unused;
    struct boxed a = {.id = 1}, b;
    rec_box(&a.rare)->text = xstrdup("x");
    rec_list_push(&a.rare->leaves)->name = xstrdup("leaf");
    memset(&b, 0xee, sizeof b);
    rec_copy(&boxed_rec, &b, &a);
    assert_ptr_not_equal(a.rare, b.rare);
    assert_true(rec_eq(&boxed_rec, &a, &b));
    b.rare->text[0] = 'y';
    assert_false(rec_eq(&boxed_rec, &a, &b));
    check_json(&a, "{\"id\":1,\"n\":0,\"text\":\"x\",\"leaves\":[{\"name\":\"leaf\",\"n\":0}]}");
    int n = 0;
    rec_each_text(&boxed_rec, &a, count_text, &n);
    assert_int_equal(n, 2);
    rec_fini(&boxed_rec, &a);
    check_json(&b, "{\"id\":1,\"n\":0,\"text\":\"y\",\"leaves\":[{\"name\":\"leaf\",\"n\":0}]}");
    rec_fini(&boxed_rec, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(zero_record),
                                       cmocka_unit_test(json),
                                       cmocka_unit_test(json_strings),
                                       cmocka_unit_test(copies_are_deep_and_can_grow),
                                       cmocka_unit_test(equality_sees_each_member),
                                       cmocka_unit_test(a_box_is_there_once_it_holds_something),
                                       cmocka_unit_test(a_copy_has_a_box_of_its_own)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
