/* form_change.h - changes of the form's text. */
#ifndef UI_FORM_FORM_CHANGE_H
#define UI_FORM_FORM_CHANGE_H

#include "ui/form/form_page.h"

/* The text has changed: rows, hints and forecast follow. */
void form_change_after(struct form_page *s);
/* The form has another text: everything shows it, and the cursor stands on a field. */
void form_change_text(struct form_page *s);
/* A value for a field, as if it had been typed there. */
void form_change_set(struct form_page *s, const struct form_field *field, int step, const char *value);
/* The same for the field under the cursor; its input line has the value already. */
void form_change_field(struct form_page *s, const char *value);
/* The script's side was edited. */
void form_change_script(struct form_page *s);
/* Applies the suggestion of the hint, or the limit with which the job could start now. False: there is no
 * suggestion. */
bool form_change_take_fix(struct form_page *s);

#endif
