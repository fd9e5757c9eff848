/* Sizes and whole numbers. */
#include <assert.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/values/units.h"
#include "tests/fuzz/driver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size), buf[UNITS_TEXT_SIZE];
    uint64_t mib, back;
    int64_t i;
    if (mem_parse_mib(s, &mib, NULL) == 0) {
        int r = mem_parse_mib(mem_format_slurm(mib, buf), &back, NULL);
        assert(r == 0 && mib == back);
    }
    if (int_parse(s, -5, 5, &i, NULL) == 0)
        assert(i >= -5 && i <= 5);
    free(s);
    return 0;
}
