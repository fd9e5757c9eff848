/* complete.h - the candidates of the command line. */
#ifndef UI_COMMAND_COMPLETE_H
#define UI_COMMAND_COMPLETE_H

#include "ui/command/cmdline.h"

/* Fills cmdline.candidates for the text before the cursor. */
void command_complete(struct ui *ui);
/* Offers names of columns and values for a word of a filter that begins at cl->word. */
void complete_filter(struct ui *ui, struct cmdline *cl, const char *word);

#endif
