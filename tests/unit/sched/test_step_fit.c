/* test_step_fit.c - steps inside an allocation of two nodes: n1 with 4 CPUs, 2 GPUs and 4000 MiB, n2 with 2
 * CPUs, 2 GPUs and 2000. */
#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "tests/lib/lab.h"
#include "tests/unit/sched/said.h"

static struct job *j;

static int set_up(void **state)
{
    (void)state;
    j = job_new();
    j->id = 1;
    j->req.mem_node_mib = 4000;
    *rec_list_push(&j->alloc) = lab_alloc("n1", 8, 4, 0, 2, 4000);
    *rec_list_push(&j->alloc) = lab_alloc("n2", 0, 2, 4, 2, 2000);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    job_free(j);
    return 0;
}

static struct step step_of(uint32_t ranks, uint32_t cpus, uint32_t nodes)
{
    return (struct step){.n_ranks = ranks,
                         .cpus_per_rank = cpus,
                         .nodes = nodes,
                         .gpus = NOT_GIVEN,
                         .mem_mib = MEM_NOT_GIVEN};
}

/* "n1 0+3 8-10 | n2 3+1 0": node, first rank + ranks, CPUs, then g and the GPUs, m and the memory where the
 * step says some. Ends with "busy" or "too big" where it does not run now. The step becomes a part of the
 * job, running. */
static char *run(struct step *s, struct cause *text)
{
    struct sched_places places = {0};
    struct str out = STR_INIT;
    s->id = (int32_t)j->next_step;
    enum step_fit fit = sched_fit_step(j, s, &places, text);
    if (fit != STEP_FITS) {
        assert_int_equal(places.v.n, 0);
        str_append(&out, fit == STEP_BUSY ? "busy" : "too big");
        return str_take(&out);
    }
    struct step *in_job = rec_list_push(&j->steps);
    rec_copy(&step_rec, in_job, s);
    j->next_step++;
    vec_for_each (&places.v, i) {
        struct ev_place *p = &places.v.v[i];
        assert_int_equal(p->step, s->id);
        assert_int_equal(p->task, i);
        struct task *t = rec_list_push(&in_job->tasks);
        *t = (struct task){.index = p->task, .state = TASK_RUNNING};
        rec_copy(&alloc_rec, &t->alloc, &p->alloc);
        char *cpus = cpuset_format(&p->alloc.cpus), *gpus = cpuset_format(&p->alloc.gpus);
        str_appendf(&out, "%s%s %u+%u %s", i ? " | " : "", p->alloc.node, p->rank_base, p->n_ranks, cpus);
        if (s->gpus != NOT_GIVEN)
            str_appendf(&out, " g%s", gpus);
        if (s->mem_mib != MEM_NOT_GIVEN)
            str_appendf(&out, " m%llu", (unsigned long long)p->alloc.mem_mib);
        free(cpus);
        free(gpus);
        rec_fini(&ev_place_rec, p);
    }
    vec_fini(&places.v);
    return str_take(&out);
}

static void must_run(const char *row, struct step s, const char *want)
{
    struct cause text = {0};
    char *got = run(&s, &text);
    check_str(row, got, want);
    free(got);
    free(s.nodelist);
}

static void end_step(int32_t id)
{
    struct step *s = job_find_step(j, id);
    for (size_t i = 0; i < s->tasks.n; i++)
        s->tasks.v[i].state = TASK_DONE;
}

