/* test_jobevents.c - what has happened to a job stays in its record, and reads the same ever after. */
#include "src/model/fold/jobevents.h"
#include "src/model/private_data.h"
#include "src/model/runs.h"
#include "src/text/eventtext.h"
#include "src/text/jobtext.h"
#include "src/text/steptext.h"
#include "tests/unit/model/fold.h"

/* "text | text ...", each with its second after `from`. */
static const char *told(const struct job *j, struct wall from)
{
    static char text[4000];
    struct job_moments m;
    size_t n = 0;
    jobevents_list(j, &m);
    text[0] = '\0';
    vec_for_each (&m.v, i)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld %s", i ? " | " : "",
                              (long long)((m.v.v[i].t.ms - from.ms) / MS_PER_S), m.v.v[i].text);
    job_moments_fini(&m);
    return text;
}

static void kill_by(uint32_t id, enum kill_cause cause, enum job_fate fate, uint32_t uid, const char *user,
                    uint32_t by_job, const char *text)
{
    struct ev_kill b = {.step = STEP_ALL,
                        .cause = cause,
                        .uid = uid,
                        .fate = fate,
                        .by_job = by_job,
                        .text = xstrdup(text),
                        .user = xstrdup(user)};
    lab_must(&l, EV_KILL, id, &b);
}

static void after(int64_t s)
{
    l.now = wall_add_s(l.now, s);
}

/* "node fail" would be said of a node that was lost. */
static void test_a_job_that_a_node_refused(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    struct ev_kill refusal = {.step = STEP_ALL, .cause = KILL_NODE_FAIL, .fate = FATE_REQUEUE};
    struct cause *why = causes_set(&refusal.why, CAUSE_JOB_NODE_REFUSED);
    why->name = xstrdup("n1");
    why->text = xstrdup("no home directory");
    lab_must(&l, EV_KILL, id, &refusal);
    lab_end(&l, id, STEP_BATCH, 0, END_LAUNCH_FAILED, 0, 0);
    const struct job *j = lab_get(&l, id);
    struct str s = STR_INIT;
    struct wall when;
    struct run_record record;
    struct past_run summary;
    assert_int_equal(j->state, JOB_PENDING);
    jobtext_last_run(&s, j, &when);
    assert_string_equal(s.s, "node n1 could not start it: no home directory");
    str_clear(&s);
    run_summary(run_get(j, 0, &record), &summary); /* as `stoker why` gets it */
    jobtext_run(&s, run_read(&summary, j->uid, j->user, &record), &when);
    assert_string_equal(s.s, "node n1 could not start it: no home directory");
    rec_fini(&past_run_rec, &summary);
    str_fini(&s);
}

/* lab_apply moves the clock on a little: what is compared are whole seconds. */
static void test_a_preempted_job(void **state)
{
    (void)state;
    struct wall t0 = l.now;
    uint32_t id = running_batch();
    after(100);
    kill_by(id, KILL_PREEMPT, FATE_REQUEUE, 0, "ann", 328,
            "job 328 in partition main (tier 2) comes before partition spot (tier 1)");
    assert_int_equal(lab_get(&l, id)->state == JOB_PENDING, false);
    after(10);
    lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15);
    const struct job *j = lab_get(&l, id);
    assert_int_equal(j->state, JOB_PENDING);
    assert_true(job_waits_preempted(j));
    assert_int_equal(job_glyph(j), '~');
    char once[4000];
    snprintf(once, sizeof once, "%s", told(j, t0));
    check_has("told", once, "started on n1 in main | ");
    check_has("told", once, " preempted by job 328 of ann after 1:4");
    check_has("told", once, ": in partition main (tier 2) comes before partition spot (tier 1) | ");
    check_has("told", once, ", queued again");
    struct str s = STR_INIT;
    struct wall when;
    jobtext_last_run(&s, j, &when);
    check_has("last run", s.s, "preempted by job 328 of ann after 1:4");
    str_clear(&s);
    jobtext_restarts(&s, j);
    assert_string_equal(s.s, " (preempted once)");
    struct job copy; /* as it is stored, and as it travels: all that the record describes */
    rec_copy(&job_rec, &copy, j);
    assert_string_equal(told(&copy, t0), once);
    rec_fini(&job_rec, &copy);
    /* What comes later leaves what was told as it is. */
    after(60);
    assert_int_equal(lab_start(&l, id, ARRAY_NONE, 0, lab_alloc("n2", 0, 2, 0, 0, 100)), 0);
    after(60);
    kill_by(id, KILL_REQUEUE, FATE_REQUEUE_HOLD, 1000, "bob", 0, NULL);
    lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15);
    j = lab_get(&l, id);
    assert_int_equal(strncmp(told(j, t0), once, strlen(once)), 0);
    check_has("requeued", told(j, t0), "started on n2 in main | ");
    check_has("requeued", told(j, t0), " requeued by bob after 1:0");
    assert_false(job_waits_preempted(j));
    assert_int_equal(job_glyph(j), 'H');
    uint32_t uid;
    const char *user;
    struct wall since = job_held_since(j, &uid, &user);
    assert_string_equal(user, "bob");
    assert_int_equal(since.ms, job_rare(j)->runs.v[1].t_back.ms);
    str_fini(&s);
}

