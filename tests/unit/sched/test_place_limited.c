/* test_place_limited.c - limits count what nodes come with: whole nodes, shares of their memory. Where the
 * best place is too much another one may do; what is too much everywhere is refused.
 *
 *     node   CPUs  memory  GPUs  weight
 *     big      16   64000     8      10
 *     mid       8   16000     2      20
 *     two       8   32000     4      30
 *     bare      4    4000     0      40
 */
#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "tests/lib/sched_fixture.h"
#include "tests/unit/sched/said.h"

static int set_up(void **state)
{
    (void)state;
    sched_fixture_begin();
    lab_node(&l, "big", 16, 64000, 8, NULL)->weight = 10;
    lab_node(&l, "mid", 8, 16000, 2, NULL)->weight = 20;
    lab_node(&l, "two", 8, 32000, 4, NULL)->weight = 30;
    struct node_spec *bare = lab_node(&l, "bare", 4, 4000, 0, NULL);
    bare->weight = 40;
    strv_push(&bare->features, "old");
    lab_part(&l, "main", "big,mid,two,bare")->default_time_s = 600;
    lab_part(&l, "high", "big,mid,two,bare")->priority_tier = 2;
    l.spec.parts.v[0].preempt_mode = PREEMPT_REQUEUE;
    lab_part(&l, "alone", "bare")->default_time_s = 600;
    return 0;
}

struct row {
    const char *name;
    uint64_t most[3]; /* GPUs, CPUs, memory */
    uint32_t nodes, tasks, cpus_per_task, gpus;
    uint64_t mem_mib;
    bool exclusive;
    const char *want; /* where it starts; "-": it is refused */
};

static void limit_ann(const struct limit_set *hard, const struct limit_set *soft)
{
    struct limit_spec *s = rec_list_push(&l.spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("ann")};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = hard ? *hard : s->soft;
    s->soft = soft ? *soft : s->soft;
    lab_configure(&l);
}

static struct limit_set only(uint64_t gpus, uint64_t cpus, uint64_t mem_mib)
{
    struct limit_set s;
    memset(&s, 0xff, sizeof s);
    s.gpus = gpus;
    s.cpus = cpus;
    s.mem_mib = mem_mib;
    return s;
}

static struct job *job_of(const char *part, uint32_t nodes, bool exclusive)
{
    struct job *j = lab_job(&l, JOB_KIND_BATCH);
    free(j->user);
    j->user = xstrdup("ann");
    j->req.partition = xstrdup(part);
    j->req.nodes_min = j->req.nodes_max = j->req.ntasks = nodes;
    req_detail_mut(&j->req)->exclusive = exclusive;
    return j;
}

