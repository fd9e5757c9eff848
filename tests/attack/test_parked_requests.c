/* test_parked_requests.c - requests that wait for the history keep scripts of megabytes in the
 * controller's memory: one user has 16 MiB of them, all users together have 64. The history gives no
 * answer until the test lets the controller go on. */
#include <unistd.h>

#include "backend/control/clients/session.h"
#include "backend/control/history_deps.h"

#include "tests/lib/check.h"
#include "tests/lib/live_lab.h"

#define MIB        ((size_t)1 << 20)
#define OF_A_USER  4 /* requests of 4 MiB that may wait */
#define OF_ALL     16
#define N_USERS    6
#define N_REQUESTS 32
#define TRIES      60000 /* a millisecond each, for the store's thread */
#define GONE       77    /* a job of an earlier controller, of which the history alone may know */

struct mono mono_read(void)
{
    return live_mono();
}

struct wall wall_read(void)
{
    return live_wall();
}

static struct live_lab lab;
static struct user_quota quotas[N_USERS];
static struct session sessions[N_USERS];
static struct parked requests[N_REQUESTS];
static size_t n_requests, n_resumed, n_released;

static void note_resumed(struct parked *p)
{
    (void)p;
    n_resumed++;
}

static void note_released(struct parked *p)
{
    (void)p;
    n_released++;
}

static void begin(void)
{
    static const struct live_node nodes[] = {{.name = "n1", .cpus = 4, .mem_gib = 16}};
    live_open(&lab, nodes, N_OF(nodes), "partitions = ( { name = \"main\"; nodes = \"n1\"; } );");
    lab.control->model.next_job = GONE + 1;
    for (size_t i = 0; i < N_USERS; i++) {
        quotas[i] = (struct user_quota){.uid = (uint32_t)(1000 + i)};
        byte_budget_init(&quotas[i].conns, 64 * MIB);
        sessions[i] = (struct session){.ctl = lab.control, .quota = &quotas[i], .uid = quotas[i].uid};
    }
    n_requests = n_resumed = n_released = 0;
}

/* All that wait are answered, and nothing of them is counted any more. */
static void end(void)
{
    for (int i = 0; i < TRIES && n_released < n_requests; i++) {
        usleep(1000);
        live_play(&lab, 1);
    }
    assert_int_equal(n_resumed, n_requests);
    assert_int_equal(n_released, n_requests);
    for (size_t i = 0; i < N_USERS; i++) {
        assert_int_equal(quotas[i].parked_bytes, 0);
        assert_int_equal(quotas[i].conns.used, 0);
    }
    live_close(&lab);
}

/* How many of n requests, each of that size, may wait; the others are refused. */
static size_t park(struct session *s, size_t n, size_t bytes)
{
    size_t waiting = 0;
    for (size_t i = 0; i < n; i++) {
        struct parked *p = &requests[n_requests];
        *p = (struct parked){.session = s,
                             .dependency = "afterany:77",
                             .size = bytes,
                             .resume = note_resumed,
                             .release = note_released};
        enum history_wait w = history_deps_wait(lab.control, p);
        assert_true(w == HISTORY_PARKED || w == HISTORY_FULL);
        waiting += w == HISTORY_PARKED;
        n_requests += w == HISTORY_PARKED;
    }
    return waiting;
}

static void a_user_has_16_mib(void **unused)
{
    (void)unused;
    begin();
    assert_int_equal(park(&sessions[0], OF_A_USER + 3, 4 * MIB), OF_A_USER);
    assert_int_equal(park(&sessions[0], 1, 1), 0);
    assert_int_equal(park(&sessions[1], 1, 4 * MIB), 1);
    end();
}

/* Many small ones count as well; to the byte. */
static void small_requests_count(void **unused)
{
    (void)unused;
    begin();
    assert_int_equal(park(&sessions[0], 3, 4 * MIB), 3);
    assert_int_equal(park(&sessions[0], 1, 4 * MIB - 2), 1);
    assert_int_equal(park(&sessions[0], 3, 1), 2);
    end();
}

/* A request that is larger than the bound is taken where it is the only one. */
static void one_request_always_waits(void **unused)
{
    (void)unused;
    begin();
    assert_int_equal(park(&sessions[0], 2, 17 * MIB), 1);
    end();
}

static void all_users_have_64_mib(void **unused)
{
    (void)unused;
    begin();
    size_t n = 0;
    for (size_t i = 0; i < N_USERS; i++)
        n += park(&sessions[i], OF_A_USER, 4 * MIB);
    assert_int_equal(n, OF_ALL);
    end();
}

static void an_administrator_has_what_all_have(void **unused)
{
    (void)unused;
    begin();
    sessions[0].admin = true;
    assert_int_equal(park(&sessions[0], OF_ALL + 1, 4 * MIB), OF_ALL);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_has_16_mib),
        cmocka_unit_test(small_requests_count),
        cmocka_unit_test(one_request_always_waits),
        cmocka_unit_test(all_users_have_64_mib),
        cmocka_unit_test(an_administrator_has_what_all_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
