/* test_sched.c - the policy on random clusters and queues.
 *
 * After each pass: no node carries more than it has, no CPU or GPU is held twice and the state took every
 * decision (tests/lib/pass.c); each job that waits has a reason and an answer to why; a second pass on the
 * same state decides nothing, and the same input gives the same output. Who starts and who does not is in
 * test_planner.c.
 */
#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/pass.h"

#define RUNS   80
#define ROUNDS 25

static uint64_t rnd;

static uint32_t below(uint32_t n)
{
    return n ? (uint32_t)(check_rand(&rnd) % n) : 0;
}

static bool one_in(uint32_t n)
{
    return below(n) == 0;
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
        str_fini(&nodes);
    }
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
    r->time_limit_s = one_in(3) ? below(7200) : DURATION_NOT_SET;
}

static void submit(struct lab *l)
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
    lab_submit(l, j);
}

static void end_something(struct lab *l)
{
    struct job *j = NULL;
    uint32_t seen = 0;
    list_for_each (a, &l->m.active, struct job, in_queue)
        if (one_in(++seen))
            j = a;
    if (!j)
        return;
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

static void change_a_node(struct lab *l)
{
    char name[8];
    snprintf(name, sizeof name, "n%u", below((uint32_t)l->m.n_nodes));
    struct ev_node node = {.node = xstrdup(name), .state = one_in(2) ? NODE_UP : below(NODE_N_STATES)};
    struct ev_drain drain = {.node = xstrdup(name), .drain = one_in(2), .reason = xstrdup("fan")};
    bool which = one_in(2);
    lab_must(l, which ? EV_NODE : EV_DRAIN, 0, which ? (void *)&node : (void *)&drain);
    rec_fini(which ? &ev_drain_rec : &ev_node_rec, which ? (void *)&drain : (void *)&node);
}

/* --- what must hold --- */

static void encode_result(const struct sched_result *r, struct str *out)
{
    vec_for_each (&r->starts, i) {
        str_appendf(out, "start %u %u ", r->starts.v[i].job, r->starts.v[i].array_index);
        codec_encode(&ev_start_rec, &r->starts.v[i].start, out);
    }
    vec_for_each (&r->places, i) {
        str_appendf(out, "place %u ", r->places.v[i].job);
        codec_encode(&ev_place_rec, &r->places.v[i].place, out);
    }
    vec_for_each (&r->preempts, i)
        str_appendf(out, "%u for %u: %s ", r->preempts.v[i].job, r->preempts.v[i].by_job,
                    r->preempts.v[i].text);
    str_appendf(out, "%lld", (long long)r->next.ms);
}

static void same_input_same_output(const struct lab *l)
{
    struct sched_view v = pass_view(l);
    struct str texts[2] = {STR_INIT, STR_INIT};
    for (int i = 0; i < 2; i++) {
        struct sched_result r;
        sched_result_init(&r);
        sched_decide(&v, l->now, &r);
        encode_result(&r, &texts[i]);
        sched_result_fini(&r);
    }
    assert_int_equal(texts[0].len, texts[1].len);
    assert_memory_equal(texts[0].s, texts[1].s, texts[0].len);
    str_fini(&texts[0]);
    str_fini(&texts[1]);
}

static void check_waiting(const struct lab *l, const struct job *j, struct planner *p)
{
    struct sched_view v = pass_view(l);
    enum reason reason = planner_reason(p, j->id);
    if (reason == REASON_NONE)
        fail_msg("job %u waits for no reason", j->id);
    struct msg_why w;
    sched_why(p, &v, j, l->now, &w);
    if (!w.causes.n || str_is_empty(w.summary) || w.reason != reason)
        fail_msg("job %u: nothing to say about why it waits", j->id);
    for (size_t i = 0; i < w.causes.n; i++)
        if (str_is_empty(w.causes.v[i].text))
            fail_msg("job %u: an empty cause", j->id);
    rec_fini(&msg_why_rec, &w);
}

/* A step job that has begun goes first from the next pass on. */
static bool begins(const struct lab *l)
{
    list_for_each (j, &l->m.active, struct job, in_queue)
        if (j->kind == JOB_KIND_STEPS && j->t_start.ms == l->now.ms)
            return true;
    return false;
}

static void run(uint64_t seed, unsigned *starts, unsigned *waits)
{
    rnd = seed;
    struct lab l;
    struct planner *p = planner_new();
    make_cluster(&l);
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t n = below(4); n; n--)
            submit(&l);
        for (uint32_t n = below(4); n; n--)
            end_something(&l);
        if (one_in(6))
            change_a_node(&l);
        same_input_same_output(&l);
        struct sched_result last;
        *starts += (unsigned)pass_run(&l, p, &last);
        sched_result_fini(&last);
        bool settled = !begins(&l);
        if (pass_again(&l, p, &last) != 0 && settled)
            fail_msg("a second pass finds what the first one did not");
        list_for_each (j, &l.m.pending, struct job, in_queue) {
            check_waiting(&l, j, p);
            ++*waits;
        }
        sched_result_fini(&last);
    }
    planner_free(p);
    lab_fini(&l);
}

static void test_any_queue(void **state)
{
    (void)state;
    uint64_t seed = check_seed();
    unsigned starts = 0, waits = 0;
    for (unsigned i = 0; i < RUNS; i++)
        run(seed + i * 0x51ed2701u, &starts, &waits);
    assert_true(starts > RUNS && waits > RUNS); /* something happened */
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
