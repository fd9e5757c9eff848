/* What a job's GPUs did over its life: of the tasks that were measured, without counting a card twice. */
#include "tests/lib/check.h"

#include "src/base/xalloc.h"
#include "src/text/jobuse.h"

#define T0 1700000000000LL

/* A task of 100 s on the node with GPUs 0 to gpus - 1; of step, in which tasks before it may be. */
static void add_task(struct job *j, int32_t step, const char *node, uint32_t gpus, struct gpu_use use)
{
    struct step *s = j->steps.n && j->steps.v[j->steps.n - 1].id == step ? &j->steps.v[j->steps.n - 1]
                                                                         : rec_list_push(&j->steps);
    s->id = step;
    struct task *t = rec_list_push(&s->tasks);
    *t = (struct task){.state = TASK_DONE,
                       .alloc.node = xstrdup(node),
                       .t_start = {.ms = T0},
                       .t_end = {.ms = T0 + 100000},
                       .gpu_use = use};
    cpuset_add_range(&t->alloc.gpus, 0, gpus);
}

static struct job_use use_of(struct job *j)
{
    struct job_use u;
    struct model m;
    model_init(&m);
    j->state = JOB_COMPLETED;
    j->t_start = (struct wall){.ms = T0};
    j->t_end = (struct wall){.ms = T0 + 100000};
    job_use(&u, j, &m, j->t_end);
    model_fini(&m);
    return u;
}

#define MEASURED(seconds, mille, mib, idle) \
    ((struct gpu_use){.measured_s = (seconds), .permille = (mille), .peak_mib = (mib), .unused = (idle)})

static void gpus(void **unused)
{
    (void)unused;
    static const struct {
        const char *row;
        int32_t step[3]; /* 99: no task */
        const char *node[3];
        uint32_t gpus[3];
        struct gpu_use use[3];
        int percent, seen;
        uint32_t peak_mib, n_unused;
    } rows[] = {
        {"not measured", {STEP_BATCH, 99, 99}, {"n1"}, {2}, {{0}}, -1, -1, 0, 0},
        {"no GPUs", {STEP_BATCH, 99, 99}, {"n1"}, {0}, {MEASURED(100, 500, 10, 0)}, -1, -1, 0, 0},
        {"one task", {STEP_BATCH, 99, 99}, {"n1"}, {2}, {MEASURED(200, 634, 3000, 1)}, 63, 100, 3000, 1},
        {"half of the time",
         {STEP_BATCH, 99, 99},
         {"n1"},
         {2},
         {MEASURED(100, 634, 3000, 0)},
         63,
         50,
         3000,
         0},
        /* the step had the script's GPUs for a part of its time */
        {"a step of the script",
         {STEP_BATCH, 0, 99},
         {"n1", "n1"},
         {2, 2},
         {MEASURED(200, 500, 3000, 0), MEASURED(100, 1000, 3000, 0)},
         50,
         100,
         3000,
         0},
        {"steps on another node",
         {STEP_BATCH, 0, 0},
         {"n1", "n1", "n2"},
         {1, 1, 1},
         {MEASURED(100, 800, 3000, 0), MEASURED(50, 1000, 3000, 0), MEASURED(100, 200, 5000, 1)},
         50,
         100,
         5000,
         0},
        /* the script was not measured: an earlier release */
        {"steps alone",
         {STEP_BATCH, 0, 1},
         {"n1", "n1", "n1"},
         {1, 1, 1},
         {{0}, MEASURED(100, 900, 10, 0), MEASURED(300, 100, 20, 0)},
         30,
         100,
         20,
         0},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = job_new();
        for (size_t k = 0; k < 3 && rows[i].step[k] != 99; k++)
            add_task(j, rows[i].step[k], rows[i].node[k], rows[i].gpus[k], rows[i].use[k]);
        struct job_use u = use_of(j);
        if (u.gpu_percent != rows[i].percent || u.gpu_seen_percent != rows[i].seen ||
            u.gpu_peak_mib != rows[i].peak_mib || u.gpus_unused != rows[i].n_unused)
            fail_msg("%s: %d %%, seen %d %%, %u MiB, %u unused", rows[i].row, u.gpu_percent,
                     u.gpu_seen_percent, (unsigned)u.gpu_peak_mib, u.gpus_unused);
        job_free(j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
