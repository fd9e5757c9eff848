/* test_sched.c - the policy on random clusters and queues.
 *
 * Everything at once: uneven demands, step jobs, arrays, dependencies, tiers and QOS that preempt, soft
 * limits, licences, windows, nodes that come and go. After each pass: no node carries more than it has, no
 * CPU or GPU is held twice and the state took every decision (tests/lib/pass.c); each job that waits has a
 * reason and an answer to why, and one that takes the advice in it starts; a second pass on the same state
 * decides nothing, the same input gives the same output, and a planner that goes on from pass to pass the
 * same as one made anew. Who starts and who does not is in test_planner.c.
 */
#include "backend/sched/planner_private.h"
#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "src/model/dep.h"
#include "tests/lib/pass.h"

#define RUNS   100
#define ROUNDS 25

static uint64_t rnd, seed_now;
static int round_now;

static uint32_t below(uint32_t n)
{
    return n ? (uint32_t)(check_rand(&rnd) % n) : 0;
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
}

static void add_limits(struct lab *l)
{
    if (!one_in(2))
        return;
    struct limit_spec *s = rec_list_push(&l->spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("*")};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    if (one_in(2))
        s->soft.cpus = 1 + below(8);
    if (one_in(2))
        s->soft.gpus = 1 + below(4);
    if (one_in(2))
        s->hard.running_jobs = 1 + below(6);
}

static void make_cluster(struct lab *l)
{
    char name[16];
    uint32_t n = 1 + below(6);
    lab_init(l);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "n%u", i);
        uint32_t gpus = below(5);
        struct node_spec *s = lab_node(l, name, 1 + below(16), 1000 + below(64) * 500, gpus,
                                       gpus && one_in(2) ? "a100" : NULL);
        s->weight = below(3);
        if (one_in(2))
            strv_push(&s->features, "fast");
    }
    for (uint32_t p = 0; p < 3; p++) {
        struct str nodes = STR_INIT;
        for (uint32_t i = 0; i < n; i++)
            if (one_in(2) || i == p % n)
                str_appendf(&nodes, "%sn%u", nodes.len ? "," : "", i);
        snprintf(name, sizeof name, "p%u", p);
        struct part_spec *part = lab_part(l, name, nodes.s);
        part->max_nodes = one_in(4) ? 2 : UINT32_MAX;
        part->max_time_s = one_in(4) ? 3600 : DURATION_UNLIMITED;
        part->state = one_in(8) ? below(4) : PART_UP;
        part->priority_tier = one_in(2) ? 1 : below(3);
        part->preempt_mode = one_in(2) ? PREEMPT_OFF : one_in(2) ? PREEMPT_REQUEUE : PREEMPT_CANCEL;
        part->grace_s = one_in(2) ? 0 : below(60);
        part->requeue_after_grace = one_in(2);
        str_fini(&nodes);
    }
    *rec_list_push(&l->spec.licenses) = (struct license_spec){xstrdup("lic"), 1 + below(3)};
    *rec_list_push(&l->spec.qos) = (struct qos_spec){.name = xstrdup("low")};
    struct qos_spec *high = rec_list_push(&l->spec.qos);
    *high = (struct qos_spec){.name = xstrdup("high"), .grace_s = below(30), .priority = 10};
    if (one_in(2))
        strv_push(&high->preempt, "low");
    add_limits(l);
    l->spec.priority.weight_qos = one_in(2) ? 100 : 0;
    l->spec.priority.weight_age = one_in(2) ? 100 : 0;
    l->spec.priority.max_age_s = 100;
    l->spec.backfill = below(3);
    l->spec.reservations = 1 + below(4);
    lab_configure(l);
}

static uint32_t maybe(uint32_t n, uint32_t value)
{
    return one_in(n) ? value : NOT_GIVEN;
}

static void fill_request(struct job_req *r)
{
    static const char *const parts[] = {NULL, "p0", "p1", "p2", "p0,p1", "p2,p1,p0", "nowhere"};
    r->partition = xstrdup(parts[below(one_in(10) ? 7 : 6)]);
    r->nodes_min = maybe(3, 1 + below(3));
    r->nodes_max = r->nodes_min == NOT_GIVEN ? NOT_GIVEN : maybe(2, r->nodes_min + below(2));
    r->ntasks = maybe(2, 1 + below(8));
    r->ntasks_per_node = maybe(5, 1 + below(3));
    r->cpus_per_task = maybe(2, below(5));
    r->gpus = maybe(4, below(5));
    r->gpus_per_node = maybe(6, below(3));
    r->gpus_per_task = maybe(6, 1 + below(2));
    r->gpu_type = one_in(8) ? xstrdup("a100") : NULL;
    r->mem_node_mib = one_in(4) ? below(20) * 500 : MEM_NOT_GIVEN;
    r->mem_cpu_mib = one_in(5) ? below(1000) : MEM_NOT_GIVEN;
    r->mem_gpu_mib = one_in(8) ? below(2000) : MEM_NOT_GIVEN;
    r->exclusive = one_in(10);
    r->overcommit = one_in(15);
    r->nodelist = one_in(12) ? xstrdup("n0") : NULL;
    r->exclude = one_in(12) ? xstrdup("n1") : NULL;
    r->features = one_in(10) ? xstrdup("fast") : NULL;
    r->time_limit_s = one_in(3) ? 1 + below(7200) : DURATION_NOT_SET;
    r->time_min_s = one_in(5) ? 1 + below(600) : DURATION_NOT_SET;
    r->qos = one_in(3) ? xstrdup(one_in(2) ? "low" : "high") : NULL;
    r->licenses = one_in(10) ? xstrdup(one_in(3) ? "lic:2" : "lic") : NULL;
    r->nice = one_in(10) ? (int32_t)below(5) : 0;
}

