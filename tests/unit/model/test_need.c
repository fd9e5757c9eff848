/* test_need.c - what a request comes to. */
#include "src/model/need.h"

#include "src/base/xalloc.h"
#include "tests/lib/check.h"

/* A request as text, "N=2 n=8 c=2": the options' short names, M for --mem, m for --mem-per-cpu, mg for
 * --mem-per-gpu, g for --gpus, gn and gt for --gpus-per-node and -task, tn for --ntasks-per-node, w for a
 * node list. */
static void request(const char *text, struct job_req *r)
{
    job_req_init(r);
    struct strv words = strv_split(text, " ");
    for (size_t i = 0; i < words.n; i++) {
        char *value = strchr(words.v[i], '=');
        assert_non_null(value);
        *value++ = '\0';
        uint32_t n = (uint32_t)strtoul(value, NULL, 10);
        const struct {
            const char *key;
            uint32_t *at;
        } keys[] = {{"N", &r->nodes_min},
                    {"Nmax", &r->nodes_max},
                    {"n", &r->ntasks},
                    {"c", &r->cpus_per_task},
                    {"tn", &req_detail_mut(r)->ntasks_per_node},
                    {"g", &r->gpus},
                    {"gn", &r->gpus_per_node},
                    {"gt", &req_detail_mut(r)->gpus_per_task}};
        bool found = false;
        for (size_t k = 0; k < N_OF(keys); k++)
            if (strcmp(words.v[i], keys[k].key) == 0) {
                *keys[k].at = n;
                found = true;
            }
        if (strcmp(words.v[i], "M") == 0)
            r->mem_node_mib = n;
        else if (strcmp(words.v[i], "m") == 0)
            req_detail_mut(r)->mem_cpu_mib = strtoull(value, NULL, 10);
        else if (strcmp(words.v[i], "mg") == 0)
            req_detail_mut(r)->mem_gpu_mib = n;
        else if (strcmp(words.v[i], "w") == 0)
            req_rare_mut(r)->nodelist = xstrdup(value);
        else
            assert_true(found);
    }
    strv_fini(&words);
}

