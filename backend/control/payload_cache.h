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
/* Takes the place of the one that was there; one that is too large is not kept. */
void payload_cache_put(struct payload_cache *p, uint32_t job, int32_t step, const void *data, size_t n);
void payload_cache_drop(struct payload_cache *p, uint32_t job, int32_t step);
/* The same as a record: decoded once for those that follow one another, which are elements of an array or
 * tasks of a step. NULL: it is not in the cache, is too large to be kept twice, or cannot be decoded. Valid
 * until the next call for another payload, and no longer than the payload is in the cache. */
const struct step_payload *payload_cache_decoded(struct payload_cache *p, uint32_t job, int32_t step);

/* Reads it from the store; fn(ctx) gets it once, however often it was asked for meanwhile. ctx lives as
 * long as the controller. */
void payload_read(struct control *c, uint32_t job, int32_t step, payload_fn *fn, void *ctx);
/* Into the store and the cache. Where payloads are used that are stored already, the next of those. */
void payload_add(struct control *c, uint32_t job, int32_t step, const struct step_payload *p);

/* The payloads of one request, stored in pieces before it is handled: in the order of payload_add. */
struct stored_payloads {
    struct control *ctl;
    struct store_large *large;
    VEC(size_t) ends; /* of each, in the bytes of all */
    size_t next;
};
/* Until stopped with NULL. */
void payload_use_stored(struct control *c, struct stored_payloads *p);
/* The caller's from now on, in use or not; NULL where none are used. */
struct stored_payloads *payload_take_stored(struct control *c);
void payload_free_stored(struct stored_payloads *p);
/* About, in bytes of memory. */
size_t payload_size(const struct step_payload *p);
/* The job that the payload of a step lies at: an array's elements have the array's, but for srun's. */
uint32_t payload_owner(const struct job *j, int32_t step);

#endif
