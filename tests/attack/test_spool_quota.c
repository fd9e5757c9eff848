/* test_spool_quota.c - the spool of a task was bounded, but not that of a user: a few tasks of one user
 * filled the disk of a node, which then took no more jobs of anybody. */
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

static void writes(struct driver *d, uint32_t job, unsigned mib, const char *then)
{
    struct launch l;
    char *command = xasprintf("dd if=/dev/zero bs=1M count=%u 2>/dev/null; echo >>wrote; %s", mib, then);
    driver_launch_init(d, &l, job, command);
    xstrset(&l.ranks.v[0].std_out, NULL);
    xstrset(&l.ranks.v[0].std_err, NULL);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    free(command);
}

static void a_user_has_so_much_and_no_more(void **state)
{
    struct driver *d = *state;
    driver_restart(d, "spool_max = 8M\nspool_user_max = 12M\n");
    /* Kept for readers: goes before any task is ended. */
    writes(d, 1, 5, "true");
    driver_end_free(driver_end(d, 1, true));
    writes(d, 2, 4, "sleep 1000");
    writes(d, 3, 5, "sleep 1000");
    char *text = driver_await_file(d, "wrote", "\n\n\n");
    free(text);
    char *kept = xasprintf("%s/tasks/1.-1.0.1", d->agent_dir);
    for (int i = 0; access(kept, F_OK) == 0 && i < 3000; i++)
        usleep(10000);
    assert_int_not_equal(access(kept, F_OK), 0);
    /* Each below what a task may write. */
    writes(d, 4, 6, "sleep 1000");
    struct launch_end *e = driver_end(d, 4, true); /* it has written most */
    check_int("kind", e->end_kind, END_KILLED);
    driver_end_free(e);
    driver_terminate(d, 2, KILL_CANCEL, 0, NULL);
    driver_terminate(d, 3, KILL_CANCEL, 0, NULL);
    driver_end_free(driver_end(d, 2, true));
    driver_end_free(driver_end(d, 3, true));
    free(kept);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {AGENT_CASE(a_user_has_so_much_and_no_more)};
    return agent_cases(tests, argc, argv);
}
