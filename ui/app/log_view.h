/* log_view.h - what was changed from these screens: the command line behind each action, to be copied. */
#ifndef UI_APP_LOG_VIEW_H
#define UI_APP_LOG_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops log_view;

/* Opens it; closes it where it is open. */
void log_open(struct ui *ui);

#endif
