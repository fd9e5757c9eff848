/* complete.h - what can be typed next behind ':'. */
#ifndef UI_COMMAND_COMPLETE_H
#define UI_COMMAND_COMPLETE_H

#include "ui/command/cmdline.h"

/* Fills cmdline.candidates for what stands before the cursor. */
void command_complete(struct ui *ui);

#endif
