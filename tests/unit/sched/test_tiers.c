/* test_tiers.c - jobs in partitions of several tiers: which turn each has, what it may preempt, and where
 * it starts then.
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
    return 0;
}

static struct part_spec *part(const char *name, const char *nodes, uint32_t tier, uint32_t mode,
                              uint32_t grace_s)
{
    struct part_spec *p = lab_part(&l, name, nodes);
    p->priority_tier = tier;
    p->preempt_mode = mode;
    p->grace_s = grace_s;
    return p;
}

static struct job *job_of(const char *parts, uint32_t cpus, uint32_t limit_s)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup(parts);
    j->req.cpus_per_task = cpus;
    j->req.mem_node_mib = 1;
    j->req.time_limit_s = limit_s;
    return j;
}

static uint32_t submit(struct job *j)
{
    l.now.ms -= MS_PER_S;
    uint32_t id = lab_submit(&l, j);
    planner_note_job(planner, id);
    return id;
}

static uint32_t submit_of(const char *user, const char *parts, uint32_t cpus, uint32_t limit_s)
{
    struct job *j = job_of(parts, cpus, limit_s);
    free(j->user);
    j->user = xstrdup(user);
    return submit(j);
}

static uint32_t submit_qos(const char *qos, const char *parts, uint32_t cpus, uint32_t limit_s)
{
    struct job *j = job_of(parts, cpus, limit_s);
    req_detail_mut(&j->req)->qos = xstrdup(qos);
    return submit(j);
}

static void end(uint32_t id)
{
    bool asked = lab_get(&l, id)->state == JOB_COMPLETING;
    l.now.ms -= MS_PER_S;
    assert_int_equal(
        lab_end(&l, id, STEP_BATCH, 0, asked ? END_KILLED : END_EXITED, 0, asked ? SIGTERM : 0), 0);
    planner_note_job(planner, id);
}

static bool is_state(uint32_t id, enum job_state state)
{
    return lab_get(&l, id)->state == state;
}

static void must_run_in(uint32_t id, const char *where)
{
    assert_int_equal(lab_get(&l, id)->state, JOB_RUNNING);
    assert_string_equal(lab_get(&l, id)->partition, where);
}

/* n seconds go by: what was asked to go is gone when its grace is over, and jobs of `traffic` begin
 * and end. Returns how many were asked to go. */
static unsigned live(uint32_t seconds, const char *traffic)
{
    unsigned n = 0;
    uint32_t small = 0;
    for (uint32_t s = 0; s < seconds; s++) {
        l.now.ms += MS_PER_S;
        uint32_t gone[16], n_gone = 0;
        list_for_each (j, &l.m.active, struct job, in_queue) {
            const struct job_rare *r = job_rare(j);
            bool out = j->state == JOB_COMPLETING &&
                       r->t_kill.ms + (int64_t)r->kill_grace_s * MS_PER_S <= l.now.ms;
            if (out)
                gone[n_gone++] = j->id;
        }
        while (n_gone)
            end(gone[--n_gone]);
        if (traffic && s % 2 == 0)
            small = submit(job_of(traffic, 1, 60));
        else if (small && model_get_job(&l.m, small) && is_state(small, JOB_RUNNING))
            end(small);
        for (int i = 0; i < 3; i++) {
            cycle_resume();
            n += (unsigned)last.preempts.n;
        }
    }
    return n;
}

/* Two jobs that may run in both partitions made room for one another for ever. */
static void test_two_partitions_do_not_go_round(void **state)
{
    (void)state;
    lab_node(&l, "n1", 8, 8000, 0, NULL);
    part("main", "n1", 2, PREEMPT_OFF, 0);
    part("spot", "n1", 1, PREEMPT_REQUEUE, 0);
    lab_configure(&l);
    uint32_t a = submit(job_of("spot,main", 7, 6000)), b = submit(job_of("spot,main", 7, 6000));
    cycle_resume();
    must_run_in(a, "main"); /* where it stands before others, and no job preempts it */
    assert_int_equal(live(60, "main"), 0);
    must_run_in(a, "main");
    assert_true(is_state(b, JOB_PENDING));
}

