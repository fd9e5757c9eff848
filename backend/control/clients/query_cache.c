/* query_cache.c - answers that are given again. */
#include "backend/control/clients/query_cache.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

struct kept {
    struct str key; /* empty: nothing is here */
    struct answer_stamp stamp;
    struct answer answer;
};

struct answers {
    struct kept v[ANSWERS];
    size_t next;
};

bool answer_add(struct answer *a, const void *body, size_t n)
{
    if (a->bytes.len + n > ANSWER_MAX) {
        answer_fini(a);
        return false;
    }
    str_append_n(&a->bytes, body, n);
    vec_push(&a->ends, a->bytes.len);
    return true;
}

void answer_fini(struct answer *a)
{
    str_fini(&a->bytes);
    vec_fini(&a->ends);
}

struct answers *answers_new(void)
{
    struct answers *a = xcalloc(1, sizeof *a);
    for (size_t i = 0; i < ANSWERS; i++) {
        str_init(&a->v[i].key);
        str_init(&a->v[i].answer.bytes);
    }
    return a;
}

static void drop(struct kept *k)
{
    str_fini(&k->key);
    answer_fini(&k->answer);
}

void answers_clear(struct answers *a)
{
    for (size_t i = 0; i < ANSWERS; i++)
        drop(&a->v[i]);
}

void answers_free(struct answers *a)
{
    if (!a)
        return;
    answers_clear(a);
    free(a);
}

static bool is_same(const struct answer_stamp *a, const struct answer_stamp *b)
{
    return a->events == b->events && a->passes == b->passes && a->second == b->second;
}

static bool is_key(const struct kept *k, const struct str *key)
{
    return k->key.len == key->len && memcmp(k->key.s, key->s, key->len) == 0;
}

const struct answer *answers_find(const struct answers *a, const struct str *key, struct answer_stamp now,
                                  int64_t asked_ns)
{
    for (size_t i = 0; i < ANSWERS; i++) {
        const struct kept *k = &a->v[i];
        if (k->key.len && is_key(k, key) && (is_same(&k->stamp, &now) || k->stamp.begun_ns >= asked_ns))
            return &k->answer;
    }
    return NULL;
}

/* An older answer to the same question goes first. */
static struct kept *place_for(struct answers *a, const struct str *key)
{
    for (size_t i = 0; i < ANSWERS; i++)
        if (is_key(&a->v[i], key))
            return &a->v[i];
    a->next = (a->next + 1) % ANSWERS;
    return &a->v[a->next];
}

void answers_take(struct answers *a, struct str *key, struct answer_stamp made, struct answer *answer)
{
    struct kept *k = place_for(a, key);
    drop(k);
    *k = (struct kept){.key = *key, .stamp = made, .answer = *answer};
    str_init(key);
    *answer = (struct answer)ANSWER_INIT;
}
