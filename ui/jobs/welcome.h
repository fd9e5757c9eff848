/* welcome.h - what the list of jobs shows where there are none: the state of the cluster, and what to begin
 * with, a key each. */
#ifndef UI_JOBS_WELCOME_H
#define UI_JOBS_WELCOME_H

#include "ui/state/view.h"

/* Appends the page. */
void welcome_lines(struct lines *l, const struct ui *ui);
/* Submits the samples, opens the demo. Returns false where the action is neither. */
bool welcome_act(struct ui *ui, enum action a);

#endif
