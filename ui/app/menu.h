/* menu.h - all that can be done in the view on top, as a menu. */
#ifndef UI_APP_MENU_H
#define UI_APP_MENU_H

#include "ui/state/view.h"

void menu_open(struct ui *ui);
/* The same beside the pointer. */
void menu_open_at(struct ui *ui, int y, int x);

#endif
