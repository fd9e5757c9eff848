/* test_help.c - the help: its columns, its legend, its search. */
#include <string.h>

#include "src/base/utf8.h"
#include "tests/screen/ui_fixture.h"
#include "ui/term/signs.h"

static void the_legend_and_the_filter_words_are_there(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, "?");
    uilab_draw(u, 160, 80);
    must_show(u, "Signs of jobs");
    must_show(u, "held until released");
    must_show(u, "offline: drained, down or lost");
    must_show(u, "allocated but idle");
    must_show(u, "Filter words");
    must_show(u, "COLUMN:=TEXT");
    must_show(u, "mem (500M, 16G)");
    uilab_keys(u, "<Esc>2?");
    uilab_draw(u, 160, 80);
    must_show(u, "Nodes \u203a Help");
    must_show(u, "drain: running jobs finish");
}

/* The blocks up to Dingbats: the fonts of terminals (DejaVu Sans Mono, Menlo) lack the mathematical ones
 * behind them. */
static void fonts_of_terminals_have_the_signs(void **state)
{
    (void)state;
    for (const char *letter = "RPHD!X~csSTMNL"; *letter; letter++) {
        char buf[2];
        uint32_t cp = 0;
        const char *sign = sign_of(*letter, buf);
        utf8_decode(sign, strlen(sign), &cp);
        assert_true(cp > 0x7f);
        if (cp > 0x27bf)
            fail_msg("%c: U+%04X", *letter, (unsigned)cp);
    }
}

static void wide_terminals_have_columns(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, "?");
    uilab_golden(u, "help", 24, 80);
    uilab_golden(u, "help", 50, 200);
    must_show(u, "Actions on jobs");
    must_show(u, "Signs of jobs"); /* on the first page already */
}

/* A section that goes over to the next column says there what it is. */
static void a_column_begins_with_a_title(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, "?");
    uilab_draw(u, 50, 200);
    must_show(u, ", continued");
    uilab_draw(u, 24, 80); /* one column */
    must_not_show(u, ", continued");
}

static void lines_are_searched(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    keys_show(u, "?", "Jobs \u203a Help");
    keys_show(u, "/REQUEUE", "requeue: end the job and queue it again");
    must_show(u, "Actions on jobs"); /* the title of what was found */
    must_not_show(u, "send a signal");
    keys_show(u, "<Enter>", "filter REQUEUE");
    keys_show(u, "<Esc>", "send a signal"); /* all lines again, */
    keys_show(u, "/no such line", "No line has this text");
    keys_show(u, "<Esc>", "Jobs \u203a Help");
    uilab_keys(u, "<Esc>"); /* then back */
    uilab_draw(u, 24, 80);
    must_not_show(u, "Jobs \u203a Help");
    keys_show(u, "?", "Jobs \u203a Help");
    uilab_keys(u, "?");
    uilab_draw(u, 24, 80);
    must_not_show(u, "Jobs \u203a Help");
}

static void a_long_help_is_scrolled(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, "?G");
    uilab_draw(u, 24, 80);
    must_show(u, ":quit");
    must_not_show(u, "open the job: steps");
    keys_show(u, "g", "open the job: steps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(the_legend_and_the_filter_words_are_there),
        cmocka_unit_test(fonts_of_terminals_have_the_signs),
        UI_FIXTURE_CASE(wide_terminals_have_columns),
        UI_FIXTURE_CASE(a_column_begins_with_a_title),
        UI_FIXTURE_CASE(lines_are_searched),
        UI_FIXTURE_CASE(a_long_help_is_scrolled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