/* On something that came in before, whatever became of it. */
static char *any_dependency(const struct lab *l)
{
    static const char *const types[] = {"after", "afterany", "afterok", "afternotok", "aftercorr"};
    if (one_in(4))
        return xstrdup("singleton");
    return xasprintf("%s:%u", types[below(5)], 1 + below(l->m.next_job));
}

static void submit(struct lab *l, struct planner *p)
{
    struct job *j = lab_job(l, one_in(4) ? JOB_KIND_STEPS : JOB_KIND_BATCH);
    fill_request(&j->req);
    if (j->kind == JOB_KIND_STEPS) {
        struct step *s = lab_step(j, "s", 1 + below(5));
        s->n_ranks = 1 + below(4);
        s->cpus_per_rank = maybe(2, below(4));
        s->gpus = maybe(2, below(3));
        s->mem_mib = one_in(3) ? below(4000) : MEM_NOT_GIVEN;
    } else if (one_in(4)) {
        *rec_list_push(&j->array_pending) = (struct index_range){0, below(8), 1};
        j->req.array_throttle = one_in(2) ? 1 + below(3) : 0;
    }
    if (one_in(10)) {
        j->hold = HOLD_USER;
        j->reason = REASON_HELD_USER;
    }
    if (one_in(10))
        j->req.begin = wall_add_s(l->now, below(100));
    if (one_in(10))
        j->req.deadline = wall_add_s(l->now, 10 + below(1000));
    if (one_in(6))
        j->req.dependency = any_dependency(l);
    free(j->user);
    free(j->req.name);
    j->user = xstrdup(one_in(2) ? "ann" : "bob");
    j->req.name = xstrdup(one_in(2) ? "work" : "play");
    planner_note_job(p, lab_submit(l, j));
}

static void end_something(struct lab *l, struct planner *p)
{
    struct job *j = NULL;
    uint32_t seen = 0;
    list_for_each (a, &l->m.active, struct job, in_queue)
        if (one_in(++seen))
            j = a;
    if (!j)
        return;
    planner_note_job(p, j->id);
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state == TASK_LAUNCHING || t->state == TASK_RUNNING) {
                enum end_kind end = one_in(15) ? END_NODE_REBOOT : END_EXITED;
                assert_int_equal(lab_end(l, j->id, j->steps.v[i].id, t->index, end, (int32_t)one_in(8), 0),
                                 0);
                return;
            }
        }
}

static void change_a_node(struct lab *l, struct planner *p)
{
    char name[8];
    snprintf(name, sizeof name, "n%u", below((uint32_t)l->m.n_nodes));
    struct ev_node node = {.node = xstrdup(name), .state = one_in(2) ? NODE_UP : below(NODE_N_STATES)};
    struct ev_drain drain = {.node = xstrdup(name), .drain = one_in(2), .reason = xstrdup("fan")};
    bool which = one_in(2);
    lab_must(l, which ? EV_NODE : EV_DRAIN, 0, which ? (void *)&node : (void *)&drain);
    planner_note_nodes(p);
    list_for_each (j, &l->m.active, struct job, in_queue) /* a node that is lost may take jobs along */
        planner_note_job(p, j->id);
    rec_fini(which ? &ev_drain_rec : &ev_node_rec, which ? (void *)&drain : (void *)&node);
}

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
        str_append(out, "\n");
    }
    vec_for_each (&r->preempts, i)
        str_appendf(out, "%u goes for %u: %s\n", r->preempts.v[i].job, r->preempts.v[i].by_job,
                    r->preempts.v[i].text);
}

/* Anew, twice, and by one that goes on (which keeps its places where it may: then they need not be equal).
 */
