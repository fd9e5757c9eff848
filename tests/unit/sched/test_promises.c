/* test_promises.c - planned starts keep what they need of limits and licences, and never move later for a
 * job that was in the queue before.
 */
#include <signal.h>

#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/sched_fixture.h"
#include "tests/unit/sched/said.h"

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    lab_node(&l, "n1", 8, 8000, 4, NULL);
    lab_node(&l, "n2", 8, 8000, 4, NULL);
    lab_part(&l, "main", "n[1-2]");
    l.spec.backfill = BACKFILL_CONSERVATIVE;
    l.spec.reservations = 3;
    return 0;
}

static struct limit_spec *limit(enum limit_scope scope, const char *name)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = scope, .name = xstrdup(name)};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    return s;
}

static struct job *job_of(const char *user, const char *parts, uint32_t cpus, uint32_t gpus,
                          uint32_t minutes)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    free(j->user);
    j->user = xstrdup(user);
    j->req.partition = xstrdup(parts);
    j->req.cpus_per_task = cpus;
    j->req.gpus_per_node = gpus;
    j->req.mem_node_mib = 1;
    j->req.time_limit_s = minutes * 60;
    return j;
}

static uint32_t submit_job(struct job *j)
{
    l.now.ms -= MS_PER_S;
    uint32_t id = lab_submit(&l, j);
    planner_note_job(planner, id);
    return id;
}

static uint32_t submit_to(const char *user, const char *parts, uint32_t cpus, uint32_t gpus,
                          uint32_t minutes)
{
    return submit_job(job_of(user, parts, cpus, gpus, minutes));
}

static uint32_t submit(const char *user, uint32_t cpus, uint32_t gpus, uint32_t minutes)
{
    return submit_to(user, "main", cpus, gpus, minutes);
}

/* In minutes from now; -1: none is planned. */
static int64_t planned(uint32_t job)
{
    const struct pending_entry *u = idmap_get(&planner_queue(planner)->entries.by_job, job);
    return u && u->slot.use.parts ? (u->slot.use.start - l.now.ms + 59999) / 60000 : -1;
}

static bool runs(uint32_t job)
{
    return lab_get(&l, job)->state == JOB_RUNNING;
}

static void end(uint32_t id)
{
    l.now.ms -= MS_PER_S;
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    planner_note_job(planner, id);
}

/* --- limits --- */

/* SCHED-6: both were promised the end of the window, and the limit lets one run. */
static void test_no_start_is_planned_against_a_limit(void **state)
{
    (void)state;
    limit(LIMIT_PARTITION, "main")->hard.running_jobs = 1;
    lab_configure(&l);
    struct ev_window e = {.window = {.name = xstrdup("w"),
                                     .start = wall_add_s(l.now, 1),
                                     .end = wall_add_s(l.now, 900),
                                     .kind = WINDOW_MAINTENANCE}};
    strv_push(&e.window.nodes, WINDOW_ALL_NODES);
    l.now.ms -= MS_PER_S;
    lab_must(&l, EV_WINDOW, 0, &e);
    uint32_t first = submit("ann", 8, 0, 10), second = submit("bob", 8, 0, 10);
    cycle_full();
    assert_int_equal(planned(first), 15);
    assert_int_equal(planned(second), -1);
}

/* What a planned start needs of a limit is not given to a job behind it, unless that one ends before. */
static void test_a_job_behind_leaves_the_limit(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*")->hard.gpus = 4;
    lab_configure(&l);
    submit("bob", 8, 4, 30), submit("cid", 8, 4, 60);
    cycle_full();
    uint32_t first = submit("ann", 8, 4, 60);
    cycle_resume();
    assert_int_equal(planned(first), 30);
    lab_node(&l, "n3", 1, 8000, 4, NULL); /* where the first does not fit */
    lab_part(&l, "side", "n3");
    lab_configure(&l);
    cycle_full();
    uint32_t longer = submit_to("ann", "side", 1, 1, 60), shorter = submit_to("ann", "side", 1, 1, 20);
    cycle_resume();
    assert_false(runs(longer));
    assert_true(runs(shorter));
    assert_int_equal(planned(first), 30); /* the limit that is reached now is free by then */
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, longer), l.now, &w);
    assert_string_equal(reason_slurm(w.reason), reason_slurm(REASON_USER_GPUS));
    assert_int_equal(w.causes.v[0].code, CAUSE_LIMIT_PLANNED);
    rec_fini(&msg_why_rec, &w);
}

