#include "tests/lib/agent_cases.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"

const char *agent_cases_begin(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return geteuid() == 0 ? "agent as root" : "agent as user";
}

static int again_as_user(char *self)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("TMPDIR", "/tmp", 1);
        if (setgroups(0, NULL) < 0 || setresgid(OTHER_UID, OTHER_UID, OTHER_UID) < 0 ||
            setresuid(OTHER_UID, OTHER_UID, OTHER_UID) < 0)
            _exit(126);
        execl("/proc/self/exe", self, (char *)NULL);
        _exit(127);
    }
    int status;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

int agent_cases_ended(int failed, int argc, char **argv)
{
    return failed || geteuid() != 0 || argc > 1 ? failed : again_as_user(argv[0]);
}

int driver_set_up(void **state)
{
    struct driver *d = xcalloc(1, sizeof *d);
    driver_init(d);
    driver_connect(d);
    *state = d;
    return 0;
}

int driver_tear_down(void **state)
{
    struct driver *d = *state;
    driver_fini(d);
    free(d);
    return 0;
}

void driver_end_free(struct launch_end *e)
{
    msg_free(MSG_TASK_END, e);
}

void driver_run_as(struct driver *d, uint32_t job, const char *command)
{
    driver_run(d, job, command);
    struct launch_status *s = driver_running(d, job);
    msg_free(MSG_TASK_RUNNING, s);
}

void driver_check_output(struct driver *d, const char *name, const char *want)
{
    char *text = driver_file(d, name);
    check_str(name, text, want);
    free(text);
}

/* The letter of its state in /proc; 0: there is no such process. */
static char state_of(pid_t pid)
{
    char path[64], buf[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return 0;
    bool empty = read(fd, buf, sizeof buf - 1) <= 0;
    close(fd);
    const char *p = strrchr(buf, ')');
    return empty || !p ? 0 : p[2];
}

bool driver_is_gone(void *ctx)
{
    char state = state_of(*(pid_t *)ctx);
    return !state || state == 'Z';
}

static bool stands_still(void *ctx)
{
    return state_of(*(pid_t *)ctx) == 'T';
}

void driver_stop(pid_t pid)
{
    assert_int_equal(kill(pid, SIGSTOP), 0);
    driver_await(stands_still, &pid, "it stands still");
}

/* The pid that the task has written into a file. */
pid_t driver_pid_in(struct driver *d, const char *name)
{
    char *text = driver_await_file(d, name, "\n");
    pid_t pid = atoi(text);
    free(text);
    assert_true(pid > 1);
    return pid;
}

bool driver_dir_is_empty(void *ctx)
{
    struct driver *d = ctx;
    char path[400];
    snprintf(path, sizeof path, "%s/tasks", d->agent_dir);
    return rmdir(path) == 0;
}

void driver_script_init(struct driver *d, struct launch *l, uint32_t job, const char *script)
{
    driver_launch_init(d, l, job, "");
    strv_fini(&l->argv);
    l->script = (struct blob){.p = xmemdup(script, strlen(script)), .n = strlen(script)};
}

pid_t driver_shim_of(struct driver *d, uint32_t job)
{
    char path[400], text[200];
    snprintf(path, sizeof path, "%s/tasks/%u.-1.0.1/shim", d->agent_dir, job);
    ssize_t n = readlink(path, text, sizeof text - 1);
    assert_true(n > 0);
    text[n] = '\0';
    int version, pid;
    assert_int_equal(sscanf(text, "%d %d", &version, &pid), 2);
    assert_true(pid > 1);
    return pid;
}

void driver_put_task_off(struct driver *d, uint32_t job)
{
    driver_terminate(d, job, KILL_CANCEL, 0, NULL);
    driver_end_free(driver_end(d, job, true));
}

void driver_step_init(struct driver *d, struct launch *l, uint32_t job, uint32_t ranks, const char *command)
{
    driver_launch_init(d, l, job, command);
    l->key.step = 0;
    l->is_batch = false;
    rec_fini(&launch_rank_rec, &l->ranks.v[0]);
    for (uint32_t i = 1; i < ranks; i++)
        rec_list_push(&l->ranks);
    for (uint32_t i = 0; i < ranks; i++) {
        l->ranks.v[i].rank = i;
        strv_setenvf(&l->ranks.v[i].env, "SLURM_PROCID", "%u", i);
    }
}

void driver_outputs(struct launch *l, const char *out)
{
    for (size_t i = 0; i < l->ranks.n; i++) {
        l->ranks.v[i].std_out = xstrdup(out);
        l->ranks.v[i].std_err = xstrdup(out);
    }
}
