/* roff.c - texts of manual pages. */
#include "src/text/roff.h"

static void roff_append(struct str *out, const char *s, bool at_start)
{
    for (const char *p = s; *p; p++) {
        if (*p == '-')
            str_append(out, "\\-");
        else if (*p == '\\')
            str_append(out, "\\e");
        else if (*p == '~')
            str_append(out, "\\(ti");
        else if (*p == '^')
            str_append(out, "\\(ha");
        else if ((*p == '.' || *p == '\'') && (p == s ? at_start : p[-1] == '\n')) {
            str_append(out, "\\&");
            str_append_char(out, *p);
        } else
            str_append_char(out, *p);
    }
}

void roff_text(struct str *out, const char *s)
{
    roff_append(out, s, true);
}

void roff_section(struct str *out, const char *title)
{
    str_appendf(out, ".SH %s\n", title);
}

void roff_subsection(struct str *out, const char *title)
{
    str_appendf(out, ".SS %s\n", title);
}

void roff_item(struct str *out, const char *word, const char *more, const char *text)
{
    str_append(out, ".TP\n\\fB");
    roff_append(out, word, false);
    str_append(out, "\\fR");
    if (!str_is_empty(more)) {
        str_append_char(out, ' ');
        roff_append(out, more, false);
    }
    str_append_char(out, '\n');
    roff_append(out, text, true);
    str_append_char(out, '\n');
}
