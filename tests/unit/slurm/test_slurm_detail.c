/* Steps and devices of a running job: as Slurm 22.05 has printed them; GPUs by the manual of scontrol. */
#include "backend/slurm/live/slurm_detail.h"

#include <errno.h>

#include "backend/slurm/slurm_job.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

static struct slurm_span span(const char *text)
{
    return (struct slurm_span){text, strlen(text)};
}

static struct job *job_on(const char *name, const char *const *nodes, size_t n)
{
    struct job *j = job_new();
    struct strv names = {0};
    j->id = 3;
    j->req.name = xstrdup(name);
    for (size_t i = 0; i < n; i++)
        strv_push(&names, nodes[i]);
    slurm_job_spread(j, &names, &(struct slurm_amounts){.nodes = (uint32_t)n, .cpus = 4, .mem_mib = 400});
    strv_fini(&names);
    return j;
}

#define WORD                        "qZ"
#define ROW(id, tasks, nodes, name) id WORD "1795438803" WORD tasks WORD nodes WORD name WORD "\n"

static void test_steps(void **state)
{
    (void)state;
    static const char *const nodes[] = {"n1", "n2"};
    struct job *j = job_on("steps", nodes, 2);
    struct slurm_span rows =
        span(ROW("3.1", "1", "n1", "odd name=x\n3.7 forged") ROW("3.0", "2", "n[1-2]", "bash")
                 ROW("3.extern", "2", "n[1-2]", "extern") ROW("3.batch", "1", "n1", "batch"));
    assert_int_equal(slurm_detail_read_steps(j, &rows, WORD, NULL), 0);
    assert_int_equal(j->steps.n, 3);
    assert_int_equal(j->steps.v[0].id, STEP_BATCH);
    assert_int_equal(cpuset_count(&j->steps.v[0].tasks.v[0].alloc.cpus), 2);
    assert_int_equal(j->steps.v[1].id, 0);
    assert_int_equal(j->steps.v[1].n_ranks, 2);
    assert_int_equal(j->steps.v[1].nodes, 2);
    assert_int_equal(j->steps.v[1].tasks.n, 1);
    assert_true(cpuset_is_empty(&j->steps.v[1].tasks.v[0].alloc.cpus));
    assert_int_equal(j->steps.v[1].t_start.ms, 1795438803000);
    assert_string_equal(j->steps.v[2].name, "odd name=x\n3.7 forged");

    struct errtext err;
    struct slurm_span cut = span("3.0" WORD "17954"), empty = span(""),
                      more = span("3.0" WORD "1" WORD "1" WORD "n1" WORD "bash" WORD "a column more" WORD
                                  "\n");
    assert_int_equal(slurm_detail_read_steps(j, &cut, WORD, &err), -EBADMSG);
    assert_int_equal(slurm_detail_read_steps(j, &more, WORD, &err), -EBADMSG);
    assert_int_equal(j->steps.n, 3);
    assert_int_equal(slurm_detail_read_steps(j, &empty, WORD, NULL), 0);
    assert_int_equal(j->steps.n, 3);
    job_free(j);
}

#define LINE(name, groups)                                                                             \
    "JobId=3 JobName=" name " UserId=ann(1000) NodeList=n[1-2] TRES=cpu=4 JOB_GRES=gpu:a100:4 " groups \
    " MinCPUsNode=1 Features=(null) Command=/x Nodes=n1 CPU_IDs=9 Mem=9 GRES=gpu:1(IDX:9)"

static void test_devices(void **state)
{
    (void)state;
    static const struct {
        const char *name, *line, *cpus[2], *gpus[2];
        uint64_t mib;
    } rows[] = {
        {"job",
         LINE("job", "  Nodes=n[1-2] CPU_IDs=0-1 Mem=100 GRES=gpu:a100:2(IDX:0-1)"),
         {"0-1", "0-1"},
         {"0-1", "0-1"},
         100},
        {"job",
         LINE("job", "  Nodes=n1 CPU_IDs=0-2 Mem=300 GRES=gpu:a100:2(IDX:0,3),tape:1(IDX:7)   Nodes=n2 "
                     "CPU_IDs=4 Mem=300 "
                     "GRES=gpu:a100:1(IDX:5),gpu:v100:1(IDX:2)"),
         {"0-2", "4"},
         {"0,3", "2,5"},
         300},
        {"job", LINE("job", "  Nodes=n[1-2] CPU_IDs=0-1 Mem=0 GRES="), {"0-1", "0-1"}, {"", ""}, 200},
        {"a JOB_GRES= Nodes=n1 CPU_IDs=7",
         LINE("a JOB_GRES= Nodes=n1 CPU_IDs=7", "  Nodes=n[1-2] CPU_IDs=3 Mem=10 GRES=gpu:1(IDX:6)"),
         {"3", "3"},
         {"6", "6"},
         10},
        {"job",
         LINE("job", "  Nodes=n1 CPU_IDs=x-y Mem=ten GRES=gpu:2(IDX:9999)"),
         {"0-1", "0-1"},
         {"", ""},
         200},
        {"job", "", {"0-1", "0-1"}, {"", ""}, 200},
    };
    static const char *const nodes[] = {"n1", "n2"};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = job_on(rows[i].name, nodes, 2);
        struct slurm_span line = span(rows[i].line);
        slurm_detail_read_devices(j, &line);
        for (size_t k = 0; k < 2; k++) {
            char *cpus = cpuset_format(&j->alloc.v[k].cpus), *gpus = cpuset_format(&j->alloc.v[k].gpus);
            check_str(rows[i].line, cpus, rows[i].cpus[k]);
            check_str(rows[i].line, gpus, rows[i].gpus[k]);
            assert_int_equal(j->alloc.v[k].mem_mib, rows[i].mib);
            free(cpus);
            free(gpus);
        }
        job_free(j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
