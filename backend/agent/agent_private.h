/* agent_private.h - the parts of the agent daemon among themselves: one loop, one struct agent. */
#ifndef STOKER_BACKEND_AGENT_PRIVATE_H
#define STOKER_BACKEND_AGENT_PRIVATE_H

#include "backend/agent/agent.h"
#include "backend/agent/ended_launches.h"
#include "backend/agent/wire.h"
#include "backend/net/stream_mux.h"
#include "backend/node/node_probe.h"
#include "backend/shim/forkserver.h"
#include "backend/task/proc.h"
#include "backend/task/taskdir.h"
#include "src/base/idmap.h"
#include "src/base/list.h"
#include "src/base/vec.h"

#define SPOOL_KEEP_MS 60000 /* after the acknowledged end and the last read */

/* What the owner of this machine allows, whatever the controller says: the file `policy` in the agent's
 * directory. */
struct policy {
    uint32_t min_uid, max_tasks;
    uint64_t spool_max_mib; /* of one task */
    uint64_t max_processes; /* of one task, threads counted too; 0: not said */
    bool allow_root, close_gpus;
    struct strv users, workdirs; /* empty: all */
    struct strv groups;          /* who is in one of them is admitted like those in users */
    VEC(uint32_t) gids;          /* of groups */
};

/* Control groups that tasks may have, below BASEs of the agent's own; NULL: none of that kind. */
struct cages {
    char *memory;
    int memory_version;  /* of that hierarchy: 1 or 2 */
    bool pids_in_memory; /* v2: the same group bounds the number of processes */
    char *pids;          /* v1 */
    uint64_t pids_max;
    char *devices;
    int devices_version;
    char prefix[24]; /* of the names of this agent's groups */
};

/* A task that this agent holds: living, or ended and not acknowledged, or kept for readers of its output.
 */
struct atask {
    struct agent *a;
    struct list link,
        lost_link; /* lost_link: in agent.lost while its processes are being killed without a shim */
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
    bool caged;  /* it may have control groups */
    bool leased; /* it may have a lease: its shim is told when the controller was heard */
    char *cluster;
    unsigned lost_rounds;
    uint64_t input_peer;  /* serial of the connection whose INPUT is being answered */
    VEC(uint64_t) inputs; /* tags of those that the shim has not answered */
    uint64_t cpu_ticks;   /* at the last look */
    uint32_t uid;         /* this and the next: not known of those that an earlier agent has launched */
    struct cpuset gpus;
    bool gpus_known;
};

#define LEASE_BEATS 8 /* answers to heartbeats whose time is kept */

struct beat {
    uint32_t seq; /* 0: none */
    int64_t at_ms;
};

/* A connection on the agent's socket. */
struct peer {
    struct agent *a;
    struct list link;
    struct wire wire;
    uint32_t uid;
    uint64_t serial;
    struct beat beats[LEASE_BEATS];
};

/* A read that waits for the spool to grow. */
struct spool_wait;

struct agent {
    struct agent_config cfg;
    struct loop *loop;
    int dir_fd, tasks_fd, lock_fd;
    char *dir, *tasks_dir; /* absolute */
    struct loop_fd listener;
    struct loop_timer listen_again; /* after a time without descriptors */
    struct list dirty;              /* wires with something to send */

    char cluster[64];
    uint64_t epoch;
    uint64_t incarnation; /* of that epoch; 0: its controller did not tell */
    int64_t renewed_ms;   /* when that was sent which the controller has answered last; 0: nothing yet */
    uint32_t kill_wait_s; /* the controller's, for what the agent has to end itself */
    struct list peers;
    uint64_t last_serial;
    struct peer *controller;
    uid_t controller_uid;   /* of cfg.controller */
    struct loop_timer idle; /* no controller: the end comes, unless a task lives */
    struct node_spec spec;
    bool has_spec;

    struct probe probe;
    struct policy policy;
    struct strv notes;
    struct wall t_agent, t_policy;
    bool adopted, adopt_told; /* adopted: all tasks of the agent before this one are known */
    struct loop_timer adopt_again;
    bool root, spared;
    uint32_t nofile; /* soft limits that the tasks get; this process has others */
    uint64_t core;
    int32_t oom_score_adj;
    uint32_t stuck_ms; /* what is killed for so long will not die: the controller is told */
    struct cages cages;
    struct blob cpu_order; /* see cpu_order.h */

