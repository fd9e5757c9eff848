/* form_change.c - changes of the form's text: by a field, by the script's side, by a suggestion. */
#include "ui/form/form_change.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/form/form_ask.h"
#include "ui/form/form_lines.h"
#include "ui/form/form_rows.h"

void form_change_after(struct form_page *s)
{
    s->changed = true;
    if (s->f.edit) { /* what was refused is another value now */
        s->refused = false;
        form_page_forget_told(s);
    }
    form_rows_make(s);
    form_ask_draft(s, DRAFT_CHECK);
    form_ask_soon(s);
}

/* The form has another text: the script's side shows it. */
static void form_change_show_text(struct form_page *s)
{
    textedit_replace(&s->script, s->f.text.s);
}

void form_change_set(struct form_page *s, const struct form_field *field, int step, const char *value)
{
    form_set(&s->f, field, step, value);
    form_change_show_text(s);
    form_change_after(s);
    form_page_load_edit(s);
}

void form_change_text(struct form_page *s)
{
    form_change_show_text(s);
    form_change_after(s);
    if (!form_page_can_stand(form_page_row(s)))
        form_page_go_by(s, 1);
    form_page_load_edit(s);
}

void form_change_field(struct form_page *s, const char *value)
{
    const struct form_row *r = form_page_row(s);
    if (!r->field)
        return;
    form_set(&s->f, r->field, r->step, value);
    form_change_show_text(s);
    form_change_after(s);
}

void form_change_script(struct form_page *s)
{
    str_clear(&s->f.text);
    str_append(&s->f.text, s->script.buf.text.s);
    form_change_after(s);
    form_page_load_edit(s);
}

bool form_change_take_fix(struct form_page *s)
{
    const struct form_hint *h = form_lines_fix(s);
    if (!h)
        return false;
    char *value = xstrdup(h->fix);
    form_change_set(s, h->fix_field ? h->fix_field : h->field, h->step, value);
    free(value);
    return true;
}
