/* drm_gpus.h - the device files of AMD's and Intel's GPUs, by number. What they compute with is opened
 * through these (/dev/dri/renderD*, /dev/dri/card*); /dev/kfd, which AMD's share, asks for the right to one
 * of them and stays open.
 */
#ifndef STOKER_BACKEND_NODE_DRM_GPUS_H
#define STOKER_BACKEND_NODE_DRM_GPUS_H

#include "backend/node/device_rule.h"
#include "src/base/cpuset.h"

#define DRM_GPUS_SYSFS "/sys/class/drm"
#define DRM_GPUS_MAX   64

struct drm_gpus {
    struct drm_gpu {
        char pci[16]; /* "0000:03:00.0" */
        uint32_t vendor;
        uint32_t minors[2]; /* of renderD* and card*; UINT32_MAX: there is none */
    } v[DRM_GPUS_MAX];      /* in PCI order */
    size_t n;
};

/* Those that have a render node; none where sysfs is not there. */
void drm_gpus_read(const char *sysfs, struct drm_gpus *ret);
/* Whether drm_gpus_close knows which GPUs the numbers of jobs mean. */
bool drm_gpus_are_numbered(const struct drm_gpus *g, uint32_t declared);
/* Adds the files of the GPUs that are not in held. declared: how many the node's configuration gives to
 * jobs: those of one vendor, or all, where there are as many; else their numbers say nothing, and nothing
 * is added. */
void drm_gpus_close(const struct drm_gpus *g, uint32_t declared, const struct cpuset *held,
                    struct device_rule *ret);

#endif
