/* test_confine.c - what a confined process may do: each case in a child of its own. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/confine/confine.h"
#include "src/os/thread.h"
#include "tests/lib/check.h"

#define LEFT_OUT 99 /* the status of a child that has no filter */

static int do_nothing(void)
{
    return 0;
}

static int do_open(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd < 0 ? errno : close(fd);
}

static int do_fork(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(7);
    int status;
    return pid < 0 || waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7 ? ECHILD : 0;
}

static int do_exec(void)
{
    execl("/bin/sh", "sh", "-c", "exit 0", (char *)NULL);
    return errno;
}

static void *thread_main(void *arg)
{
    return arg;
}

static int do_thread(void)
{
    pthread_t t;
    int e = pthread_create(&t, NULL, thread_main, NULL);
    return e ? e : pthread_join(t, NULL);
}

static void *thread_traces(void *arg)
{
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    return arg;
}

static int do_thread_that_traces(void)
{
    int r = thread_start(thread_traces, NULL, 0);
    while (r == 0)
        poll(NULL, 0, -1); /* the whole process ends */
    return -r;
}

static int do_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return fd < 0 ? errno : close(fd);
}

static int do_ptrace(void)
{
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0 ? errno : 0;
}

static int do_mount(void)
{
    return mount("none", "/nowhere", "tmpfs", 0, NULL) < 0 ? errno : 0;
}

static int do_unshare(void)
{
    return unshare(CLONE_NEWUSER) < 0 ? errno : 0;
}

static int do_namespace(void)
{
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid == 0)
        _exit(0);
    return pid < 0 ? errno : 0;
}

static int do_keyctl(void)
{
    return syscall(SYS_keyctl, 0, 0, 0, 0, 0) < 0 ? errno : 0;
}

static int do_newer(void)
{
    return syscall(470, 0, 0, 0) < 0 ? errno : 0;
}

static int do_setuid(void)
{
    return setresuid(0, 0, 0) < 0 ? errno : 0;
}

#define ENDS (-1)

static const struct {
    const char *name;
    enum confine_kind kind;
    int (*act)(void);
    int want;         /* 0, an errno, or ENDS */
    const char *said; /* where it ends */
} cases[] = {
    {"a reader traces", CONFINE_READER, do_ptrace, ENDS, "(ptrace) is not allowed to this process"},
    {"a reader makes a socket", CONFINE_READER, do_socket, ENDS, "(socket)"},
    {"a reader forks", CONFINE_READER, do_fork, ENDS, "(clone)"},
    {"a reader runs a program", CONFINE_READER, do_exec, ENDS, "(execve)"},
    {"a reader mounts", CONFINE_READER, do_mount, ENDS, "(mount)"},
    {"a network process forks", CONFINE_NETWORK, do_fork, ENDS, "(clone)"},
    {"a thread of a network process traces", CONFINE_NETWORK, do_thread_that_traces, ENDS, "(ptrace)"},
    {"a network process runs a program", CONFINE_NETWORK, do_exec, ENDS, "(execve)"},
    {"a network process mounts", CONFINE_NETWORK, do_mount, ENDS, "(mount)"},
    {"a service traces", CONFINE_SERVICE, do_ptrace, ENDS, "(ptrace)"},
    {"a service makes a user namespace", CONFINE_SERVICE, do_unshare, ENDS, "(unshare)"},
    {"a service clones into a user namespace", CONFINE_SERVICE, do_namespace, ENDS, "(clone)"},
    {"a service changes its uid", CONFINE_SERVICE, do_setuid, ENDS, "(setresuid)"},
    {"a key of the kernel", CONFINE_SERVICE, do_keyctl, ENOSYS, ""},
    {"a newer call", CONFINE_SERVICE, do_newer, ENOSYS, ""},
    {"a newer call of a reader", CONFINE_READER, do_newer, ENOSYS, ""},
    {"nothing", CONFINE_READER, do_nothing, 0, ""},
    {"a reader opens", CONFINE_READER, do_open, 0, ""},
    {"a network process has threads", CONFINE_NETWORK, do_thread, 0, ""},
    {"a network process makes a socket", CONFINE_NETWORK, do_socket, 0, ""},
    {"a service forks", CONFINE_SERVICE, do_fork, 0, ""},
    {"a service has threads", CONFINE_SERVICE, do_thread, 0, ""},
    {"a service runs a program", CONFINE_SERVICE, do_exec, 0, ""},
};

