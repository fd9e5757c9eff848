/* Descriptors are one per task, and memory holds environments of users: no core files. Tasks get the limits
 * from before, or those of the controller's start where the controller has started this agent. */
#include "backend/rights/own_limits.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/task/proc.h"
#include "src/os/ulimit.h"

#define SPARED "-900" /* oom_score_adj of the agent and its shims */

void own_limits_raise(struct own_limits *l, bool root)
{
    uint64_t nofile = 0;
    char text[32];
    l->core = ULIMIT_UNLIMITED;
    ulimit_get(ULIMIT_NOFILE, &nofile);
    ulimit_get(ULIMIT_CORE, &l->core);
    ulimit_inherited(&nofile, &l->core);
    l->nofile = nofile > UINT32_MAX ? UINT32_MAX : (uint32_t)nofile;
    ulimit_set(ULIMIT_NOFILE, ULIMIT_UNLIMITED);
    ulimit_set(ULIMIT_CORE, 0);
    if (proc_read_file("/proc/self/oom_score_adj", text, sizeof text) > 0)
        l->oom_score_adj = atoi(text);
    /* Not permitted in some containers: then the agent and its shims are as mortal as their tasks. */
    int fd = root ? open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC) : -1;
    l->spared = fd >= 0 && write(fd, SPARED, sizeof SPARED - 1) > 0;
    if (fd >= 0)
        close(fd);
}
