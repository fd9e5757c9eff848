/* ui_manual.h - the manual page of the screens, stoker-ui(7), from the tables of the screens. */
#ifndef UI_APP_UI_MANUAL_H
#define UI_APP_UI_MANUAL_H

#include "src/base/str.h"

/* X(option as it is typed, what it does): of the command line. */
#define SCREEN_OPTIONS(X)                                                            \
    X("--theme=NAME", "dark, light, mono, colourblind, or the path of a theme file") \
    X("--ascii", "ASCII characters only")                                            \
    X("--read-only", "refuse all changes")                                           \
    X("--no-mouse", "do not use the mouse")

/* Written for troff. */
void ui_manual(struct str *out);

#endif
