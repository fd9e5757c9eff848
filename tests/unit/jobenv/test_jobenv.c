/* The environment of jobs, as golden tables. */
#include "tests/lib/check.h"

#include "src/base/xalloc.h"
#include "src/jobenv/jobenv.h"

static struct cpuset set_of(unsigned first, unsigned n)
{
    struct cpuset s = {{0}};
    cpuset_add_range(&s, first, n);
    return s;
}

static void add_node(struct job *j, const char *node, unsigned cpus, unsigned gpu_first, unsigned gpus)
{
    struct alloc *a = rec_list_push(&j->alloc);
    a->node = xstrdup(node);
    a->cpus = set_of(0, cpus);
    a->gpus = set_of(gpu_first, gpus);
    a->mem_mib = 1000;
}

/* Job 7 of alice: two nodes. */
static struct job *two_nodes(void)
{
    struct job *j = job_new();
    j->id = 7;
    j->req.name = xstrdup("train");
    j->req.workdir = xstrdup("/home/alice");
    j->user = xstrdup("alice");
    job_origin_mut(j)->group = xstrdup("lab");
    j->uid = 1000;
    job_origin_mut(j)->gid = 100;
    j->partition = xstrdup("main");
    job_origin_mut(j)->submit_host = xstrdup("login");
    j->array_index = ARRAY_NONE;
    j->t_start.ms = 1000000 * MS_PER_S;
    j->time_limit_s = 600;
    add_node(j, "n1", 4, 0, 2);
    add_node(j, "n2", 4, 2, 2);
    return j;
}

static struct step *add_step(struct job *j, int32_t id, uint32_t ranks)
{
    struct step *s = rec_list_push(&j->steps);
    s->id = id;
    s->n_ranks = ranks;
    s->cpus_per_rank = NOT_GIVEN;
    return s;
}

static struct task *add_task(struct step *s, const char *node, uint32_t base, uint32_t ranks,
                             unsigned gpu_first, unsigned gpus)
{
    struct task *t = rec_list_push(&s->tasks);
    t->index = (uint32_t)s->tasks.n - 1;
    t->rank_base = base;
    t->n_ranks = ranks;
    t->alloc.node = xstrdup(node);
    t->alloc.cpus = set_of(0, ranks);
    t->alloc.gpus = set_of(gpu_first, gpus);
    return t;
}

/* Each of want's "NAME=value" is there; "!NAME" is not. */
static void expect(const char *row, const struct strv *env, const char *want)
{
    struct strv items = strv_split(want, " ");
    for (size_t i = 0; i < items.n; i++) {
        const char *item = items.v[i];
        char *name =
            xstrndup(item[0] == '!' ? item + 1 : item, strcspn(item[0] == '!' ? item + 1 : item, "="));
        const char *got = strv_getenv(env, name);
        if (item[0] == '!' ? got != NULL : !got || strcmp(got, strchr(item, '=') + 1) != 0)
            fail_msg("[%s] %s is %s, wanted %s", row, name, got ? got : "(unset)", item);
        free(name);
    }
    strv_fini(&items);
}

static void counts(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t v[6];
        size_t n;
        const char *want;
    } rows[] = {{{0}, 0, ""},
                {{4}, 1, "4"},
                {{2, 2}, 2, "2(x2)"},
                {{2, 2, 2, 1}, 4, "2(x3),1"},
                {{1, 2, 1, 1}, 4, "1,2,1(x2)"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        char *got = jobenv_format_counts(rows[i].v, rows[i].n);
        check_str(rows[i].want, got, rows[i].want);
        free(got);
    }
}

