/* test_prompts.c - what is typed and refused stays where it was typed, with the refusal, until it is mended
 * or left; a key that a menu does not know is refused too. */
#include <sys/stat.h>
#include <unistd.h>

#include "tests/screen/ui_fixture.h"

/* --- changes of jobs --- */

static void of_several_the_refused_are_counted(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/wait<Enter>gjj<Space>j<Space>e<Enter><C-u>9:00:00<Enter>");
    keys_show(u, "n", "Esc close"); /* back to the line that was typed */
    must_show(u, "9:00:00");
    uilab_forget_sent(u);
    keys_show(u, "<Enter>", "change 2 jobs");
    uilab_keys(u, "y");
    assert_int_equal(u->sent.n, 2);
    struct msg_result yes = {.count = 1};
    struct msg_result no = {.refusal = REFUSAL_TIME_LIMIT, .text = (char[]){"gpu allows 4:00:00"}};
    uilab_feed(u, MSG_RESULT, u->sent.v[1].tag, &no);
    keys_show(u, "", "Waiting for the controller"); /* one has not been answered yet */
    uilab_feed(u, MSG_RESULT, u->sent.v[0].tag, &yes);
    keys_show(u, "", "1 of 2 changed. Refused: gpu allows 4:00:00");
    must_show(u, "9:00:00");
    keys_show(u, "<Esc>", "2 marked");
}

/* --- while the answer is awaited --- */

static void a_prompt_that_is_left_tells_it_in_a_box(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2dfan<Enter><Esc>");
    uilab_draw(u, 24, 80);
    must_not_show(u, "Waiting for the controller");
    uilab_result(u, MSG_DRAIN, REFUSAL_BAD_REQUEST, "too short a reason", 0);
    keys_show(u, "", "drain: too short a reason");
}

/* A user does not wait for the answer before typing on: it is meant for what comes after a yes. */
static void what_is_typed_ahead_is_kept(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2dfan<Enter>1");
    keys_show(u, "", "Waiting for the controller");
    uilab_result(u, MSG_DRAIN, REFUSAL_NONE, "", 1);
    keys_show(u, "", "Jobs 15"); /* the 1 */
    uilab_keys(u, "2dfan<Enter>c");
    uilab_result(u, MSG_DRAIN, REFUSAL_NOT_ALLOWED, "only administrators drain", 0);
    keys_show(u, "", "Refused: only administrators drain"); /* the c was for something else */
    must_show(u, " fan ");
    keys_show(u, "<Esc>", "Nodes");
    uilab_keys(u, "dfan<Enter>j<Esc>1"); /* left: what was typed before goes with it */
    uilab_draw(u, 24, 80);
    must_show(u, "Jobs 15");
}

static void a_lost_connection_keeps_what_was_typed(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2dloud fan<Enter>");
    follow_lost(u->app, "cut");
    keys_show(u, "", "the connection was lost");
    must_show(u, "loud fan");
    keys_show(u, "<Enter>", "no connection to the controller");
    must_show(u, "loud fan");
    uilab_forget_sent(u);
    uilab_connect(u);
    uilab_keys(u, "<Enter>");
    const struct uilab_sent *s = uilab_sent(u, MSG_DRAIN);
    assert_non_null(s);
    assert_string_equal(((const struct msg_drain *)s->body)->reason, "loud fan");
}

/* --- nodes, signals --- */

static void reasons_and_notes_can_be_mended(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "2dfan<Enter>", "Waiting for the controller");
    uilab_result(u, MSG_DRAIN, REFUSAL_BAD_REQUEST, "too short a reason", 0);
    keys_show(u, "", "Refused: too short a reason");
    uilab_keys(u, " 2 is loud<Enter>");
    const struct msg_drain *drain = uilab_sent(u, MSG_DRAIN)->body;
    assert_string_equal(drain->reason, "fan 2 is loud");
    uilab_result(u, MSG_DRAIN, REFUSAL_NONE, "", 1);
    keys_show(u, "", "drained");
    uilab_keys(u, "ewhistles<Enter>");
    uilab_result(u, MSG_NODE_NOTE, REFUSAL_NOT_ALLOWED, "only administrators write notes", 0);
    keys_show(u, "", "Refused: only administrators write notes");
    must_show(u, "whistles");
    keys_show(u, "<Esc>", "Nodes");
}

static void another_signal_can_be_chosen(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/train<Enter>C<Enter>");
    keys_show(u, "n", "Terminated"); /* back to the choice */
    uilab_keys(u, "<Enter>y");
    uilab_result(u, MSG_ACT, REFUSAL_NOT_ALLOWED, "it is not yours", 0);
    keys_show(u, "", "Refused: it is not yours");
    must_show(u, "Terminated");
    uilab_keys(u, "j<Enter>y");
    assert_int_equal(((const struct msg_act *)uilab_sent(u, MSG_ACT)->body)->signal, 2);
    uilab_result(u, MSG_ACT, REFUSAL_NONE, "", 1);
    keys_show(u, "", "signalled: 1");
    must_not_show(u, "Terminated");
}

