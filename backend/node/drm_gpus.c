#include "backend/node/drm_gpus.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/task/proc.h"
#include "src/base/str.h"
#include "src/base/xalloc.h"

#define DRM_MAJOR    226
#define VENDOR_AMD   0x1002
#define VENDOR_INTEL 0x8086

/* The device behind a file: the last part of where its link leads. */
static bool drm_gpus_pci(const char *sysfs, const char *name, char pci[static 16])
{
    char target[512];
    char *path = xasprintf("%s/%s/device", sysfs, name);
    ssize_t n = readlink(path, target, sizeof target - 1);
    free(path);
    if (n <= 0)
        return false;
    target[n] = '\0';
    const char *last = strrchr(target, '/');
    return snprintf(pci, 16, "%s", last ? last + 1 : target) < 16;
}

static uint32_t drm_gpus_vendor(const char *sysfs, const char *name)
{
    char text[32];
    char *path = xasprintf("%s/%s/device/vendor", sysfs, name);
    ssize_t n = proc_read_file(path, text, sizeof text);
    free(path);
    return n > 0 ? (uint32_t)strtoul(text, NULL, 16) : 0;
}

static struct drm_gpu *drm_gpus_find(struct drm_gpus *g, const char *pci)
{
    for (size_t i = 0; i < g->n; i++)
        if (strcmp(g->v[i].pci, pci) == 0)
            return &g->v[i];
    if (g->n == DRM_GPUS_MAX)
        return NULL;
    struct drm_gpu *d = &g->v[g->n++];
    *d = (struct drm_gpu){.minors = {UINT32_MAX, UINT32_MAX}};
    snprintf(d->pci, sizeof d->pci, "%s", pci);
    return d;
}

static int drm_gpus_compare(const void *a, const void *b)
{
    return strcmp(((const struct drm_gpu *)a)->pci, ((const struct drm_gpu *)b)->pci);
}

void drm_gpus_read(const char *sysfs, struct drm_gpus *ret)
{
    *ret = (struct drm_gpus){0};
    DIR *d = opendir(sysfs);
    if (!d)
        return;
    for (struct dirent *e; (e = readdir(d));) {
        char pci[16], rest;
        unsigned minor;
        bool render = sscanf(e->d_name, "renderD%u%c", &minor, &rest) == 1;
        if ((!render && sscanf(e->d_name, "card%u%c", &minor, &rest) != 1) ||
            !drm_gpus_pci(sysfs, e->d_name, pci))
            continue;
        uint32_t vendor = drm_gpus_vendor(sysfs, e->d_name);
        struct drm_gpu *gpu =
            vendor == VENDOR_AMD || vendor == VENDOR_INTEL ? drm_gpus_find(ret, pci) : NULL;
        if (!gpu)
            continue;
        gpu->vendor = vendor;
        gpu->minors[!render] = minor;
    }
    closedir(d);
    size_t n = 0;
    for (size_t i = 0; i < ret->n; i++)
        if (ret->v[i].minors[0] != UINT32_MAX)
            ret->v[n++] = ret->v[i];
    ret->n = n;
    qsort(ret->v, ret->n, sizeof ret->v[0], drm_gpus_compare);
}

/* vendor 0: any. */
static uint32_t drm_gpus_count(const struct drm_gpus *g, uint32_t vendor)
{
    uint32_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        n += !vendor || g->v[i].vendor == vendor;
    return n;
}

/* Of which vendor the declared ones are. */
static bool drm_gpus_find_vendor(const struct drm_gpus *g, uint32_t declared, uint32_t *ret)
{
    static const uint32_t vendors[] = {VENDOR_AMD, VENDOR_INTEL, 0};
    for (size_t k = 0; declared && k < sizeof vendors / sizeof *vendors; k++)
        if (drm_gpus_count(g, vendors[k]) == declared) {
            *ret = vendors[k];
            return true;
        }
    return false;
}

bool drm_gpus_are_numbered(const struct drm_gpus *g, uint32_t declared)
{
    uint32_t vendor;
    return drm_gpus_find_vendor(g, declared, &vendor);
}

void drm_gpus_close(const struct drm_gpus *g, uint32_t declared, const struct cpuset *held,
                    struct device_rule *ret)
{
    uint32_t number = 0, vendor;
    bool known = drm_gpus_find_vendor(g, declared, &vendor);
    for (size_t i = 0; known && i < g->n; i++) {
        if (vendor && g->v[i].vendor != vendor)
            continue;
        if (!cpuset_has(held, number++))
            for (size_t m = 0; m < 2; m++)
                if (g->v[i].minors[m] != UINT32_MAX)
                    device_rule_add(ret, DRM_MAJOR, g->v[i].minors[m]);
    }
}
