/* test_limits.c - limits by hand-worked tables: what is counted for whom, what breaks, what the texts say.
 */
#include "backend/sched/limits/limits.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/lab.h"
#include "tests/unit/sched/said.h"

static struct lab l;
static struct limits *lim;
static unsigned next_cpu, next_gpu;

static struct limit_set none(void)
{
    struct limit_set s;
    memset(&s, 0xff, sizeof s); /* LIMIT_NONE everywhere */
    return s;
}

static struct limit_spec *limit(enum limit_scope scope, const char *name, const char *partition)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = scope,
                             .name = xstrdup(name),
                             .partition = xstrdup(partition),
                             .soft = none(),
                             .hard = none()};
    return s;
}

static void account(const char *name, const char *parent)
{
    struct account_spec *a = rec_list_push(&l.spec.accounts);
    *a = (struct account_spec){.name = xstrdup(name), .parent = xstrdup(parent), .shares = 1};
}

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    lab_node(&l, "n1", 64, 64000, 64, NULL);
    lab_part(&l, "main", "n1")->max_time_s = 7200;
    lab_part(&l, "debug", "n1")->default_time_s = 600;
    next_cpu = next_gpu = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    limits_free(lim);
    lim = NULL;
    lab_fini(&l);
    return 0;
}

static void configure(void)
{
    lab_configure(&l);
    limits_free(lim);
    lim = limits_new(&l.m);
}

static uint32_t submit(const char *user, const char *acct, const char *qos, const char *part, uint32_t gpus)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    free(j->user);
    j->user = xstrdup(user);
    j->req.account = xstrdup(acct);
    req_detail_mut(&j->req)->qos = xstrdup(qos);
    j->req.partition = xstrdup(part);
    j->req.gpus = gpus;
    uint32_t id = lab_submit(&l, j);
    limits_recount(lim, &l.m, id);
    return id;
}

static void start(uint32_t id, unsigned gpus)
{
    struct ev_start body = {
        .array_index = ARRAY_NONE, .partition = xstrdup(lab_get(&l, id)->partition), .time_limit_s = 3600};
    *(struct alloc *)rec_list_push(&body.alloc) = lab_alloc("n1", next_cpu++, 1, next_gpu, gpus, 100);
    next_gpu += gpus;
    lab_must(&l, EV_START, id, &body);
    limits_recount(lim, &l.m, id);
}

static void end(uint32_t id)
{
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    limits_recount(lim, &l.m, id);
}

static struct limit_verdict request(const char *user, const char *acct, const char *qos, const char *part,
                                    uint64_t gpus)
{
    struct limit_verdict v;
    struct limit_request a = {.who = limits_who(lim, &l.m, user, acct, qos, part),
                              .jobs = 1,
                              .gpus = gpus,
                              .cpus = 1,
                              .nodes = 1,
                              .mem_mib = 100,
                              .limit_s = 3600};
    limits_check(lim, &a, &v);
    return v;
}

static void must_say(const char *row, const struct limit_verdict *v, const char *want)
{
    struct str b = STR_INIT;
    struct cause c = {0};
    limit_cause(v, &c);
    str_append(&b, said(&c));
    cause_clear(&c);
    check_str(row, b.s, want);
    str_fini(&b);
}

/* --- no limits --- */

static void test_nothing_is_limited(void **state)
{
    (void)state;
    configure();
    assert_false(limits_any(lim));
    assert_false(limits_any(NULL));
    struct limit_verdict v = request("bob", NULL, NULL, "main", 1000000);
    assert_int_equal(v.state, LIMIT_OK);
    must_say("none", &v, "");
}

/* --- scopes --- */

