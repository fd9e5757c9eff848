/* fixture.h - what a real Slurm has answered: tests/slurm/fixtures, recorded by tests/slurm/record. */
#ifndef STOKER_TESTS_UNIT_SLURM_FIXTURE_H
#define STOKER_TESTS_UNIT_SLURM_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "backend/slurm/slurm_value.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

#define FIXTURES "tests/slurm/fixtures/22.05.8/"

/* The whole file, names with any byte included; the caller frees .p. */
static inline struct slurm_span fixture_read(const char *name)
{
    char *path = xasprintf(FIXTURES "%s", name);
    FILE *f = fopen(path, "r");
    char *p = xcalloc(1, 1 << 20);
    assert_non_null(f);
    size_t n = fread(p, 1, (1 << 20) - 1, f);
    fclose(f);
    free(path);
    return (struct slurm_span){p, n};
}

#endif
