/* value.c - the types of values: texts to members and back. */
#include "src/conf/value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

#define NAME_MAX_BYTES 128

static void *value_member(const struct conf_option *o, void *base)
{
    return (char *)base + o->offset;
}

static const void *const_member(const struct conf_option *o, const void *base)
{
    return (const char *)base + o->offset;
}

/* ---- from text ---- */

static void join_words(const char *const *words, struct str *out)
{
    for (size_t i = 0; words[i]; i++)
        str_appendf(out, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : tr(" or "), words[i]);
}

static int find_word(const struct conf_option *o, const char *text, size_t *ret, struct errtext *err)
{
    for (size_t i = 0; o->words[i]; i++)
        if (str_ieq(o->words[i], text)) {
            *ret = i;
            return 0;
        }
    struct str list = STR_INIT;
    join_words(o->words, &list);
    int r = err_set(err, -EINVAL, tr("\"%.100s\" is not %s"), text, list.s);
    str_fini(&list);
    return r;
}

static int read_bool(const char *text, bool *ret, struct errtext *err)
{
    static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < 4; i++)
        if (str_ieq(text, yes[i]) || str_ieq(text, no[i])) {
            *ret = str_ieq(text, yes[i]);
            return 0;
        }
    return err_set(err, -EINVAL, tr("\"%.100s\" is not true or false"), text);
}

static int read_number(const struct conf_option *o, const char *text, uint64_t *ret, struct errtext *err)
{
    int64_t v = 0;
    struct errtext ignored;
    if (int_parse(text, o->min, o->max, &v, &ignored) == 0) {
        *ret = (uint64_t)v;
        return 0;
    }
    struct str also = STR_INIT;
    if (o->special)
        str_appendf(&also, tr(" or \"%s\""), o->special);
    int r = o->max == INT64_MAX
                ? err_set(err, -EINVAL, tr("\"%.100s\" is not a whole number from %lld on%s"), text,
                          (long long)o->min, also.s)
                : err_set(err, -EINVAL, tr("\"%.100s\" is not a whole number from %lld to %lld%s"), text,
                          (long long)o->min, (long long)o->max, also.s);
    str_fini(&also);
    return r;
}

static int read_float(const struct conf_option *o, const char *text, double *ret, struct errtext *err)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v) || v < (double)o->min || v > (double)o->max)
        return err_set(err, -EINVAL, tr("\"%.100s\" is not a number from %lld to %lld"), text,
                       (long long)o->min, (long long)o->max);
    *ret = v;
    return 0;
}

static int read_duration(const struct conf_option *o, const char *text, uint32_t *ret, struct errtext *err)
{
    if (o->bare_refused && *text && !text[strspn(text, "0123456789")])
        return err_set(err, -EINVAL,
                       tr("\"%.100s\" has no unit: write %.20sm for minutes, %.20sh for hours"), text, text,
                       text);
    return duration_parse_conf(text, ret, err);
}

/* What can stand in lists with commas, in output lines and in environment variables. */
static int read_name(const char *text, char **ret, struct errtext *err)
{
    if (!*text || !utf8_is_clean_name(text, NAME_MAX_BYTES) || strpbrk(text, " ,;:/\"'\\=()[]{}*?"))
        return err_set(err, -EINVAL,
                       tr("\"%.100s\" cannot be a name (up to %d bytes without blanks and separators)"),
                       text, NAME_MAX_BYTES);
    xstrset(ret, text);
    return 0;
}

static int read_str(const char *text, char **ret, struct errtext *err)
{
    if (!utf8_is_valid(text, strlen(text)))
        return err_set(err, -EINVAL, tr("the text is not UTF-8"));
    xstrset(ret, text);
    return 0;
}

static bool is_special(const struct conf_option *o, const char *text)
{
    return o->special && str_ieq(text, o->special);
}