static void test_alone(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t ranks, cpus, nodes, gpus, gpus_per_rank;
        uint64_t mem;
        const char *nodelist;
        const char *want;
    } rows[] = {
        {"too many ranks", 7, 1, 2, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "too big"},
        {"too many CPUs", 1, 5, 1, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "too big"},
        {"too many nodes", 3, 1, 3, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "too big"},
        {"too many nodes by far", 4000000000u, 1, 4000000000u, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL,
         "too big"},
        {"too many GPUs", 1, 1, 1, 3, 0, MEM_NOT_GIVEN, NULL, "too big"},
        {"too much memory", 1, 1, 1, NOT_GIVEN, 0, 4001, NULL, "too big"},
        {"too much memory on the second", 2, 1, 2, NOT_GIVEN, 0, 2001, NULL, "too big"},
        {"a node outside of the job", 1, 1, 1, NOT_GIVEN, 0, MEM_NOT_GIVEN, "n9", "too big"},
        {"more ranks than that node has", 3, 1, 1, NOT_GIVEN, 0, MEM_NOT_GIVEN, "n2", "too big"},
        {"nothing", 0, 1, 1, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "too big"},
        {"one", 1, 1, 1, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "n1 0+1 8"},
        {"CPUs not given", 1, NOT_GIVEN, 1, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "n1 0+1 8"},
        {"nodes not given", 3, 1, 0, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "n1 0+3 8-10"},
        {"CPUs", 2, 2, 1, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "n1 0+2 8-11"},
        {"both nodes", 2, 1, 2, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "n1 0+1 8 | n2 1+1 0"},
        {"three on both", 3, 1, 2, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "n1 0+2 8-9 | n2 2+1 0"},
        {"as many as there are", 6, 1, 2, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "n1 0+4 8-11 | n2 4+2 0-1"},
        {"unevenly, as it fits", 5, 1, 2, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "n1 0+3 8-10 | n2 3+2 0-1"},
        {"more nodes than ranks", 1, 1, 2, NOT_GIVEN, 0, MEM_NOT_GIVEN, NULL, "n1 0+1 8"},
        {"on one of them", 2, 1, 1, NOT_GIVEN, 0, MEM_NOT_GIVEN, "n2", "n2 0+2 0-1"},
        {"GPUs", 1, 1, 1, 2, 0, MEM_NOT_GIVEN, NULL, "n1 0+1 8 g0-1"},
        {"no GPUs", 1, 1, 1, 0, 0, MEM_NOT_GIVEN, NULL, "n1 0+1 8 g"},
        {"three GPUs on both", 2, 1, 2, 3, 0, MEM_NOT_GIVEN, NULL, "n1 0+1 8 g0-1 | n2 1+1 0 g4"},
        {"GPUs by rank", 3, 1, 2, 3, 1, MEM_NOT_GIVEN, NULL, "n1 0+2 8-9 g0-1 | n2 2+1 0 g4"},
        {"too many GPUs by rank", 3, 1, 1, 3, 1, MEM_NOT_GIVEN, NULL, "too big"},
        {"memory", 1, 1, 1, NOT_GIVEN, 0, 500, NULL, "n1 0+1 8 m500"},
        {"memory on each", 2, 1, 2, NOT_GIVEN, 0, 500, NULL, "n1 0+1 8 m500 | n2 1+1 0 m500"},
        {"all of the memory", 2, 1, 2, NOT_GIVEN, 0, 0, NULL, "n1 0+1 8 m4000 | n2 1+1 0 m2000"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        tear_down(NULL);
        set_up(NULL);
        struct step s = step_of(rows[i].ranks, rows[i].cpus, rows[i].nodes);
        s.gpus = rows[i].gpus;
        s.gpus_per_rank = rows[i].gpus_per_rank;
        s.mem_mib = rows[i].mem;
        s.nodelist = xstrdup(rows[i].nodelist);
        must_run(rows[i].name, s, rows[i].want);
    }
}

static void test_roomiest_node_of_several(void **state)
{
    (void)state;
    *rec_list_push(&j->alloc) = lab_alloc("n3", 0, 6, 0, 0, 1000);
    must_run("five ranks on one", step_of(5, 1, 1), "n3 0+5 0-4");
    must_run("what is left", step_of(4, 1, 1), "n1 0+4 8-11");
    must_run("three ranks on two", step_of(3, 1, 2), "n2 0+2 0-1 | n3 2+1 5"); /* n3 has no GPUs */
}

static void test_side_by_side(void **state)
{
    (void)state;
    struct step one = step_of(1, 1, 1);
    one.gpus = 0;
    must_run("first", one, "n1 0+1 8 g");
    must_run("second", one, "n1 0+1 9 g");
    must_run("third", one, "n1 0+1 10 g"); /* as roomy as n2: the first of the two */
    must_run("fourth", one, "n2 0+1 0 g");
    must_run("fifth", one, "n1 0+1 11 g");
    must_run("sixth", one, "n2 0+1 1 g");
    must_run("seventh waits", one, "busy");
    end_step(1);
    must_run("in its place", one, "n1 0+1 9 g");
    must_run("still busy", one, "busy");
    must_run("never", step_of(7, 1, 2), "too big");
}

static void test_overlap_and_overcommit(void **state)
{
    (void)state;
    must_run("all of it", step_of(6, 1, 2), "n1 0+4 8-11 | n2 4+2 0-1");
    struct step s = step_of(2, 1, 1);
    must_run("waits", s, "busy");
    s.overlap = true;
    must_run("overlap", s, "n1 0+2 8-11");
    s = step_of(9, 1, 1);
    s.overlap = true;
    must_run("overlap, too many ranks", s, "too big");
    s.overlap = false;
    s.overcommit = true;
    s.gpus = 0;
    must_run("overcommit", s, "n1 0+9 8-11 g");
    end_step(0);
    end_step(2);
    must_run("what overlaps holds nothing", step_of(4, 1, 1), "n1 0+4 8-11");
    s = step_of(2, 1, 1);
    s.overcommit = true;
    s.nodelist = xstrdup("n2");
    must_run("overcommit takes what it can", s, "n2 0+2 0-1");
}

