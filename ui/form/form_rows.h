/* form_rows.h - which fields of the form are shown. */
#ifndef UI_FORM_FORM_ROWS_H
#define UI_FORM_FORM_ROWS_H

#include "ui/form/form_page.h"

/* Makes the rows again; the cursor stays on its field, which stays shown as long as it has the cursor. */
void form_rows_make(struct form_page *s);
/* Shows all fields, or the simple page again. */
void form_rows_show_more(struct form_page *s, bool more);
/* The row of a field, which is shown from now on. */
size_t form_rows_find_field(struct form_page *s, const struct form_field *field, int step);

#endif