static void test_each_user_for_himself(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*", "main")->hard.gpus = 8;
    configure();
    start(submit("bob", NULL, NULL, "main", 6), 6);
    start(submit("bob", NULL, NULL, "debug", 6), 6); /* another partition: counts nowhere */
    struct limit_verdict v = request("bob", NULL, NULL, "main", 2);
    assert_int_equal(v.state, LIMIT_OK);
    v = request("bob", NULL, NULL, "main", 3);
    assert_int_equal(v.state, LIMIT_OVER_HARD);
    must_say("three", &v,
             "user bob holds 6 of 8 GPUs and asks for 3 more (hard limit for users in partition main)");
    assert_string_equal(reason_slurm(limit_reason(&v)), "QOSMaxGRESPerUser");
    assert_int_equal(limit_why_class(&v), WHY_USER_LIMIT);
    v = request("eve", NULL, NULL, "main", 8);
    assert_int_equal(v.state, LIMIT_OK);
    v = request("bob", NULL, NULL, "debug", 60);
    assert_int_equal(v.state, LIMIT_OK);
}

static void test_who_is_counted(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        enum limit_scope scope;
        const char *name;
        bool counts_bob; /* a job of bob, account vision, QOS high, partition main */
        bool asks_same;  /* the same is asked again */
    } rows[] = {
        {"bob's name", LIMIT_USER, "bob", true, true},
        {"another's name", LIMIT_USER, "eve", false, true},
        {"bob's account", LIMIT_ACCOUNT, "vision", true, true},
        {"the account above", LIMIT_ACCOUNT, "science", true, true},
        {"the root", LIMIT_ACCOUNT, "root", true, true},
        {"an account beside", LIMIT_ACCOUNT, "text", false, true},
        {"every account", LIMIT_ACCOUNT, "*", true, true},
        {"the job's QOS", LIMIT_QOS, "high", true, true},
        {"another QOS", LIMIT_QOS, "low", false, true},
        {"the job's partition", LIMIT_PARTITION, "main", true, true},
        {"every partition", LIMIT_PARTITION, "*", true, true},
        {"another partition", LIMIT_PARTITION, "debug", false, true},
        {"the cluster", LIMIT_CLUSTER, "*", true, true},
        {"the cluster, no name", LIMIT_CLUSTER, NULL, true, true},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        tear_down(NULL);
        set_up(NULL);
        account("science", "root");
        account("vision", "science");
        account("text", "science");
        limit(rows[i].scope, rows[i].name, NULL)->hard.running_jobs = 1;
        configure();
        start(submit("bob", "vision", "high", "main", 0), 0);
        struct limit_verdict v = request("bob", "vision", "high", "main", 0);
        check_int(rows[i].row, v.state, rows[i].counts_bob ? LIMIT_OVER_HARD : LIMIT_OK);
    }
}

static void test_a_subtree_counts_together(void **state)
{
    (void)state;
    account("science", "root");
    account("vision", "science");
    account("text", "science");
    account("loop", "loop"); /* a chain that runs in circles ends nowhere */
    limit(LIMIT_ACCOUNT, "science", NULL)->hard.gpus = 4;
    configure();
    start(submit("bob", "vision", NULL, "main", 3), 3);
    struct limit_verdict v = request("eve", "text", NULL, "main", 2);
    assert_int_equal(v.state, LIMIT_OVER_HARD);
    must_say("subtree", &v,
             "account science holds 3 of 4 GPUs and asks for 2 more (hard limit for account science)");
    assert_string_equal(reason_slurm(limit_reason(&v)), "AssocGrpGRES");
    assert_int_equal(limit_why_class(&v), WHY_GROUP_LIMIT);
    v = request("eve", "loop", NULL, "main", 2);
    assert_int_equal(v.state, LIMIT_OK);
}

/* --- amounts --- */

