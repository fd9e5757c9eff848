/* test_job.c - what can be read off a job. */
#include "src/model/job.h"

#include "src/base/xalloc.h"
#include "tests/lib/check.h"

static void test_ids(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t array_job, index;
        struct index_range ranges[3];
        uint32_t throttle;
        size_t max;
        const char *want;
    } rows[] = {
        {"plain", 0, ARRAY_NONE, {{0}}, 0, 64, "12"},
        {"element", 10, 3, {{0}}, 0, 64, "10_3"},
        {"element with a throttle", 10, 0, {{0}}, 4, 64, "10_0"},
        {"run", 12, ARRAY_NONE, {{0, 9, 1}}, 0, 64, "12_[0-9]"},
        {"one left", 12, ARRAY_NONE, {{7, 7, 1}}, 0, 64, "12_[7]"},
        {"several", 12, ARRAY_NONE, {{0, 2, 1}, {5, 5, 1}, {8, 9, 1}}, 0, 64, "12_[0-2,5,8-9]"},
        {"steps are listed", 12, ARRAY_NONE, {{1, 9, 2}}, 4, 64, "12_[1,3,5,7,9%4]"},
        {"as long as allowed", 12, ARRAY_NONE, {{10, 18, 4}}, 0, 8, "12_[10,14,18]"},
        {"one byte longer", 12, ARRAY_NONE, {{10, 18, 4}}, 0, 7, "12_[10,14,...]"},
        {"cut, with its throttle", 12, ARRAY_NONE, {{10, 18, 4}}, 3, 7, "12_[10,14,...%3]"},
        {"cut in the middle of a number", 12, ARRAY_NONE, {{10, 18, 4}}, 0, 4, "12_[10,...]"},
        {"no bound", 12, ARRAY_NONE, {{10, 18, 4}}, 0, 0, "12_[10,14,18]"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = job_new();
        j->id = 12;
        j->array_job = rows[i].array_job;
        j->array_index = rows[i].index;
        j->req.array_throttle = rows[i].throttle;
        for (size_t k = 0; k < 3 && rows[i].ranges[k].step; k++)
            *rec_list_push(&job_rare_mut(j)->array_pending) = rows[i].ranges[k];
        char *got = job_format_id(j, rows[i].max);
        check_str(rows[i].name, got, rows[i].want);
        free(got);
        job_free(j);
    }
}

/* squeue shows 64 bytes of the bracket; a range of millions must not be written out first. */
static void test_long_id_is_cut(void **state)
{
    (void)state;
    struct job *j = job_new();
    j->id = j->array_job = 1;
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 4000000, 2};
    char *got = job_format_id(j, 64);
    assert_string_equal(got, "1_[0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,...]");
    free(got);
    job_free(j);
}

static void test_step_ids(void **state)
{
    (void)state;
    char buf[16];
    assert_string_equal(step_format_id(STEP_BATCH, buf), "batch");
    assert_string_equal(step_format_id(STEP_INTERACTIVE, buf), "interactive");
    assert_string_equal(step_format_id(0, buf), "0");
    assert_string_equal(step_format_id(INT32_MAX, buf), "2147483647");
}

static void test_find(void **state)
{
    (void)state;
    struct job *j = job_new();
    assert_null(job_find_step(j, 0));
    struct step *s = rec_list_push(&j->steps);
    s->id = STEP_BATCH;
    s = rec_list_push(&j->steps);
    s->id = 4;
    for (uint32_t i = 0; i < 3; i++) {
        struct task *t = rec_list_push(&s->tasks);
        t->index = 2 - i; /* not in their order */
    }
    assert_int_equal(job_find_step(j, 4)->id, 4);
    assert_int_equal(job_find_step(j, STEP_BATCH)->id, STEP_BATCH);
    assert_null(job_find_step(j, 0));
    assert_ptr_equal(step_find_task(s, 0), &s->tasks.v[2]);
    assert_ptr_equal(step_find_task(s, 2), &s->tasks.v[0]);
    assert_null(step_find_task(s, 3));
    job_free(j);
    job_free(NULL);
}

