/* settings_file.c - ui.cfg as a text. */
#include "ui/app/settings_file.h"

#include <ctype.h>
#include <errno.h>
#include <libconfig.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/os/file.h"
#include "ui/state/prefs.h"

/* Behind a comment or a text that begins at s; s where neither does. */
static const char *skip_quiet(const char *s)
{
    const char *end;
    if (*s == '#' || (s[0] == '/' && s[1] == '/'))
        return s + strcspn(s, "\n");
    if (s[0] == '/' && s[1] == '*')
        return (end = strstr(s + 2, "*/")) ? end + 2 : s + strlen(s);
    if (*s != '"')
        return s;
    for (s++; *s && *s != '"'; s++)
        if (*s == '\\' && s[1])
            s++;
    return *s ? s + 1 : s;
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '*';
}

/* Behind the value that begins at s: its semicolon or comma, or the next blank. */
static const char *value_end(const char *s)
{
    int depth = 0;
    while (*s) {
        const char *next = skip_quiet(s);
        if (next != s) {
            s = next;
            continue;
        }
        depth += strchr("({[", *s) != NULL;
        depth -= strchr(")}]", *s) != NULL;
        if (!depth && (*s == ';' || *s == ','))
            return s;
        s++;
    }
    return s;
}

/* Where the option stands at the outermost level: from its name to behind its value. */
static bool settings_file_find(const char *text, const char *name, const char **ret_begin,
                               const char **ret_value, const char **ret_end)
{
    size_t n = strlen(name);
    int depth = 0;
    for (const char *s = text; *s;) {
        const char *next = skip_quiet(s);
        if (next != s) {
            s = next;
            continue;
        }
        if (!depth && is_name_char(*s)) {
            const char *begin = s;
            while (is_name_char(*s))
                s++;
            const char *sign = s + strspn(s, " \t\r\n");
            if ((*sign != '=' && *sign != ':') || (size_t)(s - begin) != n || strncmp(begin, name, n) != 0)
                continue;
            *ret_begin = begin;
            *ret_value = sign + 1 + strspn(sign + 1, " \t\r\n");
            *ret_end = value_end(*ret_value);
            return true;
        }
        depth += strchr("({[", *s) != NULL;
        depth -= strchr(")}]", *s) != NULL;
        s++;
    }
    return false;
}

char *settings_file_quote(const char *text)
{
    struct str s = STR_INIT;
    str_append_char(&s, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            str_appendf(&s, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            str_appendf(&s, "\\x%02x", c);
        else
            str_append_char(&s, (char)c);
    }
    str_append_char(&s, '"');
    return str_take(&s);
}

char *settings_file_with(const char *text, const char *name, const char *value)
{
    struct str out = STR_INIT;
    const char *begin, *at, *end;
    if (!settings_file_find(text, name, &begin, &at, &end)) {
        str_append(&out, text);
        if (value)
            str_appendf(&out, "%s%s = %s;\n", out.len && out.s[out.len - 1] != '\n' ? "\n" : "", name,
                        value);
    } else if (value) {
        str_append_n(&out, text, (size_t)(at - text));
        str_append(&out, value);
        str_append(&out, *end ? "" : ";\n");
        str_append(&out, end);
    } else {
        end += *end == ';' || *end == ',';
        end += strspn(end, " \t");
        end += *end == '\n';
        str_append_n(&out, text, (size_t)(begin - text));
        str_append(&out, end);
    }
    return str_take(&out);
}

static int check_text(const char *path, const char *text, struct errtext *err)
{
    config_t cfg;
    config_init(&cfg);
    int rc =
        config_read_string(&cfg, text) == CONFIG_TRUE
            ? 0
            : err_set(err, -EINVAL, "%s:%d: %s", path, config_error_line(&cfg), config_error_text(&cfg));
    config_destroy(&cfg);
    return rc;
}

int settings_file_set(const char *path, const char *name, const char *value, struct errtext *err)
{
    char real[PATH_MAX], *text = file_text(path);
    if (!text && access(path, F_OK) == 0)
        return err_set(err, -EACCES, "%s: %s", path, strerror(EACCES));
    int rc = text ? check_text(path, text, err) : 0;
    char *next = rc ? NULL : settings_file_with(text ? text : "", name, value);
    rc = rc ? rc : check_text(path, next, err);
    if (!rc)
        rc = prefs_write(next, realpath(path, real) ? real : path, err);
    free(next);
    free(text);
    return rc;
}
