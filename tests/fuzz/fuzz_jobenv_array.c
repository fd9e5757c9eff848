/* Lists of array indices: what stands in the ranges is what the counts say; kinds of mail. */
#include <assert.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/jobenv/mailtype.h"
#include "src/model/array.h"
#include "tests/fuzz/driver.h"

#define MAX 10001

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    struct array_spec a;
    uint32_t mails;
    if (array_parse(s, MAX, &a, NULL) == 0) {
        uint64_t n = 0;
        for (size_t i = 0; i < a.ranges.n; i++) {
            const struct index_range *r = &a.ranges.v[i];
            assert(r->step && r->first <= r->last && r->first >= a.min && r->last <= a.max);
            n += (r->last - r->first) / r->step + 1;
        }
        assert(n == a.count && a.min <= a.max && a.max < MAX);
        array_spec_fini(&a);
    }
    mail_types_parse(s, &mails);
    free(s);
    return 0;
}
