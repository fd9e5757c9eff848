/* str_join.c - texts put together for people and shells. */
#include <string.h>

#include "src/base/str.h"

void str_append_quoted(struct str *b, const char *s)
{
    str_append_char(b, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            str_append_char(b, '\\');
        if (*s == '\n')
            str_append(b, "\\n");
        else if ((unsigned char)*s < ' ')
            str_appendf(b, "\\x%02x", (unsigned char)*s);
        else
            str_append_char(b, *s);
    }
    str_append_char(b, '"');
}

char *strv_join(const struct strv *a, const char *sep)
{
    struct str b = STR_INIT;
    for (size_t i = 0; i < a->n; i++) {
        if (i)
            str_append(&b, sep);
        str_append(&b, a->v[i]);
    }
    return str_take(&b);
}