/* It has preempted another by the tier of one of its partitions: it starts in that one. */
static void test_a_preemptor_starts_where_it_may_preempt(void **state)
{
    (void)state;
    lab_node(&l, "n1", 8, 8000, 0, NULL);
    part("main", "n1", 2, PREEMPT_OFF, 0);
    part("spot", "n1", 1, PREEMPT_REQUEUE, 5);
    lab_configure(&l);
    uint32_t low = submit(job_of("spot", 8, 6000));
    cycle_resume();
    must_run_in(low, "spot");
    uint32_t high = submit(job_of("spot,main", 8, 6000));
    assert_int_equal(live(20, NULL), 1);
    must_run_in(high, "main");
    assert_true(is_state(low, JOB_PENDING));
    assert_int_equal(live(60, NULL), 0);
}

/* The first two elements of an array went for each other. */
static void test_elements_do_not_preempt_each_other(void **state)
{
    (void)state;
    lab_node(&l, "n1", 4, 8000, 0, NULL);
    lab_node(&l, "n2", 4, 8000, 0, NULL);
    part("high", "n[1-2]", 2, PREEMPT_OFF, 0)->max_time_s = 3600;
    part("low", "n[1-2]", 1, PREEMPT_REQUEUE, 0);
    lab_configure(&l);
    struct job *j = job_of("low,high", 4, 600);
    j->req.nodes_min = j->req.nodes_max = j->req.ntasks = 2;
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 3, 1};
    submit(j);
    assert_int_equal(live(30, NULL), 0);
}

/* A job of a higher tier stands before one of a higher QOS: that one preempts only within its tier. */
static void test_tiers_and_qos_make_no_circle(void **state)
{
    (void)state;
    lab_node(&l, "n1", 9, 8000, 0, NULL);
    part("main", "n1", 2, PREEMPT_OFF, 0);
    part("spot", "n1", 1, PREEMPT_REQUEUE, 0);
    *rec_list_push(&l.spec.qos) = (struct qos_spec){.name = xstrdup("lo")};
    struct qos_spec *hi = rec_list_push(&l.spec.qos);
    *hi = (struct qos_spec){.name = xstrdup("hi")};
    strv_push(&hi->preempt, "lo");
    lab_configure(&l);
    uint32_t first = submit_qos("lo", "main", 8, 6000), then = submit_qos("hi", "spot", 8, 6000);
    assert_int_equal(live(60, "main"), 0);
    must_run_in(first, "main");
    assert_true(is_state(then, JOB_PENDING));
    end(first);
    cycle_resume();
    must_run_in(then, "spot");
    uint32_t back = submit_qos("lo", "main", 8, 6000);
    assert_int_equal(live(60, "main"), 1); /* by its tier, once */
    must_run_in(back, "main");
    end(back);
    submit_qos("lo", "spot", 8, 6000);
    cycle_resume();
    must_run_in(then, "spot");
}

/* The tier of a partition where it can never run, or of another one, does not help in this one. */
static void test_one_more_partition_does_not_jump_the_queue(void **state)
{
    (void)state;
    lab_node(&l, "n0", 8, 8000, 0, NULL);
    lab_node(&l, "n1", 4, 8000, 0, NULL);
    part("main", "n0", 1, PREEMPT_OFF, 0);
    part("short", "n1", 3, PREEMPT_OFF, 0);
    lab_configure(&l);
    uint32_t runs = submit(job_of("main", 8, 600));
    cycle_resume();
    static const uint32_t cpus[] = {8, 4}; /* never in short; not now */
    for (size_t i = 0; i < N_OF(cpus); i++) {
        uint32_t other = i ? submit(job_of("short", 4, 6000)) : 0;
        cycle_resume();
        struct job *j = job_of("main", 8, 600);
        req_detail_mut(&j->req)->has_priority = true;
        req_detail_mut(&j->req)->priority = 1000;
        uint32_t first = submit(j);
        j = job_of("main,short", cpus[i], 480);
        req_detail_mut(&j->req)->has_priority = true;
        req_detail_mut(&j->req)->priority = 1;
        uint32_t then = submit(j);
        cycle_resume();
        end(runs);
        cycle_resume();
        must_run_in(first, "main");
        assert_true(is_state(then, JOB_PENDING));
        if (other) {
            end(other);
            cycle_resume();
            must_run_in(then, "short"); /* there its tier counts */
        }
        assert_int_equal(lab_kill(&l, then, STEP_ALL, KILL_CANCEL, FATE_END), 0);
        planner_note_job(planner, then);
        runs = first;
    }
}

