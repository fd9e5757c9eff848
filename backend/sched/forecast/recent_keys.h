/* recent_keys.h - what was learnt of each key, for the keys that were used last.
 *
 * An entry is a struct of the caller that begins with struct recent_key, is made with zeros, and is freed
 * when its key is dropped.
 */
#ifndef STOKER_SCHED_FORECAST_RECENT_KEYS_H
#define STOKER_SCHED_FORECAST_RECENT_KEYS_H

#include "src/base/idmap.h"
#include "src/base/list.h"

struct recent_key {
    struct list by_age; /* in by_age of the keys, the one that was used last at the end */
    uint64_t key;
};

struct recent_keys {
    struct idmap by_key; /* key -> the entry */
    struct list by_age;
};

void recent_keys_init(struct recent_keys *r);
void recent_keys_fini(struct recent_keys *r);
/* The entry of a key; NULL: there is none. */
void *recent_keys_get(const struct recent_keys *r, uint64_t key);
/* The same, of `size` bytes; a new one takes the place of the oldest if there are `most`. It is the newest
 * then. */
void *recent_keys_use(struct recent_keys *r, uint64_t key, size_t size, size_t most);

#endif
