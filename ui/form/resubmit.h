/* resubmit.h - opens a past job as a form: unchanged, bigger, or only its failed elements. */
#ifndef UI_FORM_RESUBMIT_H
#define UI_FORM_RESUBMIT_H

#include "ui/form/form.h"
#include "ui/state/view.h"

/* RESUBMIT, BIGGER, FAILED_ONLY: fetches the script and opens the form. j may be NULL. Returns false for
 * other actions. */
bool again_act(struct ui *ui, const struct job *j, enum action a);

/* The footer's label of an action on an ended job; NULL for other jobs and actions. failed: some elements
 * of the array have failed. */
const char *again_label(const struct job *j, bool failed, enum action a);

/* Sets the fields of a form to the job's request where the script does not. The account is
 * left out if the controller would choose it. */
void again_fill(struct form *f, const struct job *j, const struct model *m, struct wall now);
/* Writes a job file with the steps of the job. */
void again_steps(struct form *f, const struct job *j, const struct model *m);

#endif
