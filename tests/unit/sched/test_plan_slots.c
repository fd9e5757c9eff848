/* test_plan_slots.c - who starts, for whom a place is held and who waits, by tables worked by hand.
 *
 * One pool of processors, times in seconds from now. A row is a queue in the order of priority, each item
 * "CPUs x SECONDS"; beside it what becomes of each under a policy: "s" it starts, a number: a place is held
 * then, "-" it waits.
 */
#include "backend/sched/resources/resources.h"
#include "src/model/need.h"
#include "tests/lib/check.h"

#define ITEMS 8
#define S     INT64_C(1000)

struct world {
    struct pool pool;
    struct nodeset sets[2];
    struct plan_slots b;
    struct pool_use running[ITEMS];
    struct plan_slot holds[ITEMS];
    struct pool_use started[ITEMS];
    struct demand demands[ITEMS];
    struct plan_choice choices[ITEMS][2];
    struct plan_request items[ITEMS];
    struct placement place;
    uint32_t n;
};

static struct demand demand_of(uint32_t cpus)
{
    struct job_req r;
    struct demand d = {.nodes_max = 1};
    job_req_init(&r);
    r.cpus_per_task = cpus;
    r.mem_node_mib = 1;
    job_need(&r, &d.need);
    rec_fini(&job_req_rec, &r);
    return d;
}

/* Two nodes, each the set of a lane; most tests use the first alone. */
static void begin(struct world *w, int64_t cpus, const struct plan_opts *o)
{
    *w = (struct world){.n = 0};
    pool_init(&w->pool, 2, 0);
    for (uint32_t i = 0; i < 2; i++) {
        pool_set_node(&w->pool, i, (struct amount){cpus, 1000, 0}, 1, true);
        nodeset_init(&w->sets[i], 2);
        nodeset_add(&w->sets[i], i);
    }
    plan_slots_init(&w->b, &w->pool, o, 2);
}

static void end(struct world *w)
{
    plan_slots_fini(&w->b);
    placement_fini(&w->place);
    for (uint32_t i = 0; i < ITEMS; i++) {
        pool_drop(&w->pool, &w->running[i]);
        pool_drop(&w->pool, &w->started[i]);
    }
    for (uint32_t i = 0; i < 2; i++)
        nodeset_fini(&w->sets[i]);
    pool_fini(&w->pool);
}

static void run(struct world *w, uint32_t at, uint32_t node, int64_t cpus, int64_t end_s)
{
    struct pool_parts one = {.v = VEC_INIT};
    vec_push(&one.v, (struct pool_part){node, {cpus, 1, 0}});
    pool_run(&w->pool, &w->running[at], &one, end_s * S);
    vec_fini(&one.v);
}

static struct plan_request *add(struct world *w, uint32_t cpus, int64_t len_s)
{
    uint32_t i = w->n++;
    w->demands[i] = demand_of(cpus);
    for (uint32_t k = 0; k < 2; k++)
        w->choices[i][k] = (struct plan_choice){.partition = k,
                                                .demand = &w->demands[i],
                                                .set = &w->sets[k],
                                                .len = len_s * S,
                                                .len_min = len_s * S};
    w->items[i] = (struct plan_request){.choices = w->choices[i], .n_choices = 1, .deadline = WHEN_NEVER};
    return &w->items[i];
}

/* One pass over those that wait: "s 10 -". */
static const char *run_cycle(struct world *w, bool gained)
{
    static char text[200];
    size_t n = 0;
    plan_slots_begin(&w->b, gained);
    for (uint32_t i = 0; i < w->n; i++) {
        const char *gap = i ? " " : "";
        if (w->started[i].parts) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s.", gap);
        } else if (plan_slots_start(&w->b, &w->items[i], &w->holds[i], &w->place)) {
            pool_run(&w->pool, &w->started[i], &w->place.parts, when_plus(w->pool.now, w->place.len));
            n += (size_t)snprintf(text + n, sizeof text - n, "%ss", gap);
        } else if (plan_slots_book(&w->b, &w->items[i], &w->holds[i])) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%d", gap, (int)(w->holds[i].use.start / S));
        } else {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s-", gap);
        }
    }
    return text;
}

static const struct plan_opts off = {.depth = 0}, easy = {.depth = 1, .backfill = true},
                              three = {.depth = 3, .backfill = true, .keep = true},
                              all = {.depth = PLAN_ALL, .backfill = true, .keep = true};

