/* test_side_pane.c - the pane beside or below a list: its place, its size, its tabs, and what it fetches.
 */
#include "tests/screen/ui_fixture.h"

#define ROWS 43
#define COLS 132

static void draw(struct uilab *u)
{
    uilab_draw(u, ROWS, COLS);
}

/* The cell of the picture where part begins. */
static void find_cell(struct uilab *u, const char *part, int *y, int *x)
{
    *y = uilab_find(u, part);
    if (*y < 0)
        fail_msg("%s is not on the screen:\n%s", part, uilab_text(u));
    struct str line = STR_INIT;
    canvas_row_text(&u->canvas, *y, &line);
    const char *at = strstr(line.s, part);
    *x = 0;
    for (const char *p = line.s; p < at; p++)
        *x += ((unsigned char)*p & 0xc0) != 0x80;
    str_fini(&line);
}

static const struct pane_prefs *prefs_pane(struct uilab *u, const char *view)
{
    return &prefs_of(&u->prefs, view)->pane;
}

/* --- place and size --- */

static void it_comes_and_goes(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    draw(u);
    must_show(u, " details  why  events  script  use  output ");
    uilab_keys(u, "p");
    draw(u);
    must_not_show(u, " details ");
    assert_true(prefs_pane(u, "jobs")->hidden);
    assert_true(outbox_take(u->app) & WISH_SAVE);
    uilab_keys(u, "p");
    draw(u);
    must_show(u, " details ");
    uilab_keys(u, "2");
    draw(u);
    must_show(u, "2 jobs here");
    uilab_keys(u, "p");
    draw(u);
    must_not_show(u, "2 jobs here");
    uilab_keys(u, "1"); /* each screen has its own */
    draw(u);
    must_show(u, " details ");
}

/* At 80 columns a full list leaves no room: the key makes some. */
static void a_small_screen_has_one_on_demand(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_draw(u, 24, 80);
    must_not_show(u, " details ");
    uilab_keys(u, "p");
    uilab_draw(u, 24, 80);
    must_show(u, " details ");
    must_show(u, "train-resnet");
    uilab_golden(u, "jobs-pane", 24, 80);
    uilab_keys(u, "P");
    uilab_draw(u, 24, 80);
    must_show(u, "JOB ");
    must_show(u, " details "); /* beside now */
    uilab_draw(u, 24, 50);
    must_show(u, "running"); /* no room beside: below again */
}

static void it_stands_beside_or_below(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    int y, x;
    uilab_keys(u, "P");
    draw(u);
    find_cell(u, " details ", &y, &x);
    assert_true(x > 40);
    assert_int_equal(prefs_pane(u, "jobs")->place, PANE_BESIDE);
    uilab_keys(u, "P");
    draw(u);
    find_cell(u, " details ", &y, &x);
    assert_true(x < 4 && y > 10);
}

static void keys_and_the_mouse_size_it(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    int y, x, was;
    uilab_keys(u, "P");
    draw(u);
    find_cell(u, " details ", &y, &was);
    uilab_keys(u, "+");
    draw(u);
    find_cell(u, " details ", &y, &x);
    assert_int_equal(x, was - 4);
    uilab_keys(u, "--");
    draw(u);
    find_cell(u, " details ", &y, &x);
    assert_int_equal(x, was + 4);
    uilab_mouse(u, MOUSE_CLICK, 20, x - 1);
    uilab_mouse(u, MOUSE_DRAG, 21, x - 11);
    draw(u);
    uilab_mouse(u, MOUSE_RELEASE, 21, x - 11);
    uilab_mouse(u, MOUSE_DRAG, 21, 10); /* let go: the edge stays */
    draw(u);
    find_cell(u, " details ", &y, &was);
    assert_int_equal(was, x - 10);
    for (int i = 0; i < 80; i++)
        uilab_keys(u, "+");
    draw(u);
    must_show(u, " JOB "); /* some of the list is always seen */
    uilab_keys(u, "P");
    draw(u);
    find_cell(u, " details ", &y, &x);
    uilab_mouse(u, MOUSE_CLICK, y, 100);
    uilab_mouse(u, MOUSE_DRAG, y - 6, 100);
    draw(u);
    find_cell(u, " details ", &was, &x);
    assert_int_equal(was, y - 6);
}

static void it_fills_the_screen(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "f");
    draw(u);
    must_not_show(u, "Waiting 6 jobs");
    must_show(u, "train-resnet");
    uilab_keys(u, "j"); /* the next row's */
    draw(u);
    must_show(u, "pretrain");
    uilab_keys(u, "<Esc>");
    draw(u);
    must_show(u, "Waiting 6 jobs");
    uilab_keys(u, "fq");
    draw(u);
    must_show(u, "Waiting 6 jobs");
    assert_false(outbox_take(u->app) & WISH_QUIT);
}

/* Whatever is chosen on a large screen, a small one has its list. */
static void no_size_breaks_it(void **state)
{
    static const int sizes[][2] = {{1, 1}, {3, 10}, {5, 20}, {8, 40}, {12, 60}, {24, 80}, {50, 200}};
    static const char *const keys[] = {"P", "++++++++", "P", "+++++++++++", "------------------",
                                       "f", "]",        "f"};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    for (size_t screen = 1; screen <= 7; screen++) {
        char key[2] = {(char)('0' + screen)};
        uilab_keys(u, key);
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            draw(u);
            uilab_keys(u, keys[k]);
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                uilab_draw(u, sizes[i][0], sizes[i][1]);
        }
    }
}

