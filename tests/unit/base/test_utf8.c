/* Text from outside. */
#include "tests/lib/check.h"

#include "src/base/utf8.h"

static void not_utf8(void **unused)
{
    (void)unused;
    static const char *const rows[] = {
        "\x80",
        "\xbf",
        "\xc0\x80",
        "\xc1\xbf",
        "\xc2",
        "\xc2 ",
        "\xe0\x80\x80",
        "\xe0\x9f\xbf",
        "\xe2\x82",
        "\xed\xa0\x80",
        "\xed\xbf\xbf",
        "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xff",
        "\xfe",
        "\xf0\x9f\x98",
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t cp = 77;
        check_int("row", i * 100 + utf8_decode(rows[i], strlen(rows[i]), &cp), i * 100);
        check_int("row", cp, 77);
        assert_false(utf8_is_valid(rows[i], strlen(rows[i])));
        assert_false(utf8_is_clean_name(rows[i], 64));
    }
    uint32_t cp;
    assert_int_equal(utf8_decode("", 0, &cp), 0);
    assert_true(utf8_is_valid("", 0));
}

static void every_code_point_round_trips(void **unused)
{
    (void)unused;
    for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
        char b[4];
        uint32_t back = 0;
        size_t n = utf8_encode(cp, b);
        bool surrogate = cp >= 0xd800 && cp <= 0xdfff;
        if (utf8_decode(b, n, &back) != (surrogate ? 0 : n) || (!surrogate && back != cp))
            fail_msg("U+%X", cp);
        if (n > 1 && utf8_decode(b, n - 1, &back) != 0)
            fail_msg("U+%X without its last byte", cp);
    }
}

static void widths(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t cp;
        int width;
    } rows[] = {{0, -1},        {'\n', -1},     {0x1b, -1},    {0x7f, -1},   {0x85, -1},   {0x9f, -1},
                {0x202e, -1},   {0x2028, -1},   {0x2067, -1},  {0x200f, -1}, {0xd800, -1}, {0xfffe, -1},
                {0x10ffff, -1}, {0x110000, -1}, {0xe0041, -1}, {0x300, 0},   {0x36f, 0},   {0x200b, 0},
                {0x200d, 0},    {0xfe0f, 0},    {0xad, 0},     {0xfeff, 0},  {0x1160, 0},  {0x20dd, 0},
                {' ', 1},       {'~', 1},       {0xa0, 1},     {0xe9, 1},    {0x3a9, 1},   {0x2026, 1},
                {0x2500, 1},    {0x2588, 1},    {0xe0b0, 1},   {0xff61, 1},  {0x10400, 1}, {0x1100, 2},
                {0x231a, 2},    {0x3042, 2},    {0x4e2d, 2},   {0xac00, 2},  {0xff01, 2},  {0x1f600, 2},
                {0x1fae8, 2},   {0x20000, 2},   {0x2fffd, 2},  {0x3fffd, 2}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        char name[16];
        snprintf(name, sizeof name, "U+%X", rows[i].cp);
        check_int(name, utf8_width(rows[i].cp), rows[i].width);
    }
}

static void names(void **unused)
{
    (void)unused;
    static const char *const bad[] = {"",
                                      "123456789", /* one over the limit below */
                                      "a\nb",
                                      "a\x1b[m",
                                      "a\x7f",
                                      "\xc2\x85",      /* C1 */
                                      "a\xe2\x80\xae", /* right-to-left override */
                                      "a\xe2\x80\x8b", /* zero-width space */
                                      "a\xef\xb8\x8f", /* variation selector */
                                      "\xcc\x81x"};    /* a mark with nothing to stand on */
    static const char *const good[] = {
        "a", "12345678", "a b", "\xc3\xa9t\xc3\xa9", "e\xcc\x81", "\xe4\xb8\xad\xe6\x96\x87"};
    for (size_t i = 0; i < N_OF(bad); i++)
        check_int(bad[i], utf8_is_clean_name(bad[i], 8), false);
    for (size_t i = 0; i < N_OF(good); i++)
        check_int(good[i], utf8_is_clean_name(good[i], 8), true);
}

