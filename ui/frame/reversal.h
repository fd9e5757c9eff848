/* reversal.h - the change that was made last and the requests that take it back: a hold, a release, a
 * drain, a resume, a note, an edit of one job or of several.
 *
 * The key that undoes what waits some seconds (ui/frame/later.h) takes back for a minute what is done
 * already. What the controller has refused or another change has replaced is not offered.
 */
#ifndef UI_FRAME_REVERSAL_H
#define UI_FRAME_REVERSAL_H

#include "ui/state/view.h"

/* A change is sent: what took back the one before is forgotten. */
void reversal_begin(struct ui *ui);
/* One of the requests that would take it back; body is copied. */
void reversal_add(struct ui *ui, enum msg_kind kind, const void *body);
/* The nth of the added requests, from 0, would undo a change that was refused: it is not sent. */
void reversal_leave_out(struct ui *ui, size_t nth);
/* The change was made: says so, and names the key that takes it back if anything does. */
void reversal_offer(struct ui *ui, const char *done);
bool reversal_is_offered(const struct ui *ui);
/* Sends what takes it back; answered gets each answer. False, and no effect: nothing is offered. */
bool reversal_run(struct ui *ui, ui_told_fn *answered);
/* Forgets it. */
void reversal_drop(struct ui *ui);

#endif
