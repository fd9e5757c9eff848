/* test_why.c - refusals at submission, and why a job waits: in sentences with numbers. */
#include "backend/sched/explain/explain.h"
#include "tests/unit/sched/whylab.h"

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
         "no node of main has 9 CPUs (2 nodes: 2 too few CPUs (9 asked, 8 at most))"},
        {"main", 1, 1, 3, 60, 0, NULL, NULL, REFUSAL_NEVER_FITS, "no node of main has 1 CPU, 3 GPUs"},
        {"main", 1, 1, 1, 60, 0, "v100", NULL, REFUSAL_NEVER_FITS, "1 another GPU type"},
        {"main", 1, 1, 0, 60, 8001, NULL, NULL, REFUSAL_NEVER_FITS, "8001M of memory a node"},
        {"main", 1, 3, 0, 60, 0, NULL, NULL, REFUSAL_NEVER_FITS, "main cannot give 3 CPUs on 3 nodes"},
        {"main", 1, 1, 0, 60, 0, NULL, "n9", REFUSAL_NEVER_FITS, "not among those asked for"},
        {"short,narrow", 9, 1, 0, 60, 0, NULL, NULL, REFUSAL_NEVER_FITS, "no node of narrow has 9 CPUs"},
        /* one that does is enough */
        {"short,main", 8, 1, 0, 60, 0, NULL, NULL, REFUSAL_NONE, ""},
        {"short,main", 1, 1, 0, 3601, 0, NULL, NULL, REFUSAL_NONE, ""},
        {"main", 8, 1, 0, 60, 0, NULL, NULL, REFUSAL_NONE, ""},
        {"main", 4, 2, 0, 60, 4000, NULL, NULL, REFUSAL_NONE, ""},
        {"main", 4, 1, 2, 60, 8000, "A100", NULL, REFUSAL_NONE, ""},
        {"down", 1, 1, 0, 60, 0, NULL, NULL, REFUSAL_NONE, ""}, /* it waits there */
        {"down", 5, 1, 0, 60, 0, NULL, NULL, REFUSAL_NEVER_FITS, "no node of down has 5 CPUs"},
        {NULL, 1, 1, 0, DURATION_NOT_SET, 0, NULL, NULL, REFUSAL_NONE, ""},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job_req r;
        struct cause text = {.code = CAUSE_STARTS_NOW}; /* left over */
        job_req_init(&r);
        r.partition = xstrdup(rows[i].part);
        r.cpus_per_task = rows[i].cpus;
        r.nodes_min = rows[i].nodes;
        r.gpus = rows[i].gpus;
        r.time_limit_s = rows[i].time_s;
        r.mem_node_mib = rows[i].mem ? rows[i].mem : MEM_NOT_GIVEN;
        req_detail_mut(&r)->gpu_type = xstrdup(rows[i].type);
        req_rare_mut(&r)->nodelist = xstrdup(rows[i].nodelist);
        struct sched_view v = lab_view(&l);
        check_int(rows[i].text, sched_admit(planner, &v, &(struct job){.uid = 1000, .req = r}, &text),
                  rows[i].want);
        if (rows[i].want == REFUSAL_NONE)
            check_int(rows[i].part, text.code, CAUSE_NONE);
        else
            check_has(rows[i].text, said(&text), rows[i].text);
        check_int(rows[i].text, sched_admit(planner, &v, &(struct job){.uid = 1000, .req = r}, NULL),
                  rows[i].want); /* text is optional */
        cause_clear(&text);
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
    struct sched_view v = lab_view(&l);
    struct cause text = {0};
    assert_int_equal(sched_admit(planner, &v, j, &text), REFUSAL_NEVER_FITS);
    check_has("a step", said(&text),
              "step train: no node of main has 2 CPUs, 3 GPUs (2 nodes: 2 too few GPUs (3 "
              "asked, 2 at most))");
    s->gpus = 2;
    assert_int_equal(sched_admit(planner, &v, j, &text), REFUSAL_NONE);
    cause_clear(&text);
    job_free(j);
}

