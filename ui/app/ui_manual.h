/* ui_manual.h - the manual page of the screens, stoker-ui(7), from the tables of the screens. */
#ifndef UI_APP_UI_MANUAL_H
#define UI_APP_UI_MANUAL_H

#include "src/base/str.h"
#include "src/values/opt.h"

/* The options of the command line. */
enum screen_option {
    SCREEN_THEME,
    SCREEN_ASCII,
    SCREEN_READ_ONLY,
    SCREEN_NO_MOUSE,
    SCREEN_PRINT_KEYS,
    SCREEN_PRINT_MANUAL,
    SCREEN_CLOCK_SPEED, /* main_demo.c gives it */
    SCREEN_SAMPLES,     /* docs/examples/run-samples.sh gives it */
    SCREEN_N_OPTIONS
};
extern const struct opt screen_table[SCREEN_N_OPTIONS];

/* Written for troff. */
void ui_manual(struct str *out);

#endif
