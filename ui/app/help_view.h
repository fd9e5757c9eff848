/* help_view.h - the help of a screen, as a screen: keys, signs, filter words and commands in columns, and
 * "/" shows the lines with a text. Opened with a struct help_about. */
#ifndef UI_APP_HELP_VIEW_H
#define UI_APP_HELP_VIEW_H

#include "ui/frame/view.h"

struct help_about {
    const char *name;         /* of the screen */
    struct lines *take_lines; /* a title (ROLE_TITLE) begins a section */
};

extern const struct view_ops help_view;

#endif
