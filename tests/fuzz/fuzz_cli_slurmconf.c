/* slurm.conf and gres.conf of others. */
#include <assert.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/cli/import/slurmconf.h"
#include "tests/fuzz/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    struct slurmconf c = {0};
    if (slurmconf_parse("fuzz", s, &c, NULL) == 0)
        for (size_t i = 0; i < c.lines.n; i++)
            assert(c.lines.v[i].pairs.n > 0);
    slurmconf_fini(&c);
    free(s);
    return 0;
}