static void test_admission_without_a_partition(void **state)
{
    (void)state;
    struct model none;
    model_init(&none);
    struct sched_view v = {.model = &none};
    struct job_req r;
    struct cause text = {0};
    job_req_init(&r);
    assert_int_equal(sched_admit(planner, &v, &(struct job){.uid = 1000, .req = r}, &text),
                     REFUSAL_NO_PARTITION);
    check_has("no default", said(&text), "no default partition");
    cause_clear(&text);
    rec_fini(&job_req_rec, &r);
    model_fini(&none);
}

/* A node whose GPUs are not counted yet may have them. */
static void test_admission_before_agents_answer(void **state)
{
    (void)state;
    lab_node(&l, "n3", 4, 8000, UINT32_MAX, NULL);
    lab_part(&l, "new", "n3");
    lab_configure(&l);
    struct sched_view v = lab_view(&l);
    struct job_req r;
    job_req_init(&r);
    r.partition = xstrdup("new");
    r.gpus = 4;
    assert_int_equal(sched_admit(planner, &v, &(struct job){.uid = 1000, .req = r}, NULL), REFUSAL_NONE);
    struct ev_node b = {.node = xstrdup("n3"), .state = NODE_UP, .boot_id = xstrdup("b"), .gpus = 2};
    lab_must(&l, EV_NODE, 0, &b);
    assert_int_equal(sched_admit(planner, &v, &(struct job){.uid = 1000, .req = r}, NULL),
                     REFUSAL_NEVER_FITS);
    rec_fini(&job_req_rec, &r);
}

/* --- in the queue --- */

static void test_why_it_waits(void **state)
{
    (void)state;
    l.spec.backfill = BACKFILL_OFF;
    lab_configure(&l);
    uint32_t a = submit("main", 8), b = submit("main", 6), c = submit("main", 5), d = submit("main", 1);
    cycle_full();
    must_say(b, REASON_RESOURCES, WHY_BUSY,
             "needs 6 CPUs in main; 2 nodes: 1 too few free CPUs (n2), 1 too few CPUs (n1: 6 asked, 4 at "
             "most); "
             "room comes when job 1 reaches its limit");
    must_say(c, REASON_PRIORITY, WHY_BEHIND,
             "1 job is ahead in main; the first of them, 2, waits for resources");
    must_say(d, REASON_PRIORITY, WHY_BEHIND, "2 jobs are ahead in main");
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, c), l.now, &w);
    assert_int_equal(w.rank, 2);
    assert_int_equal(w.rank_of, 3);
    rec_fini(&msg_why_rec, &w);
    sched_why(planner, &v, lab_get(&l, a), l.now, &w);
    assert_string_equal(said_summary(&w), "job 1 does not wait: it is running");
    rec_fini(&msg_why_rec, &w);
}

static void test_why_it_may_not(void **state)
{
    (void)state;
    uint32_t held = submit("main", 1), down = submit("down", 1), staff = submit("staff", 1),
             gone = submit("none", 1);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    req_detail_mut(&j->req)->begin = wall_add_s(l.now, 3630);
    uint32_t later = lab_submit(&l, j);
    assert_int_equal(lab_hold(&l, held, HOLD_USER), 0);
    cycle_full();
    must_say(held, REASON_HELD_USER, WHY_HELD, "held by alice");
    assert_int_equal(lab_hold(&l, held, HOLD_ADMIN), 0);
    cycle_full();
    must_say(held, REASON_HELD_ADMIN, WHY_HELD, ", an administrator, who must release it");
    must_say(down, REASON_PART_DOWN, WHY_PARTITION_DOWN, "partition down is down");
    must_say(staff, REASON_PART_CONFIG, WHY_NOT_ALLOWED, "does not admit its user's groups");
    must_say(gone, REASON_PART_CONFIG, WHY_NOT_ALLOWED, "partition none is no longer configured");
    must_say(later, REASON_BEGIN_TIME, WHY_NOT_YET, "its earliest start is in 1 h");
}

static void test_why_after_too_many_restarts(void **state)
{
    (void)state;
    uint32_t id = submit("main", 1);
    for (int i = 0; i < 5; i++) {
        cycle_full();
        assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_NODE_REBOOT, 0, 0), 0);
    }
    cycle_full();
    must_say(id, REASON_HELD_REQUEUE, WHY_HELD, "held after its node was lost 5 times");
}