static void cells(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *in;
        int max;
        bool mark, ascii;
        const char *out;
        int cells;
    } rows[] = {
        {"newline", "a\nb\tc\r", -1, true, false, "a\\nb\\tc\\r", 9},
        {"escape", "\x1b[31m", -1, true, false, "\\x1B[31m", 8},
        {"C1", "\xc2\x9b", -1, true, false, "\\u{9B}", 6},
        {"not UTF-8", "a\xff\xc3", -1, true, false, "a\\xFF\\xC3", 9},
        {"bidi", "x\xe2\x80\xaey", -1, true, false, "x\\u{202E}y", 10},
        {"zero width", "x\xe2\x80\x8by", -1, true, false, "x\\u{200B}y", 10},
        {"selector", "\xe2\x9d\xa4\xef\xb8\x8f!", -1, true, false, "\xe2\x9d\xa4!", 2},
        {"mark at the beginning", "\xcc\x81x", -1, true, false, "\\u{301}x", 8},
        {"mark after an escape", "\n\xcc\x81x", -1, true, false, "\\nx", 3},
        {"five marks", "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81x", -1, true, false,
         "e\xcc\x81\xcc\x81\xcc\x81\xcc\x81x", 2},
        {"empty", "", 5, true, false, "", 0},
        {"fits", "abcde", 5, true, false, "abcde", 5},
        {"one over", "abcdef", 5, true, false, "abcd…", 5},
        {"one over, ASCII", "abcdef", 5, true, true, "abcd+", 5},
        {"one over, no mark", "abcdef", 5, false, false, "abcde", 5},
        {"one cell", "ab", 1, true, false, "…", 1},
        {"no cell", "ab", 0, true, false, "", 0},
        {"wide fits", "\xe4\xb8\xad\xe6\x96\x87", 4, true, false, "\xe4\xb8\xad\xe6\x96\x87", 4},
        {"wide cut", "\xe4\xb8\xad\xe6\x96\x87", 3, true, false, "\xe4\xb8\xad…", 3},
        {"wide straddles", "\xe4\xb8\xad\xe6\x96\x87x", 4, true, false, "\xe4\xb8\xad…", 3},
        {"wide straddles, no mark", "a\xe4\xb8\xad", 2, false, false, "a", 1},
        {"mark stays at the cut", "abe\xcc\x81z", 3, false, false, "abe\xcc\x81", 3},
        {"mark goes with its cell", "abe\xcc\x81z", 3, true, false, "ab…", 3},
        {"escape is not split", "ab\nc", 3, false, false, "ab", 2},
        {"ASCII",
         "\xc3\xa9\xe4\xb8\xad\xe2\x80\xae"
         "e\xcc\x81\xff",
         -1, true, true, "???e\\xFF", 8},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str out = STR_INIT;
        str_append(&out, "> ");
        check_int(rows[i].name, cell_text(&out, rows[i].in, rows[i].max, rows[i].mark, rows[i].ascii),
                  rows[i].cells);
        check_str(rows[i].name, out.s + 2, rows[i].out);
        if (rows[i].max < 0 && !rows[i].ascii)
            check_int(rows[i].name, cell_width(rows[i].in), rows[i].cells);
        str_fini(&out);
    }
}

/* Any bytes, any width: what comes out is UTF-8 without controls, and takes the cells that it says. */
static void random_bytes_are_tamed(void **unused)
{
    (void)unused;
    uint64_t rng = check_seed();
    for (int i = 0; i < 20000; i++) {
        char in[24];
        size_t n = check_rand(&rng) % (sizeof in - 4);
        for (size_t k = 0; k < n;) {
            if (check_rand(&rng) % 3 == 0)
                in[k++] = (char)(1 + check_rand(&rng) % 255);
            else
                k += utf8_encode((uint32_t)(1 + check_rand(&rng) % 0x3ff), in + k);
            n = k > n ? k : n;
        }
        in[n] = '\0';
        int max = (int)(check_rand(&rng) % 12) - 1;
        struct str out = STR_INIT;
        int cells = cell_text(&out, in, max, check_rand(&rng) % 2, check_rand(&rng) % 2);
        assert_true(utf8_is_valid(out.s, out.len));
        assert_true(max < 0 || cells <= max);
        int sum = 0;
        for (size_t k = 0; k < out.len;) {
            uint32_t cp = 0;
            k += utf8_decode(out.s + k, out.len - k, &cp);
            assert_true(utf8_width(cp) >= 0);
            sum += utf8_width(cp);
        }
        assert_int_equal(sum, cells);
        str_fini(&out);
    }
}

static void neighbours(void **unused)
{
    (void)unused;
    static const char s[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z"; /* of 1, 2, 3, 4 and 1 bytes */
    static const size_t begins[] = {0, 1, 3, 6, 10, 11};
    for (size_t i = 0; i < N_OF(begins); i++) {
        size_t next = i + 1 < N_OF(begins) ? begins[i + 1] : 11, last = i ? begins[i - 1] : 0;
        assert_int_equal(utf8_after(s, 11, begins[i]), next);
        assert_int_equal(utf8_before(s, begins[i]), last);
        for (size_t at = begins[i] + 1; at < next; at++) { /* from within */
            assert_int_equal(utf8_after(s, 11, at), next);
            assert_int_equal(utf8_before(s, at), begins[i]);
        }
    }
    assert_int_equal(utf8_before("\x80\x80", 2), 0); /* that is none */
    assert_int_equal(utf8_after("\x80\x80", 2, 0), 2);
}

static void test_clean(void **unused)
{
    (void)unused;
    static const struct {
        const char *in, *out;
        size_t max;
    } rows[] = {
        {"", "", 10},
        {"plain", "plain", 5},
        {"plain", "plai", 4},
        {"\x1b]0;t\x07", "?]0;t?", 10},
        {"a\nb\tc\r", "a?b?c?", 10},
        {"\x9b"
         "1m",
         "?1m", 10},
        {"\xc2\x9b"
         "1m",
         "?1m", 10}, /* the same sequence as a code point */
        {"a\xe2\x80\xae"
         "b",
         "a?b", 10}, /* turns the direction */
        {"a\xe2\x80\x8b"
         "b",
         "a?b", 10},                         /* shows nothing */
        {"\xc3\xbc\xc3\xbc", "\xc3\xbc", 3}, /* not half a character */
        {"cut\xe2\x82", "cut??", 10},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        char s[32];
        snprintf(s, sizeof s, "%s", rows[i].in);
        utf8_clean(s, rows[i].max);
        check_str(rows[i].in, s, rows[i].out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clean),
                                       cmocka_unit_test(not_utf8),
                                       cmocka_unit_test(every_code_point_round_trips),
                                       cmocka_unit_test(widths),
                                       cmocka_unit_test(names),
                                       cmocka_unit_test(cells),
                                       cmocka_unit_test(neighbours),
                                       cmocka_unit_test(random_bytes_are_tamed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
