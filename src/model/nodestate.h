/* nodestate.h - what the record of a node comes to: does its agent answer, which of its GPUs are out. */
#ifndef STOKER_MODEL_NODESTATE_H
#define STOKER_MODEL_NODESTATE_H

#include "src/model/model.h"

/* A login node that is the controller's machine: commands there reach the controller without an agent. */
bool node_needs_no_agent(const struct node *n);
/* Does its agent answer, where it needs one? "*" marks nodes that do not. */
bool node_responds(const struct node *n);
/* Drained, down, silent, lost or no longer configured: it takes no new jobs. */
bool node_is_out(const struct node *n);
/* Lost, used from outside, or held by a task that no job here has: not to be given. */
bool node_gpu_is_out(const struct node *n, unsigned gpu);

/* The agent's note where a job cannot open the device files of GPUs that it does not hold. */
#define NOTE_GPUS_CLOSED "gpus: those of others are closed to a job"
bool node_closes_gpus(const struct node *n);
/* The agent's note of what jobs are kept within by control groups: "memory, CPUs, processes (cgroup v2)",
 * what is not after NOTE_CONTAINMENT_LACKS, or "none (why)". */
#define NOTE_CONTAINMENT       "containment: "
#define NOTE_CONTAINMENT_LACKS "; not "
/* That text behind its beginning; NULL: an agent of an earlier release. */
const char *node_containment(const struct node *n);
/* A job there cannot use more memory, CPUs and processes than it has, whatever it tries. */
bool node_contains_jobs(const struct node *n);
/* GPUs are configured that its agent does not find (and may: detect = false believes them). */
bool node_lacks_gpus(const struct node *n);

#endif
