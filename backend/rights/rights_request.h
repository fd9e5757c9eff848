/* rights_request.h - what is asked of rights.h, and what it answers: plain values of a fixed size. */
#ifndef STOKER_BACKEND_RIGHTS_RIGHTS_REQUEST_H
#define STOKER_BACKEND_RIGHTS_RIGHTS_REQUEST_H

#include <limits.h>

#include "backend/node/job_groups.h"
#include "backend/rights/agent_dir.h"
#include "backend/task/taskdir.h"
#include "src/base/err.h"
#include "src/os/spawn.h"

enum rights_kind {
    RIGHTS_NOTES,        /* text: what the machine offers, a line each */
    RIGHTS_POLICY,       /* reads the policy; fd: the file, number: there is one */
    RIGHTS_CLOSE_GPUS,   /* devices of START are closed from now on; number: the version of groups */
    RIGHTS_LOGIN_SOCKET, /* flag: this is a login node; number: the place is another's */
    RIGHTS_START,        /* a supervisor for key: fd is its socket, pid its process, number: RIGHTS_HAS_* */
    RIGHTS_DISCARD,      /* removes a directory that no supervisor has claimed; -EEXIST: one has */
    RIGHTS_REMOVE,       /* removes the directory of key */
    RIGHTS_END,          /* the end that no supervisor can record: end_kind, t_start, t_end */
    RIGHTS_DIAL,         /* fd: a connection to the supervisor of key */
    RIGHTS_SHARE,        /* lets the agent read a directory that was made before there was a launcher */
    RIGHTS_IS_GONE,      /* number: the process pid that was started at `start` has ended */
    RIGHTS_READ,         /* a reader of files of uid: fd is its socket */
    RIGHTS_SWEEP,        /* kills what key's lost supervisor left; number: how many there were */
    RIGHTS_GROUPS_KILL,  /* the processes of the task, or (flag) of all tasks of the group */
    RIGHTS_GROUPS_LEAVE, /* removes the group of the task */
    RIGHTS_GROUPS_REMOVE,  /* removes the group with those of all its tasks; number: it is gone */
    RIGHTS_GROUPS_LIST,    /* text: words of groups, from the number-th on; number: of all */
    RIGHTS_GROUPS_MEMORY,  /* number: KiB of the task */
    RIGHTS_PRIVATE_LIST,   /* text: names of private_tmp.h, from the number-th on; number: of all */
    RIGHTS_PRIVATE_REMOVE, /* removes that of uid, key and group */
};

/* What a supervisor was started with. */
#define RIGHTS_HAS_GROUPS  1u /* of its job, by the word of the request */
#define RIGHTS_HAS_PRIVATE 2u /* the /tmp of its job: private_tmp.h */

/* The option of the program of readers, with the uid behind it; the socket is their standard input. */
#define FILE_READER_OPTION "--read-file"

#define RIGHTS_NAME_SIZE 256
#define RIGHTS_TEXT_SIZE 4096

/* Fixed, in the byte order of this machine. On the socket it ends with the NUL of path. */
struct rights_request {
    uint32_t kind; /* enum rights_kind */
    struct launch_key key;
    char group[TASKDIR_NAME_SIZE]; /* the word of its job's groups; START: to be made */
    /* START, READ, SWEEP (where flag says that it is known): */
    uint32_t uid, gid;
    char user[RIGHTS_NAME_SIZE]; /* "": not known */
    /* START: */
    uint32_t n_live;
    uint64_t mem_mib, task_mem_mib;
    uint64_t private_mib; /* of /tmp and /dev/shm of its job; 0: the job gets none that it does not have */
    struct cpuset cpus;
    struct device_rule devices;
    /* END, IS_GONE, GROUPS_LIST, SWEEP: */
    uint32_t end_kind;
    int32_t pid;
    uint64_t start, number;
    struct wall t_start, t_end;
    char cluster[80];
    uint32_t flag;       /* START: the directory must be a new one */
    char path[PATH_MAX]; /* START: working directory; READ: file. Both are only compared with the policy */
};

/* On the socket it ends with the NUL of text. */
struct rights_answer {
    int32_t r;      /* 0 or a negative errno, with a text then */
    uint32_t fault; /* START: enum launch_fault */
    int32_t pid;
    int32_t fd; /* here; -1: none */
    uint64_t start, number;
    char text[RIGHTS_TEXT_SIZE];
};

struct rights_config {
    const char *policy;           /* NULL: `policy` in the agent's directory, where there is one */
    const char *clients;          /* where commands look for client.sock; NULL: only on login nodes */
    const char *shim, *shim_mode; /* see forkserver.h */
    const char *reader;           /* the program of the readers */
    struct spawner spawner;       /* starts the shims' server and the readers */
    uint32_t agent;               /* the uid of the agent: that of this process, or another */
    /* Whether a child of this process that is neither supervisor nor reader is one of its own. */
    bool (*is_helper)(void *ctx, pid_t pid);
    void *ctx;
    /* Returns the socket of a supervisor of this process that waits for another task of the user; the
     * caller owns the socket. -1: none waits. NULL: supervisors end with their task. *ret_has_dir: there is
     * a directory `task` now, that of the supervisor's last task before; task NULL: that is not wanted. */
    int (*take_shim)(void *shims, uint32_t uid, const char *task, pid_t *ret_pid, bool *ret_has_dir);
    void *shims;
};

#endif