static void test_who_did_it(void **state)
{
    (void)state;
    uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
    struct ev_hold hold = {.hold = HOLD_ADMIN, .uid = 0, .user = xstrdup("root")};
    lab_must(&l, EV_HOLD, id, &hold);
    struct wall held = l.now;
    uint32_t uid;
    const char *user;
    after(50);
    assert_true(job_held_since(lab_get(&l, id), &uid, &user).ms <= held.ms);
    assert_int_equal(uid, 0);
    assert_string_equal(user, "root");
    struct ev_hold release = {.hold = HOLD_NONE, .uid = 4711};
    lab_must(&l, EV_HOLD, id, &release);
    kill_by(id, KILL_CANCEL, FATE_END, 1003, "carla", 0, NULL);
    const char *text = told(lab_get(&l, id), held);
    check_has("held", text, "held by root | ");
    check_has("a name that is not known", text, "released by uid 4711 | ");
    check_has("cancelled", text, "cancelled by carla");
    assert_null(strstr(text, "after")); /* it has not run */
    struct str s = STR_INIT;
    jobtext_end(&s, lab_get(&l, id));
    assert_string_equal(s.s, "cancelled by carla");
    str_fini(&s);
}

static void test_how_many_are_kept(void **state)
{
    (void)state;
    uint32_t id = running_batch();
    kill_by(id, KILL_PREEMPT, FATE_REQUEUE, 0, "ann", 7, "job 7 has QOS a, which may preempt QOS b");
    lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, 15);
    for (uint32_t i = 0; i < JOB_EVENTS_MAX; i++) {
        struct ev_hold b = {.hold = i % 2 ? HOLD_NONE : HOLD_USER, .uid = 1000};
        lab_must(&l, EV_HOLD, id, &b);
    }
    assert_int_equal(job_rare(lab_get(&l, id))->events.n, JOB_EVENTS_MAX);
    /* The run says itself what ended it. */
    check_has("the preemption", told(lab_get(&l, id), l.now),
              "preempted by job 7 of ann after 0:02: has QOS a, which may preempt QOS b");
}

/* More nodes come while a step job runs: where it began stays what it was. */
static void test_where_a_step_job_began(void **state)
{
    (void)state;
    uint32_t id = step_job(1, false);
    assert_int_equal(lab_place(&l, id, 0, 1, lab_alloc("n2", 0, 1, 0, 1, 10)), 0);
    check_has("one", told(lab_get(&l, id), l.now), "started on n2 in main");
    assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 1, 10)), 0);
    check_has("both", told(lab_get(&l, id), l.now), "started on n2 in main");
    struct str s = STR_INIT;
    jobtext_nodes(&s, lab_get(&l, id));
    assert_string_equal(s.s, "n[1-2]");
    str_fini(&s);
}

/* What the controller did is told by causes: on both sides of a preemption, in the run that it ended, and
 * of a task, whose message is its node's. */
static void test_causes(void **state)
{
    (void)state;
    uint32_t victim = running_batch(), owner = running_batch();
    struct ev_kill kill = {
        .step = STEP_ALL, .cause = KILL_PREEMPT, .by_job = owner, .user = xstrdup("ann")};
    *causes_set(&kill.why, CAUSE_NONE) =
        (struct cause){.code = CAUSE_PREEMPT_QOS, .n = owner, .name = xstrdup("a"), .rule = xstrdup("b")};
    struct ev_preempt other = {.n_jobs = 1};
    struct cause *part = cause_add(causes_set(&other.why, CAUSE_PREEMPTED_JOBS), CAUSE_PREEMPTED_JOB);
    part->n = victim;
    part->user = xstrdup("bo");
    causes_copy((struct causes *)(void *)&part->parts, &kill.why);
    lab_must(&l, EV_KILL, victim, &kill);
    lab_must(&l, EV_PREEMPT, owner, &other);

    char expected[200];
    struct str rule = STR_INIT;
    check_has("the victim", told(lab_get(&l, victim), l.now), ": its QOS a may preempt QOS b");
    snprintf(expected, sizeof expected,
             "preempted job %u of bo (job %u has QOS a, which may preempt QOS b)", victim, owner);
    check_has("the other side", told(lab_get(&l, owner), l.now), expected);
    assert_true(jobtext_preempted_by_rule(&rule, lab_get(&l, victim)));
    check_has("its page", rule.s, "has QOS a, which may preempt QOS b");
    str_clear(&rule);
    assert_false(jobtext_preempted_by_rule(&rule, lab_get(&l, owner)));
    str_fini(&rule);
}

