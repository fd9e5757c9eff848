/* test_sched.c - the policy on random clusters and queues.
 *
 * Everything at once: uneven demands, step jobs, arrays, dependencies, tiers and QOS that preempt, soft
 * limits, licences, windows, nodes that come and go. After each cycle: no node carries more than it has, no
 * CPU or GPU is held twice and the state took every decision (tests/lib/lab_cycle.c); each job that waits
 * has a reason and an answer to why, and one that takes the advice in it starts; a second cycle on the same
 * state decides nothing, the same input gives the same output, and a planner that goes on from cycle to
 * cycle the same as a new one. Which jobs start is in test_planner.c.
 *
 * test-timeout: 7200 (for STOKER_TEST_RUNS)
 */
#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "src/model/dep.h"
#include "src/text/cause_text.h"
#include "src/values/units.h"
#include "tests/lib/random_cluster.h"

#define RUNS   100
#define ROUNDS 25

static uint64_t seed_now;
static int round_now;

/* --- what must hold --- */

static void add_alloc(const struct alloc *a, struct str *out)
{
    char *cpus = cpuset_format(&a->cpus), *gpus = cpuset_format(&a->gpus);
    str_appendf(out, " %s CPUs %s GPUs %s %llu MiB", a->node, cpus, gpus, (unsigned long long)a->mem_mib);
    free(cpus);
    free(gpus);
}

static void describe(const struct sched_result *r, struct str *out)
{
    vec_for_each (&r->starts, i) {
        const struct ev_start *e = &r->starts.v[i].start;
        str_appendf(out, "start %u (%u) in %s for %u s%s:", r->starts.v[i].job, e->array_index,
                    e->partition, e->time_limit_s, e->borrowed ? ", borrowed" : "");
        for (size_t k = 0; k < e->alloc.n; k++)
            add_alloc(&e->alloc.v[k], out);
        str_append(out, "\n");
    }
    vec_for_each (&r->places, i) {
        const struct ev_place *e = &r->places.v[i].place;
        str_appendf(out, "place task %u of %u in %s for %u s%s:", e->task, r->places.v[i].job, e->partition,
                    e->time_limit_s, e->borrowed ? ", borrowed" : "");
        add_alloc(&e->alloc, out);
        for (size_t k = 0; k < e->more.n; k++)
            add_alloc(&e->more.v[k], out);
        str_append(out, "\n");
    }
    vec_for_each (&r->preempts, i) {
        str_appendf(out, "%u goes for %u: ", r->preempts.v[i].job, r->preempts.v[i].by_job);
        cause_full(out, &r->preempts.v[i].why, NULL);
        str_append(out, "\n");
    }
}

static void decide_in_pieces(const struct lab *l, struct planner *p, struct sched_result *ret)
{
    struct sched_view v = lab_view(l);
    while (!planner_cycle_slice(p, &v, l->now, 1 + any_below(20), ret))
        assert_true(planner_is_in_cycle(p));
}

/* Anew, twice, and by one that goes on in pieces (which keeps its places where it may: then they need not
 * be equal). */
static void same_input_same_output(const struct lab *l, struct planner *p, struct sched_result *ret)
{
    struct sched_view v = lab_view(l);
    struct str texts[3] = {STR_INIT, STR_INIT, STR_INIT};
    bool keeps = l->m.spec.backfill == BACKFILL_CONSERVATIVE;
    list_for_each (h, &planner_queue(p)->slots.list, struct plan_slot, link)
        keeps = keeps || h->by_preemption;
    for (int i = 0; i < 2; i++) {
        struct sched_result r;
        sched_result_init(&r);
        sched_cycle_once(&v, l->now, &r);
        describe(&r, &texts[i]);
        sched_result_fini(&r);
    }
    decide_in_pieces(l, p, ret);
    describe(ret, &texts[2]);
    for (int i = 1; i < (keeps ? 2 : 3); i++)
        if (texts[0].len != texts[i].len || memcmp(texts[0].s, texts[i].s, texts[0].len) != 0)
            fail_msg("seed %" PRIu64 ", round %d: a new planner decides\n%s%s\n%s", seed_now, round_now,
                     texts[0].s ? texts[0].s : "nothing\n", i == 2 ? "one that goes on" : "once more",
                     texts[i].s ? texts[i].s : "nothing");
    for (int i = 0; i < 3; i++)
        str_fini(&texts[i]);
}

