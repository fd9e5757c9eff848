/* test_place.c - where requests are placed, by a cycle of the planner. The cluster:
 *
 *     c1 c2     8 CPUs  16000 MiB           weight 1   feature x86
 *     a1       16 CPUs  32000 MiB  4 a100   weight 5   features x86 big
 *     v1       16 CPUs  32000 MiB  2 v100   weight 5   feature arm
 */
#include "src/base/xalloc.h"
#include "tests/lib/lab_cycle.h"
#include "tests/unit/sched/said.h"

static struct lab l;
static struct planner *planner;

static int set_up(void **state)
{
    (void)state;
    lab_init(&l);
    strv_push(&lab_node(&l, "c1", 8, 16000, 0, NULL)->features, "x86");
    strv_push(&lab_node(&l, "c2", 8, 16000, 0, NULL)->features, "x86");
    struct node_spec *a = lab_node(&l, "a1", 16, 32000, 4, "a100");
    strv_push(&a->features, "x86");
    strv_push(&a->features, "big");
    a->weight = 5;
    struct node_spec *v = lab_node(&l, "v1", 16, 32000, 2, "v100");
    strv_push(&v->features, "arm");
    v->weight = 5;
    lab_part(&l, "main", "c[1-2],a1,v1");
    lab_part(&l, "two", "c[1-2],a1,v1")->max_nodes = 2;
    lab_part(&l, "cpu", "c[1-2]");
    lab_configure(&l);
    planner = planner_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    planner_free(planner);
    lab_fini(&l);
    return 0;
}

static void set_key(struct job_req *r, const char *key, const char *value)
{
    uint32_t n = (uint32_t)strtoul(value, NULL, 10);
    const struct {
        const char *key;
        uint32_t *at;
    } counts[] = {{"N", &r->nodes_min},
                  {"Nmax", &r->nodes_max},
                  {"n", &r->ntasks},
                  {"c", &r->cpus_per_task},
                  {"tn", &req_detail_mut(r)->ntasks_per_node},
                  {"g", &r->gpus},
                  {"gn", &r->gpus_per_node},
                  {"gt", &req_detail_mut(r)->gpus_per_task}};
    const struct {
        const char *key;
        uint64_t *at;
    } sizes[] = {{"M", &r->mem_node_mib},
                 {"m", &req_detail_mut(r)->mem_cpu_mib},
                 {"mg", &req_detail_mut(r)->mem_gpu_mib}};
    const struct {
        const char *key;
        char **at;
    } texts[] = {{"w", &req_rare_mut(r)->nodelist},
                 {"x", &req_rare_mut(r)->exclude},
                 {"C", &req_detail_mut(r)->features},
                 {"type", &req_detail_mut(r)->gpu_type}};
    for (size_t i = 0; i < N_OF(counts); i++)
        if (strcmp(key, counts[i].key) == 0)
            *counts[i].at = n;
    for (size_t i = 0; i < N_OF(sizes); i++)
        if (strcmp(key, sizes[i].key) == 0)
            *sizes[i].at = n;
    for (size_t i = 0; i < N_OF(texts); i++)
        if (strcmp(key, texts[i].key) == 0)
            *texts[i].at = xstrdup(value);
    req_detail_mut(r)->exclusive = req_detail(r)->exclusive || strcmp(key, "exclusive") == 0;
    req_detail_mut(r)->overcommit = req_detail(r)->overcommit || strcmp(key, "O") == 0;
}

/* "N=2 n=8 w=c[1-2] exclusive=": options by their short names. */
static void request(const char *text, struct job_req *r)
{
    job_req_init(r);
    struct strv words = strv_split(text, " ");
    for (size_t i = 0; i < words.n; i++) {
        char *value = strchr(words.v[i], '=');
        assert_non_null(value);
        *value++ = '\0';
        set_key(r, words.v[i], value);
    }
    strv_fini(&words);
}

/* "c1:4 a1:2g1m500" of an allocation: CPUs, GPUs where there are any, memory with mem. */
static void describe(const struct alloc *v, size_t n, bool mem, struct str *out)
{
    for (size_t i = 0; i < n; i++) {
        str_appendf(out, "%s%s:%u", i ? " " : "", v[i].node, cpuset_count(&v[i].cpus));
        if (cpuset_count(&v[i].gpus))
            str_appendf(out, "g%u", cpuset_count(&v[i].gpus));
        if (mem)
            str_appendf(out, "m%llu", (unsigned long long)v[i].mem_mib);
    }
}

/* Submits a request, lets a cycle look at it, and says where it went: "" where it does not fit; then it is
 * held, so that it delays no other job. *ret_id: the job. */