static void test_each_amount(void **state)
{
    (void)state;
    /* One job runs: 1 CPU, 2 GPUs, 100 MiB, 1 node, 7200 s. The ask is the same, for 3600 s. */
    static const struct {
        const char *row;
        size_t member;
        uint64_t ok, over;
        const char *text, *slurm;
    } rows[] = {
        {"gpus", offsetof(struct limit_set, gpus), 4, 3, "user bob holds 2 of 3 GPUs and asks for 2 more",
         "QOSMaxGRESPerUser"},
        {"cpus", offsetof(struct limit_set, cpus), 2, 1, "user bob holds 1 of 1 CPU and asks for 1 more",
         "QOSMaxCpuPerUserLimit"},
        {"memory", offsetof(struct limit_set, mem_mib), 200, 199,
         "user bob holds 100M of 199M of memory and asks for 100M more", "QOSMaxMemoryPerUser"},
        {"nodes", offsetof(struct limit_set, nodes), 2, 1, "user bob holds 1 of 1 node and asks for 1 more",
         "QOSMaxNodePerUserLimit"},
        {"running", offsetof(struct limit_set, running_jobs), 2, 1, "user bob has 1 of 1 running job",
         "QOSMaxJobsPerUserLimit"},
        {"gpu minutes", offsetof(struct limit_set, gpu_minutes), 360, 359,
         "user bob has used or holds 240 of 359 GPU minutes and asks for 120 more",
         "QOSMaxGRESMinutesPerJob"},
    };
    for (size_t i = 0; i < N_OF(rows); i++)
        for (int over = 0; over < 2; over++) {
            char want[256];
            tear_down(NULL);
            set_up(NULL);
            struct limit_spec *s = limit(LIMIT_USER, "bob", NULL);
            memcpy((char *)&s->hard + rows[i].member, over ? &rows[i].over : &rows[i].ok, sizeof(uint64_t));
            configure();
            uint32_t id = submit("bob", NULL, NULL, "main", 2);
            struct ev_start body = {
                .array_index = ARRAY_NONE, .partition = xstrdup("main"), .time_limit_s = 7200};
            *(struct alloc *)rec_list_push(&body.alloc) = lab_alloc("n1", 0, 1, 0, 2, 100);
            lab_must(&l, EV_START, id, &body);
            limits_recount(lim, &l.m, id);
            struct limit_verdict v = request("bob", NULL, NULL, "main", 2);
            check_int(rows[i].row, v.state, over ? LIMIT_OVER_HARD : LIMIT_OK);
            if (!over)
                continue;
            snprintf(want, sizeof want, "%s (hard limit for user bob)", rows[i].text);
            must_say(rows[i].row, &v, want);
            check_str(rows[i].row, reason_slurm(limit_reason(&v)), rows[i].slurm);
        }
}

static void test_what_is_not_asked_for_does_not_break(void **state)
{
    (void)state;
    struct limit_spec *s = limit(LIMIT_USER, "*", NULL);
    configure();
    start(submit("bob", NULL, NULL, "main", 5), 5);
    l.spec.limits.v[0].hard.gpus = 4; /* lowered while five are held */
    (void)s;
    configure();
    assert_int_equal(request("bob", NULL, NULL, "main", 0).state, LIMIT_OK);
    assert_int_equal(request("bob", NULL, NULL, "main", 1).state, LIMIT_OVER_HARD);
}

static void test_soft_and_hard(void **state)
{
    (void)state;
    struct limit_spec *s = limit(LIMIT_USER, "*", NULL);
    s->soft.gpus = 2;
    s->hard.gpus = 4;
    limit(LIMIT_CLUSTER, NULL, NULL)->hard.gpus = 6;
    configure();
    start(submit("bob", NULL, NULL, "main", 2), 2);
    struct limit_verdict v = request("bob", NULL, NULL, "main", 1);
    assert_int_equal(v.state, LIMIT_OVER_SOFT);
    must_say("soft", &v, "user bob holds 2 of 2 GPUs and asks for 1 more (soft limit for users)");
    start(submit("eve", NULL, NULL, "main", 3), 3);
    v = request("bob", NULL, NULL, "main",
                2); /* over bob's soft one, and over the cluster's: the hard one counts */
    assert_int_equal(v.state, LIMIT_OVER_HARD);
    must_say("hard", &v, "the cluster holds 5 of 6 GPUs and asks for 2 more (hard limit for the cluster)");
    end(1);
    assert_int_equal(request("bob", NULL, NULL, "main", 2).state, LIMIT_OK);
}

