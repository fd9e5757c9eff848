/* test_why_causes.c - several causes at once, starts that never come, preemption: as users have met them.
 */
#include <stdlib.h>

#include "backend/sched/explain/explain.h"
#include "tests/unit/sched/whylab.h"

/* n causes of that class, and in the first line of a list that sentence. */
static void must_count(const char *row, uint32_t id, enum why_class cls, size_t want, const char *sentence)
{
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    size_t n = 0;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    for (size_t i = 0; i < w.causes.n; i++)
        n += w.causes.v[i].cls == cls;
    check_int(row, n, want);
    if (sentence)
        check_str(row, said_brief(&w.causes.v[0]), sentence);
    rec_fini(&msg_why_rec, &w);
}

/* The cause with that text clears n seconds from now; 0: no time is known. */
static void must_clear(uint32_t id, const char *text, int64_t in_s)
{
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    bool found = false;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    for (size_t i = 0; i < w.causes.n; i++) {
        const struct cause *c = &w.causes.v[i];
        if (!strstr(said(c), text))
            continue;
        found = true;
        check_int(text, wall_is_set(c->clears) ? (c->clears.ms - l.now.ms) / MS_PER_S : 0, in_s);
    }
    check_int(text, found, true);
    rec_fini(&msg_why_rec, &w);
}

static void must_never_say(uint32_t id, const char *text)
{
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    for (size_t i = 0; i < w.causes.n; i++)
        if (strstr(said(&w.causes.v[i]), text))
            fail_msg("job %u: \"%s\"", id, said(&w.causes.v[i]));
    rec_fini(&msg_why_rec, &w);
}

static struct limit_spec *limit(enum limit_scope scope)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = scope, .name = xstrdup("*")};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    return s;
}

static uint32_t submit_gpus(uint32_t cpus, uint32_t gpus, uint32_t minutes, const char *node)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("main");
    j->req.account = xstrdup("phys");
    j->req.cpus_per_task = cpus;
    j->req.gpus = gpus;
    j->req.time_limit_s = minutes * 60;
    req_rare_mut(&j->req)->nodelist = xstrdup(node);
    return lab_submit(&l, j);
}

static void forecast(void)
{
    struct sched_view v = lab_view(&l);
    forecast_begin(planner_forecaster(planner), &v, l.now);
    while (!forecast_step(planner_forecaster(planner), &v, 100))
        ;
}

/* --- several at once --- */

static void test_two_limits_of_a_user(void **state)
{
    (void)state;
    struct limit_spec *s = limit(LIMIT_USER);
    s->hard.cpus = 4;
    s->hard.gpus = 1;
    lab_configure(&l);
    submit_gpus(3, 1, 10, NULL);
    uint32_t id = submit_gpus(3, 1, 10, NULL);
    cycle_full();
    must_say(id, REASON_USER_GPUS, WHY_USER_LIMIT, "user alice holds 1 of 1 GPU and asks for 1 more");
    must_say(id, REASON_USER_GPUS, WHY_USER_LIMIT, "user alice holds 3 of 4 CPUs and asks for 3 more");
    must_count("both", id, WHY_USER_LIMIT, 2, "user limit reached: 1 of 1 GPU");
}

static void test_cpus_and_gpu_minutes_of_an_account(void **state)
{
    (void)state;
    struct limit_spec *s = limit(LIMIT_ACCOUNT);
    s->hard.cpus = 4;
    s->hard.gpu_minutes = 30;
    l.spec.priority.decay_half_life_s = 7 * 86400;
    lab_configure(&l);
    submit_gpus(3, 1, 10, NULL);
    uint32_t id = submit_gpus(2, 1, 25, NULL);
    cycle_full();
    must_say(id, REASON_GROUP_CPUS, WHY_GROUP_LIMIT, "account phys holds 3 of 4 CPUs and asks for 2 more");
    must_say(id, REASON_GROUP_CPUS, WHY_GROUP_LIMIT,
             "account phys has used or holds 10 of 30 GPU minutes and asks for 25 more");
    must_count("both", id, WHY_GROUP_LIMIT, 2, "account limit: 3 of 4 CPUs in use, asks for 2");
    l.now = lab_get(&l, 1)->t_start;
    must_clear(id, "CPUs", 600);
    must_clear(id, "GPU minutes", 600 + 7 * 86400); /* ten of them fade to five */
}

static void test_inactive_partition_with_a_rule(void **state)
{
    (void)state;
    uint32_t id = submit("staff", 1);
    for (size_t i = 0; i < l.spec.parts.n; i++)
        if (str_eq(l.spec.parts.v[i].name, "staff"))
            l.spec.parts.v[i].state = PART_INACTIVE;
    lab_configure(&l);
    cycle_full();
    must_say(id, REASON_PART_INACTIVE, WHY_PARTITION_DOWN, "partition staff is inactive");
    must_say(id, REASON_PART_INACTIVE, WHY_NOT_ALLOWED, "partition staff does not admit its user's groups");
}