static void a_plain_batch_script(void **unused)
{
    (void)unused;
    struct job *j = two_nodes();
    struct strv env = strv_split("SLURM_STEP_GPUS=9 SLURM_JOB_GPUS=9", " ");
    jobenv_job(&env, "lab", j);
    expect(
        "plain", &env,
        "SLURM_JOB_ID=7 SLURM_JOBID=7 SLURM_JOB_NAME=train SLURM_JOB_PARTITION=main SLURM_JOB_USER=alice "
        "SLURM_JOB_UID=1000 SLURM_JOB_GID=100 SLURM_CLUSTER_NAME=lab SLURM_JOB_NODELIST=n[1-2] "
        "SLURM_NODELIST=n[1-2] "
        "SLURM_JOB_NUM_NODES=2 SLURM_NNODES=2 SLURM_TASKS_PER_NODE=4(x2) SLURM_JOB_CPUS_PER_NODE=4(x2) "
        "SLURM_CPUS_ON_NODE=4 SLURMD_NODENAME=n1 SLURM_SUBMIT_DIR=/home/alice SLURM_SUBMIT_HOST=login "
        "SLURM_JOB_START_TIME=1000000 SLURM_JOB_END_TIME=1000600 SLURM_JOB_GPUS=0,1 SLURM_GPUS_ON_NODE=2 "
        "STOKER_JOB_ID=7 STOKER_RESTART_COUNT=0");
    expect("plain", &env,
           "!SLURM_JOB_ACCOUNT !SLURM_JOB_QOS !SLURM_NTASKS !SLURM_NPROCS !SLURM_NTASKS_PER_NODE "
           "!SLURM_CPUS_PER_TASK "
           "!SLURM_MEM_PER_NODE !SLURM_MEM_PER_CPU !SLURM_GPUS !SLURM_GPUS_PER_NODE !SLURM_ARRAY_JOB_ID "
           "!SLURM_RESTART_COUNT !SLURM_STEP_ID !SLURM_JOB_DEPENDENCY");
    strv_fini(&env);
    job_free(j);
}

static void what_was_asked_for(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t ntasks, per_node, cpus;
        const char *want;
    } rows[] = {
        {NOT_GIVEN, NOT_GIVEN, 2, "SLURM_CPUS_PER_TASK=2 SLURM_TASKS_PER_NODE=2(x2) !SLURM_NTASKS"},
        {3, NOT_GIVEN, NOT_GIVEN,
         "SLURM_NTASKS=3 SLURM_NPROCS=3 SLURM_TASKS_PER_NODE=2,1 !SLURM_NTASKS_PER_NODE"},
        {8, NOT_GIVEN, NOT_GIVEN, "SLURM_NTASKS=8 SLURM_TASKS_PER_NODE=4(x2)"},
        {2, NOT_GIVEN, NOT_GIVEN, "SLURM_NTASKS=2 SLURM_TASKS_PER_NODE=1(x2)"},
        {NOT_GIVEN, 2, NOT_GIVEN, "SLURM_NTASKS=4 SLURM_NTASKS_PER_NODE=2 SLURM_TASKS_PER_NODE=2(x2)"},
        {4, 2, 2,
         "SLURM_NTASKS=4 SLURM_NTASKS_PER_NODE=2 SLURM_CPUS_PER_TASK=2 SLURM_TASKS_PER_NODE=2(x2)"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = two_nodes();
        j->req.ntasks = rows[i].ntasks;
        req_detail_mut(&j->req)->ntasks_per_node = rows[i].per_node;
        j->req.cpus_per_task = rows[i].cpus;
        struct strv env = {0};
        jobenv_job(&env, "lab", j);
        expect(rows[i].want, &env, rows[i].want);
        strv_fini(&env);
        job_free(j);
    }
}

