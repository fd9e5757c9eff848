/* bench_polls.c - what many who look cost those who submit.
 *
 *     bench_polls [-c CLIENTS] [-r PER_SECOND] [-s SECONDS] [-n JOBS]
 *
 * CLIENTS processes ask what `squeue` asks, PER_SECOND times a second each, over a connection of its own
 * every time, as `squeue` does; beside them jobs are submitted one after the other, each as `sbatch` does
 * it, for SECONDS. Prints the milliseconds of a submission (median, 99 of 100, worst) and how often the
 * lookers could look. JOBS held ones are in the queue from the start.
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

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/client/client.h"

static const char script[] = "#!/bin/sh\ntrue\n";

static double now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void sleep_until(double at_ms)
{
    double left = at_ms - now_ms();
    if (left > 0)
        nanosleep(
            &(struct timespec){.tv_sec = (time_t)(left / 1e3), .tv_nsec = (long)(left * 1e6) % 1000000000L},
            NULL);
}

static _Noreturn void fail(const char *what, const char *text)
{
    fprintf(stderr, "bench_polls: %s: %s\n", what, text ? text : "");
    exit(1);
}

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

/* --- who submits --- */

static void make_submit(struct msg_submit *m)
{
    static char dir[PATH_MAX];
    *m = (struct msg_submit){.kind = JOB_KIND_BATCH, .hold = true};
    job_req_init(&m->req);
    m->req.name = xstrdup("wrap");
    m->req.workdir = xstrdup(getcwd(dir, sizeof dir));
    m->req.std_out = xstrdup("/dev/null");
    m->host = xstrdup("localhost");
    m->payload.workdir = xstrdup(dir);
    m->payload.script = (struct blob){.p = xmemdup(script, sizeof script - 1), .n = sizeof script - 1};
    m->payload.umask = 022;
}

static void submit(struct msg_submit *m)
{
    struct client *c;
    struct errtext err = {0};
    enum msg_kind kind;
    void *body;
    free(m->request_id);
    m->request_id = client_request_id();
    if (client_connect("sbatch", 0, &c, &err) < 0 || client_call(c, MSG_SUBMIT, m, &kind, &body, &err) < 0)
        fail("submit", err.s);
    const struct msg_result *r = body;
    if (kind != MSG_RESULT || r->refusal != REFUSAL_NONE)
        fail("refused", kind == MSG_RESULT ? r->text : "");
    msg_free(kind, body);
    client_free(c);
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

struct times {
    VEC(double) v;
};

static void measure(const char *what, double seconds)
{
    struct times took = {VEC_INIT};
    struct msg_submit m;
    make_submit(&m);
    for (double end = now_ms() + seconds * 1e3, t; (t = now_ms()) < end;) {
        submit(&m);
        vec_push(&took.v, now_ms() - t);
        sleep_until(t + 20); /* at most 50 a second: the queue is to stay about as long as it is */
    }
    rec_fini(&msg_submit_rec, &m);
    qsort(took.v.v, took.v.n, sizeof took.v.v[0], compare);
    printf("%-44s median %.2f ms, 99 of 100 %.2f ms, worst %.2f ms, of %zu\n", what, took.v.v[took.v.n / 2],
           took.v.v[took.v.n * 99 / 100], took.v.v[took.v.n - 1], took.v.n);
    fflush(stdout);
    vec_fini(&took.v);
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
    make_submit(&m);
    for (unsigned i = 0; i < jobs; i++)
        submit(&m);
    rec_fini(&msg_submit_rec, &m);
    measure("submissions, nobody looks", seconds / 2);
    uint32_t *looks =
        mmap(NULL, clients * sizeof *looks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t *pids = xcalloc(clients, sizeof *pids);
    if (looks == MAP_FAILED)
        fail("mmap", "");
    double begin = now_ms() + 100;
    for (unsigned i = 0; i < clients; i++) {
        srand(i);
        pids[i] = fork();
        if (pids[i] == 0)
            looker(per_second, begin, &looks[i]);
    }
    sleep_until(begin + 500);
    char what[64];
    snprintf(what, sizeof what, "submissions, %u look %u times a second", clients, per_second);
    uint64_t before = 0, after = 0;
    double t = now_ms();
    for (unsigned i = 0; i < clients; i++)
        before += looks[i];
    measure(what, seconds);
    for (unsigned i = 0; i < clients; i++)
        after += looks[i];
    printf("%-44s %.0f a second, of %u wanted\n", "looks that were answered",
           (double)(after - before) / (now_ms() - t) * 1e3, clients * per_second);
    for (unsigned i = 0; i < clients; i++)
        kill(pids[i], SIGKILL);
    while (wait(NULL) > 0)
        ;
    return 0;
}
