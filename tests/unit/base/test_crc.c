/* test_crc.c - CRC32C against published values, and both ways of computing it against one another. */
#include "src/base/crc.h"
#include "tests/lib/check.h"

static void test_known_values(void **state)
{
    (void)state;
    unsigned char zeros[32] = {0}, ones[32], up[32];
    for (int i = 0; i < 32; i++) {
        ones[i] = 0xff;
        up[i] = (unsigned char)i;
    }
    /* RFC 3720, B.4 */
    assert_int_equal(crc32c(0, zeros, 32), 0x8a9136aa);
    assert_int_equal(crc32c(0, ones, 32), 0x62a8ab43);
    assert_int_equal(crc32c(0, up, 32), 0x46dd794e);
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(crc32c(0, "", 0), 0);
}

static void test_both_ways(void **state)
{
    (void)state;
    unsigned char p[300];
    for (size_t i = 0; i < sizeof p; i++)
        p[i] = (unsigned char)(i * 31 + i / 7);
    for (size_t at = 0; at < 9; at++)
        for (size_t n = 0; at + n <= sizeof p; n++) {
            uint32_t whole = crc32c(0, p + at, n);
            assert_int_equal(whole, crc32c_by_table(0, p + at, n));
            assert_int_equal(whole, crc32c(crc32c(0, p + at, n / 3), p + at + n / 3, n - n / 3));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
