/* test_default_memory.c - the memory of jobs that name none, by what their partitions say. */
#include "src/base/xalloc.h"
#include "src/model/default_memory.h"
#include "tests/lib/lab.h"

#define NO MEM_NOT_GIVEN

static const char *const all_parts[] = {"cpu", "gpu", "node", "none"};

static void set_up_parts(struct lab *l)
{
    lab_init(l);
    lab_node(l, "n1", 8, 64000, 4, NULL);
    for (size_t i = 0; i < sizeof all_parts / sizeof all_parts[0]; i++)
        lab_part(l, all_parts[i], "n1");
    l->spec.parts.v[0].default_mem_cpu_mib = 100;
    l->spec.parts.v[1].default_mem_cpu_mib = 200;
    l->spec.parts.v[1].default_mem_gpu_mib = 3000;
    l->spec.parts.v[2].default_mem_node_mib = 4000;
    lab_configure(l);
}

static void test_jobs(void **state)
{
    (void)state;
    static const struct {
        const char *name, *partition;
        uint32_t gpus;
        uint64_t asked_node, asked_cpu, asked_gpu, node, cpu, gpu;
    } rows[] = {
        {"no default", "none", 0, NO, NO, NO, NO, NO, NO},
        {"an unknown partition", "gone", 0, NO, NO, NO, NO, NO, NO},
        {"by CPU", "cpu", 0, NO, NO, NO, NO, 100, NO},
        {"the default partition", NULL, 0, NO, NO, NO, NO, 100, NO},
        {"by GPU", "gpu", 2, NO, NO, NO, NO, NO, 3000},
        {"by CPU, as it asks for no GPU", "gpu", 0, NO, NO, NO, NO, 200, NO},
        {"by node", "node", 0, NO, NO, NO, 4000, NO, NO},
        {"the first that has a default", "none,node,cpu", 0, NO, NO, NO, 4000, NO, NO},
        {"asked by node", "cpu", 0, 700, NO, NO, 700, NO, NO},
        {"asked: all of the node", "cpu", 0, 0, NO, NO, 0, NO, NO},
        {"asked by CPU", "node", 0, NO, 5, NO, NO, 5, NO},
        {"asked by GPU", "cpu", 1, NO, NO, 9, NO, NO, 9},
    };
    struct lab l;
    set_up_parts(&l);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct job *j = lab_job(&l, JOB_KIND_BATCH);
        j->req.partition = rows[i].partition ? xstrdup(rows[i].partition) : NULL;
        j->req.gpus_per_node = rows[i].gpus ? rows[i].gpus : NOT_GIVEN;
        j->req.mem_node_mib = rows[i].asked_node;
        req_detail_mut(&j->req)->mem_cpu_mib = rows[i].asked_cpu;
        req_detail_mut(&j->req)->mem_gpu_mib = rows[i].asked_gpu;
        model_settle_memory(&l.m, &j->req, NULL, 0);
        check_int(rows[i].name, (intmax_t)j->req.mem_node_mib, (intmax_t)rows[i].node);
        check_int(rows[i].name, (intmax_t)req_detail(&j->req)->mem_cpu_mib, (intmax_t)rows[i].cpu);
        check_int(rows[i].name, (intmax_t)req_detail(&j->req)->mem_gpu_mib, (intmax_t)rows[i].gpu);
        job_free(j);
    }
    lab_fini(&l);
}

static void test_steps(void **state)
{
    (void)state;
    static const struct {
        const char *name, *partition;
        uint32_t ranks, cpus, gpus;
        uint64_t asked, want;
    } rows[] = {
        {"no default", "none", 1, 2, NOT_GIVEN, NO, NO},
        {"none by node", "node", 1, 2, NOT_GIVEN, NO, NO},
        {"for each CPU of all ranks", "cpu", 3, 2, NOT_GIVEN, NO, 600},
        {"one CPU where none is given", "cpu", 1, NOT_GIVEN, NOT_GIVEN, NO, 100},
        {"for each GPU", "gpu", 1, 2, 2, NO, 6000},
        {"without a GPU", "gpu", 1, 2, 0, NO, 400},
        {"asked", "cpu", 1, 2, NOT_GIVEN, 50, 50},
    };
    struct lab l;
    set_up_parts(&l);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct job *j = lab_job(&l, JOB_KIND_STEPS);
        struct step *s = lab_step(j, "s", 1);
        j->req.partition = xstrdup(rows[i].partition);
        s->n_ranks = rows[i].ranks;
        s->cpus_per_rank = rows[i].cpus;
        s->gpus = rows[i].gpus;
        s->mem_mib = rows[i].asked;
        model_settle_memory(&l.m, &j->req, j->steps.v, j->steps.n);
        check_int(rows[i].name, (intmax_t)s->mem_mib, (intmax_t)rows[i].want);
        check_int(rows[i].name, (intmax_t)req_detail(&j->req)->mem_cpu_mib, (intmax_t)NO);
        job_free(j);
    }
    lab_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests_name("default memory", tests, NULL, NULL);
}
