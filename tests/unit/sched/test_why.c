/* test_why.c - refusals at submission, and why a job waits: in sentences with numbers. */
#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "tests/lib/pass.h"

static struct lab l;
static struct planner *planner;
static struct sched_result last;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 4, 8000, 2, "a100");
    lab_node(&l, "n2", 8, 4000, 0, NULL);
    lab_part(&l, "main", "n[1-2]");
    lab_part(&l, "short", "n1")->max_time_s = 3600;
    lab_part(&l, "narrow", "n[1-2]")->max_nodes = 1;
    lab_part(&l, "down", "n1")->state = PART_DOWN;
    lab_part(&l, "drain", "n1")->state = PART_DRAIN;
    lab_part(&l, "off", "n1")->state = PART_INACTIVE;
    strv_push(&lab_part(&l, "staff", "n1")->allow_groups, "staff");
    lab_configure(&l);
    planner = planner_new();
    sched_result_init(&last);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sched_result_fini(&last);
    planner_free(planner);
    lab_fini(&l);
    return 0;
}

static void pass(void)
{
    sched_result_fini(&last);
    pass_run(&l, planner, &last);
}

/* --- at submission --- */

static void test_admission(void **state)
{
    (void)state;
    static const struct {
        const char *part;
        uint32_t cpus, nodes, gpus, time_s;
        uint64_t mem;
        const char *type, *nodelist;
        enum refusal want;
        const char *text;
    } rows[] = {
        {"none", 1, 1, 0, 60, 0, NULL, NULL, REFUSAL_NO_PARTITION, "there is no partition none"},
        {"main,none", 1, 1, 0, 60, 0, NULL, NULL, REFUSAL_NO_PARTITION, "there is no partition none"},
        {"off", 1, 1, 0, 60, 0, NULL, NULL, REFUSAL_PART_DOWN, "partition off is inactive"},
        {"drain", 1, 1, 0, 60, 0, NULL, NULL, REFUSAL_PART_DOWN, "partition drain takes no new jobs"},
        {"staff", 1, 1, 0, 60, 0, NULL, NULL, REFUSAL_NOT_ALLOWED,
         "partition staff does not admit its user's groups"},
        {"short", 1, 1, 0, 3601, 0, NULL, NULL, REFUSAL_TIME_LIMIT,
         "time limit 1:00:01 asked, partition short allows 1:00:00"},
        {"short", 1, 1, 0, DURATION_UNLIMITED, 0, NULL, NULL, REFUSAL_TIME_LIMIT, "UNLIMITED asked"},
        {"narrow", 1, 2, 0, 60, 0, NULL, NULL, REFUSAL_NODE_COUNT,
         "2 nodes asked, partition narrow allows 1"},
        {"main", 9, 1, 0, 60, 0, NULL, NULL, REFUSAL_NEVER_FITS,
         "9 CPUs can never be had in partition main (2 nodes: 2 too few CPUs (9 asked, 8 at most))"},
        {"main", 1, 1, 3, 60, 0, NULL, NULL, REFUSAL_NEVER_FITS,
         "1 CPU, 3 GPUs can never be had in partition main"},
        {"main", 1, 1, 1, 60, 0, "v100", NULL, REFUSAL_NEVER_FITS, "1 another GPU type"},
        {"main", 1, 1, 0, 60, 8001, NULL, NULL, REFUSAL_NEVER_FITS, "8001M of memory a node"},
        {"main", 1, 3, 0, 60, 0, NULL, NULL, REFUSAL_NEVER_FITS, "3 CPUs on 3 nodes can never be had"},
        {"main", 1, 1, 0, 60, 0, NULL, "n9", REFUSAL_NEVER_FITS, "not among those wanted"},
        {"short,narrow", 9, 1, 0, 60, 0, NULL, NULL, REFUSAL_NEVER_FITS, "partition narrow"},
        /* one that does is enough */
        {"short,main", 8, 1, 0, 60, 0, NULL, NULL, REFUSAL_NONE, ""},
        {"short,main", 1, 1, 0, 3601, 0, NULL, NULL, REFUSAL_NONE, ""},
        {"main", 8, 1, 0, 60, 0, NULL, NULL, REFUSAL_NONE, ""},
        {"main", 4, 2, 0, 60, 4000, NULL, NULL, REFUSAL_NONE, ""},
        {"main", 4, 1, 2, 60, 8000, "A100", NULL, REFUSAL_NONE, ""},
        {"down", 1, 1, 0, 60, 0, NULL, NULL, REFUSAL_NONE, ""}, /* it waits there */
        {"down", 5, 1, 0, 60, 0, NULL, NULL, REFUSAL_NEVER_FITS, "5 CPUs can never be had"},
        {NULL, 1, 1, 0, DURATION_NOT_SET, 0, NULL, NULL, REFUSAL_NONE, ""},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job_req r;
        struct errtext text = {"left over"};
        job_req_init(&r);
        r.partition = xstrdup(rows[i].part);
        r.cpus_per_task = rows[i].cpus;
        r.nodes_min = rows[i].nodes;
        r.gpus = rows[i].gpus;
        r.time_limit_s = rows[i].time_s;
        r.mem_node_mib = rows[i].mem ? rows[i].mem : MEM_NOT_GIVEN;
        r.gpu_type = xstrdup(rows[i].type);
        r.nodelist = xstrdup(rows[i].nodelist);
        struct sched_view v = pass_view(&l);
        check_int(rows[i].text, sched_admit(planner, &v, 1000, &r, NULL, 0, &text), rows[i].want);
        if (rows[i].want == REFUSAL_NONE)
            check_str(rows[i].part, text.s, "");
        else
            check_has(rows[i].text, text.s, rows[i].text);
        check_int(rows[i].text, sched_admit(planner, &v, 1000, &r, NULL, 0, NULL),
                  rows[i].want); /* text is optional */
        rec_fini(&job_req_rec, &r);
    }
}

