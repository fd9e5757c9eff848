/* test_slurm_allocation.c - what an allocation holds, and the configuration made of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/slurm/slurm_allocation.h"
#include "tests/lib/check.h"

static int read_line(const char *text, struct slurm_allocation *a, struct errtext *err)
{
    return slurm_allocation_read(&(struct slurm_span){text, strlen(text)}, a, err);
}

static void test_groups(void **state)
{
    (void)state;
    struct slurm_allocation a;
    struct errtext err;
    assert_int_equal(
        read_line(
            "JobId=42 JobName=a Nodes=evil b JobState=RUNNING EndTime=1790000000 NodeList=n[1-3] "
            "NumNodes=3 "
            "Nodes=n[1-2] CPU_IDs=0-3,8 Mem=8000 GRES=gpu:a100:2(IDX:2,3) Nodes=n3 CPU_IDs=7 Mem=0 GRES= "
            "MinCPUsNode=1",
            &a, &err),
        0);
    assert_string_equal(a.job, "42");
    assert_int_equal(a.end.ms, 1790000000000);
    assert_int_equal(a.nodes.n, 3);
    assert_string_equal(a.nodes.v[1].name, "n2");
    assert_int_equal(a.nodes.v[1].cpus, 5);
    assert_int_equal(a.nodes.v[1].mem_mib, 8000);
    assert_int_equal(a.nodes.v[1].gpus, 2);
    assert_string_equal(a.nodes.v[1].gpu_type, "a100");
    assert_int_equal(a.nodes.v[2].cpus, 1);
    assert_int_equal(a.nodes.v[2].mem_mib, 0);
    assert_int_equal(a.nodes.v[2].gpus, 0);
    static const char nodes[] =
        "NodeName=n2 RealMemory=1 State=IDLE\nNodeName=n3 CPUTot=8 RealMemory=16000 State=IDLE\n";
    slurm_allocation_take_memory(&a, &(struct slurm_span){nodes, sizeof nodes - 1});
    assert_int_equal(a.nodes.v[1].mem_mib, 8000); /* what the job has counts */
    assert_int_equal(a.nodes.v[2].mem_mib, 16000);

    strv_push(&a.nodes.v[0].gpu_names, "GPU-\"x");
    struct str text = STR_INIT;
    slurm_allocation_config(&text, &a, "/run", (struct wall){1789999000000});
    assert_non_null(strstr(text.s, "cluster = \"slurm-42\";"));
    assert_non_null(strstr(text.s,
                           "{ name = \"n1\"; transport = \"socket\"; agent_socket = \"/run/n1.sock\"; "
                           "detect = false; cpus = 5; memory = \"8000M\"; gpus = 2; gpu_type = \"a100\"; "
                           "gpu_names = [ \"GPU-\\\"x\" ]; }"));
    assert_non_null(strstr(text.s, "default_time = \"100s\"")); /* a tenth of what is left */
    str_fini(&text);
    slurm_allocation_fini(&a);
}

static void test_faults(void **state)
{
    (void)state;
    static const char *const lines[] = {"", "slurm_load_jobs error: Invalid job id specified",
                                        "JobId=42 JobState=PENDING EndTime=Unknown NodeList=(null)",
                                        "JobId=42 Nodes=n1 Mem=0",
                                        "JobId=42 Nodes=n[1- CPU_IDs=0 Mem=0 GRES="};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct slurm_allocation a;
        struct errtext err = {""};
        print_message("%s\n", lines[i]);
        assert_true(read_line(lines[i], &a, &err) < 0);
        assert_true(*err.s != '\0');
        slurm_allocation_fini(&a);
    }
}

/* A node whose step has no limit: no window, and no time for jobs that name none. */
static void test_no_limit(void **state)
{
    (void)state;
    struct slurm_allocation a;
    struct errtext err;
    struct str text = STR_INIT;
    assert_int_equal(read_line("JobId=1 EndTime=Unknown Nodes=n1 CPU_IDs=0 Mem=5 GRES=", &a, &err), 0);
    assert_false(wall_is_set(a.end));
    slurm_allocation_config(&text, &a, "/run", (struct wall){1});
    assert_null(strstr(text.s, "default_time"));
    str_fini(&text);
    slurm_allocation_fini(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups), cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_no_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
