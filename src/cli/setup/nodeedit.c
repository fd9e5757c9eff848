/* nodeedit.c - finding a list in libconfig text without giving up its comments. */
#include "src/cli/setup/nodeedit.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/lang/lang.h"

/* Behind the blank, comment or string that begins at p; p itself where none does. */
static const char *skip_blank(const char *p)
{
    if (isspace((unsigned char)*p))
        return p + 1;
    if (*p == '#' || (p[0] == '/' && p[1] == '/'))
        return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    return p;
}

static const char *nodeedit_skip_blanks(const char *p)
{
    for (const char *next; *p && (next = skip_blank(p)) != p;)
        p = next;
    return p;
}

static const char *skip_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1])
            p++;
    return *p ? p + 1 : p;
}

static size_t word_length(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '-' || p[n] == '*')
        n++;
    return n;
}

/* The next thing that counts: a word, a string or one character. Returns its end. */
static const char *token_end(const char *p)
{
    if (*p == '"')
        return skip_string(p);
    size_t n = word_length(p);
    return p + (n ? n : *p != '\0');
}

/* The value of the setting key at the level where p stands, up to the level's end: where it begins, or
 * NULL. */
static const char *nodeedit_find_setting(const char *p, const char *key)
{
    int depth = 0;
    for (p = nodeedit_skip_blanks(p); *p; p = nodeedit_skip_blanks(token_end(p))) {
        depth += *p == '(' || *p == '{' || *p == '[';
        if (*p == ')' || *p == '}' || *p == ']')
            depth--;
        if (depth < 0)
            return NULL;
        if (depth || word_length(p) != strlen(key) || strncmp(p, key, strlen(key)) != 0)
            continue;
        const char *sign = nodeedit_skip_blanks(token_end(p));
        if (*sign == '=' || *sign == ':')
            return nodeedit_skip_blanks(sign + 1);
    }
    return NULL;
}

/* p stands at an opening bracket. Behind its closing one; NULL where there is none. */
static const char *skip_group(const char *p)
{
    int depth = 0;
    for (; *p; p = nodeedit_skip_blanks(token_end(p))) {
        depth += *p == '(' || *p == '{' || *p == '[';
        if (*p == ')' || *p == '}' || *p == ']')
            if (--depth == 0)
                return p + 1;
    }
    return NULL;
}

struct nodeedit_place {                  /* of a list: its brackets, its last entry */
    const char *open, *close, *last_end; /* last_end NULL: empty */
};

static int find_list(const char *text, struct nodeedit_place *ret, struct errtext *err)
{
    const char *list = nodeedit_find_setting(text, "nodes"),
               *end = list && *list == '(' ? skip_group(list) : NULL;
    if (!list)
        return -ENOENT;
    if (!end)
        return err_set(err, -EINVAL, tr("its list of nodes has no end"));
    *ret = (struct nodeedit_place){.open = list, .close = end - 1};
    for (const char *p = nodeedit_skip_blanks(list + 1); p < ret->close;) {
        bool group = *p == '{';
        const char *behind = group ? skip_group(p) : token_end(p);
        if (!behind)
            return err_set(err, -EINVAL, tr("an entry of its list of nodes has no end"));
        if (group)
            ret->last_end = behind;
        p = nodeedit_skip_blanks(behind);
    }
    return 0;
}

static void append_part(struct str *out, const char *from, const char *to)
{
    str_append_n(out, from, (size_t)(to - from));
}

int nodeedit_add(struct str *out, const char *text, const char *entry, const char *first,
                 struct errtext *err)
{
    struct nodeedit_place at;
    int r = find_list(text, &at, err);
    if (r == -ENOENT) {
        str_append(out, text);
        if (out->len && out->s[out->len - 1] != '\n')
            str_append_char(out, '\n');
        str_append(out, "nodes = (\n");
        if (first)
            str_appendf(out, "    %s,\n", first);
        str_appendf(out, "    %s\n);\n", entry);
        return 0;
    }
    if (r < 0)
        return r;
    const char *behind = at.last_end ? at.last_end : at.open + 1, *tail = at.close;
    while (tail > behind && isspace((unsigned char)tail[-1]))
        tail--;
    append_part(out, text, behind);
    if (at.last_end)
        str_append_char(out, ',');
    append_part(out, behind, tail); /* comments behind the last entry */
    str_appendf(out, "\n    %s\n", entry);
    str_append(out, at.close);
    return 0;
}

static bool has_name(const char *entry, const char *name)
{
    const char *value = nodeedit_find_setting(entry + 1, "name");
    size_t n = strlen(name);
    return value && *value == '"' && strncmp(value + 1, name, n) == 0 && value[1 + n] == '"';
}

int nodeedit_remove(struct str *out, const char *text, const char *name, struct errtext *err)
{
    struct nodeedit_place at;
    int r = find_list(text, &at, err);
    if (r < 0)
        return r == -ENOENT ? err_set(err, r, tr("it has no list of nodes")) : r;
    const char *comma = NULL; /* in front of the entry */
    for (const char *p = nodeedit_skip_blanks(at.open + 1); p < at.close; p = nodeedit_skip_blanks(p)) {
        if (*p == ',')
            comma = p;
        if (*p != '{') {
            p = token_end(p);
            continue;
        }
        const char *end = skip_group(p), *next = nodeedit_skip_blanks(end);
        if (!has_name(p, name)) {
            p = end;
            continue;
        }
        /* With the comma behind it, else with the one in front. */
        if (*next == ',') {
            append_part(out, text, p);
            str_append(out, nodeedit_skip_blanks(next + 1));
        } else {
            const char *from = comma ? comma : p;
            append_part(out, text, from);
            if (comma)
                append_part(out, comma + 1, p);
            while (out->len && (out->s[out->len - 1] == ' ' || out->s[out->len - 1] == '\n'))
                str_truncate(out, out->len - 1);
            str_append(out, end);
        }
        return 0;
    }
    return err_set(err, -ENOENT, tr("it has no entry of its own for %s"), name);
}
