/* header.h - the first two lines of the screen: cluster, screens, totals, how old the data are; bars of
 * what is in use. */
#ifndef UI_APP_HEADER_H
#define UI_APP_HEADER_H

#include "ui/state/view.h"

/* Draws them where r has lines for them. Returns true where the maintenance window has found room. */
bool header_draw(const struct ui *ui, struct canvas *c, struct rect r);
/* Adds the window that is on, or that begins soonest: "  maintenance on gpu[01-02] in 2 h"; nothing where
 * there is none. */
void header_window(const struct ui *ui, struct rich *r, bool with_nodes);

#endif
