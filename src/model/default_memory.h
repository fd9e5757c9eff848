/* default_memory.h - the memory of jobs that name none, as their partition says. */
#ifndef STOKER_MODEL_DEFAULT_MEMORY_H
#define STOKER_MODEL_DEFAULT_MEMORY_H

#include "src/model/model.h"

/* Gives what names no memory that of the first of its partitions that has a default: a batch or interactive
 * job for each GPU if it asks for GPUs, else for each CPU or node; each declared step (of a step job) the
 * same, but none by node. No-op for those that name some. */
void model_settle_memory(const struct model *m, struct job_req *r, struct step *steps, size_t n_steps);

#endif
