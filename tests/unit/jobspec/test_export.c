/* --export. */
#include "tests/lib/check.h"

#include <errno.h>

#include "src/base/xalloc.h"
#include "src/jobspec/exportenv.h"

#define ENV  "A=1 B=two SLURM_CONF=/c STOKER_HOME=/h PATH=/mine"
#define BASE "HOME=/home/u PATH=/bin"

static void lists(void **unused)
{
    (void)unused;
    static const struct {
        const char *spec, *want;
    } rows[] = {
        {NULL, ENV},
        {"ALL", ENV},
        {"", ENV},
        {"NONE", BASE " SLURM_CONF=/c STOKER_HOME=/h"},
        {"none", BASE " SLURM_CONF=/c STOKER_HOME=/h"},
        {"NIL", BASE " SLURM_CONF=/c STOKER_HOME=/h"},
        {"A", BASE " SLURM_CONF=/c STOKER_HOME=/h A=1"},
        {"A,B", BASE " SLURM_CONF=/c STOKER_HOME=/h A=1 B=two"},
        {"X=5", BASE " SLURM_CONF=/c STOKER_HOME=/h X=5"},
        {"UNSET", BASE " SLURM_CONF=/c STOKER_HOME=/h"},
        {"PATH,X=", "HOME=/home/u PATH=/mine SLURM_CONF=/c STOKER_HOME=/h X="},
        {"ALL,X=5", ENV " X=5"},
        {"X=5,ALL", ENV " X=5"},
        {"ALL,A=9", "A=9 B=two SLURM_CONF=/c STOKER_HOME=/h PATH=/mine"},
        {"ALL,X='1,2'", ENV " X=1,2"},
        {"ALL,X=\"1,2\",Y=3", ENV " X=1,2 Y=3"},
        {"ALL,X=a=b", ENV " X=a=b"},
    };
    struct strv env = strv_split(ENV, " "), base = strv_split(BASE, " ");
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct strv got;
        struct errtext err = {0};
        const char *row = rows[i].spec ? rows[i].spec : "(none)";
        check_int(row, export_env(rows[i].spec, &env, &base, &got, &err), 0);
        char *text = strv_join(&got, " ");
        check_str(row, text, rows[i].want);
        free(text);
        strv_fini(&got);
    }
    struct strv got;
    struct errtext err = {0};
    check_int("bad", export_env("ALL,=5", &env, &base, &got, &err), -EINVAL);
    check_has("bad", err.s, "Invalid --export specification");
    strv_fini(&env);
    strv_fini(&base);
}

static void limits(void **unused)
{
    (void)unused;
    struct strv env = {0}, base = {0}, got;
    struct errtext err = {0};
    for (unsigned i = 0; i < EXPORT_COUNT_MAX; i++)
        strv_push_take(&env, xasprintf("V%u=1", i));
    assert_int_equal(export_env(NULL, &env, &base, &got, &err), 0);
    strv_fini(&got);
    strv_push(&env, "MORE=1");
    assert_int_equal(export_env(NULL, &env, &base, &got, &err), -E2BIG);
    strv_fini(&env);
    char *big = xcalloc(1, EXPORT_BYTES_MAX + 1);
    memset(big, 'x', EXPORT_BYTES_MAX - 1);
    big[1] = '=';
    strv_push(&env, big);
    assert_int_equal(export_env(NULL, &env, &base, &got, &err), 0);
    strv_fini(&got);
    big[EXPORT_BYTES_MAX - 1] = 'x';
    strv_fini(&env);
    strv_push(&env, big);
    assert_int_equal(export_env(NULL, &env, &base, &got, &err), -E2BIG);
    strv_fini(&env);
    free(big);
}

static void the_calling_jobs_variables_go(void **unused)
{
    (void)unused;
    struct strv env =
        strv_split("A=1 SLURM_JOB_ID=5 SLURM_JOBID=5 SLURM_NTASKS=2 SLURM_NTASKS_PER_NODE=2 SLURM_CONF=/c "
                   "SLURM_STEP_ID=0 SLURM_ARRAY_TASK_ID=3 SLURMD_NODENAME=n1 SLURM_TIME_FORMAT=%s "
                   "SLURM_CPUS_PER_TASK=2 SLURM_GPUS=1 STOKER_JOB_ID=5 STOKER_HOME=/h SLURM_MINE=1 "
                   "SLURM_MEM_PER_NODE=5 SLURM_EXPORT_ENV=NONE SLURM_SUBMIT_DIR=/x SLURM_NODEID=0",
                   " ");
    export_clean_job(&env);
    char *text = strv_join(&env, " ");
    check_str("clean", text, "A=1 SLURM_CONF=/c SLURM_TIME_FORMAT=%s STOKER_HOME=/h SLURM_MINE=1");
    free(text);
    strv_fini(&env);
    export_clean_job(&env); /* empty */
    check_int("empty", env.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(limits),
        cmocka_unit_test(the_calling_jobs_variables_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
