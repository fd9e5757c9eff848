/* test_codec_form.c - the bytes of each kind of value at the sizes where its form changes, by themselves
 * and compared with those of the msgpack library. */
#include <msgpack.h>
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
struct kinds {
    bool truth;
    uint8_t small;
    uint32_t u32;
    int32_t i32;
    uint64_t u64;
    int64_t i64;
    double real;
    char *text;
    struct blob blob;
    struct strv texts;
    struct bulk sub;
};
#define KINDS_FIELDS(F, G, S) \
    F(S, BOOL, truth)         \
    F(S, U8, small)           \
    F(S, U32, u32)            \
    F(S, I32, i32)            \
    F(S, U64, u64)            \
    F(S, I64, i64) F(S, F64, real) F(S, STR, text) F(S, BLOB, blob) F(S, STRV, texts) G(S, SUB, sub, bulk)
extern const struct rec_desc amount_rec, bulk_rec, kinds_rec;
REC_DEFINE(amount, AMOUNT_FIELDS)
REC_DEFINE(bulk, BULK_FIELDS)
REC_DEFINE(kinds, KINDS_FIELDS)

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

/* ---- the same by the library ---- */

static int library_append(void *out, const char *bytes, size_t n)
{
    str_append_n(out, bytes, n);
    return 0;
}

static void library_text(msgpack_packer *pk, const char *text)
{
    msgpack_pack_str(pk, strlen(text));
    msgpack_pack_str_body(pk, text, strlen(text));
}

static void library_bulk(msgpack_packer *pk, const struct bulk *b)
{
    library_text(pk, b->text);
    msgpack_pack_bin(pk, b->blob.n);
    msgpack_pack_bin_body(pk, b->blob.p, b->blob.n);
    msgpack_pack_array(pk, b->texts.n);
    for (size_t i = 0; i < b->texts.n; i++)
        library_text(pk, b->texts.v[i]);
}

static void library_encode(const struct kinds *k, struct str *out)
{
    msgpack_packer pk;
    msgpack_packer_init(&pk, out, library_append);
    msgpack_pack_array(&pk, 11);
    msgpack_pack_true(&pk);
    msgpack_pack_uint8(&pk, k->small);
    msgpack_pack_uint32(&pk, k->u32);
    msgpack_pack_int32(&pk, k->i32);
    msgpack_pack_uint64(&pk, k->u64);
    msgpack_pack_int64(&pk, k->i64);
    msgpack_pack_double(&pk, k->real);
    library_bulk(&pk, &(struct bulk){k->text, k->blob, k->texts});
    msgpack_pack_array(&pk, 3);
    library_bulk(&pk, &k->sub);
}

static uint64_t random_state = 20;
static uint64_t random_bits(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state >> 32 | random_state << 32;
}

/* Of any size up to 64 bits, small ones as often as large ones; not 0, which is omitted. */
static uint64_t random_number(void)
{
    return random_bits() >> random_bits() % 64 | 1;
}

static struct bulk random_bulk(void)
{
    struct bulk b;
    size_t n = random_number() % 70000;
    b.text = xcalloc(1, n + 1);
    memset(b.text, 'a', n);
    b.blob = (struct blob){.n = n + 1, .p = xcalloc(1, n + 1)};
    b.texts = (struct strv){.n = n % 300 + 1, .v = xcalloc(n % 300 + 1, sizeof *b.texts.v)};
    for (size_t i = 0; i < b.texts.n; i++)
        b.texts.v[i] = b.text + n - n % (i + 1);
    return b;
}

static void random_bulk_free(struct bulk *b)
{
    free(b->text);
    free(b->blob.p);
    free(b->texts.v);
}

/* The library knows the format and nothing of this codec. */
static void test_the_library_writes_the_same(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct bulk outer = random_bulk();
        struct kinds k = {.truth = true,
                          .small = (uint8_t)(random_bits() | 1),
                          .u32 = (uint32_t)random_number(),
                          .i32 = (int32_t)random_number(),
                          .u64 = random_number(),
                          .i64 = (int64_t)random_number(),
                          .real = (double)random_number() / 1024,
                          .text = outer.text,
                          .blob = outer.blob,
                          .texts = outer.texts,
                          .sub = random_bulk()};
        k.i64 = round % 2 ? -k.i64 : k.i64;
        k.i32 = round % 2 ? -k.i32 : k.i32;
        struct str ours = STR_INIT, theirs = STR_INIT;
        codec_encode(&kinds_rec, &k, &ours);
        library_encode(&k, &theirs);
        assert_int_equal(ours.len, theirs.len);
        assert_memory_equal(ours.s, theirs.s, ours.len);
        random_bulk_free(&outer);
        random_bulk_free(&k.sub);
        str_fini(&ours);
        str_fini(&theirs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_have_the_shortest_form),
        cmocka_unit_test(test_sizes_have_the_shortest_form),
        cmocka_unit_test(test_the_library_writes_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
