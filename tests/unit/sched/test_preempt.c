/* test_preempt.c - who goes so that another can start, by tables worked by hand.
 *
 *     n1 n2    4 CPUs, 4 GPUs
 *     high     tier 2, nothing preempts its jobs           low     tier 1, requeued after 30 s
 *     spot     tier 0, n1 and n2 and n3 of the closed partition "shut"; cancelled at once
 */
#include <signal.h>

#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "tests/lib/sched_fixture.h"
#include "tests/unit/sched/said.h"

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    lab_node(&l, "n1", 4, 8000, 4, NULL);
    lab_node(&l, "n2", 4, 8000, 4, NULL);
    lab_node(&l, "n3", 4, 8000, 4, NULL);
    lab_part(&l, "high", "n[1-2]")->priority_tier = 2;
    struct part_spec *p = lab_part(&l, "low", "n[1-2]");
    p->priority_tier = 1;
    p->preempt_mode = PREEMPT_REQUEUE;
    p->grace_s = 30;
    p->requeue_after_grace = true;
    p = lab_part(&l, "spot", "n[1-3]");
    p->priority_tier = 0;
    p->preempt_mode = PREEMPT_CANCEL;
    lab_part(&l, "shut", "n3")->state = PART_INACTIVE;
    struct qos_spec *q = rec_list_push(&l.spec.qos);
    *q = (struct qos_spec){.name = xstrdup("cheap"), .grace_s = 10};
    q = rec_list_push(&l.spec.qos);
    *q = (struct qos_spec){.name = xstrdup("urgent")};
    strv_push(&q->preempt, "cheap");
    q = rec_list_push(&l.spec.qos);
    *q = (struct qos_spec){.name = xstrdup("normal"), .grace_s = 7};
    q = rec_list_push(&l.spec.qos);
    *q = (struct qos_spec){.name = xstrdup("boss")};
    strv_push(&q->preempt, "normal");
    l.spec.priority.billing_cpu = 1;
    l.spec.priority.billing_gpu = 16;
    lab_configure(&l);
    return 0;
}

static struct job *job_of(const char *part, uint32_t cpus, uint32_t priority)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    j->req.partition = xstrdup(part);
    j->req.cpus_per_task = cpus;
    req_detail_mut(&j->req)->has_priority = priority != 0;
    req_detail_mut(&j->req)->priority = priority;
    j->req.mem_node_mib = 100;
    j->req.time_limit_s = 3600;
    return j;
}

static uint32_t submit(const char *part, uint32_t cpus, uint32_t priority)
{
    return lab_submit(&l, job_of(part, cpus, priority));
}

static uint32_t submit_on(const char *part, uint32_t cpus, uint32_t priority, const char *node)
{
    struct job *j = job_of(part, cpus, priority);
    req_rare_mut(&j->req)->nodelist = xstrdup(node);
    return lab_submit(&l, j);
}

/* "2>5 3>5": who goes for whom. */
static const char *victims(void)
{
    static char text[100];
    size_t n = 0;
    text[0] = '\0';
    vec_for_each (&last.preempts, i)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u>%u", i ? " " : "", last.preempts.v[i].job,
                              last.preempts.v[i].by_job);
    return text;
}

static void end(uint32_t id)
{
    l.now.ms -= MS_PER_S;
    assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_KILLED, 0, SIGTERM), 0);
    planner_note_job(planner, id);
}

static void must_be_told(uint32_t id, enum why_class cls, const char *text, int64_t clears_s)
{
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    bool found = false;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    for (size_t i = 0; i < w.causes.n; i++) {
        const struct cause *c = &w.causes.v[i];
        if (c->cls != cls)
            continue;
        found = true;
        check_has(why_class_name(cls), said(c), text);
        check_int(why_class_name(cls), wall_is_set(c->clears) ? (c->clears.ms - l.now.ms) / MS_PER_S : 0,
                  clears_s);
    }
    check_int(why_class_name(cls), found, true);
    rec_fini(&msg_why_rec, &w);
}

#define RAN(on, n_cpus, s, ...)                                     \
    {                                                               \
        .node = on, .cpus = n_cpus, .ran_s = s, .gpus = __VA_ARGS__ \
    }