static char *place(const char *part, const char *text, bool mem, uint32_t *ret_id)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    struct sched_result r;
    struct str out = STR_INIT;
    rec_fini(&job_req_rec, &j->req);
    request(text, &j->req);
    j->req.partition = xstrdup(part);
    uint32_t id = lab_submit(&l, j);
    if (lab_cycle(&l, planner, &r)) {
        const struct job *started = lab_get(&l, id);
        describe(started->alloc.v, started->alloc.n, mem, &out);
    } else {
        assert_int_equal(lab_hold(&l, id, HOLD_USER), 0);
    }
    sched_result_fini(&r);
    if (ret_id)
        *ret_id = id;
    return str_take(&out);
}

struct row {
    const char *part, *request, *want;
};

/* Each on an empty cluster. */
static void places_must_be(const struct row *rows, size_t n, bool mem)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t id;
        char *got = place(rows[i].part, rows[i].request, mem, &id);
        check_str(rows[i].request, got, rows[i].want);
        if (*got)
            assert_int_equal(lab_end(&l, id, STEP_BATCH, 0, END_EXITED, 0, 0), 0);
        free(got);
    }
}

static void test_placement_on_an_empty_cluster(void **state)
{
    (void)state;
    static const struct row rows[] = {
        /* what never fits */
        {"main", "n=49", ""},
        {"main", "c=17", ""},
        {"main", "N=5", ""},
        {"main", "N=1 n=17", ""},
        {"main", "g=7", ""},
        {"main", "gn=5", ""},
        {"main", "gt=5", ""},
        {"main", "g=1 type=h100", ""},
        {"main", "g=3 N=1 type=v100", ""},
        {"main", "M=32001", ""},
        {"main", "m=2001 c=16", ""},
        {"main", "w=c9", ""},
        {"main", "w=c1,c9", ""},
        {"main", "w=c[", ""},
        {"main", "x=c1,c2,a1,v1", ""},
        {"main", "C=arm&big", ""},
        {"main", "N=1 w=c[1-2]", ""}, /* all of those listed, and no more than one */
        {"cpu", "w=a1", ""},
        {"cpu", "g=1", ""},
        {"two", "N=3", ""},
        {"two", "n=40", ""},
        {"main", "n=65536 c=65536", ""},
        /* one node: the lightest, then the fullest that does */
        {"main", "", "c1:1"},
        {"main", "n=8", "c1:8"},
        {"main", "n=9",
         "v1:9"}, /* whole on a heavier one before in two on lighter ones; the one with fewer GPUs */
        {"main", "N=1 n=9", "v1:9"},
        {"main", "c=9", "v1:9"},
        {"main", "x=c[1-2]", "v1:1"},
        {"main", "C=big", "a1:1"},
        {"main", "C=arm|big", "v1:1"},
        {"main", "C=x86&big", "a1:1"},
        {"main", "w=c2", "c2:1"},
        {"main", "w=c2 n=4", "c2:4"},
        {"main", "w=c2 n=10", "c2:8 c1:2"}, /* additional nodes as needed */
        {"main", "w=a1 N=2", "a1:1 c1:1"},
        {"main", "w=c[1-2]", "c1:1 c2:1"},
        {"main", "w=a1,v1 n=6 N=2", "a1:3 v1:3"},
        /* GPUs */
        {"main", "g=1", "v1:1g1"},
        {"main", "g=1 type=A100", "a1:1g1"},
        {"main", "g=4", "a1:1g4"},
        {"main", "gn=2 c=4", "v1:4g2"},
        {"main", "gn=2 N=2", "a1:1g2 v1:1g2"},
        {"main", "g=3 N=2", "a1:1g2 v1:1g1"}, /* three, not two on each */
        {"main", "g=6 N=2", "a1:1g4 v1:1g2"},
        {"main", "g=6 n=2", "a1:1g4 v1:1g2"},
        {"main", "gt=1 n=2", "v1:2g2"},
        {"main", "gt=1 n=6", "a1:4g4 v1:2g2"},
        {"main", "gt=2 n=3", "a1:2g4 v1:1g2"},
        /* several nodes: evenly where their number is given */
        {"main", "N=2", "c1:1 c2:1"},
        {"main", "N=2 n=6", "c1:3 c2:3"},
        {"main", "N=2 n=5", "c1:3 c2:2"},
        {"main", "N=3 n=20", "c1:7 c2:7 a1:6"},
        {"main", "N=2 n=20", "a1:10 v1:10"}, /* the light ones would not do */
        {"main", "N=2 n=24 x=v1", "a1:16 c1:8"},
        {"main", "N=4 n=48", "c1:8 c2:8 a1:16 v1:16"},
        {"main", "N=4 n=2", "c1:1 c2:1 a1:1 v1:1"},
        {"main", "N=2 Nmax=3 n=34", "a1:13 v1:13 c1:8"},
        {"main", "N=2 tn=4", "c1:4 c2:4"},
        {"main", "n=5 tn=2", "c1:2 c2:2 a1:1"},
        {"main", "n=48", "c1:8 c2:8 a1:16 v1:16"},
        {"two", "n=32", "a1:16 v1:16"},
        {"main", "n=3 c=6", "c1:6 c2:6 a1:6"},
        {"main", "O= n=30", "c1:8"},
        {"main", "exclusive=", "c1:8"},
        {"main", "exclusive= g=1", "v1:16g2"},
        {"main", "exclusive= N=2 n=2", "c1:8 c2:8"},
    };
    places_must_be(rows, N_OF(rows), false);
}