static void started_in_time(const struct lab *l, const struct sched_result *r)
{
    vec_for_each (&r->starts, i) {
        const struct job *j = lab_get(l, r->starts.v[i].job);
        if (j->hold != HOLD_NONE || req_detail(&j->req)->begin.ms > l->now.ms ||
            dep_job_state(&l->m, j, r->starts.v[i].array_index, l->now, NULL) != DEP_MET)
            fail_msg("job %u starts before its time", j->id);
    }
    vec_for_each (&r->places, i) {
        const struct job *j = lab_get(l, r->places.v[i].job);
        if (j->state == JOB_PENDING && dep_job_state(&l->m, j, ARRAY_NONE, l->now, NULL) != DEP_MET)
            fail_msg("a task of job %u starts before its time", j->id);
    }
}

/* By a rule, and only what stands behind it: borrowed, or of a lower tier than one of its partitions, or of
 * the same and a lower level of QOS. */
static void went_by_a_rule(const struct lab *l, const struct sched_result *r)
{
    vec_for_each (&r->preempts, i) {
        const struct job *v = lab_get(l, r->preempts.v[i].job), *j = lab_get(l, r->preempts.v[i].by_job);
        const struct part_spec *part = model_get_part(&l->m, v->partition);
        struct strv names = eligible_partitions(&l->m, j);
        uint32_t best = 0;
        for (size_t k = 0; k < names.n; k++) {
            const struct part_spec *its = model_get_part(&l->m, names.v[k]);
            best = its && its->priority_tier > best ? its->priority_tier : best;
        }
        strv_fini(&names);
        bool tier = part->preempt_mode != PREEMPT_OFF && part->priority_tier < best;
        bool qos = str_eq(req_detail(&v->req)->qos, "low") && str_eq(req_detail(&j->req)->qos, "high") &&
                   part->priority_tier <= best;
        if (v->state != JOB_RUNNING || !(tier || qos || v->borrowed))
            fail_msg("job %u goes for job %u by no rule", v->id, j->id);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(r->preempts.v[k].job, v->id);
    }
}

/* Whether the state says that its dependencies are met, which the planner may not have been told. */
static bool is_let_go(const struct lab *l, const struct job *j)
{
    return j->req.dependency && dep_job_state(&l->m, j, ARRAY_NONE, l->now, NULL) == DEP_MET;
}

/* settled: a cycle has looked and started nothing. */
static void check_waiting(const struct lab *l, const struct job *j, struct planner *p, bool settled)
{
    struct sched_view v = lab_view(l);
    struct msg_why w;
    sched_why(p, &v, j, l->now, &w);
    enum reason reason = planner_reason_of(p, j);
    if (reason == REASON_NONE)
        fail_msg("seed %" PRIu64 ", round %d: job %u waits for no reason", seed_now, round_now, j->id);
    if (!w.causes.n || w.reason != reason)
        fail_msg("job %u: nothing to say about why it waits", j->id);
    for (size_t i = 0; i < w.causes.n; i++)
        if (w.causes.v[i].code == CAUSE_NONE)
            fail_msg("job %u: an empty cause", j->id);
    bool in_queue = reason == REASON_RESOURCES || reason == REASON_PRIORITY ||
                    reason == REASON_NODE_NOT_AVAIL || reason == REASON_MAINTENANCE;
    if (w.rank > w.rank_of || (w.rank && !in_queue))
        fail_msg("seed %" PRIu64 ", round %d: job %u (%s) has place %u of %u", seed_now, round_now, j->id,
                 reason_slurm(reason), w.rank, w.rank_of);
    if (settled && !is_let_go(l, j) && w.causes.v[0].code == CAUSE_STARTS_NOW)
        fail_msg("seed %" PRIu64 ", round %d: job %u has no cause to wait", seed_now, round_now, j->id);
    rec_fini(&msg_why_rec, &w);
}

