/* procs_report.h - the figures of a schedule of the equality mode, as text, as JSON, and its starts as
 * lines.
 */
#ifndef STOKER_SIM_PROCS_REPORT_H
#define STOKER_SIM_PROCS_REPORT_H

#include <stdio.h>

#include "backend/sim/metrics.h"
#include "backend/sim/procs.h"

struct procs_report {
    uint32_t schema;
    char *mode, *trace, *policy;
    int64_t procs;                  /* of the machine */
    uint64_t jobs, dropped, killed; /* dropped: records that are no job; killed: at their estimate */
    int64_t first_submit, last_end; /* seconds of the trace's clock */
    double utilisation;             /* of the processors between the two, 0 ... 1 */
    struct dist wait;               /* seconds */
    struct dist slowdown;           /* bounded */
};
#define PROCS_REPORT_FIELDS(F, G, S)                                                         \
    F(S, U32, schema)                                                                        \
    F(S, STR, mode)                                                                          \
    F(S, STR, trace) F(S, STR, policy) F(S, I64, procs) F(S, U64, jobs) F(S, U64, dropped)   \
        F(S, U64, killed) F(S, I64, first_submit) F(S, I64, last_end) F(S, F64, utilisation) \
            G(S, SUB, wait, dist) G(S, SUB, slowdown, dist)
extern const struct rec_desc procs_report_rec;

/* Of a trace that has run. Owns: rec_fini(&procs_report_rec, ret). */
void procs_report_init(struct procs_report *ret, const struct procs_trace *t, const char *trace,
                       enum procs_policy policy);
void procs_report_text(const struct procs_report *r, struct str *out);

/* One line for each job, "ID START", by submission, then line of the trace. Returns 0, or -errno where it
 * could not be written. */
int procs_write_starts(const struct procs_trace *t, FILE *f) __attribute__((warn_unused_result));

#endif
