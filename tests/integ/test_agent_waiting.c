/* test_agent_waiting.c - a real agent whose supervisors take one task after the other.
 *
 * As root everything runs a second time as an ordinary user.
 *
 * test-user
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/file.h"
#include "tests/lib/agent_cases.h"

/* Runs it to its end, and returns its supervisor. ret: the end; NULL: it is of no interest. */
static pid_t run_task(struct driver *d, uint32_t job, const char *command, struct launch_end **ret)
{
    char name[32];
    char *line = xasprintf("echo $PPID >%u.pid; %s", job, command);
    driver_run(d, job, line);
    free(line);
    struct launch_end *e = driver_end(d, job, true);
    check_int(command, e->end_kind, END_EXITED);
    snprintf(name, sizeof name, "%u.pid", job);
    pid_t pid = driver_pid_in(d, name);
    if (ret)
        *ret = e;
    else
        driver_end_free(e);
    return pid;
}

static void test_next_task_has_the_same_supervisor(void **state)
{
    struct driver *d = *state;
    pid_t first = run_task(d, 1, "true", NULL);
    for (uint32_t i = 2; i < 6; i++)
        check_int("supervisor", run_task(d, i, "true", NULL), first);
}

/* The use of a task is not counted for the next task. */
static void test_usage_begins_again(void **state)
{
    struct driver *d = *state;
    struct launch_end *large, *small;
    pid_t first =
        run_task(d, 1, "python3 -c 'x = bytearray(200 << 20)\nfor i in range(6000000): pass'", &large);
    check_int("supervisor", run_task(d, 2, "true", &small), first);
    assert_true(large->peak_rss_kib > 200 << 10);
    assert_true(large->cpu_ms > 0);
    assert_true(small->peak_rss_kib < 100 << 10);
    assert_true(small->cpu_ms <= large->cpu_ms);
    assert_true(small->t_start.ms >= large->t_end.ms);
    driver_end_free(large);
    driver_end_free(small);
}

/* Output, environment, limits and exit code belong to one task alone. */
static void test_nothing_is_left_of_the_task_before(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_launch_init(d, &l, 1, "echo $PPID >1.pid; echo one; echo $MARK; exit 7");
    strv_push(&l.env, "MARK=first");
    l.umask = 077;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("code", e->ranks.v[0].code, 7);
    driver_end_free(e);
    pid_t first = driver_pid_in(d, "1.pid");
    check_int("supervisor", run_task(d, 2, "echo \"-$MARK-\"; umask; ls /proc/self/fd | wc -l", &e), first);
    check_int("code", e->ranks.v[0].code, 0);
    driver_end_free(e);
    driver_check_output(d, "1.out", "one\nfirst\n");
    driver_check_output(d, "2.out", "--\n0022\n4\n");
}

static void test_supervisor_goes_after_a_while(void **state)
{
    struct driver *d = *state;
    pid_t pid = run_task(d, 1, "true", NULL);
    driver_await(driver_is_gone, &pid, "a supervisor without a task ends");
    assert_true(run_task(d, 2, "true", NULL) != pid);
}

static void test_supervisor_goes_with_its_agent(void **state)
{
    struct driver *d = *state;
    pid_t pid = run_task(d, 1, "true", NULL);
    driver_kill(d, SIGKILL);
    driver_await(driver_is_gone, &pid, "a supervisor without a task and an agent ends");
    driver_connect(d);
    run_task(d, 2, "true", NULL);
}

/* The agent ends it after a second; an agent that hangs cannot. Nor does the agent miss it afterwards. */
static void test_supervisor_goes_while_its_agent_hangs(void **state)
{
    struct driver *d = *state;
    pid_t pid = run_task(d, 1, "true", NULL);
    kill(driver_agent(d), SIGSTOP);
    driver_await(driver_is_gone, &pid, "a supervisor ends that has heard nothing of its agent");
    kill(driver_agent(d), SIGCONT);
    assert_true(run_task(d, 2, "true", NULL) != pid);
}

static void test_supervisor_that_was_killed_is_not_used(void **state)
{
    struct driver *d = *state;
    pid_t pid = run_task(d, 1, "true", NULL);
    kill(pid, SIGKILL);
    driver_await(driver_is_gone, &pid, "the supervisor is gone");
    assert_true(run_task(d, 2, "true", NULL) != pid);
}

