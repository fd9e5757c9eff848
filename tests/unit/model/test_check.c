/* test_check.c - model_check: each invariant broken on purpose is found, by name. */
#include "src/base/siphash.h"
#include "src/model/model_private.h"
#include "tests/lib/lab.h"

enum { WAITS = 1, RUNS = 2, COMPLETES = 3, ENDED = 4, STEPS = 5, ARRAY = 6, ELEMENT = 7 };

static struct lab l;

/* One job of each kind; the ids are above. */
static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 8, 16000, 2, NULL);
    lab_node(&l, "n2", 8, 16000, 2, NULL);
    lab_part(&l, "main", "n[1-2]");
    lab_configure(&l);
    for (uint32_t id = WAITS; id <= ENDED; id++) {
        lab_submit_kind(&l, JOB_KIND_BATCH);
        if (id != WAITS)
            assert_int_equal(
                lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n1", id, 1, id == RUNS ? 0 : 1, id < 4, 10)),
                0);
        if (id == COMPLETES)
            assert_int_equal(lab_kill(&l, id, STEP_ALL, KILL_CANCEL, FATE_END), 0);
        if (id == ENDED)
            assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    }
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    lab_step(j, "s", 2);
    lab_submit(&l, j);
    assert_int_equal(lab_place(&l, STEPS, 0, 0, lab_alloc("n2", 0, 1, 0, 0, 10)), 0);
    j = lab_job(&l, JOB_KIND_BATCH);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 3, 1};
    lab_submit(&l, j);
    struct ev_split b = {.array_index = 2, .new_id = ELEMENT};
    lab_must(&l, EV_SPLIT, ARRAY, &b);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    lab_fini(&l);
    return 0;
}

static struct job *job(uint32_t id)
{
    return lab_get(&l, id);
}

static void break_cpu(void)
{
    cpuset_add(&job(RUNS)->alloc.v[0].cpus, COMPLETES);
}
static void break_gpu(void)
{
    cpuset_add(&job(RUNS)->alloc.v[0].gpus, 1);
}
static void break_sum(void)
{
    cpuset_add(&model_get_node(&l.m, "n2")->cpus_used, 7);
}
static void break_memory(void)
{
    model_get_node(&l.m, "n1")->mem_used_mib++;
}
static void break_number(void)
{
    model_get_node(&l.m, "n1")->n_jobs++;
}
static void break_node_name(void)
{
    job(RUNS)->alloc.v[0].node[1] = '9';
}
static void break_whole(void)
{
    model_get_node(&l.m, "n1")->exclusive = true;
}
static void break_gone(void)
{
    model_add_node(&l.m, "n3")->gone = true;
}
static void break_node_index(void)
{
    idmap_remove(&l.m.nodes_by_name, hash_text("n2", 2));
}
static void break_index(void)
{
    idmap_remove(&l.m.jobs, WAITS);
}
static void break_element_index(void)
{
    idmap_remove(&l.m.elements, (uint64_t)ARRAY << 32 | 2);
}
static void break_next(void)
{
    l.m.next_job = ELEMENT;
}
static void break_ended(void)
{
    job(ENDED)->holding = true;
}
static void break_waiting(void)
{
    job(WAITS)->holding = true;
}
static void break_completing(void)
{
    struct step *s = &job(COMPLETES)->steps.v[0];
    s->tasks.v[0].state = TASK_DONE;
    s->done = true;
}
static void break_attempt(void)
{
    job(RUNS)->launches = 0;
}
static void break_step_done(void)
{
    job(ENDED)->steps.v[0].done = false;
}
static void break_step_not_done(void)
{
    job(STEPS)->steps.v[0].done = true;
}
static void break_script(void)
{
    job(RUNS)->steps.v[0].tasks.v[0].state = TASK_DONE;
    job(RUNS)->steps.v[0].done = true;
}
static void break_live_tasks(void)
{
    job(ENDED)->steps.v[0].n_waiting_last = 1;
}
static void break_stuck(void)
{
    struct step *s = &job(STEPS)->steps.v[0];
    s->tasks.v[0].state = s->tasks.v[1].state = TASK_DONE;
    s->done = true;
    uncharge(&l.m, &s->tasks.v[0].alloc);
}
static void break_waiting_task(void)
{
    job(COMPLETES)->steps.v[0].tasks.v[0].state = TASK_WAITING;
    struct task *t = rec_list_push(&job(COMPLETES)->steps.v[0].tasks);
    t->state = TASK_RUNNING;
}
static void break_list(void)
{
    job(WAITS)->state = JOB_CANCELLED;
}
static void break_length(void)
{
    l.m.n_active++;
}
static void break_lost(void)
{
    model_dequeue(&l.m, job(WAITS));
}
static void break_order(void)
{
    list_move_to_end(&l.m.pending, &job(WAITS)->in_queue);
}
static void break_elements_order(void)
{
    list_move_to_end(&l.m.pending, &job(ELEMENT)->in_queue);
}
static void break_age(void)
{
    list_move_to_end(&l.m.all, &job(WAITS)->in_all);
}

static void test_each_invariant(void **state)
{
    (void)state;
    static const struct {
        void (*fn)(void);
        const char *text;
    } rows[] = {
        {break_cpu, "a CPU of n1 is held twice"},
        {break_gpu, "a GPU of n1 is held twice"},
        {break_sum, "node n2: what it carries is not the sum"},
        {break_memory, "node n1: what it carries is not the sum"},
        {break_number, "node n1: what it carries is not the sum"},
        {break_node_name, "holds part of unknown node n9"},
        {break_whole, "node n1: held whole and shared"},
        {break_gone, "node n3: no longer configured, empty"},
        {break_node_index, "node n2 is not in the index"},
        {break_index, "job 1 is not in the index"},
        {break_element_index, "element 6_2 is not in the index"},
        {break_next, "job 7: the next id 7 is not beyond it"},
        {break_ended, "job 4 has ended and still holds"},
        {break_waiting, "job 1 waits and holds"},
        {break_completing, "job 3 is completing with no task left"},
        {break_attempt, "job 2: an attempt beyond"},
        {break_step_done, "job 4: step -1 is not done"},
        {break_step_not_done, "job 5: step 0 is done"},
        {break_script, "job 2 runs and its script has ended"},
        {break_stuck, "job 5 runs and nothing in it can"},
        {break_live_tasks, "job 4: task 0 of step -1 is not counted as live"},
        {break_waiting_task, "job 3 has tasks that wait for nothing"},
        {break_list, "job 1 is in the wrong list (pending)"},
        {break_length, "list active holds 3 jobs, counted 4"},
        {break_lost, "7 jobs, but 6 in the lists"},
        {break_order, "stands in the wrong place of the queue"},
        {break_elements_order, "stands in the wrong place of the queue"},
        {break_age, "jobs 7 and 1 stand in the wrong order"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct errtext err = {""};
        if (i) {
            tear_down(NULL);
            set_up(NULL);
        }
        check_int(rows[i].text, model_check(&l.m, &err), 0);
        rows[i].fn();
        if (model_check(&l.m, &err) == 0)
            fail_msg("not found: %s", rows[i].text);
        check_has(rows[i].text, err.s, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_each_invariant, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("check", tests, NULL, NULL);
}
