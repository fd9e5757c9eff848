/* agent_dir.h - the agent's directory: made, locked, and open until the agent ends. */
#ifndef STOKER_BACKEND_RIGHTS_AGENT_DIR_H
#define STOKER_BACKEND_RIGHTS_AGENT_DIR_H

#include <stdbool.h>
#include <sys/types.h>

#include "src/base/err.h"

struct agent_dir {
    int fd, tasks_fd, lock_fd; /* -1: not open */
    char *path, *tasks_path;   /* absolute */
};

#define AGENT_DIR_INIT                          \
    {                                           \
        .fd = -1, .tasks_fd = -1, .lock_fd = -1 \
    }

/* root: the users of tasks pass through to their scripts. wait_ms: how long one that is about to end is
 * waited for. -EEXIST where another agent has it. */
int agent_dir_open(struct agent_dir *d, const char *path, bool root, int wait_ms, struct errtext *err)
    __attribute__((warn_unused_result));
/* The same where another process has made and locked it for us. */
int agent_dir_open_given(struct agent_dir *d, const char *path, struct errtext *err)
    __attribute__((warn_unused_result));
/* Lets an agent that is uid, gid keep its files in the directory of root: it gets those that are there,
 * `lock` and `policy` aside, makes others, and reads the directories of tasks. */
int agent_dir_give(const struct agent_dir *d, uid_t uid, gid_t gid, struct errtext *err)
    __attribute__((warn_unused_result));
void agent_dir_close(struct agent_dir *d);

#endif
