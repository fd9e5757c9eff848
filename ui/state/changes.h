/* changes.h - which jobs the views have not seen the last change of: a view of a hundred thousand rows
 * looks at those again and at no others. */
#ifndef UI_STATE_CHANGES_H
#define UI_STATE_CHANGES_H

#include "ui/state/view.h"

void changes_new(struct ui *ui);
void changes_free(struct ui *ui);

/* Notes what a message is about to change, or has changed. A new job need not be noted: no view has rows of
 * it. */
void changes_note(struct ui *ui, const struct incoming *in);
void changes_all(struct ui *ui);
/* The views have seen all of it. */
void changes_clear(struct ui *ui);
/* The number of notes so far. changes_recall: what was noted since then is unseen again, for a view that
 * has missed it; all, if that is not known any more. */
uint64_t changes_noted(const struct ui *ui);
void changes_recall(struct ui *ui, uint64_t since);
/* The model has changed: the views see it before the next picture, which is due. */
void changes_show(struct ui *ui);
bool changes_unseen(const struct ui *ui);
/* The same; from now on it counts as seen. */
bool changes_take_unseen(struct ui *ui);
/* Everything may have changed, and a picture is due. */
void changes_everything(struct ui *ui);

#endif
