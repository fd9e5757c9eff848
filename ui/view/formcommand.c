/* formcommand.c - the command of a script. */
#include "ui/view/formcommand.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

struct place {
    size_t at, end; /* bytes of the line, without its break */
};

static bool does_something(const char *line, size_t n)
{
    size_t blank = strspn(line, " \t\r");
    return blank < n && line[blank] != '#';
}

/* Returns how many there are; *ret is the last one's place. */
static size_t find(const char *text, struct place *ret)
{
    size_t found = 0;
    for (size_t at = 0, n; text[at]; at += n + (text[at + n] == '\n')) {
        n = strcspn(text + at, "\n");
        if (!does_something(text + at, n))
            continue;
        *ret = (struct place){at, at + n};
        found++;
    }
    return found;
}

size_t formcommand_lines(const char *text)
{
    struct place p;
    return find(text, &p);
}

char *formcommand_get(const char *text)
{
    struct place p;
    return find(text, &p) == 1 ? xstrndup(text + p.at, p.end - p.at) : NULL;
}

void formcommand_set(struct str *text, const char *value)
{
    struct place p = {text->len, text->len};
    size_t there = find(text->s, &p);
    bool some = value && does_something(value, strlen(value));
    if (there > 1 || (!there && !some))
        return;
    struct str out = STR_INIT;
    str_append_n(&out, text->s, p.at);
    if (some) {
        if (out.len && out.s[out.len - 1] != '\n')
            str_append_char(&out, '\n');
        str_append(&out, value);
        str_append(&out, there ? text->s + p.end : "\n");
    } else {
        str_append(&out, text->s + p.end + (text->s[p.end] == '\n'));
    }
    str_fini(text);
    *text = out;
}