static void same_input_same_output(const struct lab *l, struct planner *p, struct sched_result *ret)
{
    struct sched_view v = pass_view(l);
    struct str texts[3] = {STR_INIT, STR_INIT, STR_INIT};
    bool keeps = l->m.spec.backfill == BACKFILL_CONSERVATIVE;
    list_for_each (h, &p->backfill.holds, struct backfill_hold, link)
        keeps = keeps || h->claim;
    for (int i = 0; i < 2; i++) {
        struct sched_result r;
        sched_result_init(&r);
        sched_decide(&v, l->now, &r);
        describe(&r, &texts[i]);
        sched_result_fini(&r);
    }
    planner_decide(p, &v, l->now, ret);
    describe(ret, &texts[2]);
    for (int i = 1; i < (keeps ? 2 : 3); i++)
        if (texts[0].len != texts[i].len || memcmp(texts[0].s, texts[i].s, texts[0].len) != 0)
            fail_msg("seed %" PRIu64 ", round %d: one made anew decides\n%s%s\n%s", seed_now, round_now,
                     texts[0].s ? texts[0].s : "nothing\n", i == 2 ? "one that goes on" : "once more",
                     texts[i].s ? texts[i].s : "nothing");
    for (int i = 0; i < 3; i++)
        str_fini(&texts[i]);
}

static void started_in_time(const struct lab *l, const struct sched_result *r)
{
    vec_for_each (&r->starts, i) {
        const struct job *j = lab_get(l, r->starts.v[i].job);
        if (j->hold != HOLD_NONE || j->req.begin.ms > l->now.ms ||
            dep_job_state(&l->m, j, r->starts.v[i].array_index, l->now, NULL) != DEP_MET)
            fail_msg("job %u starts before its time", j->id);
    }
    vec_for_each (&r->places, i) {
        const struct job *j = lab_get(l, r->places.v[i].job);
        if (j->state == JOB_PENDING && dep_job_state(&l->m, j, ARRAY_NONE, l->now, NULL) != DEP_MET)
            fail_msg("a task of job %u starts before its time", j->id);
    }
}

static void went_by_a_rule(const struct lab *l, const struct sched_result *r)
{
    vec_for_each (&r->preempts, i) {
        const struct job *v = lab_get(l, r->preempts.v[i].job), *j = lab_get(l, r->preempts.v[i].by_job);
        const struct part_spec *part = model_get_part(&l->m, v->partition);
        bool tier = part->preempt_mode != PREEMPT_OFF && part->priority_tier < 2;
        bool qos = str_eq(v->req.qos, "low") && str_eq(j->req.qos, "high");
        if (v->state != JOB_RUNNING || !(tier || qos || v->borrowed))
            fail_msg("job %u goes for job %u by no rule", v->id, j->id);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(r->preempts.v[k].job, v->id);
    }
}

/* Whether the state says of it that its dependencies are met, which nobody may have told the planner. */
static bool is_let_go(const struct lab *l, const struct job *j)
{
    return j->req.dependency && dep_job_state(&l->m, j, ARRAY_NONE, l->now, NULL) == DEP_MET;
}

/* settled: a pass has looked and started nothing. */
static void check_waiting(const struct lab *l, const struct job *j, struct planner *p, bool settled)
{
    struct sched_view v = pass_view(l);
    struct msg_why w;
    sched_why(p, &v, j, l->now, &w);
    enum reason reason = planner_reason(p, j->id);
    if (reason == REASON_NONE)
        fail_msg("seed %" PRIu64 ", round %d: job %u waits for no reason", seed_now, round_now, j->id);
    if (!w.causes.n || str_is_empty(w.summary) || w.reason != reason)
        fail_msg("job %u: nothing to say about why it waits", j->id);
    for (size_t i = 0; i < w.causes.n; i++)
        if (str_is_empty(w.causes.v[i].text))
            fail_msg("job %u: an empty cause", j->id);
    if (settled && !is_let_go(l, j) && strstr(w.causes.v[0].text, "starts with the next pass"))
        fail_msg("seed %" PRIu64 ", round %d: job %u has no cause to wait", seed_now, round_now, j->id);
    rec_fini(&msg_why_rec, &w);
}

/* As scontrol update has it. */
static void apply(struct job_req *r, const char *key, const char *value)
{
    uint32_t n = (uint32_t)strtoul(value, NULL, 10);
    if (str_eq(key, "TimeLimit")) {
        assert_int_equal(duration_parse_slurm(value, &r->time_limit_s, NULL), 0);
        r->time_min_s = DURATION_NOT_SET;
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
    } else if (str_eq(key, "NumNodes")) {
        r->nodes_min = r->nodes_max = n;
    } else {
        fail_msg("nobody knows %s", key);
    }
}

