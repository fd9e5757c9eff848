/* agent_dir.h - the agent's directory: made, locked, and open until the agent ends. */
#ifndef STOKER_BACKEND_AGENT_AGENT_DIR_H
#define STOKER_BACKEND_AGENT_AGENT_DIR_H

#include <stdbool.h>

#include "src/base/err.h"

struct agent_dir {
    int fd, tasks_fd, lock_fd; /* -1: not open */
    char *path, *tasks_path;   /* absolute */
};

#define AGENT_DIR_INIT                          \
    {                                           \
        .fd = -1, .tasks_fd = -1, .lock_fd = -1 \
    }

/* root: the users of tasks pass through to their scripts. -EEXIST where another agent has it. */
int agent_dir_open(struct agent_dir *d, const char *path, bool root, struct errtext *err)
    __attribute__((warn_unused_result));
void agent_dir_close(struct agent_dir *d);

#endif
