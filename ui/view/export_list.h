/* export_list.h - writes the list on the screen to a new file: text, CSV or JSON, by the end of its name.
 */
#ifndef UI_VIEW_EXPORT_LIST_H
#define UI_VIEW_EXPORT_LIST_H

#include "ui/state/view.h"

/* Asks for the file. */
void export_list_ask(struct ui *ui, struct table *t);
/* words: "FILE", or "FILE all" for all columns. A file that is there is never written over. dialog: the one
 * that it was typed in, which shows what is wrong; 0: none, a message does. */
void export_list(struct ui *ui, struct table *t, const char *words, uint64_t dialog);

#endif
