/* test_exclusive_user.c - `--exclusive=user` and `exclusive_user` of a partition: nodes are shared with
 * jobs of the same user only.
 */
#include <string.h>

#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/sched_fixture.h"

enum user { ANN = 1001, BOB = 1002 };

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    lab_node(&l, "n1", 8, 16000, 2, NULL);
    lab_node(&l, "n2", 8, 16000, 2, NULL);
    lab_part(&l, "main", "n[1-2]")->default_time_s = 600;
    lab_part(&l, "own", "n[1-2]")->exclusive_user = true;
    l.spec.window_s = 86400;
    lab_configure(&l);
    return 0;
}

struct ask {
    enum user user;
    bool alone;
    const char *partition, *nodelist;
    uint32_t cpus, nodes, minutes, min_minutes;
};

static struct job *job_of(const struct ask *a)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->uid = a->user;
    j->user[0] = a->user == ANN ? 'a' : 'b';
    j->req.partition = a->partition ? xstrdup(a->partition) : NULL;
    j->req.cpus_per_task = a->cpus ? a->cpus : 1;
    j->req.time_limit_s = a->minutes ? a->minutes * 60 : 600;
    if (a->nodes)
        j->req.nodes_min = j->req.nodes_max = a->nodes;
    if (a->min_minutes)
        req_detail_mut(&j->req)->time_min_s = a->min_minutes * 60;
    req_detail_mut(&j->req)->exclusive_user = a->alone;
    if (a->nodelist)
        req_rare_mut(&j->req)->nodelist = xstrdup(a->nodelist);
    return j;
}

static uint32_t submit(struct ask a)
{
    uint32_t id = lab_submit(&l, job_of(&a));
    planner_note_job(planner, id);
    return id;
}

static const char *node_of(uint32_t id)
{
    const struct job *j = lab_get(&l, id);
    return j->alloc.n ? j->alloc.v[0].node : "none";
}

static void end(uint32_t id)
{
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    planner_note_job(planner, id);
}

