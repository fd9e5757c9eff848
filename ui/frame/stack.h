/* stack.h - what lies over one another: the screen of a number key, and the views pushed onto it. */
#ifndef UI_FRAME_STACK_H
#define UI_FRAME_STACK_H

#include "ui/state/view.h"

/* Opens the first screen. */
void stack_new(struct ui *ui);
void stack_free(struct ui *ui);

struct view *ui_view(const struct ui *ui); /* on top */
/* Whether there are views over the screen. */
bool stack_is_pushed(const struct ui *ui);
/* The screen below all, by its number. */
size_t stack_screen(const struct ui *ui);
bool stack_takes_text(struct view *v); /* what is typed becomes text */

/* All that is shown are the user's own jobs. */
bool stack_shows_own(const struct ui *ui);

void stack_pop(struct ui *ui);
/* Whether there is a view or a screen to go back to: the one below, or the one whose row led here. */
bool stack_can_go_back(const struct ui *ui);
void stack_go_back(struct ui *ui);
/* Goes back to the screen whose row led here, if the user has neither changed the filter that came with it
 * nor marked a row. Returns whether it did. */
bool stack_leave_visit(struct ui *ui);
/* The way here, without the view on top: "Jobs > Job 51 > ". */
void stack_path(const struct ui *ui, struct rich *out);
void stack_show_screen(struct ui *ui, size_t i);
/* What follows from DID_* bits of a view. */
void stack_did(struct ui *ui, const struct view *v, unsigned did);
/* Brings the views that are seen up to the model; the other screens when they are shown. */
void stack_sync(struct ui *ui);
/* In every screen of jobs the cursor goes to that job. */
void stack_point_at(struct ui *ui, uint32_t job);

#endif