static const char *nodes_of(uint32_t id)
{
    static char text[128];
    const struct job *j = lab_get(&l, id);
    text[0] = '\0';
    for (size_t i = 0; i < j->alloc.n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", j->alloc.v[i].node);
    return text;
}

#define ANY LIMIT_NONE

static void test_where_it_is_allowed(void **state)
{
    static const struct row rows[] = {
        {"without a limit the lightest", {ANY, ANY, ANY}, 1, 1, 1, 0, 0, true, "big"},
        {"the lightest of those with few GPUs", {4, ANY, ANY}, 1, 1, 1, 0, 0, true, "mid"},
        {"none", {0, ANY, ANY}, 1, 1, 1, 0, 0, true, "bare"},
        {"few CPUs", {ANY, 8, ANY}, 1, 1, 1, 0, 0, true, "mid"},
        {"few CPUs, many GPUs", {ANY, 8, ANY}, 1, 1, 1, 3, 0, true, "two"},
        {"little memory", {ANY, ANY, 20000}, 1, 1, 1, 0, 0, true, "mid"},
        {"a share of memory", {ANY, ANY, 7000}, 1, 2, 2, 0, MEM_NOT_GIVEN, false, "bare"},
        {"all memory", {ANY, ANY, 32000}, 1, 1, 1, 1, 0, false, "mid"},
        {"what it names is the same everywhere", {ANY, ANY, 500}, 1, 1, 1, 0, 500, false, "big"},
        {"two nodes", {ANY, ANY, ANY}, 2, 2, 1, 0, 0, true, "big mid"},
        {"two nodes with few GPUs", {5, ANY, ANY}, 2, 2, 1, 0, 0, true, "bare mid"},
        {"two nodes with little memory", {ANY, ANY, 36000}, 2, 2, 1, 0, 0, true, "bare mid"},
        {"three nodes", {6, ANY, ANY}, 3, 3, 1, 0, 0, true, "bare mid two"},
        {"three nodes, one GPU less", {5, ANY, ANY}, 3, 3, 1, 0, 0, true, "-"},
        {"two nodes with GPUs", {6, ANY, ANY}, 2, 2, 1, 1, 0, true, "mid two"},
        {"and one less", {5, ANY, ANY}, 2, 2, 1, 1, 0, true, "-"},
        {"three nodes' CPUs", {ANY, 19, ANY}, 3, 3, 1, 0, 0, true, "-"},
        {"three nodes' memory", {ANY, ANY, 51999}, 3, 3, 1, 0, 0, true, "-"},
        {"one node with enough GPUs", {4, ANY, ANY}, 1, 1, 1, 5, 0, true, "-"},
        {"all memory of a node with GPUs", {ANY, ANY, 15999}, 1, 1, 1, 1, 0, false, "-"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct row *r = &rows[i];
        struct limit_set hard = only(r->most[0], r->most[1], r->most[2]);
        sched_fixture_end(state);
        set_up(state);
        limit_ann(&hard, NULL);
        struct job *j = job_of("main", r->nodes, r->exclusive);
        j->req.ntasks = r->tasks;
        j->req.cpus_per_task = r->cpus_per_task;
        j->req.gpus_per_node = r->gpus;
        j->req.mem_node_mib = r->exclusive ? MEM_NOT_GIVEN : r->mem_mib;
        struct sched_view v = lab_view(&l);
        struct cause text = {0};
        v.limits = limits_new(&l.m);
        enum refusal refusal =
            sched_admit_counts(planner, &v, j, (struct sched_admit_how){0}, l.now, &text);
        check_int(r->name, refusal, strcmp(r->want, "-") == 0 ? REFUSAL_POLICY : REFUSAL_NONE);
        rec_fini(&cause_rec, &text);
        uint32_t id = lab_submit(&l, j);
        cycle_full();
        check_str(r->name, nodes_of(id), strcmp(r->want, "-") == 0 ? "" : r->want);
        check_int(r->name, lab_get(&l, id)->state == JOB_RUNNING, refusal == REFUSAL_NONE);
        limits_free(v.limits);
    }
}

static void test_a_refusal_names_the_limit(void **state)
{
    (void)state;
    struct limit_set hard = only(5, ANY, ANY);
    struct cause text = {0};
    limit_ann(&hard, NULL);
    struct job *j = job_of("main", 3, true);
    struct sched_view v = lab_view(&l);
    v.limits = limits_new(&l.m);
    struct sched_admit_how how = {0};
    assert_int_equal(sched_admit_counts(planner, &v, j, how, l.now, &text), REFUSAL_POLICY);
    assert_string_equal(said(&text), "6 GPUs asked; user ann may hold 5 (hard limit for user ann)");
    free(j->req.partition); /* a limit's room where it can never run does not help */
    j->req.partition = xstrdup("alone,main");
    assert_int_equal(sched_admit_counts(planner, &v, j, how, l.now, &text), REFUSAL_POLICY);
    assert_string_equal(said(&text), "6 GPUs asked; user ann may hold 5 (hard limit for user ann)");
    free(j->req.partition);
    j->req.partition = xstrdup("main");
    req_rare_mut(&j->req)->nodelist = xstrdup("big"); /* has to be one of them: 8, and two of the others */
    assert_int_equal(sched_admit_counts(planner, &v, j, how, l.now, &text), REFUSAL_POLICY);
    assert_string_equal(said(&text), "10 GPUs asked; user ann may hold 5 (hard limit for user ann)");
    free(req_rare_mut(&j->req)->nodelist);
    req_rare_mut(&j->req)->nodelist = NULL;
    j->req.nodes_min = j->req.nodes_max = j->req.ntasks = 1;
    req_rare_mut(&j->req)->exclude = xstrdup("mid,two,bare");
    assert_int_equal(sched_admit_counts(planner, &v, j, how, l.now, &text), REFUSAL_POLICY);
    assert_string_equal(said(&text), "8 GPUs asked; user ann may hold 5 (hard limit for user ann)");
    free(req_rare_mut(&j->req)->exclude);
    req_rare_mut(&j->req)->exclude = NULL;
    req_detail_mut(&j->req)->features = xstrdup("old");
    assert_int_equal(sched_admit_counts(planner, &v, j, how, l.now, &text), REFUSAL_NONE);
    limits_free(v.limits);
    rec_fini(&cause_rec, &text);
    job_free(j);
}

static void test_a_trial_says_so(void **state)
{
    (void)state;
    struct limit_set hard = only(2, ANY, ANY);
    struct trial t;
    limit_ann(&hard, NULL);
    struct sched_view v = lab_view(&l);
    struct job *j = job_of("main", 1, true);
    planner_try(planner, &v, j, l.now, &t);
    assert_true(t.now);
    assert_string_equal(t.nodes, "mid");
    trial_fini(&t);
    req_rare_mut(&j->req)->exclude = xstrdup("mid,bare");
    planner_try(planner, &v, j, l.now, &t);
    assert_false(t.now);
    trial_fini(&t);
    job_free(j);
}

/* Those that it may have are busy: a place is held there, and big stays free for others. */
static void test_a_place_is_held_where_it_is_allowed(void **state)
{
    (void)state;
    struct limit_set hard = only(4, ANY, ANY);
    static const char *const small[] = {"mid", "two", "bare"};
    uint32_t busy[3];
    limit_ann(&hard, NULL);
    for (size_t i = 0; i < N_OF(small); i++) {
        struct job *j = job_of("main", 1, false);
        req_rare_mut(&j->req)->nodelist = xstrdup(small[i]);
        j->req.time_limit_s = 600 + 60 * (uint32_t)i;
        busy[i] = lab_submit(&l, j);
    }
    assert_int_equal(cycle_full(), 3);
    uint32_t id = lab_submit(&l, job_of("main", 1, true));
    assert_int_equal(cycle_full(), 0);
    assert_int_equal(planner_reason(planner, id), REASON_RESOURCES);
    assert_int_equal(last.next.ms, lab_get(&l, busy[0])->t_start.ms + 600 * MS_PER_S);
    struct job *j = job_of("main", 1, true); /* another's, who may have big */
    free(j->user);
    j->user = xstrdup("bob");
    uint32_t other = lab_submit(&l, j);
    assert_int_equal(cycle_full(), 1);
    assert_string_equal(nodes_of(other), "big");
    assert_int_equal(lab_end(&l, busy[2], STEP_BATCH, 0, END_EXITED, 0, 0), 0);
    assert_int_equal(cycle_full(), 1);
    assert_string_equal(nodes_of(id), "bare");
}

/* Two whole nodes are held as soon as two come free that do not cost too much. */
static void test_places_on_several_nodes(void **state)
{
    (void)state;
    struct limit_set hard = only(6, ANY, ANY);
    limit_ann(&hard, NULL);
    struct job *j = job_of("main", 1, false);
    req_rare_mut(&j->req)->nodelist = xstrdup("mid");
    lab_submit(&l, j);
    j = job_of("main", 1, false);
    req_rare_mut(&j->req)->nodelist = xstrdup("bare");
    j->req.time_limit_s = 1200;
    lab_submit(&l, j);
    assert_int_equal(cycle_full(), 2);
    int64_t from = l.now.ms;
    uint32_t id = lab_submit(&l, job_of("main", 2, true));
    assert_int_equal(cycle_full(), 0);
    assert_int_equal(planner_reason(planner, id), REASON_RESOURCES);
    assert_true(last.next.ms >= from + 600 * MS_PER_S && last.next.ms <= from + 601 * MS_PER_S);
}

/* It goes on mid, within the limit, rather than on big, borrowed; and there if nothing else is left. */
static void test_rather_than_borrow(void **state)
{
    (void)state;
    struct limit_set soft = only(4, ANY, ANY);
    limit_ann(NULL, &soft);
    uint32_t first = lab_submit(&l, job_of("main", 1, true)),
             then = lab_submit(&l, job_of("main", 1, true));
    assert_int_equal(cycle_full(), 2);
    assert_string_equal(nodes_of(first), "mid");
    assert_false(lab_get(&l, first)->borrowed);
    assert_string_equal(nodes_of(then), "bare"); /* mid's two GPUs count already */
    assert_false(lab_get(&l, then)->borrowed);
    uint32_t more = lab_submit(&l, job_of("main", 1, true));
    assert_int_equal(cycle_full(), 1);
    assert_string_equal(nodes_of(more), "big");
    assert_true(lab_get(&l, more)->borrowed);
}

/* A job is preempted on a node that the other may have, although big is idle. */
static void test_who_goes(void **state)
{
    (void)state;
    struct limit_set hard = only(2, ANY, ANY);
    static const char *const small[] = {"mid", "two", "bare"};
    limit_ann(&hard, NULL);
    for (size_t i = 0; i < N_OF(small); i++) {
        struct job *j = job_of("main", 1, false);
        free(j->user);
        j->user = xstrdup("bob");
        req_rare_mut(&j->req)->nodelist = xstrdup(small[i]);
        req_detail_mut(&j->req)->has_priority = true;
        req_detail_mut(&j->req)->priority =
            i == 1 ? 1 : 2; /* two has more GPUs than it may have: that one is left alone */
        lab_submit(&l, j);
    }
    assert_int_equal(cycle_full(), 3);
    lab_submit(&l, job_of("high", 1, true));
    assert_int_equal(cycle_full(), 0);
    assert_int_equal(last.preempts.n, 1);
    assert_string_equal(nodes_of(last.preempts.v[0].job), "bare"); /* the youngest of the two */
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, sched_fixture_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_where_it_is_allowed),
        TEST(test_a_refusal_names_the_limit),
        TEST(test_a_trial_says_so),
        TEST(test_a_place_is_held_where_it_is_allowed),
        TEST(test_places_on_several_nodes),
        TEST(test_rather_than_borrow),
        TEST(test_who_goes),
    };
    return cmocka_run_group_tests_name("place_limited", tests, NULL, NULL);
}