static void test_why_an_array_waits(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 9, 1};
    j->req.array_throttle = 3;
    uint32_t id = lab_submit(&l, j);
    cycle_full();
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
    cycle_full();
    must_say(id, REASON_RESOURCES, WHY_NODE_OUT,
             "2 nodes: 1 drained, 1 not answering; n1 is drained: fan, n2 is not answering");
    uint32_t named = submit_req("main,short", 1, "n1", 10);
    cycle_full();
    must_say(named, REASON_NODE_NOT_AVAIL, WHY_NODE_OUT, "n1 is drained: fan");
}

/* Right after the first start: nothing has failed. */
static void test_why_nodes_start(void **state)
{
    (void)state;
    struct ev_node fresh = {.node = xstrdup("n1"), .state = NODE_UNKNOWN};
    lab_must(&l, EV_NODE, 0, &fresh);
    fresh.node = xstrdup("n2");
    lab_must(&l, EV_NODE, 0, &fresh);
    uint32_t id = submit("main", 1);
    cycle_full();
    must_say(id, REASON_RESOURCES, WHY_NODE_OUT, "n[1-2] are starting (not connected yet)");
}

static void test_why_before_the_first_pass(void **state)
{
    (void)state;
    uint32_t id = submit("main", 1);
    must_say(id, REASON_PRIORITY, WHY_BEHIND, "it fits now and starts with the next scheduling cycle");
}

static void test_why_it_can_never_run(void **state)
{
    (void)state;
    uint32_t cpus = submit("main", 9);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.gpus = 1;
    req_detail_mut(&j->req)->gpu_type = xstrdup("h100");
    uint32_t type = lab_submit(&l, j);
    j = lab_job(&l, JOB_KIND_BATCH);
    j->req.ntasks = 13;
    uint32_t tasks = lab_submit(&l, j);
    j = lab_job(&l, JOB_KIND_BATCH);
    j->req.nodes_min = 2;
    req_detail_mut(&j->req)->exclusive = true;
    j->req.partition = xstrdup("narrow");
    uint32_t nodes = lab_submit(&l, j);
    j = lab_job(&l, JOB_KIND_BATCH);
    j->req.mem_node_mib = 9000;
    req_detail_mut(&j->req)->exclusive = true;
    uint32_t mem = lab_submit(&l, j);
    cycle_full();
    must_say(cpus, REASON_BAD_CONSTRAINTS, WHY_NO_FIT,
             "no node of main has 9 CPUs (2 nodes: 2 too few CPUs (n[1-2]: 9 asked, 8 at most))");
    must_say(
        type, REASON_BAD_CONSTRAINTS, WHY_NO_FIT,
        "no node of main has 1 CPU, 1 h100 GPU (2 nodes: 1 without GPUs (n2), 1 another GPU type (n1))");
    must_say(tasks, REASON_BAD_CONSTRAINTS, WHY_NO_FIT,
             "main cannot give 13 CPUs (it has 12 CPUs on 2 nodes)");
    must_say(nodes, REASON_PART_NODES, WHY_NOT_ALLOWED, "2 nodes asked, partition narrow allows 1");
    must_say(mem, REASON_BAD_CONSTRAINTS, WHY_NO_FIT,
             "main cannot give 1 CPU, 9000M of memory a node on a whole node (");
}

static void test_why_others_must_end_first(void **state)
{
    (void)state;
    uint32_t first = submit("main", 8);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.dependency = xstrdup("afterok:1");
    uint32_t id = lab_submit(&l, j);
    cycle_full();
    must_say(id, REASON_DEPENDENCY, WHY_DEP_WAIT, "waits for job 1 (running) to succeed");
    assert_int_equal(lab_end(&l, first, STEP_BATCH, 0, END_EXITED, 3, 0), 0);
    cycle_full();
    must_say(id, REASON_DEPENDENCY_NEVER, WHY_DEP_DEAD,
             "can never start: job 1 (failed, exit 3) had to succeed");
}

