/* test_advice.c - the one change that would help: it is said, and it does. */
#include "tests/unit/sched/said.h"
#include "tests/unit/sched/whylab.h"

/* --- what would help --- */

static void make_time(struct job *j)
{
    submit_req("main", 4, "n2", 60);
    submit_req("main", 8, NULL, 60);
    req_rare_mut(&j->req)->nodelist = xstrdup("n2");
    j->req.cpus_per_task = 4;
    j->req.time_limit_s = 7200;
}

static void make_partition(struct job *j)
{
    submit_req("main", 4, "n1", 10);
    j->req.partition = xstrdup("short");
    j->req.time_limit_s = 600;
}

static void make_gpus(struct job *j)
{
    struct job *other = lab_job(&l, JOB_KIND_BATCH);
    other->req.gpus = 1;
    lab_submit(&l, other);
    j->req.gpus = 2;
}

static void make_gres(struct job *j)
{
    make_gpus(j);
    j->req.gpus = NOT_GIVEN;
    j->req.gpus_per_node = 2;
}

static void make_cpus(struct job *j)
{
    submit_req("main", 2, "n2", 10);
    j->req.cpus_per_task = 8;
}

static void make_memory(struct job *j)
{
    struct job *other = lab_job(&l, JOB_KIND_BATCH);
    other->req.mem_node_mib = 3000;
    req_rare_mut(&other->req)->nodelist = xstrdup("n1");
    lab_submit(&l, other);
    j->req.mem_node_mib = 8000;
}

static void make_nodes(struct job *j)
{
    struct ev_drain drain = {.node = xstrdup("n2"), .drain = true, .reason = xstrdup("fan")};
    lab_must(&l, EV_DRAIN, 0, &drain);
    j->req.nodes_min = j->req.nodes_max = 2;
}

static void make_never(struct job *j)
{
    j->req.cpus_per_task = 9;
}

static void make_full(struct job *j)
{
    submit("main", 8);
    submit("main", 4);
    j->req.cpus_per_task = 2;
}

static void make_held(struct job *j)
{
    make_cpus(j);
    j->hold = HOLD_USER;
    j->reason = REASON_HELD_USER;
}

/* As scontrol update has it. */
static void apply(struct job *j, const char *key, const char *value)
{
    uint32_t n = (uint32_t)strtoul(value, NULL, 10);
    struct errtext err = {""};
    if (str_eq(key, "TimeLimit"))
        assert_int_equal(duration_parse_slurm(value, &j->req.time_limit_s, &err), 0);
    else if (str_eq(key, "Partition"))
        j->req.partition = (free(j->req.partition), xstrdup(value));
    else if (str_eq(key, "Gpus"))
        j->req.gpus = n;
    else if (str_eq(key, "GpusPerNode"))
        j->req.gpus_per_node = n;
    else if (str_eq(key, "CpusPerTask"))
        j->req.cpus_per_task = n;
    else if (str_eq(key, "MinMemoryNode"))
        assert_int_equal(mem_parse_mib(value, &j->req.mem_node_mib, &err), 0);
    else if (str_eq(key, "ArrayTaskThrottle"))
        j->req.array_throttle = n;
    else if (str_eq(key, "NumNodes"))
        j->req.nodes_min = j->req.nodes_max = n;
    else
        fail_msg("unknown text: %s", key);
}

