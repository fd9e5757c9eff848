/* slurm_value.h - single values as Slurm's commands print them. Pure: no I/O, no clock.
 *
 * What is not given ("N/A", "(null)", "Unknown", "None", nothing) reads as not set; what cannot be read
 * too: a figure that is not known is never shown.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_VALUE_H
#define STOKER_BACKEND_SLURM_SLURM_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/str.h"
#include "src/base/time.h"

/* A piece of what a command has printed. Not terminated. */
struct slurm_span {
    const char *p;
    size_t n;
};

bool slurm_span_is(const struct slurm_span *s, const char *text);
/* NULL where it is not given. Bytes that are not UTF-8 become '?', so that the text can travel. Caller
 * frees. */
char *slurm_text(const struct slurm_span *s) __attribute__((warn_unused_result));
/* The same of a text that users choose: "None" and "N/A" are texts like any other. Never NULL. */
char *slurm_text_any(const struct slurm_span *s) __attribute__((warn_unused_result));
/* `otherwise` where it is not a number. */
uint32_t slurm_u32(const struct slurm_span *s, uint32_t otherwise);
/* Seconds since the Epoch (SLURM_TIME_FORMAT=%s), or local time as 2026-11-21T04:30:00. */
struct wall slurm_time(const struct slurm_span *s);
/* Seconds; DURATION_NOT_SET where it is not given. */
uint32_t slurm_duration(const struct slurm_span *s);
/* "32000", "62.50G", "100M" in MiB; `otherwise` where it is not a size. */
uint64_t slurm_mem_mib(const struct slurm_span *s, uint64_t otherwise);

/* The amount of `name` in a list "cpu=10,mem=62.50G,gres/gpu=2"; n is 0 where it is not there. */
struct slurm_span slurm_tres(const struct slurm_span *list, const char *name);
/* GPUs of a GRES list: "gpu:a100:4(S:0-1)", "gres:gpu:2", "gres/gpu:a100:2,gres/tape:1". *ret_type (may be
 * NULL): the type of the first that has one, else NULL; the caller frees it. */
uint32_t slurm_gpus(const struct slurm_span *gres, char **ret_type);

/* The value of KEY in a line of `scontrol -o`: "KEY=value KEY=value ...". A value ends before the next word
 * that is a key; the first such key counts. False where there is none. */
bool slurm_key(const struct slurm_span *line, const char *key, struct slurm_span *ret);

/* Takes the next line that is not empty off an answer. False at its end. */
bool slurm_next_line(struct slurm_span *rest, struct slurm_span *ret);

#endif