static void test_policies(void **state)
{
    (void)state;
    /* 10 processors, 6 of them taken for 100 s. */
    static const struct {
        const char *name;
        struct {
            uint32_t cpus;
            int64_t len_s;
        } queue[ITEMS];
        const char *off, *easy, *three, *all;
    } rows[] = {
        {"all fit", {{2, 10}, {2, 10}}, "s s", "s s", "s s", "s s"},
        {"the first waits", {{10, 10}, {4, 50}}, "- -", "100 s", "100 s", "100 s"},
        {"it would hurt the first", {{10, 10}, {4, 101}}, "- -", "100 -", "100 110", "100 110"},
        {"as long as the first waits", {{10, 10}, {4, 100}}, "- -", "100 s", "100 s", "100 s"},
        {"beside the first", {{6, 10}, {4, 1000}}, "- -", "100 s", "100 s", "100 s"},
        {"beside it, but not twice",
         {{7, 10}, {3, 1000}, {1, 1000}},
         "- - -",
         "100 s -",
         "100 s 110",
         "100 s 110"},
        {"the second is hurt with easy only",
         {{10, 10}, {5, 10}, {1, 1000}},
         "- - -",
         "100 - -",
         "100 110 110",
         "100 110 110"},
        {"a hole between two places",
         {{8, 10}, {10, 10}, {2, 105}},
         "- - -",
         "100 - s",
         "100 110 s",
         "100 110 s"},
        {"no more than three places",
         {{10, 10}, {10, 10}, {10, 10}, {10, 10}},
         "- - - -",
         "100 - - -",
         "100 110 120 -",
         "100 110 120 130"},
        {"too large for ever", {{11, 10}, {4, 10}}, "- -", "- s", "- s", "- s"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct {
            const struct plan_opts *o;
            const char *want;
        } runs[] = {
            {&off, rows[i].off}, {&easy, rows[i].easy}, {&three, rows[i].three}, {&all, rows[i].all}};
        for (size_t k = 0; k < N_OF(runs); k++) {
            struct world w;
            begin(&w, 10, runs[k].o);
            run(&w, 0, 0, 6, 100);
            for (uint32_t q = 0; rows[i].queue[q].cpus; q++)
                add(&w, rows[i].queue[q].cpus, rows[i].queue[q].len_s);
            check_str(rows[i].name, run_cycle(&w, true), runs[k].want);
            end(&w);
        }
    }
}

static void test_a_place_is_kept_and_moved_earlier(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 10, &three);
    run(&w, 0, 0, 6, 100);
    run(&w, 1, 0, 2, 50);
    add(&w, 10, 10);
    add(&w, 5, 10);
    assert_string_equal(run_cycle(&w, true), "100 110");
    add(&w, 2, 200);
    assert_string_equal(run_cycle(&w, false), "100 110 110"); /* beside the second */
    pool_drop(&w.pool, &w.running[1]);                        /* early: nothing for these */
    assert_string_equal(run_cycle(&w, true), "100 110 110");
    pool_change_end(&w.pool, &w.running[0], 40 * S);
    assert_string_equal(run_cycle(&w, true), "40 50 50");
    w.pool.now = 10 * S;
    pool_drop(&w.pool, &w.running[0]);
    assert_string_equal(run_cycle(&w, true), "s 20 20");
    end(&w);
}

/* What waits without a hold and stands before them takes the place of those behind, where it needs it
 * only. */
static void test_a_new_job_ahead(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 10, &three);
    run(&w, 0, 0, 10, 100);
    add(&w, 10, 10);
    struct plan_request *late = add(&w, 4, 10), *beside = add(&w, 1, 10);
    w.items[0].n_choices = 0; /* it is not there yet */
    assert_string_equal(run_cycle(&w, true), "- 100 100");
    late->n_choices = beside->n_choices = 1;
    w.items[0].n_choices = 1;
    assert_string_equal(run_cycle(&w, false), "100 110 110");
    /* A job that needs only unplanned resources leaves them where they are. */
    end(&w);
    begin(&w, 10, &three);
    run(&w, 0, 0, 10, 100);
    add(&w, 2, 10);
    add(&w, 4, 500);
    w.items[0].n_choices = 0;
    assert_string_equal(run_cycle(&w, true), "- 100");
    w.items[0].n_choices = 1;
    int64_t was = w.holds[1].use.start;
    assert_string_equal(run_cycle(&w, false), "100 100");
    assert_int_equal(w.holds[1].use.start, was);
    assert_int_equal(w.b.n_dropped, 0);
    end(&w);
}

