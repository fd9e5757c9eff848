/* test_form_page.c - the form as one sits at it: the simple page and what lies under "More", where one is
 * after it was sent, and that nothing that was typed gets lost. */
#include "src/base/vec.h"
#include "tests/screen/ui_fixture.h"
#include "ui/form/form.h"

static void open_with(struct uilab *u, const char *text)
{
    uilab_keys(u, "s<Tab><C-a>");
    uilab_paste(u, text);
    uilab_keys(u, "<Tab>");
}

/* --- the simple page --- */

static void the_simple_page_fits(void **state)
{
    static const char *const labels[] = {"command", "directory",  "GPUs",      "CPUs",
                                         "memory",  "time limit", "partition", "name"};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s");
    uilab_draw(u, 24, 80);
    for (size_t i = 0; i < N_OF(labels); i++)
        must_show(u, labels[i]);
    must_show(u, "▸ More");
    must_not_show(u, "┃"); /* nothing to scroll */
    must_not_show(u, "depends on");
    uilab_draw(u, 24, 40); /* the script has a page of its own there */
    must_show(u, "▸ More");
    must_not_show(u, "┃");
    uilab_keys(u, "<F6>");
    uilab_draw(u, 24, 80);
    must_show(u, "command"); /* of its step */
    must_show(u, "▸ More");
    must_not_show(u, "┃");
}

static void more_opens_the_rest(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<Up>");
    for (int i = 0; i < 8; i++)
        uilab_keys(u, "<Down>");
    keys_show(u, "", "Enter shows all fields");
    uilab_keys(u, "q1"); /* no key of the screens, and no text */
    uilab_keys(u, "<Enter>");
    uilab_golden(u, "form-more", 24, 80);
    keys_show(u, "<Down>0-3", "#SBATCH --array=0-3");
    keys_show(u, "<Up><Enter>", "▸ More");
    must_show(u, "Also set"); /* it is never hidden */
    must_show(u, "0-3");
    must_not_show(u, "depends on");
    keys_show(u, "<C-o>", "▾ Less");
    keys_show(u, "<C-o>", "▸ More");
    uilab_draw(u, 80, 132);
    uilab_keys(u, "<C-o>");
    uilab_draw(u, 80, 132);
    for (size_t i = 0; i < form_n_batch_fields; i++) /* all there are */
        must_show(u, form_batch_fields[i].label);
}

/* From a script, a template, the script's side or by hand: what says something is there. */
static void what_is_set_is_on_the_page(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    open_with(u,
              "#!/bin/sh\n#SBATCH -n 4 --output=o.txt\n#SBATCH --depend=afterok:6\n#SBATCH --hold\nls\n");
    uilab_golden(u, "form-set", 24, 80);
    must_show(u, "tasks        4");
    must_show(u, "output       o.txt");
    must_show(u, "depends on   afterok:6");
    must_show(u, "held         yes");
    must_not_show(u, "not before");
    for (size_t i = 0; i < form_n_batch_fields; i++) { /* each of them */
        struct form f;
        bool given[64];
        form_init(&f, JOB_KIND_BATCH);
        form_set(&f, &form_batch_fields[i], -1,
                 form_batch_fields[i].choices ? "append" : "1"); /* a text, a number, a switch */
        form_given(&f, form_batch_fields, form_n_batch_fields, -1, given);
        if (!given[i])
            fail_msg("%s is set and not told", form_batch_fields[i].key);
        form_fini(&f);
    }
    for (size_t i = 0; i < form_n_step_fields; i++) {
        struct form f;
        bool given[64];
        form_init(&f, JOB_KIND_STEPS);
        form_set(&f, &form_step_fields[i], 0, "1");
        form_given(&f, form_step_fields, form_n_step_fields, 0, given);
        if (!given[i])
            fail_msg("%s is set and not told", form_step_fields[i].key);
        form_fini(&f);
    }
}

