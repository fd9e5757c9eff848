/* driver.h - what a fuzz target gives: a function over bytes, and first inputs. */
#ifndef STOKER_TESTS_FUZZ_DRIVER_H
#define STOKER_TESTS_FUZZ_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns 0; a finding is a crash, a sanitizer's report, a failed assertion or a run of ten seconds. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Texts to begin with, ended by NULL; binary ones are files in tests/fuzz/corpus/NAME. */
extern const char *const fuzz_seeds[];

#endif