/* Jobs of `low` run on the two nodes, in the order of their start; one of `high` comes. */
static void test_who_goes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct {
            const char *node;
            uint32_t cpus, ran_s, gpus;
            bool signal; /* it asks for one before its end */
        } runs[6];
        uint32_t cpus, nodes;
        const char *want; /* the victims, by their place in the row, from 1 */
    } rows[] = {
        {"the only one", {RAN("n1", 4, 600, 0), RAN("n2", 4, 600, 0)}, 4, 2, "1 2"},
        {"the one that has run the shorter time", {RAN("n1", 4, 1200, 0), RAN("n2", 4, 600, 0)}, 4, 1, "2"},
        {"the youngest among equals", {RAN("n1", 4, 600, 0), RAN("n2", 4, 600, 0)}, 4, 1, "2"},
        {"a GPU's work is worth more", {RAN("n1", 4, 1200, 0), RAN("n2", 4, 600, 4)}, 4, 1, "1"},
        {"two that lose less than one",
         {RAN("n2", 4, 2000, 0), RAN("n1", 2, 600, 0), RAN("n1", 2, 600, 0)},
         4,
         1,
         "2 3"},
        {"one that loses less than two",
         {RAN("n1", 2, 2000, 0), RAN("n1", 2, 2000, 0), RAN("n2", 4, 600, 0)},
         4,
         1,
         "3"},
        {"one is enough beside what is free",
         {RAN("n1", 1, 600, 0), RAN("n1", 1, 600, 0), RAN("n2", 4, 600, 0)},
         3,
         1,
         "2"},
        {"a larger one alone",
         {RAN("n1", 1, 600, 0), RAN("n1", 3, 600, 0), RAN("n2", 4, 600, 0)},
         3,
         1,
         "2"},
        {"who saves its work on a signal",
         {RAN("n1", 4, 3000, 0, .signal = true), RAN("n2", 4, 600, 0)},
         4,
         1,
         "1"},
        {"no victim for what never fits", {RAN("n1", 4, 600, 0), RAN("n2", 4, 600, 0)}, 5, 1, ""},
        {"no victim when there is room", {RAN("n1", 4, 600, 0)}, 4, 1, ""},
        {"several nodes, the spare one stays", {RAN("n1", 2, 600, 0), RAN("n2", 2, 600, 0)}, 3, 2, "1 2"},
        {"one node is free already", {RAN("n1", 4, 600, 0)}, 3, 2, "1"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t ids[6] = {0}, n = 0;
        sched_fixture_end(NULL);
        set_up(NULL);
        for (; rows[i].runs[n].node; n++) {
            struct job *j = job_of("low", rows[i].runs[n].cpus, 5);
            req_rare_mut(&j->req)->nodelist = xstrdup(rows[i].runs[n].node);
            j->req.gpus_per_node = rows[i].runs[n].gpus;
            if (rows[i].runs[n].signal)
                req_rare_mut(&j->req)->signal = SIGUSR1;
            if (n)
                l.now.ms += (int64_t)(rows[i].runs[n - 1].ran_s - rows[i].runs[n].ran_s) * MS_PER_S;
            ids[n] = lab_submit(&l, j);
            check_int(rows[i].name, cycle_full(), 1);
        }
        l.now.ms += (int64_t)rows[i].runs[n - 1].ran_s * MS_PER_S;
        struct job *j = job_of("high", rows[i].cpus, 1);
        j->req.nodes_min = j->req.nodes_max = j->req.ntasks = rows[i].nodes;
        uint32_t id = lab_submit(&l, j);
        cycle_full();
        struct str got = STR_INIT;
        for (uint32_t k = 0; k < n; k++) {
            const struct job *v = lab_get(&l, ids[k]);
            if (v->state == JOB_COMPLETING)
                str_appendf(&got, "%s%u", got.len ? " " : "", k + 1);
            check_int(rows[i].name, job_rare(v)->preempted_by, v->state == JOB_COMPLETING ? id : 0);
        }
        check_str(rows[i].name, got.s ? got.s : "", rows[i].want);
        str_fini(&got);
    }
}

/* A lower place in the queue comes before a smaller loss. */
static void test_the_lower_tier_goes_first(void **state)
{
    (void)state;
    submit_on("spot", 4, 5, "n1");
    assert_int_equal(cycle_full(), 1);
    l.now.ms += 3000 * MS_PER_S;
    submit_on("low", 4, 5, "n2");
    assert_int_equal(cycle_full(), 1);
    submit("high", 4, 1);
    cycle_full();
    assert_string_equal(victims(), "1>3");
}