/* A supervisor that had to kill ends with its task. */
static void test_supervisor_of_a_killed_task_ends(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "echo $PPID >1.pid; sleep 1000");
    pid_t pid = driver_pid_in(d, "1.pid");
    driver_terminate(d, 1, KILL_CANCEL, 0, NULL);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("end", e->end_kind, END_KILLED);
    driver_end_free(e);
    assert_true(run_task(d, 2, "true", NULL) != pid);
}

/* An agent that is short of descriptors keeps no supervisor: the supervisor ends, although the end of its
 * task is not acknowledged yet. */
static void test_supervisor_that_is_not_kept_ends(void **state)
{
    struct driver *d = *state;
    struct rlimit few, was;
    driver_run_as(d, 1, "echo $PPID >1.pid; until [ -e go ]; do sleep 0.01; done");
    pid_t pid = driver_pid_in(d, "1.pid");
    assert_int_equal(prlimit(driver_agent(d), RLIMIT_NOFILE, NULL, &was), 0);
    few = (struct rlimit){.rlim_cur = 16, .rlim_max = was.rlim_max};
    assert_int_equal(prlimit(driver_agent(d), RLIMIT_NOFILE, &few, NULL), 0);
    char *go = xasprintf("%s/work/go", d->dir);
    assert_int_equal(mkdir(go, 0700), 0);
    free(go);
    struct launch_end *e = driver_end(d, 1, false);
    check_int("end", e->end_kind, END_EXITED);
    driver_end_free(e);
    driver_await(driver_is_gone, &pid, "a supervisor that is not kept ends");
    assert_int_equal(prlimit(driver_agent(d), RLIMIT_NOFILE, &was, NULL), 0);
}

/* Runs a job on one CPU; it tries to take all of them. Returns its supervisor. */
static pid_t run_on_cpu(struct driver *d, uint32_t job, unsigned cpu)
{
    char name[32], want[32];
    struct launch l;
    char *line = xasprintf("echo $PPID >%u.pid; cat /proc/self/cgroup >%u.groups; "
                           "taskset -pc 0-1 $$ >/dev/null 2>&1; "
                           "sed -n 's/Cpus_allowed_list:.//p' /proc/self/status",
                           job, job);
    driver_launch_init(d, &l, job, line);
    free(line);
    cpuset_add(&l.alloc.cpus, cpu);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    driver_end_free(driver_end(d, job, true));
    snprintf(name, sizeof name, "%u.pid", job);
    pid_t pid = driver_pid_in(d, name);
    snprintf(name, sizeof name, "%u.out", job);
    snprintf(want, sizeof want, "%u\n", cpu);
    driver_check_output(d, name, want);
    return pid;
}

/* What /proc says of the process's control groups. Freed by the caller. */
static char *groups_of(pid_t pid)
{
    char *path = xasprintf("/proc/%d/cgroup", (int)pid), *text = file_text(path);
    free(path);
    assert_non_null(text);
    return text;
}

/* The directory of the first job's group for CPUs; NULL where v1 has none. Freed by the caller. */
static char *cpu_group_of_first(struct driver *d)
{
    char *text = driver_file(d, "1.groups"), *path = NULL;
    for (char *line = strtok(text, "\n"); line && !path; line = strtok(NULL, "\n"))
        if (strstr(line, ":cpuset:") && strstr(line, "/stoker-"))
            path = xasprintf("/sys/fs/cgroup/cpuset%s", strstr(line, ":cpuset:") + strlen(":cpuset:"));
    free(text);
    return path;
}

static bool is_removed(void *path)
{
    return access(path, F_OK) < 0;
}

/* Where the group of its job is a v1 group, a supervisor leaves it, and enters that of the next job: it
 * keeps no group of a job that is over, and gives the next job no CPU of the first. */
static void test_supervisor_changes_v1_groups(void **state)
{
    struct driver *d = *state;
    if (geteuid() != 0 || sysconf(_SC_NPROCESSORS_ONLN) < 2 || system("command -v taskset >/dev/null"))
        return;
    char *before = groups_of(driver_agent(d));
    pid_t first = run_on_cpu(d, 1, 0);
    char *group = cpu_group_of_first(d);
    if (group) {
        char *waits = groups_of(first);
        assert_string_equal(waits, before);
        free(waits);
        driver_await(is_removed, group, "the group of the first job goes with it");
        check_int("supervisor", run_on_cpu(d, 2, 1), first);
    }
    free(group);
    free(before);
}