static void test_memory(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"main", "", "c1:1m2000"}, /* a share by its CPUs */
        {"main", "n=8", "c1:8m16000"},
        {"main", "c=16", "v1:16m32000"},
        {"main", "M=500 n=2", "c1:2m500"},
        {"main", "M=0", "c1:1m16000"},
        {"main", "M=16001", "v1:1m16001"},
        {"main", "m=100 n=4 c=2", "c1:8m800"},
        {"main", "m=4000 n=9", "c1:4m16000 c2:4m16000 a1:1m4000"},
        {"main", "N=2 m=1000 n=3", "c1:2m2000 c2:1m1000"},
        {"main", "mg=1000 g=3", "a1:1g3m3000"},
        {"main", "mg=9000 gt=1 n=4", "a1:3g3m27000 v1:1g1m9000"},
        {"main", "exclusive= M=100", "c1:8m16000"},
    };
    places_must_be(rows, N_OF(rows), true);
}

/* One after the other on the same nodes: what is given away is not there for the next one. */
static void test_what_is_free_shrinks(void **state)
{
    (void)state;
    static const struct {
        const char *request, *want;
    } rows[] = {
        {"n=5", "c1:5m10000"},
        {"n=3", "c1:3m6000"},
        {"M=15000 n=1", "c2:1m15000"},
        {"n=4 w=c2", "c2:4m1000"}, /* a share as far as it goes */
        {"n=1 w=c2", ""},          /* nothing is left of it */
        {"g=2", "v1:1g2m2000"},
        {"g=2", "a1:1g2m2000"},
        {"g=3", ""},
        {"exclusive=", ""}, /* no node is empty any more */
        {"g=1 M=0", ""},
        {"g=1 c=15", "a1:15g1m30000"},
        {"g=1", ""}, /* no CPU beside the last one */
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        char *got = place("main", rows[i].request, true, NULL);
        check_str(rows[i].request, got, rows[i].want);
        free(got);
    }
}

/* The text of the first cause of that class. */
static void must_say(uint32_t id, enum why_class cls, const char *want)
{
    struct sched_view v = lab_view(&l);
    struct sched_result r;
    struct msg_why w;
    assert_int_equal(lab_hold(&l, id, HOLD_NONE), 0);
    assert_int_equal(lab_cycle(&l, planner, &r), 0);
    sched_result_fini(&r);
    sched_why(planner, &v, lab_get(&l, id), l.now, &w);
    const char *got = NULL;
    for (size_t i = 0; i < w.causes.n && !got; i++)
        got = w.causes.v[i].cls == cls ? said(&w.causes.v[i]) : NULL;
    check_has(want, got ? got : said_summary(&w), want);
    rec_fini(&msg_why_rec, &w);
    assert_int_equal(lab_hold(&l, id, HOLD_USER), 0);
}

