/* radix.c - numbers put in order, a byte at a time. */
#include "ui/table/radix.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

void radix_sort(struct radix_key *v, size_t n, bool reverse)
{
    uint32_t count[8][256] = {{0}};
    uint64_t flip = reverse ? UINT64_MAX : 0;
    if (n < 2)
        return;
    struct radix_key *from = v, *to = xreallocarray(NULL, n, sizeof *to), *other = to;
    for (size_t i = 0; i < n; i++)
        for (unsigned k = 0; k < 8; k++)
            count[k][(v[i].value ^ flip) >> 8 * k & 255]++;
    for (unsigned k = 0; k < 8; k++) {
        uint32_t *at = count[k], sum = 0;
        if (at[(v[0].value ^ flip) >> 8 * k & 255] == n)
            continue; /* all alike */
        for (size_t b = 0; b < 256; b++) {
            uint32_t here = at[b];
            at[b] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++)
            to[at[(from[i].value ^ flip) >> 8 * k & 255]++] = from[i];
        struct radix_key *done = to;
        to = from;
        from = done;
    }
    if (from != v)
        memcpy(v, from, n * sizeof *v);
    free(other);
}