/* What is said about victims that have to be spared for a time, and when that is over: *ret_at. */
static const char *told_later(uint32_t id, int64_t *ret_at)
{
    struct sched_view v = lab_view(&l);
    struct msg_why w;
    const char *text = "";
    *ret_at = 0;
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    for (size_t i = 0; i < w.causes.n; i++)
        if (w.causes.v[i].code == CAUSE_PREEMPTS_LATER) {
            text = said(&w.causes.v[i]);
            *ret_at = w.causes.v[i].at.ms;
        }
    rec_fini(&msg_why_rec, &w);
    return text;
}

/* Job 1 runs in `low` with that QOS, and job 2 wants its node; by partition and QOS, the time in seconds
 * before which job 1 is not preempted. */
static void test_a_minimum_run(void **state)
{
    (void)state;
    static const struct {
        const char *name, *qos;
        uint32_t of_part, of_qos, until;
    } rows[] = {
        {"the partition's", NULL, 600, 0, 600},
        {"the QOS's, longer", "cheap", 600, 900, 900},
        {"the QOS's, shorter", "cheap", 600, 120, 120},
        {"the QOS says none", "cheap", 600, 0, 600},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        int64_t told;
        sched_fixture_end(NULL);
        set_up(NULL);
        l.spec.parts.v[1].preempt_exempt_s = rows[i].of_part;
        l.spec.qos.v[0].preempt_exempt_s = rows[i].of_qos;
        lab_configure(&l);
        struct job *j = job_of("low", 4, 0);
        req_detail_mut(&j->req)->qos = rows[i].qos ? xstrdup(rows[i].qos) : NULL;
        req_rare_mut(&j->req)->nodelist = xstrdup("n1");
        lab_submit(&l, j);
        check_int(rows[i].name, cycle_full(), 1);
        int64_t until = lab_get(&l, 1)->t_start.ms + (int64_t)rows[i].until * MS_PER_S;
        submit_on("high", 4, 0, "n1");
        cycle_full();
        check_str(rows[i].name, victims(), "");
        check_int(rows[i].name, last.next.ms, until);
        check_has(
            rows[i].name, told_later(2, &told),
            "1 job that it may preempt has not had its minimum run yet; job 1 may be preempted from ");
        check_int(rows[i].name, told, until);
        l.now.ms = until - 2 * MS_PER_S;
        cycle_resume();
        check_str(rows[i].name, victims(), "");
        l.now.ms = until;
        cycle_resume();
        check_str(rows[i].name, victims(), "1>2");
    }
}

/* What a job may not preempt yet it finds by itself, though nothing happens: a search without victims was
 * remembered. Another job of the node, which may go at once, is enough for a small one meanwhile. */
static void test_a_minimum_run_spares_one_of_two(void **state)
{
    (void)state;
    l.spec.qos.v[0].preempt_exempt_s = 600;
    lab_configure(&l);
    struct job *j = job_of("low", 2, 0);
    req_detail_mut(&j->req)->qos = xstrdup("cheap");
    req_rare_mut(&j->req)->nodelist = xstrdup("n1");
    lab_submit(&l, j);
    submit_on("low", 2, 0, "n1");
    assert_int_equal(cycle_full(), 2);
    l.now.ms += 60 * MS_PER_S;
    submit_on("high", 2, 0, "n1");
    cycle_full();
    assert_string_equal(victims(), "2>3");
}

