/* driver.h - what a fuzz target gives: a function over bytes. First inputs are files in
 * tests/fuzz/corpus/NAME. */
#ifndef STOKER_TESTS_FUZZ_DRIVER_H
#define STOKER_TESTS_FUZZ_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns 0; a finding is a crash, a sanitizer's report, a failed assertion or a run of ten seconds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A target's own way to change an input, where it has one. Returns the new size, at most max. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
/* The driver's way: bytes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

#endif
