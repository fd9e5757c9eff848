/* What srun's options make of a step, and what it says of its end. */
#include "tests/lib/check.h"

#include <errno.h>
#include <signal.h>

#include "src/base/xalloc.h"
#include "src/cli/slurm/srunopts.h"
#include "src/cli/step/stepends.h"
#include "src/values/units.h"

static struct job *job_of_nodes(const char *names)
{
    struct job *j = job_new();
    j->id = 7;
    struct strv list = strv_split(names, " ");
    for (size_t i = 0; i < list.n; i++) {
        struct alloc *a = rec_list_push(&j->alloc);
        a->node = xstrdup(list.v[i]);
    }
    strv_fini(&list);
    return j;
}

/* Environment, then options, both as words at blanks. Returns what srunopts_step does. */
static int step_of(const char *env, const char *line, const struct job *j, struct step *ret,
                   struct errtext *err)
{
    struct srunopts o;
    srunopts_init(&o);
    char *text = xasprintf("srun %s prog", line);
    struct strv vars = strv_split(env, " "), argv = strv_split(text, " "), command = {0};
    o.job.level = LEVEL_ENV;
    check_int(env, opt_env(&srun_opts, &o, &vars, "SLURM_ SRUN_", err), OPT_OK);
    o.job.level = LEVEL_COMMAND_LINE;
    check_int(line, opt_parse(&srun_opts, &o, (int)argv.n, argv.v, OPT_STOP_AT_OPERAND, &command, err),
              OPT_OK);
    check_int(line, jobopts_finish(&o.job, err), 0);
    int rc = srunopts_step(&o, j, &command, ret, err);
    strv_fini(&vars);
    strv_fini(&argv);
    strv_fini(&command);
    free(text);
    srunopts_fini(&o);
    return rc;
}

static char *describe(const struct step *s)
{
    struct str t = STR_INIT;
    str_appendf(&t, "%u on %u", s->n_ranks, s->nodes);
    if (s->cpus_per_rank != NOT_GIVEN)
        str_appendf(&t, " c=%u", s->cpus_per_rank);
    if (s->mem_mib != MEM_NOT_GIVEN)
        str_appendf(&t, " mem=%llu", (unsigned long long)s->mem_mib);
    if (s->gpus != NOT_GIVEN)
        str_appendf(&t, " gpus=%u", s->gpus);
    if (s->gpus_per_rank)
        str_appendf(&t, " each=%u", s->gpus_per_rank);
    if (s->nodelist)
        str_appendf(&t, " w=%s", s->nodelist);
    return str_take(&t);
}

