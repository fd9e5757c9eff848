/* spec.h - what the configuration says of the cluster: nodes, partitions, QOS, accounts, limits, weights.
 *
 * Records (src/record/rec.h): the configuration enters the model as one event that holds a struct
 * cluster_spec. Durations in seconds (DURATION_UNLIMITED where unbounded), memory in MiB.
 */
#ifndef STOKER_MODEL_SPEC_H
#define STOKER_MODEL_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "src/record/rec.h"

#define LIMIT_NONE UINT64_MAX /* in a struct limit_set: not limited */

struct node_spec {
    char *name;
    char *address; /* NULL: this machine */
    uint32_t port;
    char *ssh_user;
    char *identity;
    char *known_hosts;
    char *transport;  /* "local", "ssh" or "socket" */
    char *role;       /* "compute" or "login" */
    uint32_t cpus;    /* 0: as detected */
    uint64_t mem_mib; /* 0: as detected */
    uint32_t gpus;    /* UINT32_MAX: as detected */
    char *gpu_type;   /* NULL: untyped */
    struct strv features;
    uint32_t weight;
    bool detect;           /* false: believe the figures, check no hardware */
    char *agent_socket;    /* of an agent that is not ours to start; NULL: we start ours on this machine */
    bool own_files;        /* it shares no files: what jobs write there stays there and is asked for */
    bool admin;            /* administrators are administrators there too, on the node's word */
    struct strv gpu_names; /* of its GPUs, for CUDA_VISIBLE_DEVICES and the like; empty: their numbers */
    uint64_t
        private_tmp_mib; /* each job has a /tmp and a /dev/shm of its own of this size; 0: it has not */
    char *group;         /* of nodes that are close to one another; NULL: none */
};
#define NODE_SPEC_FIELDS(F, G, S)                                                                            \
    F(S, STR, name) F(S, STR, address) F(S, U32, port) F(S, STR, ssh_user) F(S, STR, identity)               \
    F(S, STR, known_hosts) F(S, STR, transport) F(S, STR, role) F(S, U32, cpus) F(S, U64, mem_mib)           \
    F(S, U32, gpus) F(S, STR, gpu_type) F(S, STRV, features) F(S, U32, weight) F(S, BOOL, detect)            \
    F(S, STR, agent_socket) F(S, BOOL, own_files) F(S, BOOL, admin) F(S, STRV, gpu_names)                \
    F(S, U64, private_tmp_mib) F(S, STR, group)

enum part_state { PART_UP, PART_DOWN, PART_DRAIN, PART_INACTIVE };
enum preempt_mode { PREEMPT_OFF, PREEMPT_REQUEUE, PREEMPT_CANCEL };

struct part_spec {
    char *name;
    struct strv nodes; /* expanded names */
    bool is_default;
    uint32_t state;                      /* enum part_state */
    uint32_t max_time_s, default_time_s; /* DURATION_UNLIMITED, DURATION_NOT_SET */
    uint32_t max_nodes;                  /* UINT32_MAX: not limited */
    uint32_t priority_job_factor, priority_tier;
    uint32_t preempt_mode; /* enum preempt_mode: what happens to ITS jobs */
    uint32_t grace_s;
    bool requeue_after_grace;
    struct strv allow_groups, allow_accounts, allow_qos; /* empty: all users */
    struct strv deny_groups, deny_accounts, deny_qos;    /* these not, whatever is allowed */
    uint32_t lost_node;                                  /* enum lost_node; NOT_SAID: the cluster's */
    bool batch_only;                                     /* no jobs of srun and salloc */
    uint32_t preempt_exempt_s; /* its jobs are not preempted before they have run for so long */
    uint32_t limit_restarts;   /* how often a job that asks for a signal is requeued at its time limit */
    /* Of jobs that name no memory: for each CPU, GPU, or on each node; 0: none. GPUs come first, and not
     * both of the others are given. */
    uint64_t default_mem_cpu_mib, default_mem_gpu_mib, default_mem_node_mib;
    bool exclusive_user; /* its jobs share nodes with jobs of the same user only */
};
#define PART_SPEC_FIELDS(F, G, S)                                                                            \
    F(S, STR, name) F(S, STRV, nodes) F(S, BOOL, is_default) F(S, U32, state) F(S, U32, max_time_s)          \
    F(S, U32, default_time_s) F(S, U32, max_nodes) F(S, U32, priority_job_factor) F(S, U32, priority_tier)   \
    F(S, U32, preempt_mode) F(S, U32, grace_s) F(S, BOOL, requeue_after_grace) F(S, STRV, allow_groups)      \
    F(S, STRV, allow_accounts) F(S, STRV, allow_qos) F(S, STRV, deny_groups) F(S, STRV, deny_accounts)                      \
    F(S, STRV, deny_qos) F(S, U32, lost_node) F(S, BOOL, batch_only) F(S, U32, preempt_exempt_s) \
    F(S, U64, default_mem_cpu_mib) F(S, U64, default_mem_gpu_mib) F(S, U64, default_mem_node_mib) \
    F(S, U32, limit_restarts) F(S, BOOL, exclusive_user)

