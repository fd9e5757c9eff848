/* check.h - cmocka with what tables of cases need: messages that name the row, and seeded random numbers.
 */
#ifndef STOKER_TESTS_LIB_CHECK_H
#define STOKER_TESTS_LIB_CHECK_H

/* cmocka.h wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

/* Fails with the row's name in front. */
#define check_int(row, got, want)                                                     \
    do {                                                                              \
        int64_t got_ = (int64_t)(got), want_ = (int64_t)(want);                       \
        if (got_ != want_)                                                            \
            fail_msg("[%s] %s is %" PRId64 ", not %" PRId64, row, #got, got_, want_); \
    } while (0)

#define check_str(row, got, want)                                                        \
    do {                                                                                 \
        const char *got_ = (got), *want_ = (want);                                       \
        if ((!got_ || !want_) ? got_ != want_ : strcmp(got_, want_) != 0)                \
            fail_msg("[%s] %s is \"%s\", not \"%s\"", row, #got, got_ ? got_ : "(null)", \
                     want_ ? want_ : "(null)");                                          \
    } while (0)

/* A text that must say something about what went wrong. */
#define check_has(row, text, part)                                              \
    do {                                                                        \
        const char *text_ = (text), *part_ = (part);                            \
        if (!strstr(text_, part_))                                              \
            fail_msg("[%s] \"%s\" does not mention \"%s\"", row, text_, part_); \
    } while (0)

/* An empty file DIR/NAME. */
static inline void check_make_file(const char *dir, const char *name, mode_t mode)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

/* How many lines of a file contain that part. */
static inline size_t check_count_lines(const char *path, const char *part)
{
    FILE *f = fopen(path, "r");
    char line[4096];
    size_t n = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        n += strstr(line, part) != NULL;
    fclose(f);
    return n;
}

/* The seed of a random test: STOKER_TEST_SEED, or a new one; printed, so that a failure can be had
 * again. */
static inline uint64_t check_seed(void)
{
    const char *env = getenv("STOKER_TEST_SEED");
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    uint64_t seed =
        env ? strtoull(env, NULL, 10) : (uint64_t)ts.tv_sec * 1000000u + (uint64_t)ts.tv_nsec / 1000u;
    printf("STOKER_TEST_SEED=%" PRIu64 "\n", seed);
    return seed;
}

/* splitmix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
static inline uint64_t check_rand(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
