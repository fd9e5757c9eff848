/* shim_setup.h - what agent and shim say to one another, beside the frames of src/proto/msg.h.
 *
 * A shim is started with a socket as descriptor 3 and its task directory as argument. On the socket comes a
 * grant from what has the rights (backend/rights), then from the agent a setup and the launch itself, as
 * the controller sent it; from then on KILL and INPUT one way, TASK_RUNNING, TASK_END and INPUT_ACK the
 * other. The shim outlives the agent: then it listens on `ctl` in its directory.
 *
 * A shim that may stay (`stays`) sends WAITS after TASK_END: the next messages on its socket are another
 * grant, setup and launch. It ignores requests to the previous task.
 */
#ifndef STOKER_BACKEND_TASK_SHIM_SETUP_H
#define STOKER_BACKEND_TASK_SHIM_SETUP_H

#include "src/record/rec.h"

/* The option of the program stoker-shim that forks shims on request, and its socket. */
#define FORKSERVER_OPTION "--serve"
#define FORKSERVER_FD     3
/* A request is the directory of the task, behind a letter for each descriptor that follows the socket, in
 * this order: a v2 group, a mount namespace. */
#define SHIM_FDS_MAX       3
#define SHIM_HAS_GROUP     "G"
#define SHIM_HAS_NAMESPACE "N"

#define SHIM_VERSION   2
#define SHIM_SOCKET_FD 3

/* Frame types beside those of msg.h. */
enum {
    SHIM_SETUP = 0xf000,
    SHIM_LIMIT = 0xf001, /* shim to agent: the time limit is over; no body */
    SHIM_GRANT =
        0xf003, /* to the shim, before all else: a setup, of which it keeps what an agent cannot say */
    SHIM_LEASE = 0xf002, /* agent to shim: the controller was heard; no body, the tag is the time */
    SHIM_WAITS = 0xf004, /* shim to agent, after TASK_END: it waits for another GRANT; no body */
};

struct shim_setup {
    uint32_t version;
    bool drop;          /* become the launch's user first: the agent runs as root */
    struct blob groups; /* uint32_t each: supplementary groups of the user */
    char *node, *boot_id;
    bool bind;          /* CPUs of the launch are this machine's */
    struct cpuset cpus; /* those that the agent may use */
    char *cgroup;       /* directory of the task's group that keeps its memory; NULL: none */
    uint32_t nofile;    /* soft limit of descriptors for the task */
    bool spared;        /* the agent, and so the shim, is spared by the kernel's out-of-memory killer ... */
    int32_t oom_score_adj; /* ... and this is what the task gets */
    uint64_t spool_max;    /* bytes of output that it may write into its directory; 0: any */
    uint32_t stuck_ms;     /* after killing for so long it says so */
    char *supervisor;      /* the v2 group of the shim; NULL: none */
    struct strv gpu_names; /* by number, for CUDA_VISIBLE_DEVICES; empty: the numbers do */
    char *pids;            /* v1: the group for the number of its processes; NULL: none */
    bool cgroup_v1;        /* what cgroup is */
    uint64_t lease_ms;     /* when the agent sent what the controller answered last; CLOCK_BOOTTIME */
    struct blob cpu_order; /* uint16_t each: the n-th is CPU n of the launch; empty: the n-th of cpus */
    bool core_known;       /* the task's soft limit of core files: */
    uint64_t core;
    struct strv workdirs;  /* below one of them its working directory must really lie; empty: anywhere */
    char *ranks;           /* the v2 group of its processes; NULL: that of the shim */
    struct strv inherited; /* v1 groups that the shim enters, and its processes with it */
    char *group;           /* the word of its job's groups, for the next agent; NULL: none */
    uint32_t uid, gid;     /* GRANT: those of the launch */
    uint32_t agent;        /* GRANT: the uid of the agent */
    bool stays;            /* GRANT: it may wait for another task when this one has ended */
    char *dir;             /* GRANT: the task's directory; NULL: the one that the shim was started with */
};
#define SHIM_SETUP_FIELDS(F, G, S) \
    F(S, U32, version) \
    F(S, BOOL, drop) \
    F(S, BLOB, groups) \
    F(S, STR, node) \
    F(S, STR, boot_id) \
    F(S, BOOL, bind) \
    F(S, CPUSET, cpus) \
    F(S, STR, cgroup) \
    F(S, U32, nofile) \
    F(S, BOOL, spared) \
    F(S, I32, oom_score_adj) \
    F(S, U64, spool_max) \
    F(S, U32, stuck_ms) \
    F(S, STRV, gpu_names) \
    F(S, STR, supervisor) \
    F(S, STR, pids) \
    F(S, BOOL, cgroup_v1) \
    F(S, U64, lease_ms) \
    F(S, BLOB, cpu_order) \
    F(S, BOOL, core_known) \
    F(S, U64, core) \
    F(S, STRV, workdirs) \
    F(S, STR, ranks) \
    F(S, STRV, inherited) \
    F(S, STR, group) \
    F(S, U32, uid) \
    F(S, U32, gid) \
    F(S, U32, agent) \
    F(S, BOOL, stays) \
    F(S, STR, dir)

extern const struct rec_desc shim_setup_rec;

#endif
