/* option.c - groups of settings by their tables: read, written, documented. */
#include "src/conf/option.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/words.h"
#include "src/base/xalloc.h"
#include "src/conf/value.h"
#include "src/lang/lang.h"

#define LIST_MAX 100000 /* groups in one list */
#define NEAR     3      /* edits that a typing error may need */

int conf_error(const struct conf_parse *c, const config_setting_t *at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int r = source_verror(c->src, config_setting_source_line(at), c->err, fmt, ap);
    va_end(ap);
    return r;
}

/* ---- the nearest name ---- */

const char *conf_hint(const char *name, const char *(*get)(const void *ctx, size_t i), const void *ctx,
                      size_t n, char buf[static CONF_HINT_SIZE])
{
    const char *best = NULL;
    size_t best_distance = NEAR + 1;
    for (size_t i = 0; i < n; i++) {
        const char *candidate = get(ctx, i);
        size_t d = words_distance(name, candidate);
        if (d < best_distance && d < strlen(candidate)) {
            best = candidate;
            best_distance = d;
        }
    }
    buf[0] = '\0';
    if (best)
        snprintf(buf, CONF_HINT_SIZE, tr(", did you mean \"%.60s\"?"), best);
    return buf;
}

static const char *section_option_name(const void *ctx, size_t i)
{
    return ((const struct conf_section *)ctx)->options[i].name;
}

/* ---- defaults ---- */

void conf_set_defaults(const struct conf_section *s, void *base)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct conf_option *o = &s->options[i];
        struct errtext err = {""};
        if (o->type == CONF_GROUP)
            conf_set_defaults(o->sub, (char *)base + o->offset);
        else if (o->def)
            bug_on(value_set(o, base, o->def, &err) < 0);
    }
}

/* ---- reading ---- */

static const struct conf_option *find_option(const struct conf_section *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->options[i].name, name) == 0)
            return &s->options[i];
    return NULL;
}

/* The value as it could have been written in quotes: "4" is as good as 4. NULL: no plain value. Caller
 * frees. */
static char *scalar_text(const config_setting_t *at)
{
    switch (config_setting_type(at)) {
    case CONFIG_TYPE_INT: return xasprintf("%d", config_setting_get_int(at));
    case CONFIG_TYPE_INT64: return xasprintf("%lld", config_setting_get_int64(at));
    case CONFIG_TYPE_FLOAT: return xasprintf("%.17g", config_setting_get_float(at));
    case CONFIG_TYPE_BOOL: return xstrdup(config_setting_get_bool(at) ? "true" : "false");
    case CONFIG_TYPE_STRING: return xstrdup(config_setting_get_string(at));
    default: return NULL;
    }
}

/* What the value of o is to look like, where it has the wrong shape altogether. NULL: its shape is fine. */
static const char *wrong_shape(const struct conf_option *o, const config_setting_t *at)
{
    int type = config_setting_type(at);
    bool is_plain = type != CONFIG_TYPE_GROUP && type != CONFIG_TYPE_ARRAY && type != CONFIG_TYPE_LIST;
    bool is_number = type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64;
    bool is_text = type == CONFIG_TYPE_STRING;
    switch (o->type) {
    case CONF_STR:
    case CONF_NAME: return is_text || is_number ? NULL : tr("a text in quotes");
    case CONF_STR_WORD:
    case CONF_BOOL_WORD:
    case CONF_WORD: return is_text ? NULL : tr("a word in quotes");
    case CONF_U32:
    case CONF_I32:
    case CONF_U64: return is_text || is_number ? NULL : tr("a whole number");
    case CONF_BOOL: return is_plain && type != CONFIG_TYPE_FLOAT ? NULL : tr("true or false");
    case CONF_FLOAT: return is_plain && type != CONFIG_TYPE_BOOL ? NULL : tr("a number");
    case CONF_DURATION:
        return is_text || is_number ? NULL : tr("a time in quotes, like \"90s\" or \"1-12:00:00\"");
    case CONF_MEM: return is_text || is_number ? NULL : tr("a size in quotes, like \"512M\" or \"64G\"");
    case CONF_STRV:
    case CONF_HOSTS:
        return is_text || is_number || type == CONFIG_TYPE_ARRAY || type == CONFIG_TYPE_LIST
                   ? NULL
                   : tr("a text or a list like [\"a\", \"b\"]");
    case CONF_GROUP: return type == CONFIG_TYPE_GROUP ? NULL : tr("a group like { key = value; }");
    case CONF_LIST:
        return type == CONFIG_TYPE_LIST || (type == CONFIG_TYPE_ARRAY && !config_setting_length(at))
                   ? NULL
                   : tr("a list of groups like ( { key = value; } )");
    }
    return NULL;
}