/* --- what can never start --- */

static uint32_t submit_licensed(const char *licences)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("main");
    req_detail_mut(&j->req)->licenses = xstrdup(licences);
    j->req.time_limit_s = 600;
    return lab_submit(&l, j);
}

/* The licences were cut, or removed, while a job that asks for two of them waited. */
static void test_no_start_for_licences_that_are_gone(void **state)
{
    (void)state;
    l.spec.window_s = 86400;
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("cad"), 2};
    lab_configure(&l);
    submit_licensed("cad:1");
    uint32_t id = submit_licensed("cad:2");
    cycle_full();
    forecast();
    check_int("two", forecast_of(planner_forecaster(planner), id).kind, FORECAST_PLANNED);
    for (uint32_t left = 1; left <= 1; left--) {
        l.spec.licenses.v[0].count = left;
        if (!left)
            free(l.spec.licenses.v[--l.spec.licenses.n].name);
        lab_configure(&l);
        cycle_full();
        forecast();
        check_int("none left", forecast_of(planner_forecaster(planner), id).kind, FORECAST_BEYOND);
        check_int("in why", wall_is_set(forecast_of(planner_forecaster(planner), id).start), false);
        struct sched_view v = lab_view(&l);
        struct msg_why w;
        sched_why(planner, &v, lab_get(&l, id), l.now, &w);
        check_int("no start", wall_is_set(w.start), false);
        check_int("no basis", w.basis.code, CAUSE_NONE);
        rec_fini(&msg_why_rec, &w);
        must_say(id, REASON_LICENSES, WHY_NOT_ALLOWED,
                 left ? "2 of licence cad asked, there are 1" : "there is no licence cad");
    }
}

/* The list has a column for the start: what a licence lets wait has one there as on its page. */
static void test_list_has_the_start_beside_a_licence(void **state)
{
    (void)state;
    l.spec.window_s = 86400;
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("cad"), 2};
    lab_configure(&l);
    submit_licensed("cad:2");
    uint32_t id = submit_licensed("cad:2");
    cycle_full();
    forecast();
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    struct cause c;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    sched_waits_begin(planner, &v, l.now);
    sched_wait(planner, &v, lab_get(&l, id), l.now, &c);
    sched_waits_end(planner);
    assert_int_equal(c.code, CAUSE_LICENCES);
    assert_int_equal(w.start.ms, wall_add_s(l.now, 600).ms);
    assert_int_equal(c.start.ms, w.start.ms);
    cause_clear(&c);
    rec_fini(&msg_why_rec, &w);
}

/* A release is refused as a submission is: it is not offered. */
static void test_held_and_never_to_run(void **state)
{
    (void)state;
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("cad"), 1};
    lab_configure(&l);
    uint32_t large = submit("main", 9), licence = submit_licensed("cad:2"), fine = submit("main", 8);
    assert_int_equal(lab_hold(&l, large, HOLD_USER), 0);
    assert_int_equal(lab_hold(&l, licence, HOLD_USER), 0);
    assert_int_equal(lab_hold(&l, fine, HOLD_USER), 0);
    cycle_full();
    must_say(large, REASON_HELD_USER, WHY_HELD,
             "held by alice; a release is refused: no node of main has 9 CPUs");
    must_say(large, REASON_HELD_USER, WHY_NO_FIT, "no node of main has 9 CPUs");
    must_never_say(large, "stoker release");
    must_say(licence, REASON_HELD_USER, WHY_HELD,
             "held by alice; a release is refused: 2 of licence cad asked, there are 1");
    must_say(licence, REASON_HELD_USER, WHY_NOT_ALLOWED, "2 of licence cad asked, there are 1");
    must_never_say(licence, "stoker release");
    must_say(fine, REASON_HELD_USER, WHY_HELD, "held by alice");
}

static void test_longer_than_its_reservation(void **state)
{
    (void)state;
    struct ev_window body = {.window = {.name = xstrdup("course"),
                                        .nodes = strv_split("n2", ","),
                                        .start = l.now,
                                        .end = wall_add_s(l.now, 1801),
                                        .kind = WINDOW_RESERVATION,
                                        .users = strv_split("alice", ",")}};
    lab_must(&l, EV_WINDOW, 0, &body);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup("main");
    j->req.time_limit_s = 3600;
    req_rare_mut(&j->req)->reservation = xstrdup("course");
    uint32_t id = lab_submit(&l, j);
    cycle_full();
    must_say(
        id, REASON_RESOURCES, WHY_NOT_ALLOWED,
        "by its time limit in main it would end after the end of its reservation course, which is in ");
    must_never_say(id, "deadline");
}

