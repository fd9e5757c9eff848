/* test_flat.c - a list without arrays: every element a row of its own, and back. */
#include "tests/screen/ui_fixture.h"

#define OTHERS   14 /* jobs of the demo cluster that belong to no array */
#define ELEMENTS 43 /* of its array: those that have started, and the record of the others */

static const struct msg_act *sent_act(struct uilab *u)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_ACT);
    return s ? s->body : NULL;
}

static void must_have_cursor(struct uilab *u, const char *part)
{
    if (!strstr(cursor_row(u), part))
        fail_msg("the cursor is not on %s:\n%s", part, uilab_text(u));
}

static void every_element_is_a_row(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "t");
    uilab_draw(u, 80, 100);
    char title[40];
    snprintf(title, sizeof title, "Jobs %d   flat", OTHERS + ELEMENTS);
    must_show(u, title);
    must_not_show(u, " 8_[0-99]");
    /* What runs stands in the order of its numbers. */
    int at = uilab_find(u, "pretrain");
    assert_true(at > 0);
    for (int i = 34; i < 42; i++) {
        char id[16];
        snprintf(id, sizeof id, " 8_%d ", i);
        assert_int_equal(uilab_find(u, id), at + i - 33);
    }
    assert_int_equal(uilab_find(u, " 51 "), at + 9);
    must_show(u, " 8_[42-99"); /* what has not started is one record */
    must_show(u, " 8_7 ");
    uilab_keys(u, "t");
    uilab_draw(u, 24, 80);
    must_show(u, " 8_[0-99]");
    must_not_show(u, " flat");
    must_not_show(u, " 8_34 ");
}

static void elements_are_sorted_and_filtered_as_jobs(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "t:sort id<Enter>g");
    uilab_draw(u, 80, 100);
    int first = uilab_find(u, " 8_0 ");
    for (int i = 0; i < 42; i++) { /* ended ones and running ones in one row of numbers */
        char id[16];
        snprintf(id, sizeof id, " 8_%d ", i);
        assert_int_equal(uilab_find(u, id), first + i);
    }
    assert_int_equal(uilab_find(u, " 8_[42-99"), first + 42);
    assert_int_equal(uilab_find(u, " 51 "), first + 43);
    uilab_keys(u, ":sort id down<Enter>");
    uilab_draw(u, 80, 100);
    first = uilab_find(u, " 8_[42-99");
    assert_int_equal(uilab_find(u, " 8_41 "), first + 1);
    assert_int_equal(uilab_find(u, " 8_0 "), first + 42);
    uilab_keys(u, "/id:=8<Enter>"); /* the number of the array, exactly */
    uilab_draw(u, 24, 80);
    char title[40];
    snprintf(title, sizeof title, "Jobs %d of %d   flat", ELEMENTS, OTHERS + ELEMENTS);
    must_show(u, title);
    uilab_keys(u, "<Esc>/sweep state:fail<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "Jobs 2 of 57   flat");
    must_show(u, " 8_21 ");
    must_show(u, " 8_7 ");
    must_not_show(u, " 8_22 ");
}

/* One that starts gets a row of its own, in its place. */
static void what_comes_is_flat_too(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "t:sort id<Enter>/sweep<Enter>G");
    must_have_cursor(u, " 8_[42-99");
    uint32_t id = u->lab.m.next_job;
    struct ev_start body = {.array_index = 42, .new_id = id, .partition = xstrdup("cpu")};
    *rec_list_push(&body.alloc) = lab_alloc("cpu05", 0, 4, 0, 0, 1024);
    uilab_push(u, EV_START, g->s.sweep, &body);
    must_have_cursor(u, " 8_[43-99");
    uilab_keys(u, "k");
    must_have_cursor(u, " 8_42 ");
    must_show(u, "Jobs 44 of 58   flat");
}

static void the_cursor_stays_on_its_job(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter><Esc>");
    must_have_cursor(u, "eval");
    uilab_keys(u, "t");
    must_have_cursor(u, "eval");
    uilab_keys(u, "t");
    must_have_cursor(u, "eval");
    uilab_keys(u, "gjj"); /* the array: the first of its elements, and back */
    must_have_cursor(u, " 8_[0-99]");
    uilab_keys(u, "t");
    must_have_cursor(u, " 8_34 ");
    uilab_keys(u, "jj");
    must_have_cursor(u, " 8_36 ");
    uilab_keys(u, "t");
    must_have_cursor(u, " 8_[0-99]");
    uilab_keys(u, "<Right>jjj"); /* where it is open the element has its row in both */
    must_have_cursor(u, " 8_2 ");
    uilab_keys(u, "t");
    must_have_cursor(u, " 8_2 ");
    uilab_keys(u, "t");
    must_have_cursor(u, " 8_2 ");
    uilab_keys(u, "t<Left><Right>"); /* nothing to fold */
    must_have_cursor(u, " 8_2 ");
    must_show(u, " flat");
}

