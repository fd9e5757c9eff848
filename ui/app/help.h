/* help.h - the help and the menu of the view on top. */
#ifndef UI_APP_HELP_H
#define UI_APP_HELP_H

#include "ui/frame/view.h"

void help_open(struct ui *ui);
/* All that can be done in the view, as a menu. */
void menu_open(struct ui *ui);

#endif
