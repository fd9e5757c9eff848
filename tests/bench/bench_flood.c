/* bench_flood.c - what one user's flood costs another user who submits.
 *
 *     bench_flood [-c CLIENTS] [-s SECONDS] [-f FLOODER] [-u USER]
 *
 * CLIENTS processes of user number FLOODER submit as fast as they are answered, each with a hundred
 * submissions on the way; then they look (what `squeue` asks) without a pause, then they connect and go
 * again. Beside each, USER submits one job after the other, every time as `sbatch` does it. Prints the
 * milliseconds of those (median, 99 of 100, worst), and how much the flood was answered a second. As root,
 * with a controller for all users; the flood leaves the CPUs to other processes (nice 19).
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/common.h"

#define ON_THE_WAY 100

static void become(uid_t uid, int niceness)
{
    if (setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0 || (niceness && nice(niceness) < 0))
        fail("become", "only root can become another user");
}

/* --- the flood; *n counts what was answered --- */

static void flood_submits(struct client *c, uint64_t *n)
{
    struct msg_submit m;
    struct incoming in;
    make_submit(&m, "/tmp");
    for (uint64_t sent = 0, answered = 0;; answered++, ++*n) {
        for (; sent < answered + ON_THE_WAY; sent++) {
            free(m.request_id);
            m.request_id = client_request_id();
            if (client_send(c, MSG_SUBMIT, &m, NULL, NULL) < 0)
                fail("flood", "no more is taken");
        }
        if (client_next(c, -1, &in, NULL) < 0)
            fail("flood", "no answer");
        msg_free(in.kind, in.body);
    }
}

static void count_row(void *ctx, const struct job *j)
{
    (void)j;
    ++*(size_t *)ctx;
}

static void flood_looks(struct client *c, uint64_t *n)
{
    struct msg_get get = {.what = GET_SPEC | GET_JOBS,
                          .states = 1u << JOB_PENDING | 1u << JOB_RUNNING | 1u << JOB_COMPLETING,
                          .job_members = 0xff,
                          .req_members = 1};
    for (uint32_t i = 0;; i++, ++*n) {
        struct model m;
        size_t rows = 0;
        model_init(&m);
        get.req_members = i % 64 + 1; /* no two ask the same for long: no answer serves many */
        if (client_each_job(c, &get, &m, count_row, &rows, NULL) < 0)
            fail("flood", "no rows");
        model_fini(&m);
    }
}

static void flood_connections(struct client *c, uint64_t *n)
{
    for (client_free(c);; ++*n) {
        if (client_connect("flood", 0, &c, NULL) == 0)
            client_free(c);
    }
}

/* --- the one beside it --- */

static _Noreturn void measure(uid_t user, const char *what, double seconds)
{
    struct times took = {VEC_INIT};
    struct msg_submit m;
    become(user, 0);
    make_submit(&m, "/tmp");
    for (double end = now_ms() + seconds * 1e3, t; (t = now_ms()) < end; sleep_until(t + 20)) {
        submit(&m);
        vec_push(&took.v, now_ms() - t);
    }
    print_times(what, &took);
    rec_fini(&msg_submit_rec, &m);
    exit(0);
}

struct flood {
    const char *what;
    void (*fn)(struct client *c, uint64_t *n);
};

static pid_t start(uid_t uid, const struct flood *f, uint64_t *n)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    struct client *c;
    become(uid, 19);
    struct errtext err = {0};
    if (client_connect("flood", 0, &c, &err) < 0)
        fail("connect", err.s);
    f->fn(c, n);
    exit(0);
}

static void beside(const struct flood *f, uid_t flooder, uid_t user, unsigned clients, double seconds,
                   uint64_t *counts)
{
    char what[80];
    pid_t *pids = xcalloc(clients, sizeof *pids);
    memset(counts, 0, clients * sizeof *counts);
    snprintf(what, sizeof what, "submissions, %u others %s", clients, f->what);
    for (unsigned i = 0; i < clients; i++)
        pids[i] = start(flooder, f, &counts[i]);
    double t = now_ms();
    sleep_until(t + 500);
    pid_t one = fork();
    if (one == 0)
        measure(user, what, seconds);
    waitpid(one, NULL, 0);
    uint64_t sum = 0;
    for (unsigned i = 0; i < clients; i++)
        sum += counts[i];
    printf("%-40s %.0f a second\n", "  and those are answered", (double)sum / (now_ms() - t) * 1e3);
    fflush(stdout);
    for (unsigned i = 0; i < clients; i++)
        kill(pids[i], SIGKILL);
    for (unsigned i = 0; i < clients; i++)
        waitpid(pids[i], NULL, 0);
    free(pids);
}

int main(int argc, char **argv)
{
    static const struct flood floods[] = {
        {"submit", flood_submits}, {"look", flood_looks}, {"connect", flood_connections}};
    unsigned clients = 50;
    uid_t flooder = 65534, user = 1;
    double seconds = 4;
    for (int o; (o = getopt(argc, argv, "c:s:f:u:")) != -1;)
        switch (o) {
        case 'c': clients = (unsigned)strtoul(optarg, NULL, 10); break;
        case 's': seconds = strtod(optarg, NULL); break;
        case 'f': flooder = (uid_t)strtoul(optarg, NULL, 10); break;
        case 'u': user = (uid_t)strtoul(optarg, NULL, 10); break;
        default: return 2;
        }
    uint64_t *counts =
        mmap(NULL, clients * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED)
        fail("mmap", "");
    pid_t quiet = fork();
    if (quiet == 0)
        measure(user, "submissions, no other user", seconds / 2);
    waitpid(quiet, NULL, 0);
    for (size_t i = 0; i < sizeof floods / sizeof floods[0]; i++)
        beside(&floods[i], flooder, user, clients, seconds, counts);
    return 0;
}