static int read_scalar(const struct conf_parse *c, const struct conf_option *o, const config_setting_t *at,
                       void *base)
{
    struct errtext why = {""};
    char *text = scalar_text(at);
    int r = !text                                ? err_set(&why, -EINVAL, tr("a text is expected"))
            : !utf8_is_valid(text, strlen(text)) ? err_set(&why, -EINVAL, tr("the text is not UTF-8"))
                                                 : value_set(o, base, text, &why);
    if (r < 0)
        r = conf_error(c, at, "%s: %s", o->name, why.s);
    free(text);
    return r;
}

/* The items of a list of texts, each as it stands there: only a single text is split. */
static int read_items(const struct conf_parse *c, const struct conf_option *o, const config_setting_t *at,
                      void *base)
{
    struct conf_option item = *o;
    item.whole = true;
    for (int i = 0; i < config_setting_length(at); i++) {
        const config_setting_t *elem = config_setting_get_elem(at, (unsigned)i);
        int type = config_setting_type(elem);
        if (type != CONFIG_TYPE_STRING && type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64)
            return conf_error(c, elem, tr("%s: a list of texts is expected"), o->name);
        int r = read_scalar(c, &item, elem, base);
        if (r < 0)
            return r;
    }
    return 0;
}

static int read_list(const struct conf_parse *c, const struct conf_option *o, const config_setting_t *at,
                     struct rec_list_any *list)
{
    int n = config_setting_length(at);
    if (n > LIST_MAX)
        return conf_error(c, at, tr("%s: more than %d entries"), o->name, LIST_MAX);
    for (int i = 0; i < n; i++) {
        const config_setting_t *elem = config_setting_get_elem(at, (unsigned)i);
        if (config_setting_type(elem) != CONFIG_TYPE_GROUP)
            return conf_error(c, elem, tr("%s: a group like { key = value; } is expected"), o->name);
        void *rec = rec_list_push_any(list, o->sub->size);
        conf_set_defaults(o->sub, rec);
        int r = conf_read_group(c, o->sub, elem, rec);
        if (r < 0)
            return r;
    }
    return 0;
}

static int read_setting(const struct conf_parse *c, const struct conf_option *o, const config_setting_t *at,
                        void *base)
{
    const char *expected = wrong_shape(o, at);
    if (expected)
        return conf_error(c, at, tr("%s: %s is expected"), o->name, expected);
    void *p = (char *)base + o->offset;
    if (o->type == CONF_GROUP)
        return conf_read_group(c, o->sub, at, p);
    if (o->type == CONF_LIST)
        return read_list(c, o, at, p);
    if (o->type == CONF_STRV || o->type == CONF_HOSTS) {
        strv_fini(p); /* the default gives way */
        if (config_setting_type(at) != CONFIG_TYPE_STRING && config_setting_length(at) >= 0 &&
            (config_setting_type(at) == CONFIG_TYPE_ARRAY || config_setting_type(at) == CONFIG_TYPE_LIST))
            return read_items(c, o, at, base);
    }
    return read_scalar(c, o, at, base);
}

int conf_read_group(const struct conf_parse *c, const struct conf_section *s, const config_setting_t *at,
                    void *base)
{
    for (int i = 0; i < config_setting_length(at); i++) {
        const config_setting_t *setting = config_setting_get_elem(at, (unsigned)i);
        const char *name = config_setting_name(setting);
        const struct conf_option *o = find_option(s, name);
        char hint[CONF_HINT_SIZE];
        if (!o)
            return conf_error(c, setting, tr("\"%.60s\" is not a key of %s%s"), name, tr(s->what),
                              conf_hint(name, section_option_name, s, s->n, hint));
        int r = read_setting(c, o, setting, base);
        if (r < 0)
            return r;
    }
    for (size_t i = 0; i < s->n; i++)
        if (s->options[i].required && !config_setting_get_member(at, s->options[i].name))
            return conf_error(c, at, tr("%s needs the key \"%s\""), tr(s->what), s->options[i].name);
    return 0;
}