static void test_why_a_limit_is_reached(void **state)
{
    (void)state;
    add_limit(LIMIT_USER, 6, false);
    submit("main", 5);
    uint32_t over = submit("main", 2), alone = submit("main", 7);
    cycle_full();
    must_say(over, REASON_USER_CPUS, WHY_USER_LIMIT,
             "user alice holds 5 of 6 CPUs and asks for 2 more (hard limit for users)");
    must_say(alone, REASON_USER_CPUS, WHY_NOT_ALLOWED,
             "7 CPUs asked; user alice may hold 6 (hard limit for users)");
    add_limit(LIMIT_CLUSTER, 5, false);
    uint32_t one = submit("main", 1);
    cycle_full();
    must_say(one, REASON_GROUP_CPUS, WHY_GROUP_LIMIT,
             "the cluster holds 5 of 5 CPUs and asks for 1 more (hard limit for the cluster)");
}

/* A job over a soft limit stands behind all others; a job over a hard one delays no other job. */
static void test_why_names_only_those_ahead(void **state)
{
    (void)state;
    add_limit(LIMIT_USER, 4, true);
    submit_req("main", 4, "n1", 10);
    uint32_t over = submit_req("main", 8, NULL, 10);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->uid = 1001;
    free(j->user);
    j->user = xstrdup("bob");
    req_rare_mut(&j->req)->nodelist = xstrdup("n1");
    j->req.time_limit_s = 60;
    uint32_t bob = lab_submit(&l, j);
    struct ev_drain drain = {.node = xstrdup("n2"), .drain = true, .reason = xstrdup("fan")};
    lab_must(&l, EV_DRAIN, 0, &drain);
    cycle_full();
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, bob), l.now, &w);
    assert_int_equal(w.rank, 1);
    rec_fini(&msg_why_rec, &w);
    must_say(over, REASON_PRIORITY, WHY_BEHIND, "1 job is ahead in main; the first of them, 3, waits");
    must_say(over, REASON_PRIORITY, WHY_USER_LIMIT,
             "8 CPUs asked; user alice may hold 4 (soft limit for users): jobs within "
             "their soft limits go first, and no job is preempted for it");
}

static uint32_t submit_with(const char *licences, const char *dependency, uint32_t minutes)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("main");
    req_detail_mut(&j->req)->licenses = xstrdup(licences);
    j->req.dependency = xstrdup(dependency);
    j->req.time_limit_s = minutes * 60;
    return lab_submit(&l, j);
}

static void test_why_licences(void **state)
{
    (void)state;
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("cad"), 3};
    lab_configure(&l);
    static const char *const wants[] = {"cad:2", "cad:2", "cad:4"};
    uint32_t ids[N_OF(wants)];
    for (size_t i = 0; i < N_OF(wants); i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        req_detail_mut(&j->req)->licenses = xstrdup(wants[i]);
        ids[i] = lab_submit(&l, j);
    }
    cycle_full();
    must_say(ids[1], REASON_LICENSES, WHY_BUSY, "needs 2 of licence cad, 2 of 3 in use by job 1");
    must_say(ids[2], REASON_LICENSES, WHY_NOT_ALLOWED, "4 of licence cad asked, there are 3");
    /* The jobs ahead are not what keeps it back: the licence is told first. */
    submit("main", 8);
    submit("main", 8);
    uint32_t behind = submit_with("cad:2", NULL, 10);
    cycle_full();
    must_say(behind, REASON_LICENSES, WHY_BEHIND, "ahead in main");
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, behind), l.now, &w);
    assert_int_equal(w.causes.v[0].code, CAUSE_LICENCES);
    rec_fini(&msg_why_rec, &w);
}

static void set_window(const char *nodes, int64_t start_min, int64_t end_min, const char *users)
{
    struct ev_window body = {.window = {.name = xstrdup(users ? "course" : "fans"),
                                        .nodes = strv_split(nodes, ","),
                                        .start = wall_add_s(l.now, start_min * 60),
                                        .end = wall_add_s(l.now, end_min * 60),
                                        .kind = users ? WINDOW_RESERVATION : WINDOW_MAINTENANCE,
                                        .users = strv_split(users, ",")}};
    lab_must(&l, EV_WINDOW, 0, &body);
}

