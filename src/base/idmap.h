/* idmap.h - hash map from 64-bit ids to pointers.
 *
 * Open addressing with linear probing and backward-shift deletion: no tombstones, so no decay under churn.
 * Owns its table, never the values. A value is never NULL.
 */
#ifndef STOKER_BASE_IDMAP_H
#define STOKER_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct idmap_slot {
    uint64_t id;
    void *value; /* NULL = free slot */
};

struct idmap {
    struct idmap_slot *slots;
    size_t n, cap; /* cap is 0 or a power of two */
};

void idmap_fini(struct idmap *m);
void *idmap_get(const struct idmap *m, uint64_t id);
/* Adds or replaces. */
void idmap_set(struct idmap *m, uint64_t id, void *value);
/* Returns the removed value; NULL where there was none. */
void *idmap_remove(struct idmap *m, uint64_t id);

/* Room for n in all: no later idmap_set moves the table until there are more. */
void idmap_reserve(struct idmap *m, size_t n);

/* In no particular order; the map must not change meanwhile. */
#define idmap_for_each(m, slot)                                                      \
    for (struct idmap_slot *slot = (m)->slots; slot < (m)->slots + (m)->cap; slot++) \
        if (slot->value)

/* 64-bit hash of a byte string, for maps keyed by text where a collision is checked by the caller. */
uint64_t hash_bytes(const void *p, size_t n);

#endif
