/* settings_view.h - the settings: every option of ui.cfg with its value and where that comes from. Themes
 * show themselves while the cursor is on them. */
#ifndef UI_APP_SETTINGS_VIEW_H
#define UI_APP_SETTINGS_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops settings_view;

#endif