/* What is emptied does not go from under the cursor, and not before something else is typed. */
static void an_emptied_field_stays_while_one_is_in_it(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    open_with(u, "#!/bin/sh\n#SBATCH -n 4 --comment=x\nls\n");
    uilab_keys(u, "<Up>");
    for (int i = 0; i < 9; i++)
        uilab_keys(u, "<Down>"); /* tasks */
    uilab_draw(u, 24, 80);
    must_show(u, "number of tasks that srun starts");
    keys_show(u, "<Backspace>", "number of tasks that srun starts");
    must_show(u, "  tasks");
    keys_show(u, "8", "--ntasks=8");
    keys_show(u, "<Backspace><Down>y", "--comment=xy");
    must_not_show(u, "  tasks  ");
    keys_show(u, "<C-u><C-o><C-o>", "▸ More"); /* nothing is set any more: the cursor has a place */
    keys_show(u, "<Up>x", "name         x");
}

static void steps_have_a_simple_page_too(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<F6>cv");
    uilab_draw(u, 24, 80);
    must_not_show(u, "on failure");
    uilab_keys(u, "<C-o>");
    uilab_draw(u, 64, 132);
    must_show(u, "on failure");
    must_show(u, "Defaults for steps");
    uilab_keys(u, "<C-o><F7>./fold.sh<Tab>");
    uilab_paste(u, " "); /* whatever is typed there */
    uilab_keys(u, "<Tab>");
    uilab_draw(u, 43, 132);
    must_show(u, "Step 1");
    must_not_show(u, "on failure");
}

/* Lines that set up what the command needs have a field of their own. */
static void the_set_up_is_a_line_before_the_command(void **state)
{
    static const struct {
        const char *before, *value, *after, *shown, *command;
    } rows[] = {
        {"#!/bin/sh\nls\n", "module load x", "#!/bin/sh\nmodule load x  # set-up\nls\n", "module load x",
         "ls"},
        {"#!/bin/sh\n", "a b ", "#!/bin/sh\na b   # set-up\n", "a b ", NULL},
        {"#!/bin/sh\na # set-up\nls", "b", "#!/bin/sh\nb  # set-up\nls", "b", "ls"},
        {"#!/bin/sh\na  # set-up\nls\n", "", "#!/bin/sh\nls\n", NULL, "ls"},
        {"#!/bin/sh\nls\n", "# none", "#!/bin/sh\nls\n", NULL, "ls"},
        {"a  # set-up\nb  # set-up\nls\n", "c", "a  # set-up\nb  # set-up\nls\n", NULL, "ls"},
        {"# set-up\nls# set-up\n", "", "# set-up\nls# set-up\n", NULL, "ls# set-up"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        static const struct form_field setup = {.key = "set-up", .id = FORM_SETUP},
                                       command = {.key = "command", .id = FORM_COMMAND};
        struct form f;
        form_init(&f, JOB_KIND_BATCH);
        str_clear(&f.text);
        str_append(&f.text, rows[i].before);
        form_set(&f, &setup, -1, rows[i].value);
        check_str(rows[i].before, f.text.s, rows[i].after);
        char *shown = form_get(&f, &setup, -1), *runs = form_get(&f, &command, -1);
        check_str(rows[i].before, shown ? shown : "none", rows[i].shown ? rows[i].shown : "none");
        check_str(rows[i].before, runs ? runs : "none", rows[i].command ? rows[i].command : "none");
        free(shown);
        free(runs);
        form_fini(&f);
    }
}

/* --- after F10 --- */

static void queued(struct uilab *u, uint32_t job)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_SUBMIT);
    assert_non_null(s);
    assert_false(((const struct msg_submit *)s->body)->test_only);
    struct msg_result r = {.job = job, .count = 1};
    uilab_feed(u, MSG_RESULT, s->tag, &r);
}

static struct job *new_job(struct uilab *u, const char *name)
{
    struct job *j = lab_job(&u->lab, JOB_KIND_BATCH);
    j->id = u->lab.m.next_job;
    free(j->req.name);
    j->req.name = xstrdup(name);
    return j;
}

static void push_job(struct uilab *u, struct job *take_j)
{
    uilab_push(u, EV_SUBMIT, take_j->id, take_j);
    free(take_j);
}

