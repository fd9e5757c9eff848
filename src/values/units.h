/* units.h - durations, sizes and counts as people and Slurm write them. */
#ifndef STOKER_VALUES_UNITS_H
#define STOKER_VALUES_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/err.h"

#define DURATION_UNLIMITED UINT32_MAX /* seconds */
#define DURATION_NOT_SET   (UINT32_MAX - 1)
#define UNITS_TEXT_SIZE    32

/* A Slurm time limit: M, M:S, H:M:S, D-H, D-H:M, D-H:M:S, UNLIMITED or INFINITE, 0 and -1 = unlimited;
 * fields may be over range. *ret_s in seconds, not rounded. Errors: -EINVAL with a text. Source: sbatch(1),
 * --time. */
int duration_parse_slurm(const char *s, uint32_t *ret_s, struct errtext *err)
    __attribute__((warn_unused_result));

/* What stoker.cfg takes: the forms above with at least one ':' or '-', or number + unit: 90s 5m 2h 7d 1w. A
 * bare number is seconds. "unlimited" too. */
int duration_parse_conf(const char *s, uint32_t *ret_s, struct errtext *err)
    __attribute__((warn_unused_result));

/* 0:00, 5:00, 1:02:03, 1-02:03:04; UNLIMITED and NOT_SET by name: the form of squeue's %M and %l. Returns
 * buf. */
const char *duration_format(uint32_t s, char buf[static UNITS_TEXT_SIZE]);
/* 00:00:00 or D-HH:MM:SS: the form of scontrol's RunTime. */
const char *duration_format_padded(uint32_t s, char buf[static UNITS_TEXT_SIZE]);
/* For people: 45 s, 12 min, 3 h 20 min, 2 d 4 h. */
const char *duration_format_words(int64_t s, char buf[static UNITS_TEXT_SIZE]);

/* Memory: number (a fraction allowed) + K M G T with optional B or iB, any case, MiB without a unit;
 * rounded up to whole MiB. Errors: -EINVAL (not a size), -ERANGE. Source: sbatch(1), --mem. */
int mem_parse_mib(const char *s, uint64_t *ret_mib, struct errtext *err)
    __attribute__((warn_unused_result));
/* Slurm's %m: 4000M, 4G (whole multiples of 1024 move up), 0. */
const char *mem_format_slurm(uint64_t mib, char buf[static UNITS_TEXT_SIZE]);
/* For people: 512M, 1.5G, as requests are written, which stand beside it. Argument in KiB. */
const char *mem_format_words(uint64_t kib, char buf[static UNITS_TEXT_SIZE]);

/* The digits at *p, which moves past them; false: there are none. What 32 bits cannot hold is
 * UINT32_MAX + 1. */
bool digits_take(const char **p, uint64_t *ret);

/* A plain decimal integer filling all of s, within [min, max]. */
int int_parse(const char *s, int64_t min, int64_t max, int64_t *ret, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
