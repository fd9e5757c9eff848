/* test_agent_log.c - a controller that was broken into fills the disk of a node with lines of the agent's
 * log: one for each launch that is refused, and one for each invalid message. */
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

#define MESSAGES 3000
#define LINES    250

static size_t count_lines(const struct driver *d, const char *part)
{
    char *path = xasprintf("%s/agent.log", d->dir);
    size_t n = check_count_lines(path, part);
    free(path);
    return n;
}

static void lines_about_peers_are_bounded(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_launch_init(d, &l, 1, "true");
    l.uid = l.gid = 4242; /* no such user */
    free(l.user);
    l.user = xstrdup("nosuchuser");
    for (uint32_t i = 0; i < MESSAGES; i++) {
        l.key.job = i + 1;
        driver_send(d, MSG_LAUNCH, 0, &l);
    }
    rec_fini(&launch_rec, &l);
    for (uint32_t i = 0; i < MESSAGES; i++)
        driver_end_free(driver_end(d, i + 1, true));
    for (int i = 0; i < 100; i++) { /* no messages */
        driver_hang_up(d);
        msg_free(MSG_AGENT, driver_greet(d));
        assert_int_equal(write(d->fd, "nonsense of enough bytes for a header", 37), 37);
        assert_null(driver_wait(d, MSG_PONG, NULL, NULL, DRIVER_WAIT_MS)); /* closed */
    }
    assert_in_range(count_lines(d, ""), 1, LINES);
    assert_int_equal(count_lines(d, "no more of them for now"), 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {AGENT_CASE(lines_about_peers_are_bounded)};
    return agent_cases(tests, argc, argv);
}
