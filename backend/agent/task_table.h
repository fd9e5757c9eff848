/* task_table.h - the tasks that this agent holds: living, or ended and not acknowledged, or kept for
 * readers of their output.
 */
#ifndef STOKER_BACKEND_AGENT_TASK_TABLE_H
#define STOKER_BACKEND_AGENT_TASK_TABLE_H

#include "backend/agent/wire.h"
#include "backend/task/taskdir.h"
#include "src/base/idmap.h"
#include "src/base/list.h"
#include "src/base/vec.h"

struct agent;

struct atask {
    struct agent *a;
    struct list in_table;
    struct list in_lost; /* while its processes are being killed without a shim; at last in `over` */
    struct launch_status st;
    char name[TASKDIR_NAME_SIZE];
    pid_t shim;          /* 0: gone, or never there */
    pid_t lost_shim;     /* its number once it was lost: still the session of what it left */
    uint64_t shim_start; /* clock ticks after boot; 0: it is a child of this process, or not known yet */
    struct wire wire;
    struct loop_timer timer; /* connects again to an adopted shim; looks for its end; at last removes the
                                directory */
    int64_t connect_pause_ms;
    struct launch_end *end;       /* NULL: lives */
    VEC(struct launch_kill) late; /* what the shim gets once it is reached */
    bool has_dir, has_spool, acked;
    char *group; /* the word of its job's control groups: see containment.h; NULL: none */
    bool leased; /* it may have a lease: its shim is told when the controller was heard */
    char *cluster;
    unsigned lost_rounds;
    uint64_t input_peer;   /* serial of the connection whose INPUT is being answered */
    VEC(uint64_t) inputs;  /* tags of those that the shim has not answered */
    uint64_t cpu_ticks;    /* of all its processes, when it was last measured */
    unsigned n_killed;     /* waiting_shims_n_killed() when it was launched */
    uint64_t shim_used_ms; /* of earlier tasks of its shim */
    uint32_t uid;          /* this and gpus: not known for tasks of an earlier agent */
    struct cpuset gpus;
    struct gpu_account *gpu_account; /* NULL: no GPUs, or none that are measured */
    bool gpus_known;                 /* gpus and uid are known */
    uint64_t spool_bytes;            /* of its outputs on the disk, when they were measured last */
    bool spool_measured;
};

struct task_table {
    struct list all;
    struct list lost; /* a shim is missing: sweep.c kills what it left */
    struct list over; /* of no more interest: removed when the launch of the next one has been sent */
    struct idmap by_key, by_pid;
    unsigned n_live;
    void (*on_end)(void *ctx, const struct launch_key *key); /* a task has ended */
    void *ctx;
    bool complete; /* the tasks of the agent before this one are in it */
};

struct task_table *task_table_new(void (*on_end)(void *ctx, const struct launch_key *key), void *ctx);
/* Frees the tasks too; their directories stay. */
void task_table_free(struct task_table *tt);

struct atask *task_table_find(struct task_table *tt, const struct launch_key *key);
/* The same; attempt 0 is the newest one. */
struct atask *task_table_find_latest(struct task_table *tt, const struct launch_key *key);
struct atask *task_table_add(struct agent *a, const struct launch_key *key);
/* Its supervisor is the process pid. */
void task_table_set_shim(struct atask *t, pid_t pid);
/* Forgets the shim, which has ended or is of no more interest. */
void task_table_drop_shim(struct atask *t);
/* Forgets the requests in t->late. */
void task_table_drop_late(struct atask *t);
/* Removes it with its directory. */
void task_table_remove(struct atask *t);
/* It has ended and was acknowledged: removed after a while without a reader; without a spool when the turn
 * ends, so that the launch which came along with the acknowledgement does not wait. */
void task_table_keep(struct atask *t);
void task_table_remove_over(struct task_table *tt);
/* Its spool is read: kept as long as that goes on. */
void task_table_was_read(struct atask *t);
/* Another cluster takes the node over: removes what is only kept for readers. The number of tasks that
 * stand in the way. */
unsigned task_table_hand_over(struct task_table *tt);

/* NULL: the process belongs to no task. */
struct atask *task_table_above(struct task_table *tt, const struct proc *p);
/* Tasks of a job share its GPUs. What an earlier agent has launched is not known here: true then. */
bool task_table_job_holds(const struct task_table *tt, uint32_t job, uint32_t gpu);
/* Whether a task of the user lives here, or one whose user is not known yet. */
bool task_table_has_user(const struct task_table *tt, uint32_t uid);
bool task_table_user_holds(const struct task_table *tt, uint32_t uid, uint32_t gpu);

#endif
