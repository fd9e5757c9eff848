/* test_roff.c - texts of manual pages: what troff would take for its own is shown as it stands. */
#include "tests/lib/check.h"

#include "src/text/roff.h"

static void requests_are_text(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"plain", "plain"},
        {"--mem=4G", "\\-\\-mem=4G"},
        {".so /etc/passwd", "\\&.so /etc/passwd"},
        {"a\n.b\n'c.d", "a\n\\&.b\n\\&'c.d"},
        {"a\\b", "a\\eb"},
        {"~/x ^C", "\\(ti/x \\(haC"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str s = STR_INIT;
        roff_text(&s, cases[i].in);
        check_str(cases[i].in, s.s, cases[i].out);
        str_fini(&s);
    }
}

static void items_have_a_bold_word(void **state)
{
    (void)state;
    struct str s = STR_INIT;
    roff_section(&s, "KEYS");
    roff_subsection(&s, "Lists");
    roff_item(&s, ".", "x-y", "'tis");
    roff_item(&s, "\\", NULL, "a");
    check_str("page", s.s, ".SH KEYS\n.SS Lists\n.TP\n\\fB.\\fR x\\-y\n\\&'tis\n.TP\n\\fB\\e\\fR\na\n");
    str_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_text),
        cmocka_unit_test(items_have_a_bold_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
