/* test_payloads.c - scripts and environments: once on disk, and gone with what they were for. */
#include <sys/stat.h>

#include "src/base/xalloc.h"
#include "tests/lib/asking.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

static pid_t controller;

/* A step ends whose payload has left the cache: it leaves the disk all the same. */
static void ended_steps_leave_nothing_on_disk(void **unused)
{
    (void)unused;
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_BATCH, "wipe");
    uint32_t job = ask_submit(c, &m).job;
    await_state(c, job, 0, JOB_RUNNING);
    struct msg_step_create lives = step_create(job, "sleep 1000"), waits = step_create(job, "sleep 1000");
    struct answer a = ask_create(c, &lives), b = ask_create(c, &waits);
    expect_answer(&a, REFUSAL_NONE, "");
    expect_answer(&b, REFUSAL_NONE, "");
    client_free(c);
    cluster_kill(controller);
    assert_true(cluster_payload_size(job, a.step) > 0);
    assert_true(cluster_payload_size(job, b.step) > 0);
    controller = cluster_spawn(NULL);
    c = cluster_connect();
    struct answer end = ask_act(c, ACT_CANCEL, job);
    expect_answer(&end, REFUSAL_NONE, "");
    await_state(c, job, 0, JOB_CANCELLED);
    client_free(c);
    cluster_kill(controller);
    assert_int_equal(cluster_payload_size(job, a.step), 0);
    assert_int_equal(cluster_payload_size(job, b.step), 0);
    controller = cluster_spawn(NULL);
    cluster_stop(controller);
}

static off_t state_bytes(void)
{
    off_t sum = 0;
    for (int i = 0; i < 2; i++) {
        struct stat st;
        char *path = xasprintf("%s/state/stoker.db%s", getenv("STOKER_HOME"), i ? "-wal" : "");
        sum += stat(path, &st) == 0 ? st.st_size : 0;
        free(path);
    }
    return sum;
}

/* Steps without an environment have their job's, which is stored once: twenty of them do not make twenty
 * copies. It is there after a restart too. */
static void a_step_jobs_environment_is_kept_once(void **unused)
{
    (void)unused;
    enum { STEPS = 20, VARS = 8, BYTES = 100000 };
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    struct msg_submit m = submission(JOB_KIND_STEPS, "once");
    for (int i = 0; i < VARS; i++) {
        char *v = xasprintf("V%d=%0*d", i, BYTES, 0);
        strv_push(&m.payload.env, v);
        free(v);
    }
    for (int i = 0; i < STEPS; i++) {
        struct step *s = rec_list_push(&m.steps);
        plain_step_init(s);
        s->id = i;
        s->name = xasprintf("s%d", i);
        struct step_payload *p = rec_list_push(&m.step_payloads);
        p->umask = 022;
        p->argv = strv_split("sh|-c|test ${#V0} = 100000 && test ${#V7} = 100000", "|");
    }
    m.hold = true;
    struct answer a = ask_submit(c, &m);
    expect_answer(&a, REFUSAL_NONE, "");
    assert_in_range(state_bytes(), 1, 8 << 20);
    client_free(c);
    controller = cluster_restart(controller);
    c = cluster_connect();
    struct answer b = ask_act(c, ACT_RELEASE, a.job);
    expect_answer(&b, REFUSAL_NONE, "");
    await_state(c, a.job, 0, JOB_COMPLETED);
    client_free(c);
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ended_steps_leave_nothing_on_disk),
        cmocka_unit_test(a_step_jobs_environment_is_kept_once),
    };
    cluster_configure(4, 4, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
