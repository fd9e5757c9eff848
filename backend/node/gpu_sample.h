/* gpu_sample.h - what one look at the GPUs of a machine has shown, and how it gets from the program that
 * looks to the agent.
 *
 * The driver may take its time, or never answer: so a process of its own looks (gpu_sampler.h), and says
 * what it saw in lines of text:
 *
 *     way NVML                                    or nvidia-smi; left out where there is neither
 *     trouble TEXT                                why nothing can be said of the GPUs
 *     unnamed 1                                   GPUs that answer no question at all
 *     card BUS MINOR BUSY% USED TOTAL LOST UUID NAME
 *     proc CARD PID                               computes on it; CARD counts the lines above from 0
 *     .
 */
#ifndef STOKER_BACKEND_NODE_GPU_SAMPLE_H
#define STOKER_BACKEND_NODE_GPU_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/str.h"

#define GPU_DEVICES_MAX 64
#define GPU_PROCS_MAX   1024
#define GPU_TEXT_MAX    (256u << 10) /* of a sample; more is nonsense */

struct gpu_reading {
    char bus[32]; /* "0000:3b:00.0": PCI order is the order of these texts */
    char uuid[96], name[96];
    uint32_t minor; /* /dev/nvidiaN; UINT32_MAX: not known */
    uint32_t busy_pct;
    uint64_t used_mib, mib;
    bool lost; /* fallen off the bus, or not to be used without a reset */
};

struct gpu_proc {
    uint32_t gpu;
    int32_t pid;
};

struct gpu_sample {
    char way[16];      /* "": there is none */
    char trouble[256]; /* "": the GPUs are all that there are */
    struct gpu_reading gpus[GPU_DEVICES_MAX];
    struct gpu_proc procs[GPU_PROCS_MAX];
    uint32_t n_gpus, n_procs;
    uint32_t unnamed;
};

/* "00000000:3B:00.0", as the driver writes it, becomes "0000:3b:00.0". False where it is no such
 * address. */
bool gpu_sample_bus(const char *text, char buf[static 32]);
/* Puts the GPUs into PCI order, the processes with them. */
void gpu_sample_sort(struct gpu_sample *g);

void gpu_sample_format(const struct gpu_sample *g, struct str *out);
/* text: up to and with the line of the dot. -EBADMSG where it is not what gpu_sample_format writes. */
int gpu_sample_parse(const char *text, struct gpu_sample *ret) __attribute__((warn_unused_result));

#endif
