/* nvml.c - the few calls of NVIDIA's management library that are used here.
 *
 * Names, numbers and layouts are those of NVIDIA's public API reference. Of calls with several versions the
 * one is taken whose layout never changed.
 */
#include "backend/node/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

#define LIBRARY     "libnvidia-ml.so.1"
#define MIB         (1u << 20)
#define PROCS_MAX   256
#define UUID_SIZE   96
#define NAME_SIZE   96
#define PCI_RESERVE 32 /* later versions fill in more than is declared here */

enum {
    NVML_OK = 0,
    NVML_UNINITIALIZED = 1,
    NVML_NOT_SUPPORTED = 3,
    NVML_DRIVER_NOT_LOADED = 9,
    NVML_GPU_IS_LOST = 15,
    NVML_RESET_REQUIRED = 16
};

typedef struct nvml_device *device_t;

struct pci_info { /* nvmlPciInfo_t: these members are in all versions */
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char more[PCI_RESERVE + 32];
};

struct memory { /* nvmlMemory_t */
    unsigned long long total, free, used;
};

struct utilization { /* nvmlUtilization_t */
    unsigned gpu, memory;
};

struct process_1 { /* nvmlProcessInfo_v1_t */
    unsigned pid;
    unsigned long long used;
};

struct process_2 { /* nvmlProcessInfo_v2_t */
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
};

/* X(member, return and arguments, names in the order of preference, needed) */
#define CALLS(X)                                                                                         \
    X(init, (void), "nvmlInit_v2\0nvmlInit\0", true)                                                     \
    X(shutdown, (void), "nvmlShutdown\0", true)                                                          \
    X(count, (unsigned *), "nvmlDeviceGetCount_v2\0nvmlDeviceGetCount\0", true)                          \
    X(handle, (unsigned, device_t *),                                                                    \
      "nvmlDeviceGetHandleByIndex_v2\0nvmlDeviceGetHandleByIndex\0", true)                               \
    X(pci, (device_t, struct pci_info *),                                                                \
      "nvmlDeviceGetPciInfo_v3\0nvmlDeviceGetPciInfo_v2\0nvmlDeviceGetPciInfo\0", true)                  \
    X(uuid, (device_t, char *, unsigned), "nvmlDeviceGetUUID\0", true)                                   \
    X(name, (device_t, char *, unsigned), "nvmlDeviceGetName\0", true)                                   \
    X(minor, (device_t, unsigned *), "nvmlDeviceGetMinorNumber\0", false)                                \
    X(memory, (device_t, struct memory *), "nvmlDeviceGetMemoryInfo\0", true)                            \
    X(utilization, (device_t, struct utilization *), "nvmlDeviceGetUtilizationRates\0", false)           \
    X(compute_2, (device_t, unsigned *, struct process_2 *),                                             \
      "nvmlDeviceGetComputeRunningProcesses_v2\0", false)                                                \
    X(compute_1, (device_t, unsigned *, struct process_1 *), "nvmlDeviceGetComputeRunningProcesses\0",   \
      false)                                                                                             \
    X(graphics_2, (device_t, unsigned *, struct process_2 *),                                            \
      "nvmlDeviceGetGraphicsRunningProcesses_v2\0", false)                                               \
    X(graphics_1, (device_t, unsigned *, struct process_1 *), "nvmlDeviceGetGraphicsRunningProcesses\0", \
      false)

struct nvml {
    void *library;
#define X(member, args, names, needed) int(*member) args;
    CALLS(X)
#undef X
    const char *(*error_string)(int);
    bool alive;
    char seen[GPU_DEVICES_MAX][32]; /* bus of each index when it last answered: a lost GPU has no name */
    char uuids[GPU_DEVICES_MAX][UUID_SIZE];
};

static void *nvml_find(void *library, const char *names)
{
    void *p = NULL;
    for (; *names && !p; names += strlen(names) + 1)
        p = dlsym(library, names);
    return p;
}

static const char *nvml_text_of(const struct nvml *v, int r)
{
    const char *s = v->error_string ? v->error_string(r) : NULL;
    return s ? s : "unknown error";
}

/* Where drivers are put that no package of the system brought: containers and images, WSL, NixOS. */
static void *open_elsewhere(void)
{
    static const char *const paths[] = {"/usr/local/nvidia/lib64/" LIBRARY,
                                        "/usr/local/nvidia/lib/" LIBRARY, "/usr/lib/wsl/lib/" LIBRARY,
                                        "/run/opengl-driver/lib/" LIBRARY};
    void *library = NULL;
    for (size_t i = 0; i < sizeof paths / sizeof *paths && !library; i++)
        library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

struct nvml *nvml_open(const char *path, int *ret_error, struct errtext *err)
{
    bool anywhere = !path;
    path = path ? path : LIBRARY;
    struct nvml *v = xcalloc(1, sizeof *v);
    v->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!v->library && anywhere)
        v->library = open_elsewhere();
    const char *missing = NULL;
    *ret_error = -ENOENT;
    if (!v->library) {
        err_set(err, -ENOENT, "%s", dlerror());
        free(v);
        return NULL;
    }
    /* dlsym finds functions as objects: stored through a pointer to one, as POSIX has it. */
#define X(member, args, names, needed)              \
    *(void **)&v->member = nvml_find(v->library, names); \
    missing = missing || v->member || !(needed) ? missing : names;
    CALLS(X)
#undef X
    *(void **)&v->error_string = dlsym(v->library, "nvmlErrorString");
    int r = missing ? NVML_OK : v->init();
    if (!missing && r == NVML_OK) {
        v->alive = true;
        return v;
    }
    *ret_error = missing ? -ENOENT : -EIO;
    if (missing)
        err_set(err, -ENOENT, "%s has no %s", path, missing);
    else
        err_set(err, -EIO, "NVML: %s", nvml_text_of(v, r));
    nvml_close(v);
    return NULL;
}

