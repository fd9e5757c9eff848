/* test_action_log.c - each change that is made on the screens is noted as a command line. */
#include <signal.h>

#include "src/base/words.h"
#include "src/jobspec/jobtargets.h"
#include "tests/lib/command_lines.h"
#include "tests/screen/ui_fixture.h"
#include "ui/frame/action_log.h"
#include "ui/frame/dialogs.h"
#include "ui/state/request_line.h"

/* --- lines --- */

static void line_must_be(enum msg_kind kind, const void *body, bool admin, const char *want)
{
    struct str line = STR_INIT;
    assert_int_equal(request_line(kind, body, admin, &line), REQUEST_CHANGES);
    assert_string_equal(line.s, want);
    str_fini(&line);
}

static struct job_target target(uint32_t job, uint32_t index, int32_t step)
{
    return (struct job_target){.job = job, .array_index = index, .step = step};
}

static void actions_on_jobs(void **state)
{
    (void)state;
    struct job_target one[] = {target(8, ARRAY_NONE, STEP_ALL)};
    struct job_target many[] = {target(7, ARRAY_NONE, STEP_ALL), target(8, 3, STEP_ALL),
                                target(8, 5, STEP_ALL),          target(8, 6, STEP_ALL),
                                target(8, 7, STEP_ALL),          target(9, 1, STEP_ALL),
                                target(9, ARRAY_NONE, 0)};
    struct msg_act m = {.act = ACT_CANCEL, .targets = {.v = one, .n = 1}};
    line_must_be(MSG_ACT, &m, false, "scancel 8");
    m.act = ACT_HOLD;
    line_must_be(MSG_ACT, &m, false, "scontrol hold 8");
    line_must_be(MSG_ACT, &m, true, "scontrol uhold 8");
    m.act = ACT_RELEASE;
    line_must_be(MSG_ACT, &m, false, "scontrol release 8");
    m.act = ACT_REQUEUE;
    line_must_be(MSG_ACT, &m, false, "scontrol requeue 8");
    m = (struct msg_act){.act = ACT_SIGNAL, .signal = SIGUSR1, .targets = {.v = one, .n = 1}};
    line_must_be(MSG_ACT, &m, false, "stoker cancel --signal=USR1 8");
    m = (struct msg_act){.act = ACT_CANCEL, .targets = {.v = many, .n = 7}};
    line_must_be(MSG_ACT, &m, false, "scancel '7,8_[3,5-7],9_1,9.0'");
}

/* The names mean the targets that were sent. */
static void targets_are_read_back(void **state)
{
    (void)state;
    struct job_target sent[] = {target(8, 0, STEP_ALL),    target(8, 1, STEP_ALL),
                                target(8, 9, STEP_ALL),    target(12, ARRAY_NONE, STEP_ALL),
                                target(12, ARRAY_NONE, 3), target(8, 4, STEP_ALL)};
    struct msg_act m = {.act = ACT_CANCEL, .targets = {.v = sent, .n = sizeof sent / sizeof sent[0]}};
    struct str line = STR_INIT;
    struct strv words = {0};
    struct target_list back = {0};
    request_line(MSG_ACT, &m, false, &line);
    assert_int_equal(words_split(line.s, false, &words), 0);
    assert_int_equal(targets_add_list(&back, words.v[1], NULL), 0);
    assert_int_equal(back.list.n, m.targets.n);
    for (size_t i = 0; i < m.targets.n; i++)
        assert_memory_equal(&back.list.v[i], &sent[i], sizeof sent[i]);
    target_list_fini(&back);
    strv_fini(&words);
    str_fini(&line);
}

static void hostile_texts_are_quoted(void **state)
{
    static const char *const texts[] = {"fan is loud",
                                        "it's \"$HOME\" `id` $(id)",
                                        "a\nb;rm -rf /",
                                        "-x",
                                        "*",
                                        "\\",
                                        "#",
                                        "k=v",
                                        "\xe2\x97\xb7 \xc3\xa9",
                                        "'",
                                        ""};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct msg_drain drain = {.drain = true, .reason = xstrdup(texts[i])};
        struct msg_update update = {.target = target(8, ARRAY_NONE, STEP_ALL)};
        struct str line = STR_INIT;
        struct strv words = {0};
        char *pair = xasprintf("Reason=%s", texts[i]);
        strv_push(&drain.nodes, "n1");
        strv_push(&update.changes, pair);
        assert_int_equal(request_line(MSG_DRAIN, &drain, true, &line), REQUEST_CHANGES);
        assert_int_equal(words_split(line.s, false, &words), 0);
        assert_int_equal(words.n, 5);
        assert_string_equal(words.v[4], pair);
        strv_fini(&words);
        str_clear(&line);
        assert_int_equal(request_line(MSG_UPDATE, &update, true, &line), REQUEST_CHANGES);
        assert_int_equal(words_split(line.s, false, &words), 0);
        assert_string_equal(words.v[3], pair);
        strv_fini(&words);
        str_fini(&line);
        free(pair);
        rec_fini(&msg_drain_rec, &drain);
        rec_fini(&msg_update_rec, &update);
    }
}