/* A partition of a larger job factor is none either. */
static void test_the_factor_of_a_partition_counts_there(void **state)
{
    (void)state;
    lab_node(&l, "n0", 8, 8000, 0, NULL);
    lab_node(&l, "n1", 4, 8000, 0, NULL);
    part("main", "n0", 1, PREEMPT_OFF, 0)->priority_job_factor = 1;
    part("short", "n1", 1, PREEMPT_OFF, 0)->priority_job_factor = 100;
    l.spec.priority.weight_partition = 1000;
    lab_configure(&l);
    uint32_t runs = submit(job_of("main", 8, 600));
    cycle_resume();
    uint32_t first = submit(job_of("main", 8, 600)), then = submit(job_of("main,short", 8, 480));
    cycle_resume();
    end(runs);
    cycle_resume();
    must_run_in(first, "main");
    assert_true(is_state(then, JOB_PENDING));
}

/* What is planned for a lower tier keeps no job of a higher one waiting, whatever places that one may still
 * have held for it. */
static void test_a_lower_tiers_place_delays_nobody_above(void **state)
{
    (void)state;
    l.spec.reservations = 1;
    lab_node(&l, "n0", 8, 8000, 0, NULL);
    lab_node(&l, "n1", 8, 8000, 0, NULL);
    part("main", "n[0-1]", 2, PREEMPT_OFF, 0);
    part("spot", "n[0-1]", 1, PREEMPT_REQUEUE, 0);
    lab_configure(&l);
    struct job *j = job_of("main", 8, 600);
    req_rare_mut(&j->req)->nodelist = xstrdup("n0");
    submit(j);
    cycle_resume();
    uint32_t low = submit(job_of("spot", 8, DURATION_UNLIMITED)); /* n1 */
    cycle_resume();
    must_run_in(low, "spot");
    j = job_of("spot", 8, DURATION_UNLIMITED);
    j->req.nodes_min = j->req.nodes_max = j->req.ntasks = 2;
    submit(j); /* its place would be behind both */
    j = job_of("main", 8, DURATION_UNLIMITED);
    j->req.nodes_min = j->req.nodes_max = j->req.ntasks = 2;
    uint32_t wide = submit(j); /* has the one place that main may hold */
    cycle_resume();
    uint32_t high = submit(job_of("main", 4, 60));
    live(2, NULL);
    assert_true(is_state(wide, JOB_PENDING));
    must_run_in(high, "main"); /* on n1, beside nothing of a higher tier */
}

/* A job was ended although the other could not start behind its grace time. */
static void test_the_grace_time_is_part_of_the_fit(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t limit_s;
        bool goes;
    } rows[] = {{"it would run into a place held", 240, false}, {"it ends before", 230, true}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        lab_node(&l, "n0", 8, 8000, 0, NULL);
        lab_node(&l, "n1", 8, 8000, 0, NULL);
        part("main", "n[0-1]", 2, PREEMPT_OFF, 0);
        part("low", "n[0-1]", 1, PREEMPT_CANCEL, 30);
        lab_configure(&l);
        struct job *j = job_of("main", 8, 300);
        req_rare_mut(&j->req)->nodelist = xstrdup("n0");
        submit(j);
        uint32_t low = submit(job_of("low", 8, 300));
        cycle_resume();
        must_run_in(low, "low");
        l.now.ms += MS_PER_S;
        j = job_of("main", 8, 600);
        j->req.nodes_min = j->req.nodes_max = j->req.ntasks = 2;
        uint32_t wide = submit(j);
        cycle_resume(); /* it has a place when the first is over: nothing that may go helps it before */
        l.now.ms += 33 * MS_PER_S;
        uint32_t id = submit(job_of("main", 8, rows[i].limit_s));
        cycle_resume();
        check_int(rows[i].name, last.preempts.n, rows[i].goes);
        live(32, NULL);
        check_int(rows[i].name, model_get_job(&l.m, low) == NULL || lab_get(&l, low)->state != JOB_RUNNING,
                  rows[i].goes);
        check_int(rows[i].name, is_state(id, JOB_RUNNING), rows[i].goes);
        assert_true(is_state(wide, JOB_PENDING));
    }
}

