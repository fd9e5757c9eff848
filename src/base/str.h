/* str.h - a growable string, and small predicates.
 *
 * s is always terminated; len does not count the terminator. STR_INIT needs no allocation.
 */
#ifndef STOKER_BASE_STR_H
#define STOKER_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
    char *s;
    size_t len, cap;
};

extern char str_empty_text[1];
#define STR_INIT                                \
    {                                           \
        .s = str_empty_text, .len = 0, .cap = 0 \
    }

void str_init(struct str *b);
void str_fini(struct str *b);
void str_clear(struct str *b);
void str_reserve(struct str *b, size_t extra);
void str_append(struct str *b, const char *s);
void str_append_n(struct str *b, const char *s, size_t n);
void str_append_char(struct str *b, char c);
/* In double quotes, as libconfig reads it: quotes, backslashes and control characters are escaped. */
void str_append_quoted(struct str *b, const char *s);
void str_appendf(struct str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vappendf(struct str *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
void str_truncate(struct str *b, size_t len);

/* Hands the text to the caller, who frees it; b is empty afterwards. Never NULL. */
char *str_take(struct str *b) __attribute__((warn_unused_result));

/* NULL-safe: two NULLs are equal, NULL and "" are not. */
bool str_eq(const char *a, const char *b);
bool str_ieq(const char *a, const char *b);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
bool str_is_empty(const char *s); /* NULL or "" */

/* Removes blanks at both ends in place, returns the new beginning. */
char *str_trim(char *s);

/* A string list, terminated like argv: v[n] == NULL once n > 0. Owns its strings. */
struct strv {
    char **v;
    size_t n;
};

void strv_push(struct strv *a, const char *s);
void strv_push_take(struct strv *a, char *s);
void strv_fini(struct strv *a);
struct strv strv_copy(const struct strv *a);
bool strv_has(const struct strv *a, const char *s);

/* Splits at any character of seps; empty items are dropped. */
struct strv strv_split(const char *s, const char *seps);
char *strv_join(const struct strv *a, const char *sep) __attribute__((warn_unused_result));

/* The value of NAME in a list of "NAME=value", or NULL. */
const char *strv_getenv(const struct strv *env, const char *name);
/* Sets or replaces NAME. */
void strv_setenv(struct strv *env, const char *name, const char *value);
void strv_setenvf(struct strv *env, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void strv_unsetenv(struct strv *env, const char *name);

#endif