/* --- a pass --- */

static void test_a_cycle_charges_and_takes_back(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*", NULL)->hard.running_jobs = 2;
    configure();
    struct limit_request a = {
        .who = limits_who(lim, &l.m, "bob", NULL, NULL, "main"), .jobs = 1, .limit_s = 60};
    limits_begin(lim, &l.m, l.now);
    limits_charge(lim, &a);
    size_t mark = limits_mark(lim);
    limits_charge(lim, &a);
    assert_int_equal(limits_check(lim, &a, NULL), LIMIT_OVER_HARD);
    limits_rewind(lim, mark);
    assert_int_equal(limits_check(lim, &a, NULL), LIMIT_OK);
    limits_charge(lim, &a);
    limits_begin(lim, &l.m, l.now); /* forgets the pass before */
    limits_charge(lim, &a);
    assert_int_equal(limits_check(lim, &a, NULL), LIMIT_OK);
}

static void test_the_counters_follow_the_events(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*", NULL)->hard.running_jobs = 1;
    configure();
    uint32_t id = submit("bob", NULL, NULL, "main", 0);
    assert_int_equal(request("bob", NULL, NULL, "main", 0).state, LIMIT_OK); /* waiting is not running */
    start(id, 0);
    limits_recount(lim, &l.m, id); /* once more changes nothing */
    assert_int_equal(request("bob", NULL, NULL, "main", 0).state, LIMIT_OVER_HARD);
    end(id);
    assert_int_equal(request("bob", NULL, NULL, "main", 0).state, LIMIT_OK);
    assert_int_equal(lab_requeue(&l, id, false), 0);
    limits_recount(lim, &l.m, id);
    start(id, 0);
    struct ev_kill kill = {.step = STEP_ALL, .cause = KILL_CANCEL, .fate = FATE_END};
    lab_must(&l, EV_KILL, id, &kill);
    limits_recount(lim, &l.m, id);
    assert_int_equal(request("bob", NULL, NULL, "main", 0).state,
                     LIMIT_OVER_HARD); /* it still holds its node */
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
    limits_recount(lim, &l.m, id);
    assert_int_equal(request("bob", NULL, NULL, "main", 0).state, LIMIT_OK);
    limits_recount(lim, &l.m, 4711); /* never heard of */
}

static void test_tasks_of_a_step_job(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*", NULL)->hard.cpus = 3;
    l.spec.limits.v[0].hard.running_jobs = 1;
    configure();
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    lab_step(j, "a", 4);
    uint32_t id = lab_submit(&l, j);
    for (uint32_t k = 0; k < 3; k++)
        assert_int_equal(lab_place(&l, id, 0, k, lab_alloc("n1", k, 1, 0, 0, 1)), 0);
    limits_recount(lim, &l.m, id);
    struct limit_request a;
    limits_request_next(lim, &l.m, lab_get(&l, id), model_get_part(&l.m, "main"), &a);
    assert_int_equal(a.jobs, 0); /* the job runs already */
    struct limit_verdict v;
    assert_int_equal(limits_check(lim, &a, &v), LIMIT_OVER_HARD);
    assert_int_equal(v.what, LIMIT_OF_CPUS);
}