static void memory_gpus_arrays_restarts(void **unused)
{
    (void)unused;
    struct job *j = two_nodes();
    j->req.mem_node_mib = 4096;
    j->req.gpus_per_node = 2;
    req_detail_mut(&j->req)->gpu_type = xstrdup("a100");
    j->req.account = xstrdup("vision");
    req_detail_mut(&j->req)->qos = xstrdup("high");
    j->req.dependency = xstrdup("afterok:3");
    req_detail_mut(&j->req)->licenses = xstrdup("m:1");
    j->array_job = 5;
    j->array_index = 3;
    job_origin_mut(j)->array_count = 4;
    job_origin_mut(j)->array_min = 1;
    job_origin_mut(j)->array_max = 7;
    job_origin_mut(j)->array_step = 2;
    j->restarts = 2;
    struct strv env = strv_split("SLURM_SUBMIT_DIR=/where/sbatch/was", " ");
    jobenv_job(&env, "lab", j);
    expect("all", &env,
           "SLURM_MEM_PER_NODE=4096 !SLURM_MEM_PER_CPU SLURM_GPUS_PER_NODE=a100:2 !SLURM_GPUS "
           "SLURM_JOB_ACCOUNT=vision "
           "SLURM_JOB_QOS=high SLURM_JOB_DEPENDENCY=afterok:3 SLURM_JOB_LICENSES=m:1 SLURM_ARRAY_JOB_ID=5 "
           "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 "
           "SLURM_ARRAY_TASK_STEP=2 SLURM_RESTART_COUNT=2 STOKER_RESTART_COUNT=2 SLURM_JOB_ID=7 "
           "SLURM_SUBMIT_DIR=/where/sbatch/was");
    strv_fini(&env);
    job_free(j);
}

static void the_batch_scripts_rank(void **unused)
{
    (void)unused;
    struct job *j = two_nodes();
    struct step *s = add_step(j, STEP_BATCH, 1);
    struct task *t = add_task(s, "n1", 0, 1, 0, 2);
    struct strv env = {0};
    jobenv_job(&env, "lab", j);
    jobenv_step(&env, j, s);
    jobenv_task(&env, j, s, t);
    jobenv_rank(&env, s, t, 0, 0);
    expect("batch", &env,
           "SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NODEID=0 SLURM_GTIDS=0 SLURMD_NODENAME=n1 "
           "STOKER_STEP_ID=batch "
           "STOKER_TASK_ID=0 !SLURM_STEP_ID !SLURM_STEP_NUM_TASKS !SLURM_NTASKS !SLURM_STEP_GPUS");
    strv_fini(&env);
    job_free(j);
}

static void a_step_over_two_nodes(void **unused)
{
    (void)unused;
    struct job *j = two_nodes();
    struct step *s = add_step(j, 4, 3);
    s->cpus_per_rank = 2;
    s->label = true;
    add_task(s, "n1", 0, 2, 0, 2);
    struct task *t = add_task(s, "n2", 2, 1, 2, 1);
    struct strv env = strv_split("SLURM_NTASKS=8 SLURM_STEP_ID=1 SLURM_CPUS_PER_TASK=1", " ");
    jobenv_job(&env, "lab", j);
    jobenv_step(&env, j, s);
    jobenv_gpus(&env, &t->alloc);
    jobenv_task(&env, j, s, t);
    jobenv_rank(&env, s, t, 2, 0);
    expect("step", &env,
           "SLURM_STEP_ID=4 SLURM_STEPID=4 SLURM_NTASKS=3 SLURM_NPROCS=3 SLURM_STEP_NUM_TASKS=3 "
           "SLURM_STEP_NUM_NODES=2 "
           "SLURM_STEP_NODELIST=n[1-2] SLURM_STEP_TASKS_PER_NODE=2,1 SLURM_TASKS_PER_NODE=2,1 "
           "SLURM_CPUS_PER_TASK=2 "
           "SLURM_LABELIO=1 SLURM_PROCID=2 SLURM_LOCALID=0 SLURM_NODEID=1 SLURM_GTIDS=2 SLURMD_NODENAME=n2 "
           "SLURM_CPUS_ON_NODE=1 SLURM_JOB_NUM_NODES=2 SLURM_JOB_GPUS=2,3 SLURM_STEP_GPUS=2 "
           "SLURM_GPUS_ON_NODE=1 "
           "CUDA_VISIBLE_DEVICES=2 "
           "STOKER_STEP_ID=4 STOKER_TASK_ID=1");
    struct strv first = {0};
    jobenv_task(&first, j, s, &s->tasks.v[0]);
    jobenv_rank(&first, s, &s->tasks.v[0], 1, 1);
    expect("first node", &first,
           "SLURM_PROCID=1 SLURM_LOCALID=1 SLURM_NODEID=0 SLURM_GTIDS=0,1 SLURMD_NODENAME=n1");
    strv_fini(&first);
    strv_fini(&env);
    job_free(j);
}

