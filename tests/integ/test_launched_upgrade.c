/* test_launched_upgrade.c - a machine whose agent was root gets the account stoker-agent: the next agent
 * has no rights, and finds the tasks, outputs and ends that the one before it has left. */
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

/* With its output in the spool. */
static void run_spooled(struct driver *d, uint32_t job, const char *command)
{
    struct launch l;
    driver_launch_init(d, &l, job, command);
    xstrset(&l.ranks.v[0].std_out, NULL);
    xstrset(&l.ranks.v[0].std_err, NULL);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    msg_free(MSG_TASK_RUNNING, driver_running(d, job));
}

static void read_spool(struct driver *d, uint32_t job, const char *want)
{
    struct msg_output_read m = {.key = {.job = job, .step = STEP_BATCH}, .stream = 1, .wait_ms = 2000};
    struct msg_output_data *o;
    driver_send(d, MSG_OUTPUT_READ, 7, &m);
    assert_non_null(o = driver_wait(d, MSG_OUTPUT_DATA, NULL, NULL, DRIVER_WAIT_MS));
    check_str("its error", o->error ? o->error : "", "");
    char *text = xstrndup((const char *)o->data.p, o->data.n);
    check_str("what it has printed", text, want);
    free(text);
    msg_free(MSG_OUTPUT_DATA, o);
}

static bool has_ended(void *ctx)
{
    const struct driver *d = ctx;
    char *path = xasprintf("%s/tasks/2.-1.0.1/end", d->agent_dir);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

static bool has_printed(void *ctx)
{
    const struct driver *d = ctx;
    char *path = xasprintf("%s/tasks/1.-1.0.1/0.out", d->agent_dir);
    struct stat st;
    bool there = stat(path, &st) == 0 && st.st_size >= 6;
    free(path);
    return there;
}

static void test_account_is_made(void **state)
{
    struct driver *d = *state;
    if (geteuid() != 0 || !getpwnam("daemon"))
        skip();
    run_spooled(d, 1, "echo hello; trap 'echo bye; exit 4' TERM; while :; do sleep 0.01; done");
    run_spooled(d, 2, "echo two; while [ ! -e go ]; do sleep 0.01; done; exit 9");
    driver_await(has_printed, d, "the first prints");
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    driver_await(has_ended, d, "the second ends");
    assert_int_equal(setenv(DRIVER_ACCOUNT_VARIABLE, "daemon", 1), 0);
    driver_start(d);
    struct msg_agent *m = driver_greet(d);
    check_int("tasks that it knows", m->launches.n, 2);
    msg_free(MSG_AGENT, m);
    struct launch_end *e = driver_end(d, 2, false);
    check_int("the end of the second", e->end_kind, END_EXITED);
    check_int("its code", e->ranks.v[0].code, 9);
    driver_end_free(e);
    read_spool(d, 2, "two\n");
    read_spool(d, 1, "hello\n");
    driver_terminate(d, 1, KILL_CANCEL, 30, NULL);
    e = driver_end(d, 1, true);
    check_int("the end of the first", e->end_kind, END_KILLED);
    check_int("its code", e->ranks.v[0].code, 4);
    driver_end_free(e);
    driver_run(d, 3, "exit 5");
    e = driver_end(d, 3, true);
    check_int("the next one", e->ranks.v[0].code, 5);
    driver_end_free(e);
    /* And back: root's agent has the same directory. */
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    unsetenv(DRIVER_ACCOUNT_VARIABLE);
    driver_connect(d);
    driver_run(d, 4, "exit 6");
    e = driver_end(d, 4, true);
    check_int("one of root's agent", e->ranks.v[0].code, 6);
    driver_end_free(e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {AGENT_CASE(test_account_is_made)};
    return agent_cases(tests, argc, argv);
}