/* A planned start loses a node, or a job runs longer: another place is found. */
static void test_shaken(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 4, &three);
    run(&w, 0, 0, 4, 50);
    run(&w, 1, 1, 4, 80);
    add(&w, 4, 10)->n_choices = 2;
    assert_string_equal(run_cycle(&w, true), "50");
    w.pool.nodes[0].usable = false;
    assert_string_equal(run_cycle(&w, false), "50"); /* it has not been told so */
    plan_slots_begin(&w.b, false);
    plan_slots_invalidate(&w.b);
    assert_false(plan_slots_start(&w.b, &w.items[0], &w.holds[0], &w.place));
    assert_true(plan_slots_book(&w.b, &w.items[0], &w.holds[0]));
    assert_int_equal(w.holds[0].use.start, 80 * S);
    pool_change_end(&w.pool, &w.running[1], 90 * S);
    plan_slots_begin(&w.b, false);
    plan_slots_invalidate(&w.b);
    assert_false(plan_slots_start(&w.b, &w.items[0], &w.holds[0], &w.place));
    assert_true(plan_slots_book(&w.b, &w.items[0], &w.holds[0]));
    assert_int_equal(w.holds[0].use.start, 90 * S);
    end(&w);
}

/* What should have ended has not: the place is held for later. */
static void test_overdue(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 4, &three);
    run(&w, 0, 0, 4, 50);
    add(&w, 4, 10);
    assert_string_equal(run_cycle(&w, true), "50");
    pool_advance(&w.pool, 50 * S, S);
    assert_string_equal(run_cycle(&w, false), "51");
    pool_advance(&w.pool, 50 * S + 300, S);
    pool_drop(&w.pool, &w.running[0]);
    assert_string_equal(run_cycle(&w, true), "s");
    end(&w);
}

static void test_several_lanes(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 4, &easy);
    run(&w, 0, 0, 4, 100);
    run(&w, 1, 1, 4, 60);
    add(&w, 4, 10)->n_choices = 2; /* the earliest start wins: lane 1 */
    add(&w, 4, 10);                /* lane 0 has its place left */
    add(&w, 4, 10)->n_choices = 2; /* both are full */
    assert_string_equal(run_cycle(&w, true), "60 100 -");
    assert_int_equal(w.holds[0].partition, 1);
    pool_drop(&w.pool, &w.running[0]); /* what fits now goes into the first that takes it */
    assert_string_equal(run_cycle(&w, true), "s 10 20"); /* lane 1 has a place left, lane 0 is sooner */
    assert_int_equal(w.started[0].parts[0].node, 0);
    end(&w);
    /* The earliest start is in a lane that has no place left: it counts in the other one. */
    begin(&w, 4, &easy);
    run(&w, 0, 0, 4, 60);
    run(&w, 1, 1, 4, 100);
    add(&w, 4, 10);
    add(&w, 4, 10)->n_choices = 2;
    add(&w, 4, 10)->n_choices = 2;
    assert_string_equal(run_cycle(&w, true), "60 70 -");
    assert_int_equal(w.holds[1].partition, 0);
    assert_int_equal(w.b.partitions[1].n_held, 1);
    end(&w);
    begin(&w, 4, &three); /* and a place that is kept counts where it did */
    run(&w, 0, 0, 4, 60);
    run(&w, 1, 1, 4, 100);
    for (int i = 0; i < 5; i++)
        add(&w, 4, 10)->n_choices = 1 + (i > 2);
    assert_string_equal(run_cycle(&w, true), "60 70 80 90 100");
    assert_string_equal(run_cycle(&w, false), "60 70 80 90 100");
    assert_int_equal(w.b.partitions[0].n_held, 3);
    assert_int_equal(w.b.partitions[1].n_held, 2);
    end(&w);
    begin(&w, 4, &off);
    run(&w, 0, 0, 4, 100);
    add(&w, 4, 10);
    add(&w, 1, 10)->n_choices = 2; /* strictly in order within a lane; the other is open */
    assert_string_equal(run_cycle(&w, true), "- s");
    assert_int_equal(w.started[1].parts[0].node, 1);
    end(&w);
}

