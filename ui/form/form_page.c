/* form_page.c - the form's state: the row under the cursor, and what is said about it. */
#include "ui/form/form_page.h"

#include <stdlib.h>

#include "src/lang/lang.h"

/* --- rows --- */

const struct form_row *form_page_row(const struct form_page *s)
{
    return &s->rows.v[s->row];
}

void form_page_load_edit(struct form_page *s)
{
    const struct form_row *r = form_page_row(s);
    char *value = r->field ? form_get(&s->f, r->field, r->step) : NULL;
    edit_set(&s->edit, value ? value : "");
    free(value);
}

void form_page_go_to(struct form_page *s, size_t row)
{
    s->row = row;
    form_page_load_edit(s);
}

bool form_page_can_stand(const struct form_row *r)
{
    return r->field || r->more;
}

void form_page_go_by(struct form_page *s, int by)
{
    size_t row = s->row;
    do {
        if ((by < 0 && row == 0) || (by > 0 && row + 1 >= s->rows.n))
            return;
        row = by < 0 ? row - 1 : row + 1;
    } while (!form_page_can_stand(&s->rows.v[row]));
    form_page_go_to(s, row);
}

/* --- hints --- */

const struct form_hint *form_page_error(const struct form_page *s)
{
    vec_for_each (&s->hints, i)
        if (s->hints.v[i].kind == HINT_ERROR)
            return &s->hints.v[i];
    return NULL;
}

static bool hint_is_of(const struct form_hint *h, const struct form_row *row)
{
    return h->field == row->field && (h->step < 0 || h->step == row->step);
}

const struct form_hint *form_page_hint_of(const struct form_page *s, const struct form_row *row)
{
    const struct form_hint *best = NULL;
    vec_for_each (&s->hints, i) {
        const struct form_hint *h = &s->hints.v[i];
        if (hint_is_of(h, row) && (!best || h->kind < best->kind))
            best = h;
    }
    /* The controller knows more about a refusal than what was looked at here. */
    if (s->told.field && hint_is_of(&s->told, row) && (!best || s->told.kind <= best->kind))
        best = &s->told;
    return best;
}

void form_page_forget_told(struct form_page *s)
{
    free(s->told.text);
    free(s->told.fix);
    s->told = (struct form_hint){0};
}

const char *form_page_forecast_begins(const struct form_page *s)
{
    if (s->refused)
        return tr("refused: ");
    if (s->now)
        return tr("starts now: ");
    return str_starts(s->forecast, "waits") ? "" /* it says so itself */ : tr("waits: ");
}