/* A task under a reused supervisor is as safe as any other: a later agent finds it. */
static void test_second_task_is_adopted(void **state)
{
    struct driver *d = *state;
    pid_t pid = run_task(d, 1, "true", NULL);
    driver_run_as(d, 2, "echo $PPID >2.pid; until [ -e go ]; do sleep 0.01; done; exit 5");
    check_int("supervisor", driver_pid_in(d, "2.pid"), pid);
    driver_kill(d, SIGKILL);
    char *go = xasprintf("%s/work/go", d->dir);
    assert_int_equal(mkdir(go, 0700), 0);
    free(go);
    driver_await(driver_is_gone, &pid, "it ends with its task");
    driver_connect(d);
    struct launch_end *e = driver_end(d, 2, true);
    check_int("end", e->end_kind, END_EXITED);
    check_int("code", e->ranks.v[0].code, 5);
    driver_end_free(e);
}

/* Runs a batch script to its end. Returns its output, which the caller frees. */
static char *run_script(struct driver *d, uint32_t job, const char *script)
{
    char name[32];
    struct launch l;
    driver_script_init(d, &l, job, script);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    driver_end_free(driver_end(d, job, true));
    snprintf(name, sizeof name, "%u.out", job);
    return driver_file(d, name);
}

/* The directory and the script in it serve the next task; the end record and the claim are its own. */
static void test_next_task_has_the_directory_of_the_task_before(void **state)
{
    struct driver *d = *state;
    static const char script[] =
        "#!/bin/sh\nls -di \"${0%/*}\" | cut -d' ' -f1\nls -i \"$0\" | cut -d' ' -f1\n";
    char *first = run_script(d, 1, script);
    assert_true(*first >= '0' && *first <= '9');
    for (uint32_t job = 2; job < 5; job++) {
        char *next = run_script(d, job, script);
        assert_string_equal(next, first);
        free(next);
    }
    char *files =
        run_script(d, 5, "#!/bin/sh\nls \"${0%/*}\"; cat \"$0\" | wc -l; echo \"${0%/*/*}\" >/dev/null\n");
    assert_string_equal(files, "end.tmp\nshim\nslurm_script\n2\n");
    free(files);
    free(first);
    driver_await(driver_dir_is_empty, d, "no directory stays when no task comes");
}

/* A job may change its script: that is nothing to the next job. */
static void test_changed_script_is_not_kept(void **state)
{
    struct driver *d = *state;
    static const char *const changes[] = {"chmod u+w \"$0\"; echo 'echo more' >>\"$0\"", "chmod a+x \"$0\"",
                                          "ln \"$0\" kept", "rm -f \"$0\"; mkfifo \"$0\""};
    uint32_t job = 0;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *script =
            xasprintf("#!/bin/sh\nstat -c '%%A %%h' \"$0\"\n%s 2>/dev/null\nexit 0\n", changes[i]);
        for (int k = 0; k < 2; k++) {
            char *out = run_script(d, ++job, script);
            check_str(changes[i], out, "-r-x------ 1\n");
            free(out);
        }
        free(script);
    }
}

/* A launch with the name of a task whose directory is kept, as of a cluster that was made again. */
static void test_directory_of_the_same_name_is_in_no_way(void **state)
{
    struct driver *d = *state;
    struct launch_end *e;
    d->nonce = 1001;
    pid_t first = run_task(d, 1, "true", NULL);
    d->nonce = 2001;
    check_int("supervisor", run_task(d, 1, "exit 4", &e), first);
    check_int("code", e->ranks.v[0].code, 4);
    driver_end_free(e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AGENT_CASE(test_next_task_has_the_same_supervisor),
        AGENT_CASE(test_usage_begins_again),
        AGENT_CASE(test_nothing_is_left_of_the_task_before),
        AGENT_CASE(test_supervisor_goes_after_a_while),
        AGENT_CASE(test_supervisor_goes_with_its_agent),
        AGENT_CASE(test_supervisor_goes_while_its_agent_hangs),
        AGENT_CASE(test_supervisor_that_was_killed_is_not_used),
        AGENT_CASE(test_supervisor_of_a_killed_task_ends),
        AGENT_CASE(test_supervisor_that_is_not_kept_ends),
        AGENT_CASE(test_supervisor_changes_v1_groups),
        AGENT_CASE(test_second_task_is_adopted),
        AGENT_CASE(test_next_task_has_the_directory_of_the_task_before),
        AGENT_CASE(test_changed_script_is_not_kept),
        AGENT_CASE(test_directory_of_the_same_name_is_in_no_way),
    };
    return agent_cases(tests, argc, argv);
}