static void test_why_a_window_is_in_the_way(void **state)
{
    (void)state;
    set_window("n1,n2", 30, 60, NULL);
    uint32_t id = submit_req("main", 1, NULL, 31);
    cycle_full();
    must_say(id, REASON_MAINTENANCE, WHY_WINDOW,
             "2 nodes are kept for the maintenance window fans in 29 min: it would not end before that");
    set_window("n1,n2", -10, 90, "bob");
    cycle_full();
    must_say(id, REASON_RESOURCES, WHY_WINDOW, "2 nodes are kept for the reservation course now");
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    req_rare_mut(&j->req)->reservation = xstrdup("course");
    uint32_t other = lab_submit(&l, j);
    cycle_full();
    must_say(other, REASON_RESERVATION_GONE, WHY_NOT_ALLOWED, "reservation course is not for user alice");
}

/* Its node is busy now; when it is free a window is too near. Several partitions share the node. */
static void test_why_a_window_comes_after_a_running_job(void **state)
{
    (void)state;
    struct msg_why w;
    submit_req("main", 8, "n2", 10);
    cycle_full();
    set_window("n2", 60, 90, NULL);
    uint32_t id = submit_req("main,narrow", 8, "n2", 600);
    cycle_full();
    must_say(id, REASON_RESOURCES, WHY_WINDOW,
             "1 node is kept for the maintenance window fans in 59 min: it would not end before that");
    struct sched_view v = lab_view(&l);
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    unsigned windows = 0;
    for (size_t i = 0; i < w.causes.n; i++) {
        int64_t clears_s = (w.causes.v[i].clears.ms - l.now.ms) / MS_PER_S;
        windows += w.causes.v[i].cls == WHY_WINDOW;
        if (w.causes.v[i].cls == WHY_BUSY)
            assert_in_range(clears_s, 500, 600);
    }
    assert_int_equal(windows, 1);
    check_has("the list", said_brief(&w.causes.v[0]), "would run into maintenance");
    rec_fini(&msg_why_rec, &w);
}

/* What lies outside of the reservation that it asks for is never used. */
static void test_why_inside_a_reservation(void **state)
{
    (void)state;
    submit_req("main", 1, "n1", 10);
    cycle_full();
    set_window("n1", 0, 90, "alice");
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("main");
    j->req.ntasks = j->req.cpus_per_task = 2;
    j->req.time_limit_s = 600;
    req_rare_mut(&j->req)->reservation = xstrdup("course");
    uint32_t id = lab_submit(&l, j);
    submit_req("main", 8, "n2", 10);
    cycle_full();
    must_say(
        id, REASON_RESOURCES, WHY_BUSY,
        "2 nodes: 1 not among those asked for (n2), 1 with room for a part of it (n1: 3 CPUs together)");
}

/* n2 is half free, but not for long enough. */
static void test_why_a_place_is_held_for_others(void **state)
{
    (void)state;
    submit_req("main", 4, "n2", 10);
    uint32_t first = submit_req("main", 8, NULL, 10), late = submit_req("main", 3, "n2", 11);
    cycle_full();
    must_say(first, REASON_RESOURCES, WHY_BUSY,
             "needs 8 CPUs in main; 2 nodes: 1 too few free CPUs (n2), 1 too few CPUs (n1: 8 asked, 4 at "
             "most); "
             "room comes when job 1 reaches its limit");
    must_say(late, REASON_PRIORITY, WHY_BEHIND,
             "job 2 is planned to start there in 10 min: this job would not have ended by then");
    must_say(late, REASON_PRIORITY, WHY_BEHIND, "1 job is ahead in main");
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, late), l.now, &w);
    assert_int_equal(w.causes.n, 2); /* nothing else is said: no job is in its way, no node is busy */
    assert_int_equal(w.blockers.n, 0);
    rec_fini(&msg_why_rec, &w);
}

/* Where it will start, what makes room there, and what else is on that node. */
static void test_why_where_there_is_room(void **state)
{
    (void)state;
    uint32_t soon = submit_req("main", 4, "n2", 10), late = submit_req("main", 2, "n2", 60),
             first = submit_req("main", 6, "n2", 10);
    cycle_full();
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, first), l.now, &w);
    assert_int_equal(w.plan.n, 3);
    check_int("its own run", w.plan.v[0].job, first);
    check_int("is planned", w.plan.v[0].kind, PLAN_HELD);
    check_str("there", w.plan.v[0].nodes, "n2");
    check_int("cpus", w.plan.v[0].cpus, 6);
    check_int("when the first has ended", w.plan.v[0].start.ms, w.start.ms);
    check_int("which", w.plan.v[1].job, soon);
    check_int("ends by then", w.plan.v[1].end.ms <= w.start.ms, true);
    check_int("room makers", why_text_room_makers(&w), 1);
    check_int("the other goes on", w.plan.v[2].job, late);
    rec_fini(&msg_why_rec, &w);
    sched_why(planner, &v, lab_get(&l, soon), l.now, &w);
    check_int("of a job that runs nothing", w.plan.n, 0);
    rec_fini(&msg_why_rec, &w);
}

