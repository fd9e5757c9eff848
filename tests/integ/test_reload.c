/* test_reload.c - a configuration that changes while questions are asked. */
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/asking.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

static pid_t controller;

#define MANY_ACCOUNTS 20000 /* so that shares are not computed again for each query */
#define MANY_PARTS    300

static void configure_much(bool more)
{
    cluster_configure(4, 4, 0);
    char *path = xasprintf("%s/stoker.cfg", getenv("STOKER_HOME"));
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fprintf(f, "priority = { weight_partition = 1000; };\naccounts = (");
    for (int i = 0; i < MANY_ACCOUNTS; i++)
        fprintf(f, "%s{ name = \"a%d\"; }", i ? ",\n" : "", i);
    fprintf(f, ");\npartitions = ( { name = \"main\"; }");
    for (int i = 0; more && i < MANY_PARTS; i++)
        fprintf(f, ",\n{ name = \"p%d\"; priority_job_factor = %d; }", i, i + 1);
    fprintf(f, ");\n");
    assert_int_equal(fclose(f), 0);
    free(path);
}

static uint32_t partition_points(struct client *c, uint32_t job)
{
    struct errtext err = {""};
    struct msg_prio m = {.after = job - 1};
    enum msg_kind kind;
    void *got = NULL;
    if (client_call(c, MSG_PRIO, &m, &kind, &got, &err) < 0)
        fail_msg("no answer: %s", err.s);
    assert_int_equal(kind, MSG_PRIO_ROWS);
    const struct msg_prio_rows *rows = got;
    assert_int_equal(rows->rows.n, 1);
    uint32_t points = rows->rows.v[0].parts.partition_points;
    msg_free(kind, got);
    return points;
}

/* What priorities are made of is kept for a while, with tables as long as those of the configuration. */
static void priorities_follow_the_configuration_at_once(void **unused)
{
    (void)unused;
    configure_much(false);
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "holds");
    req_detail_mut(&m.req)->exclusive = true;
    uint32_t job = ask_submit(c, &m).job;
    await_state(c, job, 0, JOB_RUNNING);
    configure_much(true);
    m = submission(JOB_KIND_BATCH, "first");
    uint32_t first = ask_submit(c, &m).job;
    assert_int_equal(partition_points(c, first), 1000);
    struct answer a = ask(c, MSG_RELOAD, NULL);
    expect_answer(&a, REFUSAL_NONE, "");
    m = submission(JOB_KIND_BATCH, "last");
    m.req.partition = xasprintf("p%d", MANY_PARTS - 1);
    uint32_t last = ask_submit(c, &m).job;
    assert_int_equal(partition_points(c, last), 1000);
    client_free(c);
    cluster_stop(controller);
    cluster_configure(4, 4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priorities_follow_the_configuration_at_once),
    };
    cluster_configure(4, 4, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
