/* test_codec_form.c - the bytes of each kind of value at the sizes where its form changes. */
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/check.h"

#define BYTES(s) s, sizeof s - 1

struct amount {
    int64_t n;
};
#define AMOUNT_FIELDS(F, G, S) F(S, I64, n)
struct bulk {
    char *text;
    struct blob blob;
    struct strv texts;
};
#define BULK_FIELDS(F, G, S) F(S, STR, text) F(S, BLOB, blob) F(S, STRV, texts)
extern const struct rec_desc amount_rec, bulk_rec;
REC_DEFINE(amount, AMOUNT_FIELDS)
REC_DEFINE(bulk, BULK_FIELDS)

/* Records on disk are compared by their bytes: each number has one form, the shortest. */
static void test_numbers_have_the_shortest_form(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        const char *bytes;
        size_t n_bytes;
    } cases[] = {
        {1, BYTES("\x91\x01")},
        {127, BYTES("\x91\x7f")},
        {128, BYTES("\x91\xcc\x80")},
        {255, BYTES("\x91\xcc\xff")},
        {256, BYTES("\x91\xcd\x01\x00")},
        {65535, BYTES("\x91\xcd\xff\xff")},
        {65536, BYTES("\x91\xce\x00\x01\x00\x00")},
        {UINT32_MAX, BYTES("\x91\xce\xff\xff\xff\xff")},
        {INT64_C(1) << 32, BYTES("\x91\xcf\0\0\0\x01\0\0\0\0")},
        {-1, BYTES("\x91\xff")},
        {-32, BYTES("\x91\xe0")},
        {-33, BYTES("\x91\xd0\xdf")},
        {INT8_MIN, BYTES("\x91\xd0\x80")},
        {INT8_MIN - 1, BYTES("\x91\xd1\xff\x7f")},
        {INT16_MIN, BYTES("\x91\xd1\x80\x00")},
        {INT16_MIN - 1, BYTES("\x91\xd2\xff\xff\x7f\xff")},
        {INT32_MIN, BYTES("\x91\xd2\x80\0\0\0")},
        {INT64_C(-1) + INT32_MIN, BYTES("\x91\xd3\xff\xff\xff\xff\x7f\xff\xff\xff")},
        {INT64_MIN, BYTES("\x91\xd3\x80\0\0\0\0\0\0\0")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str out = STR_INIT;
        codec_encode(&amount_rec, &(struct amount){cases[i].n}, &out);
        assert_int_equal(out.len, cases[i].n_bytes);
        assert_memory_equal(out.s, cases[i].bytes, out.len);
        str_fini(&out);
    }
}

/* The heads of texts, bytes and lists at the sizes where they grow. The encoding grows meanwhile. */
static void test_sizes_have_the_shortest_form(void **state)
{
    (void)state;
    static const struct {
        size_t n, text, blob, list; /* bytes of the heads */
    } cases[] = {{0, 1, 2, 1},     {1, 1, 2, 1},     {15, 1, 2, 1},   {16, 1, 2, 3},
                 {31, 1, 2, 3},    {32, 2, 2, 3},    {255, 2, 2, 3},  {256, 3, 3, 3},
                 {65535, 3, 3, 3}, {65536, 5, 5, 5}, {70000, 5, 5, 5}};
    char empty[] = "";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = cases[i].n;
        struct bulk b = {.text = xcalloc(1, n + 1)}, back;
        struct str out = STR_INIT;
        struct errtext err;
        memset(b.text, 'x', n);
        codec_encode(&bulk_rec, &b, &out);
        assert_int_equal(out.len, 1 + cases[i].text + n);
        b.blob = (struct blob){.p = xcalloc(1, n + 1), .n = n};
        b.texts = (struct strv){.v = xcalloc(n + 1, sizeof *b.texts.v), .n = n};
        for (size_t k = 0; k < n; k++)
            b.texts.v[k] = empty;
        str_clear(&out);
        codec_encode(&bulk_rec, &b, &out);
        if (n)
            assert_int_equal(out.len, 1 + cases[i].text + cases[i].blob + cases[i].list + 3 * n);
        assert_int_equal(codec_decode_own(&bulk_rec, out.s, out.len, &back, &err), 0);
        assert_true(rec_eq(&bulk_rec, &b, &back));
        rec_fini(&bulk_rec, &back);
        free(b.text);
        free(b.blob.p);
        free(b.texts.v);
        str_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_have_the_shortest_form),
        cmocka_unit_test(test_sizes_have_the_shortest_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
