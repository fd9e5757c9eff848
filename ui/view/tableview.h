/* tableview.h - what all screens with a table do alike: the sort menu, copying, the title's words on
 * filter, sort and marks. */
#ifndef UI_VIEW_TABLEVIEW_H
#define UI_VIEW_TABLEVIEW_H

#include "ui/view/view.h"
#include "ui/widget/table.h"

/* SORT, COPY, COPY_ALL and all that table_act does. The table must live as long as its view. */
unsigned tableview_act(struct ui *ui, struct table *t, enum action a, const struct input *in);
/* "  12 of 340   filter: train   sort: time   3 marked", or the filter line being typed. */
void tableview_title(const struct ui *ui, const struct table *t, size_t total, struct rich *out);
/* Draws the table, and the filter line in the title while it is typed. empty: what to say where no row is
 * shown. Returns true where it changes with the time. */
bool tableview_draw(struct ui *ui, struct table *t, struct canvas *c, const struct layout *l,
                    const struct lines *empty);

#endif
