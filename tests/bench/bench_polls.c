/* bench_polls.c - what many polling clients cost a client that submits.
 *
 *     bench_polls [-c CLIENTS] [-r PER_SECOND] [-s SECONDS] [-n JOBS]
 *
 * CLIENTS processes ask what `squeue` asks, PER_SECOND times a second each, over a connection of its own
 * every time, as `squeue` does; beside them jobs are submitted one after the other, each as `sbatch` does
 * it, for SECONDS. Prints the milliseconds of a submission (median, 99 of 100, worst) and how often the
 * lookers could look. JOBS held ones are in the queue from the start.
 *
 * What the controller does to a client that submits is one thing, what a machine with a hundred more
 * processes that want its CPUs does is another. So it is measured twice: while the lookers leave the CPUs
 * to anybody else who wants them (nice 19), and while they do not; and each time beside the submissions a
 * byte goes to a process that does nothing else and back, which takes as long as the machine alone makes
 * it.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/common.h"

/* --- one who looks --- */

static void count_row(void *ctx, const struct job *j)
{
    (void)j;
    ++*(size_t *)ctx;
}

static void look(void)
{
    struct msg_get get = {.what = GET_SPEC | GET_JOBS,
                          .states = 1u << JOB_PENDING | 1u << JOB_RUNNING | 1u << JOB_COMPLETING,
                          .job_members = 0xff,
                          .req_members = 1};
    struct client *c;
    struct model m;
    size_t rows = 0;
    if (client_connect("squeue", CLIENT_EAGER, &c, NULL) < 0)
        return;
    model_init(&m);
    if (client_each_job(c, &get, &m, count_row, &rows, NULL) < 0)
        rows = 0;
    model_fini(&m);
    client_free(c);
}

static _Noreturn void looker(unsigned per_second, double begin_ms, uint32_t *looks)
{
    double step = 1e3 / per_second, at = begin_ms + (double)(rand() % 1000) / 1e3 * step;
    for (;; at += step) {
        sleep_until(at);
        if (at < now_ms() - step)
            at = now_ms(); /* late: what was missed is missed */
        look();
        ++*looks;
    }
}

/* --- the machine alone --- */

/* Answers every byte with itself. */
static int start_echo(void)
{
    int pair[2];
    char c;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        fail("socketpair", "");
    if (fork() == 0) {
        close(pair[0]);
        while (read(pair[1], &c, 1) == 1 && write(pair[1], &c, 1) == 1)
            ;
        _exit(0);
    }
    close(pair[1]);
    return pair[0];
}

static void echo(int fd)
{
    char c = 'x';
    if (write(fd, &c, 1) != 1 || read(fd, &c, 1) != 1)
        fail("echo", "");
}

/* At most 50 a second: the queue is to stay about as long as it is. */
static void measure(const char *what, double seconds, int echo_fd)
{
    struct times took = {VEC_INIT}, echoes = {VEC_INIT};
    struct msg_submit m;
    make_submit(&m, "/tmp");
    for (double end = now_ms() + seconds * 1e3, t; (t = now_ms()) < end; sleep_until(t + 20)) {
        submit(&m);
        double t1 = now_ms();
        vec_push(&took.v, t1 - t);
        sleep_until(t + 10);
        t1 = now_ms();
        echo(echo_fd);
        vec_push(&echoes.v, now_ms() - t1);
    }
    rec_fini(&msg_submit_rec, &m);
    print_times(what, &took);
    print_times("  a byte to an idle process and back", &echoes);
}

struct lookers {
    unsigned n, per_second;
    uint32_t *looks; /* of each: shared with it */
    pid_t *pids;
};

static void lookers_start(struct lookers *l, bool polite)
{
    double begin = now_ms() + 100;
    memset(l->looks, 0, l->n * sizeof *l->looks);
    for (unsigned i = 0; i < l->n; i++) {
        srand(i);
        l->pids[i] = fork();
        if (l->pids[i] == 0) {
            if (polite && nice(19) < 0)
                fail("nice", "");
            looker(l->per_second, begin, &l->looks[i]);
        }
    }
    sleep_until(begin + 500);
}

static uint64_t lookers_count(const struct lookers *l)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < l->n; i++)
        sum += l->looks[i];
    return sum;
}

static void lookers_stop(struct lookers *l)
{
    for (unsigned i = 0; i < l->n; i++)
        kill(l->pids[i], SIGKILL);
    for (unsigned i = 0; i < l->n; i++)
        waitpid(l->pids[i], NULL, 0);
}

static void measure_beside(struct lookers *l, bool polite, double seconds, int echo_fd)
{
    char what[80];
    snprintf(what, sizeof what, "submissions, %u look %u times a second%s", l->n, l->per_second,
             polite ? ", nice" : "");
    lookers_start(l, polite);
    uint64_t before = lookers_count(l);
    double t = now_ms();
    measure(what, seconds, echo_fd);
    printf("%-50s %.0f a second, of %u wanted\n", "  looks that were answered",
           (double)(lookers_count(l) - before) / (now_ms() - t) * 1e3, l->n * l->per_second);
    lookers_stop(l);
}

int main(int argc, char **argv)
{
    unsigned clients = 100, per_second = 10, jobs = 200;
    double seconds = 10;
    for (int o; (o = getopt(argc, argv, "c:r:s:n:")) != -1;)
        switch (o) {
        case 'c': clients = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'r': per_second = (unsigned)strtoul(optarg, NULL, 10); break;
        case 's': seconds = strtod(optarg, NULL); break;
        case 'n': jobs = (unsigned)strtoul(optarg, NULL, 10); break;
        default: return 2;
        }
    struct msg_submit m;
    make_submit(&m, "/tmp");
    for (unsigned i = 0; i < jobs; i++)
        submit(&m);
    rec_fini(&msg_submit_rec, &m);
    struct lookers l = {.n = clients, .per_second = per_second, .pids = xcalloc(clients, sizeof *l.pids)};
    l.looks =
        mmap(NULL, clients * sizeof *l.looks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (l.looks == MAP_FAILED)
        fail("mmap", "");
    int echo_fd = start_echo();
    measure("submissions, no polls", seconds / 2, echo_fd);
    measure_beside(&l, true, seconds, echo_fd);
    measure_beside(&l, false, seconds, echo_fd);
    close(echo_fd);
    free(l.pids);
    while (wait(NULL) > 0)
        ;
    return 0;
}
