/* test_siphash.c - keyed hashes against the paper's vectors. */
#include "src/base/idmap.h"
#include "src/base/siphash.h"
#include "tests/lib/check.h"

/* SipHash-2-4 of the bytes 0, 1, 2 ... under the key 0, 1, 2 ... 15: appendix A of the paper, and the
 * vectors of its authors' program. */
static void test_vectors(void **state)
{
    (void)state;
    static const uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    static const struct {
        size_t n;
        uint64_t hash;
    } cases[] = {
        {0, 0x726fdb47dd0e0e31u}, {1, 0x74f839c593dc67fdu},  {7, 0xab0200f58b01d137u},
        {8, 0x93f5f5799a932462u}, {15, 0xa129ca6149be45e5u},
    };
    unsigned char bytes[16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(siphash(key, 2, 4, bytes, cases[i].n), cases[i].hash);
}

static void test_texts_have_the_same_hash_within_a_process(void **state)
{
    (void)state;
    assert_int_equal(hash_text("vision", 6), hash_text("vision", 6));
    assert_int_not_equal(hash_text("vision", 6), hash_text("visiom", 6));
    assert_int_not_equal(hash_text("vision", 6), hash_text("vision", 5));
    assert_int_not_equal(hash_text("vision", 6), hash_bytes("vision", 6));
}

/* The key is the process's own. */
static void test_another_process_has_another_key(void **state)
{
    (void)state;
    static const uint64_t none[2] = {0, 0};
    assert_int_not_equal(hash_text("vision", 6), siphash(none, 1, 3, "vision", 6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_texts_have_the_same_hash_within_a_process),
        cmocka_unit_test(test_another_process_has_another_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