static void test_why_by_partition(void **state)
{
    (void)state;
    submit("main", 8);
    submit("main", 4);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("short,main,down");
    j->req.cpus_per_task = 5;
    uint32_t id = lab_submit(&l, j);
    cycle_full();
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    assert_int_equal(w.causes.n, 1); /* it never fits in short, which is not news; down is not asked */
    check_has("main", said(&w.causes.v[0]), "needs 5 CPUs in main; 2 nodes: 1 too few free CPUs");
    rec_fini(&msg_why_rec, &w);
}

static void test_why_too_late_for_its_deadline(void **state)
{
    (void)state;
    submit("main", 8);
    submit("main", 4);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("short,main");
    req_rare_mut(&j->req)->deadline = wall_add_s(l.now, 1801);
    uint32_t id = lab_submit(&l, j);
    cycle_full();
    must_say(id, REASON_RESOURCES, WHY_NOT_ALLOWED,
             "by its time limit in short it would end after its deadline, which is in 30 min");
    must_say(id, REASON_RESOURCES, WHY_BUSY, "needs 1 CPU in main; 2 nodes: 2 too few free CPUs");
}

static void test_why_names_elements_of_an_array(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 9, 1};
    j->req.cpus_per_task = 4;
    uint32_t id = lab_submit(&l, j);
    cycle_full();
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    check_has("summary", said_summary(&w), "job 1_[3-9]: ");
    check_has("cause", said(&w.causes.v[0]), "needs 4 CPUs in main");
    rec_fini(&msg_why_rec, &w);
    const struct job *first = model_get_element(&l.m, id, 0);
    sched_why(planner, &v, first, l.now, &w);
    assert_string_equal(said_summary(&w), "job 1_0 does not wait: it is running");
    rec_fini(&msg_why_rec, &w);
}

/* --- the place in the queue --- */

/* It has that place of n; 0: none, and then %r says neither Priority nor Resources. */
static void must_stand(uint32_t id, uint32_t place, uint32_t of)
{
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    char *what = xasprintf("job %u", id);
    check_int(what, w.rank, place);
    check_int(what, w.rank_of, of);
    check_int(what, w.rank > 0, w.reason == REASON_RESOURCES || w.reason == REASON_PRIORITY);
    free(what);
    rec_fini(&msg_why_rec, &w);
}

static void set_throttle(uint32_t array, uint32_t throttle)
{
    lab_get(&l, array)->req.array_throttle = throttle;
    cycle_full();
}

/* All who stand in a partition's queue are told the same number of them, and each another place. */
static void test_places_agree(void **state)
{
    (void)state;
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("cad"), 0};
    lab_configure(&l);
    submit_req("main", 4, "n1", 10);
    uint32_t array = submit_array(4, 2);
    uint32_t one = submit("main", 8), two = submit("main", 8), other = submit("short", 4);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("main");
    req_detail_mut(&j->req)->licenses = xstrdup("cad");
    uint32_t licensed = lab_submit(&l, j);
    cycle_full();
    assert_int_equal(l.m.n_active, 3);
    must_stand(array, 0, 0); /* its throttle keeps it back */
    must_stand(licensed, 0, 0);
    must_stand(one, 1, 2);
    must_stand(two, 2, 2);
    must_stand(other, 1, 1);
    set_throttle(array, 5); /* three more of its eight */
    must_stand(array, 1, 5);
    must_stand(one, 4, 5);
    must_stand(two, 5, 5);
    must_say(one, REASON_RESOURCES, WHY_BEHIND, /* its planned start is a promise */
             "3 jobs are ahead in main; the first of them, 2, waits for resources");
    set_throttle(array, 0);
    must_stand(array, 1, 10);
    must_stand(one, 9, 10);
    must_stand(two, 10, 10);
    must_stand(other, 1, 1);
    assert_int_equal(lab_hold(&l, one, HOLD_USER), 0);
    cycle_full();
    must_stand(one, 0, 0);
    must_stand(two, 9, 9);
}