static void test_nodes_that_are_out(void **state)
{
    (void)state;
    struct ev_node lost = {.node = xstrdup("c1"), .state = NODE_LOST};
    struct ev_drain drain = {.node = xstrdup("c2"), .drain = true, .reason = xstrdup("fan")};
    uint32_t id;
    lab_must(&l, EV_NODE, 0, &lost);
    lab_must(&l, EV_DRAIN, 0, &drain);
    free(place("main", "exclusive= w=v1", false, &id));
    char *got = place("main", "g=5 N=2", false, &id);
    assert_string_equal(got, "");
    free(got);
    must_say(
        id, WHY_BUSY,
        "4 nodes: 1 too few free GPUs (v1), 2 without GPUs (c[1-2]), 1 with room for a part of it (a1: 16 "
        "CPUs and 4 GPUs together)");
    got = place("main", "n=17", false, &id);
    assert_string_equal(got, "");
    free(got);
    must_say(id, WHY_BUSY,
             "4 nodes: 1 too few free CPUs (v1), 1 drained, 1 not answering, 1 with room for a part of it "
             "(a1: 16 CPUs together); c1 is not answering, c2 is drained: fan");
    got = place("main", "exclusive= N=2", false, &id);
    assert_string_equal(got, "");
    free(got);
    must_say(id, WHY_BUSY,
             "4 nodes: 1 not empty (v1), 1 drained, 1 not answering, 1 would do (a1); c1 is not answering");
    got = place("main", "", false, &id);
    assert_string_equal(got, "a1:1");
    free(got);
    /* as if all were up and empty */
    struct sched_view v = lab_view(&l);
    struct job_req req;
    request("N=4 n=48", &req);
    assert_int_equal(sched_admit(planner, &v, &(struct job){.uid = 1000, .req = req}, NULL), REFUSAL_NONE);
    rec_fini(&job_req_rec, &req);
}

static void test_refusals_are_counted(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"main", "gn=3", "4 nodes: 3 too few GPUs (c[1-2],v1: 3 asked, 2 at most), 1 would do (a1)"},
        {"main", "c=10 m=4000",
         "4 nodes: 2 too few CPUs (c[1-2]: 10 asked, 8 at most), 2 too little memory (a1,v1: 40000M asked, "
         "32000M at "
         "most)"},
        {"main", "g=1 type=h100", "4 nodes: 2 without GPUs (c[1-2]), 2 another GPU type (a1,v1)"},
        {"main", "C=fast", "4 nodes: 4 without the features (c[1-2],a1,v1)"},
        {"main", "N=1 w=c1 c=20",
         "4 nodes: 1 too few CPUs (c1: 20 asked, 8 at most), 3 not among those asked for (c2,a1,v1)"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t id;
        free(place("main", rows[i].request, false, &id));
        if (i > 0) {
            must_say(id, WHY_NO_FIT, rows[i].want);
            continue;
        }
        /* That one starts; another behind it does not. */
        free(place("main", rows[i].request, false, &id));
        must_say(id, WHY_BUSY,
                 "4 nodes: 1 too few free GPUs (a1), 3 too few GPUs (c[1-2],v1: 3 asked, 2 at most)");
    }
}

/* A task of a step job goes to one node: it was given CPUs of a second one, which then were lost. */
static void test_task_of_a_step_job_stays_on_one_node(void **state)
{
    (void)state;
    static const struct {
        uint32_t ranks, starts;
    } rows[] = {{9, 0}, {8, 1}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = lab_job(&l, JOB_KIND_STEPS);
        struct sched_result r;
        req_rare_mut(&j->req)->nodelist = xstrdup("c[1-2]"); /* one of them */
        lab_step(j, "s", 1)->n_ranks = rows[i].ranks;
        uint32_t id = lab_submit(&l, j);
        assert_int_equal(lab_cycle(&l, planner, &r), rows[i].starts);
        sched_result_fini(&r);
        if (rows[i].starts)
            assert_string_equal(lab_task(&l, id, 0, 0)->alloc.node, "c1");
    }
}

/* A job in steps that is not in the queue is tried with the tasks of its first step, as it would start: its
 * own request fits anywhere. */
static void test_steps_are_tried_with_their_first_step(void **state)
{
    (void)state;
    static const struct {
        uint32_t gpus;
        bool now;
        const char *nodes;
    } rows[] = {{NOT_GIVEN, true, "c1"}, {1, true, "v1"}, {4, true, "a1"}, {9, false, ""}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct sched_view v = lab_view(&l);
        struct trial t;
        struct job *j = lab_job(&l, JOB_KIND_STEPS);
        lab_step(j, "train", 3)->gpus = rows[i].gpus;
        planner_try(planner, &v, j, l.now, &t);
        assert_int_equal(t.now, rows[i].now);
        check_str("nodes", t.nodes ? t.nodes : "", rows[i].nodes);
        trial_fini(&t);
        job_free(j);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_placement_on_an_empty_cluster),
        TEST(test_memory),
        TEST(test_what_is_free_shrinks),
        TEST(test_nodes_that_are_out),
        TEST(test_refusals_are_counted),
        TEST(test_task_of_a_step_job_stays_on_one_node),
        TEST(test_steps_are_tried_with_their_first_step),
    };
    return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}