static void test_messages_of_tasks(void **state)
{
    (void)state;
    struct task t = {.message = xstrdup("no such file")};
    struct str s = STR_INIT;
    tasktext_message(&s, &t);
    assert_string_equal(s.s, "no such file");
    for (enum cause_code c = CAUSE_TASK_NODE_LOST; c <= CAUSE_TASK_NOT_STARTED; c++) {
        str_clear(&s);
        rec_list_free(&cause_rec, &t.why);
        t.why = (struct causes){0};
        causes_set(&t.why, c)->most = 8u << 20;
        tasktext_message(&s, &t);
        assert_true(s.len > 0);
        assert_null(strstr(s.s, "no such file"));
    }
    str_fini(&s);
    rec_fini(&task_rec, &t);
}

/* The event that ends a job tells how it ended. A second one is there only if the end took long. */
static void test_one_event_for_a_time_limit(void **state)
{
    static const struct {
        const char *name;
        int64_t ends_after_s;
        bool second;
    } cases[] = {{"at once", 2, false}, {"slowly", 30, true}};
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint32_t id = running_batch();
        after(100);
        kill_by(id, KILL_TIMEOUT, FATE_END, 0, NULL, 0, NULL);
        after(cases[i].ends_after_s);
        lab_end(&l, id, STEP_BATCH, 0, END_TIMEOUT, 0, 15);
        assert_int_equal(lab_get(&l, id)->state, JOB_TIMEOUT);
        const char *text = told(lab_get(&l, id), l.now);
        check_has(cases[i].name, text, "time limit after 1:4");
        assert_null(strstr(text, "timeout"));
        assert_int_equal(strstr(text, "ended after 2:1") != NULL, cases[i].second);
        assert_int_equal(strstr(text, "ended") != NULL, cases[i].second);
    }
}

/* A controller ends jobs of lost nodes; root has not done it. A user who is private has no name. */
static void test_who_cancelled(void **state)
{
    static const struct {
        uint32_t uid;
        const char *user, *words;
    } cases[] = {{0, NULL, "cancelled"},
                 {0, "root", "cancelled by root"},
                 {1003, "carla", "cancelled by carla"},
                 {1003, NULL, "cancelled by uid 1003"},
                 {UID_PRIVATE, NULL, "cancelled by another user"}};
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint32_t id = lab_submit_kind(&l, JOB_KIND_BATCH);
        struct str s = STR_INIT;
        kill_by(id, KILL_CANCEL, FATE_END, cases[i].uid, cases[i].user, 0, NULL);
        jobtext_end(&s, lab_get(&l, id));
        assert_string_equal(s.s, cases[i].words);
        str_fini(&s);
    }
}

/* What a shell means by a code is said wherever the code is. */
static void test_codes_of_a_shell(void **state)
{
    static const struct {
        int code;
        const char *words;
    } cases[] = {{125, "exit 125"},
                 {126, "exit 126 (command cannot be executed)"},
                 {127, "exit 127 (command not found)"},
                 {128, "exit 128"}};
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct str s = STR_INIT;
        uint32_t id = running_batch();
        lab_end(&l, id, STEP_BATCH, 0, END_EXITED, cases[i].code, 0);
        jobtext_end(&s, lab_get(&l, id));
        check_has("the job", s.s, cases[i].words);
        check_has("its events", told(lab_get(&l, id), l.now), s.s);
        const char *meaning = strchr(cases[i].words, '(');
        str_clear(&s);
        jobtext_reason_words(&s, lab_get(&l, id));
        check_has("its reason", s.s, meaning ? meaning : "it exited with code ");
        str_clear(&s);
        id = step_job(1, false);
        assert_int_equal(lab_place(&l, id, 0, 0, lab_alloc("n1", 0, 1, 0, 1, 10)), 0);
        lab_end(&l, id, 0, 0, END_EXITED, cases[i].code, 0);
        assert_true(jobtext_failure(&s, lab_get(&l, id)));
        check_has("its task", s.s, meaning ? meaning : "exited with ");
        str_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_job_that_a_node_refused),
        TEST(test_a_preempted_job),
        TEST(test_causes),
        TEST(test_messages_of_tasks),
        TEST(test_who_did_it),
        TEST(test_how_many_are_kept),
        TEST(test_where_a_step_job_began),
        TEST(test_one_event_for_a_time_limit),
        TEST(test_who_cancelled),
        TEST(test_codes_of_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