/* What Slurm gives: the first job runs on n1, then the second one asks. */
static void test_who_shares_with_whom(void **state)
{
    static const struct {
        const char *name;
        struct ask first, second;
        const char *want; /* the node of the second one */
    } rows[] = {
        {"jobs of one user", {.user = ANN, .alone = true}, {.user = ANN, .alone = true}, "n1"},
        {"an ordinary job of the same user", {.user = ANN, .alone = true}, {.user = ANN}, "n1"},
        {"beside an ordinary job of the same user", {.user = ANN}, {.user = ANN, .alone = true}, "n1"},
        {"a job of another user", {.user = ANN, .alone = true}, {.user = BOB}, "n2"},
        {"beside a job of another user", {.user = ANN}, {.user = BOB, .alone = true}, "n2"},
        {"two users", {.user = ANN, .alone = true}, {.user = BOB, .alone = true}, "n2"},
        {"ordinary jobs", {.user = ANN}, {.user = BOB}, "n1"},
        {"no other node", {.user = ANN, .alone = true}, {.user = BOB, .nodelist = "n1"}, "none"},
        {"whatever is free", {.user = ANN, .alone = true, .cpus = 8}, {.user = ANN, .alone = true}, "n2"},
        {"all nodes", {.user = ANN, .alone = true, .nodes = 2}, {.user = BOB}, "none"},
        {"of a partition", {.user = ANN, .partition = "own"}, {.user = BOB}, "n2"},
        {"in the partition", {.user = ANN}, {.user = BOB, .partition = "own"}, "n2"},
        {"in the partition, the same user", {.user = ANN}, {.user = ANN, .partition = "own"}, "n1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t first = submit(rows[i].first);
        cycle_resume();
        check_str(rows[i].name, node_of(first), "n1");
        uint32_t second = submit(rows[i].second);
        cycle_resume();
        check_str(rows[i].name, node_of(second), rows[i].want);
        end(first);
        cycle_resume();
        check_int(rows[i].name, lab_get(&l, second)->alloc.n, 1);
        end(second);
    }
}

/* Jobs of several users that ask for the same are told apart once there is a job that keeps its nodes. */
static void test_the_same_request_of_two_users(void **state)
{
    (void)state;
    submit((struct ask){.user = ANN, .alone = true, .nodes = 2});
    cycle_resume();
    uint32_t bob = submit((struct ask){.user = BOB, .cpus = 2}),
             ann = submit((struct ask){.user = ANN, .cpus = 2});
    cycle_resume();
    assert_string_equal(node_of(bob), "none");
    assert_string_equal(node_of(ann), "n1");
}

/* The planned start of such a job keeps jobs of other users away, as far as they would not have ended. */
static void test_planned_starts(void **state)
{
    (void)state;
    submit((struct ask){.user = BOB, .nodelist = "n1", .minutes = 20});
    submit((struct ask){.user = BOB, .nodelist = "n2", .minutes = 20});
    cycle_resume();
    submit((struct ask){.user = ANN, .alone = true, .nodes = 2});
    cycle_resume();
    uint32_t late = submit((struct ask){.user = BOB, .minutes = 30}),
             early = submit((struct ask){.user = BOB, .minutes = 10}),
             cut = submit((struct ask){.user = BOB, .minutes = 30, .min_minutes = 5});
    cycle_resume();
    assert_string_equal(node_of(late), "none");
    assert_string_equal(node_of(early), "n1");
    assert_string_equal(node_of(cut), "n1");
    assert_in_range(lab_get(&l, cut)->time_limit_s, 5 * 60, 20 * 60);
}

static void forecast_is(uint32_t id, int64_t minutes)
{
    struct sched_view v = lab_view(&l);
    forecast_begin(planner_forecaster(planner), &v, l.now);
    while (!forecast_step(planner_forecaster(planner), &v, 1000))
        continue;
    struct forecast f = forecast_of(planner_forecaster(planner), id);
    assert_int_equal((f.start.ms - l.now.ms + 30000) / 60000, minutes);
}

/* n1 is bob's until 20, n2 has a job of ann until 40, and then ann has both until 50. */
static void test_forecasts(void **state)
{
    (void)state;
    submit((struct ask){.user = BOB, .alone = true, .nodelist = "n1", .minutes = 20});
    submit((struct ask){.user = ANN, .nodelist = "n2", .minutes = 40});
    cycle_resume();
    submit((struct ask){.user = ANN, .nodes = 2, .cpus = 8});
    uint32_t between = submit((struct ask){.user = ANN, .nodelist = "n1", .minutes = 15}),
             ann = submit((struct ask){.user = ANN, .alone = true, .nodelist = "n1", .minutes = 60}),
             bob = submit((struct ask){.user = BOB, .alone = true, .nodelist = "n2", .minutes = 15});
    cycle_resume();
    forecast_is(between, 20);
    forecast_is(ann, 50);
    forecast_is(bob, 50);
}

/* A queue that is read again knows as much. */
static void test_a_rebuild(void **state)
{
    (void)state;
    submit((struct ask){.user = ANN, .alone = true, .nodelist = "n1"});
    cycle_full();
    submit((struct ask){.user = BOB, .nodelist = "n1"});
    uint32_t ann = submit((struct ask){.user = ANN, .nodelist = "n1"});
    cycle_full();
    assert_string_equal(node_of(ann), "n1");
    assert_int_equal(lab_get(&l, ann - 1)->alloc.n, 0);
}

static struct plan_slot slot_of(uint32_t id)
{
    const struct pending_entry *u = idmap_get(&planner_queue(planner)->entries.by_job, id);
    return u->slot;
}

/* The first job with --exclusive=user makes the planner read its queue again. A promise stays. */
static void test_the_first_one_moves_no_promise(void **state)
{
    (void)state;
    l.spec.parts.v[1].exclusive_user = false;
    lab_configure(&l);
    submit((struct ask){.user = ANN, .cpus = 8, .nodelist = "n1"});
    submit((struct ask){.user = ANN, .cpus = 2, .nodelist = "n2"});
    cycle_resume();
    uint32_t both = submit((struct ask){.user = ANN, .cpus = 8, .nodes = 2});
    cycle_resume();
    struct plan_slot was = slot_of(both);
    check_int("promised", was.promised > 0, true);
    l.now = wall_add_s(l.now, 60);
    submit((struct ask){.user = BOB, .alone = true, .cpus = 9});
    cycle_resume();
    check_int("the same promise", (int64_t)slot_of(both).promised, (int64_t)was.promised);
    check_int("the same start", slot_of(both).use.start, was.use.start);
}

/* `sbatch --test-only --exclusive=user` before any such job. */
static void test_a_trial_of_the_first_one(void **state)
{
    (void)state;
    struct trial t;
    l.spec.parts.v[1].exclusive_user = false;
    lab_configure(&l);
    uint32_t first = submit((struct ask){.user = ANN, .nodelist = "n1", .minutes = 20});
    submit((struct ask){.user = ANN, .nodelist = "n2", .minutes = 30});
    cycle_resume();
    struct sched_view v = lab_view(&l);
    struct job *j = job_of(&(struct ask){.user = BOB, .alone = true});
    planner_prepare(planner, &v, l.now, UINT32_MAX); /* as the controller reads it */
    planner_try(planner, &v, j, l.now, &t);
    check_int("another user's jobs are on all nodes", t.now, false);
    check_int("it waits for the first of them", t.forecast.start.ms,
              lab_get(&l, first)->t_start.ms + 20 * 60 * MS_PER_S);
    check_str("and where", t.partition, "main");
    trial_fini(&t);
    j->uid = ANN;
    planner_try(planner, &v, j, l.now, &t);
    check_int("their own user", t.now, true);
    trial_fini(&t);
    job_free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_who_shares_with_whom, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_the_same_request_of_two_users, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_planned_starts, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_forecasts, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_the_first_one_moves_no_promise, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_a_trial_of_the_first_one, set_up, sched_fixture_end),
        cmocka_unit_test_setup_teardown(test_a_rebuild, set_up, sched_fixture_end),
    };
    return cmocka_run_group_tests_name("nodes of one user", tests, NULL, NULL);
}
