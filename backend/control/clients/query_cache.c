#include "backend/control/clients/query_cache.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

struct cached_answer {
    struct str key; /* empty: nothing is here */
    struct query_stamp stamp;
    struct query_answer answer;
};

struct query_cache {
    struct cached_answer v[ANSWERS];
    size_t next;
};

bool query_answer_add(struct query_answer *a, const void *body, size_t n)
{
    if (a->bytes.len + n > ANSWER_MAX) {
        query_answer_fini(a);
        return false;
    }
    str_append_n(&a->bytes, body, n);
    vec_push(&a->ends, a->bytes.len);
    return true;
}

void query_answer_fini(struct query_answer *a)
{
    str_fini(&a->bytes);
    vec_fini(&a->ends);
}

struct query_cache *query_cache_new(void)
{
    struct query_cache *a = xcalloc(1, sizeof *a);
    for (size_t i = 0; i < ANSWERS; i++) {
        str_init(&a->v[i].key);
        str_init(&a->v[i].answer.bytes);
    }
    return a;
}

static void query_cache_drop(struct cached_answer *k)
{
    str_fini(&k->key);
    query_answer_fini(&k->answer);
}

void query_cache_clear(struct query_cache *a)
{
    for (size_t i = 0; i < ANSWERS; i++)
        query_cache_drop(&a->v[i]);
}

void query_cache_free(struct query_cache *a)
{
    if (!a)
        return;
    query_cache_clear(a);
    free(a);
}

static bool query_cache_is_same(const struct query_stamp *a, const struct query_stamp *b)
{
    return a->events == b->events && a->cycles == b->cycles && a->second == b->second &&
           a->forecast_ms == b->forecast_ms;
}

static bool query_cache_is_key(const struct cached_answer *k, const struct str *key)
{
    return k->key.len == key->len && memcmp(k->key.s, key->s, key->len) == 0;
}

const struct query_answer *query_cache_find(const struct query_cache *a, const struct str *key,
                                            struct query_stamp now, int64_t asked_ns)
{
    for (size_t i = 0; i < ANSWERS; i++) {
        const struct cached_answer *k = &a->v[i];
        if (k->key.len && query_cache_is_key(k, key) &&
            (query_cache_is_same(&k->stamp, &now) || k->stamp.begun_ns >= asked_ns))
            return &k->answer;
    }
    return NULL;
}

/* An older answer to the same question goes first. */
static struct cached_answer *query_cache_place(struct query_cache *a, const struct str *key)
{
    for (size_t i = 0; i < ANSWERS; i++)
        if (query_cache_is_key(&a->v[i], key))
            return &a->v[i];
    a->next = (a->next + 1) % ANSWERS;
    return &a->v[a->next];
}

void query_cache_take(struct query_cache *a, struct str *key, struct query_stamp made,
                      struct query_answer *answer)
{
    struct cached_answer *k = query_cache_place(a, key);
    query_cache_drop(k);
    *k = (struct cached_answer){.key = *key, .stamp = made, .answer = *answer};
    str_init(key);
    *answer = (struct query_answer)ANSWER_INIT;
}
