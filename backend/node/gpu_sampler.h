/* gpu_sampler.h - the program that looks at the GPUs for the agent: `stoker-agent --gpu-watch`.
 *
 * For each byte on its standard input it measures once and writes a sample (gpu_sample.h) to its standard
 * output; it ends with its input. A driver that hangs holds up this process alone. Where NVML cannot be
 * loaded nvidia-smi is asked; where there is neither it says so and ends.
 * */
#ifndef STOKER_BACKEND_NODE_GPU_SAMPLER_H
#define STOKER_BACKEND_NODE_GPU_SAMPLER_H

#include "backend/node/gpu_sample.h"

#define GPU_SAMPLER_OPTION "--gpu-watch"

/* Whether this machine has GPUs that can be sampled: NVIDIA's, by the PCI bus. */
bool gpu_sampler_is_needed(void);

/* nvml: another library than the system's (a test's own); NULL: none. Returns the exit status. */
int gpu_sampler_main(const char *nvml);

/* What nvidia-smi says, as its two queries print it: "bus, uuid, busy %, used MiB, MiB, name" and "bus,
 * pid". */
void gpu_sampler_parse_smi(const char *gpus, const char *procs, struct gpu_sample *ret);

#endif
