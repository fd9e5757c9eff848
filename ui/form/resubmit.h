/* resubmit.h - a job that was becomes a form: as it was, bigger, or its failed elements alone. */
#ifndef UI_FORM_RESUBMIT_H
#define UI_FORM_RESUBMIT_H

#include "ui/form/form.h"
#include "ui/frame/view.h"

/* RESUBMIT, BIGGER, FAILED_ONLY: fetches the script and opens the form. j may be NULL. Returns false for
 * other actions. */
bool again_act(struct ui *ui, const struct job *j, enum action a);

/* For the footer, of a job that has ended (for others and for other actions NULL): what keys for jobs are
 * good for then. failed: of an array some elements have. */
const char *again_label(const struct job *j, bool failed, enum action a);

/* The fields of a form say what the job asked for, where its script does not. */
void again_fill(struct form *f, const struct job *j, const struct model *m, struct wall now);
/* A job file that says what the steps of the job did. */
void again_steps(struct form *f, const struct job *j);

#endif
