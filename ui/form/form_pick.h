/* form_pick.h - the values that F4 offers for a field. */
#ifndef UI_FORM_FORM_PICK_H
#define UI_FORM_FORM_PICK_H

#include "ui/form/form.h"

/* Whether there is a list to choose from, however long it is. */
bool form_pick_has_list(const struct form_field *field);

typedef void form_take_fn(struct view *v, const char *value);
/* value: what the field has now. take is called with the new one. */
void form_pick_open(struct view *v, const struct form_field *field, const char *value, form_take_fn *take);

#endif