/* The same of licences. */
static void test_a_job_behind_leaves_the_licence(void **state)
{
    (void)state;
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("lic"), 1};
    lab_configure(&l);
    submit("bob", 8, 0, 30), submit("cid", 4, 0, 60);
    cycle_full();
    uint32_t ids[3];
    for (int i = 0; i < 3; i++) {
        ids[i] = submit("ann", i ? 1 : 8, 0, i == 2 ? 20 : 60);
        struct job_req_detail *d = req_detail_mut(&lab_get(&l, ids[i])->req);
        free(d->licenses);
        d->licenses = xstrdup("lic");
        planner_note_job(planner, ids[i]);
    }
    cycle_full();
    assert_int_equal(planned(ids[0]), 30);
    assert_false(runs(ids[1]));
    assert_int_equal(planner_reason(planner, ids[1]), REASON_LICENSES);
    assert_true(runs(ids[2]));
}

/* A step job keeps its licence between two of its tasks, until its time limit: the promise to the next job
 * that needs it stays. */
static void test_a_licence_between_two_tasks(void **state)
{
    (void)state;
    *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("lic"), 1};
    lab_configure(&l);
    submit("bob", 6, 0, 90), submit("cid", 6, 0, 90);
    cycle_full();
    struct job *j = job_of("ann", "main", 8, 0, 60);
    req_detail_mut(&j->req)->licenses = xstrdup("lic");
    uint32_t next = submit_job(j);
    cycle_resume();
    assert_int_equal(planned(next), 90);
    j = lab_job(&l, JOB_KIND_STEPS);
    j->req.time_limit_s = 3600;
    req_detail_mut(&j->req)->licenses = xstrdup("lic");
    lab_step(j, "one", 1);
    lab_step(j, "two", 1)->cpus_per_rank = 8;
    uint32_t steps = submit_job(j);
    cycle_resume();
    assert_true(runs(steps));
    assert_int_equal(lab_end(&l, steps, 0, 0, END_EXITED, 0, 0), 0);
    planner_note_job(planner, steps);
    cycle_resume();
    assert_true(runs(steps));
    assert_int_equal(planned(next), 90);
}

/* It was within the soft limit when it was promised its start, which it keeps. */
static void test_a_promise_within_a_soft_limit_is_kept(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*")->soft.cpus = 9;
    lab_configure(&l);
    uint32_t a = submit("bob", 6, 0, 30);
    submit("cid", 4, 0, 60);
    cycle_full();
    uint32_t first = submit("ann", 8, 0, 60);
    cycle_resume();
    int64_t t = planned(first);
    assert_true(t > 0);
    uint32_t other = submit("ann", 2, 0, 10);
    cycle_resume();
    assert_true(runs(other));
    assert_int_equal(planned(first), t);
    (void)a;
}

/* Jobs of QOS "urgent" may preempt those of "low" on n3. */
static void make_cheap_and_urgent(void)
{
    struct qos_spec *q = rec_list_push(&l.spec.qos);
    *q = (struct qos_spec){.name = xstrdup("low")};
    q = rec_list_push(&l.spec.qos);
    *q = (struct qos_spec){.name = xstrdup("urgent")};
    strv_push(&q->preempt, "low");
    lab_node(&l, "n3", 1, 8000, 4, NULL); /* where the promised job does not fit */
    lab_part(&l, "side", "n3")->preempt_mode = PREEMPT_REQUEUE;
}

static uint32_t submit_in(const char *part, const char *user, const char *qos)
{
    struct job *j = job_of(user, part, 1, 0, 600);
    req_detail_mut(&j->req)->qos = xstrdup(qos);
    return submit_job(j);
}

static uint32_t submit_qos(const char *user, const char *qos, uint32_t gpus, uint32_t minutes,
                           int64_t begins_in_min)
{
    struct job *j = job_of(user, "side", 1, gpus, minutes);
    req_detail_mut(&j->req)->qos = xstrdup(qos);
    if (begins_in_min)
        req_detail_mut(&j->req)->begin.ms = l.now.ms + begins_in_min * 60 * MS_PER_S;
    return submit_job(j);
}

/* A preemptor takes no more of a limit than promises leave, however it gets its nodes. */
static void test_a_preemptor_leaves_the_limit(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t minutes;
        bool preempts;
    } rows[] = {{"longer than the promise", 60, false}, {"until the promise", 20, true}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        make_cheap_and_urgent();
        limit(LIMIT_USER, "*")->hard.gpus = 4;
        lab_configure(&l);
        submit("bob", 8, 4, 30), submit("cid", 8, 4, 60), submit_qos("dan", "low", 0, 600, 0);
        cycle_full();
        uint32_t urgent = submit_qos("ann", "urgent", 1, rows[i].minutes, 1);
        uint32_t first = submit("ann", 8, 4, 60);
        cycle_resume();
        check_int(rows[i].name, planned(first), 30);
        l.now.ms += 60 * MS_PER_S;
        planner_note_job(planner, urgent);
        cycle_resume();
        check_int(rows[i].name, last.preempts.n > 0, rows[i].preempts);
        check_int(rows[i].name, planned(first), 29);
        sched_fixture_end(state);
        set_up(state);
    }
}

