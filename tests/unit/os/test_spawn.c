/* What a program begins with that was started from a process which blocks, ignores and keeps open.
 * test-user */
#include "tests/lib/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/str.h"
#include "src/os/spawn.h"

static char sh[] = "sh", c[] = "-c";

/* Appends what the program writes; it ends with 0. */
static void says(struct spawn s, char *const argv[], struct str *out)
{
    char buf[512];
    int p[2];
    pid_t pid;
    assert_int_equal(pipe2(p, O_CLOEXEC), 0);
    s.path = argv[0];
    s.argv = argv;
    s.fds[s.n_fds++] = (struct spawn_fd){p[1], 1};
    assert_int_equal(spawn_program(&s, &pid), 0);
    close(p[1]);
    for (ssize_t n; (n = read(p[0], buf, sizeof buf)) > 0;)
        str_append_n(out, buf, (size_t)n);
    close(p[0]);
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    check_int(argv[0], status, 0);
}

static void one_that_is_not_there(void **unused)
{
    (void)unused;
    char *argv[] = {sh, NULL};
    pid_t pid;
    assert_int_equal(spawn_program(&(struct spawn){.path = "/no/such", .argv = argv}, &pid), -ENOENT);
    assert_int_equal(spawn_program(&(struct spawn){.path = "no-such-program", .argv = argv}, &pid),
                     -ENOENT);
}

static uint64_t bit(int signo)
{
    return UINT64_C(1) << (signo - 1);
}

/* The signals of a line of /proc/PID/status. */
static uint64_t set_of(const char *text, const char *line)
{
    const char *at = strstr(text, line);
    assert_non_null(at);
    return strtoull(at + strlen(line), NULL, 16);
}

static void signals_are_clean_or_blocked(void **unused)
{
    (void)unused;
    static char grep[] = "grep", what[] = "^Sig[BI]", status[] = "/proc/self/status"; /* shells unblock */
    char *const argv[] = {grep, what, status, NULL};
    sigset_t some;
    struct str out = STR_INIT;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    assert_int_equal(sigprocmask(SIG_BLOCK, &some, NULL), 0);
    signal(SIGUSR2, SIG_IGN);
    says((struct spawn){0}, argv, &out);
    assert_int_equal(set_of(out.s, "SigBlk:"), 0);
    assert_int_equal(set_of(out.s, "SigIgn:") & bit(SIGUSR2), 0);
    str_clear(&out);
    says((struct spawn){.signals_blocked = true}, argv, &out);
    assert_int_equal(set_of(out.s, "SigBlk:") & bit(SIGTERM), bit(SIGTERM));
    assert_int_equal(set_of(out.s, "SigIgn:") & bit(SIGUSR2), 0);
    str_fini(&out);
    signal(SIGUSR2, SIG_DFL);
    assert_int_equal(sigprocmask(SIG_UNBLOCK, &some, NULL), 0);
}

static void descriptors_environment_session(void **unused)
{
    (void)unused;
    static char fds[] = "echo here >&6", env[] = "echo $FOO-${BAR-none}", foo[] = "FOO=bar",
                session[] = "[ $(cut -d' ' -f6 /proc/$$/stat) = $$ ]; echo $?";
    char *const to_6[] = {sh, c, fds, NULL}, *const its_env[] = {sh, c, env, NULL},
                *const its_session[] = {sh, c, session, NULL}, *const only_foo[] = {foo, NULL};
    struct str out = STR_INIT;
    int p[2];
    char buf[16] = "";
    assert_int_equal(pipe2(p, O_CLOEXEC), 0);
    says((struct spawn){.fds = {{p[1], 6}}, .n_fds = 1}, to_6, &out);
    assert_int_equal(read(p[0], buf, sizeof buf), 5);
    assert_memory_equal(buf, "here\n", 5);
    close(p[0]);
    close(p[1]);
    setenv("FOO", "ours", 1);
    setenv("BAR", "too", 1);
    says((struct spawn){0}, its_env, &out);
    says((struct spawn){.env = only_foo}, its_env, &out);
    check_str("environment", out.s, "ours-too\nbar-none\n");
    str_clear(&out);
    says((struct spawn){0}, its_session, &out);
    says((struct spawn){.session = true}, its_session, &out);
    check_str("session", out.s, "1\n0\n");
    str_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_that_is_not_there),
                                       cmocka_unit_test(signals_are_clean_or_blocked),
                                       cmocka_unit_test(descriptors_environment_session)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
