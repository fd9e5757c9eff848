/* test_rows.c - what the rows of the lists say and offer: the order of what has ended, times of arrays,
 * keys that have no effect, causes in the same words everywhere. */
#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/screen/ui_fixture.h"
#include "ui/dialogs/job_dialogs.h"

static struct job *take(struct uilab *u, uint32_t id, const char *name, int64_t ended_s)
{
    struct job *j = lab_job(&u->lab, JOB_KIND_BATCH);
    j->id = id;
    j->req.name = xstrdup(name);
    j->state = JOB_COMPLETED;
    j->t_submit = wall_add_s(u->lab.now, -1000);
    j->t_start = wall_add_s(u->lab.now, -900);
    j->t_end = wall_add_s(u->lab.now, -ended_s);
    model_take_job(&u->lab.m, j);
    return j;
}

/* A copy of a job, to be changed and given to the model. */
static struct job *copy_of(struct ui_fixture *g, uint32_t id)
{
    struct job *j = job_new();
    rec_fini(&job_rec, j);
    rec_copy(&job_rec, j, model_get_job(g->u.app->m, id));
    return j;
}

static void must_be_above(struct uilab *u, const char *first, const char *second)
{
    int a = uilab_find(u, first), b = uilab_find(u, second);
    if (a < 0 || b < 0 || a >= b)
        fail_msg("\"%s\" does not stand above \"%s\":\n%s", first, second, uilab_text(u));
}

/* A snapshot has them in the order of their numbers. */
static void the_latest_end_comes_first(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    take(&u, 5, "first-in", 20);
    take(&u, 6, "last-out", 10);
    take(&u, 7, "long-ago", 300);
    uilab_connect(&u);
    uilab_draw(&u, 24, 80);
    must_be_above(&u, "last-out", "first-in");
    must_be_above(&u, "first-in", "long-ago");
    uilab_fini(&u);
}

static void take_element(struct uilab *u, uint32_t id, uint32_t index, int64_t ended_s)
{
    struct job *j = take(u, id, "swept", ended_s);
    j->array_job = 5;
    j->array_index = index;
    job_origin_mut(j)->array_count = 2;
    job_origin_mut(j)->array_max = 1;
    job_origin_mut(j)->array_step = 1;
}

/* Its elements ran for 10 and 14 minutes: neither is the time of the array, and there is nothing to
 * release, to hold or to watch. */
static void an_ended_array_has_no_time_of_one_element(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    take_element(&u, 5, 0, 300);
    take_element(&u, 6, 1, 60);
    take(&u, 7, "between", 200);
    uilab_connect(&u);
    uilab_draw(&u, 24, 132);
    must_be_above(&u, "swept", "between"); /* its last element counts */
    must_show(&u, "11:40");                /* of the job */
    must_not_show(&u, "10:00");
    must_not_show(&u, "14:00");
    uilab_keys(&u, "/swept<Enter>");
    uilab_draw(&u, 24, 132);
    must_not_show(&u, "U release");
    uilab_keys(&u, "x");
    uilab_draw(&u, 43, 132);
    must_show(&u, "submit again: opens");
    must_not_show(&u, "release a held job");
    must_not_show(&u, "watch the job");
    must_not_show(&u, "cancel (asks first)");
    uilab_fini(&u);
}

/* Only of a node that is drained. */
static void what_takes_jobs_is_not_resumed(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "2/cpu01<Enter>");
    uilab_draw(&g->u, 24, 100);
    must_not_show(&g->u, "R resume");
    must_show(&g->u, "d drain");
    struct ev_drain drain = {.node = xstrdup("cpu01"), .drain = true, .reason = xstrdup("fan")};
    uilab_push(&g->u, EV_DRAIN, 0, &drain);
    uilab_draw(&g->u, 24, 100);
    must_show(&g->u, "R resume");
    rec_fini(&ev_drain_rec, &drain);
}

/* A node that takes no more jobs is out, though it still has some. */
static void a_draining_node_is_out(void **state)
{
    struct ui_fixture *g = *state;
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "5/10 3 out");
    struct ev_drain drain = {.node = xstrdup("gpu01"), .drain = true, .reason = xstrdup("fan")};
    uilab_push(&g->u, EV_DRAIN, 0, &drain);
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "5/10 4 out");
    rec_fini(&ev_drain_rec, &drain);
}

/* The shares say of a waiting job what the list says. */
static void one_job_waits_for_one_cause(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/finetune<Enter>");
    uilab_draw(&g->u, 24, 80);
    feed_cause(g);
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "3 jobs ahead");
    uilab_keys(&g->u, "7/bo<Enter>");
    uilab_draw(&g->u, 43, 132);
    must_show(&g->u, "finetune-7b  3 jobs ahead");
}

