/* own_limits.h - limits of the agent's own process, and those that its tasks get instead. */
#ifndef STOKER_BACKEND_RIGHTS_OWN_LIMITS_H
#define STOKER_BACKEND_RIGHTS_OWN_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct own_limits {
    uint32_t nofile; /* soft limits for the tasks */
    uint64_t core;
    bool spared;           /* the kernel's out-of-memory killer spares the agent and its shims */
    int32_t oom_score_adj; /* for the tasks */
};

/* Raises the limits of this process, and notes what they were before. */
void own_limits_raise(struct own_limits *l, bool root);

#endif
