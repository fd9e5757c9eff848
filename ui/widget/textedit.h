/* textedit.h - a text of several lines that is typed into: an input line (ui/widget/edit.h) whose text has
 * line breaks. */
#ifndef UI_WIDGET_TEXTEDIT_H
#define UI_WIDGET_TEXTEDIT_H

#include "ui/widget/edit.h"

#define TEXTEDIT_MAX (1u << 20) /* bytes */

struct textedit {
    struct edit buf; /* its text has line breaks */
    int want;        /* the column that up and down aim at; -1: where the cursor is */
    size_t top;      /* first line seen */
    int left;        /* cells scrolled sideways */
    int height;
};

void textedit_init(struct textedit *e);
void textedit_fini(struct textedit *e);
void textedit_set(struct textedit *e, const char *text);
/* The same text changed elsewhere: the cursor stays on what it is on. */
void textedit_replace(struct textedit *e, const char *text);
/* Returns true where it took the input. *changed: whether the text is another. */
bool textedit_input(struct textedit *e, const struct input *in, bool *changed);
/* role_of: the role of a line (NULL: normal), by its text. */
void textedit_draw(struct textedit *e, struct canvas *c, struct rect r, bool focused,
                   enum role (*role_of)(const char *line, size_t n));

#endif