static void marks_stay(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "gjj<Space><Space>"); /* the array and the job below it */
    keys_show(u, "", "2 marked");
    keys_show(u, "t", "44 marked"); /* its elements for the array */
    keys_show(u, "t", "2 marked");
    uilab_keys(u, "ug/sweep state:run<Enter>t*"); /* only some of them */
    keys_show(u, "<Esc>", "8 marked");
    keys_show(u, "t", "8 marked");
    must_show(u, " 8_34 "); /* the array is open, so that they are seen ... */
    uilab_keys(u, "cy");    /* ... and they are hit, no others */
    uilab_wait(u, 6000);
    const struct msg_act *act = sent_act(u);
    assert_non_null(act);
    assert_int_equal(act->act, ACT_CANCEL);
    assert_int_equal(act->targets.n, 8);
    for (size_t i = 0; i < act->targets.n; i++)
        assert_int_equal(act->targets.v[i].array_index, 34 + i);
}

static void a_range_is_closed(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "gvj");
    keys_show(&g->u, "t", "2 marked");
    must_not_show(&g->u, "marking a range");
}

/* A key on an element means it alone. */
static void a_key_hits_one_element(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "t/id:8_36<Enter>H");
    uilab_keys(u, "<Esc>/id:8_36<Enter>cy");
    uilab_wait(u, 6000);
    const struct msg_act *act = sent_act(u);
    assert_non_null(act);
    assert_int_equal(act->targets.n, 1);
    assert_int_equal(act->targets.v[0].array_index, 36);
    keys_show(u, "<Enter>", "Job 8_36");
}

/* The record of what has not started has the number of the array: those that run are not meant. */
static void what_waits_is_cancelled_alone(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    for (int flat = 0; flat < 2; flat++) {
        uilab_forget_sent(u);
        uilab_keys(u, flat ? "<Left>t/state:pend sweep<Enter>c" : "gjj<Right>/state:pend sweep<Enter>Gc");
        keys_show(u, "", "cancel 58 jobs");
        uilab_keys(u, "58<Enter>");
        uilab_wait(u, 6000);
        const struct msg_act *act = sent_act(u);
        assert_non_null(act);
        assert_int_equal(act->act, ACT_CANCEL);
        assert_int_equal(act->targets.n, 58);
        for (size_t i = 0; i < act->targets.n; i++) {
            assert_int_equal(act->targets.v[i].job, g->s.sweep);
            assert_int_equal(act->targets.v[i].array_index, 42 + i);
        }
        uilab_result(u, MSG_ACT, REFUSAL_NONE, "", 58);
        uilab_keys(u, "<Esc>");
    }
}

static void it_is_kept(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    outbox_take(u->app);
    uilab_keys(u, "t");
    assert_true(outbox_take(u->app) & WISH_SAVE);
    keys_show(u, ":save single<Enter>", "saved: :view single");
    uilab_keys(u, "t");
    char *text = prefs_text(&u->prefs);
    struct errtext err = {""};
    struct prefs p = {.theme = NULL};
    assert_int_equal(prefs_parse(&p, text, &err), 0);
    assert_false(prefs_of(&p, "jobs")->flat);
    assert_true(prefs_find_named(&p, "single")->shows.flat);
    prefs_fini(&p);
    free(text);
    keys_show(u, ":view ", "jobs, flat");
    keys_show(u, "<Esc>:view single<Enter>", "Jobs 57   flat");
    keys_show(u, "2", "Nodes"); /* there is nothing to be flat */
    must_not_show(u, " flat");
    keys_show(u, "1", "Jobs 57   flat");
}

static void the_next_time_it_is_so(void **unused)
{
    (void)unused;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    prefs_of(&u.prefs, "jobs")->flat = true;
    prefs_of(&u.prefs, "history")->flat = true;
    uilab_connect(&u);
    uilab_draw(&u, 24, 80);
    must_show(&u, "Jobs 57   flat");
    keys_show(&u, "6", "History 39   flat");
    keys_show(&u, "t", "History 6 ");
    uilab_fini(&u);
}

static void the_history_is_flat_too(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "6t", "History 39   flat");
    must_have_cursor(u, " 8_33 "); /* the latest of its array */
    must_not_show(u, " 8_[0-99]");
    uilab_keys(u, "/cause:failed sweep<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "History 2 of 39   flat");
    must_show(u, " 8_21 ");
    must_show(u, " 8_7 ");
    keys_show(u, "<Esc>t", " 8_[0-99]");
    must_not_show(u, " flat");
}

/* The cursor goes to what was submitted, be it an array or its record alone. */
static void a_new_array_is_found(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "t");
    ui_point_at(u->app, g->s.sweep);
    must_have_cursor(u, " 8_[42-99");
    uilab_keys(u, "t");
    ui_point_at(u->app, g->s.sweep);
    must_have_cursor(u, " 8_[0-99]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(every_element_is_a_row),
        UI_FIXTURE_CASE(elements_are_sorted_and_filtered_as_jobs),
        UI_FIXTURE_CASE(what_comes_is_flat_too),
        UI_FIXTURE_CASE(the_cursor_stays_on_its_job),
        UI_FIXTURE_CASE(marks_stay),
        UI_FIXTURE_CASE(a_range_is_closed),
        UI_FIXTURE_CASE(a_key_hits_one_element),
        UI_FIXTURE_CASE(what_waits_is_cancelled_alone),
        UI_FIXTURE_CASE(it_is_kept),
        cmocka_unit_test(the_next_time_it_is_so),
        UI_FIXTURE_CASE(the_history_is_flat_too),
        UI_FIXTURE_CASE(a_new_array_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
