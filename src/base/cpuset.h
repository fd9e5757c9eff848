/* cpuset.h - a set of small numbers: the CPUs or the GPUs of one node. */
#ifndef STOKER_BASE_CPUSET_H
#define STOKER_BASE_CPUSET_H

#include <stdbool.h>
#include <stdint.h>

#define CPUSET_MAX 1024

struct cpuset {
    uint64_t w[CPUSET_MAX / 64];
};

void cpuset_add(struct cpuset *s, unsigned i);
void cpuset_del(struct cpuset *s, unsigned i);
bool cpuset_has(const struct cpuset *s, unsigned i);
unsigned cpuset_count(const struct cpuset *s);
bool cpuset_is_empty(const struct cpuset *s);
bool cpuset_eq(const struct cpuset *a, const struct cpuset *b);
bool cpuset_intersects(const struct cpuset *a, const struct cpuset *b);
bool cpuset_contains(const struct cpuset *a, const struct cpuset *b); /* every element of b is in a */
void cpuset_or(struct cpuset *a, const struct cpuset *b);
void cpuset_andnot(struct cpuset *a, const struct cpuset *b); /* a := a without b */
void cpuset_add_range(struct cpuset *s, unsigned first, unsigned n);
/* Moves the n lowest elements of from into a new set; all of them where it has fewer. */
struct cpuset cpuset_take_lowest(struct cpuset *from, unsigned n);
/* The smallest element >= i, or -1. */
int cpuset_next(const struct cpuset *s, unsigned i);
/* "0-3,8"; "" for the empty set. Caller frees. */
char *cpuset_format(const struct cpuset *s) __attribute__((warn_unused_result));

#endif
