/* test_gpu_counts.c - a request's GPUs are what is allocated: every combination of --gpus, --gpus-per-node,
 * --gpus-per-task, -N, -n and --ntasks-per-node on four nodes of 8 CPUs and 4 GPUs.
 */
#include "src/base/xalloc.h"
#include "src/model/need.h"
#include "tests/lib/sched_fixture.h"

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    for (int i = 1; i <= 4; i++) {
        char *name = xasprintf("n%d", i);
        lab_node(&l, name, 8, 16000, 4, NULL);
        free(name);
    }
    lab_part(&l, "main", "n[1-4]");
    lab_configure(&l);
    return 0;
}

enum { NODES, TASKS, TASKS_PER_NODE, GPUS, GPUS_PER_NODE, GPUS_PER_TASK, N_COUNTS };

static const uint32_t values[N_COUNTS][8] = {
    [NODES] = {NOT_GIVEN, 1, 2, 3},       [TASKS] = {NOT_GIVEN, 1, 2, 4, 6},
    [TASKS_PER_NODE] = {NOT_GIVEN, 1, 2}, [GPUS] = {NOT_GIVEN, 1, 2, 3, 4, 6, 8},
    [GPUS_PER_NODE] = {NOT_GIVEN, 1, 2},  [GPUS_PER_TASK] = {NOT_GIVEN, 1, 2},
};

static uint32_t *count_at(struct job_req *r, int which)
{
    uint32_t *const at[N_COUNTS] = {&r->nodes_min, &r->ntasks,        &req_detail_mut(r)->ntasks_per_node,
                                    &r->gpus,      &r->gpus_per_node, &req_detail_mut(r)->gpus_per_task};
    return at[which];
}

static char *words(struct job_req *r)
{
    static const char *const options[N_COUNTS] = {
        "-N", "-n", "--ntasks-per-node=", "--gpus=", "--gpus-per-node=", "--gpus-per-task="};
    struct str b = STR_INIT;
    for (int i = 0; i < N_COUNTS; i++)
        if (*count_at(r, i) != NOT_GIVEN)
            str_appendf(&b, " %s%u", options[i], *count_at(r, i));
    return str_take(&b);
}

/* Each word of the request by itself against what the job holds. */
static void is_what_was_asked(const char *what, const struct job *j)
{
    const struct job_req *r = &j->req;
    struct job_need need;
    uint32_t gpus = 0, least = UINT32_MAX;
    job_need(r, &need);
    for (size_t i = 0; i < j->alloc.n; i++) {
        uint32_t here = cpuset_count(&j->alloc.v[i].gpus);
        gpus += here;
        least = here < least ? here : least;
        if (r->gpus_per_node != NOT_GIVEN)
            check_int(what, here, r->gpus_per_node);
    }
    if (r->nodes_min != NOT_GIVEN)
        check_int(what, j->alloc.n, r->nodes_min);
    if (r->gpus != NOT_GIVEN)
        check_int(what, gpus, r->gpus);
    if (r->ntasks != NOT_GIVEN)
        check_int(what, need.tasks, r->ntasks);
    if (req_detail(r)->gpus_per_task != NOT_GIVEN && r->gpus_per_node == NOT_GIVEN)
        check_int(what, gpus, req_detail(r)->gpus_per_task * need.tasks);
    if (req_detail(r)->gpus_per_task != NOT_GIVEN)
        check_int(what, gpus >= req_detail(r)->gpus_per_task * need.tasks, true);
    if (r->gpus != NOT_GIVEN) /* Slurm gives each node at least one */
        check_int(what, least > 0, true);
    check_int(what, gpus, need.gpus);
}

/* On an empty cluster. Returns whether it has started. */
static bool place(struct job_req *r)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    for (int i = 0; i < N_COUNTS; i++)
        *count_at(&j->req, i) = *count_at(r, i);
    uint32_t id = lab_submit(&l, j);
    bool started = cycle_full() > 0;
    char *what = words(r);
    if (started) {
        is_what_was_asked(what, lab_get(&l, id));
        assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    } else {
        assert_int_equal(lab_hold(&l, id, HOLD_USER), 0);
    }
    free(what);
    return started;
}

static void test_what_is_allocated_is_what_was_asked_for(void **state)
{
    (void)state;
    int n_agree = 0, n_refused = 0, n_started = 0, of[N_COUNTS] = {0};
    for (bool more = true; more;) {
        struct job_req r;
        job_req_init(&r);
        for (int i = 0; i < N_COUNTS; i++)
            *count_at(&r, i) = values[i][of[i]];
        if (job_need_check_gpus(&r, NULL) == 0) {
            if (n_agree++ % 50 == 49) { /* checking all invariants takes longer with each job */
                sched_fixture_end(NULL);
                set_up(NULL);
            }
            n_started += place(&r);
        } else {
            n_refused++;
        }
        rec_fini(&job_req_rec, &r);
        more = false;
        for (int i = 0; i < N_COUNTS && !more; i++) {
            more = values[i][++of[i]] != 0;
            of[i] = more ? of[i] : 0;
        }
    }
    print_message("%d agree, %d of them started, %d do not agree\n", n_agree, n_started, n_refused);
    assert_true(n_agree > 400 && n_refused > 400);
    assert_true(n_started > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_allocated_is_what_was_asked_for, set_up,
                                        sched_fixture_end),
    };
    return cmocka_run_group_tests_name("GPU counts", tests, NULL, NULL);
}