/* Of a shorter grace another may go, where the longer one is too long. */
static void test_the_grace_times_differ(void **state)
{
    (void)state;
    lab_node(&l, "n0", 8, 8000, 0, NULL);
    lab_node(&l, "n1", 8, 8000, 0, NULL);
    part("main", "n[0-1]", 2, PREEMPT_OFF, 0);
    part("slow", "n[0-1]", 1, PREEMPT_REQUEUE, 600);
    part("fast", "n[0-1]", 1, PREEMPT_REQUEUE, 5);
    lab_configure(&l);
    uint32_t fast = submit(job_of("fast", 8, 6000)), slow = submit(job_of("slow", 8, 6000));
    cycle_resume();
    struct job *j = job_of("main", 8, 100);
    req_rare_mut(&j->req)->deadline = wall_add_s(l.now, 120);
    uint32_t id = submit(j);
    assert_int_equal(live(10, NULL), 1);
    must_run_in(id, "main");
    assert_true(is_state(fast, JOB_PENDING) && is_state(slow, JOB_RUNNING));
}

static struct limit_spec *limit_of(const char *user)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup(user)};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    return s;
}

static void limit_cpus_of_each(uint64_t hard)
{
    limit_of("*")->hard.cpus = hard;
}

/* When the victim had gone, another job of its user came within the limit and got a planned start in a
 * higher tier, which took the preemptor's place; the victim started again before that one, which closed the
 * limit, and was preempted again, and so on. */
static void test_a_planned_start_above_takes_no_promise(void **state)
{
    (void)state;
    lab_node(&l, "n1", 4, 8000, 0, NULL);
    part("top", "n1", 2, PREEMPT_OFF, 0);
    part("main", "n1", 1, PREEMPT_OFF, 0);
    part("spare", "n1", 0, PREEMPT_REQUEUE, 0);
    limit_of("ann")->hard.running_jobs = 1;
    lab_configure(&l);
    submit_of("cid", "top", 3, 600);
    uint32_t victim = submit_of("ann", "spare", 1, 300);
    cycle_resume();
    must_run_in(victim, "spare");
    uint32_t above = submit_of("ann", "top", 4, 600);
    uint32_t id = submit_of("bob", "main", 1, DURATION_UNLIMITED);
    assert_int_equal(live(60, NULL), 1);
    must_run_in(id, "main");
    assert_true(is_state(victim, JOB_PENDING) && is_state(above, JOB_PENDING));
}

/* Strictly in order as well: its victim has gone, and one that has come before it meanwhile cannot
 * start. */
static void test_strict_order_takes_no_promise(void **state)
{
    (void)state;
    l.spec.backfill = BACKFILL_OFF;
    lab_node(&l, "n1", 4, 8000, 0, NULL);
    lab_node(&l, "n2", 4, 8000, 0, NULL);
    part("main", "n[1-2]", 1, PREEMPT_OFF, 0);
    part("spare", "n1", 0, PREEMPT_REQUEUE, 5);
    lab_configure(&l);
    struct job *j = job_of("main", 4, 6000);
    req_rare_mut(&j->req)->nodelist = xstrdup("n2");
    submit(j);
    uint32_t victim = submit(job_of("spare", 4, 6000));
    cycle_resume();
    must_run_in(victim, "spare");
    uint32_t id = submit(job_of("main", 4, 6000));
    cycle_resume();
    assert_int_equal(last.preempts.n, 1);
    j = job_of("main", 4, 6000);
    j->req.nodes_min = j->req.nodes_max = j->req.ntasks = 2;
    req_detail_mut(&j->req)->has_priority = true;
    req_detail_mut(&j->req)->priority = UINT32_MAX - 1;
    uint32_t first = submit(j);
    live(8, NULL);
    must_run_in(id, "main");
    assert_true(is_state(first, JOB_PENDING) && is_state(victim, JOB_PENDING));
}

