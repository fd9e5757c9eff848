/* form_command.c - the command of a script, and the line that sets up what it needs. */
#include "ui/form/form_command.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

#define SETUP "# set-up"

enum line { NOTHING, COMMAND, SETTING_UP };

struct command_place {
    size_t at, end; /* bytes of the line, without its break */
};

/* Without the blanks at its end. */
static size_t trimmed(const char *line, size_t n)
{
    while (n > 0 && strchr(" \t\r", line[n - 1]))
        n--;
    return n;
}

static enum line form_command_kind_of(const char *line, size_t n)
{
    size_t blank = strspn(line, " \t\r"), len = trimmed(line, n), mark = strlen(SETUP);
    if (blank >= n || line[blank] == '#')
        return NOTHING;
    bool marked =
        len > mark && memcmp(line + len - mark, SETUP, mark) == 0 && strchr(" \t", line[len - mark - 1]);
    return marked ? SETTING_UP : COMMAND;
}

/* Returns the number of lines of that kind. *first and *last: their places, unchanged if there are none. */
static size_t form_command_find(const char *text, enum line kind, struct command_place *first,
                                struct command_place *last)
{
    size_t found = 0;
    for (size_t at = 0, n; text[at]; at += n + (text[at + n] == '\n')) {
        n = strcspn(text + at, "\n");
        if (form_command_kind_of(text + at, n) != kind)
            continue;
        *last = (struct command_place){at, at + n};
        if (!found++)
            *first = *last;
    }
    return found;
}

/* Replaces the line at that place, or inserts one before it; NULL: removes the line. */
static void form_command_put(struct str *text, struct command_place p, bool there, const char *line)
{
    struct str out = STR_INIT;
    str_append_n(&out, text->s, p.at);
    if (line) {
        if (out.len && out.s[out.len - 1] != '\n')
            str_append_char(&out, '\n');
        str_append(&out, line);
        if (!there)
            str_append_char(&out, '\n');
        str_append(&out, text->s + (there ? p.end : p.at));
    } else {
        str_append(&out, text->s + p.end + (text->s[p.end] == '\n'));
    }
    str_fini(text);
    *text = out;
}

/* --- the command --- */

size_t formcommand_lines(const char *text)
{
    struct command_place p = {0, 0};
    return form_command_find(text, COMMAND, &p, &p);
}

char *formcommand_get(const char *text)
{
    struct command_place p = {0, 0};
    return form_command_find(text, COMMAND, &p, &p) == 1 ? xstrndup(text + p.at, p.end - p.at) : NULL;
}

void formcommand_set(struct str *text, const char *value)
{
    struct command_place p = {text->len, text->len};
    size_t there = form_command_find(text->s, COMMAND, &p, &p);
    bool some = value && form_command_kind_of(value, strlen(value)) != NOTHING;
    if (there < 2 && (there || some))
        form_command_put(text, p, there > 0, some ? value : NULL);
}

/* --- the set-up --- */

size_t formcommand_setup_lines(const char *text)
{
    struct command_place p = {0, 0};
    return form_command_find(text, SETTING_UP, &p, &p);
}

char *formcommand_get_setup(const char *text)
{
    struct command_place p = {0, 0};
    if (form_command_find(text, SETTING_UP, &p, &p) != 1)
        return NULL;
    size_t n = trimmed(text + p.at, p.end - p.at) - strlen(SETUP);
    /* The form writes two blanks; all others were typed. */
    for (int i = 0; i < 2 && n > 0 && text[p.at + n - 1] == ' '; i++)
        n--;
    return xstrndup(text + p.at, n);
}

void formcommand_set_setup(struct str *text, const char *value)
{
    struct command_place p = {text->len, text->len}, last;
    size_t there = form_command_find(text->s, SETTING_UP, &p, &last);
    bool some = value && form_command_kind_of(value, strlen(value)) != NOTHING;
    if (there > 1 || (!there && !some))
        return;
    if (!there)
        form_command_find(text->s, COMMAND, &p, &last);
    char *line = some ? xasprintf("%s  " SETUP, value) : NULL;
    form_command_put(text, p, there > 0, line);
    free(line);
}
