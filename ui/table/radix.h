/* radix.h - numbers put in order within a frame, however many. */
#ifndef UI_TABLE_RADIX_H
#define UI_TABLE_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct radix_key {
    uint64_t value;
    uint32_t what; /* the caller's: whose value it is */
};

/* By value, ascending or descending; equal keys keep their order. Cost: n for each byte that differs. */
void radix_sort(struct radix_key *v, size_t n, bool reverse);

#endif
