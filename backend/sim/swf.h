/* swf.h - reads a workload in the Standard Workload Format, plain or compressed with gzip.
 *
 * A line is a comment (it begins with ';' and may be a header field, "; MaxProcs: 100") or a job of 18
 * numbers, -1 where one is not known. What is read is what stands there: rules about which jobs count are
 * those of who uses it.
 * Source: Chapin and others, "Benchmarks and standards for the evaluation of parallel job schedulers",
 * 1999, and the definition page of the Parallel Workloads Archive.
 */
#ifndef STOKER_SIM_SWF_H
#define STOKER_SIM_SWF_H

#include <stdint.h>

#include "src/base/err.h"
#include "src/base/vec.h"

struct swf_job { /* seconds; -1: not known */
    int64_t id;
    int64_t submit; /* since the trace's beginning */
    int64_t run;
    int64_t procs_used, procs_asked;
    int64_t estimate;      /* requested time */
    int64_t mem_asked_kib; /* of each processor */
    int64_t user, group, queue, partition;
    uint32_t line; /* of the file, from 1 */
};

struct swf {
    VEC(struct swf_job) jobs;     /* in the order of the file */
    int64_t max_procs, max_nodes; /* of the header; 0: not said */
    int64_t unix_start;           /* the trace's zero on the calendar; 0: not said */
};

/* Reads the whole file. Owns: *ret, uninitialised before, is the caller's: swf_fini. Errors: -ENOENT and
 * the like; -EINVAL with "FILE:LINE: ..." for a line that is none of the format's. */
int swf_read(const char *path, struct swf *ret, struct errtext *err) __attribute__((warn_unused_result));
void swf_fini(struct swf *s);

#endif