static void test_only_once_and_then_it_starts(void **state)
{
    (void)state;
    static const enum backfill_mode modes[] = {BACKFILL_CONSERVATIVE, BACKFILL_EASY, BACKFILL_OFF};
    for (size_t i = 0; i < N_OF(modes); i++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        l.spec.backfill = modes[i];
        lab_configure(&l);
        uint32_t a = submit("low", 4, 5), b = submit("low", 4, 5);
        assert_int_equal(cycle_full(), 2);
        uint32_t id = submit("high", 4, 1);
        assert_int_equal(cycle_full(), 0);
        assert_string_equal(victims(), "2>3");
        assert_int_equal(last.preempts.v[0].grace_s, 30);
        assert_int_equal(last.preempts.v[0].fate, FATE_REQUEUE);
        check_has("text", said(&last.preempts.v[0].why),
                  "partition high (tier 2) comes before partition low (tier 1)");
        /* No other job is preempted meanwhile, and none takes the place. */
        submit("low", 4, 9);
        assert_int_equal(cycle_resume(), 0);
        assert_int_equal(last.preempts.n, 0);
        assert_int_equal(cycle_full(), 0); /* nor where the planner begins again */
        assert_int_equal(last.preempts.n, 0);
        l.now.ms += 40 * MS_PER_S; /* the victim is late */
        assert_int_equal(cycle_resume(), 0);
        assert_int_equal(last.preempts.n, 0);
        end(b);
        assert_int_equal(cycle_resume(), 1);
        assert_int_equal(lab_get(&l, id)->state, JOB_RUNNING);
        assert_int_equal(lab_get(&l, a)->state, JOB_RUNNING);
        assert_int_equal(lab_get(&l, b)->state, JOB_PENDING);
        assert_int_equal(lab_get(&l, b)->restarts, 1);
    }
}

/* The planner does not wait without end for a victim that does not stop. */
static void test_one_who_never_goes(void **state)
{
    (void)state;
    submit("low", 4, 5);
    submit("low", 4, 5);
    cycle_full();
    submit("high", 4, 1);
    cycle_full();
    assert_string_equal(victims(), "2>3");
    l.now.ms += 120 * MS_PER_S;
    cycle_resume();
    assert_string_equal(victims(), "1>3");
}

/* Two at once take different victims, or the same one where it is enough for both. */
static void test_two_who_need_a_place(void **state)
{
    (void)state;
    submit("low", 4, 5);
    submit("low", 4, 5);
    cycle_full();
    submit("high", 4, 1);
    submit("high", 4, 1);
    cycle_full();
    assert_string_equal(victims(), "2>3 1>4");
    sched_fixture_end(NULL);
    set_up(NULL);
    submit("low", 4, 5);
    submit("low", 4, 5);
    cycle_full();
    submit("high", 2, 1);
    submit("high", 2, 1);
    cycle_full();
    assert_string_equal(victims(), "2>3");
    assert_int_equal(cycle_resume(), 0);
    assert_string_equal(victims(), "");
    end(2);
    assert_int_equal(cycle_resume(), 2); /* both */
}

static uint32_t submit_array(uint32_t elements, uint32_t throttle)
{
    struct job *j = job_of("high", 4, 1);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, elements - 1, 1};
    j->req.array_throttle = throttle;
    return lab_submit(&l, j);
}

static void limit_jobs(uint64_t most)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_PARTITION, .name = xstrdup("high")};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    s->hard.running_jobs = most;
    lab_configure(&l);
}

/* As many at once as there is room to be made, and may run. */
static void test_elements_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t elements, throttle, limit;
        const char *want;
    } rows[] = {
        {"one", 1, 0, 0, "2>4"},
        {"both nodes", 2, 0, 0, "2>4 3>4 1>4"},
        {"more than nodes", 5, 0, 0, "2>4 3>4 1>4"},
        {"a throttle", 5, 1, 0, "2>4"},
        {"a limit", 5, 0, 1, "2>4"},
    };
    static const enum backfill_mode modes[] = {BACKFILL_CONSERVATIVE, BACKFILL_EASY, BACKFILL_OFF};
    for (size_t i = 0; i < N_OF(rows) * N_OF(modes); i++) {
        size_t row = i / N_OF(modes);
        sched_fixture_end(NULL);
        set_up(NULL);
        l.spec.backfill = modes[i % N_OF(modes)];
        lab_configure(&l);
        if (rows[row].limit)
            limit_jobs(rows[row].limit);
        submit_on("low", 2, 5, "n1");
        submit_on("low", 4, 5, "n2");
        submit_on("low", 2, 5, "n1");
        assert_int_equal(cycle_full(), 3);
        submit_array(rows[row].elements, rows[row].throttle);
        assert_int_equal(cycle_full(), 0);
        check_str(rows[row].name, victims(), rows[row].want);
        assert_int_equal(cycle_resume(), 0); /* no other victim */
        assert_int_equal(last.preempts.n, 0);
        assert_int_equal(cycle_full(), 0);
        assert_int_equal(last.preempts.n, 0);
    }
}

