/* test_windows.c - maintenance and reservations on the screens: what is said of them, how they are made,
 * changed and deleted with keys and behind ':'. */
#include "tests/screen/ui_fixture.h"

static void windows_are_pushed(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    const struct msg_get *get = uilab_sent(u, MSG_GET)->body;
    assert_true(get->what & GET_WINDOWS);
    push_window(u, "maint", "gpu01", 120, 240, false);
    uilab_keys(u, "2");
    uilab_draw(u, 24, 132);
    must_show(u, "maintenance from 16:19: driver update");
    check_int("before the bars", uilab_find(u, "maintenance on gpu01 from 16:19"), 1);
    uilab_draw(u, 24, 80);
    check_int("the title's line, where the header is full",
              uilab_find(u, "maintenance on gpu01 from 16:19"), 2);
    uilab_draw(u, 10, 40);
    must_show(u, "maintenance fro");
    uilab_draw(u, 24, 200);
    check_int("the header's line", uilab_find(u, "maintenance on gpu01 from 16:19"), 0);
    uilab_keys(u, "4");
    uilab_draw(u, 24, 80);
    must_show(u, "\u2571\u2571\u2571\u2571 driver update \u2571");
    push_window(u, "maint", "gpu01", 0, 240, false); /* moved to now */
    uilab_keys(u, "3");
    uilab_draw(u, 24, 80);
    must_show(u, "pretra\u2026 \u25a8");
    uilab_keys(u, "t");
    uilab_draw(u, 24, 80);
    must_show(u, "▨ gpu01    BB####C#"); /* its empty GPUs are not free for anybody */
    must_show(u, "alice/crossval  maintena");
    push_window(u, "empty", "cpu01", 0, 240, false);
    keys_show(u, "2", "▨ cpu01"); /* nor is a node that is kept */
    push_window(u, "empty", "cpu01", 0, 240, true);
    keys_show(u, "2", "○ cpu01");
    uilab_keys(u, "2");
    uilab_draw(u, 24, 132);
    must_show(u, "maintenance until");
    push_window(u, "maint", "gpu01", 0, 240, true);
    uilab_draw(u, 24, 132);
    must_not_show(u, "maintenance");
}

/* With a window before them the three bars have more roles than one text holds. */
static void bars_keep_their_colours_beside_a_window(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    push_window(u, "maint", "gpu01", 120, 240, false);
    uilab_draw(u, 24, 132);
    must_show(u, "maintenance on gpu01 from 16:19");
    int bars = 0;
    for (int x = 1; x < 132; x++)
        bars += canvas_at(&u->canvas, 1, x)->role == ROLE_BAR_OUT &&
                canvas_at(&u->canvas, 1, x - 1)->role != ROLE_BAR_OUT;
    check_int("bars of nodes, CPUs and GPUs with a part that is offline", bars, 3);
}

static void a_window_begins_without_an_event(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    push_window(u, "maint", "cpu04", 10, 20, false);
    uilab_draw(u, 24, 200);
    must_show(u, "maintenance on cpu04 from 14:29");
    int64_t next = app_next_ms(u->app);
    assert_true(next >= 0 && next <= 600000);
    uilab_wait(u, 11 * 60000);
    uilab_draw(u, 24, 200);
    must_not_show(u, "maintenance on cpu04 from");
    must_show(u, "maintenance");
    uilab_wait(u, 10 * 60000);
    uilab_draw(u, 24, 200);
    must_not_show(u, "maintenance");
}

