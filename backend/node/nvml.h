/* nvml.h - NVIDIA's management library, loaded where it is there. Nothing of it is needed to build.
 *
 * Its calls may block for as long as the driver likes: not for the agent's loop, see gpu_sampler.h.
 */
#ifndef STOKER_BACKEND_NODE_NVML_H
#define STOKER_BACKEND_NODE_NVML_H

#include "backend/node/gpu_sample.h"
#include "src/base/err.h"

struct nvml;

/* path: NULL for the system's. NULL with a text where it cannot be loaded (-ENOENT in *ret_error) or does
 * not come to life (-EIO: the GPUs cannot be used then). */
struct nvml *nvml_open(const char *path, int *ret_error, struct errtext *err)
    __attribute__((warn_unused_result));
void nvml_close(struct nvml *v); /* NULL: no-op */

/* Fills way, GPUs in PCI order, processes. A GPU that was there before and fails now is in it as lost.
 * -EIO with a text where the library itself fails: open it again. */
int nvml_look(struct nvml *v, struct gpu_sample *ret, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