/* Until there are steps, their room is for the causes. */
static void causes_have_the_room_of_the_steps(void **state)
{
    struct ui_fixture *g = *state;
    struct msg_why w = {.job = g->s.big};
    struct cause cause = {
        .cls = WHY_BEHIND, .code = CAUSE_AHEAD, .n = 3, .gpus = 6, .part = xstrdup("gpu")};
    rec_copy(&cause_rec, rec_list_push(&w.causes), &cause);
    uilab_keys(&g->u, "/finetune<Enter><Enter>");
    uilab_feed(&g->u, MSG_WHY_CAUSES, uilab_sent(&g->u, MSG_WHY)->tag, &w);
    uilab_draw(&g->u, 43, 132);
    must_show(&g->u, " Why it waits  ");
    must_show(&g->u, " - 3 jobs (6 GPUs) are ahead in gpu");
    must_not_show(&g->u, "No task has started");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "No task has started");
    rec_fini(&msg_why_rec, &w);
    rec_fini(&cause_rec, &cause);
}

/* The foot of the form names what is wrong, wherever its field is. */
static void a_refusal_is_named(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "s");
    uilab_keys(&g->u, "true<Down><Down><Down><Down>9000G");
    uilab_draw(&g->u, 43, 132);
    must_show(&g->u, "! would be refused: 9000G requested");
}

/* A job on a node that does not answer says so; nothing is said of the others. */
static void a_silent_node_is_named_at_its_job(void **state)
{
    struct ui_fixture *g = *state;
    struct node *n = model_get_node(g->u.app->m, "gpu03");
    uilab_draw(&g->u, 24, 132);
    must_not_show(&g->u, "does not answer");
    n->state = NODE_SUSPECT;
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "gpu03  does not answer");
    uilab_keys(&g->u, "/train-resnet<Enter><Enter>");
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "gpu03 does not answer");
    uilab_keys(&g->u, "qc");
    uilab_draw(&g->u, 30, 132);
    must_show(&g->u, "gpu03 does not answer: what runs there ends when the node is back.");
    n->state = NODE_UP;
    uilab_keys(&g->u, "nc");
    uilab_draw(&g->u, 30, 132);
    must_show(&g->u, "n keep");
    must_not_show(&g->u, "does not answer");
}

/* "on  completing: cancelled by ann on gpu03" */
static void why_of_an_ending_job_names_its_node_alone(void **state)
{
    struct ui_fixture *g = *state;
    struct job *j = copy_of(g, g->s.train);
    j->state = JOB_COMPLETING;
    j->kill_cause = KILL_CANCEL;
    model_take_job(g->u.app->m, j);
    struct node *n = model_get_node(g->u.app->m, "gpu03");
    n->state = NODE_LOST;
    changes_everything(g->u.app);
    uilab_keys(&g->u, "/train-resnet<Enter>w");
    uilab_draw(&g->u, 30, 132);
    must_show(&g->u, "on      gpu03  8 CPUs 64G GPU 0-3  does not answer");
}

/* "cancelled after 0:00" */
static void what_never_started_ran_for_no_time(void **state)
{
    struct ui_fixture *g = *state;
    struct job *j = copy_of(g, g->s.big);
    j->state = JOB_CANCELLED;
    j->t_end = g->u.app->now;
    model_take_job(g->u.app->m, j);
    changes_everything(g->u.app);
    uilab_keys(&g->u, "/finetune<Enter>");
    uilab_draw(&g->u, 43, 132);
    must_show(&g->u, "cancelled before it started");
    must_not_show(&g->u, " after 0:00");
}

/* A node that is lost and not drained has no reason to ask about. */
static void a_resume_without_a_reason_asks_for_none(void **state)
{
    struct ui_fixture *g = *state;
    struct node *n = model_get_node(g->u.app->m, "cpu01");
    n->state = NODE_LOST;
    const struct node *one = n;
    act_on_nodes(g->u.app, false, &one, 1, NULL);
    uilab_draw(&g->u, 30, 100);
    must_show(&g->u, "New jobs start as soon as it answers again.");
    must_not_show(&g->u, "Is the reason above");
}

/* Nothing is cut while cells before it are empty. */
static void a_long_cause_takes_the_empty_cells_before_it(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/state:wait|held<Enter>");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "needs 8 GPUs, 16 CPUs, 64G");
    uilab_keys(&g->u, "<Esc>");
}

/* A sentence that is too long for its cells leaves out where the limit holds; with room it is whole. */
static void a_long_limit_has_a_shorter_form(void **state)
{
    struct ui_fixture *g = *state;
    const struct job *j = lab_get(&g->u.lab, g->s.big);
    struct cause cause = {.cls = WHY_USER_LIMIT,
                          .code = CAUSE_LIMIT,
                          .scope = LIMIT_USER,
                          .what = LIMIT_OF_GPUS,
                          .used = 16,
                          .most = 16,
                          .asked = 8,
                          .name = xstrdup(j->user),
                          .part = xstrdup("production"),
                          .start = wall_add_s(g->u.app->now, 3600)};
    uilab_keys(&g->u, "/finetune<Enter>");
    uilab_draw(&g->u, 24, 80);
    feed_this_cause(g, &cause);
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "all 16 of bo's GPUs are in use");
    uilab_draw(&g->u, 24, 160);
    must_show(&g->u, "all 16 of bo's GPUs in production are in use");
    rec_fini(&cause_rec, &cause);
}

