/* test_unknown_tasks.c - what tasks hold that no job here has is given to no job. One node of 8 CPUs, 16000
 * MiB and 4 GPUs. */
#include "src/base/xalloc.h"
#include "tests/lib/lab_cycle.h"

static struct lab l;
static struct planner *planner;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "g1", 8, 16000, 4, "a100");
    lab_part(&l, "main", "g1");
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

/* One task with n CPUs and GPUs from those numbers on; without any CPUs: none is left. */
static void unknown(unsigned cpu, unsigned n_cpus, unsigned gpu, unsigned n_gpus, uint64_t mem_mib)
{
    struct ev_unknown b = {.node = xstrdup("g1"), .n = n_cpus ? 1 : 0, .mem_mib = mem_mib};
    cpuset_add_range(&b.cpus, cpu, n_cpus);
    cpuset_add_range(&b.gpus, gpu, n_gpus);
    if (n_cpus)
        *(struct unknown_task *)rec_list_push(&b.rows) = (struct unknown_task){.job = 77,
                                                                               .step = STEP_BATCH,
                                                                               .attempt = 1,
                                                                               .cpus = b.cpus,
                                                                               .gpus = b.gpus,
                                                                               .mem_mib = mem_mib};
    lab_must(&l, EV_UNKNOWN, 0, &b);
    planner_note_nodes(planner);
}

static uint32_t submit(uint32_t cpus, uint32_t gpus, uint64_t mem_mib, bool exclusive)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("main");
    j->req.cpus_per_task = cpus;
    j->req.gpus = gpus;
    j->req.mem_node_mib = mem_mib;
    req_detail_mut(&j->req)->exclusive = exclusive;
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

static void holds(uint32_t id, const char *cpus, const char *gpus)
{
    const struct job *j = lab_get(&l, id);
    char *got_cpus = j->alloc.n ? cpuset_format(&j->alloc.v[0].cpus) : xstrdup("-");
    char *got_gpus = j->alloc.n ? cpuset_format(&j->alloc.v[0].gpus) : xstrdup("-");
    check_str("CPUs", got_cpus, cpus);
    check_str("GPUs", got_gpus, gpus);
    free(got_cpus);
    free(got_gpus);
}

static void it_is_given_to_no_job(void)
{
    unknown(0, 3, 1, 2, 10000);
    uint32_t a = submit(2, 2, 1000, false), b = submit(6, 0, 1000, false), c = submit(1, 0, 7000, false);
    run_cycle();
    holds(a, "3-4", "0,3");
    holds(b, "-", "-");
    holds(c, "-", "-");
    end(a);
    uint32_t d = submit(1, 3, 1000, false);
    run_cycle();
    holds(d, "-", "-");
    unknown(0, 0, 0, 0, 0); /* it has ended */
    run_cycle();
    holds(b, "0-5", "");
    holds(c, "6", "");
    holds(d, "7", "0-2");
}

/* It was given before the node could say so. */
static void what_a_job_has_it_keeps(void)
{
    uint32_t a = submit(4, 2, 12000, false);
    run_cycle();
    holds(a, "0-3", "0-1");
    unknown(2, 4, 1, 2, 10000);
    uint32_t b = submit(2, 1, 1000, false), c = submit(1, 0, 1000, false);
    run_cycle();
    holds(a, "0-3", "0-1");
    assert_int_equal(lab_get(&l, a)->state, JOB_RUNNING);
    holds(b, "-", "-"); /* no memory is left */
    holds(c, "-", "-");
    end(a);
    run_cycle();
    holds(b, "0-1", "0");
    holds(c, "6", "");
    unknown(2, 1, 3, 1, 100); /* others than before */
    uint32_t d = submit(4, 1, 1000, false);
    run_cycle();
    holds(d, "3-5,7", "1");
}

static void a_whole_node_is_not_given_beside_it(void)
{
    unknown(0, 1, 0, 0, 0);
    uint32_t id = submit(1, 0, 0, true);
    run_cycle();
    holds(id, "-", "-");
    unknown(0, 0, 0, 0, 0);
    run_cycle();
    holds(id, "0-7", "0-3");
}

static void more_than_the_node_has(void)
{
    unknown(0, CPUSET_MAX, 0, CPUSET_MAX, NODE_MEM_MAX_MIB);
    uint32_t id = submit(1, 0, 1, false);
    run_cycle();
    holds(id, "-", "-");
    unknown(0, 0, 0, 0, 0);
    run_cycle();
    holds(id, "0", "");
}

/* No fold lets such figures in. If one comes through, it is cut once more where jobs are placed: the sets
 * of CPUs and GPUs have no room for more. */
static void figures_beyond_the_sets(void)
{
    struct node *n = l.m.nodes[0];
    n->cpus = n->gpus = UINT32_MAX - 1;
    n->mem_mib = UINT64_MAX;
    planner_note_nodes(planner);
    uint32_t id = submit(1, 4000, 1000, false), many = submit(4000, 0, 1000, false),
             most = submit(CPUSET_MAX, CPUSET_MAX, 1000, false);
    run_cycle();
    holds(id, "-", "-");
    holds(many, "-", "-");
    holds(most, "0-1023", "0-1023");
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
CASE(it_is_given_to_no_job)
CASE(what_a_job_has_it_keeps)
CASE(a_whole_node_is_not_given_beside_it)
CASE(more_than_the_node_has)
CASE(figures_beyond_the_sets)

#define TEST(f)                                                   \
    cmocka_unit_test_setup_teardown(test_##f, set_up, tear_down), \
        cmocka_unit_test_setup_teardown(test_anew_##f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_given_to_no_job),
        TEST(what_a_job_has_it_keeps),
        TEST(a_whole_node_is_not_given_beside_it),
        TEST(more_than_the_node_has),
        TEST(figures_beyond_the_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
