/* run.h - the loop around the frame: terminal, controller, clock. */
#ifndef UI_APP_RUN_H
#define UI_APP_RUN_H

#include "ui/app/settings.h"

/* Runs the screens until the user quits. theme_dir: where themes lie. notice: a line to show at the start,
 * NULL: none. Returns 0, or a negative error where the terminal cannot be used. */
int run_ui(const struct settings *s, const char *theme_dir, const char *notice, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