static void test_requests(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t nodes, nodes_max, tasks, cpus, cpus_per_node, gpus, gpus_per_node;
        uint64_t mem;
    } rows[] = {
        {"", 1, 1, 1, 1, 1, 0, 0, MEM_NOT_GIVEN},
        {"n=8", 1, 8, 8, 8, 8, 0, 0, MEM_NOT_GIVEN},
        {"n=0 c=0", 1, 1, 1, 1, 1, 0, 0, MEM_NOT_GIVEN},
        {"N=1 n=8", 1, 1, 8, 8, 8, 0, 0, MEM_NOT_GIVEN},
        {"N=0", 1, 1, 1, 1, 1, 0, 0, MEM_NOT_GIVEN},
        {"N=2", 2, 2, 2, 2, 1, 0, 0, MEM_NOT_GIVEN},
        {"N=2 n=3 c=2", 2, 2, 3, 6, 4, 0, 0, MEM_NOT_GIVEN},
        {"N=2 Nmax=4 n=8", 2, 4, 8, 8, 4, 0, 0, MEM_NOT_GIVEN},
        {"N=4 n=2", 4, 4, 2, 4, 1, 0, 0, MEM_NOT_GIVEN},
        {"N=2 tn=4 c=2", 2, 2, 8, 16, 8, 0, 0, MEM_NOT_GIVEN},
        {"n=5 tn=2", 3, 3, 5, 5, 2, 0, 0, MEM_NOT_GIVEN},
        {"tn=4", 1, 1, 4, 4, 4, 0, 0, MEM_NOT_GIVEN},
        {"n=2 tn=4", 1, 1, 2, 2, 2, 0, 0, MEM_NOT_GIVEN},
        {"w=n[1-3]", 3, 3, 3, 3, 1, 0, 0, MEM_NOT_GIVEN},
        {"w=n[1-3] N=4", 4, 4, 4, 4, 1, 0, 0, MEM_NOT_GIVEN},
        {"w=n[", 1, 1, 1, 1, 1, 0, 0, MEM_NOT_GIVEN},
        {"g=3", 1, 1, 1, 1, 1, 3, 3, MEM_NOT_GIVEN},
        {"g=3 N=2", 2, 2, 2, 2, 1, 3, 2, MEM_NOT_GIVEN},
        {"g=2 N=3", 3, 3, 3, 3, 1, 3, 1, MEM_NOT_GIVEN}, /* one on each */
        {"g=0 N=3", 3, 3, 3, 3, 1, 0, 0, MEM_NOT_GIVEN},
        {"gn=2 N=3", 3, 3, 3, 3, 1, 6, 2, MEM_NOT_GIVEN},
        {"g=8 gn=4 n=2", 2, 2, 2, 2, 1, 8, 4, MEM_NOT_GIVEN},
        {"g=8 gn=4", 2, 2, 2, 2, 1, 8, 4, MEM_NOT_GIVEN},
        {"g=4 gn=2 n=1", 2, 2, 1, 2, 1, 4, 2, MEM_NOT_GIVEN},
        {"g=6 gn=2 N=2 Nmax=4", 3, 3, 3, 3, 1, 6, 2, MEM_NOT_GIVEN},
        {"g=4 gn=0", 1, 1, 1, 1, 1, 4, 4, MEM_NOT_GIVEN}, /* --gres=none */
        {"g=0 gn=4", 1, 1, 1, 1, 1, 4, 4, MEM_NOT_GIVEN},
        {"g=4 gt=2", 1, 2, 2, 2, 2, 4, 4, MEM_NOT_GIVEN},
        {"g=4 gt=1 tn=2", 2, 2, 4, 4, 2, 4, 2, MEM_NOT_GIVEN},
        {"gn=4 gt=2", 1, 1, 2, 2, 2, 4, 4, MEM_NOT_GIVEN},
        {"gn=4 gt=2 N=2", 2, 2, 4, 4, 2, 8, 4, MEM_NOT_GIVEN},
        {"gn=2 gt=1 n=4", 2, 2, 4, 4, 2, 4, 2, MEM_NOT_GIVEN},
        {"g=2 n=8", 1, 2, 8, 8, 8, 2, 2, MEM_NOT_GIVEN}, /* no node without a GPU */
        {"gt=2 n=4", 1, 4, 4, 4, 4, 8, 8, MEM_NOT_GIVEN},
        {"gt=1 n=4 N=2", 2, 2, 4, 4, 2, 4, 2, MEM_NOT_GIVEN},
        {"M=4000", 1, 1, 1, 1, 1, 0, 0, 4000},
        {"M=0", 1, 1, 1, 1, 1, 0, 0, 0},
        {"m=100 n=4 c=2", 1, 4, 4, 8, 8, 0, 0, 800},
        {"mg=1000 g=4", 1, 1, 1, 1, 1, 4, 4, 4000},
        {"mg=1000", 1, 1, 1, 1, 1, 0, 0, MEM_NOT_GIVEN},
        /* Too large to be counted is not small. */
        {"n=65536 c=65536", 1, 65536, 65536, NOT_GIVEN - 1, NOT_GIVEN - 1, 0, 0, MEM_NOT_GIVEN},
        {"N=65536 tn=65536", 65536, 65536, NOT_GIVEN - 1, NOT_GIVEN - 1, 65536, 0, 0, MEM_NOT_GIVEN},
        {"gn=100000 N=100000", 100000, 100000, 100000, 100000, 1, NOT_GIVEN - 1, 100000, MEM_NOT_GIVEN},
        {"m=18446744073709551614 c=3", 1, 1, 1, 3, 3, 0, 0, MEM_NOT_GIVEN - 1},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job_req r;
        struct job_need n;
        request(rows[i].text, &r);
        job_need(&r, &n);
        check_int(rows[i].text, n.nodes, rows[i].nodes);
        check_int(rows[i].text, n.nodes_max, rows[i].nodes_max);
        check_int(rows[i].text, n.tasks, rows[i].tasks);
        check_int(rows[i].text, n.cpus, rows[i].cpus);
        check_int(rows[i].text, job_need_cpus(&r), n.cpus);
        check_int(rows[i].text, n.cpus_per_node, rows[i].cpus_per_node);
        check_int(rows[i].text, n.gpus, rows[i].gpus);
        check_int(rows[i].text, n.gpus_per_node, rows[i].gpus_per_node);
        check_int(rows[i].text, n.mem_per_node_mib, rows[i].mem);
        if (!n.cpus_per_task)
            fail_msg("[%s] tasks without a CPU", rows[i].text);
        rec_fini(&job_req_rec, &r);
    }
}

static void test_what_follows_from_what(void **state)
{
    (void)state;
    struct job_req r;
    struct job_need n;
    request("gt=2 n=4 m=100", &r);
    req_detail_mut(&r)->exclusive = true;
    job_need(&r, &n);
    assert_int_equal(n.gpus_per_task, 2);
    assert_false(n.gpus_anywhere);
    assert_int_equal(n.mem_per_cpu_mib, 100);
    assert_true(n.whole_nodes);
    rec_fini(&job_req_rec, &r);
    request("g=2 gt=1 mg=50 M=7", &r);
    job_need(&r, &n);
    assert_false(n.gpus_anywhere);
    assert_int_equal(n.gpus_per_task, 1);
    assert_int_equal(n.mem_per_gpu_mib, 0); /* --mem says it */
    assert_false(n.whole_nodes);
    rec_fini(&job_req_rec, &r);
}