/* The victim is of the preemptor's user: what it has of the limit is free when the preemptor starts. */
static void test_a_victim_leaves_its_part_of_the_limit(void **state)
{
    (void)state;
    make_cheap_and_urgent();
    limit(LIMIT_USER, "*")->hard.gpus = 6;
    lab_configure(&l);
    submit("bob", 8, 4, 30), submit("cid", 8, 4, 60), submit_qos("ann", "low", 2, 600, 0);
    cycle_full();
    uint32_t urgent = submit_qos("ann", "urgent", 2, 60, 1), first = submit("ann", 8, 4, 60);
    cycle_resume();
    assert_int_equal(planned(first), 30);
    l.now.ms += 60 * MS_PER_S;
    planner_note_job(planner, urgent);
    cycle_resume();
    assert_int_equal(last.preempts.n, 1);
    assert_int_equal(planned(first), 29);
}

/* A start in a lower tier is promised no part of a limit against a higher tier. */
static void test_a_higher_tier_takes_the_limit(void **state)
{
    (void)state;
    limit(LIMIT_USER, "*")->hard.gpus = 4;
    lab_node(&l, "n3", 1, 8000, 4, NULL);
    lab_part(&l, "side", "n3")->priority_tier = 2;
    lab_configure(&l);
    submit("bob", 8, 4, 30), submit("cid", 8, 4, 60);
    cycle_full();
    uint32_t first = submit("ann", 8, 4, 60);
    cycle_resume();
    assert_int_equal(planned(first), 30);
    uint32_t higher = submit_to("ann", "side", 1, 1, 60);
    cycle_resume();
    assert_true(runs(higher));
    assert_int_equal(planned(first), -1); /* it waits for the limit now */
}

/* --- jobs that are not in the queue --- */

/* What `sbatch --test-only` says comes true: it knows what promises need of limits and licences. */
static void test_a_trial_leaves_what_promises_need(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool licence;
        uint32_t minutes;
        bool now;
    } rows[] = {{"limit, longer", false, 60, false},
                {"limit, until then", false, 20, true},
                {"licence, longer", true, 60, false},
                {"licence, until then", true, 20, true}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        if (rows[i].licence)
            *rec_list_push(&l.spec.licenses) = (struct license_spec){xstrdup("lic"), 1};
        else
            limit(LIMIT_USER, "*")->hard.gpus = 4;
        lab_node(&l, "n3", 1, 8000, 4, NULL);
        lab_part(&l, "side", "n3");
        lab_configure(&l);
        submit("bob", 8, 4, 30), submit("cid", 8, 4, 60);
        cycle_full();
        struct job *j = job_of("ann", "main", 8, 4, 60);
        req_detail_mut(&j->req)->licenses = rows[i].licence ? xstrdup("lic") : NULL;
        uint32_t first = submit_job(j);
        cycle_resume();
        check_int(rows[i].name, planned(first), 30);
        j = job_of("ann", "side", 1, 1, rows[i].minutes);
        req_detail_mut(&j->req)->licenses = rows[i].licence ? xstrdup("lic") : NULL;
        struct sched_view v = lab_view(&l);
        struct trial t;
        planner_try(planner, &v, j, l.now, &t);
        check_int(rows[i].name, t.now, rows[i].now);
        trial_fini(&t);
        uint32_t other = submit_job(j);
        cycle_resume();
        check_int(rows[i].name, runs(other), rows[i].now);
        sched_fixture_end(state);
        set_up(state);
    }
}

/* --- victims --- */

/* Victims that are back in the queue start at once on nodes that their preemptor has left idle: it has
 * started elsewhere meanwhile, or was cancelled. */
static void test_victims_do_not_wait_beside_idle_nodes(void **state)
{
    (void)state;
    for (int cancelled = 0; cancelled < 2; cancelled++) {
        const char *name = cancelled ? "cancelled" : "started elsewhere";
        make_cheap_and_urgent();
        lab_node(&l, "n4", 1, 8000, 4, NULL);
        struct part_spec *p = lab_part(&l, "both", "n[3-4]");
        p->preempt_mode = PREEMPT_REQUEUE;
        p->grace_s = 600;
        p->requeue_after_grace = true;
        lab_configure(&l);
        uint32_t other = submit_qos("bob", "normal", 0, 600, 0);
        uint32_t victim = submit_in("both", "dan", "low"), urgent;
        cycle_full();
        urgent = submit_in("both", "ann", "urgent");
        cycle_resume();
        check_int(name, last.preempts.n, 1);
        if (!cancelled) {
            end(other);
            cycle_resume();
            check_int(name, runs(urgent), true);
        } else {
            l.now.ms -= MS_PER_S;
            assert_int_equal(lab_kill(&l, urgent, STEP_ALL, KILL_CANCEL, FATE_END), 0);
            planner_note_job(planner, urgent);
        }
        check_int(name, lab_get(&l, victim)->state, JOB_COMPLETING);
        l.now.ms -= MS_PER_S;
        assert_int_equal(lab_end(&l, victim, STEP_BATCH, 0, END_KILLED, 0, SIGTERM), 0);
        planner_note_job(planner, victim);
        cycle_resume();
        check_int(name, runs(victim), true);
        sched_fixture_end(state);
        set_up(state);
    }
}