static void test_admission_of_steps(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    lab_step(j, "load", 100);
    struct step *s = lab_step(j, "train", 2);
    s->gpus = 3;
    s->cpus_per_rank = 2;
    struct sched_view v = pass_view(&l);
    struct errtext text;
    assert_int_equal(sched_admit(planner, &v, 1000, &j->req, j->steps.v, j->steps.n, &text), REFUSAL_NEVER_FITS);
    check_has("a step", text.s,
              "step train: 2 CPUs, 3 GPUs can never be had in partition main (2 nodes: 2 too few GPUs (3 asked, 2 at most))");
    s->gpus = 2;
    assert_int_equal(sched_admit(planner, &v, 1000, &j->req, j->steps.v, j->steps.n, &text), REFUSAL_NONE);
    job_free(j);
}

static void test_admission_without_a_partition(void **state)
{
    (void)state;
    struct model none;
    model_init(&none);
    struct sched_view v = {.model = &none};
    struct job_req r;
    struct errtext text;
    job_req_init(&r);
    assert_int_equal(sched_admit(planner, &v, 1000, &r, NULL, 0, &text), REFUSAL_NO_PARTITION);
    check_has("no default", text.s, "no default partition");
    model_fini(&none);
}

/* A node whose GPUs nobody has counted yet may have them. */
static void test_admission_before_agents_answer(void **state)
{
    (void)state;
    lab_node(&l, "n3", 4, 8000, UINT32_MAX, NULL);
    lab_part(&l, "new", "n3");
    lab_configure(&l);
    struct sched_view v = pass_view(&l);
    struct job_req r;
    job_req_init(&r);
    r.partition = xstrdup("new");
    r.gpus = 4;
    assert_int_equal(sched_admit(planner, &v, 1000, &r, NULL, 0, NULL), REFUSAL_NONE);
    struct ev_node b = {.node = xstrdup("n3"), .state = NODE_UP, .boot_id = xstrdup("b"), .gpus = 2};
    lab_must(&l, EV_NODE, 0, &b);
    assert_int_equal(sched_admit(planner, &v, 1000, &r, NULL, 0, NULL), REFUSAL_NEVER_FITS);
    rec_fini(&job_req_rec, &r);
}

/* --- in the queue --- */

static uint32_t submit(const char *part, uint32_t cpus)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup(part);
    j->req.cpus_per_task = cpus;
    j->req.time_limit_s = 600;
    return lab_submit(&l, j);
}

static void must_say(uint32_t id, enum reason reason, enum why_class cls, const char *text)
{
    struct sched_view v = pass_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    check_str(text, reason_slurm(w.reason), reason_slurm(reason));
    check_int(text, w.causes.n > 0, true);
    check_int(text, str_is_empty(w.summary), false);
    bool found = false;
    for (size_t i = 0; i < w.causes.n; i++) {
        check_int(text, str_is_empty(w.causes.v[i].text), false);
        check_str(text, w.causes.v[i].class_name, why_class_name(w.causes.v[i].cls));
        found = found || (w.causes.v[i].cls == cls && strstr(w.causes.v[i].text, text));
    }
    if (!found)
        fail_msg("job %u: none of its %zu causes (\"%s\") is %s \"%s\"", id, w.causes.n, w.summary,
                 why_class_name(cls), text);
    rec_fini(&msg_why_rec, &w);
}