/* --- on the screen --- */

static const struct action_record *newest(const struct uilab *u)
{
    size_t n = action_log_n(u->app);
    if (!n)
        fail_msg("nothing was noted");
    return action_log_at(u->app, n - 1);
}

static void the_list_shows_lines_and_results(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "@", "Nothing was changed from these screens yet");
    uilab_keys(u, "@/eval<Enter>Hy");
    assert_string_equal(newest(u)->line, "scontrol uhold 53");
    assert_int_equal(newest(u)->result, ACTION_RESULT_SENT);
    uilab_result(u, MSG_ACT, REFUSAL_NONE, NULL, 1);
    uilab_keys(u, "<Esc>/report<Enter>e");
    uilab_keys(u, "<Esc><Esc>:update 55 TimeLimit=9-0<Enter>y");
    uilab_result(u, MSG_UPDATE, REFUSAL_TIME_LIMIT, "the longest time of cpu is 7 days", 0);
    uilab_keys(u, "<Esc><Esc>2jdfan's loud<Enter>");
    uilab_draw(u, 24, 80);
    assert_string_equal(newest(u)->line,
                        "scontrol update NodeName=gpu02 State=DRAIN 'Reason=fan'\\''s loud'");
    uilab_result(u, MSG_DRAIN, REFUSAL_NONE, NULL, 1);
    uilab_keys(u, "@");
    uilab_golden(u, "log", 24, 80);
    uilab_golden(u, "log", 43, 132);
    uilab_draw(u, 43, 132);
    must_show(u, "refused: the longest time of cpu is 7 days");
    keys_show(u, "y", "copied the command line");
    assert_string_equal(outbox_copied(u->app), newest(u)->line);
    uilab_keys(u, "q");
    uilab_draw(u, 24, 80);
    must_show(u, "Nodes 10");
}

static void lost_and_old_ones(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>Hy");
    follow_lost(u->app, "the controller has closed the connection");
    assert_int_equal(newest(u)->result, ACTION_RESULT_LOST);
    uilab_connect(u);
    for (int i = 0; i < ACTION_LOG_MAX + 10; i++) {
        struct msg_node_note m = {.text = NULL};
        ui_send(u->app, MSG_NODE_NOTE, &m, NULL, NULL, 0);
    }
    assert_int_equal(action_log_n(u->app), ACTION_LOG_MAX);
}

/* A script that is submitted is noted with its text. */
static void a_submission_has_its_script(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "spython train.py<F10>");
    const char *line = newest(u)->line;
    if (!str_starts(line, "sbatch --chdir ") || !strstr(line, " --job-name train.py") ||
        !strstr(line, "<<'EOF'\n#!/bin/") || !strstr(line, "\npython train.py\nEOF"))
        fail_msg("%s", line);
}

/* So is a job in steps, whose file is written first. */
static void a_job_in_steps_has_its_file(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<F6>fold<Down><Down><Down><Down><Down><Down>true<F10>"); /* name, command */
    const char *line = newest(u)->line;
    if (!str_starts(line, "file=$(mktemp --suffix=.job); cat >\"$file\" <<'EOF'\n") ||
        !strstr(line, "\nEOF\nstoker submit "))
        fail_msg("%s", line);
}

/* --- every action --- */

static bool changes_something(enum msg_kind kind, const void *body)
{
    return kind == MSG_ACT || kind == MSG_UPDATE || kind == MSG_DRAIN || kind == MSG_NODE_NOTE ||
           kind == MSG_WINDOW_SET || (kind == MSG_SUBMIT && !((const struct msg_submit *)body)->test_only);
}

/* Is it one of the commands of which it is proved that they do the same? */
static bool is_proved(const char *line)
{
    static const char *const begins[] = {
#define X(name, text) text,
        COMMAND_LINES(X)
#undef X
    };
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (str_starts(line, begins[i]))
            return true;
    return false;
}

