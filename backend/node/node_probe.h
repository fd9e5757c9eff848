/* node_probe.h - what this machine is and how busy it is. The only place that knows where such figures come
 * from. */
#ifndef STOKER_BACKEND_NODE_NODE_PROBE_H
#define STOKER_BACKEND_NODE_NODE_PROBE_H

#include "src/proto/msg.h"

struct probe {
    struct cpuset cpus; /* that this process may use */
    uint32_t n_cpus;
    uint64_t mem_mib;
    uint32_t gpus;
    char gpu_type[64]; /* "" untyped */
    char boot_id[40], arch[32], os[128];
    struct wall t_boot;
    uint64_t tmp_mib; /* size of the file system of /tmp; 0 unknown */
};

void probe_machine(struct probe *p);

/* Two looks at /proc/stat apart from each other give the load between them. */
struct probe_cpu {
    uint64_t busy, total;
};

/* Permille of the whole machine since the last call; 0 at the first. */
uint32_t probe_cpu_permille(struct probe_cpu *last);
void probe_memory(uint64_t *ret_used_mib, uint64_t *ret_mib);
double probe_load1(void);
/* Bytes that an ordinary user may still write there; UINT64_MAX where that is not known. */
uint64_t probe_disk_free(int dir_fd);

/* "NVIDIA A100-SXM4-80GB" becomes "a100": what people write in --gres=gpu:a100:2. "" where no word has a
 * digit. */
void probe_gpu_type(const char *name, char *buf, size_t size);

#endif