static void test_advice_helps(void **state)
{
    static const struct {
        const char *name;
        void (*make)(struct job *j);
        const char *key, *value, *text; /* NULL: none is found */
    } rows[] = {
        {"time", make_time, "TimeLimit", "1:00:00", "with --time=1:00:00 it could start now on n2"},
        {"partition", make_partition, "Partition", "main", "in partition main it could start now on n2"},
        {"GPUs", make_gpus, "Gpus", "1", "with --gpus=1 instead of 2 it could start now on n1"},
        {"GPUs of a node", make_gres, "GpusPerNode", "1",
         "with --gres=gpu:1 instead of 2 it could start now on n1"},
        {"CPUs", make_cpus, "CpusPerTask", "6",
         "with --cpus-per-task=6 instead of 8 it could start now on n2"},
        {"memory", make_memory, "MinMemoryNode", "5000", "with --mem=5000M it could start now on n1"},
        {"nodes", make_nodes, "NumNodes", "1", "with --nodes=1 instead of 2 it could start now on n1"},
        {"more than there is", make_never, "CpusPerTask", "8", "with --cpus-per-task=8 instead of 9"},
        {"all is taken", make_full, NULL, NULL, NULL},
        {"it is held", make_held, NULL, NULL, NULL},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        sched_fixture_end(state);
        set_up(state);
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        rows[i].make(j);
        j->t_submit = j->t_eligible = l.now; /* behind all others */
        uint32_t id = lab_submit(&l, j);
        cycle_full();
        struct sched_view v = lab_view(&l);
        struct msg_why w;
        sched_why(planner, &v, lab_get(&l, id), l.now, &w);
        check_int(rows[i].name, lab_get(&l, id)->state, JOB_PENDING);
        check_str(rows[i].name, w.advice_key ? w.advice_key : "none", rows[i].key ? rows[i].key : "none");
        if (rows[i].key) {
            check_str(rows[i].name, w.advice_value, rows[i].value);
            check_has(rows[i].name, said(&w.advice), rows[i].text);
            apply(lab_get(&l, id), w.advice_key, w.advice_value);
            cycle_full();
            check_int(rows[i].name, lab_get(&l, id)->state, JOB_RUNNING);
        }
        rec_fini(&msg_why_rec, &w);
    }
}

/* --- one more element of an array --- */

static void with_nothing_else(uint32_t array)
{
    (void)array;
}

static void with_all_taken(uint32_t array)
{
    (void)array;
    submit("main", 4);
    cycle_full();
}

/* Another element would end a minute after those that run, when both nodes are for another job. */
static void hold_both_nodes(bool comes_first)
{
    l.now = wall_add_s(l.now, 60);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.nodes_min = j->req.nodes_max = 2;
    req_detail_mut(&j->req)->exclusive = true;
    j->req.time_limit_s = 600;
    req_detail_mut(&j->req)->has_priority = comes_first;
    req_detail_mut(&j->req)->priority = comes_first ? 1000000 : 0;
    j->t_submit = j->t_eligible = l.now;
    uint32_t other = lab_submit(&l, j);
    cycle_full();
    assert_int_equal(lab_get(&l, other)->state, JOB_PENDING);
}

static void with_a_place_held(uint32_t array)
{
    (void)array;
    hold_both_nodes(true);
}

/* A new throttle does not make the array a new job, so the promise stays. */
static void with_a_place_promised(uint32_t array)
{
    (void)array;
    hold_both_nodes(false);
}

static void with_a_hold(uint32_t array)
{
    assert_int_equal(lab_hold(&l, array, HOLD_USER), 0);
    cycle_full();
}

static void with_a_limit(uint32_t array)
{
    (void)array;
    add_limit(LIMIT_USER, 8, false);
    cycle_full();
}

static void test_advice_of_a_throttle(void **state)
{
    static const struct {
        const char *name;
        void (*make)(uint32_t array);
        uint32_t throttle; /* advised; 0: nothing is */
    } rows[] = {
        {"nothing else", with_nothing_else, 3},    {"all is taken", with_all_taken, 0},
        {"a place is held", with_a_place_held, 0}, {"it is held", with_a_hold, 0},
        {"it is at a limit", with_a_limit, 0},     {"a place is promised", with_a_place_promised, 0},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        sched_fixture_end(state);
        set_up(state);
        uint32_t id = submit_array(4, 2);
        assert_int_equal(l.m.n_active, 2);
        rows[i].make(id);
        struct sched_view v = lab_view(&l);
        struct msg_why w;
        sched_why(planner, &v, lab_get(&l, id), l.now, &w);
        size_t throttled = 0;
        for (size_t k = 0; k < w.causes.n; k++)
            throttled += w.causes.v[k].cls == WHY_ARRAY_THROTTLE;
        check_int(rows[i].name, throttled, 1);
        check_str(rows[i].name, w.advice_key ? w.advice_key : "none",
                  rows[i].throttle ? "ArrayTaskThrottle" : "none");
        if (rows[i].throttle) {
            check_has(rows[i].name, said(&w.advice), "with ArrayTaskThrottle=3 it could start now on n");
            check_str(rows[i].name, w.advice_value, "3");
            apply(lab_get(&l, id), w.advice_key, w.advice_value);
            cycle_full();
            check_int(rows[i].name, l.m.n_active, 3);
        }
        rec_fini(&msg_why_rec, &w);
    }
}