/* One of those that were given advice takes it, and starts. Returns whether there was one. */
static bool take_advice(struct lab *l, struct planner *p)
{
    struct sched_view v = pass_view(l);
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
        size_t n = pass_again(l, p, &r);
        sched_result_fini(&r);
        j = lab_get(l, id);
        if (n == 0 || (j->state == JOB_PENDING && job_pending_elements(j) == before))
            fail_msg("seed %" PRIu64 ", round %d: job %u waits on: %s", seed_now, round_now, id, w.advice);
        rec_fini(&msg_why_rec, &w);
        return true;
    }
    return false;
}

/* Who has only just started can be asked to go in the next pass, not in the one that starts him. */
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
static bool lets_go(const struct lab *l, const struct planner *p)
{
    list_for_each (j, &l->m.pending, struct job, in_queue)
        if (is_let_go(l, j) && planner_reason(p, j->id) == REASON_DEPENDENCY)
            return true;
    return false;
}

/* A step job that has begun goes first from the next pass on. */
static bool begins(const struct lab *l)
{
    list_for_each (j, &l->m.active, struct job, in_queue)
        if (j->kind == JOB_KIND_STEPS && j->t_start.ms == l->now.ms)
            return true;
    return false;
}

static void run(uint64_t seed, unsigned *starts, unsigned *waits, unsigned *preempts, unsigned *advices)
{
    rnd = seed_now = seed;
    struct lab l;
    struct planner *p = planner_new();
    make_cluster(&l);
    for (int round = 0; round < ROUNDS; round++) {
        round_now = round;
        for (uint32_t n = below(4); n; n--)
            submit(&l, p);
        for (uint32_t n = below(4); n; n--)
            end_something(&l, p);
        if (one_in(6))
            change_a_node(&l, p);
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
        settled = settled && (!wall_is_set(last.next) || last.next.ms > l.now.ms + 1);
        *preempts += (unsigned)last.preempts.n;
        *starts += (unsigned)pass_fold(&l, p, &last);
        sched_result_fini(&last);
        settled = settled && !begins(&l) && !lets_go(&l, p);
        size_t again = pass_again(&l, p, &last), asked = last.preempts.n;
        if (again && settled && !sends_away_new(&l, &last))
            fail_msg("seed %" PRIu64 ", round %d: a second pass finds what the first one did not", seed,
                     round);
        list_for_each (j, &l.m.pending, struct job, in_queue) {
            check_waiting(&l, j, p, !again && !asked); /* who goes gives up the place that he waits for */
            ++*waits;
        }
        sched_result_fini(&last);
        if (!again && one_in(4))
            *advices += take_advice(&l, p);
    }
    planner_free(p);
    lab_fini(&l);
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

/* --- steps inside an allocation --- */

static void test_any_steps(void **state)
{
    (void)state;
    rnd = check_seed();
    unsigned fits = 0, busy = 0, too_big = 0;
    for (uint32_t i = 0; i < 400; i++) {
        struct job *j = job_new();
        bool limited = one_in(2); /* a share that was not asked for binds nobody */
        j->req.mem_node_mib = limited ? 1 : MEM_NOT_GIVEN;
        for (uint32_t n = 0; n < 1 + i % 3; n++) {
            char name[8];
            snprintf(name, sizeof name, "n%u", n);
            *rec_list_push(&j->alloc) =
                lab_alloc(name, below(4), 1 + below(6), below(2), below(4), below(4000));
        }
        for (int k = 0; k < 12; k++) {
            struct step s = {.id = k,
                             .n_ranks = 1 + below(8),
                             .nodes = below(4),
                             .cpus_per_rank = maybe(2, below(3)),
                             .gpus = maybe(3, below(4)),
                             .mem_mib = one_in(3) ? below(2000) : MEM_NOT_GIVEN,
                             .overlap = one_in(10),
                             .overcommit = one_in(10)};
            struct sched_places places = {0};
            struct errtext text = {""};
            enum step_fit fit = sched_fit_step(j, &s, &places, &text);
            fits += fit == STEP_FITS;
            busy += fit == STEP_BUSY;
            too_big += fit == STEP_TOO_BIG;
            if (fit != STEP_FITS) {
                assert_true(strlen(text.s) > 0);
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
                /* Nothing that another step counts is given again. */
                for (size_t o = 0; !s.overlap && !s.overcommit && o + 1 < j->steps.n; o++) {
                    const struct step *other = &j->steps.v[o];
                    for (size_t t = 0; t < other->tasks.n && !other->overlap; t++) {
                        const struct alloc *b = &other->tasks.v[t].alloc;
                        if (!str_eq(a->node, b->node))
                            continue;
                        assert_false(cpuset_intersects(&a->cpus, &b->cpus));
                        assert_false(s.gpus != NOT_GIVEN && other->gpus != NOT_GIVEN &&
                                     cpuset_intersects(&a->gpus, &b->gpus));
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
        cmocka_unit_test(test_any_queue),
        cmocka_unit_test(test_any_steps),
    };
    return cmocka_run_group_tests_name("sched", tests, NULL, NULL);
}