/* As scontrol update has it. */
static void apply(struct job_req *r, const char *key, const char *value)
{
    uint32_t n = (uint32_t)strtoul(value, NULL, 10);
    if (str_eq(key, "TimeLimit")) {
        assert_int_equal(duration_parse_slurm(value, &r->time_limit_s, NULL), 0);
        req_detail_mut(r)->time_min_s = DURATION_NOT_SET;
    } else if (str_eq(key, "Partition")) {
        free(r->partition);
        r->partition = xstrdup(value);
    } else if (str_eq(key, "Gpus")) {
        r->gpus = n;
    } else if (str_eq(key, "GpusPerNode")) {
        r->gpus_per_node = n;
    } else if (str_eq(key, "CpusPerTask")) {
        r->cpus_per_task = n;
    } else if (str_eq(key, "MinMemoryNode")) {
        r->mem_node_mib = n;
    } else if (str_eq(key, "ArrayTaskThrottle")) {
        r->array_throttle = n;
    } else if (str_eq(key, "NumNodes")) {
        r->nodes_min = r->nodes_max = n;
    } else {
        fail_msg("unknown text: %s", key);
    }
}

/* Whether its size is more than a partition allows. */
static bool breaks_a_rule(const struct lab *l, const struct job *j, struct planner *p)
{
    struct sched_view v = lab_view(l);
    struct msg_why w;
    bool breaks = false;
    sched_why(p, &v, j, l->now, &w);
    for (size_t i = 0; i < w.causes.n; i++)
        breaks |= w.causes.v[i].code == CAUSE_PARTITION_TIME || w.causes.v[i].code == CAUSE_PARTITION_NODES;
    rec_fini(&msg_why_rec, &w);
    return breaks;
}

/* One of those that were given advice takes it, and starts, or is admitted where that is all it says.
 * Returns whether there was one. */
static bool take_advice(struct lab *l, struct planner *p)
{
    struct sched_view v = lab_view(l);
    list_for_each (j, &l->m.pending, struct job, in_queue) {
        struct msg_why w;
        sched_why(p, &v, j, l->now, &w);
        if (!w.advice_key || is_let_go(l, j)) {
            rec_fini(&msg_why_rec, &w);
            continue;
        }
        uint32_t id = j->id, before = job_pending_elements(j);
        struct sched_result r;
        apply(&j->req, w.advice_key, w.advice_value);
        planner_note_job(p, id);
        size_t n = lab_cycle_resume(l, p, &r);
        sched_result_fini(&r);
        j = lab_get(l, id);
        bool waits = n == 0 || (j->state == JOB_PENDING && job_pending_elements(j) == before);
        if (waits && (w.advice.code != CAUSE_TRY_ADMITTED || breaks_a_rule(l, j, p)))
            fail_msg("seed %" PRIu64 ", round %d: job %u waits on with %s=%s", seed_now, round_now, id,
                     w.advice_key, w.advice_value);
        rec_fini(&msg_why_rec, &w);
        return true;
    }
    return false;
}

/* A job that has only just started can be preempted in the next cycle, not in the one that starts it. */
static bool sends_away_new(const struct lab *l, const struct sched_result *r)
{
    vec_for_each (&r->preempts, i) {
        const struct job *v = lab_get(l, r->preempts.v[i].job);
        if (v->t_start.ms == l->now.ms || v->kind == JOB_KIND_STEPS)
            return true;
    }
    return false;
}

/* What has started, or ended at once, was waited for by another. */
static bool lets_go(const struct lab *l, struct planner *p)
{
    list_for_each (j, &l->m.pending, struct job, in_queue)
        if (is_let_go(l, j) && planner_reason(p, j->id) == REASON_DEPENDENCY)
            return true;
    return false;
}

/* A step job that has begun goes first from the next cycle on. */
static bool begins(const struct lab *l)
{
    list_for_each (j, &l->m.active, struct job, in_queue)
        if (j->kind == JOB_KIND_STEPS && j->t_start.ms == l->now.ms)
            return true;
    return false;
}

static bool lies_on(const struct pool_use *u, uint32_t node)
{
    for (uint32_t i = 0; i < u->n_parts; i++)
        if (u->parts[i].node == node)
            return true;
    return false;
}

/* A window may be made over what runs. A place for which others go stays as it is while a limit keeps its
 * job from its turn, and that of an element behind the next one until its time has come. */
