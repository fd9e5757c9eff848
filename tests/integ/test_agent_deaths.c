/* test_agent_deaths.c - agents and supervisors that die, nodes that reboot.
 *
 * As root everything runs a second time as an ordinary user.
 */
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/task/taskdir.h"
#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

static void test_agent_killed_tasks_go_on(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "while [ ! -e go ]; do sleep 0.01; done; exit 5");
    driver_run_as(d, 2, "trap 'exit 6' TERM; echo up; while :; do sleep 0.01; done");
    free(driver_await_file(d, "2.out", "up\n")); /* it runs before it has its trap */
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    driver_start(d);
    struct msg_agent *m = driver_greet(d);
    assert_null(m->refused);
    assert_int_equal(m->launches.n, 2);
    /* Adopted: the shim tells its new agent what it has, before the greeting or after, and takes orders
     * from it. */
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(m->launches.v[i].state, LAUNCH_RUNNING);
        if (m->launches.v[i].pid)
            continue;
        struct launch_status *s = driver_running(d, m->launches.v[i].key.job);
        assert_true(s->pid > 1);
        msg_free(MSG_TASK_RUNNING, s);
    }
    msg_free(MSG_AGENT, m);
    driver_terminate(d, 2, KILL_CANCEL, 30, NULL);
    struct launch_end *e = driver_end(d, 2, true);
    check_int("kind", e->end_kind, END_KILLED);
    check_int("code", e->ranks.v[0].code, 6);
    driver_end_free(e);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    check_int("code", e->ranks.v[0].code, 5);
    driver_end_free(e);
}

static bool has_end_record(void *ctx)
{
    struct driver *d = ctx;
    char path[400];
    snprintf(path, sizeof path, "%s/tasks/1.-1.0.1/end", d->agent_dir);
    return access(path, F_OK) == 0;
}

static void test_end_while_agent_is_away(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "while [ ! -e go ]; do sleep 0.01; done; exit 9");
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    driver_await(has_end_record, d, "the shim writes its end record");
    driver_connect(d);
    struct launch_end *e = driver_end(d, 1, false);
    check_int("code", e->ranks.v[0].code, 9);
    driver_end_free(e);
    /* Not acknowledged: told again. */
    driver_connect(d);
    driver_end_free(driver_end(d, 1, true));
    struct msg_agent *m = driver_greet(d);
    assert_int_equal(m->launches.n, 0);
    msg_free(MSG_AGENT, m);
}

static void test_shim_killed(void **state)
{
    struct driver *d = *state;
    for (uint32_t job = 1; job <= 2; job++) {
        driver_run_as(d, job, "setsid sh -c 'trap \"\" TERM; echo $$ >pid; sleep 100' & sleep 100");
        pid_t pid = driver_pid_in(d, "pid");
        if (job == 2) {
            /* An adopted shim has no parent here, and its orphans go to init. */
            driver_hang_up(d);
            driver_kill(d, SIGKILL);
            driver_connect(d);
        }
        kill(driver_shim_of(d, job), SIGKILL);
        struct launch_end *e = driver_end(d, job, true);
        check_int("kind", e->end_kind, END_UNKNOWN);
        check_has("message", e->message, "supervisor was lost");
        driver_end_free(e);
        driver_await(driver_is_gone, &pid, "what the lost shim left is killed");
        char *file = xasprintf("%s/work/pid", d->dir);
        unlink(file);
        free(file);
    }
}

/* The processes that read files for people are children of the agent too, not orphans. */
static void test_readers_survive_a_sweep(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "trap '' TERM; sleep 100");
    char *path = xasprintf("%s/work/read-me", d->dir);
    close(open(path, O_CREAT | O_WRONLY, 0644));
    const struct passwd *pw = getpwuid(geteuid());
    assert_non_null(pw);
    struct msg_output_read m = {.key = {.job = 1, .step = STEP_BATCH},
                                .stream = 1,
                                .wait_ms = 2000,
                                .path = path,
                                .uid = geteuid(),
                                .gid = getegid(),
                                .user = xstrdup(pw->pw_name)};
    struct msg_output_data *o;
    driver_send(d, MSG_OUTPUT_READ, 7, &m); /* its reader lives once this is answered */
    assert_non_null(o = driver_wait(d, MSG_OUTPUT_DATA, NULL, NULL, DRIVER_WAIT_MS));
    assert_null(o->error);
    msg_free(MSG_OUTPUT_DATA, o);
    driver_send(d, MSG_OUTPUT_READ, 8, &m);
    kill(driver_shim_of(d, 1), SIGKILL);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_UNKNOWN);
    driver_end_free(e);
    assert_non_null(o = driver_wait(d, MSG_OUTPUT_DATA, NULL, NULL, DRIVER_WAIT_MS));
    assert_null(o->error);
    msg_free(MSG_OUTPUT_DATA, o);
    rec_fini(&msg_output_read_rec, &m);
}

