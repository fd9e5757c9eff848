/* remember.c - filter, sort and columns of the screens: from what is remembered, and back to it. */
#include "ui/frame/remember.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/frame/outbox.h"
#include "ui/state/ui_state.h"

void remember_apply(struct view *v, const struct view_prefs *p)
{
    struct table *t = v->ops->table(v);
    bool own = p->columns.n > 0;
    if (v->ops->mine)
        *v->ops->mine(v) = p->mine;
    table_set_flat(t, p->flat);
    for (size_t i = 0; i < t->n_cols; i++)
        table_show_column(
            t, i, own ? strv_has(&p->columns, t->cols[i].name) : !(t->cols[i].flags & COLUMN_HIDDEN));
    table_sort(t, p->sort ? table_find_column(t, p->sort) : -1, p->reverse);
    table_set_filter(t, p->filter ? p->filter : "");
}

void remember_restore(struct ui *ui, struct view *v)
{
    if (v->ops->table)
        remember_apply(v, prefs_of(ui->o.prefs, v->ops->name));
}

static bool remember_set_text(char **at, const char *text)
{
    if (str_is_empty(*at) ? str_is_empty(text) : str_eq(*at, text))
        return false;
    free(*at);
    *at = str_is_empty(text) ? NULL : xstrdup(text);
    return true;
}

static bool remember_set_bool(bool *at, bool on)
{
    bool changed = *at != on;
    *at = on;
    return changed;
}

static struct strv remember_shown_columns(const struct table *t)
{
    struct strv names = {0};
    for (size_t i = 0; table_has_own_columns(t) && i < t->n_cols; i++)
        if (table_shows_column(t, i))
            strv_push(&names, t->cols[i].name);
    return names;
}

static bool remember_set_columns(struct strv *at, struct strv take_names)
{
    bool same = at->n == take_names.n;
    for (size_t i = 0; same && i < at->n; i++)
        same = str_eq(at->v[i], take_names.v[i]);
    if (same) {
        strv_fini(&take_names);
        return false;
    }
    strv_fini(at);
    *at = take_names;
    return true;
}

/* mine: whether the user's own jobs alone are shown is noted, too. */
static bool remember_note(struct view_prefs *p, struct view *v, bool mine)
{
    const struct table *t = v->ops->table(v);
    (void)remember_set_text(&p->filter, t->edit.text.s); /* of no use the next time */
    bool changed = remember_set_text(&p->sort, t->sort >= 0 ? t->cols[t->sort].name : NULL);
    changed |= remember_set_bool(&p->reverse, t->sort >= 0 && t->reverse);
    changed |= remember_set_bool(&p->flat, t->flat);
    changed |= remember_set_columns(&p->columns, remember_shown_columns(t));
    if (v->ops->mine && mine)
        changed |= remember_set_bool(&p->mine, *v->ops->mine(v));
    return changed;
}

void remember_view(struct ui *ui, struct view *v)
{
    const struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    if (t && !t->typing &&
        remember_note(prefs_of(ui->o.prefs, v->ops->name), v,
                      !ui_engine(ui))) /* a filter counts once it is kept */
        outbox_wish(ui, WISH_SAVE);
}

void remember_words(const struct view_prefs *p, struct str *out)
{
    str_appendf(out, "%s%s", p->view, p->mine ? tr(", mine") : "");
    if (p->flat)
        str_append(out, tr(", flat"));
    if (p->filter)
        str_appendf(out, ", %s", p->filter);
    if (p->sort)
        str_appendf(out, tr(", by %s%s"), p->sort, p->reverse ? tr(" down") : "");
    if (p->columns.n)
        str_appendf(out, tr(", %zu columns"), p->columns.n);
}