/* Runs act in a child with the filter; what it writes to standard error goes into said. */
static int status_of(enum confine_kind kind, int (*act)(void), char *said, size_t size)
{
    int p[2], status;
    assert_int_equal(pipe(p), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(p[1], 2);
        close(p[0]);
        close(p[1]);
        int r = confine_system_calls(kind, "test");
        _exit(r ? LEFT_OUT : act());
    }
    close(p[1]);
    size_t n = 0;
    for (ssize_t got; n < size - 1 && (got = read(p[0], said + n, size - 1 - n)) > 0;)
        n += (size_t)got;
    said[n] = '\0';
    close(p[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void test_kinds(void **unused)
{
    (void)unused;
    char said[512];
    if (WEXITSTATUS(status_of(CONFINE_READER, do_nothing, said, sizeof said)) == LEFT_OUT)
        skip(); /* a sanitizer, or another architecture */
    for (size_t i = 0; i < N_OF(cases); i++) {
        int status = status_of(cases[i].kind, cases[i].act, said, sizeof said);
        if (cases[i].want == ENDS) {
            check_int(cases[i].name, WIFSIGNALED(status), true);
            check_int(cases[i].name, WTERMSIG(status), SIGSYS);
            check_has(cases[i].name, said, cases[i].said);
        } else {
            check_int(cases[i].name, WIFEXITED(status), true);
            check_int(cases[i].name, WEXITSTATUS(status), cases[i].want);
        }
    }
}

static void test_the_environment_leaves_it_out(void **unused)
{
    (void)unused;
    char said[512];
    setenv(CONFINE_VARIABLE, "off", 1);
    int status = status_of(CONFINE_READER, do_socket, said, sizeof said);
    unsetenv(CONFINE_VARIABLE);
    assert_int_equal(WEXITSTATUS(status), LEFT_OUT);
    if (WEXITSTATUS(status_of(CONFINE_READER, do_nothing, said, sizeof said)) == LEFT_OUT)
        skip();
    setenv(CONFINE_VARIABLE, "log", 1);
    status = status_of(CONFINE_READER, do_socket, said, sizeof said);
    unsetenv(CONFINE_VARIABLE);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* --- capabilities --- */

static uint64_t status_mask(const char *key)
{
    char line[256];
    unsigned long long mask = 0;
    FILE *f = fopen("/proc/self/status", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            sscanf(line + strlen(key), ": %llx", &mask);
    fclose(f);
    return mask;
}

static void test_capabilities(void **unused)
{
    (void)unused;
    if (geteuid() != 0)
        skip();
    uint64_t kill = 1ull << CAP_KILL, all = status_mask("CapPrm"), bounding = status_mask("CapBnd");
    if (!(all & kill) || !(all & 1ull << CAP_SETPCAP))
        skip();
    pid_t pid = fork();
    if (pid == 0) {
        int bad = 0;
        bad |= confine_bounding_set(1ull << CAP_SYS_BOOT | 1ull << 63) != 0;
        bad |= (status_mask("CapBnd") != (bounding & ~(1ull << CAP_SYS_BOOT))) << 1;
        bad |= (confine_capabilities(kill) != 0) << 2;
        bad |= (status_mask("CapPrm") != kill) << 3;
        bad |= (status_mask("CapEff") != kill) << 4;
        bad |= (confine_bounding_set(kill) != 0 || !(status_mask("CapBnd") & kill)) << 5;
        _exit(bad);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_the_environment_leaves_it_out),
        cmocka_unit_test(test_capabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