/* A throttled element stands behind no job that comes after it. */
static void test_why_a_throttle_alone(void **state)
{
    (void)state;
    submit_req("main", 4, "n1", 10);
    uint32_t array = submit_array(4, 2);
    uint32_t next = submit("main", 8);
    cycle_full();
    must_stand(next, 1, 1);
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, array), l.now, &w);
    for (size_t i = 0; i < w.causes.n; i++)
        assert_int_not_equal(w.causes.v[i].cls, WHY_BEHIND);
    rec_fini(&msg_why_rec, &w);
}

/* --- when each cause can clear --- */

static void forecast(void)
{
    struct sched_view v = lab_view(&l);
    cycle_full(); /* what the last one has started is seen running */
    forecast_begin(planner_forecaster(planner), &v, l.now);
    while (!forecast_step(planner_forecaster(planner), &v, 100))
        ;
}

/* The cause of that class clears n seconds after the last start; 0: no time is known. */
static void must_clear(const char *row, uint32_t id, enum why_class cls, int64_t after_s, const char *basis)
{
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    bool found = false;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    for (size_t i = 0; i < w.causes.n; i++) {
        struct wall t = w.causes.v[i].clears;
        if (w.causes.v[i].cls != cls)
            continue;
        found = true;
        check_int(row, wall_is_set(t) ? (t.ms - l.now.ms) / 1000 : 0, after_s);
    }
    check_int(row, found, true);
    if (basis)
        check_str(row, said(&w.basis), basis);
    rec_fini(&msg_why_rec, &w);
}

static void start_must_be(const char *row, const struct msg_why *w, int64_t in_s, const char *basis)
{
    check_int(row, wall_is_set(w->start) ? (w->start.ms - l.now.ms) / 1000 : 0, in_s);
    check_str(row, w->basis.code == CAUSE_NONE ? "none" : said(&w->basis), basis);
}

/* What can be said of its start, before a forecast and after it. */
static void test_why_of_a_time_ahead(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t begin_s;
        const char *dependency;
        int64_t before_s, after_s;
        const char *before, *after;
    } rows[] = {
        {"free then", 7200, NULL, 7200, 7200, "not before that; what is free then is not worked out yet",
         "as soon as its time has come, by the time limits of what runs and waits now"},
        {"full then", 1800, NULL, 1800, 3600, "not before that; what is free then is not worked out yet",
         "after its time has come, by the time limits of what runs and of all that wait now, behind which "
         "it "
         "comes"},
        {"behind another job", 0, "afterany:1", 0, 0,
         "not before its dependency is met, and what is free then is not known",
         "not before its dependency is met, and what is free then is not known"},
        {"and a time", 1800, "afterany:1", 0, 0, "none", "none"},
    };
    l.spec.window_s = 86400;
    lab_configure(&l);
    struct job *full = lab_job(&l, JOB_KIND_BATCH);
    full->req.partition = xstrdup("main");
    full->req.nodes_min = full->req.nodes_max = 2;
    req_detail_mut(&full->req)->exclusive = true;
    full->req.time_limit_s = 3600;
    uint32_t runs = lab_submit(&l, full), ids[N_OF(rows)];
    cycle_full();
    struct wall t = lab_get(&l, runs)->t_start;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        j->req.partition = xstrdup("main");
        j->req.time_limit_s = 600;
        j->req.dependency = xstrdup(rows[i].dependency);
        if (rows[i].begin_s)
            req_detail_mut(&j->req)->begin = wall_add_s(t, rows[i].begin_s);
        ids[i] = lab_submit(&l, j);
    }
    l.now = t;
    cycle_full();
    for (int round = 0; round < 2; round++) {
        struct sched_view v = lab_view(&l);
        for (size_t i = 0; i < N_OF(rows); i++) {
            struct msg_why w;
            sched_why(planner, &v, lab_get(&l, ids[i]), l.now, &w);
            start_must_be(rows[i].name, &w, round ? rows[i].after_s : rows[i].before_s,
                          round ? rows[i].after : rows[i].before);
            rec_fini(&msg_why_rec, &w);
        }
        forecast();
        l.now = t;
    }
}

