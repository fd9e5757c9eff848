/* test_agent_limits.c - memory, descriptors, what the owner of the machine allows; figures of use.
 *
 * As root everything runs a second time as an ordinary user.
 *
 * test-user
 */
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

#define LOOK_MS 50

static void test_out_of_memory(void **state)
{
    struct driver *d = *state;
    struct launch l;
    /* Twice the limit, and no more: who is to see it may be late. */
    driver_launch_init(d, &l, 1,
                       "echo $$ >pid; x=0123456789abcdef; while [ ${#x} -lt 60000000 ]; do x=$x$x; done; "
                       "sleep 1000");
    l.alloc.mem_mib = 32;
    driver_send(d, MSG_LAUNCH, 0, &l);
    pid_t pid = driver_pid_in(d, "pid");
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_OOM);
    check_has("message", e->message, "limit 32 MiB");
    assert_true(e->peak_rss_kib >= 32 * 1024);
    assert_non_null(e->sampled);
    driver_end_free(e);
    assert_true(driver_is_gone(&pid));
    char *text = driver_file(d, "1.out");
    check_has("line", text, "slurmstepd: error: Detected 1 oom_kill event in StepId=1.batch.");
    free(text);
    /* Enough of it: measured, not killed. */
    l.key.job = 2;
    l.alloc.mem_mib = 4096;
    free(l.argv.v[2]);
    l.argv.v[2] = xstrdup(
        "x=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do x=$x$x; done");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    e = driver_end(d, 2, true);
    check_int("kind", e->end_kind, END_EXITED);
    assert_true(e->peak_rss_kib > 16 * 1024);
    driver_end_free(e);
}

static void test_utilisation(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "while :; do :; done");
    struct msg_watch_util on = {.on = true};
    driver_send(d, MSG_WATCH_UTIL, 0, &on);
    bool busy = false;
    for (time_t end = time(NULL) + DRIVER_WAIT_MS / 1000; !busy && time(NULL) < end;) {
        struct msg_util *u = driver_wait(d, MSG_UTIL, NULL, NULL, DRIVER_WAIT_MS);
        assert_non_null(u);
        check_str("node", u->node, "n1");
        assert_true(u->mem_mib > 0 && u->mem_used_mib <= u->mem_mib);
        assert_int_equal(u->tasks.n, 1);
        assert_int_equal(u->tasks.v[0].key.job, 1);
        busy = u->tasks.v[0].cpu_permille > 0 && u->tasks.v[0].rss_kib > 0 && u->cpu_permille > 0;
        msg_free(MSG_UTIL, u);
    }
    assert_true(busy);
    driver_terminate(d, 1, KILL_CANCEL, 0, NULL);
    struct launch_end *e = driver_end(d, 1, true);
    assert_true(e->cpu_ms > 0);
    driver_end_free(e);
}

/* Its second measurement or a later one for which enough is true; NULL: there was none. */
static struct msg_util *next_util_of(struct driver *d, bool (*enough)(const struct task_util *t))
{
    for (time_t end = time(NULL) + DRIVER_WAIT_MS / 1000; time(NULL) < end;) {
        struct msg_util *u = driver_wait(d, MSG_UTIL, NULL, NULL, DRIVER_WAIT_MS);
        assert_non_null(u);
        assert_int_equal(u->tasks.n, 1);
        /* No more than one process is busy at a time. */
        assert_true(u->tasks.v[0].cpu_permille < 1500);
        if (enough(&u->tasks.v[0]))
            return u;
        msg_free(MSG_UTIL, u);
    }
    return NULL;
}

static bool burns_a_third(const struct task_util *t)
{
    return t->cpu_permille > 300 && t->cpu_ms > 2000;
}

static bool holds_64_mib(const struct task_util *t)
{
    return t->rss_kib > 64 * 1024;
}