static void windows_are_made_and_deleted(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "2w", "new window on gpu01");
    keys_show(u, "<Enter>", "New window");
    must_show(u, "2 jobs run there and may still run when the window begins: they continue.");
    keys_show(u, "<C-u>later<F10>", "\"later\" is not a time"); /* below its field */
    assert_null(uilab_sent(u, MSG_WINDOW_SET));
    keys_show(u, "<C-u>now+1hour<Down><Down>now+3hours<F10>", "give a duration or an end");
    keys_show(u, "<C-u><Up><C-u>90m", "maintenance from 15:19 until 16:49");
    uilab_keys(u, "<Down><Down><Down><Down><Down>new fans for all");
    uilab_golden_in_all(u, "window-form", 24, 80);
    uilab_golden(u, "window-form", 43, 132);
    uilab_keys(u, "<F10>");
    uilab_draw(u, 50, 132);
    must_show(u, "create a window on gpu01"); /* with what it touches; Enter alone is not a yes */
    must_show(u, "new fans for all");
    must_show(u, "may still run when the window begins");
    uilab_keys(u, "<Enter>");
    assert_null(uilab_sent(u, MSG_WINDOW_SET));
    uilab_keys(u, "n");
    assert_null(uilab_sent(u, MSG_WINDOW_SET));
    keys_show(u, "", "new fans for all"); /* the form is there still */
    uilab_keys(u, "<F10>y");
    assert_non_null(uilab_sent(u, MSG_WINDOW_SET));
    const struct msg_window_set *m = uilab_sent(u, MSG_WINDOW_SET)->body;
    check_str("reason", m->window.reason, "new fans for all");
    check_str("nodes", m->window.nodes.v[0], "gpu01");
    check_int("length", (m->window.end.ms - m->window.start.ms) / 60000, 90);
    check_int("kind", m->window.kind, WINDOW_MAINTENANCE);
    uilab_result(u, MSG_WINDOW_SET, REFUSAL_BAD_REQUEST, "there is a window of that name", 0);
    uilab_draw(u, 24, 80);
    must_show(u, "there is a window of that name"); /* what was typed can be mended */
    must_show(u, "new fans for all");
    uilab_forget_sent(u);
    uilab_keys(u, "<F10>y");
    uilab_result(u, MSG_WINDOW_SET, REFUSAL_NONE, "root_1", 1);
    uilab_draw(u, 24, 80);
    must_show(u, "created: root_1");
    must_show(u, "Nodes 10");
    push_window(u, "root_1", "gpu01", 60, 150, false);
    keys_show(u, "w", "root_1");
    keys_show(u, "<Down><Enter>", "created by");
    uilab_forget_sent(u);
    keys_show(u, "<Down><Enter>", "delete the window root_1");
    assert_null(uilab_sent(u, MSG_WINDOW_SET)); /* asks first */
    uilab_keys(u, "y");
    m = uilab_sent(u, MSG_WINDOW_SET)->body;
    assert_true(m->remove);
    check_str("name", m->window.name, "root_1");
    uilab_result(u, MSG_WINDOW_SET, REFUSAL_NOT_ALLOWED, "only administrators set and remove windows", 0);
    uilab_draw(u, 24, 80);
    must_show(u, "only administrators");
    uilab_keys(u, "<Esc>");
    uilab_forget_sent(u);
    uilab_keys(u, ":window gpu0[1-2] duration=2h users=ann,bo<Enter>y");
    m = uilab_sent(u, MSG_WINDOW_SET)->body;
    check_int("kind", m->window.kind, WINDOW_RESERVATION);
    check_int("users", (int64_t)m->window.users.n, 2);
    keys_show(u, ":window gpu09<Enter>", "there is no node gpu09");
    keys_show(u, ":windows root<Tab>", "root_1");
    keys_show(u, "<Enter>", "driver update");
}

static const struct window *sent_window(struct uilab *u, bool update)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_WINDOW_SET);
    assert_non_null(s);
    const struct msg_window_set *m = s->body;
    check_int("update", m->update, update);
    check_int("remove", m->remove, false);
    return &m->window;
}

static void they_are_listed_and_made_by_words(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, ":windows<Enter>", ":windows add NODES creates one");
    uilab_keys(u,
               ":windows add gpu0[1-2] start=now+1hour end=now+3hours name=fans reason=a=b twice<Enter>y");
    const struct window *w = sent_window(u, false);
    check_str("name", w->name, "fans");
    check_str("reason", w->reason, "a=b twice");
    check_int("length", (w->end.ms - w->start.ms) / 60000, 120);
    uilab_forget_sent(u);
    uilab_keys(u, ":windows add nodes=cpu01 reason=new fans duration=1h<Enter>y"); /* in any order */
    w = sent_window(u, false);
    check_str("nodes", w->nodes.v[0], "cpu01");
    check_str("reason", w->reason, "new fans");
    push_window(u, "fans", "gpu01", 60, 180, false);
    push_window(u, "move-of-the-rack", "cpu01", 600, 700, false);
    keys_show(u, ":windows list<Enter>", "fans              gpu01  maintenance from");
    must_show(u, "new window");
    keys_show(u, "<Enter>", "created by"); /* the cursor is on the first that there is */
    must_show(u, "2 h");
    keys_show(u, "<Esc>:windows show move-of-the-rack<Enter>", "move-of-the-rack");
    uilab_keys(u, "<Esc>");
}