/* What is held for the second element of a lower tier kept a job from starting. */
static void test_places_of_elements_delay_nobody_above(void **state)
{
    (void)state;
    lab_node(&l, "n1", 8, 8000, 0, NULL);
    lab_node(&l, "n2", 8, 8000, 0, NULL);
    part("top", "n[1-2]", 2, PREEMPT_OFF, 0);
    part("main", "n[1-2]", 1, PREEMPT_OFF, 0);
    part("spare", "n1", 0, PREEMPT_REQUEUE, 30);
    lab_configure(&l);
    uint32_t victim = submit(job_of("spare", 6, 6000));
    cycle_resume();
    must_run_in(victim, "spare");
    struct job *j = job_of("main", 4, 6000);
    j->req.nodes_min = j->req.nodes_max = j->req.ntasks = 2;
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 1, 1};
    uint32_t array = submit(j);
    cycle_resume();
    assert_int_equal(last.preempts.n, 1);
    const struct pending_entry *u = idmap_get(&planner_queue(planner)->entries.by_job, array);
    assert_int_equal(u->extra.n, 1); /* a place for each of the two, on both nodes */
    uint32_t above = submit(job_of("top", 8, 6000));
    cycle_resume();
    must_run_in(above, "top"); /* on n2 */
}

/* Another job of its user started meanwhile, and then it was over the limit: the other had gone for
 * nothing. */
static void test_a_promise_counts_in_limits(void **state)
{
    (void)state;
    for (int update = 0; update < 2; update++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        lab_node(&l, "n1", 4, 8000, 0, NULL);
        lab_node(&l, "n2", 4, 8000, 0, NULL);
        part("main", "n[1-2]", 2, PREEMPT_OFF, 0);
        part("spare", "n[1-2]", 1, PREEMPT_REQUEUE, 5);
        limit_cpus_of_each(4);
        lab_configure(&l);
        submit_of("ann", "main", 2, 6000);
        uint32_t spare = submit_of("bob", "spare", 4, 6000);
        cycle_resume();
        must_run_in(spare, "spare");
        uint32_t first = submit_of("cid", "main", 4, 6000);
        cycle_resume();
        assert_int_equal(last.preempts.n, 1);
        uint32_t then = submit_of("cid", "main", 2, 6000); /* two CPUs are free */
        assert_int_equal(update ? cycle_full() : cycle_resume(), 0);
        assert_string_equal(reason_slurm(planner_reason(planner, then)), "QOSMaxCpuPerUserLimit");
        struct sched_view v = lab_view(&l);
        struct msg_why w;
        sched_why(planner, &v, lab_get(&l, then), l.now, &w);
        check_has("why", said(&w.causes.v[0]), "user cid holds 4 of 4 CPUs and asks for 2");
        rec_fini(&msg_why_rec, &w);
        sched_why(planner, &v, lab_get(&l, first), l.now, &w);
        assert_null(strstr(said(&w.causes.v[0]), "of 4 CPUs")); /* its own delays no other job */
        rec_fini(&msg_why_rec, &w);
        uint32_t others = submit_of("dan", "main", 2, 6000);
        cycle_resume();
        must_run_in(others, "main");
        live(8, NULL);
        must_run_in(first, "main");
        assert_true(is_state(then, JOB_PENDING) && is_state(spare, JOB_PENDING));
        assert_int_equal(lab_kill(&l, first, STEP_ALL, KILL_CANCEL, FATE_END), 0);
        planner_note_job(planner, first);
        end(first);
        cycle_resume();
        assert_true(is_state(then, JOB_RUNNING));
    }
}

static uint32_t submit_licensed(const char *parts, uint32_t cpus)
{
    struct job *j = job_of(parts, cpus, 6000);
    req_detail_mut(&j->req)->licenses = xstrdup("lic");
    return submit(j);
}

