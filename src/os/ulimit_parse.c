/* ulimit_parse.c - limits by their names, and those that a daemon passes on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/os/ulimit.h"

/* A bit, all of them for "ALL"; 0: no such name. */
static uint32_t kind_of(const char *s, size_t len)
{
    if (len == 3 && strncasecmp(s, "ALL", 3) == 0)
        return ULIMIT_ALL;
    if (len > 7 && strncasecmp(s, "RLIMIT_", 7) == 0) {
        s += 7;
        len -= 7;
    }
    for (unsigned k = 0; k < ULIMIT_N; k++)
        if (strlen(ulimit_name(k)) == len && strncasecmp(s, ulimit_name(k), len) == 0)
            return 1u << k;
    return 0;
}

int ulimit_parse(const char *list, uint32_t *ret_kinds, const char **ret_bad, int *ret_bad_len)
{
    uint32_t all = 0;
    if (strcasecmp(list, "NONE") == 0) {
        *ret_kinds = 0;
        return 0;
    }
    for (const char *s = list;; s++) {
        size_t len = strcspn(s, ",");
        uint32_t bit = kind_of(s, len);
        if (!bit) {
            if (ret_bad) {
                *ret_bad = s;
                *ret_bad_len = (int)len;
            }
            return -EINVAL;
        }
        all |= bit;
        s += len;
        if (!*s)
            break;
    }
    *ret_kinds = all;
    return 0;
}

void ulimit_bequeath(uint64_t nofile, uint64_t core)
{
    char text[64];
    snprintf(text, sizeof text, "%llu:%llu", (unsigned long long)nofile, (unsigned long long)core);
    setenv(ULIMIT_BEQUEST, text, 1);
}
