/* screens.h - the screens of the number keys. */
#ifndef UI_APP_SCREENS_H
#define UI_APP_SCREENS_H

#include "ui/state/ui_state.h"

extern const struct screen screens[];
extern const size_t n_screens;

#endif