static void the_cursor_goes_to_the_new_job(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct job *j = new_job(u, "fresh");
    uint32_t id = j->id;
    uilab_keys(u, "gsls<F10>");
    push_job(u, j); /* the event comes first */
    queued(u, id);
    assert_non_null(strstr(cursor_row(u), "fresh"));
    must_show(u, "is queued");

    j = new_job(u, "second"); /* the answer comes first */
    id = j->id;
    uilab_keys(u, "gsls<F10>");
    queued(u, id);
    assert_null(strstr(cursor_row(u), "second"));
    push_job(u, j);
    assert_non_null(strstr(cursor_row(u), "second"));

    j = new_job(u, "third"); /* the user is elsewhere already: the cursor is left alone */
    id = j->id;
    uilab_keys(u, "gsls<F10>");
    queued(u, id);
    uilab_keys(u, "j");
    push_job(u, j);
    assert_null(strstr(cursor_row(u), "third"));

    j = new_job(u, "fourth"); /* sent from another screen */
    id = j->id;
    uilab_keys(u, "g2sls<F10>");
    queued(u, id);
    push_job(u, j);
    keys_show(u, "", "Nodes");
    uilab_keys(u, "1");
    assert_non_null(strstr(cursor_row(u), "fourth"));
}

static void an_array_is_one_row(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct job *j = new_job(u, "hundred");
    j->array_job = j->id;
    *rec_list_push(&job_rare_mut(j)->array_pending) =
        (struct index_range){.first = 0, .last = 99, .step = 1};
    job_origin_mut(j)->array_count = 100;
    job_origin_mut(j)->array_max = 99;
    job_origin_mut(j)->array_step = 1;
    uint32_t id = j->id;
    uilab_keys(u, "gsls<F10>");
    push_job(u, j);
    queued(u, id);
    assert_non_null(strstr(cursor_row(u), "_[0-99]"));
    assert_non_null(strstr(cursor_row(u), "hundred"));
}

static void a_filter_that_hides_it_is_told(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct job *j = new_job(u, "fresh");
    uint32_t id = j->id;
    uilab_keys(u, "/eval<Enter>sls<F10>");
    push_job(u, j);
    queued(u, id);
    keys_show(u, "", "the filter hides it: Esc clears the filter");
    assert_non_null(strstr(cursor_row(u), "eval"));
    keys_show(u, "<Esc>", "fresh");
}

/* --- nothing typed is lost --- */

static void a_controller_that_goes_and_comes(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "sls -l");
    uilab_wait(u, 400);
    follow_lost(u->app, "cut"); /* in the middle of the question */
    keys_show(u, "a", "ls -la");
    uilab_wait(u, 400);
    keys_show(u, "", "no connection to the controller: no forecast");
    keys_show(u, "<F10>", "no connection to the controller");
    keys_show(u, "<Down>/tmp", "#SBATCH --chdir=/tmp");
    uilab_forget_sent(u);
    uilab_connect(u);
    uilab_wait(u, 400);
    const struct uilab_sent *s = uilab_sent(u, MSG_SUBMIT);
    assert_non_null(s); /* it is asked by itself */
    assert_true(((const struct msg_submit *)s->body)->test_only);
    uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "to start at 2026-11-21T10:00:00 on nodes gpu01", 1);
    keys_show(u, "", "▶ starts now");
    must_show(u, "ls -la");
}

static char *sent_number(struct uilab *u)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_SUBMIT);
    assert_non_null(s);
    return ((const struct msg_submit *)s->body)->request_id;
}

/* The answer is lost: the same sent again has the same number, so that it is one job. */
static void what_is_sent_again_is_the_same_job(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "sls<F10>");
    char *first = xstrdup(sent_number(u));
    follow_lost(u->app, "cut");
    keys_show(u, "", "the job will not be queued twice");
    uilab_forget_sent(u);
    uilab_connect(u);
    uilab_keys(u, "<F10>");
    assert_string_equal(sent_number(u), first);
    follow_lost(u->app, "cut");
    uilab_forget_sent(u);
    uilab_connect(u);
    uilab_keys(u, " -l<F10>"); /* another job */
    assert_string_not_equal(sent_number(u), first);
    free(first);
    first = xstrdup(sent_number(u));
    uilab_result(u, MSG_SUBMIT, REFUSAL_TIME_LIMIT, "too long", 0);
    uilab_keys(u, "<F10>"); /* it was answered: a new one */
    assert_string_not_equal(sent_number(u), first);
    free(first);
}