#define QOS_DEFAULT "normal" /* Slurm's name of the QOS of jobs that name none: always there */

struct qos_spec {
    char *name;
    uint32_t priority;
    struct strv preempt; /* names of the QOS that it may preempt */
    uint32_t grace_s;
    double usage_factor;
    uint32_t preempt_mode; /* enum preempt_mode of its jobs where another QOS preempts them; OFF: as the
                              partition says, and requeue where that is off */
    struct strv allow_users, allow_groups, allow_accounts; /* one is enough; "*": all users */
    uint32_t preempt_exempt_s; /* in place of the partition's; 0: the partition's */
};
#define QOS_SPEC_FIELDS(F, G, S)                                                                             \
    F(S, STR, name) F(S, U32, priority) F(S, STRV, preempt) F(S, U32, grace_s) F(S, F64, usage_factor) F(S, U32, preempt_mode) \
    F(S, STRV, allow_users) F(S, STRV, allow_groups) F(S, STRV, allow_accounts) F(S, U32, preempt_exempt_s)

struct account_user {
    char *name;
    uint32_t shares;
};
#define ACCOUNT_USER_FIELDS(F, G, S) F(S, STR, name) F(S, U32, shares)

struct account_spec {
    char *name, *parent;
    uint32_t shares;
    REC_LIST(struct account_user) users;
};
#define ACCOUNT_SPEC_FIELDS(F, G, S)                                                                         \
    F(S, STR, name) F(S, STR, parent) F(S, U32, shares) G(S, LISTOF, users, account_user)

struct limit_set { /* LIMIT_NONE where not limited */
    uint64_t gpus, cpus, mem_mib, nodes, running_jobs, submitted_jobs, array_size, gpu_minutes;
};
#define LIMIT_SET_FIELDS(F, G, S)                                                                            \
    F(S, U64, gpus) F(S, U64, cpus) F(S, U64, mem_mib) F(S, U64, nodes) F(S, U64, running_jobs)              \
    F(S, U64, submitted_jobs) F(S, U64, array_size) F(S, U64, gpu_minutes)

enum limit_scope { LIMIT_USER, LIMIT_ACCOUNT, LIMIT_QOS, LIMIT_PARTITION, LIMIT_CLUSTER };

struct limit_spec {
    uint32_t scope;  /* enum limit_scope */
    char *name;      /* "*": each one of the scope */
    char *partition; /* NULL: everywhere */
    struct limit_set soft, hard;
};
#define LIMIT_SPEC_FIELDS(F, G, S)                                                                           \
    F(S, U32, scope) F(S, STR, name) F(S, STR, partition) G(S, SUB, soft, limit_set) G(S, SUB, hard, limit_set)

struct priority_spec {
    uint32_t weight_age, weight_fairshare, weight_job_size, weight_partition, weight_qos;
    uint32_t weight_cpu, weight_mem, weight_gpu;
    uint32_t max_age_s, decay_half_life_s;
    bool favor_small, fair_tree;
    double billing_cpu, billing_mem_gb, billing_gpu;
};
#define PRIORITY_SPEC_FIELDS(F, G, S)                                                                        \
    F(S, U32, weight_age) F(S, U32, weight_fairshare) F(S, U32, weight_job_size) F(S, U32, weight_partition) \
    F(S, U32, weight_qos) F(S, U32, weight_cpu) F(S, U32, weight_mem) F(S, U32, weight_gpu)                  \
    F(S, U32, max_age_s) F(S, U32, decay_half_life_s) F(S, BOOL, favor_small) F(S, BOOL, fair_tree)          \
    F(S, F64, billing_cpu) F(S, F64, billing_mem_gb) F(S, F64, billing_gpu)

enum backfill_mode { BACKFILL_CONSERVATIVE, BACKFILL_EASY, BACKFILL_OFF };

struct license_spec { /* a counter of the whole cluster */
    char *name;
    uint32_t count;
};
#define LICENSE_SPEC_FIELDS(F, G, S) F(S, STR, name) F(S, U32, count)