/* Two of three have gone: what they leave is kept for the second element, whichever cycle planned it. */
static void test_elements_keep_their_places(void **state)
{
    (void)state;
    for (int update = 0; update < 2; update++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        submit_on("low", 2, 5, "n1");
        submit_on("low", 4, 5, "n2");
        submit_on("low", 2, 5, "n1");
        cycle_full();
        uint32_t id = submit_array(4, 0);
        planner_note_job(planner, id);
        cycle_resume();
        assert_int_equal(last.preempts.n, 3);
        end(1);
        uint32_t other = submit("low", 2, 9);
        planner_note_job(planner, other);
        assert_int_equal(update ? cycle_full() : cycle_resume(), 0);
        end(2);
        assert_int_equal(update ? cycle_full() : cycle_resume(), 1);
        assert_int_equal(lab_get(&l, other)->state, JOB_PENDING);
        end(3);
        assert_int_equal(update ? cycle_full() : cycle_resume(), 1);
        assert_int_equal(last.preempts.n, 0);
        assert_int_equal(job_pending_elements(lab_get(&l, id)), 2);
        assert_int_equal(lab_get(&l, other)->state, JOB_PENDING);
    }
}

/* A job that could use what is free where the second element will be is told for whom it is kept. */
static void test_elements_places_are_told(void **state)
{
    (void)state;
    static const char *const nodes[] = {"n1", "n2"};
    for (size_t i = 0; i < N_OF(nodes); i++)
        submit_on("low", 2, 5, nodes[i]);
    assert_int_equal(cycle_full(), 2);
    submit_array(2, 0);
    assert_int_equal(cycle_full(), 0);
    assert_int_equal(last.preempts.n, 2);
    struct wall asked = l.now;
    for (size_t i = 0; i < N_OF(nodes); i++) {
        uint32_t id = submit_on("low", 2, 9 + (uint32_t)i, nodes[i]); /* the first in its queue */
        assert_int_equal(cycle_full(), 0);
        l.now = wall_add_s(asked, 10);
        must_be_told(id, WHY_BEHIND, "job 3 is planned to start there in 21 s", 3621);
    }
}

/* Strictly in order it cannot start behind one who waits, although a place has come free: its planned
 * start is kept, and the search is not repeated. */
static void test_a_place_that_cannot_be_used_yet(void **state)
{
    (void)state;
    l.spec.backfill = BACKFILL_OFF;
    lab_configure(&l);
    submit_on("high", 4, 50, "n2");
    submit_on("low", 4, 5, "n1");
    assert_int_equal(cycle_full(), 2);
    struct job *j = job_of("high", 2, 50);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 3, 1};
    lab_submit(&l, j);
    assert_int_equal(cycle_full(), 0);
    assert_string_equal(victims(), "2>3");
    planner_note_job(planner, submit_on("high", 4, 90, "n1"));
    assert_int_equal(cycle_resume(), 0);
    end(1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(cycle_resume(), 0);
        assert_true(last.next.ms >= l.now.ms + MS_PER_S);
        l.now.ms += MS_PER_S;
    }
    uint32_t other = submit_on("low", 4, 9, "n2");
    planner_note_job(planner, other);
    assert_int_equal(cycle_resume(), 0);
    must_be_told(other, WHY_BEHIND, "job 3 is planned to start there now", 3600);
}

/* Who no longer wants them leaves them to others. */
static void test_elements_give_their_places_up(void **state)
{
    (void)state;
    submit_on("low", 2, 5, "n1");
    submit_on("low", 4, 5, "n2");
    submit_on("low", 2, 5, "n1");
    cycle_full();
    uint32_t id = submit_array(4, 0);
    planner_note_job(planner, id);
    cycle_resume();
    end(1);
    uint32_t other = submit("low", 2, 9);
    planner_note_job(planner, other);
    assert_int_equal(cycle_resume(), 0);
    assert_int_equal(lab_hold(&l, id, HOLD_USER), 0);
    planner_note_job(planner, id);
    assert_int_equal(cycle_resume(), 1);
    assert_int_equal(lab_get(&l, other)->state, JOB_RUNNING);
}

