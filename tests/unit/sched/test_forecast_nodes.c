/* test_forecast_nodes.c - on which nodes jobs are forecast to start, for the timeline. There are two nodes
 * of 4 CPUs, and each job takes whole nodes. Times are minutes after the cycle.
 */
#include "src/answers/answer_plan.h"
#include "src/base/xalloc.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"
#include "tests/lib/lab_cycle.h"

#define MIN_MS 60000

static struct lab l;
static struct planner *planner;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    l.spec.window_s = 24 * 3600;
    planner = planner_new();
    lab_node(&l, "n1", 4, 8000, 0, NULL);
    lab_node(&l, "n2", 4, 8000, 0, NULL);
    lab_part(&l, "main", "n[1-2]");
    lab_configure(&l);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    planner_free(planner);
    lab_fini(&l);
    return 0;
}

/* elements 0: not an array. */
static void submit(uint32_t nodes, uint32_t elements, uint32_t minutes)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.nodes_min = j->req.nodes_max = nodes;
    j->req.cpus_per_task = 4;
    j->req.time_limit_s = minutes * 60;
    if (elements)
        *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, elements - 1, 1};
    lab_submit(&l, j);
}

static void plan(struct msg_plan *ret)
{
    struct sched_result r;
    lab_cycle(&l, planner, &r);
    sched_result_fini(&r);
    struct sched_view v = lab_view(&l);
    forecast_begin(planner_forecaster(planner), &v, l.now);
    while (!forecast_step(planner_forecaster(planner), &v, 10000))
        ;
    planner_report(planner, &v, l.now, &(struct plan_filter){.rows_max = 10000}, ret);
}

/* Of a job over several nodes all, of an array those of the elements that start first, and until when the
 * others run: the nodes would seem to be free. */
static void they_are_named(void **state)
{
    (void)state;
    struct msg_plan p;
    struct str s = STR_INIT;
    submit(1, 0, 30); /* 1: n1 */
    submit(1, 0, 40); /* 2: n2 */
    submit(2, 0, 10); /* 3: held */
    submit(2, 0, 20); /* 4 */
    submit(1, 4, 12); /* 5: two elements after that, and two after these */
    submit(1, 0, 60); /* 6 */
    plan(&p);
    for (size_t i = 0; i < p.rows.n; i++) {
        const struct plan_row *r = &p.rows.v[i];
        if (r->kind == PLAN_FORECAST)
            str_appendf(&s, "%s%u at %lld on %s", s.len ? "; " : "", r->job,
                        (long long)((r->start.ms - l.now.ms) / MIN_MS), r->nodes ? r->nodes : "?");
        if (wall_is_set(r->busy_until))
            str_appendf(&s, " (until %lld)", (long long)((r->busy_until.ms - l.now.ms) / MIN_MS));
    }
    check_str("forecasts", s.s, "4 at 50 on n[1-2]; 5 at 70 on n[1-2] (until 94); 6 at 94 on n1");
    str_fini(&s);
    rec_fini(&msg_plan_rec, &p);
}

/* The first ones alone: an answer has a bound. */
static void they_are_few(void **state)
{
    (void)state;
    struct msg_plan p;
    size_t with = 0, without = 0;
    for (int i = 0; i < 700; i++)
        submit(1, 0, 1);
    plan(&p);
    for (size_t i = 0; i < p.rows.n; i++)
        if (p.rows.v[i].kind == PLAN_FORECAST) {
            bool named = p.rows.v[i].nodes != NULL;
            assert_true(!named || !without);
            with += named;
            without += !named;
        }
    assert_int_equal(with, 512);
    assert_true(without > 0);
    rec_fini(&msg_plan_rec, &p);
}

/* A cluster that is planned by classes of nodes: its 300 nodes are busy for 10 minutes, the last two of
 * each ten for 5. Jobs get nodes that are free for them then, each its own. */
static void they_are_found_in_node_classes(void **state)
{
    (void)state;
    enum { NODES = 300, LATE = NODES / 10 * 8 };
    struct msg_plan p;
    uint64_t seen[NODES / 64 + 1] = {0};
    size_t with = 0;
    for (uint32_t i = 3; i <= NODES; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        lab_node(&l, name, 4, 8000, 0, NULL);
        strv_push(&l.spec.parts.v[0].nodes, name);
    }
    lab_configure(&l);
    for (uint32_t i = 0; i < NODES; i++)
        submit(1, 0, i < LATE ? 10 : 5);
    for (uint32_t i = 0; i < 12; i++) /* at 5 */
        submit(5, 0, 100);
    submit(LATE, 0, 20); /* at 10, on all the others */
    submit(1, 0, 30);    /* behind that one */
    plan(&p);
    for (size_t i = 0; i < p.rows.n; i++) {
        const struct plan_row *r = &p.rows.v[i];
        struct strv names = {0};
        struct errtext err = {""};
        if (r->kind != PLAN_FORECAST && r->kind != PLAN_HELD)
            continue;
        assert_non_null(r->nodes);
        int minute = (int)((r->start.ms - l.now.ms) / MIN_MS);
        assert_int_equal(minute, r->job <= NODES + 12 ? 5 : r->job == NODES + 13 ? 10 : 30);
        assert_int_equal(hostlist_expand(r->nodes, &names, &err), 0);
        assert_int_equal(names.n, r->job <= NODES + 12 ? 5 : r->job == NODES + 13 ? LATE : 1);
        for (size_t k = 0; k < names.n && minute < 30; k++) {
            unsigned node = (unsigned)atoi(names.v[k] + 1) - 1;
            assert_true(minute == 5 ? node >= LATE : node < LATE);
            assert_false(seen[node / 64] >> node % 64 & 1);
            seen[node / 64] |= (uint64_t)1 << node % 64;
        }
        with++;
        strv_fini(&names);
    }
    assert_int_equal(with, 14);
    rec_fini(&msg_plan_rec, &p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(they_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(they_are_few, set_up, tear_down),
        cmocka_unit_test_setup_teardown(they_are_found_in_node_classes, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("nodes of forecasts", tests, NULL, NULL);
}