/* ---- writing ---- */

static void write_list(const struct conf_option *o, const struct rec_list_any *list, int indent,
                       struct str *out)
{
    str_appendf(out, "%*s%s = (", indent, "", o->name);
    for (size_t i = 0; i < list->n; i++) {
        str_appendf(out, "%s\n%*s{\n", i ? "," : "", indent + 2, "");
        conf_write_group(o->sub, (const char *)list->v + i * o->sub->size, indent + 4, out);
        str_appendf(out, "%*s}", indent + 2, "");
    }
    if (list->n)
        str_appendf(out, "\n%*s);\n", indent, "");
    else
        str_append(out, ");\n");
}

void conf_write_group(const struct conf_section *s, const void *base, int indent, struct str *out)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct conf_option *o = &s->options[i];
        const void *p = (const char *)base + o->offset;
        size_t start = out->len;
        if (o->type == CONF_LIST) {
            write_list(o, p, indent, out);
            continue;
        }
        if (value_is_default_special(o, base))
            continue;
        str_appendf(out, "%*s%s = ", indent, "", o->name);
        if (o->type == CONF_GROUP) {
            str_append(out, "{\n");
            size_t empty = out->len;
            conf_write_group(o->sub, p, indent + 2, out);
            if (out->len == empty)
                str_truncate(out, start);
            else
                str_appendf(out, "%*s};\n", indent, "");
        } else if (value_append(o, base, out)) {
            str_append(out, ";\n");
        } else {
            str_truncate(out, start);
        }
    }
}

/* ---- documentation ---- */

static void option_append_range(const struct conf_option *o, struct str *out)
{
    if (o->max == INT64_MAX)
        str_appendf(out, "number from %" PRId64, o->min);
    else
        str_appendf(out, "number, %" PRId64 " to %" PRId64, o->min, o->max);
}

static void append_type(const struct conf_option *o, struct str *out)
{
    switch (o->type) {
    case CONF_STR: str_append(out, "text"); break;
    case CONF_NAME: str_append(out, "name"); break;
    case CONF_U32:
    case CONF_I32:
    case CONF_U64: option_append_range(o, out); break;
    case CONF_FLOAT: str_append(out, "real "), option_append_range(o, out); break;
    case CONF_BOOL: str_append(out, "true or false"); break;
    case CONF_STR_WORD:
    case CONF_BOOL_WORD:
    case CONF_WORD:
        for (size_t i = 0; o->words[i]; i++)
            str_appendf(out, "%s`%s`", i == 0 ? "" : o->words[i + 1] ? ", " : " or ", o->words[i]);
        break;
    case CONF_DURATION: str_append(out, "time"); break;
    case CONF_MEM: str_append(out, "size"); break;
    case CONF_STRV: str_append(out, "list of texts"); break;
    case CONF_HOSTS: str_append(out, "node list"); break;
    case CONF_GROUP: str_append(out, "group"); break;
    case CONF_LIST: str_append(out, "list of groups"); break;
    }
    if (o->special)
        str_appendf(out, ", or `%s`", o->special);
}

static void append_default(const struct conf_option *o, struct str *out)
{
    if (o->def_help)
        str_append(out, o->def_help);
    else if (o->required)
        str_append(out, "required");
    else if (o->def)
        str_appendf(out, "`%s`", o->def);
    else
        str_append(out, "none");
}

void conf_write_reference(const struct conf_section *s, struct str *out)
{
    str_appendf(out, "### %s\n\n%s\n\n| key | value | default | meaning |\n|---|---|---|---|\n", s->title,
                s->intro);
    for (size_t i = 0; i < s->n; i++) {
        const struct conf_option *o = &s->options[i];
        str_appendf(out, "| `%s` | ", o->name);
        append_type(o, out);
        str_append(out, " | ");
        append_default(o, out);
        str_appendf(out, " | %s |\n", o->help);
    }
    str_append_char(out, '\n');
    const struct conf_section *last = NULL;
    for (size_t i = 0; i < s->n; i++)
        if (s->options[i].sub && s->options[i].sub != last) {
            conf_write_reference(s->options[i].sub, out);
            last = s->options[i].sub;
        }
}