    struct forkserver forkserver;
    struct tomb tomb;
    struct list tasks;
    struct idmap by_key, by_pid;
    unsigned n_live;
    struct list lost;
    struct loop_timer sweep;

    struct loop_timer room; /* looks whether there is some again */
    bool spool_full;        /* nothing is launched for want of it */

    struct loop_fd clients; /* socket of clients on this node; -1: none asked for */
    struct loop_timer clients_again;
    struct stream_mux calls;
    uint32_t last_call;
    bool door_told; /* that the place of the link to it is taken */

    struct list spool_waits;
    struct list outfiles; /* files that are being read for somebody */
    struct loop_fd inotify;

    bool watch_util;
    struct loop_timer util_timer;
    struct probe_cpu cpu;
    struct mono util_at;
    struct gpus *gpus; /* NULL: this machine has none that could be looked at */
};

/* To the controller; dropped where there is none. */
void agent_send(struct agent *a, enum msg_kind kind, uint64_t tag, const void *body);
/* Tells the controller anew what this node is. */
void agent_tell(struct agent *a);
/* Number and type of the GPUs, as configured or as found. */
void agent_describe_gpus(const struct agent *a, struct msg_agent *m);
/* Whether tasks are bound to their CPUs: where no more are declared than there are. */
bool agent_binds_cpus(const struct agent *a);

/* --- tasks.c --- */
/* The same; attempt 0 is the newest one. */
struct atask *tasks_find_latest(struct agent *a, const struct launch_key *key);
struct atask *tasks_new(struct agent *a, const struct launch_key *key);
void tasks_free(struct atask *t);
/* frame: the launch as it came, which is what the shim gets. */
void tasks_launch(struct agent *a, const struct launch *l, const struct frame *f);
void tasks_kill(struct agent *a, const struct launch_kill *k);
/* Its shim is reached again: what was to be passed on meanwhile. */
void tasks_send_late(struct atask *t);
/* To its shim: a fence of its step is over. */
void tasks_pmi(struct agent *a, const struct msg_pmi *m, const struct frame *f);
void tasks_input(struct agent *a, uint64_t tag, const struct msg_input *m, const struct frame *f);
void tasks_ack(struct agent *a, const struct launch_key *key);
/* Another cluster takes the node over: removes what is only kept for readers. The number of tasks that
 * stand in the way. */
unsigned tasks_hand_over(struct agent *a);
/* Somebody reads its spool: that is kept as long as this goes on. */
void tasks_was_read(struct atask *t);
void tasks_list(struct agent *a, struct msg_agent *into);
void tasks_send_ends(struct agent *a);
/* A child of this process has ended. */
void tasks_child_ended(struct agent *a, pid_t pid);
/* The shim of t is no more: its end is on disk, or it was lost. */
void tasks_shim_gone(struct atask *t);
/* Takes the end, tells the controller. *end is moved. */
void tasks_ended(struct atask *t, struct launch_end *end);
extern const struct wire_ops shim_wire_ops;

/* --- adopt.c: what an earlier agent has left --- */
/* Looks again by itself until all of it is known: a->adopted. */
void adopt_all(struct agent *a);
/* Tries to reach the shim of t, again and again until it is reached or gone. */
void adopt_connect_later(struct atask *t);

/* --- sweep.c: trees without a supervisor --- */
void sweep_add(struct atask *t);
void sweep_fire(void *ctx);

/* --- spool.c --- */
void spool_read(struct agent *a, uint64_t tag, struct msg_output_read *m);
/* The task has ended, or goes: who waits for it gets an answer. */
void spool_task_changed(struct agent *a, const struct launch_key *key);
void spool_drop_waits(struct agent *a);
void spool_fini(struct agent *a);

/* --- outfile.c --- */
/* The same of a file that the job names; m->path is set. */
void outfile_read(struct agent *a, uint64_t tag, struct msg_output_read *m);
void outfile_fini(struct agent *a);
bool outfile_is_child(const struct agent *a, pid_t pid);

/* --- local_clients.c --- */
void clients_init(struct agent *a);
/* Lets clients on this node speak to the controller. Returns the socket's path (caller frees), NULL where
 * it cannot be made. */