static void test_why_says_when_a_limit_opens(void **state)
{
    (void)state;
    static const char by_limits[] =
        "by the time limits of running jobs that share its limits, and of the jobs ahead";
    l.spec.window_s = 86400;
    add_limit(LIMIT_USER, 6, false);
    submit_req("main", 3, NULL, 20);
    submit_req("main", 2, NULL, 10);
    uint32_t one = submit_req("main", 2, NULL, 5), more = submit_req("main", 5, NULL, 5);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("main");
    j->req.array_throttle = 1;
    j->req.time_limit_s = 300;
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 3, 1};
    uint32_t array = lab_submit(&l, j);
    forecast();
    must_clear("CPUs", one, WHY_USER_LIMIT, 600, by_limits);
    must_clear("all of them", more, WHY_USER_LIMIT, 1200, by_limits);
    must_clear("array", array, WHY_ARRAY_THROTTLE, 300, by_limits);
}

static void test_why_says_when_others_end(void **state)
{
    (void)state;
    l.spec.window_s = 86400;
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("lic"), 2};
    lab_configure(&l);
    submit_req("main", 1, NULL, 20);
    submit_req("main", 1, NULL, 10);
    submit_with("lic:2", NULL, 7);
    uint32_t lic = submit_with("lic", NULL, 5), dep = submit_with(NULL, "afterany:1", 5);
    uint32_t all = submit_with(NULL, "afterany:1,afterok:2", 5),
             any = submit_with(NULL, "afterok:1?afterok:2", 5);
    char *after = xasprintf("after:%u+10", lic), *ok = xasprintf("afterok:%u", lic);
    uint32_t begun = submit_with(NULL, after, 5), ended = submit_with(NULL, ok, 5);
    uint32_t chain = submit_with(NULL, "afterok:5", 5);
    free(after);
    free(ok);
    uint32_t single = submit_with(NULL, "singleton", 5);
    free(lab_get(&l, single)->req.name);
    lab_get(&l, single)->req.name = xstrdup("other");
    free(lab_get(&l, 1)->req.name);
    lab_get(&l, 1)->req.name = xstrdup("other");
    forecast();
    must_clear("of its name", single, WHY_DEP_WAIT, 1200, NULL);
    must_clear("licences", lic, WHY_BUSY, 420,
               "by the time limits of running jobs that share its limits, and of the jobs ahead");
    must_clear("a dependency", dep, WHY_DEP_WAIT, 1200, NULL);
    must_clear("all of them", all, WHY_DEP_WAIT, 1200, NULL);
    must_clear("any of them", any, WHY_DEP_WAIT, 600, NULL);
    must_clear("after the start of one that waits", begun, WHY_DEP_WAIT, 420 + 600, NULL);
    must_clear("after its end", ended, WHY_DEP_WAIT, 420 + 300, NULL);
    must_clear("of one that is not forecast", chain, WHY_DEP_WAIT, 0, NULL);
}

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
        TEST(test_why_nodes_start),
        TEST(test_why_before_the_first_pass),
        TEST(test_why_it_can_never_run),
        TEST(test_why_others_must_end_first),
        TEST(test_why_a_limit_is_reached),
        TEST(test_why_names_only_those_ahead),
        TEST(test_why_licences),
        TEST(test_why_a_window_is_in_the_way),
        TEST(test_why_a_window_comes_after_a_running_job),
        TEST(test_why_inside_a_reservation),
        TEST(test_why_a_place_is_held_for_others),
        TEST(test_why_where_there_is_room),
        TEST(test_why_by_partition),
        TEST(test_why_too_late_for_its_deadline),
        TEST(test_why_names_elements_of_an_array),
        TEST(test_why_of_a_time_ahead),
        TEST(test_why_says_when_a_limit_opens),
        TEST(test_why_says_when_others_end),
        TEST(test_places_agree),
        TEST(test_why_a_throttle_alone),
    };
    return cmocka_run_group_tests_name("why", tests, NULL, NULL);
}
