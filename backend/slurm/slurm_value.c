#include "backend/slurm/slurm_value.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/err.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/values/time_parse.h"
#include "src/values/units.h"

#define VALUE_MAX 64 /* bytes of a number, a time or a size */

bool slurm_span_is(const struct slurm_span *s, const char *text)
{
    return s->n == strlen(text) && memcmp(s->p, text, s->n) == 0;
}

static bool slurm_is_given(const struct slurm_span *s)
{
    static const char *const nothing[] = {"N/A", "n/a", "(null)", "Unknown", "None", "NONE", "n/s"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        if (slurm_span_is(s, nothing[i]))
            return false;
    return s->n != 0;
}

char *slurm_text(const struct slurm_span *s)
{
    return slurm_is_given(s) ? slurm_text_any(s) : NULL;
}

char *slurm_text_any(const struct slurm_span *s)
{
    struct str out = STR_INIT;
    for (size_t i = 0; i < s->n;) {
        uint32_t cp;
        size_t n = utf8_decode(s->p + i, s->n - i, &cp);
        if (n && cp)
            str_append_n(&out, s->p + i, n);
        else
            str_append_char(&out, '?');
        i += n ? n : 1;
    }
    return str_take(&out);
}

/* A terminated copy in buf; false where it is not given or longer than any number is. */
static bool short_text(const struct slurm_span *s, char buf[static VALUE_MAX])
{
    if (!slurm_is_given(s) || s->n >= VALUE_MAX || memchr(s->p, '\0', s->n))
        return false;
    memcpy(buf, s->p, s->n);
    buf[s->n] = '\0';
    return true;
}

uint32_t slurm_u32(const struct slurm_span *s, uint32_t otherwise)
{
    char buf[VALUE_MAX];
    int64_t n;
    return short_text(s, buf) && int_parse(buf, 0, UINT32_MAX, &n, NULL) == 0 ? (uint32_t)n : otherwise;
}

struct wall slurm_time(const struct slurm_span *s)
{
    char buf[VALUE_MAX];
    int64_t seconds;
    struct wall at;
    if (!short_text(s, buf))
        return (struct wall){0};
    if (int_parse(buf, 1, INT64_C(1) << 40, &seconds, NULL) == 0)
        return (struct wall){.ms = seconds * MS_PER_S};
    /* Only a whole date: "now" and "12:00" are for people who type. */
    if (!isdigit((unsigned char)buf[0]) || !strchr(buf, 'T') ||
        wall_parse(buf, (struct wall){1}, &at, NULL) < 0)
        return (struct wall){0};
    return at;
}

uint32_t slurm_duration(const struct slurm_span *s)
{
    char buf[VALUE_MAX];
    uint32_t seconds;
    if (!short_text(s, buf) || duration_parse_slurm(buf, &seconds, NULL) < 0)
        return DURATION_NOT_SET;
    return seconds;
}

uint64_t slurm_mem_mib(const struct slurm_span *s, uint64_t otherwise)
{
    char buf[VALUE_MAX];
    uint64_t mib;
    return short_text(s, buf) && mem_parse_mib(buf, &mib, NULL) == 0 ? mib : otherwise;
}

/* The next item of a list with commas; those in brackets belong to their item. */
static bool next_item(struct slurm_span *rest, struct slurm_span *ret)
{
    size_t depth = 0, n = 0;
    if (!rest->n)
        return false;
    while (n < rest->n && (rest->p[n] != ',' || depth)) {
        depth += rest->p[n] == '(' || rest->p[n] == '[';
        depth -= depth && (rest->p[n] == ')' || rest->p[n] == ']');
        n++;
    }
    *ret = (struct slurm_span){rest->p, n};
    rest->p += n + (n < rest->n);
    rest->n -= n + (n < rest->n);
    return true;
}

struct slurm_span slurm_tres(const struct slurm_span *list, const char *name)
{
    struct slurm_span rest = *list, item;
    size_t len = strlen(name);
    while (next_item(&rest, &item))
        if (item.n > len + 1 && memcmp(item.p, name, len) == 0 && item.p[len] == '=')
            return (struct slurm_span){item.p + len + 1, item.n - len - 1};
    return (struct slurm_span){list->p, 0};
}

/* "gpu", "gpu:4", "gpu:a100", "gpu:a100:4(S:0)", each with or without "gres:" or "gres/" before it. */
static uint32_t gpus_of_item(struct slurm_span item, struct slurm_span *ret_type)
{
    *ret_type = (struct slurm_span){item.p, 0};
    if (item.n > 5 && memcmp(item.p, "gres", 4) == 0 && (item.p[4] == ':' || item.p[4] == '/'))
        item = (struct slurm_span){item.p + 5, item.n - 5};
    if (item.n < 3 || memcmp(item.p, "gpu", 3) != 0)
        return 0;
    item = (struct slurm_span){item.p + 3, item.n - 3};
    const char *bracket = memchr(item.p, '(', item.n);
    if (bracket)
        item.n = (size_t)(bracket - item.p);
    if (!item.n)
        return 1;
    if (item.p[0] != ':' && item.p[0] != '=')
        return 0; /* "gpuX" */
    item = (struct slurm_span){item.p + 1, item.n - 1};
    size_t last = item.n;
    while (last && item.p[last - 1] != ':' && item.p[last - 1] != '=')
        last--;
    struct slurm_span count = {item.p + last, item.n - last};
    uint32_t n = slurm_u32(&count, UINT32_MAX);
    if (n == UINT32_MAX) { /* a type alone is one of it */
        *ret_type = item;
        return 1;
    }
    if (last)
        *ret_type = (struct slurm_span){item.p, last - 1};
    return n;
}

uint32_t slurm_gpus(const struct slurm_span *gres, char **ret_type)
{
    struct slurm_span rest = *gres, item, type;
    uint64_t n = 0;
    if (ret_type)
        *ret_type = NULL;
    while (next_item(&rest, &item)) {
        n += gpus_of_item(item, &type);
        if (type.n && ret_type && !*ret_type)
            *ret_type = slurm_text(&type);
    }
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* Does a word that is a key begin here? Keys are letters, digits and /:_ before a '='. */
static bool is_key_at(const struct slurm_span *line, size_t at)
{
    size_t i = at;
    while (i < line->n && (isalnum((unsigned char)line->p[i]) || (line->p[i] && strchr("/:_", line->p[i]))))
        i++;
    return i > at && i < line->n && line->p[i] == '=' && isupper((unsigned char)line->p[at]);
}

bool slurm_key(const struct slurm_span *line, const char *key, struct slurm_span *ret)
{
    size_t len = strlen(key);
    for (size_t i = 0; i + len < line->n; i++) {
        if ((i && line->p[i - 1] != ' ') || memcmp(line->p + i, key, len) != 0 || line->p[i + len] != '=')
            continue;
        size_t from = i + len + 1, end = from;
        while (end < line->n && !(line->p[end] == ' ' && is_key_at(line, end + 1)))
            end++;
        while (end > from && line->p[end - 1] == ' ')
            end--;
        *ret = (struct slurm_span){line->p + from, end - from};
        return true;
    }
    return false;
}

bool slurm_next_line(struct slurm_span *rest, struct slurm_span *ret)
{
    while (rest->n) {
        const char *end = memchr(rest->p, '\n', rest->n);
        size_t n = end ? (size_t)(end - rest->p) : rest->n;
        *ret = (struct slurm_span){rest->p, n};
        rest->p += n + (end != NULL);
        rest->n -= n + (end != NULL);
        if (n)
            return true;
    }
    return false;
}
