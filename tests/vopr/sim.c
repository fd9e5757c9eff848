/* sim.c - the world's clock and dice, and the calls of the C library that would look behind them. */
#include "tests/vopr/sim.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "src/base/idmap.h"
#include "src/os/clock.h"

#define START_NS   (1000 * NS_PER_S)
#define START_WALL INT64_C(1767225600000) /* 2026-01-01 */
#define LINES_KEPT 300
#define LINE_SIZE  200
#define PROCESS_ID 4242

struct sim sim;
static char lines[LINES_KEPT][LINE_SIZE];
static unsigned n_lines;
static bool traces;

/* The linker takes these for the C library's: what the product asks of the kernel is the world's to say. */

ssize_t getrandom(void *p, size_t n, unsigned flags)
{
    (void)flags;
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)p)[i] = (uint8_t)sim_random();
    return (ssize_t)n;
}

pid_t getpid(void)
{
    return PROCESS_ID;
}

struct mono mono_read(void)
{
    if (sim.in_controller)
        sim.now_ns += sim.read_cost_ns;
    return (struct mono){.ns = sim.now_ns};
}

struct wall wall_read(void)
{
    return (struct wall){.ms = START_WALL + sim.skew_ms + sim.now_ns / NS_PER_MS};
}

void sim_begin(uint64_t seed)
{
    const char *trace = getenv("VOPR_TRACE");
    traces = trace && *trace != '0';
    sim = (struct sim){.seed = seed, .dice = seed, .now_ns = START_NS, .hash = seed};
    n_lines = 0;
    sim_random();
    sim.world = loop_new();
}

void sim_end(void)
{
    loop_free(sim.world);
    sim.world = NULL;
}

/* splitmix64: as check_rand. */
uint64_t sim_random(void)
{
    uint64_t z = (sim.dice += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t sim_below(uint32_t n)
{
    return (uint32_t)(sim_random() % n);
}

int64_t sim_between(int64_t lo, int64_t hi)
{
    return lo + (int64_t)(sim_random() % (uint64_t)(hi - lo + 1));
}

bool sim_chance(unsigned per_mille)
{
    return sim_below(1000) < per_mille;
}

int64_t sim_exponential(int64_t mean)
{
    double u = (double)(sim_random() >> 11) / (double)(UINT64_C(1) << 53);
    double t = -log(1.0 - u) * (double)mean;
    return t < 1 ? 1 : (int64_t)t;
}

int64_t sim_now_ms(void)
{
    return (sim.now_ns - START_NS) / NS_PER_MS;
}

void sim_hash(const void *p, size_t n)
{
    sim.hash = (sim.hash ^ hash_bytes(p, n) ^ (uint64_t)sim.now_ns) * 0x100000001b3u;
}

void sim_note(const char *fmt, ...)
{
    char *line = lines[n_lines++ % LINES_KEPT];
    int64_t ms = sim_now_ms();
    int at = snprintf(line, LINE_SIZE, "%6d.%03d ", (int)(ms / 1000), (int)(ms % 1000));
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line + at, LINE_SIZE - (size_t)at, fmt, ap);
    va_end(ap);
    sim_hash(line, strlen(line));
    if (traces)
        puts(line);
}

void sim_fail(const char *fmt, ...)
{
    for (unsigned i = n_lines > LINES_KEPT ? n_lines - LINES_KEPT : 0; !traces && i < n_lines; i++)
        puts(lines[i % LINES_KEPT]);
    int64_t ms = sim_now_ms();
    printf("FAIL seed %llu at %d.%03d s: ", (unsigned long long)sim.seed, (int)(ms / 1000),
           (int)(ms % 1000));
    va_list ap;
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\nto play it again: make vopr SEED=%llu (VOPR_TRACE=1: with every line)\n",
           (unsigned long long)sim.seed);
    exit(1);
}
