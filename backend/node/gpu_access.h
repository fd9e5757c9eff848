/* gpu_access.h - the GPUs that a task does not hold are closed to it: by a program of the kernel's (BPF) at
 * its v2 control group, or by a rule of its v1 group, where the node's policy asks for it and the agent is
 * root.
 *
 * Only the device files of the single GPUs are closed (major 195); those that all GPUs share stay open.
 * CUDA then counts the GPUs that it can open alone: such a task gets their UUIDs, which mean the same
 * whether the rule holds or not.
 */
#ifndef STOKER_BACKEND_NODE_GPU_ACCESS_H
#define STOKER_BACKEND_NODE_GPU_ACCESS_H

#include "backend/node/cgroup.h"
#include "backend/node/node_gpus.h"

struct gpu_access;

/* NULL: they cannot be closed; adds a note either way. cgroups is borrowed. */
struct gpu_access *gpu_access_new(const struct cgroups *cgroups, bool root, struct strv *notes);
void gpu_access_free(struct gpu_access *ga);
/* Closes all GPUs but those in held: in the task's v2 group where it has one, or in one that is made for
 * it, *ret_dir, which its ranks must enter (caller frees). Returns whether jobs get names instead of
 * numbers. */
bool gpu_access_close(const struct gpu_access *ga, const struct node_gpus *gpus, const char *task,
                      const char *group, const struct cpuset *held, char **ret_dir);
/* Removes the group that was made for the task. */
void gpu_access_remove(const struct gpu_access *ga, const char *task);

#endif
