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
    click(u, MOUSE_CLICK, " ran ");
    must_show(u, "sort by"); /* chosen, no more */
    click(u, MOUSE_DOUBLE, " ran ");
    must_not_show(u, "sort by");
    must_show(u, "sort ran");
    uilab_keys(u, "o");
    click(u, MOUSE_CLICK, " ran (up)"); /* it was chosen already */
    must_show(u, "sort ran, down");
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

/* A heading sorts by its column: up, down, and as before. */
static void headings_sort(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    click(u, MOUSE_CLICK, "NAME ");
    must_show(u, "sort name");
    must_show(u, "NAME\u25b2");
    click(u, MOUSE_CLICK, "NAME\u25b2");
    must_show(u, "sort name, down");
    must_show(u, "NAME\u25bc");
    click(u, MOUSE_CLICK, "NAME\u25bc");
    must_not_show(u, "sort name");
    keys_show(u, ">>", "sort job");
    keys_show(u, ">", "sort name");
    keys_show(u, "I", "sort name, down");
    keys_show(u, "<lt>", "sort job, down");
    uilab_keys(u, "<lt><lt>");
    uilab_draw(u, 24, 80);
    must_not_show(u, "sort ");
    keys_show(u, "<lt>", "sort where-or-why"); /* the last one that is drawn */
}

/* The arrow is seen however narrow the column is. */
static void the_arrow_has_room(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, ":sort cpus<Enter>");
    uilab_draw(u, 43, 132);
    must_show(u, "CPUS\u25b2");
    uilab_keys(u, ":sort gpu down<Enter>");
    uilab_draw(u, 43, 132);
    must_show(u, "GPU\u25bc");
}

static void keys_and_screens_are_clicked(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    click(u, MOUSE_CLICK, "m mine");
    must_show(u, "My jobs");
    click(u, MOUSE_CLICK, " 2 Nodes");
    must_show(u, "Nodes 10");
    click(u, MOUSE_CLICK, "? help");
    must_show(u, "Help");
    click(u, MOUSE_CLICK, "q back");
    must_show(u, "Nodes 10");
    uilab_keys(u, "1mg<Space><Space>cy");
    click(u, MOUSE_CLICK, "z undoes it");
    must_show(u, "undone");
    assert_null(uilab_sent(u, MSG_ACT));
}

/* The right button selects the row under the pointer and offers what can be done with it, beside it. */
static void the_right_button_opens_the_menu(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    click(u, MOUSE_RIGHT, "ablation");
    must_show(u, "cancel (asks first)");
    click(u, MOUSE_CLICK, "release a held job");
    click(u, MOUSE_CLICK, "release a held job");
    must_show(u, "release 1 job");
    must_show(u, "ablation");
    click(u, MOUSE_RIGHT, "ablation"); /* a question is open */
    must_show(u, "release 1 job");
    uilab_keys(u, "<Esc>");
    click(u, MOUSE_RIGHT, "report");
    uilab_keys(u, "<Esc>");
    if (!strstr(cursor_row(u), "report"))
        fail_msg("the cursor is on %s", cursor_row(u));
}

/* What cannot be done is not offered. */
static void dead_keys_are_not_offered(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/nosuchjob<Enter>");
    uilab_draw(u, 24, 80);
    must_not_show(u, "c cancel");
    must_show(u, "s submit");
    uilab_keys(u, "x");
    uilab_draw(u, 24, 80);
    must_not_show(u, "cancel (asks first)");
    uilab_keys(u, "<Esc><Esc>2");
    uilab_draw(u, 24, 80);
    must_show(u, "d drain");
    u->app->session.welcome.admin = false;
    uilab_draw(u, 24, 80);
    must_not_show(u, "d drain");
    must_show(u, "Enter open");
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
        UI_FIXTURE_CASE(an_item_is_chosen_and_taken),
        UI_FIXTURE_CASE(a_long_menu_is_scrolled),
        UI_FIXTURE_CASE(beside_it_nothing_happens),
        UI_FIXTURE_CASE(checks_are_turned),
        UI_FIXTURE_CASE(yes_and_no_are_pressed),
        UI_FIXTURE_CASE(a_double_click_is_no_yes),
        UI_FIXTURE_CASE(a_click_types_no_count),
        UI_FIXTURE_CASE(headings_sort),
        UI_FIXTURE_CASE(the_arrow_has_room),
        UI_FIXTURE_CASE(keys_and_screens_are_clicked),
        UI_FIXTURE_CASE(the_right_button_opens_the_menu),
        UI_FIXTURE_CASE(dead_keys_are_not_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
