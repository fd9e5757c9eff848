/* table_view.h - what all screens with a table do alike: the sort menu, copying, the title's words on
 * filter, sort and marks, the pane beside the table. */
#ifndef UI_VIEW_TABLE_VIEW_H
#define UI_VIEW_TABLE_VIEW_H

#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/widget/pane.h"

/* A screen of one table with a pane beside it: the first member of its own state, so that these can be its
 * view_ops. */
struct tablescreen {
    struct view v;
    struct table table;
    struct pane side;
    struct rect body; /* where the table was drawn */
};
void tablescreen_fini(struct tablescreen *s);
void tablescreen_sync(struct view *v); /* .sync: fills the table again */
unsigned tablescreen_input(struct view *v, const struct input *in);
struct table *tablescreen_table(struct view *v);
/* Draws the table where inner says, and sets v.ticks. Returns the row whose details stand beside it, whose
 * lines are to be put into side.lines, empty now, and drawn with side_draw; NULL: none do. */
const struct trow *tablescreen_draw(struct tablescreen *s, struct canvas *c,
                                    const struct screen_layout *inner, const struct lines *empty);
struct pane *tablescreen_pane(struct view *v); /* .pane */
/* For .pane_lines: where the screen is high the pane takes what the rows leave of h lines, least of them at
 * least, and a rule. */
int tablescreen_lines_below(const struct tablescreen *s, int h, int least);
int tableview_lines_below(const struct table *t, int h, int least); /* the same of a table alone */
/* The same where a body of fewer lines than from has a pane only if the rows leave least lines of it. */
int tableview_lines_spare(const struct table *t, int h, int from, int least);
/* Adds a sign and what it means, where both fit into what the line has of width. */
void tableview_legend(struct rich *r, enum role role, const char *sign, const char *means, int width);
/* The same of a part of a bar, and of a sign for one thing in its role; GLYPH_N: none. */
void tableview_legend_bar(struct rich *r, enum role part, enum glyph sign, const char *means, int width);
/* Where the pane's text stands. */
struct rect side_inside(const struct screen_layout *l);
/* Draws a side pane where it belongs. */
void side_draw(struct pane *p, struct canvas *c, const struct screen_layout *l);

/* SORT, COPY, COPY_ALL and all that table_act does. The table must live as long as its view. */
unsigned tableview_act(struct ui *ui, struct table *t, enum action a, const struct input *in);
/* "  12 of 340   flat   filter: train   sort: time   3 marked", or the filter line being typed. */
void tableview_title(const struct ui *ui, const struct table *t, size_t total, struct rich *out);
/* Draws the table, and the filter line in the title while it is typed. empty: what to say where no row is
 * shown. Returns true where it changes with the time. */
bool tableview_draw(struct ui *ui, struct table *t, struct canvas *c, const struct screen_layout *l,
                    const struct lines *empty);

#endif
