/* ulimit.h - resource limits of processes, by the names that Slurm has for them. */
#ifndef STOKER_OS_ULIMIT_H
#define STOKER_OS_ULIMIT_H

#include <stdbool.h>
#include <stdint.h>

/* In records and on the wire: new ones at the end. */
enum ulimit_kind {
    ULIMIT_CPU,
    ULIMIT_FSIZE,
    ULIMIT_DATA,
    ULIMIT_STACK,
    ULIMIT_CORE,
    ULIMIT_RSS,
    ULIMIT_NPROC,
    ULIMIT_NOFILE,
    ULIMIT_MEMLOCK,
    ULIMIT_AS,
    ULIMIT_N
};

#define ULIMIT_ALL       ((1u << ULIMIT_N) - 1)
#define ULIMIT_UNLIMITED UINT64_MAX

const char *ulimit_name(enum ulimit_kind k); /* "NOFILE" */
/* "ALL", "NONE", or names with commas, RLIMIT_ in front or not: a bit for each kind. Returns 0 or -EINVAL
 * with the first word that is not a name (ret_bad may be NULL). */
int ulimit_parse(const char *list, uint32_t *ret_kinds, const char **ret_bad, int *ret_bad_len)
    __attribute__((warn_unused_result));
/* The soft limit of this process. False where the kernel does not tell. */
bool ulimit_get(enum ulimit_kind k, uint64_t *ret_soft);
/* Sets it, to the hard limit at most. Returns 0, 1 where the hard limit is lower, or a negative errno. */
int ulimit_set(enum ulimit_kind k, uint64_t soft);

#define ULIMIT_BEQUEST "STOKER_SOFT_LIMITS" /* the variable of: */
/* For what this process starts, the soft limits that it has changed for itself: before and after. They
 * travel in the environment, which they leave when they are read. */
void ulimit_bequeath(uint64_t nofile, uint64_t core);
void ulimit_inherited(uint64_t *nofile, uint64_t *core); /* left alone where nothing was bequeathed */

#endif
