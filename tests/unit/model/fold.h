/* fold.h - a cluster of two nodes for tests of the fold, and jobs in it. */
#ifndef STOKER_TESTS_UNIT_MODEL_FOLD_H
#define STOKER_TESTS_UNIT_MODEL_FOLD_H

#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/lab.h"

static struct lab l;

static inline int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 8, 16000, 2, NULL);
    lab_node(&l, "n2", 8, 16000, 2, NULL);
    lab_part(&l, "main", "n[1-2]");
    lab_configure(&l);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    lab_fini(&l);
    return 0;
}

/* A batch job that runs on CPUs of n1, and its script with it. */
static inline uint32_t running_batch(void)
{
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    unsigned first = (unsigned)cpuset_count(&model_get_node(&l.m, "n1")->cpus_used);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", first, 2, 0, 0, 100)), 0);
    assert_int_equal(lab_running(&l, id, STEP_BATCH, 0), 0);
    return id;
}

/* srun in a job: a step with `tasks` waiting tasks. */
static inline int add_step(uint32_t job, int32_t id, uint32_t tasks)
{
    struct ev_step b = {.step = {.id = id, .name = xstrdup("srun"), .n_ranks = tasks}};
    for (uint32_t i = 0; i < tasks; i++) {
        struct task *t = rec_list_push(&b.step.tasks);
        t->index = i;
    }
    return lab_apply(&l, EV_STEP, job, &b);
}

/* A step job of n steps of two tasks each. */
static inline uint32_t step_job(unsigned steps, bool keep_going)
{
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    for (unsigned i = 0; i < steps; i++)
        lab_step(j, "s", 2)->keep_going = keep_going;
    return lab_submit(&l, j);
}

static inline void place_both(uint32_t id, int32_t step)
{
    assert_int_equal(lab_place(&l, id, step, 0, lab_alloc("n1", 0, 1, 0, 1, 10)), 0);
    assert_int_equal(lab_place(&l, id, step, 1, lab_alloc("n2", 0, 1, 0, 1, 10)), 0);
    assert_int_equal(lab_running(&l, id, step, 0), 0);
    assert_int_equal(lab_running(&l, id, step, 1), 0);
}

static inline void must_be(const char *row, uint32_t id, enum job_state state, enum reason reason)
{
    const struct job *j = lab_get(&l, id);
    check_str(row, job_state_long(j->state), job_state_long(state));
    check_str(row, reason_slurm(j->reason), reason_slurm(reason));
}

static inline void nodes_must_be_empty(const char *row)
{
    for (size_t i = 0; i < l.m.n_nodes; i++)
        check_int(row, l.m.nodes[i]->n_jobs, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