static void test_memory_is_held_where_it_is_named(void **state)
{
    (void)state;
    struct step named = step_of(1, 1, 1), unnamed = named;
    named.gpus = 1;
    unnamed.gpus = 0;
    named.mem_mib = 3000;
    must_run("named", named, "n1 0+1 8 g0 m3000");
    must_run("a second with as much", named, "busy"); /* n1 has 1000 MiB left, n2 2000 */
    named.mem_mib = 1000;
    must_run("beside it", named, "n1 0+1 9 g1 m1000");
    must_run("elsewhere", named, "n2 0+1 0 g4 m1000");
    must_run("without memory", unnamed, "n1 0+1 10 g");
    named.mem_mib = MEM_NOT_GIVEN;
    must_run("the last GPU", named, "n2 0+1 1 g5");
    must_run("no GPU left", named, "busy");
    must_run("nor needed", unnamed, "n1 0+1 11 g");
}

/* No GPU is in two steps: one that names none holds all of its nodes. */
static void test_unnamed_gpus_are_all_of_them(void **state)
{
    (void)state;
    struct step one = step_of(1, 1, 1), all = one, none = one, over = one;
    one.gpus = 1;
    none.gpus = 0;
    over.overlap = true;
    must_run("one GPU", one, "n1 0+1 8 g0");
    must_run("all GPUs of a node: the other one", all, "n2 0+1 0");
    must_run("all GPUs again", all, "busy");
    must_run("one beside all", one, "n1 0+1 9 g1");
    must_run("no node has one left", one, "busy");
    must_run("none", none, "n1 0+1 10 g");
    must_run("overlapping", over, "n1 0+1 8-11");
    over.gpus = 2;
    must_run("overlapping, two by name", over, "n1 0+1 8-11 g0-1");
    end_step(1);
    must_run("what overlaps holds none", one, "n2 0+1 0 g4");
    must_run("all of both nodes", step_of(2, 1, 2), "busy");
    end_step(0);
    end_step(2);
    must_run("all of the first", all, "n1 0+1 8");
}

/* A job that named no memory is charged a share; its steps may name more than that. */
static void test_share_of_memory_binds_no_step(void **state)
{
    (void)state;
    struct step s = step_of(1, 1, 1);
    j->req.mem_node_mib = MEM_NOT_GIVEN;
    s.mem_mib = 30000;
    must_run("more than the share", s, "n1 0+1 8 m30000");
}

static void test_text_says_what_is_short(void **state)
{
    (void)state;
    struct cause text = {0};
    struct step s = step_of(7, 2, 2);
    s.gpus = 1;
    s.mem_mib = 500;
    char *got = run(&s, &text);
    assert_string_equal(got, "too big");
    free(got);
    assert_string_equal(
        said_in(&text, (struct wall){0}, false),
        "step asks for 7 tasks with 2 CPUs each, 1 GPU, 500 MiB of memory a node on 2 nodes; the "
        "job holds 6 CPUs, 4 GPUs on 2 nodes");
    must_run("all of it", step_of(6, 1, 2), "n1 0+4 8-11 | n2 4+2 0-1");
    s = step_of(1, 1, 1);
    got = run(&s, &text);
    assert_string_equal(got, "busy");
    free(got);
    check_has("busy", said_in(&text, (struct wall){0}, false), "other steps have too much of that now");
}

static void test_script_holds_nothing(void **state)
{
    (void)state;
    struct step *batch = rec_list_push(&j->steps);
    *batch = step_of(1, 1, 1);
    batch->id = STEP_BATCH;
    struct task *t = rec_list_push(&batch->tasks);
    t->state = TASK_RUNNING;
    t->alloc = lab_alloc("n1", 8, 4, 0, 2, 4000);
    must_run("beside the script", step_of(4, 1, 1), "n1 0+4 8-11");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_alone),
        TEST(test_roomiest_node_of_several),
        TEST(test_side_by_side),
        TEST(test_overlap_and_overcommit),
        TEST(test_memory_is_held_where_it_is_named),
        TEST(test_unnamed_gpus_are_all_of_them),
        TEST(test_share_of_memory_binds_no_step),
        TEST(test_text_says_what_is_short),
        TEST(test_script_holds_nothing),
    };
    return cmocka_run_group_tests_name("steps in an allocation", tests, NULL, NULL);
}
