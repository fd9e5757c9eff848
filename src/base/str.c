/* str.c - growable strings and string lists. */
#include "src/base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"

char str_empty_text[1] = "";

void str_init(struct str *b)
{
    *b = (struct str)STR_INIT;
}

void str_fini(struct str *b)
{
    if (b->cap)
        free(b->s);
    str_init(b);
}

void str_clear(struct str *b)
{
    str_truncate(b, 0);
}

void str_reserve(struct str *b, size_t extra)
{
    size_t want = b->len + extra + 1;
    if (want <= b->cap)
        return;
    size_t cap = b->cap * 2 > want ? b->cap * 2 : want;
    cap = cap < 32 ? 32 : cap;
    b->s = b->cap ? xrealloc(b->s, cap) : xmalloc(cap);
    b->s[b->len] = '\0';
    b->cap = cap;
}

void str_append_n(struct str *b, const char *s, size_t n)
{
    if (!n)
        return;
    str_reserve(b, n);
    memcpy(b->s + b->len, s, n);
    b->len += n;
    b->s[b->len] = '\0';
}

void str_append(struct str *b, const char *s)
{
    str_append_n(b, s, strlen(s));
}

void str_append_char(struct str *b, char c)
{
    str_append_n(b, &c, 1);
}

void str_vappendf(struct str *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(b->cap ? b->s + b->len : NULL, b->cap ? b->cap - b->len : 0, fmt, ap);
    bug_on(n < 0);
    if (!b->cap || b->len + (size_t)n >= b->cap) {
        str_reserve(b, (size_t)n);
        vsnprintf(b->s + b->len, b->cap - b->len, fmt, again);
    }
    va_end(again);
    b->len += (size_t)n;
}

void str_appendf(struct str *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(b, fmt, ap);
    va_end(ap);
}

void str_truncate(struct str *b, size_t len)
{
    if (len < b->len) {
        b->len = len;
        b->s[len] = '\0';
    }
}

char *str_take(struct str *b)
{
    char *s = b->cap ? b->s : xstrndup("", 0);
    str_init(b);
    return s;
}

bool str_eq(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool str_ieq(const char *a, const char *b)
{
    return a == b || (a && b && strcasecmp(a, b) == 0);
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && strcmp(s + n - m, suffix) == 0;
}

bool str_is_empty(const char *s)
{
    return !s || !*s;
}

char *str_trim(char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    size_t n = strlen(s);
    while (n && isspace((unsigned char)s[n - 1]))
        s[--n] = '\0';
    return s;
}

void strv_push_take(struct strv *a, char *s)
{
    /* Grow at powers of two; one more slot keeps the list NULL-terminated. */
    if ((a->n & (a->n + 1)) == 0)
        a->v = xreallocarray(a->v, (a->n + 1) * 2 + 1, sizeof *a->v);
    a->v[a->n++] = s;
    a->v[a->n] = NULL;
}

void strv_push(struct strv *a, const char *s)
{
    strv_push_take(a, xstrdup(s));
}

void strv_fini(struct strv *a)
{
    for (size_t i = 0; i < a->n; i++)
        free(a->v[i]);
    free(a->v);
    *a = (struct strv){0};
}

struct strv strv_copy(const struct strv *a)
{
    struct strv b = {0};
    for (size_t i = 0; i < a->n; i++)
        strv_push(&b, a->v[i]);
    return b;
}

bool strv_has(const struct strv *a, const char *s)
{
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->v[i], s) == 0)
            return true;
    return false;
}

struct strv strv_split(const char *s, const char *seps)
{
    struct strv a = {0};
    while (s && *s) {
        size_t n = strcspn(s, seps);
        if (n)
            strv_push_take(&a, xstrndup(s, n));
        s += n;
        if (*s)
            s++;
    }
    return a;
}

/* A launch sets some sixty variables among a hundred: six thousand comparisons, most of which differ within
 * a few bytes. */
static size_t env_find(const struct strv *env, const char *name)
{
    for (size_t i = 0; i < env->n; i++) {
        const char *entry = env->v[i], *p = name;
        while (*p && *p == *entry) {
            p++;
            entry++;
        }
        if (!*p && *entry == '=')
            return i;
    }
    return env->n;
}

const char *strv_getenv(const struct strv *env, const char *name)
{
    size_t i = env_find(env, name);
    return i < env->n ? env->v[i] + strlen(name) + 1 : NULL;
}

void strv_setenv(struct strv *env, const char *name, const char *value)
{
    size_t i = env_find(env, name), name_len = strlen(name), size = strlen(value) + 1;
    char *entry = xmalloc(name_len + 1 + size);
    memcpy(entry, name, name_len);
    entry[name_len] = '=';
    memcpy(entry + name_len + 1, value, size);
    if (i < env->n) {
        free(env->v[i]);
        env->v[i] = entry;
    } else {
        strv_push_take(env, entry);
    }
}

void strv_setenvf(struct strv *env, const char *name, const char *fmt, ...)
{
    struct str b = STR_INIT;
    va_list ap;
    va_start(ap, fmt);
    str_vappendf(&b, fmt, ap);
    va_end(ap);
    strv_setenv(env, name, b.s);
    str_fini(&b);
}

void strv_unsetenv(struct strv *env, const char *name)
{
    size_t i = env_find(env, name);
    if (i == env->n)
        return;
    free(env->v[i]);
    memmove(&env->v[i], &env->v[i + 1], (env->n - i) * sizeof *env->v);
    env->n--;
}
