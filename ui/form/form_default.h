/* form_default.h - what a field of the form means where it is not set, and notes beside its value. */
#ifndef UI_FORM_FORM_DEFAULT_H
#define UI_FORM_FORM_DEFAULT_H

#include "ui/form/form_page.h"

/* The value that applies if the text sets none; nothing: there is none, or it is not known. */
void form_default_text(const struct form_page *s, const struct form_field *field, struct str *out);
/* "7 free": of the GPUs of that type in the job's partition. */
void form_default_note(const struct form_page *s, const struct form_field *field, struct str *out);

#endif
