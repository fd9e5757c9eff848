/* test_kill_order.c - in which order the supervisor's signals leave it. What a process gets first cannot be
 * seen from outside where both are pending, so the calls themselves are noted. */
#include "tests/lib/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/shim/shim_kill.h"

static int sent[8];
static size_t n_sent;

/* Before the C library's: notes the signal, and sends none. */
int kill(pid_t pid, int signo)
{
    (void)pid;
    if (n_sent < sizeof sent / sizeof sent[0])
        sent[n_sent++] = signo;
    return 0;
}

/* The same. Without descriptors of processes signals are sent by kill. */
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long a[4];
    va_list ap;
    va_start(ap, number);
    for (size_t i = 0; i < 4; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    if (number == SYS_pidfd_open) {
        errno = ENOSYS;
        return -1;
    }
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3]);
}

static pid_t start_child(void)
{
    int hold[2];
    assert_int_equal(pipe(hold), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) { /* ends with the test, however that ends */
        char c;
        close(hold[1]);
        if (read(hold[0], &c, 1) < 0)
            _exit(1);
        _exit(0);
    }
    close(hold[0]);
    sent[0] = hold[1]; /* for the caller */
    return pid;
}

static void must_send(enum signal_target target, int signo, int first, int second)
{
    pid_t pid = start_child();
    int hold = sent[0];
    struct rank rank = {.running = true, .pid = pid};
    struct shim s = {.ranks = &rank, .n_ranks = 1};
    n_sent = 0;
    shim_kill_signal(&s, signo, target);
    assert_int_equal(n_sent, second ? 2 : 1);
    assert_int_equal(sent[0], first);
    if (second)
        assert_int_equal(sent[1], second);
    close(hold);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_cont_comes_first(void **state)
{
    (void)state;
    for (int target = SIGNAL_TREE; target <= SIGNAL_LEADER; target++) {
        must_send((enum signal_target)target, SIGTERM, SIGCONT, SIGTERM);
        must_send((enum signal_target)target, SIGUSR1, SIGCONT, SIGUSR1);
        must_send((enum signal_target)target, SIGCONT, SIGCONT, 0);
        must_send((enum signal_target)target, SIGKILL, SIGKILL, 0);
        must_send((enum signal_target)target, SIGTSTP, SIGTSTP, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cont_comes_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
