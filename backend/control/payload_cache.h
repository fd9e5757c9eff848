/* payload_cache.h - scripts and environments that were submitted or read lately.
 *
 * So that a job which starts at once is not read back. Bounded in bytes; the oldest goes first. */
#ifndef STOKER_BACKEND_CONTROL_PAYLOAD_CACHE_H
#define STOKER_BACKEND_CONTROL_PAYLOAD_CACHE_H

#include "backend/control/core.h"

extern const struct module_ops payload_cache_module;

/* p: NULL where it is not kept. Valid during the call. */
typedef void payload_fn(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n);

struct payload_cache *payload_cache_new(void);
void payload_cache_free(struct payload_cache *p);
const uint8_t *payload_cache_get(struct payload_cache *p, uint32_t job, int32_t step, size_t *ret_n);
void payload_cache_drop(struct payload_cache *p, uint32_t job, int32_t step);

/* Reads it from the store; fn(ctx) gets it once, however often it was asked for meanwhile. ctx lives as
 * long as the controller. */
void payload_read(struct control *c, uint32_t job, int32_t step, payload_fn *fn, void *ctx);
/* Into the store and the cache. */
void payload_add(struct control *c, uint32_t job, int32_t step, const struct step_payload *p);
/* The job that the payload of a step lies at: an array's elements have the array's, but for srun's. */
uint32_t payload_owner(const struct job *j, int32_t step);

#endif
