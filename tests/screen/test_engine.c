/* test_engine.c - another engine behind the screens: what it lacks is not offered, and its rows have an
 * age. */
#include "tests/screen/ui_fixture.h"

#define ALL_LACKS ((UINT64_C(1) << LACK_N) - 1)

static void over_slurm(struct uilab *u)
{
    static struct demo_cluster s;
    uilab_init(u);
    demo_cluster_build(&u->lab, &s);
    u->engine = "Slurm";
    u->lacks = ALL_LACKS;
    uilab_connect(u);
    uilab_draw(u, 24, 80);
}

static void feed_age(struct uilab *u, int64_t age_s, const char *trouble)
{
    struct msg_engine m = {.read_at = {u->lab.now.ms - age_s * 1000},
                           .pause_ms = 10000,
                           .trouble = trouble ? xstrdup(trouble) : NULL};
    uilab_feed(u, MSG_ENGINE_DATA, 0, &m);
    rec_fini(&msg_engine_rec, &m);
    uilab_draw(u, 24, 132);
}

/* Of each lack what is hidden by it, at 132 columns. */
static void hides_what_it_lacks(void **state)
{
    (void)state;
    struct uilab u;
    over_slurm(&u);
    uilab_draw(&u, 24, 132);
    must_show(&u, "2 Nodes");
    must_not_show(&u, "4 Timeline");
    must_not_show(&u, "6 History");
    must_not_show(&u, "7 Usage");
    must_not_show(&u, "s submit");
    must_not_show(&u, "live");
    uilab_golden(&u, "engine-jobs", 24, 132);
    uilab_fini(&u);
}

static void keys_say_why_not(void **state)
{
    static const char *const keys[] = {"4", "6", "7", "s", "S"};
    (void)state;
    struct uilab u;
    over_slurm(&u);
    for (size_t i = 0; i < N_OF(keys); i++)
        keys_show(&u, keys[i], "not built for Slurm yet");
    uilab_keys(&u, "2");
    keys_show(&u, "d", "from its administrators alone");
    assert_null(uilab_sent(&u, MSG_DRAIN));
    uilab_fini(&u);
}

static void history_that_is_loading_is_not_empty(void **state)
{
    (void)state;
    struct uilab u;
    struct msg_history_end end = {.n = 0};
    uilab_init(&u);
    u.engine = "Slurm";
    uilab_connect(&u);
    uilab_keys(&u, "6");
    uilab_draw(&u, 24, 80);
    must_show(&u, "loading ...");
    must_not_show(&u, "No job has ended yet.");
    uilab_feed(&u, MSG_HISTORY_END, uilab_sent(&u, MSG_HISTORY)->tag, &end);
    uilab_draw(&u, 24, 80);
    must_show(&u, "No job has ended yet.");
    uilab_fini(&u);
}

/* A list of all jobs of a large cluster is not read unasked. */
static void starts_with_own_jobs(void **state)
{
    (void)state;
    struct uilab u;
    over_slurm(&u);
    must_show(&u, "My jobs");
    const struct msg_get *get = uilab_sent(&u, MSG_GET)->body;
    assert_true(get->own);
    uilab_keys(&u, "m");
    get = uilab_sent(&u, MSG_GET)->body;
    assert_false(get->own);
    uilab_fini(&u);
}

static void tells_the_age(void **state)
{
    (void)state;
    struct uilab u;
    over_slurm(&u);
    feed_age(&u, 8, NULL);
    must_show(&u, "Slurm, 8 s ago");
    must_not_show(&u, "! Slurm");
    feed_age(&u, 31, NULL);
    must_show(&u, "! Slurm, 31 s ago");
    feed_age(&u, 5, "Unable to contact slurm controller (connect failure)");
    must_show(&u, "! Slurm, 5 s ago");
    must_show(&u, "Unable to contact slurm controller");
    uilab_fini(&u);
}

static void an_empty_queue_is_the_users(void **state)
{
    (void)state;
    struct uilab u;
    uilab_init(&u);
    lab_node(&u.lab, "n1", 8, 16384, 0, NULL);
    lab_part(&u.lab, "main", "n1");
    lab_configure(&u.lab);
    u.engine = "Slurm";
    u.lacks = ALL_LACKS;
    uilab_connect(&u);
    uilab_draw(&u, 24, 80);
    must_show(&u, "You have no jobs in the queue of Slurm.");
    must_not_show(&u, "samples");
    uilab_golden(&u, "engine-welcome", 24, 80);
    uilab_fini(&u);
}

static void shows_at(struct uilab *u, const char *text, bool want)
{
    uilab_draw(u, 70, 132);
    if (want)
        must_show(u, text);
    else
        must_not_show(u, text);
}

/* Neither the form nor the menu for marked jobs offers what Slurm has no word for. */
static void see_stokers_own(struct uilab *u, bool want)
{
    uilab_keys(u, "s<C-o>");
    shows_at(u, "no requeue", true);
    shows_at(u, "lost node", want);
    shows_at(u, "at timeout", want);
    uilab_keys(u, "<Esc><Esc>*e");
    shows_at(u, "not before", true);
    shows_at(u, "if a node is lost", want);
    uilab_keys(u, "<Esc>");
}

static void stokers_own_is_not_offered(void **state)
{
    (void)state;
    struct uilab u;
    static struct demo_cluster s;
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    u.engine = "Slurm";
    uilab_connect(&u);
    see_stokers_own(&u, false);
    uilab_fini(&u);
}

/* Over rows of the user's own jobs the nodes come when they are asked for: the form must not say until then
 * that a partition has none. */
static void nothing_is_judged_before_nodes_have_come(void **state)
{
    (void)state;
    struct uilab u;
    uilab_init(&u);
    lab_part(&u.lab, "main", "n[1-2]");
    lab_configure(&u.lab);
    u.engine = "Slurm";
    uilab_connect(&u);
    uilab_keys(&u, "s<Down><Down><Down>2");
    shows_at(&u, "CPUs         2", true);
    shows_at(&u, "requested", false);
    uilab_fini(&u);
}

/* Stoker's own controller lacks nothing. */
static void nothing_is_hidden_otherwise(void **state)
{
    struct ui_fixture *g = *state;
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "4 Timeline");
    must_show(&g->u, "live");
    see_stokers_own(&g->u, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hides_what_it_lacks),
        cmocka_unit_test(keys_say_why_not),
        cmocka_unit_test(history_that_is_loading_is_not_empty),
        cmocka_unit_test(starts_with_own_jobs),
        cmocka_unit_test(tells_the_age),
        cmocka_unit_test(an_empty_queue_is_the_users),
        UI_FIXTURE_CASE(nothing_is_hidden_otherwise),
        cmocka_unit_test(stokers_own_is_not_offered),
        cmocka_unit_test(nothing_is_judged_before_nodes_have_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