static void test_shim_killed_while_agent_is_away(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "echo $$ >pid; sleep 100");
    pid_t pid = driver_pid_in(d, "pid");
    driver_hang_up(d);
    pid_t shim = driver_shim_of(d, 1);
    driver_kill(d, SIGKILL);
    kill(shim, SIGKILL);
    driver_connect(d);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_UNKNOWN);
    driver_end_free(e);
    driver_await(driver_is_gone, &pid, "what the lost shim left is killed");
}

/* Both die, and what is left has neither the mark in its environment nor a parent: only its session
 * tells. */
static void test_shim_and_agent_killed(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "exec env -i /bin/sh -c 'echo $$ >pid; exec /bin/sleep 777'");
    pid_t pid = driver_pid_in(d, "pid");
    pid_t shim = driver_shim_of(d, 1);
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    kill(shim, SIGKILL);
    driver_await(driver_is_gone, &shim, "the shim is gone");
    driver_connect(d);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_UNKNOWN);
    driver_end_free(e);
    assert_true(driver_is_gone(&pid));
}

/* A shim that does not read is cut off: once it reads again it is reached again, and gets what it
 * missed. */
/* The process whose copies the supervisors are: the child that has its option. */
static pid_t fork_server_of(pid_t agent)
{
    struct proc_list tree = {0};
    char path[64], text[512];
    pid_t server = 0;
    proc_descendants(agent, &tree);
    for (size_t i = 0; i < tree.n; i++) {
        snprintf(path, sizeof path, "/proc/%d/cmdline", (int)tree.v[i].pid);
        ssize_t n = proc_read_file(path, text, sizeof text);
        if (n > 0 && memmem(text, (size_t)n, "--serve", 7))
            server = tree.v[i].pid;
    }
    proc_list_fini(&tree);
    return server;
}

static bool is_there(void *path)
{
    return access(path, F_OK) == 0;
}

/* It has the question, and is killed before it takes it: another one is asked. */
static void test_fork_server_killed_as_it_is_asked(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "sleep 100");
    pid_t server = fork_server_of(driver_agent(d));
    if (!server) /* it is not the agent's child in every setup */
        return;
    driver_stop(server);
    driver_run(d, 2, "exit 3");
    char *path = xasprintf("%s/tasks/2.-1.0.1", d->agent_dir);
    driver_await(is_there, path, "the task has a directory");
    free(path);
    kill(server, SIGKILL);
    struct launch_end *e = driver_end(d, 2, true);
    check_int("kind", e->end_kind, END_EXITED);
    check_int("code", e->ranks.n ? e->ranks.v[0].code : 0, 3);
    driver_end_free(e);
    driver_put_task_off(d, 1);
}

static void test_shim_cut_off_is_reached_again(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "sleep 100");
    pid_t shim = driver_shim_of(d, 1);
    kill(shim, SIGSTOP);
    struct launch_kill k = {.key = {.job = 1, .step = STEP_BATCH, .attempt = 1}, .signal = SIGURG};
    k.note = xcalloc(1, (1 << 20) + 1);
    memset(k.note, 'x', 1 << 20);
    for (int i = 0; i < 48; i++)
        driver_send(d, MSG_KILL, 0, &k);
    free(k.note);
    driver_send(d, MSG_PING, 3, NULL);
    msg_free(MSG_PONG, driver_wait(d, MSG_PONG, NULL, NULL, DRIVER_WAIT_MS));
    kill(shim, SIGCONT);
    driver_put_task_off(d, 1);
}