static void they_are_changed(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    push_window(u, "fans", "gpu01", 60, 180, false);
    int64_t start = u->lab.now.ms + 60 * 60000;
    uilab_keys(u, ":windows change fans start=now+5hours<Enter>");
    const struct window *w = sent_window(u, true);
    check_str("name", w->name, "fans");
    check_int("it moves", (w->start.ms - start) / 60000, 240);
    check_int("and stays as long", (w->end.ms - w->start.ms) / 60000, 120);
    check_str("the rest stays", w->reason, "driver update");
    check_str("its nodes too", w->nodes.v[0], "gpu01");
    uilab_result(u, MSG_WINDOW_SET, REFUSAL_NONE, "fans", 1);
    uilab_draw(u, 24, 80);
    must_show(u, "changed: fans");
    uilab_forget_sent(u);
    uilab_keys(u, ":windows change fans users=ann,bo duration=30m reason=<Enter>");
    w = sent_window(u, true);
    check_int("reserved for a user", w->kind, WINDOW_RESERVATION);
    check_int("users", (int64_t)w->users.n, 2);
    check_int("start stays", (w->start.ms - start) / 60000, 0);
    check_int("shorter", (w->end.ms - w->start.ms) / 60000, 30);
    check_str("no reason", w->reason ? w->reason : "", "");
    uilab_forget_sent(u);
    keys_show(u, ":windows change fans<Enter>", "Window fans"); /* the form, filled in */
    must_show(u, "2h");
    must_show(u, "driver update");
    uilab_keys(u, "<Up> of all<Enter>"); /* the last field */
    w = sent_window(u, true);
    check_str("reason", w->reason, "driver update of all");
    check_int("start", (w->start.ms - start) / 60000, 0);
}

static void what_is_wrong_is_said_and_the_line_stays(void **state)
{
    static const struct {
        const char *line, *says;
    } rows[] = {
        {":windows change fans durtion=3h", "did you mean 'duration='?"},
        {":windows change fans colour=red", "there is no 'colour='; there are start"},
        {":windows change fans start=", "no value after '='"},
        {":windows change fans duration=long", "duration=long: "},
        {":windows change fans name=other", "a window cannot be renamed"},
        {":windows change fnas end=noon", "did you mean fans?"},
        {":windows change", "give a window"},
        {":windows delete", "give windows"},
        {":windows delete fans other", "there is no window other; :windows lists them"},
        {":windows other", "there is no window other"},
        {":windows add gpu09 duration=1h", "there is no node gpu09"},
        {":windows add gpu01 start=now", "how long?"},
        {":windows add gpu01 soon", "'soon': write start=18:00"},
    };
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    push_window(u, "fans", "gpu01", 60, 180, false);
    for (size_t i = 0; i < N_OF(rows); i++) {
        uilab_keys(u, rows[i].line);
        keys_show(u, "<Enter>", rows[i].says);
        assert_null(uilab_sent(u, MSG_WINDOW_SET));
        uilab_keys(u, "<Esc>");
    }
    uilab_keys(u, ":windows change fans nodes=ALL users=nobody1<Enter>"); /* refused by the controller */
    uilab_result(u, MSG_WINDOW_SET, REFUSAL_BAD_REQUEST, "window fans would be over already", 0);
    uilab_draw(u, 24, 80);
    must_show(u, "window fans would be over already");
    must_show(u, "nodes=ALL users=nobody1"); /* to be mended */
    uilab_forget_sent(u);
    uilab_keys(u, "<C-u>end=now+9hours<Enter>");
    assert_non_null(uilab_sent(u, MSG_WINDOW_SET));
    push_window(u, "fans", "gpu01", 60, 180, true); /* another has deleted it while its line was open */
    uilab_result(u, MSG_WINDOW_SET, REFUSAL_NO_WINDOW, "there is no window or reservation fans", 0);
    keys_show(u, "<Enter>", "the window has been deleted meanwhile");
}

