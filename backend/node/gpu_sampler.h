/* gpu_sampler.h - the program that looks at the GPUs for the agent: `stoker-agent --gpu-watch`.
 *
 * For each byte on its standard input it looks once and writes a look (gpu_sample.h) to its standard
 * output; it ends with its input. A driver that hangs holds up this process alone. Where NVML cannot be
 * loaded nvidia-smi is asked; where there is neither it says so and ends.
 *
 * STOKER_NVML names another library than the system's: a test's own.
 */
#ifndef STOKER_BACKEND_NODE_GPU_SAMPLER_H
#define STOKER_BACKEND_NODE_GPU_SAMPLER_H

#include "backend/node/gpu_sample.h"

#define GPUWATCH_OPTION "--gpu-watch"
#define GPUWATCH_NVML   "STOKER_NVML"

/* Whether this machine has cards that are worth a look: NVIDIA's, by the PCI bus, or a library that a test
 * names. */
bool gpuwatch_is_needed(void);

int gpuwatch_main(void);

/* What nvidia-smi says, as its two queries print it: "bus, uuid, busy %, used MiB, MiB, name" and "bus,
 * pid". */
void gpuwatch_parse_smi(const char *cards, const char *procs, struct gpu_look *ret);

#endif
