/* play_report.h - the figures of a full simulation, of all, of each user and each partition. */
#ifndef STOKER_SIM_PLAY_REPORT_H
#define STOKER_SIM_PLAY_REPORT_H

#include <stdio.h>

#include "backend/sim/metrics.h"
#include "backend/sim/play.h"

struct sim_row { /* of a user, a partition, an account, or all */
    char *name;
    uint64_t submitted, refused;                 /* refused ones are not among the submitted */
    uint64_t completed, timeouts, preempted_out; /* preempted_out: ended for good by preemption */
    uint64_t running, waiting;                   /* at the end of the simulation */
    uint64_t preemptions;                        /* of these jobs: each time counts */
    double cpu_hours, gpu_hours;                 /* held */
    double lost_cpu_hours, lost_gpu_hours;       /* of that, work thrown away */
    struct dist wait;                            /* seconds to the first start, of jobs that have started */
    struct dist
        slowdown; /* bounded; from submission to the last end against the run, of jobs that have ended */
    double cpu_utilisation,
        gpu_utilisation; /* held, of what the partition has, else the cluster: 0 ... 1 */
};
#define SIM_ROW_FIELDS(F, G, S)                                                                            \
    F(S, STR, name)                                                                                        \
    F(S, U64, submitted)                                                                                   \
    F(S, U64, refused) F(S, U64, completed) F(S, U64, timeouts) F(S, U64, preempted_out)                   \
        F(S, U64, running) F(S, U64, waiting) F(S, U64, preemptions) F(S, F64, cpu_hours)                  \
            F(S, F64, gpu_hours) F(S, F64, lost_cpu_hours) F(S, F64, lost_gpu_hours) G(S, SUB, wait, dist) \
                G(S, SUB, slowdown, dist) F(S, F64, cpu_utilisation) F(S, F64, gpu_utilisation)

struct sim_report {
    uint32_t schema;
    char *mode, *workload, *cluster, *backfill;
    uint64_t nodes, cpus, gpus;
    double days;
    double cpu_utilisation, mem_utilisation, gpu_utilisation; /* held, of what there is: 0 ... 1 */
    uint64_t passes, events, dropped;
    struct sim_row all;
    REC_LIST(struct sim_row) users;
    REC_LIST(struct sim_row) accounts;
    REC_LIST(struct sim_row) partitions; /* where jobs ran last, or wait */
    struct msg_scores forecasts;         /* scores of the forecasts */
    double free_gpu_hours;               /* of all GPUs */
    double split_gpu_hours; /* of these, on nodes whose other GPUs were in use: of no use to a whole-node
                               job */
};
#define SIM_REPORT_FIELDS(F, G, S)                                                                   \
    F(S, U32, schema)                                                                                \
    F(S, STR, mode)                                                                                  \
    F(S, STR, workload) F(S, STR, cluster) F(S, STR, backfill) F(S, U64, nodes) F(S, U64, cpus)      \
        F(S, U64, gpus) F(S, F64, days) F(S, F64, cpu_utilisation) F(S, F64, mem_utilisation)        \
            F(S, F64, gpu_utilisation) F(S, U64, passes) F(S, U64, events) F(S, U64, dropped)        \
                G(S, SUB, all, sim_row) G(S, LISTOF, users, sim_row) G(S, LISTOF, accounts, sim_row) \
                    G(S, LISTOF, partitions, sim_row) G(S, SUB, forecasts, msg_scores)     \
                    F(S, F64, free_gpu_hours) F(S, F64, split_gpu_hours)
extern const struct rec_desc sim_row_rec, sim_report_rec;

/* Owns: rec_fini(&sim_report_rec, ret). */
void play_report_init(struct sim_report *ret, const struct play *r, const struct workload *w,
                      const struct cluster_spec *cluster);
void play_report_text(const struct sim_report *r, struct str *out);

/* One line for each job that has started, "ID START": its first start, seconds since the workload's
 * beginning. Returns 0 or -errno. */
int play_write_starts(const struct play *r, const struct workload *w, FILE *f)
    __attribute__((warn_unused_result));

#endif