/* Another job took the only licence in the grace time of the victim. */
static void test_a_promise_counts_in_licences(void **state)
{
    (void)state;
    for (int update = 0; update < 2; update++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        lab_node(&l, "n1", 4, 8000, 0, NULL);
        lab_node(&l, "n2", 4, 8000, 0, NULL);
        part("main", "n1", 2, PREEMPT_OFF, 0);
        part("spare", "n[1-2]", 1, PREEMPT_REQUEUE, 5);
        *(struct license_spec *)rec_list_push(&l.spec.licenses) =
            (struct license_spec){.name = xstrdup("lic"), .count = 1};
        lab_configure(&l);
        uint32_t spare = submit(job_of("spare", 4, 6000));
        cycle_resume();
        uint32_t first = submit_licensed("main", 4);
        cycle_resume();
        assert_int_equal(last.preempts.n, 1);
        uint32_t then = submit_licensed("spare", 2); /* n2 is free */
        assert_int_equal(update ? cycle_full() : cycle_resume(), 0);
        assert_string_equal(reason_slurm(planner_reason(planner, then)), "Licenses");
        struct sched_view v = lab_view(&l);
        struct msg_why w;
        sched_why(planner, &v, lab_get(&l, then), l.now, &w);
        check_has("why", said(&w.causes.v[0]),
                  "needs 1 of licence lic, 1 of 1 in use, 1 promised to a job that preempts others");
        rec_fini(&msg_why_rec, &w);
        live(8, NULL);
        must_run_in(first, "main");
        assert_true(is_state(then, JOB_PENDING));
        must_run_in(spare, "spare"); /* on the other node */
        end(first);
        cycle_resume();
        assert_true(is_state(then, JOB_RUNNING));
    }
}

static void hold(uint32_t id, enum job_hold how)
{
    assert_int_equal(lab_hold(&l, id, how), 0);
    planner_note_job(planner, id);
}

/* An element waits by itself, and another has been preempted for it: the rest of its array used up the
 * throttle meanwhile. */
static void test_a_promise_counts_in_the_throttle(void **state)
{
    (void)state;
    lab_node(&l, "n1", 4, 8000, 0, NULL);
    lab_node(&l, "n2", 4, 8000, 0, NULL);
    part("top", "n2", 3, PREEMPT_OFF, 0);
    part("main", "n2", 2, PREEMPT_REQUEUE, 0);
    part("low", "n1", 1, PREEMPT_OFF, 0);
    part("spare", "n2", 0, PREEMPT_REQUEUE, 30);
    lab_configure(&l);
    uint32_t below = submit(job_of("low", 4, 6000));
    struct job *j = job_of("main,low", 4, 6000);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 3, 1};
    j->req.array_throttle = 1;
    uint32_t array = submit(j);
    cycle_resume();
    uint32_t above = submit(job_of("top", 4, 6000));
    cycle_resume();
    assert_int_equal(last.preempts.n, 1);
    uint32_t element = last.preempts.v[0].job;
    hold(array, HOLD_USER);
    live(3, NULL);
    hold(element, HOLD_USER);
    must_run_in(above, "top");
    end(above);
    submit(job_of("spare", 4, 6000));
    cycle_resume();
    hold(element, HOLD_NONE);
    cycle_resume();
    assert_int_equal(last.preempts.n, 1);
    assert_int_equal(last.preempts.v[0].by_job, element);
    hold(array, HOLD_NONE);
    end(below);
    cycle_resume();
    assert_string_equal(reason_slurm(planner_reason(planner, array)), "JobArrayTaskLimit");
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    sched_why(planner, &v, lab_get(&l, array), l.now, &w);
    check_has("why", said(&w.causes.v[0]),
              "its array may run 1 element at once and 0 run; other jobs have been preempted for 1 more");
    rec_fini(&msg_why_rec, &w);
    live(32, NULL);
    must_run_in(element, "main");
}

/* The job that it made room for cannot start any more: it does not wait beside idle nodes. */
static void test_a_victim_does_not_wait_for_nothing(void **state)
{
    (void)state;
    lab_node(&l, "n1", 4, 8000, 0, NULL);
    part("main", "n1", 2, PREEMPT_OFF, 0);
    part("spare", "n1", 1, PREEMPT_REQUEUE, 5);
    lab_configure(&l);
    uint32_t spare = submit(job_of("spare", 4, 6000));
    cycle_resume();
    uint32_t id = submit(job_of("main", 4, 6000));
    cycle_resume();
    assert_int_equal(last.preempts.n, 1);
    assert_int_equal(lab_hold(&l, id, HOLD_USER), 0);
    planner_note_job(planner, id);
    end(spare);
    cycle_resume();
    must_run_in(spare, "spare");
}

