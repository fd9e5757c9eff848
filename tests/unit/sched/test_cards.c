/* test_cards.c - GPUs that must not be given: lost, or used by a process without an allocation. One node of
 * 8 CPUs and 4 GPUs, and one without any. */
#include "src/base/xalloc.h"
#include "tests/lib/lab_cycle.h"
#include "tests/unit/sched/said.h"

static struct lab l;
static struct planner *planner;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "g1", 8, 16000, 4, "a100");
    lab_node(&l, "c1", 8, 16000, 0, NULL);
    lab_part(&l, "main", "g1,c1");
    lab_configure(&l);
    planner = planner_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    planner_free(planner);
    lab_fini(&l);
    return 0;
}

/* What the agent says: these are out, and why. */
static void out(unsigned first, unsigned n)
{
    struct ev_node b = {.node = xstrdup("g1"),
                        .state = NODE_UP,
                        .boot_id = xstrdup("b"),
                        .cpus = 8,
                        .gpus = 4,
                        .mem_mib = 16000};
    cpuset_add_range(&b.gpus_out, first, n);
    if (n)
        strv_push(&b.gpu_notes, "GPU 1: used by process 7 of bob (python), not of the queue");
    lab_must(&l, EV_NODE, 0, &b);
    planner_note_nodes(planner);
}

static uint32_t submit(uint32_t gpus)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("main");
    j->req.gpus = gpus;
    j->req.time_limit_s = 600;
    uint32_t id = lab_submit(&l, j);
    planner_note_job(planner, id);
    return id;
}

static void end(uint32_t id)
{
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    planner_note_job(planner, id);
}

/* Both ways come to the same: from what the planner knows, and from nothing. */
static bool update;

static void run_cycle(void)
{
    struct sched_result r = {0};
    sched_result_init(&r);
    if (update)
        lab_cycle(&l, planner, &r);
    else
        lab_cycle_resume(&l, planner, &r);
    sched_result_fini(&r);
}

static void holds(uint32_t id, const char *want)
{
    const struct job *j = lab_get(&l, id);
    char *got = j->alloc.n ? cpuset_format(&j->alloc.v[0].gpus) : xstrdup("-");
    check_str(want, got, want);
    free(got);
}

static void must_say(uint32_t id, enum why_class cls, const char *text)
{
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    assert_true(w.causes.n > 0);
    check_int(text, w.causes.v[w.causes.n - 1].cls, cls);
    check_has(text, said(&w.causes.v[w.causes.n - 1]), text);
    rec_fini(&msg_why_rec, &w);
}

static void they_are_left_out(void)
{
    out(1, 2);
    uint32_t a = submit(1), b = submit(1), c = submit(1);
    run_cycle();
    holds(a, "0");
    holds(b, "3");
    holds(c, "-");
    must_say(c, WHY_BUSY, "on g1: GPU 1: used by process 7 of bob");
    end(a);
    run_cycle();
    holds(c, "0");
}

static void who_holds_one_keeps_it(void)
{
    uint32_t a = submit(1), b = submit(1);
    run_cycle();
    holds(a, "0");
    holds(b, "1");
    out(0, 1);
    uint32_t c = submit(2), d = submit(1);
    run_cycle();
    holds(a, "0");
    assert_int_equal(lab_get(&l, a)->state, JOB_RUNNING);
    holds(c, "2-3"); /* all the rest */
    holds(d, "-");
    end(a); /* no job gets what it gives back */
    run_cycle();
    holds(d, "-");
    end(b);
    run_cycle();
    holds(d, "1");
    uint32_t e = submit(1);
    run_cycle();
    holds(e, "-");
    out(0, 0); /* it is back */
    run_cycle();
    holds(e, "0");
}

static void too_few_are_left(void)
{
    out(1, 1);
    uint32_t a = submit(4);
    run_cycle();
    holds(a, "-"); /* not refused: it waits for the card */
    must_say(a, WHY_FOREIGN_GPU,
             "2 nodes: 1 without GPUs (c1), 1 with GPUs that are lost or used by others (g1); on g1: GPU "
             "1: used");
    uint32_t b = submit(5);
    run_cycle();
    must_say(b, WHY_NO_FIT, "2 too few GPUs (g1,c1: 5 asked, 4 at most)");
    out(0, 0);
    run_cycle();
    holds(a, "0-3");
}

static void a_whole_node_comes_without_them(void)
{
    out(2, 1);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("main");
    req_rare_mut(&j->req)->nodelist = xstrdup("g1");
    req_detail_mut(&j->req)->exclusive = true;
    uint32_t id = lab_submit(&l, j);
    planner_note_job(planner, id);
    run_cycle();
    holds(id, "0-1,3");
}

#define CASE(f)                             \
    static void test_##f(void **state)      \
    {                                       \
        (void)state;                        \
        update = false;                     \
        f();                                \
    }                                       \
    static void test_anew_##f(void **state) \
    {                                       \
        (void)state;                        \
        update = true;                      \
        f();                                \
    }
CASE(they_are_left_out)
CASE(who_holds_one_keeps_it)
CASE(too_few_are_left)
CASE(a_whole_node_comes_without_them)

#define TEST(f)                                                   \
    cmocka_unit_test_setup_teardown(test_##f, set_up, tear_down), \
        cmocka_unit_test_setup_teardown(test_anew_##f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(they_are_left_out),
        TEST(who_holds_one_keeps_it),
        TEST(too_few_are_left),
        TEST(a_whole_node_comes_without_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