static void test_gpu_counts_that_disagree(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says; /* says NULL: they agree */
    } rows[] = {
        {"N=2 g=8 gn=2", "8 GPUs in all, 2 on each node, need 4 nodes (2 asked)"},
        {"N=4 g=2 gn=2", "2 GPUs in all, 2 on each node, need 1 node (4 asked)"},
        {"N=1 Nmax=2 g=6 gn=2", "6 GPUs in all, 2 on each node, need 3 nodes (1 asked)"},
        {"w=n[1-3] g=4 gn=2", "4 GPUs in all, 2 on each node, need 2 nodes (3 asked)"},
        {"g=6 gn=4", "6 GPUs in all cannot be 4 on each node"},
        {"g=2 gn=4", "2 GPUs in all cannot be 4 on each node"},
        {"n=4 gt=1 g=2", "2 GPUs in all, 1 for each task, need 2 tasks (4 asked)"},
        {"n=1 gt=2 g=4", "4 GPUs in all, 2 for each task, need 2 tasks (1 asked)"},
        {"g=3 gt=2", "3 GPUs in all cannot be 2 for each task"},
        {"N=2 tn=4 g=4 gt=1", "4 GPUs in all, 1 for each task, need 4 tasks (8 asked)"},
        {"N=2 g=2 gt=2", "1 task with 2 GPUs each cannot be on 2 nodes"},
        {"N=2 g=1", "2 nodes need at least 2 GPUs (1 asked)"},
        {"n=8 tn=2 g=3", "4 nodes need at least 4 GPUs (3 asked)"},
        {"gn=3 gt=2", "3 GPUs on each node cannot be 2 for each task"},
        {"gn=1 gt=2", "1 GPUs on each node cannot be 2 for each task"},
        {"gn=4 gt=2 tn=1", "4 GPUs on each node, 2 for each task, need 2 tasks a node (1 asked)"},
        {"gn=2 gt=1 N=1 n=4", "4 tasks with 1 GPU each need more than 2 on each of 1 node"},
        {"", NULL},
        {"N=2 g=8 gn=4", NULL},
        {"n=1 g=4 gn=2", NULL},
        {"N=1 Nmax=4 g=6 gn=2", NULL},
        {"n=2 gt=2 g=4", NULL},
        {"N=2 n=4 tn=2 gn=2 gt=1 g=4", NULL},
        {"N=1 n=1 gn=4 gt=2", NULL},
        {"N=1 Nmax=4 g=2", NULL},
        {"N=2 g=0", NULL},
        {"N=3 g=4", NULL},
        {"g=4 gn=0", NULL},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job_req r;
        struct errtext err = {""};
        request(rows[i].text, &r);
        check_int(rows[i].text, job_need_check_gpus(&r, &err) < 0, rows[i].says != NULL);
        assert_string_equal(err.s, rows[i].says ? rows[i].says : "");
        rec_fini(&job_req_rec, &r);
    }
}

static void test_tasks_of_steps(void **state)
{
    (void)state;
    struct step s = {.n_ranks = 0, .cpus_per_rank = NOT_GIVEN, .mem_mib = MEM_NOT_GIVEN, .gpus = NOT_GIVEN};
    struct job_need n;
    step_task_need(&s, &n);
    assert_int_equal(n.tasks, 1);
    assert_int_equal(n.cpus, 1);
    assert_int_equal(n.gpus, 0);
    assert_int_equal(n.nodes_max, 1);
    s = (struct step){.n_ranks = 4, .cpus_per_rank = 3, .mem_mib = 500, .gpus = 2};
    step_task_need(&s, &n);
    assert_int_equal(n.cpus, 12);
    assert_int_equal(n.cpus_per_task, 3);
    assert_int_equal(n.gpus_per_node, 2);
    assert_int_equal(n.mem_per_node_mib, 500);
    s = (struct step){.n_ranks = 4, .cpus_per_rank = 3, .mem_mib = 500, .gpus = 2, .nodes = 3};
    step_task_need(&s, &n);
    assert_int_equal(n.nodes, 3);
    assert_int_equal(n.nodes_max, 3);
    assert_int_equal(n.tasks, 12);
    assert_int_equal(n.tasks_per_node, 4);
    assert_int_equal(n.cpus, 36);
    assert_int_equal(n.cpus_per_node, 12);
    assert_int_equal(n.gpus, 6);
    assert_int_equal(n.gpus_per_node, 2);
    assert_int_equal(n.mem_per_node_mib, 500);
    s = (struct step){.n_ranks = 70000, .cpus_per_rank = 70000};
    step_task_need(&s, &n);
    assert_int_equal(n.cpus, NOT_GIVEN - 1);
    s = (struct step){.n_ranks = 2, .cpus_per_rank = 0};
    step_task_need(&s, &n);
    assert_int_equal(n.cpus_per_task, 1);
}

static void test_share_of_memory(void **state)
{
    (void)state;
    assert_int_equal(mem_share_mib(16000, 8, 2), 4000);
    assert_int_equal(mem_share_mib(16000, 8, 8), 16000);
    assert_int_equal(mem_share_mib(1000, 3, 1), 333);
    assert_int_equal(mem_share_mib(1000, 0, 1), 1000); /* not known yet */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_what_follows_from_what),
        cmocka_unit_test(test_gpu_counts_that_disagree),
        cmocka_unit_test(test_tasks_of_steps),
        cmocka_unit_test(test_share_of_memory),
    };
    return cmocka_run_group_tests_name("need", tests, NULL, NULL);
}