int value_set(const struct conf_option *o, void *base, const char *text, struct errtext *err)
{
    void *p = value_member(o, base);
    uint64_t u = 0;
    size_t word = 0;
    int r = 0;
    switch (o->type) {
    case CONF_STR: return read_str(text, p, err);
    case CONF_NAME: return read_name(text, p, err);
    case CONF_STR_WORD:
        r = find_word(o, text, &word, err);
        return r < 0 ? r : read_str(o->words[word], p, err);
    case CONF_U32:
    case CONF_I32:
    case CONF_U64:
        u = o->special_value;
        r = is_special(o, text) ? 0 : read_number(o, text, &u, err);
        if (r == 0 && o->type == CONF_U64)
            *(uint64_t *)p = u;
        else if (r == 0 && o->type == CONF_U32)
            *(uint32_t *)p = (uint32_t)u;
        else if (r == 0)
            *(int32_t *)p = (int32_t)(int64_t)u;
        return r;
    case CONF_BOOL: return read_bool(text, p, err);
    case CONF_BOOL_WORD:
        r = find_word(o, text, &word, err);
        if (r == 0)
            *(bool *)p = word == 1;
        return r;
    case CONF_WORD:
        r = find_word(o, text, &word, err);
        if (r == 0)
            *(uint32_t *)p = (uint32_t)word + o->word_base;
        return r;
    case CONF_FLOAT: return read_float(o, text, p, err);
    case CONF_DURATION:
        if (!is_special(o, text))
            return read_duration(o, text, p, err);
        *(uint32_t *)p = (uint32_t)o->special_value;
        return 0;
    case CONF_MEM:
        if (!is_special(o, text))
            return mem_parse_mib(text, p, err);
        *(uint64_t *)p = o->special_value;
        return 0;
    case CONF_STRV: {
        if (o->whole)
            return strv_push(p, text), 0;
        struct strv items = strv_split(text, ", ");
        for (size_t i = 0; i < items.n; i++)
            strv_push(p, items.v[i]);
        strv_fini(&items);
        return 0;
    }
    case CONF_HOSTS: {
        struct strv names = {0};
        r = hostlist_expand(text, &names, err);
        for (size_t i = 0; i < names.n; i++)
            strv_push(p, names.v[i]);
        strv_fini(&names);
        return r;
    }
    case CONF_GROUP:
    case CONF_LIST: break;
    }
    return -EINVAL;
}

/* ---- to text ---- */

static void append_duration(uint32_t s, struct str *out)
{
    static const struct {
        uint32_t s;
        char unit;
    } units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}};
    if (s == DURATION_UNLIMITED) {
        str_append(out, "\"unlimited\"");
        return;
    }
    for (size_t i = 0; i < 3; i++)
        if (s && s % units[i].s == 0) {
            str_appendf(out, "\"%u%c\"", s / units[i].s, units[i].unit);
            return;
        }
    str_appendf(out, "\"%us\"", s);
}

static void append_float(double v, struct str *out)
{
    char buf[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(buf, sizeof buf, "%.*g", digits, v);
        if (strtod(buf, NULL) == v)
            break;
    }
    str_append(out, buf);
    if (!strpbrk(buf, ".e"))
        str_append(out, ".0");
}

static void value_print_number(int64_t v, struct str *out)
{
    bool fits = v >= INT32_MIN && v <= INT32_MAX;
    str_appendf(out, fits ? "%" PRId64 : "\"%" PRId64 "\"", v);
}

static bool has_special(const struct conf_option *o, const void *p)
{
    if (!o->special)
        return false;
    bool wide = o->type == CONF_U64 || o->type == CONF_MEM;
    return (wide ? *(const uint64_t *)p : *(const uint32_t *)p) == o->special_value;
}

bool value_is_default_special(const struct conf_option *o, const void *base)
{
    return o->special && o->def && strcmp(o->special, o->def) == 0 && has_special(o, const_member(o, base));
}

bool value_append(const struct conf_option *o, const void *base, struct str *out)
{
    const void *p = const_member(o, base);
    if ((o->type == CONF_U32 || o->type == CONF_U64 || o->type == CONF_MEM || o->type == CONF_DURATION) &&
        has_special(o, p))
        return str_append_quoted(out, o->special), true;
    switch (o->type) {
    case CONF_STR:
    case CONF_NAME:
    case CONF_STR_WORD:
        if (!*(char *const *)p)
            return false;
        str_append_quoted(out, *(char *const *)p);
        return true;
    case CONF_U32: value_print_number(*(const uint32_t *)p, out); return true;
    case CONF_I32: value_print_number(*(const int32_t *)p, out); return true;
    case CONF_U64: value_print_number((int64_t) * (const uint64_t *)p, out); return true;
    case CONF_BOOL: str_append(out, *(const bool *)p ? "true" : "false"); return true;
    case CONF_BOOL_WORD: str_append_quoted(out, o->words[*(const bool *)p]); return true;
    case CONF_WORD: {
        uint32_t v = *(const uint32_t *)p;
        str_append_quoted(out, o->words[v > o->word_base ? v - o->word_base : 0]);
        return true;
    }
    case CONF_FLOAT: append_float(*(const double *)p, out); return true;
    case CONF_DURATION: append_duration(*(const uint32_t *)p, out); return true;
    case CONF_MEM: {
        char buf[UNITS_TEXT_SIZE];
        str_append_quoted(out, mem_format_slurm(*(const uint64_t *)p, buf));
        return true;
    }
    case CONF_STRV: {
        const struct strv *a = p;
        str_append_char(out, '[');
        for (size_t i = 0; i < a->n; i++) {
            str_append(out, i ? ", " : "");
            str_append_quoted(out, a->v[i]);
        }
        str_append_char(out, ']');
        return true;
    }
    case CONF_HOSTS: {
        char *text = hostlist_compress(p);
        str_append_quoted(out, text);
        free(text);
        return true;
    }
    case CONF_GROUP:
    case CONF_LIST: break;
    }
    return false;
}
