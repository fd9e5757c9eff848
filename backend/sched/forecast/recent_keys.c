#include "backend/sched/forecast/recent_keys.h"

#include <stdlib.h>

#include "src/base/xalloc.h"

void recent_keys_init(struct recent_keys *r)
{
    *r = (struct recent_keys){0};
    list_init(&r->by_age);
}

void recent_keys_fini(struct recent_keys *r)
{
    idmap_for_each (&r->by_key, slot)
        free(slot->value);
    idmap_fini(&r->by_key);
}

void *recent_keys_get(const struct recent_keys *r, uint64_t key)
{
    return idmap_get(&r->by_key, key);
}

void *recent_keys_use(struct recent_keys *r, uint64_t key, size_t size, size_t most)
{
    struct recent_key *k = idmap_get(&r->by_key, key);
    if (!k && r->by_key.n >= most) {
        struct recent_key *oldest = list_first(&r->by_age, struct recent_key, by_age);
        list_unlink(&oldest->by_age);
        free(idmap_remove(&r->by_key, oldest->key));
    }
    if (!k) {
        k = xcalloc(1, size);
        k->key = key;
        list_init(&k->by_age);
        idmap_set(&r->by_key, key, k);
    }
    list_move_to_end(&r->by_age, &k->by_age);
    return k;
}
