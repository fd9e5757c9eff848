/* array_grid.h - the elements of an array as a map: a sign for each, whose brightness is how long it ran.
 *
 *       0  █ █ ▓ █ ✗ █ ▒ █ █ █        without colours the shade is the run time
 *      10  █ █ ▶ ▶ · · · · · ·
 *
 * Where there is no room for all elements a cell stands for several of them; opening it shows these alone.
 */
#ifndef UI_ARRAY_ARRAY_GRID_H
#define UI_ARRAY_ARRAY_GRID_H

#include "ui/array/array_elements.h"
#include "ui/keys/action.h"
#include "ui/widget/rich.h"

#define GRID_ZOOMS 4

struct grid_span { /* places of elements: from <= place < to */
    size_t from, to;
};

/* Zeroed at first. */
struct array_grid {
    size_t cursor;                      /* a place */
    bool exact;                         /* it means that element, and not the cell that it is in */
    struct grid_span zooms[GRID_ZOOMS]; /* cells that were opened */
    size_t n_zooms;
    /* As last laid out. */
    struct grid_span shown;
    struct rect cells;
    int label_w, cell_w, per_row, rows;
    size_t per_cell;
};

/* Lays e out in at most these rows and columns. Returns the rows it takes, in g->rows too. */
int array_grid_fit(struct array_grid *g, const struct array_elements *e, int width, int rows);
/* Draws what array_grid_fit has laid out at r. */
void array_grid_draw(struct array_grid *g, const struct array_elements *e, const struct array_times *t,
                     struct canvas *c, struct rect r, bool focused);
/* What the signs mean, in one line. */
void array_grid_legend(const struct array_grid *g, const struct array_times *t, struct canvas *c,
                       struct rect r);

/* UP, DOWN, TOP, BOTTOM; by: cells to the right. False for other actions. */
bool array_grid_move(struct array_grid *g, enum action a);
void array_grid_step(struct array_grid *g, long by);
/* Puts the cursor on that element, and shows all elements where it is not among those shown. */
void array_grid_go(struct array_grid *g, size_t place);
/* Puts the cursor on the cell that begins with that place, see array_grid_at. */
void array_grid_point(struct array_grid *g, size_t place);
/* The elements that the cursor means. */
struct grid_span array_grid_current(const struct array_grid *g);
/* Shows the elements of the cell alone; false: it is one element. */
bool array_grid_open(struct array_grid *g);
/* Back from that; false: all are shown. */
bool array_grid_close(struct array_grid *g);
/* The cell there; *ret: its first place. */
bool array_grid_at(const struct array_grid *g, int y, int x, size_t *ret);

#endif
