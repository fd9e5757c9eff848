/* env_index.h - an environment in which many variables are set one after the other.
 *
 * strv_setenv compares the name with each entry: a launch that sets sixty variables among a hundred makes
 * six thousand comparisons. Here a table leads from a name to its entry. Its key is made of addresses, so
 * that users who do not know them cannot choose names that all fall together.
 */
#ifndef STOKER_BASE_ENV_INDEX_H
#define STOKER_BASE_ENV_INDEX_H

#include <stdint.h>

#include "src/base/str.h"

struct env_slot {
    uint32_t hash;
    uint32_t entry; /* 1 + its place in env; 0: empty */
};

struct env_index {
    struct strv *env;
    struct env_slot *slots;
    size_t n_slots, n_used; /* n_slots: a power of two, at least twice n_used */
    uint64_t key;
};

/* env: changed by nothing else until env_index_close, and the caller's all the time. */
void env_index_open(struct env_index *x, struct strv *env);
void env_index_close(struct env_index *x);
/* As strv_getenv, strv_setenv, strv_setenvf and strv_unsetenv: of names that are there twice, the first. */
const char *env_index_get(const struct env_index *x, const char *name);
void env_index_set(struct env_index *x, const char *name, const char *value);
void env_index_setf(struct env_index *x, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void env_index_unset(struct env_index *x, const char *name);

#endif
