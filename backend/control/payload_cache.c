/* payload_cache.c - scripts and environments that were submitted or read lately, so that a job which starts
 * at once is not read back.
 *
 * Bounded in bytes; the oldest goes first.
 */
#include <stdlib.h>

#include "backend/control/private.h"

#define CACHE_BYTES (32u << 20)

struct entry {
    struct list link; /* oldest first */
    uint64_t key;
    size_t n;
    uint8_t data[];
};

struct payload_cache {
    struct idmap map;
    struct idmap asked; /* being read from the store */
    struct list order;
    size_t bytes;
};

static uint64_t key_of(uint32_t job, int32_t step)
{
    return (uint64_t)job << 32 | (uint32_t)step;
}

struct payload_cache *payload_cache_new(void)
{
    struct payload_cache *p = xcalloc(1, sizeof *p);
    list_init(&p->order);
    return p;
}

static void drop(struct payload_cache *p, struct entry *e)
{
    idmap_remove(&p->map, e->key);
    list_unlink(&e->link);
    p->bytes -= e->n;
    explicit_bzero(e->data, e->n); /* environments hold tokens */
    free(e);
}

void payload_cache_free(struct payload_cache *p)
{
    list_for_each (e, &p->order, struct entry, link)
        drop(p, e);
    idmap_fini(&p->map);
    idmap_fini(&p->asked);
    free(p);
}

void payload_cache_put(struct payload_cache *p, uint32_t job, int32_t step, const void *data, size_t n)
{
    payload_cache_drop(p, job, step);
    if (n > CACHE_BYTES / 4)
        return;
    struct entry *e = xmalloc(sizeof *e + n);
    e->key = key_of(job, step);
    e->n = n;
    memcpy(e->data, data, n);
    list_init(&e->link);
    list_append(&p->order, &e->link);
    idmap_set(&p->map, e->key, e);
    p->bytes += n;
    while (p->bytes > CACHE_BYTES)
        drop(p, list_first(&p->order, struct entry, link));
}

const uint8_t *payload_cache_get(struct payload_cache *p, uint32_t job, int32_t step, size_t *ret_n)
{
    struct entry *e = idmap_get(&p->map, key_of(job, step));
    if (!e)
        return NULL;
    *ret_n = e->n;
    return e->data;
}

bool payload_cache_ask(struct payload_cache *p, uint32_t job, int32_t step)
{
    if (idmap_get(&p->asked, key_of(job, step)))
        return false;
    idmap_set(&p->asked, key_of(job, step), p);
    return true;
}

void payload_cache_answer(struct payload_cache *p, uint32_t job, int32_t step)
{
    idmap_remove(&p->asked, key_of(job, step));
}

void payload_cache_drop(struct payload_cache *p, uint32_t job, int32_t step)
{
    struct entry *e = idmap_get(&p->map, key_of(job, step));
    if (e)
        drop(p, e);
}
