/* Texts in JSON: what a terminal obeys is escaped, so that a document can be looked at. */
#include "src/record/json.h"

#include "tests/lib/check.h"

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "\"\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"a\nb\tc", "\"a\\nb\\tc\""},
        {"\x1b[31m\x7f", "\"\\u001b[31m\\u007f\""},
        {"\xc2\x9b"
         "31m",
         "\"\\u009b31m\""}, /* CSI in one character */
        {"a\xe2\x80\xae"
         "b",
         "\"a\\u202eb\""},                          /* from right to left */
        {"\xf3\xa0\x81\x81", "\"\\udb40\\udc41\""}, /* a tag: beyond 16 bits */
        {"\xc5\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc5\xbc\xe2\x82\xac\xf0\x9f\x98\x80\""},
        {"a\xff"
         "b",
         "\"a\xef\xbf\xbd"
         "b\""}, /* not UTF-8 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str out = STR_INIT;
        json_text(&out, NULL, cases[i].text);
        check_str(cases[i].text, out.s, cases[i].want);
        str_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
