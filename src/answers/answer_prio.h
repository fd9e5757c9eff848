/* answer_prio.h - what a priority is made of, and where each user stands in the fair share: as the policy
 * finds it and as it travels. */
#ifndef STOKER_ANSWERS_ANSWER_PRIO_H
#define STOKER_ANSWERS_ANSWER_PRIO_H

#include <stdbool.h>
#include <stdint.h>

#include "src/model/spec.h"

/* X(member, weight in struct priority_spec): the factors, in the order that they are shown. */
#define PRIO_FACTORS(X)              \
    X(age, weight_age)               \
    X(fairshare, weight_fairshare)   \
    X(job_size, weight_job_size)     \
    X(partition, weight_partition)   \
    X(qos, weight_qos)               \
    X(cpu, weight_cpu)               \
    X(mem, weight_mem)               \
    X(gpu, weight_gpu)

/* The points that a job has of each factor. total = the sum of the points - nice + admin, and never less
 * than 0: the sum that is shown is the one that is used. */
struct prio_parts {
    double age, fairshare, job_size, partition, qos, cpu, mem, gpu; /* normalised: 0 to 1 */
    uint32_t age_points, fairshare_points, job_size_points, partition_points, qos_points, cpu_points,
        mem_points, gpu_points; /* factor x weight, rounded */
    int32_t nice;               /* subtracted */
    int64_t admin;              /* what an administrator's value adds or takes; 0: none was given */
    uint32_t total;
};
#define PRIO_PARTS_FIELDS(F, G, S)                                                                           \
    F(S, F64, age) F(S, F64, fairshare) F(S, F64, job_size) F(S, F64, partition) F(S, F64, qos)              \
    F(S, F64, cpu) F(S, F64, mem) F(S, F64, gpu) F(S, U32, age_points) F(S, U32, fairshare_points)           \
    F(S, U32, job_size_points) F(S, U32, partition_points) F(S, U32, qos_points) F(S, U32, cpu_points)       \
    F(S, U32, mem_points) F(S, U32, gpu_points) F(S, I32, nice) F(S, I64, admin) F(S, U32, total)

struct prio_row { /* of a waiting job in one of the partitions that it asks for */
    uint32_t job; /* raw id */
    uint32_t array_job, array_index;
    char *user, *account, *partition, *qos;
    struct prio_parts parts;
};
#define PRIO_ROW_FIELDS(F, G, S)                                                                             \
    F(S, U32, job) F(S, U32, array_job) F(S, U32, array_index) F(S, STR, user) F(S, STR, account)            \
    F(S, STR, partition) F(S, STR, qos) G(S, SUB, parts, prio_parts)

struct share_row { /* an account, or a user in it; the tree in depth-first order, each level by name */
    char *account;
    char *parent;           /* account above; NULL: the root */
    char *user;             /* NULL: the account itself */
    uint32_t level;         /* depth: 0 the root */
    uint32_t raw_shares;    /* as configured; 1 for who is not */
    double norm_shares;     /* tree: of the siblings' shares; classic: of the cluster */
    double raw_usage;       /* billing-seconds, decayed, what runs now included */
    double norm_usage;      /* raw_usage of the cluster's */
    double effective_usage; /* tree: of the siblings' usage; classic: with the account's part */
    double level_fs;        /* norm_shares / effective_usage; -1 where nothing was used: it has no end */
    double fairshare;       /* the factor, 0 to 1; users alone */
    double gpu_hours;       /* decayed, what runs now included */
    double running;         /* billing-seconds in raw_usage of what runs now */
    uint32_t gpus_now;      /* held now */
    double preempted_gpu_hours; /* of gpu_hours: of runs that were preempted */
};
#define SHARE_ROW_FIELDS(F, G, S)                                                                            \
    F(S, STR, account) F(S, STR, parent) F(S, STR, user) F(S, U32, level) F(S, U32, raw_shares)              \
    F(S, F64, norm_shares) F(S, F64, raw_usage) F(S, F64, norm_usage) F(S, F64, effective_usage)             \
    F(S, F64, level_fs) F(S, F64, fairshare) F(S, F64, gpu_hours) F(S, F64, running) F(S, U32, gpus_now) \
    F(S, F64, preempted_gpu_hours)

struct msg_shares_rows { /* the whole answer; it travels as it is */
    REC_LIST(struct share_row) rows;
    struct priority_spec weights; /* in force */
    bool more;                    /* rows follow: ask again, skipping these */
};
#define MSG_SHARES_ROWS_FIELDS(F, G, S) \
    G(S, LISTOF, rows, share_row) G(S, SUB, weights, priority_spec) F(S, BOOL, more)

extern const struct rec_desc msg_shares_rows_rec, prio_parts_rec, prio_row_rec, share_row_rec;

#endif