static void several_are_deleted_after_a_question(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    push_window(u, "fans", "gpu01", 60, 180, false);
    push_window(u, "rack", "gpu02", 60, 180, false);
    keys_show(u, ":windows delete fans rack<Enter>", "delete 2 windows");
    uilab_keys(u, "n");
    assert_null(uilab_sent(u, MSG_WINDOW_SET));
    uilab_keys(u, ":windows delete fans rack<Enter>y");
    const struct msg_window_set *m = uilab_sent(u, MSG_WINDOW_SET)->body;
    check_str("the last", m->window.name, "rack");
    assert_true(m->remove);
    uilab_result(u, MSG_WINDOW_SET, REFUSAL_NONE, "rack", 1);
    uilab_draw(u, 24, 80);
    must_show(u, "deleted: rack");
}

static void words_are_completed(void **state)
{
    static const struct {
        const char *keys, *line;
    } rows[] = {
        {":windows a<Tab>", ":windows add"},
        {":windows delete f<Tab>", ":windows delete fans"},
        {":windows change f<Tab>e<Tab>", ":windows change fans end="},
        {":windows add gpu01,cpu01<Tab>", ":windows add gpu01,cpu01"},
        {":window gpu01 sta<Tab>tom<Tab>", ":window gpu01 start=tomorrow"},
        {":window AL<Tab>dur<Tab>4<Tab>", ":window ALL duration=4h"},
        {":window gpu01 users=ali<Tab>", ":window gpu01 users=alice"},
        {":window gpu01 users=alice,b<Tab>", ":window gpu01 users=alice,bo"},
        {":windows change fans nodes=gpu01,cpu02<Tab>", "nodes=gpu01,cpu02"},
        {":drain gpu01,cpu02<Tab>", ":drain gpu01,cpu02"},
    };
    struct ui_fixture *g = *state;
    push_window(&g->u, "fans", "gpu01", 60, 180, false);
    for (size_t i = 0; i < N_OF(rows); i++) {
        keys_give_line(&g->u, rows[i].keys, rows[i].line);
        uilab_keys(&g->u, "<Esc>");
    }
    uilab_keys(&g->u, ":windows ");
    uilab_golden(&g->u, "command-windows", 24, 80);
    uilab_keys(&g->u, "add gpu01 start=now ");
    uilab_golden(&g->u, "command-window-keys", 24, 80);
}

/* An answer that never comes is not a leak: the sanitizer looks. */
static void left_while_the_controller_thinks(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, ":windows add gpu01 duration=1h<Enter>y");
    assert_non_null(uilab_sent(&g->u, MSG_WINDOW_SET));
}

static void who_may_not_is_offered_nothing(void **state)
{
    (void)state;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    u.ordinary = true;
    uilab_connect(&u);
    keys_show(&u, "2w", "no windows");
    push_window(&u, "maint", "gpu01", 60, 150, false);
    keys_show(&u, "w", "maint");
    must_not_show(&u, "new window");
    keys_show(&u, "<Enter>", "created by");
    must_not_show(&u, "delete");
    keys_show(&u, "<Esc>:windows delete maint<Enter>", "only administrators");
    keys_show(&u, ":windows change maint end=noon<Enter>", "only administrators");
    keys_show(&u, ":window gpu01 duration=1h<Enter>", "only administrators");
    assert_null(uilab_sent(&u, MSG_WINDOW_SET));
    uilab_fini(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(windows_are_pushed),
        UI_FIXTURE_CASE(bars_keep_their_colours_beside_a_window),
        UI_FIXTURE_CASE(a_window_begins_without_an_event),
        UI_FIXTURE_CASE(windows_are_made_and_deleted),
        UI_FIXTURE_CASE(they_are_listed_and_made_by_words),
        UI_FIXTURE_CASE(they_are_changed),
        UI_FIXTURE_CASE(what_is_wrong_is_said_and_the_line_stays),
        UI_FIXTURE_CASE(several_are_deleted_after_a_question),
        UI_FIXTURE_CASE(words_are_completed),
        UI_FIXTURE_CASE(left_while_the_controller_thinks),
        cmocka_unit_test(who_may_not_is_offered_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
