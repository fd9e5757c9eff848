/* pane.h - lines to read: broken to the width there is, scrolled. */
#ifndef UI_WIDGET_PANE_H
#define UI_WIDGET_PANE_H

#include "ui/keys/action.h"
#include "ui/widget/rich.h"

struct pane {
    struct lines lines; /* the owner clears and fills them */
    struct lines flowed;
    size_t top;
    int height;
};

void pane_fini(struct pane *p);
/* Draws as much as there is room for, from p->top on, with a scroll bar where it is not all. */
void pane_draw(struct pane *p, struct canvas *c, struct rect r);
/* Lines that it takes at that width. */
size_t pane_height(struct pane *p, int width);
/* Scrolls. Returns DID_* bits. */
unsigned pane_act(struct pane *p, enum action a);
void pane_scroll(struct pane *p, long by);
/* What was drawn in that row of r; NULL: nothing. */
const char *pane_text_at(const struct pane *p, struct rect r, int y);
/* The word of that text in cell x of the row, up to the next blank, without what encloses it. */
void pane_word_in(const char *text, int x, struct str *out);

#endif
