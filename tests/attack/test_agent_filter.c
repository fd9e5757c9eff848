/* test_agent_filter.c - the agent decodes messages from controllers, users of the node and the network. A
 * taken-over agent could make every system call of its account and start any program, and so could attack
 * all of the kernel. Its tasks have no filter.
 *
 * As root, the agent is started by a launcher under another account. Everything runs a second time as an
 * ordinary user, whose agent has the supervisors as children. */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/confine/confine.h"
#include "backend/task/proc.h"
#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

__attribute__((constructor)) static void under_launcher(void)
{
    if (geteuid() == 0)
        setenv(DRIVER_ACCOUNT_VARIABLE, "daemon", 1);
}

/* "Seccomp" of /proc/PID/status; -1: there is no such process. */
static int status_number(pid_t pid, const char *key)
{
    char *path = xasprintf("/proc/%d/status", (int)pid), line[256];
    size_t n = strlen(key);
    int number = -1;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, key, n) == 0 && line[n] == ':')
            number = atoi(line + n + 1);
    if (f)
        fclose(f);
    free(path);
    return number;
}

/* A build with sanitizers has no filter, and neither has an architecture without a table. */
static bool filters_are_built(void)
{
    pid_t pid = fork();
    int status = 0;
    if (!pid)
        _exit(confine_system_calls(CONFINE_NETWORK, "test") == 0 ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status == 0;
}

static void check_filter(struct driver *d)
{
    if (!filters_are_built())
        return;
    check_int("filter", status_number(driver_agent(d), "Seccomp"), 2);
    check_int("no new rights", status_number(driver_agent(d), "NoNewPrivs"), 1);
}

/* The status of a task and of its supervisor. */
static void check_task(struct driver *d, uint32_t job)
{
    driver_run_as(d, job, "grep -E '^(Seccomp|NoNewPrivs):' /proc/self/status; echo done; exec sleep 1000");
    char *name = xasprintf("%u.out", job), *text = driver_await_file(d, name, "done\n");
    check_has("a task gains by set-user-ID programs", text, "NoNewPrivs:\t0\n");
    check_has("a task has no filter", text, "Seccomp:\t0\n");
    check_int("its supervisor", status_number(driver_shim_of(d, job), "Seccomp"), 0);
    driver_put_task_off(d, job);
    free(text);
    free(name);
}

static void tasks_have_no_filter(void **state)
{
    struct driver *d = *state;
    check_filter(d);
    check_task(d, 1);
    driver_restart(d, "");
    check_filter(d);
    check_task(d, 2);
}

/* To the one that was started with this name and option. */
static pid_t signal_descendant(pid_t of, const char *name, const char *option, int signo)
{
    struct proc_list tree = {0};
    pid_t found = 0;
    proc_descendants(of, &tree);
    for (size_t i = 0; i < tree.n; i++) {
        char path[64], line[256] = "";
        snprintf(path, sizeof path, "/proc/%d/cmdline", (int)tree.v[i].pid);
        ssize_t n = proc_read_file(path, line, sizeof line);
        if (n > (ssize_t)strlen(name) && strcmp(line, name) == 0 &&
            strncmp(line + strlen(name) + 1, option, strlen(option)) == 0)
            found = tree.v[i].pid;
    }
    proc_list_fini(&tree);
    assert_true(found > 1);
    assert_int_equal(kill(found, signo), 0);
    return found;
}

static void kill_descendant(pid_t of, const char *name, const char *option)
{
    pid_t found = signal_descendant(of, name, option, SIGKILL);
    driver_await(driver_is_gone, &found, "it is killed");
}

/* The server of the supervisors is killed: the next one has no filter either. */
static void the_next_fork_server_has_none(void **state)
{
    struct driver *d = *state;
    driver_run(d, 1, "true");
    driver_end_free(driver_end(d, 1, true));
    kill_descendant(d->agent, "stoker-shim", "--serve");
    check_task(d, 2);
}

static struct msg_agent *next_agent(struct driver *d, pid_t agent)
{
    int status;
    driver_await(driver_is_gone, &agent, "the agent ends");
    assert_int_equal(waitpid(d->agent, &status, 0), d->agent);
    d->agent = 0;
    driver_hang_up(d);
    driver_start(d);
    return driver_greet(d);
}

/* stoker-spawn hangs: each request held up the agent for 5 s, for as long as the agent lived, and nothing
 * was started. Now the agent ends with the first one, and the next agent goes on. */
static void a_spawn_server_that_hangs_is_replaced(void **state)
{
    struct driver *d = *state;
    pid_t agent = driver_agent(d);
    if (geteuid() == 0)
        skip(); /* the launcher starts readers and supervisors itself */
    pid_t hangs = signal_descendant(agent, "stoker-spawn", "--spawn-server", SIGSTOP);
    driver_run(d, 1, "true");
    msg_free(MSG_AGENT, next_agent(d, agent));
    driver_await(driver_is_gone, &hangs, "what hung is killed");
    driver_run(d, 2, "true");
    driver_end_free(driver_end(d, 2, true));
}

/* stoker-spawn is killed: the agent ends, its tasks go on, and the next agent adopts them. */
static void without_its_spawn_server_the_agent_ends(void **state)
{
    struct driver *d = *state;
    pid_t agent = driver_agent(d);
    driver_run_as(d, 1, "until [ -e go ]; do sleep 0.01; done; exit 7");
    kill_descendant(agent, "stoker-spawn", "--spawn-server");
    struct msg_agent *m = next_agent(d, agent);
    check_int("its tasks", (int)m->launches.n, 1);
    msg_free(MSG_AGENT, m);
    char *go = xasprintf("%s/work/go", d->dir);
    fclose(fopen(go, "w"));
    free(go);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("its end", e->end_kind, END_EXITED);
    check_int("its code", e->ranks.v[0].code, 7);
    driver_end_free(e);
    check_filter(d);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AGENT_CASE(tasks_have_no_filter),
        AGENT_CASE(the_next_fork_server_has_none),
        AGENT_CASE(without_its_spawn_server_the_agent_ends),
        AGENT_CASE(a_spawn_server_that_hangs_is_replaced),
    };
    return agent_cases(tests, argc, argv);
}
