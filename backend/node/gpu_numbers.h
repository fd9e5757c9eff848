/* gpu_numbers.h - the GPUs of this machine under the numbers that jobs know, for as long as it runs.
 *
 * A GPU gets its number when it is first seen, in PCI order, and keeps it until the next boot, whatever
 * becomes of it: what a job holds must not change its meaning because another GPU fell off the bus, nor
 * because the agent was started again (gpu_numbers_save, gpu_numbers_load).
 */
#ifndef STOKER_BACKEND_NODE_GPU_NUMBERS_H
#define STOKER_BACKEND_NODE_GPU_NUMBERS_H

#include "backend/node/gpu_sample.h"
#include "src/base/cpuset.h"

#define GPU_CLEAN_SAMPLES 2 /* samples without a stranger after which the GPU is given again */

struct gpu_device {
    struct gpu_reading is; /* as last seen */
    bool lost;
    uint32_t strangers; /* processes on it that do not belong there */
    char stranger[200]; /* the first of them, in words; "": none for the last looks */
    int32_t stranger_pid;
    uint32_t clean; /* looks since the last one */
};

struct gpu_numbers {
    struct gpu_device v[GPU_DEVICES_MAX];
    uint32_t n;
    char way[16], trouble[256]; /* as in the last look */
    uint32_t unnamed;
    bool answered; /* there was a sample without trouble */
};

/* Whether a process does not belong on a GPU, and then what it is, in words. */
typedef bool (*gpu_stranger_fn)(void *ctx, uint32_t gpu, int32_t pid, char *text, size_t size);

/* What a sample says of each GPU, and of the processes on it. Returns whether there are new ones. */
bool gpu_numbers_take(struct gpu_numbers *c, const struct gpu_sample *g, gpu_stranger_fn fn, void *ctx);

/* Which of the numbers below n must not be given: lost, or used by a stranger; a note for each,
 * appended. */
void gpu_numbers_out(const struct gpu_numbers *c, uint32_t n, struct cpuset *ret_out,
                     struct cpuset *ret_lost, struct strv *notes);

/* CUDA counts the GPUs that it finds now: where that is not what the numbers mean (or always), appends the
 * name of each GPU (its UUID), by number. Appends nothing where the numbers do. */
void gpu_numbers_names(const struct gpu_numbers *c, bool always, struct strv *ret);

/* The table as text, which holds for this boot alone. */
void gpu_numbers_save(const struct gpu_numbers *c, const char *boot_id, struct str *out);
/* False, and c is empty, where text is of another boot or no table. */
bool gpu_numbers_load(struct gpu_numbers *c, const char *boot_id, const char *text);

#endif
