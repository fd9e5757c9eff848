/* common.h - what several measurements share: the clock, and a job that waits. */
#ifndef STOKER_TESTS_BENCH_COMMON_H
#define STOKER_TESTS_BENCH_COMMON_H

#include <time.h>

#include "src/base/xalloc.h"
#include "src/proto/msg.h"

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

#endif