/* --- tabs --- */

static size_t n_sent(const struct uilab *u, enum msg_kind kind)
{
    size_t n = 0;
    vec_for_each (&u->sent, i)
        n += u->sent.v[i].kind == kind;
    return n;
}

static void tabs_are_walked_and_clicked(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    int y, x;
    uilab_keys(u, "/crossval<Enter>]]");
    draw(u);
    assert_string_equal(prefs_pane(u, "jobs")->tab, "events");
    must_show(u, "submitted");
    must_not_show(u, "Request");
    uilab_keys(u, "[[[");
    assert_string_equal(prefs_pane(u, "jobs")->tab, "output");
    draw(u);
    find_cell(u, " use ", &y, &x);
    uilab_mouse(u, MOUSE_CLICK, y, x + 1);
    assert_string_equal(prefs_pane(u, "jobs")->tab, "use");
    draw(u);
    find_cell(u, " details ", &y, &x);
    uilab_mouse(u, MOUSE_CLICK, y, x + 1);
    assert_null(prefs_pane(u, "jobs")->tab);
}

/* The cursor must rest before anything is asked, and only what the tab shows is. */
static void it_asks_when_the_cursor_rests(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "G<Home>");
    for (int i = 0; i < 8; i++) {
        uilab_keys(u, "j");
        draw(u);
        uilab_wait(u, 50);
    }
    assert_int_equal(n_sent(u, MSG_WHY) + n_sent(u, MSG_SCRIPT), 0); /* details ask nothing */
    uilab_keys(u, "/state:waiting<Enter>g]");
    for (int i = 0; i < 4; i++) {
        uilab_keys(u, "j");
        draw(u);
        uilab_wait(u, 50);
        draw(u);
    }
    assert_int_equal(n_sent(u, MSG_WHY), 0);
    uilab_wait(u, 200);
    draw(u);
    assert_int_equal(n_sent(u, MSG_WHY), 1);
    uilab_keys(u, "p");
    draw(u);
    uilab_keys(u, "j");
    draw(u);
    uilab_wait(u, 500);
    draw(u);
    assert_int_equal(n_sent(u, MSG_WHY), 1); /* nothing is asked for a pane that is hidden */
}

static void the_script_is_asked_once(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/train<Enter>]]]");
    draw(u);
    uilab_wait(u, 200);
    draw(u);
    answer_script(u, "#!/bin/sh\npython train.py --epochs 20\n");
    draw(u);
    must_show(u, "python train.py --epochs 20");
    uilab_wait(u, 5000);
    draw(u);
    assert_int_equal(n_sent(u, MSG_SCRIPT), 1);
}

static void long_text_is_scrolled(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/crossval<Enter>p");
    uilab_draw(u, 24, 80);
    int y, x;
    find_cell(u, "51  crossval", &y, &x);
    uilab_keys(u, "J");
    uilab_draw(u, 24, 80);
    must_not_show(u, "51  crossval");
    uilab_mouse(u, MOUSE_WHEEL_UP, y + 1, 20);
    uilab_draw(u, 24, 80);
    must_show(u, "51  crossval");
}

/* A heading has something below it. */
static void idle_gpus_have_no_users(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    lab_node(&u.lab, "g1", 8, 16384, 4, "a100");
    lab_part(&u.lab, "main", "g1");
    lab_configure(&u.lab);
    uilab_connect(&u);
    uilab_keys(&u, "3");
    uilab_draw(&u, 43, 132);
    must_show(&u, "g1  a100");
    must_not_show(&u, "Largest users");
    uilab_fini(&u);
}

/* The map of the GPUs: below it where there is room, on the whole screen where it is asked for. */
static void a_map_has_a_pane(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, "3gj");
    uilab_draw(u, 24, 80);
    must_not_show(u, "Largest users");
    uilab_keys(u, "f");
    uilab_draw(u, 24, 80);
    must_show(u, "Largest users");
    must_not_show(u, "wasted");
    uilab_keys(u, "f");
    uilab_draw(u, 43, 132);
    must_show(u, "Largest users");
    must_show(u, "wasted");
    must_show(u, "gpu02  a100");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(it_comes_and_goes),           UI_FIXTURE_CASE(a_small_screen_has_one_on_demand),
        UI_FIXTURE_CASE(it_stands_beside_or_below),   UI_FIXTURE_CASE(keys_and_the_mouse_size_it),
        UI_FIXTURE_CASE(it_fills_the_screen),         UI_FIXTURE_CASE(no_size_breaks_it),
        UI_FIXTURE_CASE(tabs_are_walked_and_clicked), UI_FIXTURE_CASE(it_asks_when_the_cursor_rests),
        UI_FIXTURE_CASE(the_script_is_asked_once),    UI_FIXTURE_CASE(long_text_is_scrolled),
        cmocka_unit_test(idle_gpus_have_no_users),    UI_FIXTURE_CASE(a_map_has_a_pane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