static void test_time_min_and_deadline(void **state)
{
    (void)state;
    /* 4 processors, 2 of them taken for 100 s; a place for 4 is held then. The item asks for 2. */
    static const struct {
        const char *name;
        int64_t len, least, deadline, got; /* seconds; 0: none; got 0: it waits */
    } rows[] = {
        {"in full", 100, 10, 0, 100},
        {"cut to what is left", 500, 10, 0, 100},
        {"not below its least", 500, 101, 0, 0},
        {"just its least", 500, 100, 0, 100},
        {"cut to its deadline", 500, 10, 70, 70},
        {"its deadline is too near", 500, 71, 70, 0},
        {"in full before its deadline", 70, 70, 70, 70},
        {"without a limit, until its deadline", -1, -1, 70, 70},
        {"without a limit", -1, -1, 0, 0},
        {"without a limit, but a least", -1, 30, 0, 100},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct world w;
        begin(&w, 4, &three);
        run(&w, 0, 0, 2, 100);
        add(&w, 4, 50);
        struct plan_request *it = add(&w, 2, 1);
        w.choices[1][0].len = rows[i].len < 0 ? WHEN_NEVER : rows[i].len * S;
        w.choices[1][0].len_min = rows[i].least < 0 ? WHEN_NEVER : rows[i].least * S;
        it->deadline = rows[i].deadline ? rows[i].deadline * S : WHEN_NEVER;
        plan_slots_begin(&w.b, true);
        assert_false(plan_slots_start(&w.b, &w.items[0], &w.holds[0], &w.place));
        assert_true(plan_slots_book(&w.b, &w.items[0], &w.holds[0]));
        bool starts = plan_slots_start(&w.b, it, &w.holds[1], &w.place);
        check_int(rows[i].name, starts, rows[i].got != 0);
        if (starts)
            check_int(rows[i].name, w.place.len / S, rows[i].got);
        else if (rows[i].deadline) /* a place after its deadline does not help */
            check_int(rows[i].name, plan_slots_book(&w.b, it, &w.holds[1]), false);
        end(&w);
    }
}

static void test_what_belongs_to_something_ends_with_it(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 4, &three);
    run(&w, 0, 0, 2, 100);
    add(&w, 4, 50);
    add(&w, 2, 500)->ends = 90 * S;
    assert_string_equal(run_cycle(&w, true), "100 s");
    assert_int_equal(w.place.len, 90 * S);
    end(&w);
}

static void test_claims(void **state)
{
    (void)state;
    static const struct plan_opts *const opts[] = {&easy, &three, &off};
    for (size_t i = 0; i < N_OF(opts); i++) {
        struct world w;
        begin(&w, 4, opts[i]);
        run(&w, 0, 0, 4, 100);
        struct plan_request *it = add(&w, 4, 50);
        add(&w, 1, 10);
        plan_slots_begin(&w.b, true);
        pool_change_end(&w.pool, &w.running[0], 30 * S); /* it has been asked to go */
        struct placement at = {.start = 30 * S, .len = 50 * S};
        vec_push(&at.parts.v, (struct pool_part){0, {4, 1, 0}});
        plan_slots_book_preemptor(&w.b, it, &w.holds[0], &at);
        assert_true(w.holds[0].by_preemption);
        assert_int_equal(w.b.partitions[0].n_held, 0); /* counts against no other job's places */
        assert_int_equal(w.b.partitions[0].closed,
                         opts[i] == &off); /* in strict order no job comes before it */
        plan_slots_begin(&w.b, false);
        assert_true(plan_slots_rebook_preemptor(&w.b, it,
                                                &w.holds[0])); /* kept, or made again where none is kept */
        assert_int_equal(w.holds[0].use.start, 30 * S);
        pool_advance(&w.pool, 30 * S, S); /* the victim takes a little longer */
        plan_slots_begin(&w.b, false);
        assert_true(plan_slots_rebook_preemptor(&w.b, it, &w.holds[0]));
        assert_int_equal(w.holds[0].use.start, 31 * S);
        assert_true(w.holds[0].by_preemption);
        placement_fini(&at);
        end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_a_place_is_kept_and_moved_earlier),
        cmocka_unit_test(test_a_new_job_ahead),
        cmocka_unit_test(test_shaken),
        cmocka_unit_test(test_overdue),
        cmocka_unit_test(test_several_lanes),
        cmocka_unit_test(test_time_min_and_deadline),
        cmocka_unit_test(test_what_belongs_to_something_ends_with_it),
        cmocka_unit_test(test_claims),
    };
    return cmocka_run_group_tests_name("backfill", tests, NULL, NULL);
}
