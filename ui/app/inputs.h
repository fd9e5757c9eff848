/* inputs.h - what an input does. The input itself is handed to app_input. */
#ifndef UI_APP_INPUTS_H
#define UI_APP_INPUTS_H

#include "ui/state/view.h"

void inputs_new(struct ui *ui);
void inputs_free(struct ui *ui);
/* What the key means on the view. */
enum action inputs_find_action(const struct ui *ui, const struct view *v, uint32_t key);
/* Does an action of the frame's own. */
void inputs_act(struct ui *ui, enum action action);
/* Keys that were typed ahead of a dialog that is closed. */
void inputs_replay(struct ui *ui);

#endif
