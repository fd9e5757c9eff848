/* The files of srun --multi-prog: every rank of the step has a program, or the file is refused. */
#include <assert.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/cli/step/multiprog.h"
#include "tests/fuzz/driver.h"

#define RANKS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    struct step_payload p = {0};
    struct errtext err = {""};
    int r = multiprog_parse("fuzz", s, RANKS, &p, &err);
    assert(r < 0 ? err.s[0] != '\0' && p.ranks.n == 0 : p.ranks.n == RANKS);
    for (size_t i = 0; i < p.ranks.n; i++)
        assert(p.ranks.v[i].rank == i && p.ranks.v[i].argv.n > 0);
    rec_fini(&step_payload_rec, &p);
    free(s);
    return 0;
}