static void each_rank_its_own_gpus(void **unused)
{
    (void)unused;
    struct job *j = two_nodes();
    struct step *s = add_step(j, 0, 2);
    s->gpus_per_rank = 2;
    struct task *t = add_task(s, "n1", 0, 2, 1, 4);
    static const char *const want[] = {"CUDA_VISIBLE_DEVICES=1,2 HIP_VISIBLE_DEVICES=0,1",
                                       "CUDA_VISIBLE_DEVICES=3,4"};
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct strv env = {0};
        jobenv_gpus(&env, &t->alloc);
        jobenv_task(&env, j, s, t);
        jobenv_rank(&env, s, t, rank, rank);
        expect(want[rank], &env, want[rank]);
        strv_fini(&env);
    }
    job_free(j);
}

static void a_step_jobs_task(void **unused)
{
    (void)unused;
    struct job *j = two_nodes();
    rec_fini(&alloc_rec, &j->alloc.v[0]);
    rec_fini(&alloc_rec, &j->alloc.v[1]);
    free(j->alloc.v);
    j->alloc.v = NULL;
    j->alloc.n = 0;
    j->kind = JOB_KIND_STEPS;
    struct step *s = add_step(j, 1, 2);
    s->n_tasks = 8;
    add_task(s, "n1", 0, 2, 0, 1);
    struct task *t = add_task(s, "n2", 0, 2, 3, 1);
    struct strv env = {0};
    jobenv_job(&env, "lab", j);
    jobenv_step(&env, j, s);
    jobenv_gpus(&env, &t->alloc);
    jobenv_task(&env, j, s, t);
    jobenv_rank(&env, s, t, 1, 1);
    expect("task", &env,
           "SLURM_JOB_ID=7 SLURM_STEP_ID=1 SLURM_NTASKS=2 SLURM_PROCID=1 SLURM_LOCALID=1 SLURM_NODEID=0 "
           "SLURM_GTIDS=0,1 "
           "SLURM_JOB_NODELIST=n2 SLURM_NNODES=1 SLURM_STEP_NODELIST=n2 SLURM_CPUS_ON_NODE=2 "
           "SLURM_TASKS_PER_NODE=2 "
           "SLURM_JOB_CPUS_PER_NODE=2 SLURM_JOB_GPUS=3 SLURM_STEP_GPUS=3 CUDA_VISIBLE_DEVICES=3 "
           "STOKER_TASK_ID=1 "
           "STOKER_TASK_COUNT=8 STOKER_STEP_ID=1");
    strv_fini(&env);
    job_free(j);
}

static void no_gpu_is_an_empty_list(void **unused)
{
    (void)unused;
    struct alloc none = {.node = NULL};
    struct strv env = strv_split("CUDA_VISIBLE_DEVICES=0,1 ROCR_VISIBLE_DEVICES=0", " ");
    jobenv_gpus(&env, &none);
    expect("none", &env,
           "CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES= ROCR_VISIBLE_DEVICES= HIP_VISIBLE_DEVICES= "
           "ZE_AFFINITY_MASK=");
    strv_fini(&env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(a_plain_batch_script),
        cmocka_unit_test(what_was_asked_for),
        cmocka_unit_test(memory_gpus_arrays_restarts),
        cmocka_unit_test(the_batch_scripts_rank),
        cmocka_unit_test(a_step_over_two_nodes),
        cmocka_unit_test(each_rank_its_own_gpus),
        cmocka_unit_test(a_step_jobs_task),
        cmocka_unit_test(no_gpu_is_an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
