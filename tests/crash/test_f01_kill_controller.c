/* test_f01_kill_controller.c - F01, F02, F03: the controller is killed at 200 points of a run of 500 jobs.
 *
 * Four clients submit; each repeats an unanswered submission with its request id. The controller dies at
 * random times or at the named points around a commit (before it, after it, after the replies, after the
 * launches), and is started again. In the end: every acknowledged job is there and has ended well, none has
 * run twice, no id was given twice, each request made one job, and what is on disk is whole.
 *
 * test-timeout: 900
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/idmap.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define N_KILLS   200
#define N_JOBS    500
#define N_CLIENTS 4
#define DONE_MS   240000
#define MEASURE \
    8 /* lives after which it is measured again how long a start takes: others use the machine too */

/* Between the test and its clients. */
static struct shared {
    _Atomic uint32_t kills;
    _Atomic uint32_t repeats;     /* submissions that had to be made again */
    _Atomic uint32_t ids[N_JOBS]; /* acknowledged */
} * shared;

static const char script[] = "#!/bin/sh\n"
                             "echo \"$SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0} $$\" >>ledger\n";

/* Job k is submitted once its share of the kills has been had, so that the run lasts as long as they do. */
static bool is_due(void *ctx)
{
    uint32_t k = *(const uint32_t *)ctx;
    return shared->kills >= k * (N_KILLS - 10) / N_JOBS;
}

static void client_main(uint32_t number)
{
    struct client *c = cluster_connect();
    for (uint32_t k = number; k < N_JOBS; k += N_CLIENTS) {
        char request[32];
        snprintf(request, sizeof request, "request-%u", k);
        if (!cluster_eventually(120000, 2, is_due, &k))
            _exit(1);
        uint32_t id = 0;
        while (cluster_submit(c, request, script, &id) < 0) {
            shared->repeats++;
            client_free(c);
            c = cluster_connect();
        }
        shared->ids[k] = id;
    }
    client_free(c);
    _exit(0);
}

static pid_t start_client(uint32_t number)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        client_main(number);
    return pid;
}

/* Dies by itself at a named point or is killed after a while, whichever is first. */
static void one_life(uint64_t *seed, int64_t start_ms)
{
    static const char *const points[] = {"before_commit", "after_commit", "after_reply", "after_launch"};
    char crash[64];
    uint64_t r = check_rand(seed);
    snprintf(crash, sizeof crash, "%s:%u", points[r % N_OF(points)], (unsigned)(1 + (r >> 8) % 12));
    pid_t pid = cluster_spawn((r >> 32) % 3 ? crash : NULL);
    int64_t end =
        cluster_now_ms() + start_ms - start_ms / 4 + (int64_t)((r >> 40) % (80 + (uint64_t)start_ms));
    int status;
    while (waitpid(pid, &status, WNOHANG) == 0 && cluster_now_ms() < end)
        poll(NULL, 0, 1);
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
}

/* Lines "JOB RESTARTS PID": how often each job has run. */
static void check_ledger(const struct model *m)
{
    FILE *f = fopen("ledger", "r");
    assert_non_null(f);
    struct idmap runs = {0};
    unsigned job, restarts, pid;
    while (fscanf(f, "%u %u %u", &job, &restarts, &pid) == 3) {
        if (idmap_get(&runs, job))
            fail_msg("job %u has run twice", job);
        if (restarts)
            fail_msg("job %u was restarted", job);
        idmap_set(&runs, job, m->uuid);
    }
    fclose(f);
    list_for_each (j, &m->all, struct job, in_all)
        if (!idmap_get(&runs, j->id))
            fail_msg("job %u never ran", j->id);
    check_int("ledger", runs.n, N_JOBS);
    idmap_fini(&runs);
}

static void check_state(const struct model *m)
{
    struct idmap seen = {0};
    for (uint32_t k = 0; k < N_JOBS; k++) {
        uint32_t id = shared->ids[k];
        const struct job *j = model_get_job(m, id);
        char name[32];
        snprintf(name, sizeof name, "request-%u", k);
        if (!j)
            fail_msg("[%s] acknowledged as job %u, which is not there", name, id);
        if (idmap_get(&seen, id))
            fail_msg("[%s] job %u was given to another request too", name, id);
        idmap_set(&seen, id, shared);
        check_str(name, j->request_id, name);
        check_int(name, j->state, JOB_COMPLETED);
        check_int(name, j->exit_code, 0);
        check_int(name, j->restarts, 0);
    }
    check_int("jobs", m->n_ended, N_JOBS);
    idmap_fini(&seen);
}

static void test_kill_controller(void **state)
{
    (void)state;
    uint64_t seed = check_seed();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    cluster_configure(32, 32, 0);
    int64_t start_ms = 0;
    pid_t clients[N_CLIENTS];
    for (uint32_t i = 0; i < N_CLIENTS; i++)
        clients[i] = start_client(i);
    while (shared->kills < N_KILLS) {
        if (shared->kills % MEASURE == 0)
            start_ms = cluster_start_ms();
        one_life(&seed, start_ms);
        shared->kills++;
    }
    printf("%u submissions were repeated\n", shared->repeats);
    if (shared->repeats < N_JOBS / 20)
        fail_msg("hardly any submission met a dying controller: this has tested nothing");
    pid_t controller = cluster_spawn(NULL);
    for (uint32_t i = 0; i < N_CLIENTS; i++) {
        int status;
        assert_int_equal(waitpid(clients[i], &status, 0), clients[i]);
        check_int("client", status, 0);
    }
    struct client *c = cluster_connect();
    if (!cluster_eventually(DONE_MS, 50, cluster_is_empty, c))
        fail_msg("jobs are left");
    struct model m;
    cluster_fetch(c, &m);
    client_free(c);
    check_state(&m);
    check_ledger(&m);
    model_fini(&m);
    cluster_stop(controller);
    cluster_load(&m);
    check_state(&m);
    check_int("epoch", m.epoch > N_KILLS / 3, true);
    model_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kill_controller)};
    const char *tmp = getenv("TMPDIR");
    if (!tmp || chdir(tmp) < 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