static void test_a_dependency_that_is_dead(void **state)
{
    (void)state;
    uint32_t first = submit("main", 1);
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.dependency = xstrdup("afterok:1");
    uint32_t ok = lab_submit(&l, j);
    j = lab_job(&l, JOB_KIND_BATCH);
    j->req.dependency = xstrdup("afternotok:3");
    submit("main", 1);
    uint32_t not_ok = lab_submit(&l, j);
    cycle_full();
    assert_int_equal(lab_end(&l, first, STEP_BATCH, 0, END_EXITED, 3, 0), 0);
    assert_int_equal(lab_end(&l, 3, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    cycle_full();
    must_count("failed", ok, WHY_DEP_DEAD, 1, "job 1 failed: will never start");
    must_count("succeeded", not_ok, WHY_DEP_DEAD, 1, "job 3 succeeded: will never start");
}

static void test_singleton(void **state)
{
    (void)state;
    uint32_t ids[2];
    for (size_t i = 0; i < 2; i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        free(j->req.name);
        j->req.name = xstrdup("sing");
        j->req.dependency = xstrdup("singleton");
        ids[i] = lab_submit(&l, j);
        cycle_full();
    }
    must_count("singleton", ids[1], WHY_DEP_WAIT, 1, "waits for job 1 named \"sing\" to end (singleton)");
}

/* --- which job makes room --- */

static void test_the_job_that_makes_room(void **state)
{
    (void)state;
    l.spec.window_s = 86400;
    lab_configure(&l);
    submit_req("main", 1, "n2", 9);
    submit_req("main", 7, "n2", 21);
    uint32_t id = submit_req("main", 8, NULL, 10);
    cycle_full();
    l.now = lab_get(&l, 1)->t_start;
    must_say(id, REASON_RESOURCES, WHY_BUSY, "room comes when job 2 reaches its limit");
    must_clear(id, "room comes", 21 * 60);
}

/* The one on a drained node ends first, but no job starts there. */
static void test_no_room_on_a_drained_node(void **state)
{
    (void)state;
    submit_req("main", 4, "n1", 12);
    submit_req("main", 8, "n2", 61);
    cycle_full();
    struct ev_drain drain = {.node = xstrdup("n1"), .drain = true, .reason = xstrdup("fan")};
    lab_must(&l, EV_DRAIN, 0, &drain);
    uint32_t id = submit_req("main", 4, NULL, 10);
    cycle_full();
    l.now = lab_get(&l, 1)->t_start;
    must_say(id, REASON_RESOURCES, WHY_BUSY, "room comes when job 2 reaches its limit");
    must_clear(id, "room comes", 61 * 60);
}

/* People know an element by its array: the number of its own is nowhere on the list. */
static void test_room_after_an_element(void **state)
{
    (void)state;
    uint32_t array = submit_array(8, 1), id = submit_req("main", 8, NULL, 10);
    char *text = xasprintf("room comes when job %u_0 reaches its limit", array);
    cycle_full();
    must_say(id, REASON_RESOURCES, WHY_BUSY, text);
    free(text);
}

/* What runs ends in 9 minutes, but then the planned start comes first. */
static void test_room_after_a_planned_start(void **state)
{
    (void)state;
    submit_req("main", 8, NULL, 9);
    uint32_t planned = submit_req("main", 8, NULL, 11), id = submit_req("main", 8, NULL, 10);
    char *text = xasprintf("room comes when job %u, which starts first, reaches its limit", planned);
    cycle_full();
    l.now = lab_get(&l, 1)->t_start;
    must_say(id, REASON_PRIORITY, WHY_BUSY, text);
    must_clear(id, "room comes", 20 * 60);
    free(text);
}

/* Two GPUs of a node, of which one is free after ten minutes. */
static void test_both_gpus_must_be_free(void **state)
{
    (void)state;
    submit_gpus(1, 1, 10, "n1");
    submit_gpus(1, 1, 32, "n1");
    uint32_t id = submit_gpus(1, 2, 10, "n1");
    cycle_full();
    l.now = lab_get(&l, 1)->t_start;
    must_say(id, REASON_RESOURCES, WHY_BUSY, "room comes when job 2 reaches its limit");
    must_clear(id, "room comes", 32 * 60);
}

/* --- preemption --- */

static void test_preemptor_and_victim_in_grace(void **state)
{
    (void)state;
    l.spec.parts.v[0].priority_tier = 2;
    struct part_spec *low = lab_part(&l, "low", "n2");
    low->priority_tier = 1;
    low->preempt_mode = PREEMPT_REQUEUE;
    low->grace_s = 30;
    lab_configure(&l);
    uint32_t victim = submit("low", 8);
    cycle_full();
    uint32_t id = submit("main", 8);
    cycle_full();
    must_say(id, REASON_RESOURCES, WHY_BUSY,
             "preempts job 1 of alice, which ends when its grace time is over at the latest");
    must_never_say(id, "reaches its limit");
    struct wall ends = wall_add_s(job_rare(lab_get(&l, victim))->t_kill, 30);
    must_clear(id, "preempts", (ends.ms - l.now.ms) / MS_PER_S);
    char *line = xasprintf("preempts job 1 of alice, which ends by %lld",
                           (long long)(ends.ms - l.now.ms) / MS_PER_S);
    must_count("preemptor", id, WHY_BUSY, 1, line);
    free(line);
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, victim), l.now, &w);
    assert_string_equal(said_summary(&w), "job 1 does not wait: it is preempted by job 2");
    assert_int_equal(w.until.ms, ends.ms);
    rec_fini(&msg_why_rec, &w);
    assert_int_equal(lab_end(&l, victim, STEP_BATCH, 0, END_KILLED, 0, 15), 0);
    cycle_full();
    sched_why(planner, &v, lab_get(&l, victim), l.now, &w);
    struct str past = STR_INIT;
    struct wall t;
    why_text_past(&past, &w, &t);
    check_has("what it waits after", past.s, "preempted by job 2");
    str_fini(&past);
    for (size_t i = 0; i < w.causes.n; i++)
        assert_int_not_equal(w.causes.v[i].cls, WHY_LAUNCH_RETRY);
    rec_fini(&msg_why_rec, &w);
}