/* A job that ends anyway makes room: no job is preempted for that. */
static void test_others_are_leaving_already(void **state)
{
    (void)state;
    submit("low", 4, 5);
    submit("low", 4, 5);
    cycle_full();
    assert_int_equal(lab_kill(&l, 1, STEP_ALL, KILL_CANCEL, FATE_END), 0);
    submit("high", 4, 1);
    cycle_full();
    assert_string_equal(victims(), "");
    end(1);
    assert_int_equal(cycle_resume(), 1);
}

/* Its time is over before the grace is. */
static void test_who_goes_runs_no_longer_than_he_may(void **state)
{
    (void)state;
    submit_on("high", 4, 50, "n2");
    struct job *j = job_of("low", 4, 5);
    j->req.time_limit_s = 20;
    uint32_t low = lab_submit(&l, j);
    assert_int_equal(cycle_full(), 2);
    submit("high", 4, 1);
    assert_int_equal(cycle_full(), 0);
    assert_string_equal(victims(), "2>3");
    assert_int_equal(cycle_resume(), 0);
    assert_int_equal(last.next.ms, wall_add_s(lab_get(&l, low)->t_start, 20).ms);
}

static void test_not_for_a_deadline_that_is_missed_all_the_same(void **state)
{
    (void)state;
    static const struct {
        int64_t room_s; /* beyond its length */
        const char *want;
    } rows[] = {{-10, ""}, {20, ""}, {30, ""}, {31, "2>3"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        submit("low", 4, 5);
        submit("low", 4, 5);
        cycle_full();
        struct job *j = job_of("high", 4, 1);
        req_rare_mut(&j->req)->deadline =
            wall_add_s(l.now, 1 + 3600 + rows[i].room_s); /* the submission takes a second */
        lab_submit(&l, j);
        cycle_full();
        check_str(rows[i].want, victims(), rows[i].want);
    }
}

static void test_not_behind_a_window(void **state)
{
    (void)state;
    submit("low", 4, 5);
    submit("low", 4, 5);
    cycle_full();
    struct ev_window e = {.window = {.name = xstrdup("w"), .start = wall_add_s(l.now, 1800)}};
    e.window.end = wall_add_s(e.window.start, 600);
    strv_push(&e.window.nodes, WINDOW_ALL_NODES);
    lab_must(&l, EV_WINDOW, 0, &e);
    submit("high", 4, 1); /* it could not start even on an empty node */
    cycle_full();
    assert_string_equal(victims(), "");
}

static void test_by_qos(void **state)
{
    (void)state;
    static const struct {
        const char *mine, *its;
        const char *want;
        uint32_t grace_s;
    } rows[] = {{"urgent", "cheap", "2>3", 10}, {"urgent", NULL, "", 0}, {NULL, "cheap", "", 0},
                {"boss", NULL, "2>3", 7}, /* who names none has QOS normal */
                {"boss", "normal", "2>3", 7},   {"boss", "cheap", "", 0}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        for (int k = 0; k < 2; k++) {
            struct job *j = job_of("high", 4, 5);
            req_detail_mut(&j->req)->qos = xstrdup(rows[i].its);
            lab_submit(&l, j);
        }
        cycle_full();
        struct job *j = job_of("high", 4, 1);
        req_detail_mut(&j->req)->qos = xstrdup(rows[i].mine);
        lab_submit(&l, j);
        cycle_full();
        check_str(rows[i].want, victims(), rows[i].want);
        if (last.preempts.n)
            check_int(rows[i].want, last.preempts.v[0].grace_s, rows[i].grace_s);
    }
}

/* A preemptor stands before its candidates, whatever their priorities: no job starts to be preempted at
 * once. */
static void test_who_may_preempt_comes_first(void **state)
{
    (void)state;
    static const struct {
        const char *its, *mine;
        bool first; /* mine, although its priority is lower and it came later */
    } rows[] = {{"cheap", "urgent", true},   {"normal", "boss", true},   {NULL, "boss", true},
                {"urgent", "cheap", false},  {"cheap", "normal", false}, {"urgent", "urgent", false},
                {"unlisted", "cheap", false}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        sched_fixture_end(NULL);
        set_up(NULL);
        submit_on("high", 4, 5, "n1"); /* one node is left */
        cycle_full();
        struct job *j = job_of("high", 4, 9);
        req_detail_mut(&j->req)->qos = xstrdup(rows[i].its);
        uint32_t its = lab_submit(&l, j);
        j = job_of("high", 4, 1);
        req_detail_mut(&j->req)->qos = xstrdup(rows[i].mine);
        uint32_t mine = lab_submit(&l, j);
        assert_int_equal(cycle_full(), 1);
        check_int(rows[i].mine, lab_get(&l, mine)->state == JOB_RUNNING, rows[i].first);
        check_int(rows[i].mine, lab_get(&l, its)->state == JOB_RUNNING, !rows[i].first);
        cycle_full();
        if (rows[i].first || i == N_OF(rows) - 1)
            assert_string_equal(victims(), "");
    }
}

/* A chain; two that may preempt one another are equal, and below what may preempt them. */
static void test_levels_of_qos(void **state)
{
    (void)state;
    static const struct {
        const char *name, *preempt;
        uint32_t level;
    } rows[] = {{"low", NULL, 0},     {"mid", "low", 1}, {"top", "low,mid", 2}, {"own", "own", 0},
                {"you", "me,low", 1}, {"me", "you", 1},  {"all", "you", 2}};
    struct cluster_spec s = {0};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct qos_spec *q = rec_list_push(&s.qos);
        *q = (struct qos_spec){.name = xstrdup(rows[i].name), .preempt = strv_split(rows[i].preempt, ",")};
    }
    uint32_t *levels = qos_levels_of(&s);
    for (size_t i = 0; i < N_OF(rows); i++)
        check_int(rows[i].name, levels[i], rows[i].level);
    free(levels);
    rec_fini(&cluster_spec_rec, &s);
}