static bool may_be_overdrawn(struct planner *p, uint32_t node)
{
    vec_for_each (&planner_queue(p)->windows, i)
        if (lies_on(&planner_queue(p)->windows.v[i]->use, node))
            return true;
    list_for_each (h, &planner_queue(p)->slots.list, struct plan_slot, link) {
        const struct pending_entry *u = container_of(h, struct pending_entry, slot);
        if (h->by_preemption && h->visited != planner_queue(p)->slots.iteration && lies_on(&h->use, node))
            return true;
        for (uint32_t i = 0; i < u->extra.n; i++)
            if (lies_on(&u->extra.v[i].use, node))
                return true;
    }
    return false;
}

/* What runs and what is held come to no more than there is, at any time. */
static void plan_is_sound(struct planner *p)
{
    for (uint32_t i = 0; i < planner_queue(p)->pool.n_nodes; i++) {
        const struct pool_node *n = &planner_queue(p)->pool.nodes[i];
        struct amount left = timeline_min(&n->line, planner_queue(p)->pool.now, WHEN_NEVER);
        if (n->usable && !may_be_overdrawn(p, i) && (left.cpus < 0 || left.gpus < 0 || left.mem_mib < 0))
            fail_msg("seed %" PRIu64
                     ", round %d: more is held on node %u than it has: %lld CPUs, %lld GPUs, "
                     "%lld MiB are left",
                     seed_now, round_now, i, (long long)left.cpus, (long long)left.gpus,
                     (long long)left.mem_mib);
    }
}

static bool asks_at_once(const struct lab *l, const struct sched_result *r)
{
    return wall_is_set(r->next) && r->next.ms <= l->now.ms + 1;
}

/* Where nothing happens any more the planner does not ask to be called again at once, for ever. */
static void comes_to_rest(struct lab *l, struct planner *p, bool at_once)
{
    for (int i = 0; i < 10 && at_once; i++) {
        struct sched_result r;
        size_t n = lab_cycle_resume(l, p, &r);
        at_once = n == 0 && r.preempts.n == 0 && asks_at_once(l, &r);
        sched_result_fini(&r);
    }
    if (at_once)
        fail_msg("seed %" PRIu64 ", round %d: it never comes to rest", seed_now, round_now);
}

static void run(uint64_t seed, unsigned *starts, unsigned *waits, unsigned *preempts, unsigned *advices)
{
    seed_now = seed;
    any_seed(seed);
    struct lab l;
    struct planner *p = planner_new();
    any_cluster(&l);
    for (int round = 0; round < ROUNDS; round++) {
        round_now = round;
        for (uint32_t n = any_below(4); n; n--)
            any_submit(&l, p);
        for (uint32_t n = any_below(4); n; n--)
            any_end(&l, p);
        if (any_one_in(6))
            any_node_change(&l, p);
        if (any_one_in(6))
            any_window(&l, p);
        if (any_one_in(6))
            any_cancel(&l, p);
        if (any_one_in(6))
            any_hold(&l, p);
        if (any_one_in(6))
            any_update(&l, p);
        list_for_each (j, &l.m.pending, struct job, in_queue)
            if (j->req.dependency) /* who drives the planner keeps an index of them */
                planner_note_job(p, j->id);
        struct sched_result last;
        sched_result_init(&last);
        same_input_same_output(&l, p, &last);
        started_in_time(&l, &last);
        went_by_a_rule(&l, &last);
        bool settled = !last.preempts.n && l.m.spec.backfill == BACKFILL_CONSERVATIVE;
        /* Its rounds were used up: it asks to be called again at once. */
        settled = settled && !asks_at_once(&l, &last);
        *preempts += (unsigned)last.preempts.n;
        *starts += (unsigned)lab_fold_cycle(&l, p, &last);
        sched_result_fini(&last);
        settled = settled && !begins(&l) && !lets_go(&l, p);
        size_t again = lab_cycle_resume(&l, p, &last), asked = last.preempts.n;
        if (again && settled && !sends_away_new(&l, &last))
            fail_msg("seed %" PRIu64 ", round %d: a second cycle finds what the first one did not", seed,
                     round);
        list_for_each (j, &l.m.pending, struct job, in_queue) {
            check_waiting(&l, j, p, !again && !asked); /* a preempted job gives up its planned start */
            ++*waits;
        }
        plan_is_sound(p);
        bool at_once = !again && !asked && asks_at_once(&l, &last);
        sched_result_fini(&last);
        comes_to_rest(&l, p, at_once);
        if (!again && any_one_in(4))
            *advices += take_advice(&l, p);
    }
    planner_free(p);
    lab_fini(&l);
}

