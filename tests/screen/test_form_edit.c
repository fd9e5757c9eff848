/* test_form_edit.c - the form on the request of a job that is in the queue: what may be changed is there,
 * one request has all changes, and what is refused stands below its field. */
#include "src/base/xalloc.h"
#include "src/jobattr/jobattr.h"
#include "src/values/units.h"
#include "tests/screen/ui_fixture.h"
#include "ui/form/form.h"

static const struct msg_update *sent_update(struct uilab *u)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_UPDATE);
    assert_non_null(s);
    return s->body;
}

static void all_changes_are_one_request(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>e");
    uilab_draw(u, 43, 132);
    must_show(u, "Change job 53 eval");
    must_show(u, "nothing is changed yet");
    must_not_show(u, "at a time"); /* the job is not an array */
    keys_show(u, "<F10>", "nothing is changed yet");
    assert_null(uilab_sent(u, MSG_UPDATE));
    uilab_keys(u, "<C-u>2<Down><C-u>6<Down><Down><Down><C-u>90m<Down><Down><C-u>evaluate");
    uilab_golden(u, "form-edit", 43, 132);
    uilab_golden(u, "form-edit", 24, 80);
    uilab_keys(u, "<F10>");
    const struct msg_update *m = sent_update(u);
    assert_int_equal(m->target.job, 53);
    assert_int_equal(m->changes.n, 4);
    assert_string_equal(m->changes.v[0], "Gpus=2");
    assert_string_equal(m->changes.v[1], "CpusPerTask=6");
    assert_string_equal(m->changes.v[2], "TimeLimit=01:30:00");
    assert_string_equal(m->changes.v[3], "JobName=evaluate");
    keys_show(u, "", "Waiting for the controller");
    uilab_result(u, MSG_UPDATE, REFUSAL_NONE, "", 1);
    keys_show(u, "", "changed: 53 eval");
    must_show(u, "Jobs");
    must_not_show(u, "Change job");
}

/* Answers what the form has asked on the way, letter by letter, with refusals; then that change as the last
 * one with a plan in which the job starts in from_min minutes, or from_min < 0: refused as well. */
static void feed_changed(struct uilab *u, const struct demo_cluster *s, const char *change, int from_min,
                         int to_min)
{
    struct msg_plan p = {.now = u->lab.now, .changed = true};
    struct msg_result refused = {.refusal = REFUSAL_TIME_LIMIT};
    bool wanted = false;
    plan_row(&p, PLAN_HELD, s->eval, "eval", "gpu02", from_min, to_min, u->lab.now);
    for (int k = 0; k < 4 && !wanted; k++) {
        const struct uilab_sent *ask = uilab_sent(u, MSG_PLAN);
        const struct msg_plan_get *get = ask->body;
        assert_int_equal(get->job, s->eval);
        wanted = strv_has(&get->changes, change);
        if (wanted && from_min >= 0)
            uilab_feed(u, MSG_PLAN_DATA, ask->tag, &p);
        else
            uilab_feed(u, MSG_RESULT, ask->tag, &refused);
    }
    assert_true(wanted);
    rec_fini(&msg_plan_rec, &p);
    uilab_draw(u, 43, 132);
}

/* A change is planned by the controller: the job's start moves with the limit, and with all else. */
static void the_planned_start_moves_with_a_change(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>e");
    feed_plan(u, &g->s);
    uilab_keys(u, "<Down><Down><Down><Down><C-u>90m");
    uilab_draw(u, 43, 132);
    must_show(u, "as planned now, it starts 15:24");
    feed_changed(u, &g->s, "TimeLimit=01:30:00", 10, 100);
    must_show(u, "with these changes, it starts 14:29");
    must_show(u, "the plan moves while you type");
    must_show(u, "this job, until 15:59");
    must_not_show(u, "as planned now");
    uilab_keys(u, "<C-u>10m");
    uilab_draw(u, 43, 132);
    feed_changed(u, &g->s, "TimeLimit=00:10:00", 0, 10);
    must_show(u, "with these changes, it starts now");
    uilab_keys(u, "<Up><Up><Up><Up><C-u>4");
    uilab_draw(u, 43, 132);
    feed_changed(u, &g->s, "Gpus=4", 120, 130);
    must_show(u, "2 fields are changed");
    must_show(u, "with these changes, it starts 16:19");
    uilab_keys(u, "<C-u>5");
    uilab_draw(u, 43, 132);
    feed_changed(u, &g->s, "Gpus=5", -1, 0);
    must_not_show(u, "it starts");
    must_not_show(u, "this job");
    uilab_keys(u, "<C-u>2");
    uilab_draw(u, 43, 132);
    feed_changed(u, &g->s, "Gpus=2", 20, 30);
    must_show(u, "with these changes, it starts 14:39");
}

/* A controller that gives the plan as it is: the job's bar grows with the limit that is typed, and what has
 * the job planned again takes the bar away. */