static void test_who_does_not_come_back(void **state)
{
    (void)state;
    submit("spot", 4, 5);
    cycle_full();
    assert_string_equal(lab_get(&l, 1)->alloc.v[0].node, "n1");
    submit("low", 4, 1);
    submit("low", 4, 1);
    cycle_full(); /* one fits beside it */
    assert_string_equal(victims(), "1>3");
    assert_int_equal(last.preempts.v[0].fate, FATE_END);
    assert_int_equal(last.preempts.v[0].grace_s, 0);
    sched_fixture_end(NULL);
    set_up(NULL);
    for (int i = 0; i < 2; i++) {
        struct job *j = job_of("low", 4, 5);
        req_detail_mut(&j->req)->requeue = 2; /* --no-requeue */
        lab_submit(&l, j);
    }
    cycle_full();
    submit("high", 4, 1);
    cycle_full();
    assert_int_equal(last.preempts.v[0].fate, FATE_END);
}

/* Idle nodes of others, closed partitions' too, and it yields to their owners. */
static void test_a_partition_of_idle_nodes(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        submit("spot", 4, 5);
    assert_int_equal(cycle_full(), 3);
    assert_string_equal(lab_get(&l, 3)->alloc.v[0].node, "n3"); /* of "shut", which takes no jobs */
    submit("high", 4, 1);
    cycle_full();
    assert_string_equal(victims(), "2>4"); /* the youngest where the owner can go */
    end(2);
    assert_int_equal(cycle_resume(), 1);
    for (size_t i = 0; i < l.spec.parts.n; i++)
        l.spec.parts.v[i].state = PART_UP;
    lab_configure(&l);
    submit("shut", 4, 1);
    cycle_full();
    assert_string_equal(victims(), "");
    sched_fixture_end(NULL);
    set_up(NULL);
    l.spec.parts.v[3].state = PART_UP;
    l.spec.parts.v[3].priority_tier = 1;
    lab_configure(&l);
    for (int i = 0; i < 3; i++)
        submit("spot", 4, 5);
    cycle_full();
    submit("shut", 4, 1);
    cycle_full();
    assert_string_equal(victims(), "3>4");
}

static void limit_cpus(uint64_t soft)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("*")};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    s->soft.cpus = soft;
    lab_configure(&l);
}

static uint32_t submit_of(const char *user, uint32_t cpus)
{
    struct job *j = job_of("high", cpus, 5);
    free(j->user);
    j->user = xstrdup(user);
    return lab_submit(&l, j);
}

