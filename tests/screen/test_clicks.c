/* test_clicks.c - the mouse on the boxes over the screen. */
#include "tests/screen/ui_fixture.h"

static void click(struct uilab *u, enum mouse_what what, const char *part)
{
    uilab_draw(u, 24, 80);
    int y = uilab_find(u, part);
    if (y < 0)
        fail_msg("%s is not on the screen:\n%s", part, uilab_text(u));
    struct str line = STR_INIT;
    canvas_row_text(&u->canvas, y, &line);
    const char *at = strstr(line.s, part);
    int x = 0;
    for (const char *p = line.s; p < at; p++) /* cells: here letters and frames of one each */
        x += ((unsigned char)*p & 0xc0) != 0x80;
    str_fini(&line);
    uilab_mouse(u, what, y, x);
    uilab_draw(u, 24, 80);
}

static void an_item_is_chosen_and_taken(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "o");
    click(u, MOUSE_CLICK, " time ");
    must_show(u, "sort by"); /* chosen, no more */
    click(u, MOUSE_DOUBLE, " time ");
    must_not_show(u, "sort by");
    must_show(u, "sort time");
    uilab_keys(u, "o");
    click(u, MOUSE_CLICK, " time (up)"); /* it was chosen already */
    must_show(u, "sort time, down");
    uilab_keys(u, "o");
    click(u, MOUSE_CLICK, " name ");
    click(u, MOUSE_DOUBLE, " user "); /* two quick clicks on two items are no double click */
    must_show(u, "sort by");
    click(u, MOUSE_CLICK, "Enter sort");
    must_show(u, "sort user");
}

static void a_long_menu_is_scrolled(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "o<End>");
    click(u, MOUSE_CLICK, " directory ");
    click(u, MOUSE_CLICK, " directory ");
    must_show(u, "sort directory");
}

static void beside_it_nothing_happens(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "o");
    for (int y = 0; y < 24; y++) {
        uilab_mouse(u, MOUSE_CLICK, y, 0);
        uilab_mouse(u, MOUSE_DOUBLE, y, 79);
    }
    click(u, MOUSE_CLICK, "sort by");
    must_show(u, "sort by");
    click(u, MOUSE_CLICK, "Esc close");
    must_not_show(u, "sort by");
}

static void checks_are_turned(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "O");
    must_not_show(u, "[ ] user");
    click(u, MOUSE_CLICK, "[x] user");
    must_show(u, "[ ] user");
    click(u, MOUSE_DOUBLE, "[ ] user");
    must_show(u, "[x] user");
    click(u, MOUSE_CLICK, "user");
    click(u, MOUSE_CLICK, "Space turn");
    must_show(u, "[x] user");
    click(u, MOUSE_CLICK, "user");
    click(u, MOUSE_CLICK, "Enter apply");
    must_not_show(u, "USER");
}

static void yes_and_no_are_pressed(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>c");
    click(u, MOUSE_CLICK, "n keep");
    must_not_show(u, "leave it");
    assert_null(uilab_sent(u, MSG_ACT));
    uilab_keys(u, "c");
    click(u, MOUSE_CLICK, "eval"); /* its text says nothing */
    must_show(u, "n keep");
    click(u, MOUSE_CLICK, "y cancel");
    must_not_show(u, "n keep");
    uilab_wait(u, 6000);
    const struct uilab_sent *s = uilab_sent(u, MSG_ACT);
    assert_non_null(s);
    assert_int_equal(((const struct msg_act *)s->body)->act, ACT_CANCEL);
}

/* A click that opens a question is not an answer to it, however quickly it is made twice. */
static void a_double_click_is_no_yes(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>c");
    click(u, MOUSE_DOUBLE, "y cancel");
    must_show(u, "y cancel");
    click(u, MOUSE_DOUBLE, "y cancel"); /* the third of a triple one */
    must_show(u, "y cancel");
    uilab_keys(u, "<Esc>o<Down>");
    click(u, MOUSE_DOUBLE, " sign ");
    must_show(u, "sort by");
    assert_null(uilab_sent(u, MSG_ACT));
}

/* A count that is to be typed is to be typed. */
static void a_click_types_no_count(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/sweep<Enter>c");
    click(u, MOUSE_CLICK, "Enter cancel");
    must_show(u, "does not match: ");
    assert_null(uilab_sent(u, MSG_ACT));
    click(u, MOUSE_CLICK, "Esc keep");
    must_not_show(u, "Esc keep");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(an_item_is_chosen_and_taken), UI_FIXTURE_CASE(a_long_menu_is_scrolled),
        UI_FIXTURE_CASE(beside_it_nothing_happens),   UI_FIXTURE_CASE(checks_are_turned),
        UI_FIXTURE_CASE(yes_and_no_are_pressed),      UI_FIXTURE_CASE(a_double_click_is_no_yes),
        UI_FIXTURE_CASE(a_click_types_no_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