static void quitting_asks_first(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s");
    keys_show(u, "ls<C-c>", "Discard this job?");
    assert_false(outbox_take(u->app) & WISH_QUIT);
    keys_show(u, "n", "ls");
    uilab_keys(u, "<C-c>y");
    assert_true(outbox_take(u->app) & WISH_QUIT);
    uilab_keys(u, "<C-c><C-c>"); /* twice is meant */
    assert_true(outbox_take(u->app) & WISH_QUIT);
    uilab_keys(u, "n<Esc>ys<C-c>"); /* nothing typed */
    assert_true(outbox_take(u->app) & WISH_QUIT);
}

/* A script that is pasted into the field of the command stays a script. */
static void pasted_lines_are_no_command(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s");
    uilab_paste(u, "#!/bin/sh\r\n#SBATCH --ntasks=3\r\nfor i in 1 2; do\r\n    ls\r\ndone\r\n");
    keys_show(u, "", "3 lines");
    must_show(u, "tasks        3");
    uilab_keys(u, "<F10>");
    const struct msg_submit *m = uilab_sent(u, MSG_SUBMIT)->body;
    static const char script[] = "#!/bin/sh\n#SBATCH --ntasks=3\nfor i in 1 2; do\n    ls\ndone\n";
    assert_int_equal(m->payload.script.n, strlen(script));
    assert_memory_equal(m->payload.script.p, script, strlen(script));
    uilab_keys(u, "<Esc>ysls");
    uilab_paste(u, " -l\n"); /* one line */
    keys_show(u, "", "command      ls -l");
    uilab_paste(u, "df\npwd");
    keys_show(u, "", "3 lines");
}

static void opening_another_asks_first(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "sls<F3>", "Discard this job?");
    keys_show(u, "n", "command      ls");
    keys_show(u, "<F3>y", "a script or job file ...");
    keys_show(u, "<Esc>", "command      ls"); /* nothing was opened */
}

/* F8 took a step out for good. */
static void a_step_that_was_taken_out_comes_back(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "s<F6>cv<C-y>", "no step was removed");
    must_not_show(u, "Ctrl-Y restore"); /* not offered */
    keys_show(u, "<F8>", "the cursor is not on a step");
    uilab_keys(u, "<Down><Down><Down><Down><Down><Down>./prep");
    keys_show(u, "<F8>", "it is the only step");
    uilab_keys(u, "<F7>./fold.sh<Down>8<F7>./sum");
    uilab_draw(u, 43, 132);
    must_show(u, "./prep");
    must_show(u, "tasks = 8");
    uilab_keys(u, "<Up><Up><Up><Up><Up>"); /* step1 */
    uilab_keys(u, "<F8>");
    uilab_draw(u, 43, 132);
    must_show(u, "step step1 removed; Ctrl-Y restores it");
    must_not_show(u, "./fold.sh");
    uilab_keys(u, "<Down>");
    uilab_draw(u, 24, 80);
    must_show(u, "Ctrl-Y restore");
    uilab_keys(u, "<C-y>");
    uilab_draw(u, 43, 132);
    must_show(u, "{ name = \"step1\"; command = \"./fold.sh\"; tasks = 8; },");
    must_not_show(u, "Ctrl-Y restore");
    keys_show(u, " --all", "./fold.sh --all"); /* the cursor is on it */
    /* Two of them, and what was typed in between stays. */
    uilab_keys(u, "<F8><F8>");
    uilab_draw(u, 43, 132);
    must_show(u, "step step2 removed");
    must_not_show(u, "./sum");
    uilab_keys(u, " -v<C-y><C-y>");
    uilab_draw(u, 43, 132);
    must_show(u, "./prep -v");
    must_show(u, "./fold.sh --all");
    must_show(u, "./sum");
    keys_show(u, "<C-y>", "no step was removed");
}

/* --- small print --- */

