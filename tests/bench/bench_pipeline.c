/* bench_pipeline.c - submissions per second over one connection, many of them on the way at once.
 *
 *     bench_pipeline [-n JOBS] [-w ON_THE_WAY] [-H]      -H: held jobs
 *
 * Every job is what sbatch would send of this environment and of a script of one line. Prints "RATE": jobs
 * per second, each acknowledged, which means on disk.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/client/client.h"

extern char **environ;

static const char script[] = "#!/bin/sh\ntrue\n";

static double now_s(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static _Noreturn void fail(const char *what, const char *text)
{
    fprintf(stderr, "bench_pipeline: %s: %s\n", what, text ? text : "");
    exit(1);
}

static void make_submit(struct msg_submit *m, bool hold)
{
    static char dir[PATH_MAX];
    *m = (struct msg_submit){.kind = JOB_KIND_BATCH, .hold = hold};
    job_req_init(&m->req);
    m->req.name = xstrdup("wrap");
    m->req.workdir = xstrdup(getcwd(dir, sizeof dir));
    m->req.std_out = xstrdup("/dev/null");
    m->host = xstrdup("localhost");
    m->command = xstrdup("true");
    m->payload.workdir = xstrdup(dir);
    m->payload.script = (struct blob){.p = xmemdup(script, sizeof script - 1), .n = sizeof script - 1};
    m->payload.umask = 022;
    for (char **e = environ; *e; e++)
        strv_push(&m->payload.env, *e);
}

static void send_one(struct client *c, struct msg_submit *m)
{
    uint64_t tag;
    struct errtext err = {0};
    free(m->request_id);
    m->request_id = client_request_id();
    if (client_send(c, MSG_SUBMIT, m, &tag, &err) < 0)
        fail("send", err.s);
}

static void take_answer(struct client *c)
{
    struct incoming in;
    struct errtext err = {0};
    if (client_next(c, -1, &in, &err) < 0)
        fail("no answer", err.s);
    const struct msg_result *r = in.body;
    if (in.kind != MSG_RESULT || r->refusal != REFUSAL_NONE)
        fail("refused", in.kind == MSG_RESULT ? r->text : msg_name(in.kind));
    msg_free(in.kind, in.body);
}

int main(int argc, char **argv)
{
    size_t n = 100000, on_the_way = 1000, sent = 0;
    bool hold = false;
    for (int o; (o = getopt(argc, argv, "n:w:H")) != -1;) {
        if (o == 'n')
            n = strtoul(optarg, NULL, 10);
        else if (o == 'w')
            on_the_way = strtoul(optarg, NULL, 10);
        else if (o == 'H')
            hold = true;
        else
            return 2;
    }
    struct client *c;
    struct errtext err = {0};
    if (client_connect("bench", 0, &c, &err) < 0)
        fail("connect", err.s);
    struct msg_submit m;
    make_submit(&m, hold);
    double t0 = now_s();
    for (size_t answered = 0; answered < n; answered++) {
        while (sent < n && sent - answered < on_the_way) {
            send_one(c, &m);
            sent++;
        }
        take_answer(c);
    }
    printf("%.0f\n", (double)n / (now_s() - t0));
    rec_fini(&msg_submit_rec, &m);
    client_free(c);
    return 0;
}
