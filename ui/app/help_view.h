/* help_view.h - the help of a screen, as a screen: keys, signs, filter words and commands in columns, and
 * "/" shows the lines with a text. Opened with its struct lines, which it
 * takes: a title (ROLE_TITLE) begins a section. */
#ifndef UI_APP_HELP_VIEW_H
#define UI_APP_HELP_VIEW_H

#include "ui/state/view.h"

extern const struct view_ops help_view;

#endif