static void steps(void **unused)
{
    (void)unused;
    static const struct {
        const char *nodes, *env, *line, *want;
    } rows[] = {
        {"n1", "", "", "1 on 1"},
        {"n1 n2", "", "", "2 on 2"}, /* --jobid alone: one for each node */
        {"n1 n2", "SLURM_JOB_NUM_NODES=2 SLURM_NNODES=2", "", "2 on 2"},
        {"n1 n2", "SLURM_JOB_NUM_NODES=2 SLURM_NTASKS=8", "", "8 on 2"},
        {"n1 n2", "SLURM_JOB_NUM_NODES=2 SLURM_NTASKS=8", "-n1", "1 on 1"},
        {"n1 n2", "SLURM_JOB_NUM_NODES=2 SLURM_NTASKS=8", "-N1", "8 on 1"},
        {"n1 n2", "SLURM_JOB_NUM_NODES=1 SLURM_NTASKS=1", "-N2", "2 on 2"},
        {"n1 n2", "SLURM_NTASKS=8 SLURM_NTASKS_PER_NODE=4", "--ntasks-per-node=2", "4 on 2"},
        {"n1 n2", "SLURM_NTASKS_PER_NODE=4", "", "8 on 2"},
        {"n1", "SLURM_CPUS_PER_TASK=3", "", "1 on 1 c=3"},
        {"n1", "SLURM_CPUS_PER_TASK=3 SRUN_CPUS_PER_TASK=2", "", "1 on 1 c=2"},
        {"n1", "SLURM_CPUS_PER_TASK=3", "-c1", "1 on 1 c=1"},
        /* the job's memory and GPUs are not each step's */
        {"n1", "SLURM_MEM_PER_NODE=18432 SLURM_GPUS_PER_NODE=4", "", "1 on 1"},
        {"n1", "SLURM_MEM_PER_NODE=18432 SLURM_GPUS_PER_NODE=4", "--mem=30G --gres=gpu:1",
         "1 on 1 mem=30720 gpus=1"},
        {"n1", "SLURM_NTASKS=8 SLURM_NTASKS_PER_NODE=8 SLURM_CPUS_PER_TASK=3 SLURM_GPUS_PER_NODE=4",
         "--gres=gpu:1 -n2 --mem=30G", "2 on 1 c=3 mem=30720 gpus=1"},
        {"n1", "", "-n2 -c2 --mem-per-cpu=100", "2 on 1 c=2 mem=400"},
        {"n1 n2", "SLURM_NNODES=2", "--gres=gpu:2", "2 on 2 gpus=4"},
        {"n1 n2", "SLURM_NNODES=2", "-G 3", "2 on 2 gpus=3"},
        {"n1", "", "--gres=none", "1 on 1 gpus=0"},
        {"n1", "SLURM_GPUS_PER_TASK=1 SLURM_NTASKS=4", "", "4 on 1 gpus=4 each=1"},
        {"n1", "SLURM_GPUS_PER_TASK=1 SLURM_NTASKS=4", "-n1", "1 on 1 gpus=1 each=1"},
        {"n1 n2", "SLURM_NNODES=2", "-w n2", "1 on 1 w=n2"},
        {"n1 n2 n3", "SLURM_NNODES=3", "-w n[2-3]", "2 on 2 w=n2,n3"},
        {"n1 n2 n3", "SLURM_NNODES=3", "-x n2 -n2", "2 on 2 w=n1,n3"},
        {"n1 n2 n3", "SLURM_NNODES=3", "-r1", "2 on 2 w=n2,n3"},
        {"n1 n2 n3", "SLURM_NNODES=3", "-r1 -N1", "1 on 1 w=n2,n3"},
        {"n1 n2", "", "--pty", "1 on 1"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = job_of_nodes(rows[i].nodes);
        struct step s;
        struct errtext err = {0};
        char *row = xasprintf("%s | %s", rows[i].env, rows[i].line);
        check_int(row, step_of(rows[i].env, rows[i].line, j, &s, &err), 0);
        char *got = describe(&s);
        check_str(row, got, rows[i].want);
        free(got);
        free(row);
        rec_fini(&step_rec, &s);
        job_free(j);
    }
}

static void steps_that_cannot_be(void **unused)
{
    (void)unused;
    static const struct {
        const char *line, *err;
    } rows[] = {
        {"-w n9", "Requested node configuration is not available: n9 is not a node of job 7"},
        {"-x n[1-2]", "no node of job 7 is left"},
        {"-r2", "--relative=2: the job has 2 nodes"},
    };
    struct job *j = job_of_nodes("n1 n2");
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct step s;
        struct errtext err = {0};
        check_int(rows[i].line, step_of("", rows[i].line, j, &s, &err), -EINVAL);
        check_str(rows[i].line, err.s, rows[i].err);
    }
    job_free(j);
}

static void flags_and_files(void **unused)
{
    (void)unused;
    struct job *j = job_of_nodes("n1");
    struct step s;
    struct errtext err = {0};
    assert_int_equal(step_of("",
                             "-l -K --overlap --exclusive -O -J name -o out-%t -e none -i none -t 5 -D /w",
                             j, &s, &err),
                     0);
    assert_true(s.label && s.kill_on_bad_exit && s.overlap && s.exclusive && s.overcommit);
    check_str("name", s.name, "name");
    check_str("command", s.command, "prog");
    check_str("out", s.std_out, "out-%t");
    check_str("err", s.std_err, "/dev/null");
    check_str("in", s.std_in, "/dev/null");
    check_str("dir", s.workdir, "/w");
    check_int("time", s.time_limit_s, 300);
    rec_fini(&step_rec, &s);
    assert_int_equal(
        step_of("SLURM_KILL_BAD_EXIT=1 SLURM_LABELIO=1 SLURM_OVERLAP=1", "-K0 -o all", j, &s, &err), 0);
    assert_true(s.label && !s.kill_on_bad_exit && s.overlap);
    check_str("streamed", s.std_out, NULL);
    check_str("name", s.name, "prog");
    check_int("time", s.time_limit_s, DURATION_NOT_SET);
    rec_fini(&step_rec, &s);
    job_free(j);
}