void nvml_close(struct nvml *v)
{
    if (!v)
        return;
    if (v->alive)
        v->shutdown();
    dlclose(v->library);
    free(v);
}

static bool is_lost(int r)
{
    return r == NVML_GPU_IS_LOST || r == NVML_RESET_REQUIRED;
}

static uint32_t pids_of(const struct nvml *v, device_t d, bool graphics, uint32_t *pids)
{
    struct process_2 two[PROCS_MAX];
    struct process_1 one[PROCS_MAX];
    unsigned n = PROCS_MAX;
    int r;
    bool newer = graphics ? v->graphics_2 != NULL : v->compute_2 != NULL;
    if (newer)
        r = graphics ? v->graphics_2(d, &n, two) : v->compute_2(d, &n, two);
    else if (graphics ? v->graphics_1 != NULL : v->compute_1 != NULL)
        r = graphics ? v->graphics_1(d, &n, one) : v->compute_1(d, &n, one);
    else
        return 0;
    if (r != NVML_OK || n > PROCS_MAX)
        return 0;
    for (unsigned i = 0; i < n; i++)
        pids[i] = newer ? two[i].pid : one[i].pid;
    return n;
}

/* Compute processes. A process that draws as well, a desktop, is in both lists and disturbs no job. */
static void look_at_processes(const struct nvml *v, device_t d, struct gpu_sample *g, uint32_t gpu)
{
    uint32_t compute[PROCS_MAX], graphics[PROCS_MAX];
    uint32_t n = pids_of(v, d, false, compute), m = n ? pids_of(v, d, true, graphics) : 0;
    for (uint32_t i = 0; i < n && g->n_procs < GPU_PROCS_MAX; i++) {
        bool draws = false;
        for (uint32_t k = 0; k < m; k++)
            draws = draws || graphics[k] == compute[i];
        if (!draws && compute[i] && compute[i] <= INT32_MAX)
            g->procs[g->n_procs++] = (struct gpu_proc){.gpu = gpu, .pid = (int32_t)compute[i]};
    }
}

static void add_lost(struct nvml *v, unsigned at, struct gpu_sample *g)
{
    if (!v->seen[at][0]) {
        g->unnamed++;
        return;
    }
    struct gpu_reading *c = &g->gpus[g->n_gpus++];
    *c = (struct gpu_reading){.lost = true, .minor = UINT32_MAX};
    snprintf(c->bus, sizeof c->bus, "%s", v->seen[at]);
    snprintf(c->uuid, sizeof c->uuid, "%s", v->uuids[at]);
}

/* The first question that a GPU does not answer tells of its loss. */
static void nvml_look_at(struct nvml *v, unsigned at, struct gpu_sample *g)
{
    device_t d;
    struct pci_info pci = {0};
    struct memory mem = {0};
    struct utilization util = {0};
    struct gpu_reading c = {.minor = UINT32_MAX};
    int r = v->handle(at, &d);
    r = r == NVML_OK ? v->pci(d, &pci) : r;
    r = r == NVML_OK ? v->uuid(d, c.uuid, UUID_SIZE) : r;
    r = r == NVML_OK ? v->name(d, c.name, NAME_SIZE) : r;
    if (r != NVML_OK) {
        add_lost(v, at, g);
        return;
    }
    snprintf(c.bus, sizeof c.bus, "%04x:%02x:%02x.0", pci.domain, pci.bus & 0xff, pci.device & 0xff);
    snprintf(v->seen[at], sizeof v->seen[at], "%s", c.bus);
    snprintf(v->uuids[at], sizeof v->uuids[at], "%s", c.uuid);
    unsigned minor;
    if (v->minor && v->minor(d, &minor) == NVML_OK)
        c.minor = minor;
    r = v->memory(d, &mem);
    c.lost = is_lost(r);
    if (r == NVML_OK) {
        c.mib = mem.total / MIB;
        c.used_mib = mem.used / MIB;
    }
    if (!c.lost && v->utilization) {
        r = v->utilization(d, &util);
        c.lost = is_lost(r);
        c.busy_pct = r != NVML_OK ? 0 : util.gpu > 100 ? 100 : util.gpu;
    }
    g->gpus[g->n_gpus++] = c;
    if (!c.lost)
        look_at_processes(v, d, g, g->n_gpus - 1);
}

int nvml_look(struct nvml *v, struct gpu_sample *ret, struct errtext *err)
{
    unsigned n = 0;
    memset(ret, 0, sizeof *ret);
    snprintf(ret->way, sizeof ret->way, "NVML");
    int r = v->count(&n);
    if (r != NVML_OK)
        return err_set(err, -EIO, "NVML: %s", nvml_text_of(v, r));
    for (unsigned i = 0; i < n && i < GPU_DEVICES_MAX; i++)
        nvml_look_at(v, i, ret);
    gpu_sample_sort(ret);
    return 0;
}
