/* bench_agent.c - launches per second through one agent: frame in, shim, process, end record,
 * acknowledgement.
 *
 * bench_agent [TASKS [IN_FLIGHT [CPUS [MEMORY-MIB]]]], the last two for each task, 0: it names none
 */
#include <sys/resource.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_driver.h"
#include "tests/lib/check.h"

static struct alloc each;

static double now_s(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void launch(struct driver *d, uint32_t job, const char *script)
{
    struct launch l;
    driver_launch_init(d, &l, job, "");
    strv_fini(&l.argv);
    l.alloc.cpus = each.cpus;
    l.alloc.mem_mib = each.mem_mib;
    if (script) {
        l.script = (struct blob){.p = (uint8_t *)xstrdup(script), .n = strlen(script)};
        free(l.ranks.v[0].std_out);
        free(l.ranks.v[0].std_err);
        l.ranks.v[0].std_out = xstrdup("shared.out");
        l.ranks.v[0].std_err = xstrdup("shared.out");
        l.append = true;
    } else {
        strv_push(&l.argv, "/bin/true");
        free(l.ranks.v[0].std_out);
        free(l.ranks.v[0].std_err);
        l.ranks.v[0].std_out = xstrdup("/dev/null");
        l.ranks.v[0].std_err = xstrdup("/dev/null");
    }
    /* About what a job's environment is. */
    for (int i = 0; i < 60; i++)
        strv_setenvf(&l.env, (char[]){'V', (char)('A' + i / 10), (char)('0' + i % 10), '\0'}, "%040d", i);
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
}

static void measure(struct driver *d, const char *name, uint32_t first, uint32_t n, uint32_t in_flight,
                    const char *script)
{
    double t0 = now_s();
    uint32_t sent = 0;
    for (uint32_t done = 0; done < n;) {
        while (sent < n && sent - done < in_flight)
            launch(d, first + sent++, script);
        struct launch_end *e = driver_wait(d, MSG_TASK_END, NULL, NULL, DRIVER_WAIT_MS);
        if (!e || e->end_kind != END_EXITED || e->ranks.v[0].code) {
            fprintf(stderr, "a task failed: %s\n", e && e->message ? e->message : "?");
            exit(1);
        }
        driver_send(d, MSG_END_ACK, 0, &e->key);
        msg_free(MSG_TASK_END, e);
        for (struct launch_status *s; (s = driver_wait(d, MSG_TASK_RUNNING, NULL, NULL, 0));)
            msg_free(MSG_TASK_RUNNING, s);
        done++;
    }
    double s = now_s() - t0;
    printf("%-24s %5u in flight %8.0f tasks/s %8.3f ms each\n", name, in_flight, n / s, s * 1000 / n);
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000,
             in_flight = argc > 2 ? (uint32_t)atoi(argv[2]) : 32;
    cpuset_add_range(&each.cpus, 0, argc > 3 ? (unsigned)atoi(argv[3]) : 0);
    each.mem_mib = argc > 4 ? (uint64_t)atoi(argv[4]) : 0;
    static struct driver d;
    driver_init(&d);
    driver_connect(&d);
    measure(&d, "true, one at a time", 1, n / 4 ? n / 4 : 1, 1, NULL);
    measure(&d, "true", 100000, n, in_flight, NULL);
    measure(&d, "bash script of one line", 200000, n, in_flight, "#!/bin/bash\n:\n");
    driver_fini(&d);
    return 0;
}
