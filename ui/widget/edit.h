/* edit.h - a line that is typed into: characters, paste, the usual moves. */
#ifndef UI_WIDGET_EDIT_H
#define UI_WIDGET_EDIT_H

#include "ui/keys/input.h"
#include "ui/term/canvas.h"

#define EDIT_MAX 4000 /* bytes */

struct edit {
    struct str text; /* valid UTF-8 */
    size_t at;       /* the cursor, in bytes */
    size_t max;      /* bytes that fit: EDIT_MAX */
    bool selected;   /* all of it: what is typed next replaces it, a movement ends that */
};

void edit_init(struct edit *e);
void edit_fini(struct edit *e);
void edit_set(struct edit *e, const char *text);
/* Takes keys and pasted text; line breaks of a paste become blanks. Returns true where the line or the
 * cursor changed; false for what an input line does not take (Enter, Esc, Tab, function keys ...). */
bool edit_input(struct edit *e, const struct input *in);

/* For a text of several lines, which ui/widget/textedit.h makes of it: */
void edit_insert(struct edit *e, const char *s, size_t n);
/* The keys of input lines. *changed: whether the text is another. */
bool edit_key(struct edit *e, uint32_t key, bool *changed);
/* Of the line that has the byte `at`. */
size_t edit_line_start(const struct edit *e, size_t at);
size_t edit_line_end(const struct edit *e, size_t at);

/* Draws it in w cells, scrolled so that the cursor is seen, and puts the terminal's cursor there. */
void edit_draw(const struct edit *e, struct canvas *c, int y, int x, int w);

#endif
