/* layout.h - where things are on a screen of a given size: pure functions.
 *
 *     +--------------------------------------------------+
 *     | header: cluster, screens, totals, age of the data|   1 line, 2 from 14 rows
 *     +--------------------------------------------------+
 *     | title: what is shown, how many, filter, sort     |
 *     +------------------------------+-+-----------------+
 *     | body                         | | side            |   side: from 100 columns, if there is room
 *     +------------------------------+-+-----------------+
 *     | footer: the keys that matter here                |
 *     +--------------------------------------------------+
 *
 * Invariants: no two of them overlap, none reaches out of the screen, every cell of the screen belongs to
 * one.
 */
#ifndef UI_LAYOUT_LAYOUT_H
#define UI_LAYOUT_LAYOUT_H

#include "ui/layout/rect.h"

#define LAYOUT_SIDE_COLS 100 /* list and detail stand side by side from here */

struct screen_layout {
    struct rect header, title, body, rule, side,
        footer;       /* rule: between body and side, the line in its last column */
    struct rect room; /* body, rule and side together */
    bool below;       /* the side lies below the body */
};

/* Where the user wants the pane; by itself it stands beside the body where there is room. */
enum pane_place { PANE_AUTO, PANE_BESIDE, PANE_BELOW, PANE_HIDDEN };
#define PANE_WHOLE         1000 /* sizes are parts of this */
#define LAYOUT_BESIDE_COLS 60   /* a pane that is wanted beside the body stands there from here on */

struct pane_wish {
    enum pane_place place;
    int width, height; /* its part of the room, where it stands beside or below; 0: by itself */
    bool zoomed;       /* it takes all the room */
};

/* want_side: the screen has a detail pane for the thing under the cursor; it takes what body can spare,
 * which would like body cells, and there is none where that is too little. */
struct screen_layout layout_screen(int rows, int cols, bool want_side, int body);
/* The same for a pane that the user has placed. */
struct screen_layout layout_with_pane(int rows, int cols, int body, const struct pane_wish *wish);
/* Takes lines of them from the body for a side below it, its rule among them. */
void layout_put_below(struct screen_layout *l, int lines);

/* A box of at most h x w in the middle of the screen, with one cell free around it where there is room. */
struct rect layout_popup(int rows, int cols, int h, int w);

#endif