struct cluster_spec {
    char *name;   /* SLURM_CLUSTER_NAME */
    char *engine; /* "stoker" */
    REC_LIST(struct node_spec) nodes;
    REC_LIST(struct part_spec) parts;
    REC_LIST(struct qos_spec) qos;
    REC_LIST(struct account_spec) accounts;
    REC_LIST(struct limit_spec) limits;
    struct priority_spec priority;
    uint32_t backfill; /* enum backfill_mode */
    uint32_t window_s;
    struct strv admin_groups;
    uint32_t kill_wait_s, node_timeout_s;
    bool lost_node_requeue;  /* of older logs: lost_node = "requeue" */
    uint32_t history_keep_s; /* jobs leave the history so long after their ends; 0: never */
    uint32_t min_job_age_s;  /* a finished job stays in the queue's answers so long */
    uint32_t max_array_size;
    uint32_t max_jobs; /* jobs in the queue, array records counted once */
    REC_LIST(struct license_spec) licenses;
    uint32_t reservations; /* places held in each partition */
    char *mail_program;    /* called with -s SUBJECT USER; NULL: no mail is sent */
    char *link_socket;     /* of a stoker-link that a service manager keeps; NULL: we start ours */
    char *link_keys;    /* its directory with key and known_hosts, which it owns; NULL: below our state */
    uint32_t lost_node; /* enum lost_node */
    uint32_t lease_s;   /* a node's time without a controller, for jobs with LOST_LEASE */
    uint32_t user_requests; /* a second, of one user's over time; 0: no limit */
    uint32_t max_user_jobs; /* as max_jobs, of one user; 0: nine tenths of it */
    struct strv propagate_limits, propagate_limits_except; /* names, src/os/ulimit.h; both empty: all */
    uint32_t audit_keep_s;     /* lines of the audit log are kept for so long; 0: for ever */
    uint64_t audit_mib;        /* and so much of them; 0: any amount */
    bool audit_syslog;         /* they go to the system's log as well */
    struct strv private_words; /* src/model/private_data.h */
    /* Of the controller's memory, for the connections of one user, and for the records of that user's jobs;
     * 0: no limit. */
    uint64_t user_buffers_mib, user_records_mib;
    /* Of the disk, for one user's jobs in the state; free, for cancels and ends; 0: by the disk's size. */
    uint64_t user_disk_mib, disk_reserve_mib;
    uint64_t
        history_size_mib; /* the oldest jobs of who has most leave a larger history; 0: half of the disk */
    uint32_t max_switch_wait_s; /* what --switches demands is waited for so long at most */
    bool backfill_shortest;     /* backfill candidates: shortest first, else in the order of the queue */
    bool predict_run_times;     /* they may start by the time that they are expected to run */
};
#define CLUSTER_SPEC_FIELDS(F, G, S)                                                                         \
    F(S, STR, name) F(S, STR, engine) G(S, LISTOF, nodes, node_spec) G(S, LISTOF, parts, part_spec)          \
    G(S, LISTOF, qos, qos_spec) G(S, LISTOF, accounts, account_spec) G(S, LISTOF, limits, limit_spec)        \
    G(S, SUB, priority, priority_spec) F(S, U32, backfill) F(S, U32, window_s) F(S, STRV, admin_groups)      \
    F(S, U32, kill_wait_s) F(S, U32, node_timeout_s) F(S, BOOL, lost_node_requeue) F(S, U32, min_job_age_s)  \
    F(S, U32, max_array_size) F(S, U32, max_jobs) G(S, LISTOF, licenses, license_spec) F(S, U32, reservations) \
    F(S, STR, mail_program) F(S, STR, link_socket) F(S, STR, link_keys)       \
    F(S, U32, lost_node) F(S, U32, lease_s) F(S, U32, user_requests) F(S, U32, max_user_jobs)         \
    F(S, STRV, propagate_limits) F(S, STRV, propagate_limits_except) F(S, U32, history_keep_s)             \
    F(S, U32, audit_keep_s) F(S, U64, audit_mib) F(S, BOOL, audit_syslog) F(S, STRV, private_words)        \
    F(S, U64, user_buffers_mib) F(S, U64, user_records_mib) F(S, U64, user_disk_mib) F(S, U64, disk_reserve_mib) \
    F(S, U64, history_size_mib) F(S, U32, max_switch_wait_s)                                      \
    F(S, BOOL, backfill_shortest) F(S, BOOL, predict_run_times)

extern const struct rec_desc node_spec_rec, part_spec_rec, qos_spec_rec, account_user_rec, account_spec_rec,
    limit_set_rec, limit_spec_rec, priority_spec_rec, cluster_spec_rec, license_spec_rec;

/* The entry of that name; NULL: there is none, or name is NULL. */
const struct node_spec *spec_find_node(const struct cluster_spec *s, const char *name);
const struct part_spec *spec_find_part(const struct cluster_spec *s, const char *name);
const struct qos_spec *spec_find_qos(const struct cluster_spec *s, const char *name);
const struct account_spec *spec_find_account(const struct cluster_spec *s, const char *name);
const struct license_spec *spec_find_license(const struct cluster_spec *s, const char *name);
/* Whether only administrators may use it: it preempts or adds priority, and says for no users that they
 * may. Never the QOS of jobs that name none. */
bool spec_qos_is_closed(const struct qos_spec *q);
bool spec_account_lists(const struct account_spec *a, const char *user);
/* The account of a job that names none: the first that is configured and lists the user, else the Unix
 * group, which may be NULL. */
const char *spec_default_account(const struct cluster_spec *s, const char *user, const char *group);
/* Its position among the partitions; UINT32_MAX: there is none. */
uint32_t spec_part_position(const struct cluster_spec *s, const char *name);

/* The resource limits that go along with jobs: a bit for each enum ulimit_kind. */
uint32_t spec_propagated_limits(const struct cluster_spec *s);

const char *part_state_text(enum part_state s); /* UP DOWN DRAIN INACTIVE */

#endif
