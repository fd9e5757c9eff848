/* side_panes.h - the pane beside or below a list: where it is, how large, which of its tabs is shown. The
 * user chooses by keys and with the mouse, each screen has its own, and views.cfg remembers it. The view
 * fills the pane; it is drawn where struct screen_layout says. */
#ifndef UI_FRAME_SIDE_PANES_H
#define UI_FRAME_SIDE_PANES_H

#include "ui/state/view.h"

void side_panes_new(struct ui *ui);
void side_panes_free(struct ui *ui);

/* The layout of the view on top. body: cells that its list would like. */
struct screen_layout side_panes_layout(const struct ui *ui, int rows, int cols, int body);
/* Draws what separates list and pane, and the tabs, and takes their lines from *l; notes where they are. */
void side_panes_draw(const struct ui *ui, struct canvas *c, struct screen_layout *l);

/* An action of SCOPE_PANE; false: it is another. arg: the tab, of a click on one. */
bool side_panes_act(struct ui *ui, enum action action, size_t arg);
/* The wheel over the pane, a press on it, its edge that is dragged; false: it is not for the pane. */
bool side_panes_mouse(struct ui *ui, const struct input *in);
/* A pane that fills the screen goes back to its place; false: none does. */
bool side_panes_unzoom(struct ui *ui);

#endif
