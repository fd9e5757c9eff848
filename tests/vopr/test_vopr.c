/* test_vopr.c - the controller and its store in simulated worlds, seed by seed.
 *
 * test-timeout: 600
 *
 *   test_vopr                     with STOKER_TEST_SEED=1 (make test) the fixed seeds, one of them twice;
 *                                 with another the worlds from that seed on, without one (make seeds) from
 * a new seed on, for a minute test_vopr SECONDS [SEED]      worlds from SEED on (any: a new one), until one
 * fails or the time is over test_vopr 0 SEED              this world alone
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/log.h"
#include "tests/vopr/sim_vfs.h"
#include "tests/vopr/sim_world.h"

#define FIXED_SEEDS 40
#define REPLAYS     3 /* of the first of them */
#define SECONDS     60

/* The machine's own time, which no world can see. */
static double real_seconds(void)
{
    struct timespec ts;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static uint64_t new_seed(void)
{
    struct timespec ts;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &ts);
    return (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
}

static struct world_result play(uint64_t seed)
{
    struct world_result r;
    double start = real_seconds();
    world_play(seed, &r);
    printf("seed %llu: %016llx  %d virtual minutes, %u crashes, %u of power, %u damages, %u reboots, %u "
           "submissions, %u runs, %u audits, %u mirrors, %.2f s\n",
           (unsigned long long)seed, (unsigned long long)r.hash, (int)(r.virtual_ms / 60000), r.crashes,
           r.power_losses, r.damages, r.reboots, r.submissions, r.runs, r.audits, r.compared,
           real_seconds() - start);
    fflush(stdout);
    return r;
}

/* Something of the machine still reaches the worlds: now and then one of these differs (and below valgrind
 * each does). A world that differs from itself three times depends on more than that. */
static bool play_again_is_alike(const struct world_result *r)
{
    for (int i = 0; i < REPLAYS; i++)
        if (play(1).hash == r->hash)
            return true;
    return false;
}

static int play_fixed(void)
{
    for (uint64_t seed = 1; seed <= FIXED_SEEDS; seed++) {
        struct world_result r = play(seed);
        if (seed == 1 && !play_again_is_alike(&r)) {
            printf("FAIL: seed 1 has two histories\n");
            return 1;
        }
    }
    return 0;
}

static int play_on(double seconds, uint64_t seed)
{
    double end = real_seconds() + seconds;
    do
        play(seed++);
    while (real_seconds() < end);
    return 0;
}

static char *dir;

static void remove_dir(void)
{
    world_clear();
    rmdir(dir);
    free(dir);
}

/* In memory where there is such a file system: nothing here is meant to outlast the program. */
static void make_dir(void)
{
    const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
    dir = xasprintf("%s/vopr.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir) || chdir(dir) < 0) {
        perror(dir);
        exit(1);
    }
    atexit(remove_dir);
}

int main(int argc, char **argv)
{
    int null = open("/dev/null", O_WRONLY);
    make_dir();
    unsetenv("STOKER_BEAT_MS");
    log_open("stokerd", getenv("VOPR_LOG") ? -1 : null, LOG_LVL_INFO);
    sim_vfs_install();
    const char *seed = argc > 2 ? argv[2] : argc > 1 ? "any" : getenv("STOKER_TEST_SEED");
    uint64_t first = seed && strcmp(seed, "any") != 0 ? strtoull(seed, NULL, 10) : new_seed();
    return argc < 2 && first == 1 ? play_fixed() : play_on(argc > 1 ? atof(argv[1]) : SECONDS, first);
}
