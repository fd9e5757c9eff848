/* bench_loop.c - runs a command again and again and says how long it took.
 *
 *     bench_loop [-n TIMES] [-p AT_ONCE] [-o FILE] [-v] -- COMMAND [ARG...]
 *
 * Prints "RATE MEDIAN MIN MAX": commands per second, and the milliseconds of one; with -v a line with the
 * milliseconds of each instead. The command's standard output goes to FILE (/dev/null). Fails where a
 * command failed.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/bench/common.h"

extern char **environ;

struct slot {
    pid_t pid;
    double t0;
};

static void start(struct slot *s, const posix_spawn_file_actions_t *fa, char **argv)
{
    s->t0 = now_ms();
    int r = posix_spawnp(&s->pid, argv[0], fa, NULL, argv, environ);
    if (r) {
        fprintf(stderr, "bench_loop: %s: %s\n", argv[0], strerror(r));
        exit(1);
    }
}

static struct slot *find_slot(struct slot *s, pid_t pid)
{
    while (s->pid != pid)
        s++;
    return s;
}

static void print(double *took, size_t n, double total_ms, bool each)
{
    if (each) {
        for (size_t i = 0; i < n; i++)
            printf("%.3f\n", took[i]);
        return;
    }
    qsort(took, n, sizeof *took, compare);
    printf("%.1f %.3f %.3f %.3f\n", (double)n * 1e3 / total_ms, took[n / 2], took[0], took[n - 1]);
}

int main(int argc, char **argv)
{
    size_t n = 1, at_once = 1, started = 0, failed = 0;
    const char *out = "/dev/null";
    bool each = false;
    for (int o; (o = getopt(argc, argv, "+n:p:o:v")) != -1;) {
        if (o == 'n')
            n = strtoul(optarg, NULL, 10);
        else if (o == 'p')
            at_once = strtoul(optarg, NULL, 10);
        else if (o == 'o')
            out = optarg;
        else if (o == 'v')
            each = true;
        else
            return 2;
    }
    if (optind >= argc || !n || !at_once)
        return 2;
    posix_spawn_file_actions_t fa;
    posix_spawn_file_actions_init(&fa);
    posix_spawn_file_actions_addopen(&fa, 1, out, O_WRONLY | O_CREAT | O_APPEND, 0644);
    struct slot *slots = xcalloc(at_once, sizeof *slots);
    double *took = xcalloc(n, sizeof *took), t0 = now_ms();
    for (; started < at_once && started < n; started++)
        start(&slots[started], &fa, argv + optind);
    for (size_t ended = 0; ended < n; ended++) {
        int status = 0;
        struct slot *s = find_slot(slots, waitpid(-1, &status, 0));
        took[ended] = now_ms() - s->t0;
        failed += status != 0;
        if (started < n) {
            start(s, &fa, argv + optind);
            started++;
        }
    }
    print(took, n, now_ms() - t0, each);
    if (failed)
        fprintf(stderr, "bench_loop: %zu of %zu runs of %s failed\n", failed, n, argv[optind]);
    free(took);
    free(slots);
    posix_spawn_file_actions_destroy(&fa);
    return failed != 0;
}
