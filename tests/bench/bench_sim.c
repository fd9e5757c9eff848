/* How long the simulator takes for the real traces in the folder $STOKER_TRACES, or for a made-up one. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "backend/sim/procs.h"
#include "src/base/xalloc.h"
#include "tests/bench/common.h"

static int measure(const char *path, enum procs_policy policy)
{
    struct swf s;
    struct procs_trace t;
    struct errtext err = {""};
    double t0 = now_ms();
    int rc = swf_read(path, &s, &err);
    if (rc == 0) {
        rc = procs_trace_init(&t, &s, 0, &err);
        swf_fini(&s);
    }
    if (rc < 0) {
        fprintf(stderr, "bench_sim: %s\n", err.s);
        return 1;
    }
    double read = now_ms() - t0;
    procs_run(&t, policy, NULL);
    double ran = now_ms() - t0 - read;
    printf("%-60s %-7s %7zu jobs: read %6.1f ms, simulated %8.1f ms, %.0f jobs/s\n", path,
           procs_policy_name(policy), t.jobs.n, read, ran, (double)t.jobs.n * 1000 / ran);
    procs_trace_fini(&t);
    return 0;
}

int main(void)
{
    static const char *const traces[] = {"KTH-SP2-1996-2", "SDSC-SP2-sc15", "SDSC-BLUE-2000-4.2-cln"};
    const char *folder = getenv("STOKER_TRACES");
    int rc = 0;
    size_t n = 0;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        char *path = xasprintf("%s/%s.swf.gz", folder ? folder : ".", traces[i]);
        for (int p = 0; p < PROCS_N_POLICIES && access(path, R_OK) == 0; p++, n++)
            rc |= measure(path, (enum procs_policy)p);
        free(path);
    }
    for (int p = 0; p < PROCS_N_POLICIES && !n; p++)
        rc |= measure("tests/sim/data/synthetic.swf", (enum procs_policy)p);
    return rc;
}
