#include "src/base/env_index.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

#define SLOTS_MIN 64

static uint64_t env_index_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Of the whole name, eight bytes at a time: users name variables, and those of many names end alike or
 * differ in their end alone. */
static uint32_t env_index_hash(const struct env_index *x, const char *name, size_t n)
{
    uint64_t h = x->key ^ n, word;
    for (; n > sizeof word; name += sizeof word, n -= sizeof word) {
        memcpy(&word, name, sizeof word);
        h = env_index_mix(h ^ word, x->key);
    }
    word = 0;
    memcpy(&word, name, n);
    return (uint32_t)env_index_mix(h ^ word, x->key);
}

/* The slot of the name, or the empty one in which it belongs. */
static struct env_slot *env_index_slot(const struct env_index *x, const char *name, size_t n, uint32_t hash)
{
    for (size_t i = hash & (x->n_slots - 1);; i = (i + 1) & (x->n_slots - 1)) {
        struct env_slot *s = &x->slots[i];
        if (!s->entry)
            return s;
        const char *entry = x->env->v[s->entry - 1];
        if (s->hash == hash && strncmp(entry, name, n) == 0 && entry[n] == '=')
            return s;
    }
}

static void env_index_add(struct env_index *x, size_t place)
{
    const char *entry = x->env->v[place], *eq = strchr(entry, '=');
    if (!eq)
        return;
    size_t n = (size_t)(eq - entry);
    uint32_t hash = env_index_hash(x, entry, n);
    struct env_slot *s = env_index_slot(x, entry, n, hash);
    if (s->entry)
        return; /* the second of its name */
    *s = (struct env_slot){.hash = hash, .entry = (uint32_t)place + 1};
    x->n_used++;
}

static void env_index_build(struct env_index *x)
{
    free(x->slots);
    x->n_used = 0;
    for (x->n_slots = SLOTS_MIN; x->n_slots < x->env->n * 3; x->n_slots *= 2)
        ;
    x->slots = xcalloc(x->n_slots, sizeof *x->slots);
    for (size_t i = 0; i < x->env->n; i++)
        env_index_add(x, i);
}

void env_index_open(struct env_index *x, struct strv *env)
{
    /* Addresses are secret: an odd number in whose upper bits they are too. */
    uint64_t place = (uint64_t)(uintptr_t)x ^ (uint64_t)(uintptr_t)env->v << 20;
    *x = (struct env_index){.env = env, .key = (place * UINT64_C(0x9e3779b97f4a7c15)) | 1};
    env_index_build(x);
}

void env_index_close(struct env_index *x)
{
    free(x->slots);
    *x = (struct env_index){0};
}

static struct env_slot *env_index_find(const struct env_index *x, const char *name)
{
    size_t n = strlen(name);
    return env_index_slot(x, name, n, env_index_hash(x, name, n));
}

const char *env_index_get(const struct env_index *x, const char *name)
{
    const struct env_slot *s = env_index_find(x, name);
    return s->entry ? x->env->v[s->entry - 1] + strlen(name) + 1 : NULL;
}

void env_index_set(struct env_index *x, const char *name, const char *value)
{
    const struct env_slot *s = env_index_find(x, name);
    size_t n = strlen(name), size = strlen(value) + 1;
    char *entry = xmalloc(n + 1 + size);
    memcpy(entry, name, n);
    entry[n] = '=';
    memcpy(entry + n + 1, value, size);
    if (s->entry) {
        free(x->env->v[s->entry - 1]);
        x->env->v[s->entry - 1] = entry;
        return;
    }
    strv_push_take(x->env, entry);
    if ((x->n_used + 1) * 2 > x->n_slots)
        env_index_build(x);
    else
        env_index_add(x, x->env->n - 1);
}

void env_index_setf(struct env_index *x, const char *name, const char *fmt, ...)
{
    struct str value = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&value, fmt, ap);
    va_end(ap);
    env_index_set(x, name, value.s);
    str_fini(&value);
}

void env_index_unset(struct env_index *x, const char *name)
{
    if (!env_index_find(x, name)->entry)
        return;
    strv_unsetenv(x->env, name);
    env_index_build(x); /* the entries behind it have moved */
}
