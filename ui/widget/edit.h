/* edit.h - a line that is typed into: characters, paste, the usual moves. */
#ifndef UI_WIDGET_EDIT_H
#define UI_WIDGET_EDIT_H

#include "ui/keys/input.h"
#include "ui/term/canvas.h"

#define EDIT_MAX 4000 /* bytes */

struct edit {
    struct str text; /* valid UTF-8 */
    size_t at;       /* the cursor, in bytes */
};

void edit_init(struct edit *e);
void edit_fini(struct edit *e);
void edit_set(struct edit *e, const char *text);
/* Takes keys and pasted text; line breaks of a paste become blanks. Returns true where the line or the
 * cursor changed; false for what an input line does not take (Enter, Esc, Tab, function keys ...). */
bool edit_input(struct edit *e, const struct input *in);
/* Draws it in w cells, scrolled so that the cursor is seen, and puts the terminal's cursor there. */
void edit_draw(const struct edit *e, struct canvas *c, int y, int x, int w);

#endif
