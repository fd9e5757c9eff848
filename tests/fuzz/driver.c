/* driver.c - the main of every fuzz target where libFuzzer is not: the corpus again (make test), and random
 * inputs for LLVMFuzzerTestOneInput.
 *
 *     fuzz_NAME [-s SECONDS] [-n RUNS] [FILE...]
 *
 * With files: each of them once. Otherwise inputs are made from the files in tests/fuzz/corpus/NAME, by
 * flipping, cutting, doubling and splicing. The input of a run is
 * written to fuzz_NAME.last before a signal ends the program, so that a crash can be had again with
 * `fuzz_NAME fuzz_NAME.last`. STOKER_TEST_SEED repeats a session.
 */
#include "tests/fuzz/driver.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/check.h"

#define MAX_INPUT 4096

struct input {
    uint8_t b[MAX_INPUT];
    size_t n;
};

static struct input current;
static char last_path[512];

/* Only calls that a signal handler may make. */
static void save_and_die(int sig)
{
    int fd = open(last_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0 && write(fd, current.b, current.n) >= 0)
        close(fd);
    signal(sig, SIG_DFL);
    raise(sig);
}

static void watch_signals(void)
{
    static const int sigs[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    for (size_t i = 0; i < N_OF(sigs); i++)
        signal(sigs[i], save_and_die);
}

/* A copy of exactly its size, so that one byte too far is seen by the sanitizer. The alarm makes an endless
 * loop a crash. */
static void run_one(const struct input *in)
{
    uint8_t *copy = malloc(in->n ? in->n : 1);
    if (!copy)
        abort();
    memcpy(copy, in->b, in->n);
    alarm(10);
    LLVMFuzzerTestOneInput(copy, in->n);
    alarm(0);
    free(copy);
}

static bool load(const char *path, struct input *in)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    in->n = fread(in->b, 1, sizeof in->b, f);
    fclose(f);
    return true;
}

static size_t load_seeds(const char *name, struct input *seeds, size_t max)
{
    size_t n = 0;
    char pattern[600];
    glob_t g;
    snprintf(pattern, sizeof pattern, "tests/fuzz/corpus/%s/*", name);
    if (glob(pattern, 0, NULL, &g) == 0) {
        for (size_t i = 0; i < g.gl_pathc && n < max; i++)
            n += load(g.gl_pathv[i], &seeds[n]);
        globfree(&g);
    }
    return n;
}

static void erase(struct input *in, size_t at, size_t n)
{
    memmove(in->b + at, in->b + at + n, in->n - at - n);
    in->n -= n;
}

static void insert(struct input *in, size_t at, const uint8_t *p, size_t n)
{
    if (in->n + n > MAX_INPUT)
        return;
    memmove(in->b + at + n, in->b + at, in->n - at);
    memcpy(in->b + at, p, n);
    in->n += n;
}

static void mutate(struct input *in, const struct input *other, uint64_t *rng)
{
    size_t at = check_rand(rng) % (in->n + 1), room = in->n - at;
    uint8_t byte = (uint8_t)check_rand(rng);
    struct input piece;
    switch (check_rand(rng) % 6) {
    case 0:
        if (room)
            in->b[at] ^= (uint8_t)(1u << check_rand(rng) % 8);
        break;
    case 1:
        if (room)
            in->b[at] = byte;
        break;
    case 2: insert(in, at, &byte, 1); break;
    case 3: erase(in, at, room ? check_rand(rng) % (room < 16 ? room + 1 : 16) : 0); break;
    case 4: /* doubled */
        piece.n = room < 64 ? room : 64;
        memcpy(piece.b, in->b + at, piece.n);
        insert(in, at, piece.b, piece.n);
        break;
    case 5: /* the end of another */
        in->n = at;
        at = check_rand(rng) % (other->n + 1);
        insert(in, in->n, other->b + at, other->n - at);
        break;
    }
}

#pragma weak LLVMFuzzerCustomMutator

static uint64_t driver_rng;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
    struct input in = {.n = size < sizeof in.b ? size : sizeof in.b};
    memcpy(in.b, data, in.n);
    const struct input self = in;
    mutate(&in, &self, &driver_rng);
    in.n = in.n < max ? in.n : max;
    memcpy(data, in.b, in.n);
    return in.n;
}

static void change(struct input *in, const struct input *other)
{
    if (LLVMFuzzerCustomMutator && check_rand(&driver_rng) % 4)
        in->n = LLVMFuzzerCustomMutator(in->b, in->n, sizeof in->b, (unsigned)check_rand(&driver_rng));
    else
        mutate(in, other, &driver_rng);
}

int main(int argc, char **argv)
{
    static struct input seeds[256];
    long seconds = 10, runs = -1;
    for (int opt; (opt = getopt(argc, argv, "s:n:")) != -1;) {
        if (opt == '?')
            return 2;
        *(opt == 's' ? &seconds : &runs) = atol(optarg);
    }
    const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
    snprintf(last_path, sizeof last_path, "%s/%s.last", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", name);
    watch_signals();
    for (int i = optind; i < argc; i++) {
        if (!load(argv[i], &current)) {
            perror(argv[i]);
            return 1;
        }
        run_one(&current);
    }
    if (optind < argc)
        return 0;

    size_t n_seeds = load_seeds(strncmp(name, "fuzz_", 5) == 0 ? name + 5 : name, seeds, N_OF(seeds));
    if (!n_seeds) {
        fprintf(stderr, "%s: no seeds\n", name);
        return 1;
    }
    driver_rng = check_seed();
    time_t end = time(NULL) + seconds;
    long n = 0;
    for (; runs < 0 ? (n % 64 != 0 || time(NULL) < end) : n < runs; n++) {
        current = seeds[n < (long)n_seeds ? (size_t)n : check_rand(&driver_rng) % n_seeds];
        for (uint64_t k = n < (long)n_seeds ? 0 : 1 + check_rand(&driver_rng) % 8; k; k--)
            change(&current, &seeds[check_rand(&driver_rng) % n_seeds]);
        run_one(&current);
    }
    printf("%s: %ld inputs\n", name, n);
    return 0;
}
