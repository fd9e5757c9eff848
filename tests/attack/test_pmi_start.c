/* test_pmi_start.c - root starts the PMI server, which becomes the user by itself. A program that its user
 * may read can be traced by its user once it has been started; from there the user had a process outside of
 * the task's control groups and without a filter of system calls. At each of its system calls a process of
 * the user tries to read its memory, which needs the same right as to trace it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/confine/confine.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

#define USER      65534
#define STOPS_MAX 2000

/* struct ptrace_syscall_info of Linux 5.3, as far as it is read here. */
struct call_info {
    uint8_t op, pad[3];
    uint32_t arch;
    uint64_t instruction, stack, number, args[6];
};
#ifndef PTRACE_GET_SYSCALL_INFO
#define PTRACE_GET_SYSCALL_INFO 0x420e
#endif
#define CALL_ENTRY 1

struct spy { /* a process of the user */
    pid_t pid;
    int fd;
};

static void become_user(void)
{
    if (setresgid(USER, USER, USER) < 0 || setresuid(USER, USER, USER) < 0)
        _exit(126);
}

static struct spy spy_start(void)
{
    int sv[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(sv[0]);
        become_user();
        pid_t of;
        while (recv(sv[1], &of, sizeof of, 0) == sizeof of) {
            char c;
            struct iovec here = {&c, 1}, there = {(void *)(uintptr_t)4096, 1};
            int e = process_vm_readv(of, &here, 1, &there, 1, 0) < 0 ? errno : 0;
            if (send(sv[1], &e, sizeof e, 0) != sizeof e)
                break;
        }
        _exit(0);
    }
    close(sv[1]);
    return (struct spy){pid, sv[0]};
}

static void spy_stop(const struct spy *s)
{
    close(s->fd);
    assert_int_equal(waitpid(s->pid, NULL, 0), s->pid);
}

/* EPERM: it may not. */
static int spy_read(const struct spy *s, pid_t of)
{
    int e;
    assert_int_equal(send(s->fd, &of, sizeof of, 0), sizeof of);
    assert_int_equal(recv(s->fd, &e, sizeof e, 0), sizeof e);
    return e;
}

/* Stopped before its first instruction. */
static pid_t start_server(bool by_user, int *ret_fd)
{
    const char *build = getenv("B");
    char *path = xasprintf("%s/bin/stoker-pmi", build ? build : "build"), uid[16];
    int sv[2], status;
    snprintf(uid, sizeof uid, "%d", USER);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(sv[1], 0);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        if (by_user)
            become_user();
        else if (setresgid(USER, USER, USER) < 0)
            _exit(126);
        execl(path, "stoker-pmi", uid, "/nowhere", (char *)NULL);
        _exit(127);
    }
    close(sv[1]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSTOPPED(status));
    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(uintptr_t)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    free(path);
    *ret_fd = sv[0];
    return pid;
}

static void end_server(pid_t pid, int fd)
{
    close(fd);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Whether it now hears its supervisor. */
static bool hears(pid_t pid)
{
    struct call_info info = {.op = 0};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info) < 0 || info.op != CALL_ENTRY)
        return false;
    return (info.number == SYS_recvfrom || info.number == SYS_recvmsg || info.number == SYS_read) &&
           info.args[0] == 0;
}

/* A line of /proc/PID/status behind its key. */
static const char *status_line(pid_t pid, const char *key)
{
    static char line[256];
    char *path = xasprintf("/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    size_t n = strlen(key);
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f))
        found = strncmp(line, key, n) == 0 && line[n] == ':';
    if (f)
        fclose(f);
    free(path);
    return found ? line + n + 2 : "";
}

static bool filters_are_built(void)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(confine_reader("test") == 0 ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status == 0;
}

static void test_a_program_of_the_user_can_be_traced(void **unused)
{
    (void)unused;
    if (geteuid() != 0)
        skip();
    struct spy spy = spy_start();
    int fd;
    pid_t pid = start_server(true, &fd);
    check_int("its memory", spy_read(&spy, pid), EFAULT); /* allowed: nothing lies there */
    end_server(pid, fd);
    spy_stop(&spy);
}

static void test_the_server_never_can(void **unused)
{
    (void)unused;
    if (geteuid() != 0)
        skip();
    struct spy spy = spy_start();
    int fd, stops = 0;
    pid_t pid = start_server(false, &fd);
    check_int("at its start", spy_read(&spy, pid), EPERM);
    for (; !hears(pid) && stops < STOPS_MAX; stops++) {
        int status;
        assert_int_equal(ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSTOPPED(status));
        check_int("at a system call", spy_read(&spy, pid), EPERM);
    }
    assert_in_range(stops, 10, STOPS_MAX - 1);
    check_has("who hears", status_line(pid, "Uid"), "65534\t65534\t65534\t65534");
    check_has("its group", status_line(pid, "Gid"), "65534\t65534\t65534\t65534");
    check_has("its capabilities", status_line(pid, "CapPrm"), "0000000000000000");
    check_has("what it starts", status_line(pid, "NoNewPrivs"), "1");
    if (filters_are_built())
        check_has("its filter", status_line(pid, "Seccomp"), "2");
    end_server(pid, fd);
    spy_stop(&spy);
}

static void test_words_that_name_no_user(void **unused)
{
    (void)unused;
    static const char *const words[] = {"", "nobody", "65534x", "4294967295", "99999999999", "-1"};
    const char *build = getenv("B");
    char *path = xasprintf("%s/bin/stoker-pmi", build ? build : "build");
    for (size_t i = 0; i < N_OF(words); i++) {
        int status, null = open("/dev/null", O_RDWR | O_CLOEXEC);
        pid_t pid = fork();
        if (pid == 0) {
            dup2(null, 0);
            dup2(null, 2);
            execl(path, "stoker-pmi", words[i], "/nowhere", (char *)NULL);
            _exit(127);
        }
        close(null);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        check_int(words[i], WIFEXITED(status) ? WEXITSTATUS(status) : -1, 2);
    }
    free(path);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_program_of_the_user_can_be_traced),
        cmocka_unit_test(test_the_server_never_can),
        cmocka_unit_test(test_words_that_name_no_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