static void test_counts(void **state)
{
    (void)state;
    struct job *j = job_new();
    j->state = JOB_PENDING;
    assert_int_equal(job_pending_elements(j), 1);
    j->req.ntasks = 3;
    j->req.cpus_per_task = 2;
    j->req.gpus_per_node = 2;
    j->req.mem_node_mib = 700;
    j->req.nodes_min = 2;
    assert_int_equal(job_cpus(j), 6);
    assert_int_equal(job_gpus(j), 4);
    assert_int_equal(job_nodes(j), 2);
    assert_int_equal(job_mem_mib(j), 1400);
    struct alloc *a = rec_list_push(&j->alloc);
    *a = (struct alloc){.node = xstrdup("n1"), .mem_mib = 50};
    cpuset_add_range(&a->cpus, 3, 5);
    assert_int_equal(job_cpus(j), 5); /* what it holds, not what it asked for */
    assert_int_equal(job_gpus(j), 0);
    assert_int_equal(job_nodes(j), 1);
    assert_int_equal(job_mem_mib(j), 50);
    job_free(j);
    j = job_new();
    j->id = j->array_job = 5;
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 9, 3};
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){20, 20, 1};
    assert_true(job_is_array_record(j));
    assert_int_equal(job_pending_elements(j), 5);
    j->array_index = 0;
    assert_false(job_is_array_record(j));
    job_free(j);
}

static void test_step_job_counts_what_lives(void **state)
{
    (void)state;
    struct job *j = job_new();
    j->kind = JOB_KIND_STEPS;
    j->state = JOB_RUNNING;
    struct step *s = rec_list_push(&j->steps);
    *s = (struct step){.n_ranks = 1, .cpus_per_rank = 4, .gpus = 1, .mem_mib = 10};
    assert_int_equal(job_cpus(j), 4); /* nothing runs: its largest task */
    static const enum task_state states[] = {TASK_WAITING, TASK_LAUNCHING, TASK_RUNNING, TASK_DONE};
    for (size_t i = 0; i < N_OF(states); i++) {
        struct task *t = rec_list_push(&s->tasks);
        t->state = states[i];
        t->alloc.node = xstrdup("n1");
        cpuset_add_range(&t->alloc.cpus, (unsigned)i * 4, 4);
        cpuset_add(&t->alloc.gpus, (unsigned)i);
    }
    assert_int_equal(job_live_tasks(j), 2);
    assert_int_equal(job_cpus(j), 8);
    assert_int_equal(job_gpus(j), 2);
    assert_int_equal(job_nodes(j), 1); /* both on the same one */
    s->done = true;
    assert_int_equal(job_live_tasks(j), 0);
    job_free(j);
}

static void test_run_time(void **state)
{
    (void)state;
    struct job j = {0};
    struct wall now = {.ms = 100000};
    assert_int_equal(job_run_s(&j, now), 0);
    j.t_start.ms = 40000;
    assert_int_equal(job_run_s(&j, now), 60);
    assert_int_equal(job_run_s(&j, (struct wall){.ms = 1000}), 0); /* the clock was set back */
    j.t_end.ms = 50000;
    assert_int_equal(job_run_s(&j, now), 10);
}

static void test_state_words(void **state)
{
    (void)state;
    for (enum job_state s = 0; s < JOB_N_STATES; s++) {
        enum job_state back;
        assert_true(job_state_parse(job_state_short(s), &back) && back == s);
        assert_true(job_state_parse(job_state_long(s), &back) && back == s);
    }
    enum job_state s = JOB_FAILED;
    assert_true(job_state_parse("pd", &s));
    assert_int_equal(s, JOB_PENDING);
    assert_false(job_state_parse("PEND", &s));
    assert_false(job_state_parse("", &s));
    assert_int_equal(s, JOB_PENDING);
    for (enum reason r = 0; r < REASON_N; r++)
        assert_true(strlen(reason_slurm(r)) > 0);
}

static void test_partition_that_is_shown(void **state)
{
    (void)state;
    static const struct {
        const char *asked, *at;
        bool started;
        const char *want;
    } rows[] = {
        {"gpu,spot", "gpu", false, "gpu,spot"},
        {"gpu,spot", "spot", true, "spot"},
        {NULL, "main", false, "main"},
        {"gpu", NULL, true, "gpu"},
        {NULL, NULL, false, NULL},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = job_new();
        j->req.partition = xstrdup(rows[i].asked);
        j->partition = xstrdup(rows[i].at);
        j->t_start.ms = rows[i].started;
        const char *got = job_partition_text(j);
        check_str(rows[i].asked ? rows[i].asked : "-", got ? got : "-", rows[i].want ? rows[i].want : "-");
        job_free(j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partition_that_is_shown),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_long_id_is_cut),
        cmocka_unit_test(test_step_ids),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_step_job_counts_what_lives),
        cmocka_unit_test(test_run_time),
        cmocka_unit_test(test_state_words),
    };
    return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
