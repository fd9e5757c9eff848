#include "backend/pmi/pmi_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

static size_t pairs_size_of(const char *key, const char *value)
{
    return strlen(key) + strlen(value) + 2 * (size_t)PMI_STRING;
}

size_t pmi_pairs_size(const struct pmi_pair *pair)
{
    return pairs_size_of(pair->key, pair->value);
}

static size_t pairs_find(const struct pmi_pairs *p, const char *key, uint64_t *ret_slot)
{
    uint64_t h = hash_bytes(key, strlen(key));
    for (;; h++) {
        size_t at = (size_t)(uintptr_t)idmap_get(&p->by_key, h);
        *ret_slot = h;
        if (!at || str_eq(p->pairs.v[at - 1].key, key))
            return at;
    }
}

const char *pmi_pairs_get(const struct pmi_pairs *p, const char *key)
{
    uint64_t slot;
    size_t at = pairs_find(p, key, &slot);
    return at ? p->pairs.v[at - 1].value : NULL;
}

bool pmi_pairs_put(struct pmi_pairs *p, const char *key, const char *value, uint32_t *ret_index)
{
    uint64_t slot;
    size_t at = pairs_find(p, key, &slot), size = pairs_size_of(key, value);
    size_t old = at ? pmi_pairs_size(&p->pairs.v[at - 1]) : 0;
    if (p->bytes - old + size > PMI_PAIRS_MAX)
        return false;
    p->bytes += size - old;
    if (at) {
        free(p->pairs.v[at - 1].value);
        p->pairs.v[at - 1].value = xstrdup(value);
    } else {
        vec_push(&p->pairs, (struct pmi_pair){.key = xstrdup(key), .value = xstrdup(value)});
        at = p->pairs.n;
        idmap_set(&p->by_key, slot, (void *)(uintptr_t)at);
    }
    *ret_index = (uint32_t)(at - 1);
    return true;
}

bool pmi_pairs_put_own(struct pmi_pairs *p, const char *key, const char *value, bool travels)
{
    uint64_t slot;
    uint32_t index;
    size_t at = pairs_find(p, key, &slot), size = pairs_size_of(key, value);
    const struct pmi_pair *old = at && p->pairs.v[at - 1].is_new ? &p->pairs.v[at - 1] : NULL;
    size_t part_bytes = p->part_bytes - (old ? pmi_pairs_size(old) : 0) + size;
    bool was_new = old;
    if ((travels && part_bytes > PMI_PART_MAX) || !pmi_pairs_put(p, key, value, &index))
        return false;
    p->part_bytes = part_bytes;
    p->pairs.v[index].is_new = true;
    if (!was_new)
        vec_push(&p->part, index);
    return true;
}

void pmi_pairs_clear_part(struct pmi_pairs *p)
{
    vec_for_each (&p->part, i)
        p->pairs.v[p->part.v[i]].is_new = false;
    vec_clear(&p->part);
    p->part_bytes = 0;
}

const char *pmi_pairs_get_attr(const struct pmi_pairs *p, const char *key)
{
    vec_for_each (&p->attrs, i)
        if (str_eq(p->attrs.v[i].key, key))
            return p->attrs.v[i].value;
    return NULL;
}

bool pmi_pairs_put_attr(struct pmi_pairs *p, const char *key, const char *value)
{
    if (p->bytes + pairs_size_of(key, value) > PMI_PAIRS_MAX)
        return false;
    p->bytes += pairs_size_of(key, value);
    vec_push(&p->attrs, (struct pmi_pair){.key = xstrdup(key), .value = xstrdup(value)});
    return true;
}
