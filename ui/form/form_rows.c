/* form_rows.c - which fields of the form are shown: the simple page, and what lies under "More".
 *
 *      command                        the simple ones
 *      ...
 *      v More                         Enter
 *      Also set                       what the text says of the others is always seen ...
 *        array          0-99
 *      or
 *      Array and order                ... and all of them where it is open
 *        array          0-99
 *        depends on
 */
#include "ui/form/form_rows.h"

#include <stdlib.h>

#include "src/jobspec/jobfileedit.h"
#include "src/lang/lang.h"

/* Jobs with more steps show every field: finding out which fields are set would take longer. */
#define FOLDED_STEPS 16
#define FIELDS_MAX   64

static bool form_rows_is_row(const struct form_row *r, const struct form_field *field, int step)
{
    return r && r->field == field && r->step == step;
}

static void form_rows_add(struct form_page *s, const char *title, const struct form_field *field, int step)
{
    vec_push(&s->rows, (struct form_row){.title = title, .field = field, .step = step});
}

/* Another engine has no field for what only Stoker does. */
static bool form_rows_offers(const struct form_page *s, const struct form_field *field)
{
    bool stokers = str_eq(field->key, "lost-node") || str_eq(field->key, "restart-at-limit");
    return form_shows(&s->f, field) && !(stokers && ui_engine(s->v.ui));
}

/* The fields that are not simple: all of them, or those that are set and the one being edited. */
static void add_rest(struct form_page *s, const struct form_field *fields, size_t n, int step,
                     const struct form_row *here, bool all)
{
    bool given[FIELDS_MAX] = {false};
    const char *title = all || step >= 0 ? NULL : N_("Also set");
    bug_on(n > FIELDS_MAX);
    if (!all)
        form_given(&s->f, fields, n, step, given);
    for (size_t i = 0; i < n; i++) {
        if (!form_rows_offers(s, &fields[i]))
            continue;
        if (fields[i].simple || !(all || given[i] || form_rows_is_row(here, &fields[i], step)))
            continue;
        title = all ? fields[i].section : title;
        if (title)
            form_rows_add(s, title, NULL, step);
        title = NULL;
        form_rows_add(s, NULL, &fields[i], step);
    }
}

static void add_simple(struct form_page *s, const struct form_field *fields, size_t n, int step)
{
    for (size_t i = 0; i < n; i++)
        if (fields[i].simple && form_rows_offers(s, &fields[i]))
            form_rows_add(s, NULL, &fields[i], step);
}

/* Keeps the cursor on its field; if the field is hidden, the cursor goes to the row "More". */
static void keep_cursor(struct form_page *s, const struct form_row *was)
{
    size_t more = 0;
    vec_for_each (&s->rows, i) {
        more = s->rows.v[i].more ? i : more;
        if (was->field ? form_rows_is_row(was, s->rows.v[i].field, s->rows.v[i].step)
                       : was->more && s->rows.v[i].more) {
            s->row = i;
            return;
        }
    }
    if (was->field)
        s->row = more;
    else
        s->row = 0;
}

static void form_rows_build(struct form_page *s, const struct form_row *here)
{
    struct form_row was = s->rows.n ? *form_page_row(s) : (struct form_row){.step = -1};
    size_t steps = s->f.kind == JOB_KIND_STEPS ? jobfile_count_steps(s->f.text.s) : 0;
    vec_clear(&s->rows);
    add_simple(s, s->f.fields, s->f.n_fields, -1);
    vec_push(&s->rows, (struct form_row){.title = N_("More"), .more = true, .step = -1});
    add_rest(s, s->f.fields, s->f.n_fields, -1, here, s->more);
    for (size_t i = 0; i < steps; i++) {
        form_rows_add(s, N_("Step"), NULL, (int)i);
        add_simple(s, form_step_fields, form_n_step_fields, (int)i);
        add_rest(s, form_step_fields, form_n_step_fields, (int)i, here, s->more || steps > FOLDED_STEPS);
    }
    keep_cursor(s, &was);
}

void form_rows_make(struct form_page *s)
{
    struct form_row here = s->rows.n ? *form_page_row(s) : (struct form_row){.step = -1};
    form_rows_build(s, here.field ? &here : NULL);
}

void form_rows_show_more(struct form_page *s, bool more)
{
    s->more = more;
    form_rows_build(s, NULL);
    form_page_go_to(s, s->row);
    for (size_t i = 0; more && form_page_row(s)->more && i < s->rows.n; i++)
        if (s->rows.v[i].more)
            s->top = i; /* scrolls to the fields just shown */
}

static bool form_rows_find(const struct form_page *s, const struct form_field *field, int step, size_t *ret)
{
    vec_for_each (&s->rows, i)
        if (form_rows_is_row(&s->rows.v[i], field, step)) {
            *ret = i;
            return true;
        }
    return false;
}

size_t form_rows_find_field(struct form_page *s, const struct form_field *field, int step)
{
    size_t row = s->row;
    if (!form_rows_find(s, field, step, &row)) {
        form_rows_show_more(s, true);
        form_rows_find(s, field, step, &row);
    }
    return row;
}