/* An element has begun, others of its array wait: what went for it starts where it can. */
static void test_a_victim_does_not_wait_for_a_whole_array(void **state)
{
    (void)state;
    lab_node(&l, "n1", 4, 8000, 0, NULL);
    lab_node(&l, "n2", 4, 8000, 0, NULL);
    part("main", "n1", 2, PREEMPT_OFF, 0);
    part("spare", "n[1-2]", 1, PREEMPT_REQUEUE, 5);
    lab_configure(&l);
    uint32_t spare = submit(job_of("spare", 4, 6000)), other = submit(job_of("spare", 4, 6000));
    cycle_resume();
    struct job *j = job_of("main", 4, 6000);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 3, 1};
    submit(j);
    cycle_resume();
    assert_int_equal(last.preempts.n, 1);
    uint32_t gone = last.preempts.v[0].job, stays = gone == spare ? other : spare;
    end(stays);
    live(7, NULL);
    must_run_in(gone, "spare");
}

/* The grace is honoured in every mode; that a job which comes back has none must be said. */
static void test_grace_in_every_mode(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t mode;
        bool after_grace;
        uint32_t requeue; /* of the job: 2 is --no-requeue */
        uint32_t want_s, want_fate;
    } rows[] = {{"requeue", PREEMPT_REQUEUE, true, NOT_GIVEN, 30, FATE_REQUEUE},
                {"cancel", PREEMPT_CANCEL, true, NOT_GIVEN, 30, FATE_END},
                {"requeue at once", PREEMPT_REQUEUE, false, NOT_GIVEN, 0, FATE_REQUEUE},
                {"at once, but it does not come back", PREEMPT_REQUEUE, false, 2, 30, FATE_END},
                {"cancel, requeue at once", PREEMPT_CANCEL, false, NOT_GIVEN, 30, FATE_END}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        lab_node(&l, "n1", 4, 8000, 0, NULL);
        part("main", "n1", 2, PREEMPT_OFF, 0);
        part("spare", "n1", 1, rows[i].mode, 30)->requeue_after_grace = rows[i].after_grace;
        lab_configure(&l);
        struct job *j = job_of("spare", 4, 6000);
        if (rows[i].requeue != NOT_GIVEN)
            req_detail_mut(&j->req)->requeue = rows[i].requeue;
        submit(j);
        cycle_resume();
        submit(job_of("main", 4, 6000));
        cycle_resume();
        assert_int_equal(last.preempts.n, 1);
        check_int(rows[i].name, last.preempts.v[0].grace_s, rows[i].want_s);
        check_int(rows[i].name, last.preempts.v[0].fate, rows[i].want_fate);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, sched_fixture_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_two_partitions_do_not_go_round),
        TEST(test_a_preemptor_starts_where_it_may_preempt),
        TEST(test_elements_do_not_preempt_each_other),
        TEST(test_tiers_and_qos_make_no_circle),
        TEST(test_one_more_partition_does_not_jump_the_queue),
        TEST(test_the_factor_of_a_partition_counts_there),
        TEST(test_a_lower_tiers_place_delays_nobody_above),
        TEST(test_the_grace_time_is_part_of_the_fit),
        TEST(test_the_grace_times_differ),
        TEST(test_a_planned_start_above_takes_no_promise),
        TEST(test_strict_order_takes_no_promise),
        TEST(test_places_of_elements_delay_nobody_above),
        TEST(test_a_promise_counts_in_limits),
        TEST(test_a_promise_counts_in_licences),
        TEST(test_a_promise_counts_in_the_throttle),
        TEST(test_a_victim_does_not_wait_for_nothing),
        TEST(test_a_victim_does_not_wait_for_a_whole_array),
        TEST(test_grace_in_every_mode),
    };
    return cmocka_run_group_tests_name("tiers", tests, NULL, NULL);
}