static void test_why_it_waits(void **state)
{
    (void)state;
    l.spec.backfill = BACKFILL_OFF;
    lab_configure(&l);
    uint32_t a = submit("main", 8), b = submit("main", 6), c = submit("main", 5), d = submit("main", 1);
    pass();
    must_say(b, REASON_RESOURCES, WHY_BUSY,
             "6 CPUs wanted in main; 2 nodes: 1 too few free CPUs, 1 too few CPUs (6 asked, 4 at most); job 1 "
             "reaches its limit first");
    must_say(c, REASON_PRIORITY, WHY_BEHIND,
             "1 job is ahead in main; the first of them, 2, waits for resources");
    must_say(d, REASON_PRIORITY, WHY_BEHIND, "2 jobs are ahead in main");
    struct sched_view v = pass_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, c), l.now, &w);
    assert_int_equal(w.rank, 2);
    assert_int_equal(w.rank_of, 3);
    rec_fini(&msg_why_rec, &w);
    sched_why(planner, &v, lab_get(&l, a), l.now, &w);
    assert_string_equal(w.summary, "job 1 does not wait: it is RUNNING");
    rec_fini(&msg_why_rec, &w);
}

static void test_why_it_may_not(void **state)
{
    (void)state;
    uint32_t held = submit("main", 1), down = submit("down", 1), staff = submit("staff", 1),
             gone = submit("none", 1);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.begin = wall_add_s(l.now, 3630);
    uint32_t later = lab_submit(&l, j);
    assert_int_equal(lab_hold(&l, held, HOLD_USER), 0);
    pass();
    must_say(held, REASON_HELD_USER, WHY_HELD, "held by its owner; `stoker release 1` lets it go");
    assert_int_equal(lab_hold(&l, held, HOLD_ADMIN), 0);
    pass();
    must_say(held, REASON_HELD_ADMIN, WHY_HELD, "held by an administrator");
    must_say(down, REASON_PART_DOWN, WHY_PARTITION_DOWN, "partition down is down");
    must_say(staff, REASON_PART_CONFIG, WHY_NOT_ALLOWED, "does not admit its user's groups");
    must_say(gone, REASON_PART_CONFIG, WHY_NOT_ALLOWED, "no longer configured");
    must_say(later, REASON_BEGIN_TIME, WHY_NOT_YET, "its earliest start is in 1 h");
}

static void test_why_after_too_many_restarts(void **state)
{
    (void)state;
    uint32_t id = submit("main", 1);
    for (int i = 0; i < 5; i++) {
        pass();
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_NODE_REBOOT, 0, 0), 0);
    }
    pass();
    must_say(id, REASON_HELD_REQUEUE, WHY_HELD, "held after 5 restarts");
}

static void test_why_an_array_waits(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    *rec_list_push(&j->array_pending) = (struct index_range){0, 9, 1};
    j->req.array_throttle = 3;
    uint32_t id = lab_submit(&l, j);
    pass();
    must_say(id, REASON_ARRAY_LIMIT, WHY_ARRAY_THROTTLE, "its array may run 3 elements at once and 3 run");
}

static void test_why_nodes_are_out(void **state)
{
    (void)state;
    struct ev_drain drain = {.node = xstrdup("n1"), .drain = true, .reason = xstrdup("fan")};
    struct ev_node lost = {.node = xstrdup("n2"), .state = NODE_LOST};
    lab_must(&l, EV_DRAIN, 0, &drain);
    lab_must(&l, EV_NODE, 0, &lost);
    uint32_t id = submit("main", 1);
    pass();
    must_say(id, REASON_RESOURCES, WHY_NODE_OUT, "2 nodes: 1 drained, 1 not answering");
}

static void test_why_before_the_first_pass(void **state)
{
    (void)state;
    uint32_t id = submit("main", 1);
    must_say(id, REASON_NONE, WHY_BEHIND, "it fits now and starts with the next pass");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_admission),
        TEST(test_admission_of_steps),
        TEST(test_admission_without_a_partition),
        TEST(test_admission_before_agents_answer),
        TEST(test_why_it_may_not),
        TEST(test_why_it_waits),
        TEST(test_why_after_too_many_restarts),
        TEST(test_why_an_array_waits),
        TEST(test_why_nodes_are_out),
        TEST(test_why_before_the_first_pass),
    };
    return cmocka_run_group_tests_name("why", tests, NULL, NULL);
}
