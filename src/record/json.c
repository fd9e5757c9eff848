#include "src/record/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/lang/lang.h"

static void json_append_escaped(struct str *out, uint32_t cp)
{
    if (cp < 0x10000)
        str_appendf(out, "\\u%04x", cp);
    else
        str_appendf(out, "\\u%04x\\u%04x", 0xd800 + ((cp - 0x10000) >> 10),
                    0xdc00 + ((cp - 0x10000) & 0x3ff));
}

static void json_append_quoted(struct str *out, const char *s)
{
    str_append_char(out, '"');
    for (size_t n = strlen(s), len; n; s += len, n -= len) {
        uint32_t cp = 0xfffd;
        len = utf8_decode(s, n, &cp);
        if (!len) {
            str_append(out, "\xef\xbf\xbd");
            len = 1;
        } else if (cp == '"' || cp == '\\') {
            str_appendf(out, "\\%c", *s);
        } else if (cp == '\n') {
            str_append(out, "\\n");
        } else if (cp == '\t') {
            str_append(out, "\\t");
        } else if (utf8_width(cp) < 0) { /* a terminal would obey it, or turn the direction of the rest */
            json_append_escaped(out, cp);
        } else {
            str_append_n(out, s, len);
        }
    }
    str_append_char(out, '"');
}

/* What comes before a value: the comma, unless it is the first of its object or array or stands behind a
 * name; then the name. */
void json_key(struct str *out, const char *key)
{
    if (out->len && !strchr("{[:\n", out->s[out->len - 1]))
        str_append_char(out, ',');
    if (key) {
        json_append_quoted(out, key);
        str_append_char(out, ':');
    }
}

void json_begin_document(struct str *out, int schema)
{
    lang_pause();
    json_begin_object(out, NULL);
    json_int(out, "schema", schema);
}

void json_end_document(struct str *out)
{
    str_append(out, "}\n");
    lang_resume();
}

void json_begin_object(struct str *out, const char *key)
{
    json_key(out, key);
    str_append_char(out, '{');
}

void json_end_object(struct str *out)
{
    str_append_char(out, '}');
}

void json_begin_array(struct str *out, const char *key)
{
    json_key(out, key);
    str_append_char(out, '[');
}

void json_end_array(struct str *out)
{
    str_append_char(out, ']');
}

void json_text(struct str *out, const char *key, const char *value)
{
    json_key(out, key);
    json_append_quoted(out, value ? value : "");
}

void json_text_or_null(struct str *out, const char *key, const char *value)
{
    json_key(out, key);
    if (value)
        json_append_quoted(out, value);
    else
        str_append(out, "null");
}

void json_texts(struct str *out, const char *key, const struct strv *values)
{
    json_begin_array(out, key);
    for (size_t i = 0; i < values->n; i++)
        json_text(out, NULL, values->v[i]);
    json_end_array(out);
}

void json_int(struct str *out, const char *key, int64_t v)
{
    json_key(out, key);
    str_appendf(out, "%" PRId64, v);
}

void json_uint(struct str *out, const char *key, uint64_t v)
{
    json_key(out, key);
    str_appendf(out, "%" PRIu64, v);
}

void json_number(struct str *out, const char *key, double v)
{
    char text[40] = "null";
    if (isfinite(v)) {
        snprintf(text, sizeof text, "%.15g", v); /* 0.1 as 0.1, where that reads back as the same number */
        if (strtod(text, NULL) != v)
            snprintf(text, sizeof text, "%.17g", v);
    }
    json_key(out, key);
    str_append(out, text);
}

void json_count(struct str *out, const char *key, uint32_t v)
{
    if (v == UINT32_MAX)
        json_text_or_null(out, key, NULL);
    else
        json_uint(out, key, v);
}

void json_bool(struct str *out, const char *key, bool v)
{
    json_key(out, key);
    str_append(out, v ? "true" : "false");
}

void json_time(struct str *out, const char *key, struct wall t)
{
    if (wall_is_set(t))
        json_int(out, key, t.ms / MS_PER_S);
    else
        json_text_or_null(out, key, NULL);
}
