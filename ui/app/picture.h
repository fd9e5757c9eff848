/* picture.h - the picture: header, title, the view, footer, dialogs. */
#ifndef UI_APP_PICTURE_H
#define UI_APP_PICTURE_H

#include "ui/state/view.h"

/* Draws everything onto c, whose size is the screen's. */
void picture_draw(struct ui *ui, struct canvas *c);

#endif
