/* test_foreign_marks.c - a supervisor is lost, and another user's process carries the mark of its task in
 * its environment: the agent, which is root, killed it. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

static void processes_of_others_live(void **state)
{
    struct driver *d = *state;
    if (geteuid() != 0)
        skip();
    driver_run_as(d, 1, "echo $STOKER_LAUNCH >mark; sleep 1000");
    char *mark = driver_await_file(d, "mark", "\n");
    mark[strcspn(mark, "\n")] = '\0';
    assert_in_range(strlen(mark), 5, 200);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t other = fork();
    if (other == 0) {
        char *entry = xasprintf("STOKER_LAUNCH=%s", mark);
        if (setresgid(OTHER_UID, OTHER_UID, OTHER_UID) < 0 ||
            setresuid(OTHER_UID, OTHER_UID, OTHER_UID) < 0)
            _exit(126);
        dup2(ready[1], 1);
        execle("/bin/sh", "sh", "-c", "echo; exec sleep 1000 >/dev/null", (char *)NULL,
               (char *[]){entry, NULL});
        _exit(127);
    }
    char c;
    assert_int_equal(read(ready[0], &c, 1), 1);
    assert_int_equal(kill(driver_shim_of(d, 1), SIGKILL), 0);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_UNKNOWN);
    driver_end_free(e);
    int status;
    assert_int_equal(waitpid(other, &status, WNOHANG), 0);
    kill(other, SIGKILL);
    assert_int_equal(waitpid(other, &status, 0), other);
    close(ready[0]);
    close(ready[1]);
    free(mark);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {AGENT_CASE(processes_of_others_live)};
    return agent_cases(tests, argc, argv);
}
