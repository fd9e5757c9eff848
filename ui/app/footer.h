/* footer.h - the last line: the most useful keys, which can be clicked; what waits; messages. */
#ifndef UI_APP_FOOTER_H
#define UI_APP_FOOTER_H

#include "ui/state/view.h"

void footer_draw(const struct ui *ui, struct canvas *c, struct rect r);

#endif
