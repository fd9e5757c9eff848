/* form_line.h - the command line that submits the text of a form in a shell. */
#ifndef UI_FORM_FORM_LINE_H
#define UI_FORM_FORM_LINE_H

#include "ui/form/form.h"

/* Of a job in steps, which a request does not name: a job file must be a file. Heap. */
char *form_steps_line(const struct form *f, const struct msg_submit *m) __attribute__((warn_unused_result));

#endif