/* Says yes to all that is asked, with something typed where a line is empty. */
static void say_yes(struct uilab *u)
{
    for (int i = 0; i < 5 && dialogs_top(u->app); i++) {
        const struct dialog *d = dialogs_top(u->app);
        char count[32];
        snprintf(count, sizeof count, "%llu", (unsigned long long)d->must_type);
        if (d->waiting)
            uilab_keys(u, "<Esc>");
        else if (d->kind == DIALOG_CONFIRM && d->must_type)
            uilab_keys(u, count);
        else if (d->kind == DIALOG_CONFIRM)
            uilab_keys(u, "y");
        else if (d->kind == DIALOG_PROMPT && !d->edit.text.len)
            uilab_keys(u, "1");
        uilab_keys(u, "<Enter>");
    }
    uilab_wait(u, 20000); /* what can be undone is sent */
    uilab_keys(u, "<Esc><Esc>");
}

static void every_change_has_a_line(struct uilab *u, const char *where, enum action a)
{
    size_t n = 0, first = u->sent.n, noted;
    vec_for_each (&u->sent, i)
        if (u->sent.v[i].body && changes_something(u->sent.v[i].kind, u->sent.v[i].body)) {
            first = i < first ? i : first;
            n++;
        }
    noted = action_log_n(u->app);
    if (noted != n)
        fail_msg("%s on %s: %zu requests, %zu lines", action_info(a)->name, where, n, noted);
    for (size_t i = 0; i < noted; i++)
        if (!is_proved(action_log_at(u->app, i)->line))
            fail_msg("%s on %s: it is not proved that this does the same: \"%s\"", action_info(a)->name,
                     where, action_log_at(u->app, i)->line);
}

/* A new action that sends a request is met here without being named: each one is done to some rows of each
 * screen, and all questions are answered with yes. */
static bool has_scope(const struct view_ops *ops, enum scope scope)
{
    for (size_t i = 0; i < ops->n_scopes; i++)
        if (ops->scopes[i] == scope)
            return true;
    return false;
}

/* Does one action to some rows of a screen. Returns whether it changes something. */
static bool try_action(const char *screen, enum action a)
{
    void *fixture = NULL;
    ui_fixture_up(&fixture);
    struct uilab *u = &((struct ui_fixture *)fixture)->u;
    uilab_keys(u, screen);
    uilab_draw(u, 43, 132);
    const struct view_ops *ops = ui_view(u->app)->ops;
    for (int row = 0; row < 5 && ui_view(u->app)->ops == ops; row++) {
        struct input none = input_key(0);
        ops->act(ui_view(u->app), a, &none);
        say_yes(u);
        uilab_keys(u, "<Down><Down>"); /* running, waiting, held */
        uilab_draw(u, 43, 132);
    }
    every_change_has_a_line(u, screen, a);
    bool changed = action_log_n(u->app) > 0;
    ui_fixture_down(&fixture);
    return changed;
}

static const struct view_ops *ops_of_screen(const char *screen)
{
    void *fixture = NULL;
    ui_fixture_up(&fixture);
    struct uilab *u = &((struct ui_fixture *)fixture)->u;
    uilab_keys(u, screen);
    const struct view_ops *ops = ui_view(u->app)->ops;
    ui_fixture_down(&fixture);
    return ops;
}

static void no_action_is_without_a_line(void **state)
{
    static const char *const screens[] = {"1",
                                          "1/crossval<Enter><Enter>",
                                          "1/finetune<Enter><Enter>",
                                          "1/sweep<Enter><Enter>",
                                          "2",
                                          "3t",
                                          "4",
                                          "5",
                                          "6",
                                          "7",
                                          "spython x.py",
                                          "s<F6>"};
    (void)state;
    size_t changed = 0;
    for (size_t s = 0; s < sizeof screens / sizeof screens[0]; s++) {
        const struct view_ops *ops = ops_of_screen(screens[s]);
        for (int a = 1; a < ACTION_N; a++) {
            bool writes_file = a == ACTION_SAVE || a == ACTION_EXPORT || a == ACTION_FORM_SAVE;
            if (has_scope(ops, action_info((enum action)a)->scope) && !writes_file)
                changed += try_action(screens[s], (enum action)a);
        }
    }
    assert_true(changed > 10); /* it does reach what it is for */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(actions_on_jobs),
        cmocka_unit_test(targets_are_read_back),
        cmocka_unit_test(hostile_texts_are_quoted),
        UI_FIXTURE_CASE(the_list_shows_lines_and_results),
        UI_FIXTURE_CASE(lost_and_old_ones),
        UI_FIXTURE_CASE(a_submission_has_its_script),
        UI_FIXTURE_CASE(a_job_in_steps_has_its_file),
        cmocka_unit_test(no_action_is_without_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
