/* form_file.h - scripts, job files and templates: opened and saved beside the screens. */
#ifndef UI_FORM_FORM_FILE_H
#define UI_FORM_FORM_FILE_H

#include "ui/form/form.h"

/* Called with the form that was read, whose contents it takes. owner: NULL where there was none. */
typedef void form_load_fn(struct ui *ui, struct view *owner, struct form *take_f);

/* A script or job file. dialog: where the path was typed, which shows a refusal; 0: nowhere. */
void form_file_open_path(struct ui *ui, struct view *owner, const char *path, uint64_t dialog,
                         form_load_fn *fn);
/* F2. */
void form_file_save_template(struct view *v, const struct form *f);
/* F3. */
void form_file_open_menu(struct view *v, form_load_fn *fn);

#endif
