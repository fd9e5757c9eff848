/* form_view.h - the form: fields and script side by side, two ways to the same text. */
#ifndef UI_FORM_FORM_VIEW_H
#define UI_FORM_FORM_VIEW_H

#include "ui/form/form.h"
#include "ui/frame/view.h"

extern const struct view_ops submit_view; /* arg: struct form *, whose contents it takes */

/* An empty form, or one with a script or job file in it. */
void submit_open(struct ui *ui, const char *path);

/* form_pick.c: what F4 offers for a field. value: what it has now. take is called with the new one. */
typedef void submit_take_fn(struct view *v, const char *value);
void submit_pick(struct view *v, const struct form_field *field, const char *value, submit_take_fn *take);

#endif