/* --- events while a cycle is under way --- */

static void let_happen(struct lab *l, struct planner *p)
{
    switch (any_below(16)) {
    case 0: any_submit(l, p); break;
    case 1: any_cancel(l, p); break;
    case 2: any_hold(l, p); break;
    case 6: any_update(l, p); break;
    case 3:
    case 4: any_end(l, p); break;
    case 5:
        if (any_one_in(4))
            any_node_change(l, p);
        if (any_one_in(4))
            any_window(l, p);
        break;
    default: break;
    }
}

static void ask_something(const struct lab *l, struct planner *p)
{
    struct sched_view v = lab_view(l);
    struct plan_filter all = {.rows_max = 100};
    if (any_one_in(20)) {
        struct msg_plan plan;
        planner_report(p, &v, l->now, &all, &plan);
        rec_fini(&msg_plan_rec, &plan);
    }
    list_for_each (j, &l->m.pending, struct job, in_queue)
        if (any_one_in(20))
            check_waiting(l, j, p, false);
}

/* Whatever an event changes between two pieces, the state takes each decision (lab_fold_cycle fails where
 * it does not, or where a node carries too much). When nothing happens any more, nothing is left undone. */
static void run_overtaken(uint64_t seed, unsigned *starts, unsigned *happened)
{
    struct lab l;
    struct planner *p = planner_new();
    seed_now = seed;
    any_seed(seed);
    any_cluster(&l);
    for (int round = 0; round < ROUNDS; round++) {
        struct sched_result r;
        round_now = round;
        for (uint32_t n = any_below(5); n; n--)
            any_submit(&l, p);
        any_end(&l, p);
        sched_result_init(&r);
        for (bool done = false; !done;) {
            struct sched_view v = lab_view(&l);
            done = planner_cycle_slice(p, &v, l.now, 1 + any_below(20), &r);
            if (done)
                break;
            uint64_t before = l.m.seq;
            let_happen(&l, p);
            lab_note_dependents(&l, p);
            *happened += l.m.seq != before;
            ask_something(&l, p);
        }
        *starts += (unsigned)lab_fold_cycle(&l, p, &r);
        sched_result_fini(&r);
    }
    struct sched_result r;
    size_t n = 1;
    for (int i = 0; i < 50 && n; i++) {
        n = lab_cycle_resume(&l, p, &r);
        n += r.preempts.n;
        sched_result_fini(&r);
    }
    if (n && l.m.spec.backfill == BACKFILL_CONSERVATIVE)
        fail_msg("seed %" PRIu64 ": it never comes to rest", seed);
    list_for_each (j, &l.m.pending, struct job, in_queue)
        check_waiting(&l, j, p, false);
    planner_free(p);
    lab_fini(&l);
}

static void test_overtaken(void **state)
{
    (void)state;
    uint64_t seed = check_seed();
    unsigned starts = 0, happened = 0;
    const char *env = getenv("STOKER_TEST_RUNS");
    unsigned runs = env ? (unsigned)strtoul(env, NULL, 10) : RUNS / 3;
    bool enough = false;
    for (unsigned i = 0; i < runs || (i < runs + 5 * RUNS && !enough); i++) {
        run_overtaken(seed + i, &starts, &happened);
        enough = starts > RUNS && happened > RUNS;
    }
    assert_true(enough || runs < RUNS / 3);
}

static void test_any_queue(void **state)
{
    (void)state;
    uint64_t seed = check_seed();
    unsigned starts = 0, waits = 0, preempts = 0, advices = 0;
    const char *env = getenv("STOKER_TEST_RUNS");
    unsigned runs = env ? (unsigned)strtoul(env, NULL, 10) : RUNS;
    bool enough = false; /* has happened for the properties to say something */
    for (unsigned i = 0; i < runs || (i < runs + 10 * RUNS && !enough); i++) {
        run(seed + i, &starts, &waits, &preempts, &advices);
        enough = starts > RUNS && waits > RUNS && preempts > RUNS / 20 && advices > RUNS / 4;
    }
    assert_true(enough || runs < RUNS);
}

