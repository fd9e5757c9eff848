/* hostlist.c - node lists in Slurm's bracket form. */
#include "src/values/hostlist.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/lang/lang.h"

#define NAME_BYTES 255 /* a host name's limit */
#define MAX_GROUPS 8
#define MAX_DIGITS 9 /* of a number that is counted; digits before them belong to the prefix */

struct expansion {
    const char *expr; /* for messages */
    struct strv names;
    struct errtext *err;
};

static int syntax_error(const struct expansion *x, const char *at, const char *what)
{
    return err_set(x->err, -EINVAL, tr("node list \"%.200s\": %s at character %zu"), x->expr, what,
                   (size_t)(at - x->expr) + 1);
}

static int hostlist_push(struct expansion *x, const char *at, const struct str *name)
{
    if (!name->len)
        return syntax_error(x, at, tr("a name is missing"));
    if (name->len > NAME_BYTES)
        return syntax_error(x, at, tr("the name is too long"));
    if (x->names.n >= HOSTLIST_MAX)
        return err_set(x->err, -E2BIG, tr("node list \"%.200s\": more than %d names"), x->expr,
                       HOSTLIST_MAX);
    strv_push(&x->names, name->s);
    return 0;
}

/* A number at *p, which moves past its digits; returns how many there were, 0 where that is none or too
 * many. */
static int hostlist_take_number(const char **p, unsigned long *ret)
{
    int n = 0;
    *ret = 0;
    for (; isdigit((unsigned char)**p) && n <= MAX_DIGITS; (*p)++, n++)
        *ret = *ret * 10 + (unsigned long)(**p - '0');
    return n > MAX_DIGITS ? 0 : n;
}

/* Expands the item from p to end behind prefix, which is left as it was. */
static int expand_item(struct expansion *x, struct str *prefix, const char *p, const char *end, int depth)
{
    size_t prefix_len = prefix->len;
    const char *open = memchr(p, '[', (size_t)(end - p));
    str_append_n(prefix, p, (size_t)((open ? open : end) - p));
    int r = 0;
    if (!open) {
        r = hostlist_push(x, p, prefix);
        goto out;
    }
    if (depth == MAX_GROUPS) {
        r = syntax_error(x, open, tr("too many brackets"));
        goto out;
    }
    const char *close = memchr(open, ']', (size_t)(end - open));
    if (!close) {
        r = syntax_error(x, open, tr("'[' without ']'"));
        goto out;
    }
    size_t stem_len = prefix->len;
    for (p = open + 1; r == 0; p++) {
        const char *range = p;
        unsigned long lo, hi;
        int width = hostlist_take_number(&p, &lo);
        bool ok = width > 0;
        hi = lo;
        if (ok && *p == '-') {
            p++;
            ok = hostlist_take_number(&p, &hi) > 0;
        }
        if (!ok || hi < lo || (*p != ',' && *p != ']')) {
            r = syntax_error(x, range, tr("expected a range like 1-4 or 01-04"));
            break;
        }
        for (unsigned long i = lo; i <= hi && r == 0; i++) {
            str_truncate(prefix, stem_len);
            str_appendf(prefix, "%0*lu", width, i);
            r = expand_item(x, prefix, close + 1, end, depth + 1);
        }
        if (p == close)
            break;
    }
out:
    str_truncate(prefix, prefix_len);
    return r;
}

/* The comma that ends the item at p, or the end of the text. Brackets do not nest. */
static int find_item_end(const struct expansion *x, const char *p, const char **ret)
{
    bool inside = false;
    for (; *p && (inside || *p != ','); p++) {
        if ((unsigned char)*p <= ' ' || *p == 0x7f)
            return syntax_error(x, p, tr("a blank or control character"));
        if (*p == '[' || *p == ']') {
            if (inside == (*p == '['))
                return syntax_error(x, p, inside ? tr("'[' inside of brackets") : tr("']' without '['"));
            inside = !inside;
        }
    }
    if (inside)
        return syntax_error(x, p, tr("']' is missing"));
    *ret = p;
    return 0;
}

int hostlist_expand(const char *expr, struct strv *ret, struct errtext *err)
{
    struct expansion x = {.expr = expr, .err = err};
    struct str prefix = STR_INIT;
    int r = 0;
    for (const char *p = expr, *end = expr; *expr && r == 0; p = end + 1) {
        r = find_item_end(&x, p, &end);
        if (r == 0)
            r = expand_item(&x, &prefix, p, end, 0);
        if (r < 0 || !*end)
            break;
    }
    str_fini(&prefix);
    if (r < 0) {
        strv_fini(&x.names);
        return r;
    }
    *ret = x.names;
    return 0;
}

/* Where the number at the end of name begins, or its length where it ends in none. */
static size_t number_at(const char *name)
{
    size_t len = strlen(name), at = len;
    while (at > 0 && len - at < MAX_DIGITS && isdigit((unsigned char)name[at - 1]))
        at--;
    return at;
}

/* True where next is name, counted up by one in the width of the run that began with first. */
static bool is_next(const char *first, unsigned long last, const char *next)
{
    char text[24];
    snprintf(text, sizeof text, "%0*lu", (int)strlen(first), last + 1);
    return strcmp(text, next) == 0;
}

char *hostlist_compress(const struct strv *names)
{
    struct str b = STR_INIT;
    for (size_t i = 0, end; i < names->n; i = end) {
        const char *name = names->v[i];
        size_t at = number_at(name);
        end = i + 1;
        if (name[at])
            while (end < names->n && strncmp(names->v[end], name, at) == 0 &&
                   number_at(names->v[end]) == at && names->v[end][at])
                end++;
        str_appendf(&b, "%s%.*s%s", i ? "," : "", (int)at, name, end - i > 1 ? "[" : "");
        for (size_t first = i, run; first < end; first = run) {
            const char *lo = names->v[first] + at;
            unsigned long last = strtoul(lo, NULL, 10);
            for (run = first + 1; run < end && is_next(lo, last, names->v[run] + at); run++)
                last++;
            str_appendf(&b, "%s%s", first > i ? "," : "", lo);
            if (run - first > 1)
                str_appendf(&b, "-%s", names->v[run - 1] + at);
        }
        if (end - i > 1)
            str_append_char(&b, ']');
    }
    return str_take(&b);
}