/* --- a long queue is put in order in slices --- */

#define LONG 1100

static void must_be_at(uint32_t id, uint32_t place, uint32_t of, const char *sentence)
{
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    check_int(sentence, w.rank, place);
    check_int(sentence, w.rank_of, of);
    check_str("sentence", said_brief(&w.causes.v[0]), sentence);
    rec_fini(&msg_why_rec, &w);
}

static void test_places_in_a_long_queue(void **state)
{
    (void)state;
    uint32_t at[LONG];
    submit("main", 8);
    cycle_full();
    for (uint32_t i = 0; i < LONG; i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        uint32_t place = i * 7 % LONG;
        j->req.partition = xstrdup(i % 3 ? "main" : "short,main");
        j->req.cpus_per_task = 8;
        req_detail_mut(&j->req)->has_priority = true;
        req_detail_mut(&j->req)->priority = LONG - place;
        at[place] = lab_submit(&l, j);
    }
    cycle_full();
    struct sched_view v = lab_view(&l);
    char *behind = xasprintf("behind job %u", at[0]);
    assert_true(queue_order_step(planner, &v, l.now, 10)); /* no question, no order */
    must_be_at(at[500], 0, 0, behind);
    unsigned slices = 1;
    while (!queue_order_step(planner, &v, l.now, 1))
        slices++;
    assert_true(slices > LONG);
    static const uint32_t places[] = {1, 2, 255, 256, 257, 511, 512, 1023, 1024, LONG - 1};
    for (size_t i = 0; i < N_OF(places); i++) {
        char *ahead = xasprintf("%u job%s ahead", places[i], places[i] == 1 ? "" : "s");
        must_be_at(at[places[i]], places[i] + 1, LONG, ahead);
        free(ahead);
    }
    l.now = wall_add_s(l.now, 50); /* the old order answers while another one is made */
    must_be_at(at[1], 2, LONG, "1 job ahead");
    l.now = wall_add_s(l.now, 20);
    must_be_at(at[500], 0, 0, behind);
    free(behind);
}

static void test_what_became_of_it(void **state)
{
    (void)state;
    uint32_t id = submit("main", 1);
    cycle_full();
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 3, 0), 0);
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    assert_string_equal(said_summary(&w), "job 1 has ended: failed: exit 3");
    assert_int_equal(w.run.t_end.ms, lab_get(&l, id)->t_end.ms);
    rec_fini(&msg_why_rec, &w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_two_limits_of_a_user),
        TEST(test_cpus_and_gpu_minutes_of_an_account),
        TEST(test_inactive_partition_with_a_rule),
        TEST(test_no_start_for_licences_that_are_gone),
        TEST(test_list_has_the_start_beside_a_licence),
        TEST(test_held_and_never_to_run),
        TEST(test_longer_than_its_reservation),
        TEST(test_a_dependency_that_is_dead),
        TEST(test_singleton),
        TEST(test_the_job_that_makes_room),
        TEST(test_no_room_on_a_drained_node),
        TEST(test_room_after_an_element),
        TEST(test_room_after_a_planned_start),
        TEST(test_both_gpus_must_be_free),
        TEST(test_preemptor_and_victim_in_grace),
        TEST(test_places_in_a_long_queue),
        TEST(test_what_became_of_it),
    };
    return cmocka_run_group_tests_name("why_causes", tests, NULL, NULL);
}
