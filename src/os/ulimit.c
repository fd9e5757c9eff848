/* ulimit.c - resource limits of processes. */
#include "src/os/ulimit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

void ulimit_inherited(uint64_t *nofile, uint64_t *core)
{
    unsigned long long n, c;
    const char *text = getenv(ULIMIT_BEQUEST);
    if (text && sscanf(text, "%llu:%llu", &n, &c) == 2) {
        *nofile = n;
        *core = c;
    }
    unsetenv(ULIMIT_BEQUEST);
}
