/* motion.h - how far a key that moves goes, in lists and in texts alike. */
#ifndef UI_WIDGET_MOTION_H
#define UI_WIDGET_MOTION_H

#include <stdbool.h>

#include "ui/keys/action.h"

/* UP ... BOTTOM in n lines, of which `height` are seen: *ret_by of them down, up where it is negative, all
 * for TOP and BOTTOM. A page leaves one line of what was seen. Returns false if a is not a movement. */
bool motion_of(enum action a, int height, long n, long *ret_by);

#endif
