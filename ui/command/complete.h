/* complete.h - the candidates of the command line. */
#ifndef UI_COMMAND_COMPLETE_H
#define UI_COMMAND_COMPLETE_H

#include "ui/command/cmdline.h"

/* Fills cmdline.candidates for the text before the cursor. */
void command_complete(struct ui *ui);

#endif
