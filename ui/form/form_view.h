/* form_view.h - the form: fields and script side by side, two ways to the same text. */
#ifndef UI_FORM_FORM_VIEW_H
#define UI_FORM_FORM_VIEW_H

#include "ui/dialogs/job_dialogs.h"
#include "ui/state/view.h"

extern const struct view_ops submit_view; /* arg: struct form *, whose contents it takes */

/* An empty form, or one with a script or job file in it. */
void submit_open(struct ui *ui, const char *path);

/* As act_on_jobs; EDIT of a single job opens the form on its request. */
void submit_act_on_jobs(struct ui *ui, enum action a, struct targets *take_t);

#endif
