/* common.h - what several measurements share: the clock, a job that waits, times in a row. */
#ifndef STOKER_TESTS_BENCH_COMMON_H
#define STOKER_TESTS_BENCH_COMMON_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/client/client.h"
#include "src/proto/msg.h"

static inline _Noreturn void fail(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, text ? text : "");
    exit(1);
}

static inline double now_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* at_ms: as now_ms tells it. */
static inline void sleep_until(double at_ms)
{
    double left = at_ms - now_ms();
    struct timespec ts = {.tv_sec = (time_t)(left / 1e3), .tv_nsec = (long)(left * 1e6) % 1000000000L};
    if (left > 0)
        nanosleep(&ts, NULL);
}

/* The submission of a held job of a script of one line. */
static inline void make_submit(struct msg_submit *m, const char *dir)
{
    static const char script[] = "#!/bin/sh\ntrue\n";
    *m = (struct msg_submit){.kind = JOB_KIND_BATCH, .hold = true};
    job_req_init(&m->req);
    m->req.name = xstrdup("wrap");
    m->req.workdir = xstrdup(dir);
    m->req.std_out = xstrdup("/dev/null");
    m->host = xstrdup("localhost");
    m->payload.workdir = xstrdup(dir);
    m->payload.script = (struct blob){.p = xmemdup(script, sizeof script - 1), .n = sizeof script - 1};
    m->payload.umask = 022;
}

/* As sbatch does it: connects, submits, is answered, hangs up. */
static inline void submit(struct msg_submit *m)
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

/* For qsort of doubles. */
static inline int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

struct times {
    VEC(double) v; /* milliseconds */
};

/* Tells them in a line, and forgets them. */
static inline void print_times(const char *what, struct times *took)
{
    size_t n = took->v.n;
    qsort(took->v.v, n, sizeof took->v.v[0], compare);
    printf("%-50s median %.2f ms, 99 of 100 %.2f ms, worst %.2f ms, of %zu\n", what, took->v.v[n / 2],
           took->v.v[n * 99 / 100], took->v.v[n - 1], n);
    fflush(stdout);
    vec_fini(&took->v);
}

#endif
