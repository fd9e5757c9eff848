/* form_steps.h - add, remove and restore steps. */
#ifndef UI_FORM_FORM_STEPS_H
#define UI_FORM_FORM_STEPS_H

#include "ui/form/form_page.h"

void form_steps_add(struct form_page *s);
/* Removes the step under the cursor; the last one stays. */
void form_steps_drop(struct form_page *s);
/* Restores the step that was removed last, where it was; what was typed since stays. */
void form_steps_restore(struct form_page *s);
void form_steps_forget(struct form_page *s);

#endif
