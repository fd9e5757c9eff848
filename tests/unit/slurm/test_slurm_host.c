/* What the service of a machine shares, and when it may not. */
#include "backend/slurm/host/slurm_host.h"

#include <errno.h>

#include "backend/slurm/slurm_table.h"
#include "backend/slurm/why/slurm_try.h"
#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/lib/check.h"

static struct slurm_span span(const char *text)
{
    return (struct slurm_span){text, strlen(text)};
}

static void test_private_data(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool refused;
    } cases[] = {{"none", false}, {"usage,users", false}, {"jobs", true}, {"usage,jobs", true},
                 {"nodes", true}, {"all", true},          {NULL, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = cases[i].value ? xasprintf("PrivateData             = %s\n", cases[i].value)
                                    : xstrdup("ClusterName = a\n");
        struct slurm_span config = span(text);
        char *why = slurm_host_private(&config);
        assert_int_equal(why != NULL, cases[i].refused);
        free(why);
        free(text);
    }
}

/* shape: whole rows; texts of users cannot make one */
static void test_rows_of_one_user(void **state)
{
    (void)state;
    struct str text = STR_INIT, out = STR_INIT;
    static const char *const uids[] = {"1000", "1001", "1000"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < SLURM_N_COLUMNS; k++)
            str_appendf(&text, "%s\037w%s",
                        k == SLURM_COLUMN_UID    ? uids[i]
                        : k == SLURM_COLUMN_NAME ? "a\n1000\0371000"
                                                 : "x",
                        k + 1 == SLURM_N_COLUMNS ? "\n" : "");
    struct slurm_span answer = {text.s, text.len};
    slurm_host_filter(&answer, "\037w", 1000, &out);
    assert_int_equal(out.len, text.len / 3 * 2);
    str_clear(&out);
    slurm_host_filter(&answer, "\037w", 7, &out);
    assert_int_equal(out.len, 0);
    str_fini(&text);
    str_fini(&out);
}

static void test_what_is_tested_of_a_change(void **state)
{
    (void)state;
    struct job *j = job_new();
    struct strv changes = {0};
    struct msg_submit m;
    struct errtext err;
    j->id = 9;
    j->req.partition = xstrdup("main");
    j->req.dependency = xstrdup("afterok:1");
    j->req.workdir = xstrdup("/gone");
    j->req.ntasks = 4;
    strv_push(&changes, "TimeLimit=1:00:00");
    assert_int_equal(slurm_try_submission(j, &changes, (struct wall){0}, &m, &err), 0);
    assert_true(m.test_only);
    assert_int_equal(m.req.time_limit_s, 3600);
    assert_int_equal(m.req.ntasks, 4);
    assert_string_equal(m.req.partition, "main");
    assert_null(m.req.dependency);
    assert_null(m.req.workdir);
    rec_fini(&msg_submit_rec, &m);
    strv_push(&changes, "Nonsense=1");
    assert_int_equal(slurm_try_submission(j, &changes, (struct wall){0}, &m, &err), -EINVAL);
    assert_non_null(strstr(err.s, "Nonsense=1"));
    strv_fini(&changes);
    job_free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private_data),
        cmocka_unit_test(test_rows_of_one_user),
        cmocka_unit_test(test_what_is_tested_of_a_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
