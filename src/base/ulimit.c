/* ulimit.c - resource limits of processes. */
#include "src/base/ulimit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

static const struct {
    const char *name;
    int resource;
} kinds[ULIMIT_N] = {
    [ULIMIT_CPU] = {"CPU", RLIMIT_CPU},
    [ULIMIT_FSIZE] = {"FSIZE", RLIMIT_FSIZE},
    [ULIMIT_DATA] = {"DATA", RLIMIT_DATA},
    [ULIMIT_STACK] = {"STACK", RLIMIT_STACK},
    [ULIMIT_CORE] = {"CORE", RLIMIT_CORE},
    [ULIMIT_RSS] = {"RSS", RLIMIT_RSS},
    [ULIMIT_NPROC] = {"NPROC", RLIMIT_NPROC},
    [ULIMIT_NOFILE] = {"NOFILE", RLIMIT_NOFILE},
    [ULIMIT_MEMLOCK] = {"MEMLOCK", RLIMIT_MEMLOCK},
    [ULIMIT_AS] = {"AS", RLIMIT_AS},
};

const char *ulimit_name(enum ulimit_kind k)
{
    return k < ULIMIT_N ? kinds[k].name : "?";
}

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
        if (strlen(kinds[k].name) == len && strncasecmp(s, kinds[k].name, len) == 0)
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

bool ulimit_get(enum ulimit_kind k, uint64_t *ret_soft)
{
    struct rlimit lim;
    if (k >= ULIMIT_N || getrlimit((__rlimit_resource_t)kinds[k].resource, &lim) < 0)
        return false;
    *ret_soft = lim.rlim_cur == RLIM_INFINITY ? ULIMIT_UNLIMITED : (uint64_t)lim.rlim_cur;
    return true;
}

int ulimit_set(enum ulimit_kind k, uint64_t soft)
{
    struct rlimit lim;
    if (k >= ULIMIT_N)
        return -EINVAL;
    if (getrlimit((__rlimit_resource_t)kinds[k].resource, &lim) < 0)
        return -errno;
    rlim_t want = soft == ULIMIT_UNLIMITED ? RLIM_INFINITY : (rlim_t)soft;
    bool lower = lim.rlim_max != RLIM_INFINITY && (want == RLIM_INFINITY || want > lim.rlim_max);
    want = lower ? lim.rlim_max : want;
    if (lim.rlim_cur == want)
        return lower;
    lim.rlim_cur = want;
    if (setrlimit((__rlimit_resource_t)kinds[k].resource, &lim) < 0)
        return -errno;
    return lower;
}

#define BEQUEST "STOKER_SOFT_LIMITS"

void ulimit_bequeath(uint64_t nofile, uint64_t core)
{
    char text[64];
    snprintf(text, sizeof text, "%llu:%llu", (unsigned long long)nofile, (unsigned long long)core);
    setenv(BEQUEST, text, 1);
}

void ulimit_inherited(uint64_t *nofile, uint64_t *core)
{
    unsigned long long n, c;
    const char *text = getenv(BEQUEST);
    if (text && sscanf(text, "%llu:%llu", &n, &c) == 2) {
        *nofile = n;
        *core = c;
    }
    unsetenv(BEQUEST);
}
