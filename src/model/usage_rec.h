/* usage_rec.h - the table of usage, as it is kept and stored; usage.h says what the figures mean. */
#ifndef STOKER_MODEL_USAGE_REC_H
#define STOKER_MODEL_USAGE_REC_H

#include "src/base/idmap.h"
#include "src/record/rec.h"

struct usage_row {
    char *account, *user, *qos, *partition; /* "" where there is none */
    double billing;                         /* billing-seconds, as of t */
    double gpu_s;                           /* GPU-seconds, as of t; QOS factors do not count */
    struct wall t;
    double preempted_gpu_s; /* of gpu_s: of runs that were preempted */
};
#define USAGE_ROW_FIELDS(F, G, S)                                                             \
    F(S, STR, account) F(S, STR, user) F(S, STR, qos) F(S, STR, partition) F(S, F64, billing) \
    F(S, F64, gpu_s) F(S, WALL, t) F(S, F64, preempted_gpu_s)

struct ev_usage { /* the whole table: jobs whose ends had charged it leave the log */
    REC_LIST(struct usage_row) rows;
};
#define EV_USAGE_FIELDS(F, G, S) G(S, LISTOF, rows, usage_row)

extern const struct rec_desc usage_row_rec, ev_usage_rec;

struct usage {
    struct usage_row *rows;
    size_t n, cap;
    struct idmap by_key; /* hash of the four names -> position + 1 */
    bool unsaved;        /* something has been charged since the newest EV_USAGE */
    uint64_t saved_seq;  /* of that one; 0: none */
};

#endif