char *clients_listen(struct agent *a);
/* The controller is gone: who speaks is cut off, who comes waits. */
void clients_drop(struct agent *a);
void clients_fini(struct agent *a);

/* --- lease.c --- */
/* A heartbeat of the controller, before it is answered. */
void lease_take_ping(struct peer *p, uint64_t tag);
/* A launch has come: its tag tells of the newest answer too. */
void lease_take(struct peer *p, uint64_t tag);
/* To its shim: how long it may go on. */
void lease_tell(struct atask *t);
/* Whether the controller was heard so lately that a task with that lease may begin. */
bool lease_holds(const struct agent *a, uint32_t lease_s);

/* --- login_socket.c --- */
/* On a login node: a link to the socket `to` where commands look for a controller; elsewhere it goes. */
void door_keep(struct agent *a, const char *to);

/* --- node_usage.c --- */
void util_watch(struct agent *a, bool on);

/* --- node_gpus.c --- */
/* Looks for the first time, and every few seconds from then on; nothing where the machine has no cards. */
void gpus_start(struct agent *a);
void gpus_stop(struct agent *a);
/* What is to be said of the cards whose number and type m has already. */
void gpus_describe(struct agent *a, struct msg_agent *m);
/* As last measured; gpus_watch: more often. */
void gpus_util(struct agent *a, struct msg_util *u);
void gpus_watch(struct agent *a, bool on);
/* By number the names that jobs get instead of numbers; left empty where numbers do, unless always. */
void gpus_names(struct agent *a, bool always, struct strv *ret);
/* The minor device numbers of the cards that are not in held. */
size_t gpus_minors(const struct agent *a, const struct cpuset *held, uint32_t *ret, size_t max);
/* The process that looks. gpus_child_ended: true where pid was it. */
bool gpus_is_child(const struct agent *a, pid_t pid);
bool gpus_child_ended(struct agent *a, pid_t pid);

/* --- disk_reserve.c --- */
/* Whether there is room for another task's files. -ENOSPC: no; the controller is told, and when there is.
 */
int room_check(struct agent *a, struct errtext *err) __attribute__((warn_unused_result));
void room_reserve(const struct agent *a);

/* --- cgroup.c --- */
/* Finds out which groups can be made; adds notes about what there is. */
void cgroup_setup(struct agent *a);
void cgroup_fini(struct agent *a);
/* Groups with the limits in force, NULL where there is none: of memory the shim keeps it then. Callers
 * free.
 */
void cgroup_make(const struct agent *a, const char *task, uint64_t mem_mib, char **ret_memory,
                 char **ret_pids);
void cgroup_remove(const char *path); /* NULL: no-op */
/* All groups that the task has. */
void cgroup_remove_of(const struct agent *a, const char *task);
/* This process's group in the v1 hierarchy of the controller (NULL: in the v2 one), a directory; NULL:
 * there is none. Caller frees. */
char *cgroup_own(const char *controller);
/* The directory of the task's group below base; NULL where base is. Caller frees. */
char *cgroup_of(const struct agent *a, const char *base, const char *task);
/* Writes to a file of a group. 0 or -errno. */
int cgroup_put(const char *dir, const char *file, const char *text);

/* --- gpu_access.c --- */
/* Finds out whether cards can be closed, where the policy wants it; adds a note then. */
void devices_setup(struct agent *a);
/* Closes all cards but those held: in the task's v2 group where it has one, or in one that is made for it,
 * *ret_dir, which its ranks must enter (caller frees). Returns whether jobs get names instead of numbers.
 */
bool devices_close(struct agent *a, const char *task, const char *group, const struct cpuset *held,
                   char **ret_dir);

/* --- node_policy.c --- */
/* From the file at path, else `policy` in dir_fd, where there is one. A path's directories are checked too:
 * who may rename one of them could give us another policy. */
int policy_load(struct policy *p, int dir_fd, const char *path, struct errtext *err)
    __attribute__((warn_unused_result));
void policy_fini(struct policy *p);
/* groups: of the launch's user on this machine (uint32_t each); NULL: not known. */
int policy_check(const struct policy *p, const struct launch *l, unsigned n_live, const struct blob *groups,
                 struct errtext *err) __attribute__((warn_unused_result));

#endif