static void test_gpu_minutes_fade(void **state)
{
    (void)state;
    limit(LIMIT_USER, "bob", NULL)->hard.gpu_minutes = 1000;
    l.spec.priority.decay_half_life_s = 3600;
    configure();
    struct ev_usage usage = {.rows.n = 0};
    struct usage_row *r = rec_list_push(&usage.rows);
    *r = (struct usage_row){.account = xstrdup(""),
                            .user = xstrdup("bob"),
                            .qos = xstrdup(""),
                            .partition = xstrdup("main"),
                            .gpu_s = 1000 * 60,
                            .t = l.now};
    lab_must(&l, EV_USAGE, 0, &usage);
    struct wall t = l.m.usage.rows[0].t;
    request("bob", NULL, NULL, "main", 1);
    limits_begin(lim, &l.m, t);
    struct limit_verdict v = request("bob", NULL, NULL, "main", 1); /* 60 minutes more */
    assert_int_equal(v.state, LIMIT_OVER_HARD);
    assert_int_equal(v.used, 1000);
    limits_begin(lim, &l.m, wall_add_s(t, 3600));
    v = request("bob", NULL, NULL, "main", 9); /* 540 beside the 500 that are left */
    assert_int_equal(v.used, 500);
    assert_int_equal(v.state, LIMIT_OVER_HARD);
    assert_int_equal(request("bob", NULL, NULL, "main", 8).state, LIMIT_OK);
    assert_int_equal(request("eve", NULL, NULL, "main", 9).state, LIMIT_OK);
}

/* --- what can never be --- */

static void test_alone_too_much(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*", "main")->hard.gpus = 8;
    limit(LIMIT_QOS, "high", NULL)->hard.gpu_minutes = 100;
    configure();
    struct limit_request a = {
        .who = limits_who(lim, &l.m, "bob", NULL, NULL, "main"), .jobs = 1, .gpus = 9};
    struct limit_verdict v;
    assert_false(limits_could_ever(lim, &a, &v));
    must_say("gpus", &v, "9 GPUs asked; user bob may hold 8 (hard limit for users in partition main)");
    a.gpus = 8;
    assert_true(limits_could_ever(lim, &a, &v));
    a = (struct limit_request){
        .who = limits_who(lim, &l.m, "bob", NULL, "high", "main"), .jobs = 1, .gpus = 1, .limit_s = 6000};
    assert_true(limits_could_ever(lim, &a, NULL));
    a.limit_s = 6001;
    assert_false(limits_could_ever(lim, &a, NULL));
    a.limit_s = DURATION_UNLIMITED;
    assert_false(limits_could_ever(lim, &a, &v));
    must_say("no limit", &v,
             "GPUs without a time limit asked; QOS high may hold 100 (hard limit for QOS high)");
    a.gpus = 0; /* takes none of it */
    assert_true(limits_could_ever(lim, &a, NULL));
}

/* An array of n elements, or a plain job, that is not in the queue yet. */
static struct job *new_job(const char *user, const char *parts, uint32_t n)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->id = l.m.next_job;
    free(j->user);
    j->user = xstrdup(user);
    j->partition = xstrndup(parts, strcspn(parts, ","));
    j->req.partition = xstrdup(parts);
    if (n > 1) {
        *(struct index_range *)rec_list_push(&job_rare_mut(j)->array_pending) =
            (struct index_range){.first = 0, .last = n - 1, .step = 1};
        j->array_job = j->id;
        job_origin_mut(j)->array_count = n;
    }
    return j;
}

/* NULL says: it may come in. */
static void enters(const char *user, const char *parts, uint32_t n, const char *says)
{
    struct job *j = new_job(user, parts, n);
    struct cause text = {0};
    assert_int_equal(limits_submit(lim, &l.m, j, &text), says ? REFUSAL_POLICY : REFUSAL_NONE);
    assert_string_equal(said(&text), says ? says : "");
    cause_clear(&text);
    job_free(j);
}

static uint32_t enqueue(const char *user, const char *parts, uint32_t n)
{
    uint32_t id = lab_submit(&l, new_job(user, parts, n));
    limits_recount(lim, &l.m, id);
    return id;
}