static void keys_that_do_nothing_are_not_offered(void **unused)
{
    (void)unused;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    uilab_connect(&u);
    keys_show(&u, "s", "F4 choose");
    must_show(&u, "Submit  F10");
    uilab_keys(&u, "<Tab>");
    uilab_draw(&u, 24, 80);
    must_not_show(&u, "F4 choose");
    uilab_fini(&u);
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    u.options.read_only = true;
    uilab_connect(&u);
    keys_show(&u, "s", "Try  F9");
    must_not_show(&u, "Submit  F10");
    uilab_fini(&u);
}

static void a_script_is_seen_whole_where_it_fits(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<Tab>");
    uilab_paste(u, "a\nb\nc\nd\na line that is longer than the narrow screen is wide, by far");
    uilab_draw(u, 8, 40);
    must_not_show(u, "#!/bin/bash");
    uilab_draw(u, 24, 200);
    must_show(u, "#!/bin/bash");
    must_show(u, "a line that is longer");
}

static void jobs_to_wait_for_add_up(void **state)
{
    static const struct {
        const char *typed, *part;
    } rows[] = {{"", "=afterok:"}, {"afterany:6", "=afterany:6:"}, {"singleton", "=singleton,afterok:"}};
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        uilab_keys(&g->u, "s<C-o><Up>");
        for (int k = 0; k < 9; k++)
            uilab_keys(&g->u, "<Down>");
        uilab_keys(&g->u, "<Down>");
        uilab_keys(&g->u, rows[i].typed);
        uilab_keys(&g->u, "<F4><Enter>");
        uilab_draw(&g->u, 24, 132);
        must_show(&g->u, rows[i].part);
        uilab_keys(&g->u, "<Esc>y");
    }
}

/* With a field that has an error below it and one that is filled, in plain signs and without colours. */
static void plain_signs_do(void **state)
{
    static const int sizes[][2] = {{24, 80}, {43, 132}};
    static const struct {
        const char *name;
        bool ascii, mono;
    } looks[] = {{"form-ascii", true, false}, {"form-mono", false, true}, {"form-ascii-mono", true, true}};
    (void)state;
    for (size_t i = 0; i < N_OF(looks); i++) {
        struct uilab u;
        struct demo_cluster s;
        uilab_init(&u);
        u.options.ascii = looks[i].ascii;
        demo_cluster_build(&u.lab, &s);
        uilab_connect(&u);
        if (looks[i].mono)
            theme_init(&u.theme, 0);
        uilab_keys(&u, "spython train.py<Down><Down>two<Down>8");
        for (size_t k = 0; k < N_OF(sizes); k++)
            uilab_golden(&u, looks[i].name, sizes[k][0], sizes[k][1]);
        for (const char *p = uilab_text(&u); looks[i].ascii && *p; p++)
            if ((unsigned char)*p >= 0x80)
                fail_msg("not ASCII: %s", p);
        uilab_fini(&u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_signs_do),
        UI_FIXTURE_CASE(the_simple_page_fits),
        UI_FIXTURE_CASE(more_opens_the_rest),
        UI_FIXTURE_CASE(what_is_set_is_on_the_page),
        UI_FIXTURE_CASE(an_emptied_field_stays_while_one_is_in_it),
        UI_FIXTURE_CASE(steps_have_a_simple_page_too),
        UI_FIXTURE_CASE(the_set_up_is_a_line_before_the_command),
        UI_FIXTURE_CASE(the_cursor_goes_to_the_new_job),
        UI_FIXTURE_CASE(an_array_is_one_row),
        UI_FIXTURE_CASE(a_filter_that_hides_it_is_told),
        UI_FIXTURE_CASE(a_controller_that_goes_and_comes),
        UI_FIXTURE_CASE(what_is_sent_again_is_the_same_job),
        UI_FIXTURE_CASE(quitting_asks_first),
        UI_FIXTURE_CASE(pasted_lines_are_no_command),
        UI_FIXTURE_CASE(opening_another_asks_first),
        UI_FIXTURE_CASE(a_step_that_was_taken_out_comes_back),
        cmocka_unit_test(keys_that_do_nothing_are_not_offered),
        UI_FIXTURE_CASE(a_script_is_seen_whole_where_it_fits),
        UI_FIXTURE_CASE(jobs_to_wait_for_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
