/* term_paint.h - pictures as bytes for a terminal: what differs from the picture before, by the sequences
 * that this kind of terminal understands. Draws nothing itself; ui/term/term.h sends the bytes.
 *
 * Not by curses: it knows pairs of colours, of which terminals have too few, and no colours beyond the
 * palette but where the terminal's description has them, which is seldom.
 */
#ifndef UI_TERM_TERM_PAINT_H
#define UI_TERM_TERM_PAINT_H

#include "ui/term/canvas.h"
#include "ui/term/term_caps.h"

struct term_painter {
    const struct term_caps *caps;
    struct canvas last; /* what the terminal shows; rows 0: not known */
    struct str out;     /* bytes to be sent */
    struct style style; /* that the next character gets; set: it is known */
    bool set;
    int y, x;    /* where the cursor is; y -1: not known */
    int visible; /* is the cursor? -1: not known */
};

void painter_init(struct term_painter *p, const struct term_caps *caps);
void painter_fini(struct term_painter *p);
/* The terminal shows something else: the next picture is sent as a whole. */
void painter_forget(struct term_painter *p);
/* Appends to p->out what makes the terminal show c. */
void painter_show(struct term_painter *p, const struct canvas *c, const struct theme *theme);

#endif
