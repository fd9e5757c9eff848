/* test_own_jobs.c - a screen that shows its user's own jobs has no others, and nothing tells the
 * difference: it looks like one that has everything, also while it gets everything. */
#include "src/base/xalloc.h"
#include "tests/lib/demo_cluster.h"
#include "tests/screen/ui_fixture.h"

static struct demo_cluster ids;

/* A screen that was left with "my jobs". */
static void open_own(struct uilab *u, bool older)
{
    uilab_init(u);
    u->older = older;
    demo_cluster_build(&u->lab, &ids);
    prefs_of(&u->prefs, "jobs")->mine = true;
    uilab_connect(u);
    uilab_draw(u, 43, 132);
}

static size_t n_known(const struct uilab *u)
{
    return u->app->m->jobs.n;
}

static size_t n_own(const struct uilab *u)
{
    size_t n = 0;
    list_for_each (j, &u->lab.m.all, struct job, in_all)
        n += j->uid == u->uid;
    return n;
}

/* Whether the mirror has asked for that, and forgets it. */
static bool asks(struct uilab *u, bool own)
{
    const struct uilab_sent *get = uilab_sent(u, MSG_GET);
    const struct msg_get *m = get ? get->body : NULL;
    return m && m->follow && m->own == own && !(m->what & GET_NODES) == own;
}

static void cancel(struct uilab *u, uint32_t id)
{
    struct ev_kill *kill = xcalloc(1, sizeof *kill);
    *kill = (struct ev_kill){.step = STEP_ALL, .cause = KILL_CANCEL, .uid = u->uid};
    uilab_push(u, EV_KILL, id, kill);
    free(kill);
    uilab_draw(u, 43, 132);
}

static void own_jobs_look_the_same(void **unused)
{
    (void)unused;
    struct uilab all, own;
    open_own(&all, true);
    open_own(&own, false);
    assert_int_equal(n_known(&all), all.lab.m.jobs.n);
    assert_int_equal(n_known(&own), n_own(&own));
    assert_true(n_known(&own) < n_known(&all));
    assert_int_equal(own.app->m->n_nodes, 0);
    check_str("at first", uilab_text(&own), uilab_text(&all));
    cancel(&all, ids.train);
    cancel(&own, ids.train);
    check_str("one is cancelled", uilab_text(&own), uilab_text(&all));
    cancel(&all, ids.big);
    cancel(&own, ids.big);
    check_str("so is one of another user", uilab_text(&own), uilab_text(&all));
    uilab_fini(&all);
    uilab_fini(&own);
}

/* What is shown stays until all jobs are there. */
static void all_jobs_come_when_they_are_shown(void **unused)
{
    (void)unused;
    struct uilab u;
    open_own(&u, false);
    assert_true(asks(&u, true));
    uilab_forget_sent(&u);
    uilab_draw(&u, 43, 132);
    assert_null(uilab_sent(&u, MSG_GET)); /* nothing else is wanted */
    assert_int_equal(uilab_find(&u, " bo "), -1);
    uilab_keys(&u, "m");
    uilab_draw(&u, 43, 132);
    assert_true(asks(&u, false));
    assert_true(uilab_find(&u, "train") > 0);
    assert_int_equal(n_known(&u), n_own(&u));
    uilab_snapshot(&u);
    uilab_draw(&u, 43, 132);
    assert_int_equal(n_known(&u), u.lab.m.jobs.n);
    assert_int_equal(u.app->m->n_nodes, u.lab.m.n_nodes);
    assert_true(uilab_find(&u, " bo ") > 0);
    uilab_fini(&u);
}

static void other_screens_need_everything(void **unused)
{
    (void)unused;
    static const char *const keys[] = {"2", "3", "4", "5", "7", "/x", ":", "s"};
    for (size_t i = 0; i < N_OF(keys); i++) {
        struct uilab u;
        open_own(&u, false);
        uilab_forget_sent(&u);
        uilab_keys(&u, keys[i]);
        uilab_draw(&u, 43, 132);
        if (!asks(&u, false))
            fail_msg("%s: not everything is asked for", keys[i]);
        uilab_snapshot(&u);
        uilab_draw(&u, 43, 132);
        uilab_fini(&u);
    }
}

/* Once it has shown nothing else for a minute. */
static void the_mirror_becomes_small_again(void **unused)
{
    (void)unused;
    struct uilab u;
    open_own(&u, false);
    uilab_keys(&u, "2");
    uilab_draw(&u, 43, 132);
    uilab_snapshot(&u);
    uilab_draw(&u, 43, 132);
    uilab_wait(&u, 100000);
    uilab_draw(&u, 43, 132);
    uilab_forget_sent(&u);
    uilab_keys(&u, "1");
    uilab_draw(&u, 43, 132);
    uilab_wait(&u, 59000);
    uilab_draw(&u, 43, 132);
    assert_null(uilab_sent(&u, MSG_GET));
    assert_in_range(app_next_ms(u.app), 1, 1001);
    uilab_wait(&u, 1001);
    uilab_draw(&u, 43, 132);
    assert_true(asks(&u, true));
    uilab_snapshot(&u);
    uilab_draw(&u, 43, 132);
    assert_int_equal(n_known(&u), n_own(&u));
    assert_int_equal(follow_due(u.app).ns, 0);
    uilab_fini(&u);
}

/* It sends everything: it is not asked again and again. */
static void an_older_controller_sends_all(void **unused)
{
    (void)unused;
    struct uilab u;
    open_own(&u, true);
    assert_int_equal(n_known(&u), u.lab.m.jobs.n);
    uilab_forget_sent(&u);
    for (int i = 0; i < 5; i++) {
        uilab_wait(&u, 61000);
        uilab_draw(&u, 43, 132);
    }
    assert_null(uilab_sent(&u, MSG_GET));
    uilab_fini(&u);
}

/* A job of another user goes on being watched. */
static void what_is_watched_is_kept(void **unused)
{
    (void)unused;
    struct uilab u;
    open_own(&u, false);
    uilab_keys(&u, "m");
    uilab_draw(&u, 43, 132);
    uilab_snapshot(&u);
    struct job_target bo = {.job = ids.big, .array_index = ARRAY_NONE};
    uint32_t owner = model_get_job(&u.lab.m, ids.big)->uid;
    assert_int_not_equal(owner, u.uid);
    ui_watch(u.app, &bo, true);
    uilab_keys(&u, "m");
    uilab_forget_sent(&u);
    uilab_wait(&u, 200000);
    uilab_draw(&u, 43, 132);
    assert_null(uilab_sent(&u, MSG_GET));
    uilab_fini(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_jobs_look_the_same),
        cmocka_unit_test(all_jobs_come_when_they_are_shown),
        cmocka_unit_test(other_screens_need_everything),
        cmocka_unit_test(the_mirror_becomes_small_again),
        cmocka_unit_test(an_older_controller_sends_all),
        cmocka_unit_test(what_is_watched_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