static void test_places_in_the_queue(void **state)
{
    (void)state;
    struct limit_spec *s = limit(LIMIT_USER, "*", NULL);
    s->hard.submitted_jobs = 5;
    configure();
    enters("bob", "main", 5, NULL);
    enters("bob", "main", 6, "6 jobs in the queue asked; user bob may hold 5 (hard limit for users)");
    enqueue("bob", "main", 3);
    start(submit("bob", NULL, NULL, "main", 0), 0); /* running ones count too */
    enters("bob", "main", 1, NULL);
    enters("bob", "main", 2,
           "user bob has 4 of 5 jobs in the queue and asks for 2 more (hard limit for users)");
    enters("eve", "main", 3, NULL);
}

static void test_size_of_arrays(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*", NULL)->hard.array_size = 3;
    limit(LIMIT_PARTITION, "debug", NULL)->hard.array_size = 2;
    configure();
    enters("eve", "main", 3, NULL);
    enters("eve", "main", 4, "4 elements in an array asked; user eve may have 3 (hard limit for users)");
    enters("eve", "main,debug", 3,
           "3 elements in an array asked; partition debug may have 2 (hard limit for partition debug)");
}

/* The name of an open partition in front of it opens no limited one. */
static void test_queues_of_several_partitions(void **state)
{
    (void)state;
    static const char full[] =
        "partition debug has 2 of 2 jobs in the queue and asks for 1 more (hard limit for partitions)";
    limit(LIMIT_PARTITION, "*", NULL)->hard.submitted_jobs = 2;
    limit(LIMIT_USER, "*", "debug")->hard.submitted_jobs = 1;
    configure();
    uint32_t both = enqueue("bob", "main,debug", 1);
    enters("eve", "main,debug", 1, NULL);
    enters("bob", "main,debug", 1,
           "user bob has 1 of 1 job in the queue and asks for 1 more (hard limit for users in partition "
           "debug)");
    enters("bob", "main", 1, NULL);
    uint32_t other = enqueue("eve", "debug", 1);
    enters("dan", "main,debug", 1, full);
    enters("dan", "debug", 1, full);
    enters("dan", "main", 1, NULL);
    start(both, 0); /* in the first: it waits in the other no more */
    enters("dan", "debug", 1, NULL);
    assert_int_equal(lab_kill(&l, other, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    limits_recount(lim, &l.m, other);
    enters("dan", "main,debug", 1, NULL);
}

/* A job that is changed counts where it was not before, and only there. */
static void test_queues_that_a_job_moves_to(void **state)
{
    (void)state;
    limit(LIMIT_PARTITION, "*", NULL)->hard.submitted_jobs = 1;
    limit(LIMIT_QOS, "*", NULL)->hard.submitted_jobs = 2;
    configure();
    enqueue("eve", "debug", 1);
    uint32_t id = enqueue("bob", "main", 1);
    struct job moved = *lab_get(&l, id);
    char debug[] = "debug", both[] = "main,debug", first[] = "main", high[] = "high";
    struct cause text = {0};
    assert_int_equal(limits_submit(lim, &l.m, &moved, &text), REFUSAL_NONE); /* nothing changes */
    moved.req.partition = debug;
    assert_int_equal(limits_submit(lim, &l.m, &moved, &text), REFUSAL_POLICY);
    assert_string_equal(said(&text),
                        "partition debug has 1 of 1 job in the queue and asks for 1 more (hard "
                        "limit for partitions)");
    moved.req.partition = both;
    assert_int_equal(limits_submit(lim, &l.m, &moved, &text), REFUSAL_POLICY);
    moved.req.partition = first;
    struct job_req_detail in_high = {.qos = high};
    moved.req.detail = &in_high;
    assert_int_equal(limits_submit(lim, &l.m, &moved, &text), REFUSAL_NONE);
    rec_fini(&cause_rec, &text);
}

/* Several tasks on a node hold it once; the first of them begins with it. */
static void test_nodes_of_a_step_job(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*", NULL)->hard.nodes = 1;
    configure();
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    free(j->user);
    j->user = xstrdup("bob");
    lab_step(j, "many", 4);
    uint32_t id = lab_submit(&l, j);
    const struct part_spec *main_part = model_get_part(&l.m, "main");
    struct limit_request a;
    limits_request_next(lim, &l.m, lab_get(&l, id), main_part, &a);
    assert_int_equal(a.nodes, 1);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(lab_place(&l, id, 0, i, lab_alloc("n1", i, 1, 0, 0, 100)), 0);
        limits_recount(lim, &l.m, id);
        limits_request_next(lim, &l.m, lab_get(&l, id), main_part, &a);
        assert_int_equal(a.nodes, 0);
        assert_int_equal(limits_check(lim, &a, NULL), LIMIT_OK);
        if (i == 2) { /* what asks for another node is over it */
            struct limit_verdict v;
            a.nodes = 1;
            assert_int_equal(limits_check(lim, &a, &v), LIMIT_OVER_HARD);
            assert_int_equal(v.used, 1);
        }
    }
}

static void test_what_a_job_asks_for(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*", NULL)->hard.cpus = 1000;
    configure();
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.ntasks = 6;
    j->req.cpus_per_task = 2;
    j->req.nodes_min = j->req.nodes_max = 2;
    j->req.gpus_per_node = 3;
    j->req.mem_node_mib = 500;
    struct limit_request a;
    limits_request_job(lim, &l.m, j, model_get_part(&l.m, "main"), &a);
    assert_int_equal(a.cpus, 12);
    assert_int_equal(a.gpus, 6);
    assert_int_equal(a.nodes, 2);
    assert_int_equal(a.mem_mib, 1000);
    assert_int_equal(a.jobs, 1);
    assert_int_equal(a.limit_s, 7200); /* the partition's longest */
    limits_request_job(lim, &l.m, j, model_get_part(&l.m, "debug"), &a);
    assert_int_equal(a.limit_s, 600); /* its default */
    j->req.time_limit_s = 60;
    limits_request_job(lim, &l.m, j, model_get_part(&l.m, "debug"), &a);
    assert_int_equal(a.limit_s, 60);
    job_free(j);
}

/* A check is asked for each group of jobs in each pass. */
static void test_a_check_is_quick(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        limit((enum limit_scope)(i % 5), i % 2 ? "*" : "bob", NULL)->hard.gpus = 1000;
    configure();
    struct limit_request a = {
        .who = limits_who(lim, &l.m, "bob", "vision", "high", "main"), .jobs = 1, .gpus = 1};
    struct timespec t0, t1;
    enum { ROUNDS = 2000 };
    int64_t best = INT64_MAX; /* of several: the machine is not ours alone */
    for (int k = 0; k < 100; k++) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t0);
        for (int i = 0; i < ROUNDS; i++)
            assert_int_equal(limits_check(lim, &a, NULL), LIMIT_OK);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t1);
        int64_t ns = ((t1.tv_sec - t0.tv_sec) * 1000000000 + t1.tv_nsec - t0.tv_nsec) / ROUNDS;
        best = ns < best ? ns : best;
    }
    printf("limits_check with ten limits: %" PRId64 " ns\n", best);
    assert_true(best <
                20000); /* a twentieth of that is aimed at; sanitizers and other machines are slower */
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_nothing_is_limited),
        TEST(test_each_user_for_himself),
        TEST(test_who_is_counted),
        TEST(test_a_subtree_counts_together),
        TEST(test_each_amount),
        TEST(test_what_is_not_asked_for_does_not_break),
        TEST(test_soft_and_hard),
        TEST(test_a_cycle_charges_and_takes_back),
        TEST(test_the_counters_follow_the_events),
        TEST(test_tasks_of_a_step_job),
        TEST(test_gpu_minutes_fade),
        TEST(test_alone_too_much),
        TEST(test_places_in_the_queue),
        TEST(test_size_of_arrays),
        TEST(test_queues_of_several_partitions),
        TEST(test_queues_that_a_job_moves_to),
        TEST(test_nodes_of_a_step_job),
        TEST(test_what_a_job_asks_for),
        TEST(test_a_check_is_quick),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