/* Each of these has found something once. */
static void test_seeds_that_failed(void **state)
{
    static const uint64_t seeds[] = {1046, 1902, 4261, 20202, 51694};
    unsigned n = 0;
    (void)state;
    for (size_t i = 0; i < N_OF(seeds); i++)
        run(seeds[i], &n, &n, &n, &n);
}

/* --- steps inside an allocation --- */

static void test_any_steps(void **state)
{
    (void)state;
    any_seed(check_seed());
    unsigned fits = 0, busy = 0, too_big = 0;
    for (uint32_t i = 0; i < 400; i++) {
        struct job *j = job_new();
        bool limited = any_one_in(2); /* a share that was not asked for binds no job */
        j->req.mem_node_mib = limited ? 1 : MEM_NOT_GIVEN;
        for (uint32_t n = 0; n < 1 + i % 3; n++) {
            char name[8];
            snprintf(name, sizeof name, "n%u", n);
            *rec_list_push(&j->alloc) = lab_alloc(name, any_below(4), 1 + any_below(6), any_below(2),
                                                  any_below(4), any_below(4000));
        }
        for (int k = 0; k < 12; k++) {
            struct step s = {.id = k,
                             .n_ranks = 1 + any_below(8),
                             .nodes = any_below(4),
                             .cpus_per_rank = any_maybe(2, any_below(3)),
                             .gpus = any_maybe(3, any_below(4)),
                             .mem_mib = any_one_in(3) ? any_below(2000) : MEM_NOT_GIVEN,
                             .overlap = any_one_in(10),
                             .overcommit = any_one_in(10)};
            struct sched_places places = {0};
            struct cause text = {0};
            enum step_fit fit = sched_fit_step(j, &s, &places, &text);
            fits += fit == STEP_FITS;
            busy += fit == STEP_BUSY;
            too_big += fit == STEP_TOO_BIG;
            if (fit != STEP_FITS) {
                assert_true(text.code != CAUSE_NONE);
                continue;
            }
            uint32_t want_nodes = s.nodes ? s.nodes : 1, base = 0;
            assert_int_equal(places.v.n, want_nodes < s.n_ranks ? want_nodes : s.n_ranks);
            struct step *in_job = rec_list_push(&j->steps);
            rec_copy(&step_rec, in_job, &s);
            vec_for_each (&places.v, p) {
                const struct alloc *a = &places.v.v[p].alloc, *whole = NULL;
                for (size_t n = 0; n < j->alloc.n; n++)
                    if (str_eq(j->alloc.v[n].node, a->node))
                        whole = &j->alloc.v[n];
                assert_non_null(whole);
                assert_true(cpuset_contains(&whole->cpus, &a->cpus) &&
                            cpuset_contains(&whole->gpus, &a->gpus));
                assert_true((!limited || a->mem_mib <= whole->mem_mib) && !cpuset_is_empty(&a->cpus));
                assert_int_equal(places.v.v[p].rank_base, base);
                base += places.v.v[p].n_ranks;
                /* Nothing that another step holds is given again. */
                for (size_t o = 0; !s.overlap && o + 1 < j->steps.n; o++) {
                    const struct step *other = &j->steps.v[o];
                    for (size_t t = 0; t < other->tasks.n && !other->overlap; t++) {
                        const struct alloc *b = &other->tasks.v[t].alloc;
                        if (!str_eq(a->node, b->node))
                            continue;
                        assert_false(!s.overcommit && cpuset_intersects(&a->cpus, &b->cpus));
                        assert_false(cpuset_intersects(&a->gpus, &b->gpus));
                    }
                }
                struct task *t = rec_list_push(&in_job->tasks);
                *t = (struct task){.index = (uint32_t)p, .state = TASK_RUNNING, .alloc = *a};
            }
            assert_int_equal(base, s.n_ranks);
            vec_fini(&places.v);
        }
        job_free(j);
    }
    assert_true(fits > 50 && busy > 50 && too_big > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds_that_failed),
        cmocka_unit_test(test_any_queue),
        cmocka_unit_test(test_overtaken),
        cmocka_unit_test(test_any_steps),
    };
    return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