/* Each process lives for some hundredths of a second: what they have used is not forgotten with them. */
static void test_short_processes_are_counted(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "while :; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; done");
    struct msg_watch_util on = {.on = true}, off = {.on = false};
    driver_send(d, MSG_WATCH_UTIL, 0, &on);
    struct msg_util *u = next_util_of(d, burns_a_third);
    assert_non_null(u);
    assert_true(u->tasks.v[0].rss_kib < 64 * 1024);
    uint64_t before_ms = u->tasks.v[0].cpu_ms;
    msg_free(MSG_UTIL, u);
    u = driver_wait(d, MSG_UTIL, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(u);
    assert_true(u->tasks.v[0].cpu_ms >= before_ms);
    msg_free(MSG_UTIL, u);
    driver_send(d, MSG_WATCH_UTIL, 0, &off);
    driver_terminate(d, 1, KILL_CANCEL, 0, NULL);
    driver_end_free(driver_end(d, 1, true));
}

static void test_memory_is_measured(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1,
                  "x=0123456789abcdef; while [ ${#x} -lt 67108864 ]; do x=$x$x; done; "
                  "while :; do sleep 1000; done");
    struct msg_watch_util on = {.on = true};
    driver_send(d, MSG_WATCH_UTIL, 0, &on);
    struct msg_util *u = next_util_of(d, holds_64_mib);
    assert_non_null(u);
    /* The control group counts the same, where the task has one. */
    assert_true(!u->tasks.v[0].mem_kib || u->tasks.v[0].mem_kib > 60 * 1024);
    msg_free(MSG_UTIL, u);
    driver_terminate(d, 1, KILL_CANCEL, 0, NULL);
    driver_end_free(driver_end(d, 1, true));
}

static void test_policy(void **state)
{
    struct driver *d = *state;
    driver_restart(d, "# what runs here\nworkdirs = /scratch, /no/where\n");
    driver_run(d, 1, "true");
    struct launch_end *e = driver_end(d, 1, false);
    check_int("kind", e->end_kind, END_LAUNCH_FAILED);
    check_has("message", e->message, "policy allows no work in");
    driver_end_free(e);
}

/* Of the agent, by a process of its account: limits of others need a capability that containers lack. n 0:
 * as many as it may have. */
static void limit_descriptors(struct driver *d, rlim_t n)
{
    const struct passwd *account = driver_account() ? getpwnam(driver_account()) : NULL;
    pid_t agent = driver_agent(d), pid = fork();
    int status;
    if (!pid) {
        struct rlimit l;
        if (account &&
            (setgroups(0, NULL) < 0 || setresgid(account->pw_gid, account->pw_gid, account->pw_gid) < 0 ||
             setresuid(account->pw_uid, account->pw_uid, account->pw_uid) < 0))
            _exit(1);
        if (prlimit(agent, RLIMIT_NOFILE, NULL, &l) < 0)
            _exit(2);
        l.rlim_cur = n ? n : l.rlim_max;
        _exit(prlimit(agent, RLIMIT_NOFILE, &l, NULL) < 0 ? 3 : 0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void test_descriptors_run_out(void **state)
{
    struct driver *d = *state;
    limit_descriptors(d, 23);
    driver_run_as(d, 1, "sleep 100"); /* may take the last ones */
    struct launch_end *e = NULL;
    uint32_t job = 2;
    for (; job < 20 && !e; job++) {
        driver_run(d, job, "sleep 100");
        struct launch_status *s = NULL;
        for (int waited = 0; !s && !e && waited < DRIVER_WAIT_MS; waited += 2 * LOOK_MS) {
            s = driver_wait(d, MSG_TASK_RUNNING, NULL, NULL, LOOK_MS);
            e = s ? NULL : driver_wait(d, MSG_TASK_END, NULL, NULL, LOOK_MS);
        }
        msg_free(MSG_TASK_RUNNING, s);
    }
    assert_non_null(e);
    check_int("kind", e->end_kind, END_LAUNCH_FAILED);
    driver_end_free(e);
    limit_descriptors(d, 0);
    for (uint32_t i = 1; i < job - 1; i++) {
        driver_terminate(d, i, KILL_CANCEL, 0, NULL);
        driver_end_free(driver_end(d, i, true));
    }
    driver_run(d, 100, "true");
    driver_end_free(driver_end(d, 100, true));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AGENT_CASE(test_out_of_memory),
        AGENT_CASE(test_utilisation),
        AGENT_CASE(test_short_processes_are_counted),
        AGENT_CASE(test_memory_is_measured),
        AGENT_CASE(test_policy),
        AGENT_CASE(test_descriptors_run_out),
    };
    return agent_cases(tests, argc, argv);
}
