/* form_lines.c - the lines of the fields' side. */
#include "ui/form/form_lines.h"

#include <stdlib.h>

#include "src/lang/lang.h"
#include "ui/form/form_rows.h"

#define HINT_LINES      2 /* of a field, at most; of that under the cursor, and of an error: */
#define HINT_LINES_HERE 5

void form_lines_fini(struct form_page *s)
{
    vec_for_each (&s->lines, i)
        rich_fini(&s->lines.v[i].text);
    vec_fini(&s->lines);
}

static void lines_push(struct form_page *s, size_t row, enum form_line_kind kind)
{
    vec_push(&s->lines, (struct form_line){.row = row, .kind = kind});
    rich_init(&s->lines.v[s->lines.n - 1].text);
}

/* --- what is said about a row --- */

const struct form_hint *form_lines_fix(const struct form_page *s)
{
    const struct form_row *here = form_page_row(s);
    const struct form_hint *best = here->field ? form_page_hint_of(s, here) : NULL;
    if (best && best->fix)
        return best;
    best = NULL;
    vec_for_each (&s->hints, i) {
        const struct form_hint *h = &s->hints.v[i];
        if (h->fix && h->kind != HINT_GOOD && (!best || h->kind < best->kind))
            best = h;
    }
    return best ? best : s->told.fix ? &s->told : NULL;
}

static enum role hint_role(enum hint_kind k)
{
    return k == HINT_ERROR ? ROLE_ERROR : k == HINT_WARN ? ROLE_WARN : ROLE_GOOD;
}

static void lines_add_hint(const struct form_page *s, const struct form_hint *h, struct lines *out)
{
    struct rich *r = lines_add(out);
    rich_add(r, hint_role(h->kind), h->text);
    if (!h->fix)
        return;
    rich_add(r, ROLE_NORMAL, "  ");
    if (h == form_lines_fix(s)) {
        keymap_format(ui_keymap(s->v.ui), ACTION_FORM_FIX, true, &r->text);
        rich_role(r, ROLE_KEY);
        rich_add(r, ROLE_NORMAL, " ");
    }
    if (h->fix_field)
        rich_addf(r, ROLE_NORMAL, "%s: ", tr(h->fix_field->label));
    rich_add(r, ROLE_NORMAL, h->fix_shown ? h->fix_shown : h->fix);
}

/* The worst; what is good to know beside it only where nothing is wrong. */
static void lines_push_hints(struct form_page *s, size_t row, int width)
{
    struct lines said = {0}, flowed = {0};
    const struct form_hint *h = form_page_hint_of(s, &s->rows.v[row]);
    bool whole = row == s->row || (h && h->kind == HINT_ERROR);
    size_t most = whole ? HINT_LINES_HERE : HINT_LINES;
    if (h)
        lines_add_hint(s, h, &said);
    lines_flow(&said, width, &flowed);
    for (size_t i = 0; i < flowed.n && i < most; i++) {
        lines_push(s, row, LINE_HINT);
        rich_append(&s->lines.v[s->lines.n - 1].text, &flowed.v[i]);
    }
    lines_fini(&said);
    lines_fini(&flowed);
}

/* --- all of them --- */

/* After what runs where, before the row "More", and before a title. */
static bool begins_group(const struct form_page *s, size_t row)
{
    const struct form_row *r = &s->rows.v[row];
    const struct form_row *before = row ? &s->rows.v[row - 1] : NULL;
    if (!before)
        return false;
    if (!r->field)
        return !before->more || r->more;
    return r->field->simple && before->field &&
           (str_eq(before->field->key, "chdir") || str_eq(before->field->key, "workdir"));
}

static void lines_make_all(struct form_page *s, bool blanks, int width)
{
    form_lines_fini(s);
    vec_for_each (&s->rows, i) {
        if (blanks && begins_group(s, i))
            lines_push(s, i, LINE_BLANK);
        lines_push(s, i, LINE_ROW);
        if (s->rows.v[i].field)
            lines_push_hints(s, i, width);
    }
}

static void lines_scroll(struct form_page *s, size_t height)
{
    size_t first = 0, last = 0;
    vec_for_each (&s->lines, i)
        if (s->lines.v[i].row == s->row) {
            first = s->lines.v[i].kind == LINE_ROW ? i : first;
            last = i;
        }
    if (s->row && !s->rows.v[s->row - 1].field && first) /* with its title */
        first--;
    if (last >= s->top + height)
        s->top = last - height + 1;
    if (s->top > first)
        s->top = first;
    if (s->top + height > s->lines.n)
        s->top = s->lines.n > height ? s->lines.n - height : 0;
}

void form_lines_make(struct form_page *s, int height, int width)
{
    lines_make_all(s, true, width);
    if (s->lines.n > (size_t)height)
        lines_make_all(s, false, width);
    lines_scroll(s, height > 0 ? (size_t)height : 1);
}