/* --- files of the form --- */

static void names_of_files_can_be_mended(void **unused)
{
    (void)unused;
    struct uilab u;
    struct demo_cluster s;
    char dir[] = "/tmp/stoker-prompts.XXXXXX", path[80];
    assert_non_null(mkdtemp(dir));
    uilab_init(&u);
    u.options.config_dir = dir;
    demo_cluster_build(&u.lab, &s);
    uilab_connect(&u);
    keys_show(&u, "s<F3><Enter>/nosuch/job.sh<Enter>", "/nosuch/job.sh: No such file");
    must_show(&u, "open a script or a job file");
    keys_show(&u, "<Esc>ls<F2>a/b<Enter>", "a name without a slash");
    must_show(&u, "save as a template");
    keys_show(&u, "<C-u>mine<Enter>", "saved as");
    must_not_show(&u, "save as a template");
    snprintf(path, sizeof path, "%s/templates/mine.sh", dir);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/templates", dir);
    rmdir(path);
    rmdir(dir);
    uilab_fini(&u);
}

/* --- Ctrl-C --- */

/* It leaves the innermost thing; only where there is none it ends the program. */
static void ctrl_c_leaves_what_is_typed_first(void **state)
{
    static const char *const typed[] = {":drain gpu03", "/train", "c", "*e", "?", "l/words", "2d"};
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    for (size_t i = 0; i < N_OF(typed); i++) {
        uilab_keys(u, "1");
        uilab_keys(u, typed[i]);
        uilab_keys(u, "<C-c>");
        if (outbox_take(u->app) & WISH_QUIT)
            fail_msg("Ctrl-C after %s ends the program", typed[i]);
        uilab_draw(u, 24, 80);
        must_not_show(u, "drain gpu03");
        must_not_show(u, "filter train");
        must_not_show(u, "cancel 1 job");
        uilab_keys(u, "<Esc>");
    }
    uilab_keys(u, "1<C-c>");
    assert_true(outbox_take(u->app) & WISH_QUIT);
}

/* --- looks --- */

static void a_refusal_has_room(void **state)
{
    static const int sizes[][2] = {{10, 40}, {24, 80}, {8, 30}, {5, 20}, {50, 200}};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2dsoonish<Enter>");
    uilab_result(u, MSG_DRAIN, REFUSAL_BAD_REQUEST,
                 "\"soonish\" is not a time: give minutes, MM:SS, HH:MM:SS, D-HH, D-HH:MM, D-HH:MM:SS or "
                 "UNLIMITED",
                 0);
    uilab_golden(u, "prompt-refused", 24, 80);
    uilab_golden(u, "prompt-refused", 10, 40);
    for (size_t i = 0; i < N_OF(sizes); i++) { /* whatever the size becomes meanwhile: the line is there */
        uilab_draw(u, sizes[i][0], sizes[i][1]);
        must_show(u, "soonish");
    }
}

/* --- menus --- */

/* A menu that a screen's key closed would leave the next keys to the rows: 7, and c after it. */
static void a_menu_says_which_keys_it_takes(void **state)
{
    static const char *const menus[] = {"2y", "x", "o", "O"};
    static const char hint[] = "only these and arrows";
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    for (size_t i = 0; i < N_OF(menus); i++) {
        keys_show(u, menus[i], "Esc close");
        must_not_show(u, hint);
        keys_show(u, "7", hint);
        keys_show(u, "d", hint);
        keys_show(u, "<Down>", "Esc close");
        must_not_show(u, hint);
        uilab_keys(u, "<Esc>");
        uilab_draw(u, 24, 80);
        must_not_show(u, "Esc close");
        must_show(u, "Nodes 10");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(of_several_the_refused_are_counted),
        UI_FIXTURE_CASE(a_prompt_that_is_left_tells_it_in_a_box),
        UI_FIXTURE_CASE(what_is_typed_ahead_is_kept),
        UI_FIXTURE_CASE(a_lost_connection_keeps_what_was_typed),
        UI_FIXTURE_CASE(reasons_and_notes_can_be_mended),
        UI_FIXTURE_CASE(another_signal_can_be_chosen),
        cmocka_unit_test(names_of_files_can_be_mended),
        UI_FIXTURE_CASE(ctrl_c_leaves_what_is_typed_first),
        UI_FIXTURE_CASE(a_refusal_has_room),
        UI_FIXTURE_CASE(a_menu_says_which_keys_it_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