static void rank_lists(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t v[6];
        size_t n;
        const char *want;
    } rows[] = {{{3}, 1, "task 3"},
                {{0, 1}, 2, "tasks 0-1"},
                {{0, 2}, 2, "tasks 0,2"},
                {{0, 1, 2, 5, 7, 8}, 6, "tasks 0-2,5,7-8"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str s = STR_INIT;
        stepends_append_ranks(&s, rows[i].v, rows[i].n);
        check_str(rows[i].want, s.s, rows[i].want);
        str_fini(&s);
    }
}

static void ends(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t kind;
        struct rank_end ranks[3];
        const char *text;
        int code;
    } rows[] = {
        {END_EXITED, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, "", 0},
        {END_EXITED,
         {{4, 0, 0}, {5, 0, 0}, {0, 0, 0}},
         "n1: task 2: Exited with exit code 4\nn1: task 3: Exited with exit code 5\n",
         5},
        {END_EXITED, {{1, 0, 0}, {0, 0, 0}, {1, 0, 0}}, "n1: tasks 2,4: Exited with exit code 1\n", 1},
        {END_SIGNALED, {{0, SIGKILL, 0}, {0, 0, 0}, {0, 0, 0}}, "n1: task 2: Killed\n", 137},
        {END_SIGNALED,
         {{0, SIGTERM, 0}, {0, SIGTERM, 0}, {0, SIGTERM, 0}},
         "n1: tasks 2-4: Terminated\n",
         143},
        {END_SIGNALED,
         {{0, SIGSEGV, 0}, {9, 0, 0}, {0, 0, 0}},
         "n1: task 2: Segmentation fault\nn1: task 3: Exited with exit code 9\n",
         139},
        {END_OOM, {{0, SIGKILL, 0}, {0, 0, 0}, {0, 0, 0}}, "n1: tasks 2-4: Out Of Memory: x\n", 137},
        {END_OOM, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, "n1: tasks 2-4: Out Of Memory: x\n", 137},
        {END_LAUNCH_FAILED,
         {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
         "n1: tasks 2-4: could not be started: x\n",
         2},
        {END_UNKNOWN, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, "n1: tasks 2-4: its end was not observed: x\n", 1},
        {END_NOT_RUN, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, "", 1},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        char name[] = "n1", message[] = "x";
        struct rank_end ranks[3];
        memcpy(ranks, rows[i].ranks, sizeof ranks);
        struct task t = {
            .state = TASK_DONE, .rank_base = 2, .n_ranks = 3, .end_kind = rows[i].kind, .alloc.node = name};
        t.message = message;
        t.ranks.v = ranks;
        t.ranks.n = 3;
        struct step s = {.tasks = {.v = &t, .n = 1}, .done = true};
        struct str text = STR_INIT;
        stepends_describe(&(struct step){0}, &t, &text);
        char *row = xasprintf("row %zu", i);
        check_str(row, text.s, rows[i].text);
        check_int(row, stepends_exit_code(&s), rows[i].code);
        free(row);
        str_fini(&text);
    }
}

/* Of many ranks neighbours that ended alike are one entry; where those are too many, which rank it was is
 * not known any more. */
static void ends_of_many(void **unused)
{
    (void)unused;
    char name[] = "n1";
    struct rank_end runs[] = {{0, 0, 100}, {7, 0, 0}, {0, 0, 1}, {7, 0, 2}};
    struct task t = {.state = TASK_DONE, .n_ranks = 104, .end_kind = END_EXITED, .alloc.node = name};
    struct str text = STR_INIT;
    t.ranks.v = runs;
    t.ranks.n = N_OF(runs);
    stepends_describe(&(struct step){0}, &t, &text);
    check_str("runs", text.s, "n1: tasks 100,102-103: Exited with exit code 7\n");
    struct rank_end codes[] = {{0, 0, 50}, {7, 0, 30}, {0, SIGKILL, 24}};
    t.ranks.v = codes;
    t.ranks.n = N_OF(codes);
    t.ends_by_code = true;
    str_clear(&text);
    stepends_describe(&(struct step){0}, &t, &text);
    check_str("codes", text.s, "n1: 30 tasks: Exited with exit code 7\nn1: 24 tasks: Killed\n");
    str_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
        cmocka_unit_test(steps_that_cannot_be),
        cmocka_unit_test(flags_and_files),
        cmocka_unit_test(rank_lists),
        cmocka_unit_test(ends),
        cmocka_unit_test(ends_of_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
