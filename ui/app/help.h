/* help.h - the help of the view on top. */
#ifndef UI_APP_HELP_H
#define UI_APP_HELP_H

#include "ui/state/view.h"

void help_open(struct ui *ui);

#endif
