/* adopt.h - what an earlier agent has left: living shims, ends that no controller has taken, tasks of an
 * earlier boot.
 */
#ifndef STOKER_BACKEND_AGENT_ADOPT_H
#define STOKER_BACKEND_AGENT_ADOPT_H

#include "backend/loop/loop.h"

struct agent;

struct adoption {
    struct agent *a;
    struct loop_timer again;
    bool told; /* that some cannot be read now */
};

/* Reads the task directories, again and again until all are known: the table of tasks is complete then. */
void adopt_begin(struct adoption *ad, struct agent *a);

#endif