static void the_plan_as_it_is_has_the_new_limit(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>e");
    uilab_draw(u, 43, 132);
    must_not_show(u, "this job");
    feed_plan(u, &g->s);
    uilab_draw(u, 43, 132);
    must_show(u, "as planned now, it starts 15:24");
    must_show(u, "this job, until 19:24"); /* four hours */
    must_not_show(u, "53 eval,");          /* its bar as it was */
    must_not_show(u, "its bar follows");   /* nothing is changed yet */
    keys_show(u, "<Down><Down><Down><Down><C-u>90m", "1 field is changed");
    uilab_golden(u, "form-edit-plan", 43, 132);
    uilab_draw(u, 43, 132);
    must_show(u, "this job, until 16:54");
    feed_plan(u, &g->s);
    uilab_draw(u, 43, 132);
    must_show(u, "as planned now, it starts 15:24");
    must_show(u, "this job, until 16:54");
    uilab_keys(u, "<Up><Up><Up><Up><C-u>4");
    uilab_draw(u, 43, 132);
    must_show(u, "2 fields are changed");
    must_not_show(u, "this job");
    must_not_show(u, "as planned now");
}

/* Also where the cursor is elsewhere: of a list of forms the end is as much needed as the beginning. */
static void an_error_is_seen_whole(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "/eval<Enter>e<Down><Down><Down><Down><C-u>soon<Up>", "\"soon\" is not a time");
    uilab_draw(u, 43, 132);
    must_show(u, "                UNLIMITED"); /* the last one, on the third line */
}

static void a_refused_change_can_be_mended(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>e<Down><Down><Down><Down><C-u>9:00:00<F10>");
    uilab_result(u, MSG_UPDATE, REFUSAL_TIME_LIMIT, "gpu allows 4:00:00", 0);
    uilab_draw(u, 43, 132);
    assert_int_equal(uilab_find(u, "gpu allows 4:00:00"), uilab_find(u, "! time limit") + 1);
    keys_show(u, "<Esc>", "Discard the changes?");
    keys_show(u, "n<C-u>3:00:00", "3:00:00");
    must_not_show(u, "gpu allows 4:00:00");
    uilab_keys(u, "<F10>");
    assert_string_equal(sent_update(u)->changes.v[0], "TimeLimit=3:00:00");
    uilab_result(u, MSG_UPDATE, REFUSAL_NONE, "", 1);
    uilab_forget_sent(u);
    uilab_keys(u, "e<Down><Down><Down><C-u>two<F10>"); /* what cannot be is not sent */
    assert_null(uilab_sent(u, MSG_UPDATE));
    uilab_draw(u, 43, 132);
    assert_int_equal(uilab_find(u, "\"two\""), uilab_find(u, "! nodes") + 1);
}

static void what_is_settled_is_not_there(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/train<Enter>e");
    uilab_draw(u, 43, 132);
    must_show(u, "it runs");
    must_show(u, "time limit");
    must_not_show(u, "GPUs       ");
    must_not_show(u, "partition  ");
    uilab_keys(u, "<Esc>/<C-u>sweep<Enter>e");
    uilab_draw(u, 43, 132);
    must_show(u, "at a time");
    for (size_t i = 0; i < form_n_edit_fields; i++) { /* each of them can be sent */
        const struct job_attr *a = job_attr_get(form_edit_fields[i].id);
        if (!a || !a->update)
            fail_msg("%s cannot be changed", form_edit_fields[i].key);
    }
}

/* What the table of attributes lets `scontrol update` change is in the form. */
static void every_attribute_that_may_change_is_there(void **unused)
{
    (void)unused;
    job_attr_for_each (a) {
        bool there = !a->update;
        for (size_t i = 0; i < form_n_edit_fields && !there; i++)
            there = form_edit_fields[i].id == (int)a->id;
        if (!there)
            fail_msg("%s may be changed and is not in the form", a->update);
    }
}

/* Its partition gave it a time limit until it was removed from the configuration. */
static void a_job_whose_partition_is_gone_can_be_moved(void **state)
{
    (void)state;
    struct ui_fixture fixture, *g = &fixture;
    struct uilab *u = &g->u;
    uilab_init(u);
    demo_cluster_build(&u->lab, &g->s);
    struct job *j = lab_get(&u->lab, g->s.eval);
    j->req.time_limit_s = DURATION_NOT_SET;
    xstrset(&j->req.partition, "gone");
    xstrset(&j->partition, "gone");
    uilab_connect(u);
    uilab_keys(u, ":columns job limit<Enter>");
    uilab_draw(u, 43, 132);
    must_not_show(u, "NOT_SET");
    uilab_keys(u, ":columns<Enter>/eval<Enter>e");
    uilab_draw(u, 43, 132);
    must_show(u, "Change job 53 eval");
    must_not_show(u, "NOT_SET");
    must_show(u, "there is no partition gone");
    uilab_keys(u, "<Down><Down><Down><Down><Down><C-u>gpu<F10>");
    const struct msg_update *m = sent_update(u);
    assert_int_equal(m->changes.n, 1);
    assert_string_equal(m->changes.v[0], "Partition=gpu");
    uilab_fini(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(all_changes_are_one_request),
        UI_FIXTURE_CASE(the_planned_start_moves_with_a_change),
        UI_FIXTURE_CASE(the_plan_as_it_is_has_the_new_limit),
        UI_FIXTURE_CASE(an_error_is_seen_whole),
        UI_FIXTURE_CASE(a_refused_change_can_be_mended),
        UI_FIXTURE_CASE(what_is_settled_is_not_there),
        cmocka_unit_test(a_job_whose_partition_is_gone_can_be_moved),
        cmocka_unit_test(every_attribute_that_may_change_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