static void test_node_reboot(void **state)
{
    struct driver *d = *state;
    driver_run_as(d, 1, "echo $$ >pid; sleep 100");
    pid_t pid = driver_pid_in(d, "pid");
    pid_t shim = driver_shim_of(d, 1);
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    /* The record of another boot: its numbers belong to strangers now. */
    char *path = xasprintf("%s/tasks/1.-1.0.1/shim", d->agent_dir);
    char *text = xasprintf("1 %d 1 00000000-0000-0000-0000-000000000000 1000", (int)shim);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(text, path), 0);
    free(path);
    free(text);
    driver_connect(d);
    struct launch_end *e = driver_end(d, 1, false);
    check_int("kind", e->end_kind, END_NODE_REBOOT);
    driver_end_free(e);
    assert_false(driver_is_gone(&pid));
    kill(pid, SIGKILL);
    driver_await(driver_is_gone, &shim, "the shim ends with its task");
}

/* A loss of power may leave the files of the task before in a directory that was used again. */
static void test_record_of_the_task_before_is_not_believed(void **state)
{
    struct driver *d = *state;
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    char *path = xasprintf("%s/tasks/9.-1.0.1", d->agent_dir);
    assert_int_equal(mkdir(path, 0700), 0);
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    free(path);
    assert_int_equal(symlinkat("1 4 1 00000000-0000-0000-0000-000000000000 1000", fd, "shim"), 0);
    struct launch_end before = {.key = {.job = 8, .step = STEP_BATCH, .attempt = 1},
                                .end_kind = END_EXITED};
    assert_int_equal(taskdir_write_end(fd, &before, false), 0);
    close(fd);
    driver_connect(d);
    struct launch_end *e = driver_end(d, 9, true);
    check_int("kind", e->end_kind, END_NODE_REBOOT);
    driver_end_free(e);
}

static void test_pid_of_a_stranger(void **state)
{
    struct driver *d = *state;
    int up[2];
    assert_int_equal(pipe(up), 0);
    pid_t stranger = fork();
    if (stranger == 0) {
        setsid(); /* a session with the number of the record, too */
        close(up[1]);
        close(up[0]);
        pause();
        _exit(0);
    }
    close(up[1]);
    char c;
    assert_int_equal(read(up[0], &c, 1), 0);
    close(up[0]);
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    /* Right boot, a living pid, another start time. */
    char boot[64] = "";
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY);
    assert_true(read(fd, boot, 36) == 36);
    close(fd);
    char *path = xasprintf("%s/tasks/7.-1.0.1", d->agent_dir);
    assert_int_equal(mkdir(path, 0700), 0);
    char *link = xasprintf("%s/shim", path), *text = xasprintf("1 %d 12345 %s 1000", (int)stranger, boot);
    assert_int_equal(symlink(text, link), 0);
    free(path);
    free(link);
    free(text);
    driver_connect(d);
    struct launch_end *e = driver_end(d, 7, true);
    check_int("kind", e->end_kind, END_UNKNOWN);
    driver_end_free(e);
    assert_int_equal(waitpid(stranger, NULL, WNOHANG), 0);
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
}

static void test_directory_without_shim(void **state)
{
    struct driver *d = *state;
    driver_hang_up(d);
    driver_kill(d, SIGTERM);
    char *path = xasprintf("%s/tasks/8.-1.0.1", d->agent_dir);
    assert_int_equal(mkdir(path, 0700), 0);
    driver_start(d);
    struct msg_agent *m = driver_greet(d);
    assert_int_equal(m->launches.n, 0);
    msg_free(MSG_AGENT, m);
    assert_int_not_equal(access(path, F_OK), 0);
    free(path);
    driver_run(d, 8, "exit 1");
    struct launch_end *e = driver_end(d, 8, true);
    check_int("code", e->ranks.v[0].code, 1);
    driver_end_free(e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AGENT_CASE(test_agent_killed_tasks_go_on),
        AGENT_CASE(test_end_while_agent_is_away),
        AGENT_CASE(test_shim_killed),
        AGENT_CASE(test_readers_survive_a_sweep),
        AGENT_CASE(test_shim_killed_while_agent_is_away),
        AGENT_CASE(test_shim_and_agent_killed),
        AGENT_CASE(test_shim_cut_off_is_reached_again),
        AGENT_CASE(test_fork_server_killed_as_it_is_asked),
        AGENT_CASE(test_node_reboot),
        AGENT_CASE(test_record_of_the_task_before_is_not_believed),
        AGENT_CASE(test_pid_of_a_stranger),
        AGENT_CASE(test_directory_without_shim),
    };
    return agent_cases(tests, argc, argv);
}
