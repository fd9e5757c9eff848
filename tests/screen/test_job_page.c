/* test_job_page.c - the page of a job: what it uses now, its life, the last lines of its output. */
#include "src/lang/lang.h"
#include "src/model/stepstate.h"
#include "tests/screen/ui_fixture.h"

static void shows(struct uilab *u, const char *part, bool want)
{
    if ((uilab_find(u, part) >= 0) != want)
        fail_msg("\"%s\" is %s the screen:\n%s", part, want ? "not on" : "on", uilab_text(u));
}

static void measured_while_it_is_shown(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/pretrain<Enter>");
    uilab_forget_sent(u);
    uilab_keys(u, "<Enter>");
    const struct msg_watch_util *w = uilab_sent(u, MSG_WATCH_UTIL)->body;
    assert_true(w->on);
    assert_int_equal(w->job, g->s.multi);
    uilab_draw(u, 43, 132);
    shows(u, "not measured yet", true);
    shows(u, "0%", false);
    watch_training(g, 40);
    uilab_draw(u, 43, 132);
    shows(u, "not measured", false);
    shows(u, "of 48", true); /* both nodes together */
    shows(u, "of 384G", true);
    shows(u, "4 GPUs", true);
    shows(u, "277G of 320G", true);
    shows(u, "\u28ff", true);
    uilab_forget_sent(u);
    uilab_keys(u, "q");
    w = uilab_sent(u, MSG_WATCH_UTIL)->body;
    assert_false(w->on);
    uilab_wait(u, 30000);
    uilab_keys(u, "<Enter>"); /* the minutes before it was closed are there, and no number that is old */
    uilab_draw(u, 43, 132);
    shows(u, "not measured now", true);
    shows(u, "of 48", false);
    shows(u, "\u28ff", true);
    uilab_wait(u, 500000); /* all of it is too long ago */
    uilab_draw(u, 43, 132);
    shows(u, "\u28ff", false);
}

static const char *loud(const char *text)
{
    return str_eq(text, "another user's job") ? "LE JOB D'AUTRUI" : text;
}

static const char *loud_number(const char *one, const char *many, unsigned long n)
{
    return n == 1 ? one : many;
}

/* A row of another user's job, as the controller masks it: the page names no file, and speaks the user's
 * language. */
static void a_hidden_job_shows_nothing_made_up(void **state)
{
    static const struct lang_texts french = {.text = loud, .number = loud_number};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct job row, *j = &row;
    rec_copy(&job_rec, j, model_get_job(&u->lab.m, g->s.train));
    j->uid = UINT32_MAX;
    xstrset(&j->req.workdir, NULL);
    xstrset(&j->req.std_out, NULL);
    xstrset(&req_detail_mut(&j->req)->std_err, NULL);
    xstrset(&job_origin_mut(j)->command, NULL);
    uilab_push(u, EV_JOB_ROW, j->id, j);
    uilab_keys(u, "/another user's<Enter><Enter>");
    lang_texts = &french;
    uilab_draw(u, 43, 132);
    shows(u, "slurm-", false);
    shows(u, "LE JOB D'AUTRUI", true);
    shows(u, "train-resnet", false);
    lang_texts = NULL;
}

/* Without control groups, without GPUs, and where a node says nothing of the job. */
static void what_is_not_measured_is_not_shown(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/train-resnet<Enter><Enter>");
    const struct job *j = model_get_job(&u->lab.m, g->s.train);
    struct task_feed t = {.node = "gpu03",
                          .job = g->s.train,
                          .step = STEP_BATCH,
                          .attempt = j->steps.v[0].tasks.v[0].attempt,
                          .cpu_percent = 51,
                          .cpus = 8,
                          .mem_mib = 2048};
    feed_task_util(u, &t, 0, 0);
    uilab_draw(u, 43, 132);
    shows(u, "of 8", false);
    feed_task_util(u, &t, 1, 0);
    uilab_draw(u, 43, 132);
    shows(u, "CPU 51% 4.1 of 8", true);
    shows(u, "memory 3% 2G of 64G", true);
    shows(u, "GPUs 0%", false); /* its GPUs are not measured */
    t.mem_mib = 63 * 1024;
    feed_task_util(u, &t, 1, 0);
    feed_task_util(u, &t, 1, 60000); /* an earlier one replaces nothing */
    uilab_draw(u, 43, 132);
    shows(u, "memory 98%", true);
    t.attempt += 1; /* of another attempt: not of the task that is shown, but of the job */
    feed_task_util(u, &t, 1, 0);
    uilab_draw(u, 43, 132);
    shows(u, "memory 98%", true);
}