/* Over a soft limit it starts only behind all others, marked, and yields to users within theirs. */
/* Each has made way for the other, and the nodes are idle: the first in the queue begins. */
static void test_two_that_have_gone_for_one_another(void **state)
{
    (void)state;
    uint32_t first = submit_on("low", 4, 10, "n1"), then = submit_on("low", 4, 20, "n1");
    struct job *a = lab_get(&l, first), *b = lab_get(&l, then);
    job_rare_mut(a)->preempted_by = then;
    job_rare_mut(b)->preempted_by = first;
    a->t_eligible = wall_add_s(l.now, -2);
    b->t_eligible = wall_add_s(l.now, -1);
    assert_int_equal(cycle_full(), 1);
    assert_int_equal(lab_get(&l, then)->state, JOB_RUNNING);
}

static void test_borrowed(void **state)
{
    (void)state;
    limit_cpus(4);
    uint32_t a = submit_of("ann", 4), b = submit_of("ann", 4), c = submit_of("bob", 2);
    assert_int_equal(cycle_full(), 2);
    assert_int_equal(lab_get(&l, a)->state, JOB_RUNNING);
    assert_int_equal(lab_get(&l, b)->state, JOB_PENDING); /* bob's came first, although it stands behind */
    assert_false(lab_get(&l, c)->borrowed);
    end(c);
    assert_int_equal(cycle_full(), 1);
    assert_true(lab_get(&l, b)->borrowed);
    assert_false(lab_get(&l, a)->borrowed);
    uint32_t d = submit_of("ann", 1); /* over its own limit: it preempts no job */
    assert_int_equal(cycle_full(), 0);
    assert_string_equal(victims(), "");
    uint32_t e = submit_of("bob", 1);
    cycle_full();
    assert_string_equal(victims(), "2>5");
    check_has("text", said(&last.preempts.v[0].why), "within its limits");
    end(b);
    cycle_resume();
    assert_int_equal(lab_get(&l, e)->state, JOB_RUNNING);
    (void)d;
}

/* The job that it made way for waits for another node: it does not wait beside idle ones. */
static void test_who_has_gone_starts_beside_the_other(void **state)
{
    (void)state;
    submit_on("high", 4, 50, "n1");
    cycle_full();
    uint32_t other = submit_on("high", 4, 40, "n1"), gone = submit_on("low", 1, 90, "n2");
    job_rare_mut(lab_get(&l, gone))->preempted_by = other;
    lab_get(&l, gone)->restarts = 1;
    lab_get(&l, gone)->t_eligible = l.now;
    assert_int_equal(cycle_full(), 1);
    assert_int_equal(lab_get(&l, gone)->state, JOB_RUNNING);
}

/* A step job goes as a whole. */
static void test_a_step_job_goes(void **state)
{
    (void)state;
    struct job *j = lab_job(&l, JOB_KIND_STEPS);
    j->req.partition = xstrdup("low");
    lab_step(j, "s", 4)->cpus_per_rank = 2;
    uint32_t id = lab_submit(&l, j);
    assert_int_equal(cycle_full(), 4);
    submit("high", 4, 1);
    cycle_full();
    assert_string_equal(victims(), "1>2");
    (void)id;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, sched_fixture_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_who_goes),
        TEST(test_the_lower_tier_goes_first),
        TEST(test_a_minimum_run),
        TEST(test_a_minimum_run_spares_one_of_two),
        TEST(test_only_once_and_then_it_starts),
        TEST(test_one_who_never_goes),
        TEST(test_two_who_need_a_place),
        TEST(test_elements_at_once),
        TEST(test_elements_keep_their_places),
        TEST(test_elements_places_are_told),
        TEST(test_a_place_that_cannot_be_used_yet),
        TEST(test_elements_give_their_places_up),
        TEST(test_others_are_leaving_already),
        TEST(test_who_goes_runs_no_longer_than_he_may),
        TEST(test_not_for_a_deadline_that_is_missed_all_the_same),
        TEST(test_not_behind_a_window),
        TEST(test_by_qos),
        TEST(test_who_may_preempt_comes_first),
        TEST(test_levels_of_qos),
        TEST(test_who_does_not_come_back),
        TEST(test_a_partition_of_idle_nodes),
        TEST(test_two_that_have_gone_for_one_another),
        TEST(test_borrowed),
        TEST(test_who_has_gone_starts_beside_the_other),
        TEST(test_a_step_job_goes),
    };
    return cmocka_run_group_tests_name("preempt", tests, NULL, NULL);
}
