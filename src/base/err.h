/* err.h - how failure is reported.
 *
 * The world's errors: a function returns 0 or a negative errno and, where a person will read it, fills the
 * caller's struct errtext. It has no effect when it fails. Our own bugs: bug_on() aborts with file and
 * line.
 */
#ifndef STOKER_BASE_ERR_H
#define STOKER_BASE_ERR_H

#include <stdarg.h>

struct errtext {
    char s[512]; /* always terminated; "" = no text */
};

/* Stores the text and returns code, so that callers can `return err_set(err, -EINVAL, ...)`. err may be
 * NULL. */
int err_set(struct errtext *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " in front of the text that err already holds, and returns code. err may be NULL. */
int err_prefix(struct errtext *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

_Noreturn void bug_at(const char *file, int line, const char *what);

/* Aborts when cond holds: a broken invariant of ours, never an input. */
#define bug_on(cond)                           \
    do {                                       \
        if (__builtin_expect(!!(cond), 0))     \
            bug_at(__FILE__, __LINE__, #cond); \
    } while (0)

#endif