/* --- order of arrival --- */

/* SCHED-8: an end freed the slot of partition `side`, and the first job there took the nodes that were
 * promised to another job. */
static void test_an_end_moves_no_promise(void **state)
{
    (void)state;
    l.spec.reservations = 1;
    lab_part(&l, "side", "n[1-2]");
    lab_part(&l, "low", "n[1-2]");
    lab_configure(&l);
    uint32_t runs1 = submit("bob", 8, 0, 30), runs2 = submit("cid", 8, 0, 60);
    cycle_full();
    uint32_t a = submit_to("ann", "side", 8, 0, 10), b = submit_to("ann", "side", 8, 0, 100);
    uint32_t c = submit_to("ann", "low", 8, 0, 10);
    cycle_resume();
    assert_int_equal(planned(a), 30);
    assert_int_equal(planned(b), -1);
    int64_t was = planned(c);
    assert_int_equal(was, 40);
    end(runs1);
    cycle_resume();
    assert_true(runs(a));
    assert_true(planned(c) <= was && planned(c) > 0);
    assert_true(planned(b) > 0);
    (void)runs2;
}

/* A job of a higher priority that comes in takes the room. */
static void test_an_arrival_before_it_does(void **state)
{
    (void)state;
    lab_configure(&l);
    submit("bob", 8, 0, 30), submit("cid", 8, 0, 60);
    cycle_full();
    uint32_t a = submit("ann", 8, 0, 10);
    cycle_resume();
    assert_int_equal(planned(a), 30);
    uint32_t b = submit("dan", 8, 0, 10);
    req_detail_mut(&lab_get(&l, b)->req)->has_priority = true;
    req_detail_mut(&lab_get(&l, b)->req)->priority = 1000000;
    cycle_resume();
    assert_int_equal(planned(b), 30);
    assert_int_equal(planned(a), 40);
}

/* Elements of a throttled array stand before it in the queue and become startable at the very time that it
 * was promised: it starts, and the next element after it. So a planned start behind a throttled array is
 * the same as that of the forecast. */
static void test_elements_to_come_do_not_take_it(void **state)
{
    (void)state;
    lab_configure(&l);
    submit("bob", 8, 0, 600);
    struct job *array = job_of("ann", "main", 8, 0, 20);
    array->req.array_throttle = 1;
    *rec_list_push(&job_rare_mut(array)->array_pending) = (struct index_range){0, 3, 1};
    uint32_t id = submit_job(array);
    cycle_full();
    const struct job *first = model_get_element(&l.m, id, 0);
    assert_true(first && first->state == JOB_RUNNING);
    uint32_t behind = submit("cid", 8, 0, 10);
    cycle_resume();
    assert_int_equal(planned(behind), 20);
    l.now = wall_add_s(l.now, 600);
    end(first->id);
    cycle_resume();
    assert_true(runs(behind));
    assert_int_equal(model_get_element(&l.m, id, 1)->state, JOB_PENDING);
    end(behind);
    cycle_resume();
    assert_int_equal(model_get_element(&l.m, id, 1)->state, JOB_RUNNING);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, sched_fixture_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_no_start_is_planned_against_a_limit),
        TEST(test_a_job_behind_leaves_the_limit),
        TEST(test_a_job_behind_leaves_the_licence),
        TEST(test_a_licence_between_two_tasks),
        TEST(test_a_promise_within_a_soft_limit_is_kept),
        TEST(test_a_preemptor_leaves_the_limit),
        TEST(test_a_victim_leaves_its_part_of_the_limit),
        TEST(test_a_higher_tier_takes_the_limit),
        TEST(test_a_trial_leaves_what_promises_need),
        TEST(test_victims_do_not_wait_beside_idle_nodes),
        TEST(test_an_end_moves_no_promise),
        TEST(test_an_arrival_before_it_does),
        TEST(test_elements_to_come_do_not_take_it),
    };
    return cmocka_run_group_tests_name("promises", tests, NULL, NULL);
}