/* "completing: cancelled by ann on gpu03  does not ans" */
static void an_ending_job_on_a_silent_node_is_not_cut(void **state)
{
    struct ui_fixture *g = *state;
    struct job *j = copy_of(g, g->s.train);
    j->state = JOB_COMPLETING;
    j->kill_cause = KILL_CANCEL;
    job_rare_mut(j)->kill_uid = j->uid;
    model_take_job(g->u.app->m, j);
    model_get_node(g->u.app->m, "gpu03")->state = NODE_LOST;
    changes_everything(g->u.app);
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "gpu03 does not answer");
    must_not_show(&g->u, "completing");
    uilab_draw(&g->u, 24, 160);
    must_show(&g->u, "gpu03 does not answer  completing: cancelled by bo");
}

/* What is being ended has no time left. */
static void an_end_that_has_come_is_no_forecast(void **state)
{
    struct ui_fixture *g = *state;
    struct job *j = copy_of(g, g->s.train);
    uilab_keys(&g->u, "/train-resnet<Enter><Enter>");
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, " left, ends by ");
    j->state = JOB_COMPLETING;
    model_take_job(g->u.app->m, j);
    changes_everything(g->u.app);
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "Ending on gpu03");
    must_not_show(&g->u, " left");
}

/* A job that runs over its limit, on a node that is away: "INVALID" is squeue's word for what is left. */
static void over_the_limit_nothing_is_left(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/train-resnet<Enter>:columns job name left where<Enter>");
    uilab_draw(&g->u, 50, 200);
    must_show(&g->u, " left");
    g->u.app->now = wall_add_s(g->u.app->now, 30 * 86400);
    changes_everything(g->u.app);
    uilab_draw(&g->u, 50, 200);
    must_not_show(&g->u, "INVALID");
    must_not_show(&g->u, " left");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, ui_fixture_up, ui_fixture_down)

static void welcomes(struct uilab *u, const char *read_only)
{
    const struct uilab_sent *hello = uilab_sent(u, MSG_HELLO);
    assert_non_null(hello);
    struct msg_welcome w = {.version = PROTO_VERSION,
                            .name = xstrdup("lab"),
                            .read_only = read_only ? xstrdup(read_only) : NULL,
                            .uid = u->uid};
    uilab_feed(u, MSG_WELCOME, hello->tag, &w);
    rec_fini(&msg_welcome_rec, &w);
    uilab_forget_sent(u);
}

/* A screen that was opened before says that nothing is accepted, and one that was opened meanwhile does not
 * say so for ever: it refused every action until it was closed. */
static void a_full_disk_comes_and_goes(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_forget_sent(u);
    uilab_feed(u, MSG_RESYNC, 0, NULL);
    assert_true(uilab_snapshot(u));
    welcomes(u, "the state cannot be written (disk is full)");
    uilab_draw(u, 24, 80);
    must_show(u, "read-only");
    uilab_keys(u, "/eval<Enter>H");
    uilab_draw(u, 24, 80);
    must_show(u, "the state cannot be written (disk is full)");
    assert_null(uilab_sent(u, MSG_ACT));
    struct ev_hold held = {.hold = HOLD_ADMIN}, none = {0};
    uilab_push(u, EV_HOLD, g->s.big, &held); /* something could be stored */
    welcomes(u, NULL);
    uilab_draw(u, 24, 80);
    must_not_show(u, "read-only");
    uilab_push(u, EV_HOLD, g->s.big, &none);
    assert_null(uilab_sent(u, MSG_HELLO)); /* nothing is asked where all is well */
    uilab_keys(u, "Hy");
    assert_non_null(uilab_sent(u, MSG_ACT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_latest_end_comes_first),
        cmocka_unit_test(an_ended_array_has_no_time_of_one_element),
        CASE(what_takes_jobs_is_not_resumed),
        CASE(a_draining_node_is_out),
        CASE(one_job_waits_for_one_cause),
        CASE(causes_have_the_room_of_the_steps),
        CASE(a_refusal_is_named),
        CASE(a_silent_node_is_named_at_its_job),
        CASE(why_of_an_ending_job_names_its_node_alone),
        CASE(what_never_started_ran_for_no_time),
        CASE(a_resume_without_a_reason_asks_for_none),
        CASE(a_long_cause_takes_the_empty_cells_before_it),
        CASE(a_long_limit_has_a_shorter_form),
        CASE(an_ending_job_on_a_silent_node_is_not_cut),
        CASE(an_end_that_has_come_is_no_forecast),
        CASE(over_the_limit_nothing_is_left),
        CASE(a_full_disk_comes_and_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
