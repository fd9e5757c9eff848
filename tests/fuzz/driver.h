/* driver.h - what a fuzz target gives: a function over bytes. First inputs are files in
 * tests/fuzz/corpus/NAME. */
#ifndef STOKER_TESTS_FUZZ_DRIVER_H
#define STOKER_TESTS_FUZZ_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns 0; a finding is a crash, a sanitizer's report, a failed assertion or a run of ten seconds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