static void output_is_followed(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/pretrain<Enter><Enter>");
    uilab_draw(u, 24, 80);
    answer_output(u, training);
    uilab_draw(u, 24, 80);
    shows(u, "Output", true);
    shows(u, "epoch 14/40", true);
    struct str more = STR_INIT;
    str_appendf(&more, "%sepoch 15/40  loss 0.920\n", training);
    answer_output(u, more.s);
    uilab_draw(u, 24, 80);
    shows(u, "epoch 15/40", true);
    uilab_keys(u, "q"); /* an answer to a page that is closed */
    answer_output(u, more.s);
    str_fini(&more);
    uilab_draw(u, 24, 80);
    shows(u, "pretrain", true);
}

/* report waits for job 9, eval for report: both ways from report, and on with Enter. */
static void dependencies_are_walked(void **unused)
{
    (void)unused;
    struct uilab u;
    struct demo_cluster s;
    char part[40];
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    lab_get(&u.lab, s.eval)->req.dependency = xasprintf("afterany:%u", s.chained);
    lab_get(&u.lab, s.held)->req.dependency = xasprintf("afterok:%u:77", s.eval);
    uilab_connect(&u);
    uilab_keys(&u, "/report<Enter>d");
    uilab_golden(&u, "depends", 24, 80);
    shows(&u, "eval", true);
    shows(&u, "ablation", true); /* the level after it */
    uilab_keys(&u, "j<Enter>");
    uilab_draw(&u, 24, 80);
    snprintf(part, sizeof part, "Job %u  eval", s.eval);
    shows(&u, part, true);
    uilab_keys(&u, "d");
    uilab_draw(&u, 24, 80);
    shows(&u, "report", true); /* and what that one waits for */
    shows(&u, "sweep", true);
    uilab_keys(&u, "qqq");
    uilab_draw(&u, 24, 80);
    shows(&u, "Jobs 1 of", true);
    uilab_keys(&u, "<Esc>/ablation<Enter>d");
    uilab_draw(&u, 24, 80);
    shows(&u, "no longer in the queue", true); /* job 77 */
    uilab_keys(&u, "q<Esc>/train-resnet<Enter>d");
    uilab_draw(&u, 24, 80);
    shows(&u, "waits for no other job", true);
    uilab_fini(&u);
}

/* It was preempted, waited again, and runs now; before that it had waited for long. */
static void its_life_is_told(void **unused)
{
    (void)unused;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    struct job *j = lab_get(&u.lab, s.train);
    struct past_run *run = rec_list_push(&job_rare_mut(j)->runs);
    *run = (struct past_run){.state = JOB_PREEMPTED,
                             .kill_cause = KILL_PREEMPT,
                             .preempted_by = 4,
                             .kill_user = xstrdup("chen"),
                             .t_start = {.ms = j->t_submit.ms + 12 * 60000},
                             .t_kill = {.ms = j->t_submit.ms + 52 * 60000},
                             .t_end = {.ms = j->t_submit.ms + 52 * 60000},
                             .t_back = {.ms = j->t_submit.ms + 52 * 60000}};
    j->t_start.ms = j->t_submit.ms + 55 * 60000;
    j->restarts = 1;
    uilab_connect(&u);
    uilab_keys(&u, "/train-resnet<Enter><Enter>");
    uilab_draw(&u, 24, 99);
    shows(&u, "waited 12 min, ran 40 min (preempted by job 4 of chen), waited 3", true);
    shows(&u, "min, running for 17 min", true);
    uilab_golden(&u, "job-life", 24, 80);
    uilab_fini(&u);
}

static void golden(void **state)
{
    static const int sizes[][2] = {{24, 80}, {43, 132}, {50, 200}};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/pretrain<Enter><Enter>");
    watch_training(g, 90);
    uilab_draw(u, 43, 132);
    answer_output(u, training);
    for (size_t i = 0; i < N_OF(sizes); i++)
        uilab_golden_in_all(u, "job-live", sizes[i][0], sizes[i][1]);
    u->canvas.ascii = true;
    uilab_golden(u, "job-live-ascii", 24, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(a_hidden_job_shows_nothing_made_up),
        UI_FIXTURE_CASE(measured_while_it_is_shown),
        UI_FIXTURE_CASE(what_is_not_measured_is_not_shown),
        UI_FIXTURE_CASE(output_is_followed),
        cmocka_unit_test(dependencies_are_walked),
        cmocka_unit_test(its_life_is_told),
        UI_FIXTURE_CASE(golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