/* A job that no partition admitted keeps its arrival when it is changed: a start that was promised to a job
 * behind it stays. */
static void test_advice_of_a_rule_leaves_promises(void **state)
{
    (void)state;
    submit("short", 2);
    uint32_t id = submit_req("short", 2, NULL, 120);
    cycle_full();
    must_say(id, REASON_PART_TIME, WHY_NOT_ALLOWED, "");
    l.now = wall_add_s(l.now, 60);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("short");
    j->req.cpus_per_task = 4;
    j->t_submit = j->t_eligible = l.now;
    uint32_t promised = lab_submit(&l, j);
    cycle_full();
    assert_int_equal(planner_first_blocked(planner, 1), promised);
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    check_str("key", w.advice_key, "TimeLimit");
    check_int("it would not start", w.advice.code, CAUSE_TRY_ADMITTED);
    apply(lab_get(&l, id), w.advice_key, w.advice_value);
    cycle_full();
    check_int("it waits", lab_get(&l, id)->state, JOB_PENDING);
    rec_fini(&msg_why_rec, &w);
}

/* What helps an array is said of its record. */
static void test_no_advice_for_an_element_alone(void **state)
{
    (void)state;
    uint32_t id = submit_array(4, 2), element = id + 10;
    struct ev_split b = {.array_index = 9, .new_id = element};
    lab_must(&l, EV_SPLIT, id, &b);
    cycle_full();
    must_say(element, REASON_ARRAY_LIMIT, WHY_ARRAY_THROTTLE, "its array may run 2 elements at once");
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, element), l.now, &w);
    assert_null(w.advice_key);
    assert_int_equal(w.advice.code, CAUSE_NONE);
    rec_fini(&msg_why_rec, &w);
}

/* An element may carry one from when it was split off: that of the array counts. */
static void test_an_element_has_the_throttle_of_its_array(void **state)
{
    (void)state;
    uint32_t id = submit_array(4, 2), element = id + 10;
    struct ev_split b = {.array_index = 9, .new_id = element};
    lab_must(&l, EV_SPLIT, id, &b);
    assert_int_equal(lab_hold(&l, id, HOLD_USER), 0);
    cycle_full();
    assert_int_equal(lab_get(&l, element)->state, JOB_PENDING);
    lab_get(&l, id)->req.array_throttle = 0;
    cycle_full();
    assert_int_equal(lab_get(&l, element)->state, JOB_RUNNING);
}

/* One more at once would be the element that has left the record: the record has no use for that advice. */
static void test_one_more_is_the_element_before_the_record(void **state)
{
    (void)state;
    uint32_t id = submit_array(4, 2);
    struct ev_split b = {.array_index = 3, .new_id = id + 10};
    lab_must(&l, EV_SPLIT, id, &b);
    cycle_full();
    uint32_t left = job_pending_elements(lab_get(&l, id));
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    check_str("advice", w.advice_key ? w.advice_key : "none", "none");
    rec_fini(&msg_why_rec, &w);
    lab_get(&l, id)->req.array_throttle = 3;
    cycle_full();
    check_int("the element", lab_get(&l, id + 10)->state, JOB_RUNNING);
    check_int("elements in the record", job_pending_elements(lab_get(&l, id)), left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_advice_helps),
        TEST(test_advice_of_a_throttle),
        TEST(test_advice_of_a_rule_leaves_promises),
        TEST(test_no_advice_for_an_element_alone),
        TEST(test_one_more_is_the_element_before_the_record),
        TEST(test_an_element_has_the_throttle_of_its_array),
    };
    return cmocka_run_group_tests_name("advice", tests, NULL, NULL);
}
