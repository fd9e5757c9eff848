/* remember.c - filter, sort and columns of the screens: from what is remembered, and back to it. */
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "ui/app/private.h"

void remember_restore(struct ui *a, struct view *v)
{
    struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    const struct view_prefs *p = prefs_of(a->o.prefs, v->ops->name);
    if (!t)
        return;
    if (v->ops->mine)
        *v->ops->mine(v) = p->mine;
    for (size_t i = 0; p->columns.n && i < t->n_cols; i++)
        table_show_column(t, i, strv_has(&p->columns, t->cols[i].name));
    if (p->sort)
        table_sort(t, table_find_column(t, p->sort), p->reverse);
    if (p->filter || p->mine)
        table_set_filter(t, p->filter ? p->filter : "");
}

static bool set_text(char **at, const char *text)
{
    if (str_is_empty(*at) ? str_is_empty(text) : str_eq(*at, text))
        return false;
    free(*at);
    *at = str_is_empty(text) ? NULL : xstrdup(text);
    return true;
}

static bool set_bool(bool *at, bool on)
{
    bool changed = *at != on;
    *at = on;
    return changed;
}

static struct strv shown_columns(const struct table *t)
{
    struct strv names = {0};
    for (size_t i = 0; table_has_own_columns(t) && i < t->n_cols; i++)
        if (table_shows_column(t, i))
            strv_push(&names, t->cols[i].name);
    return names;
}

static bool set_columns(struct strv *at, struct strv take_names)
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

void remember_view(struct ui *a, struct view *v)
{
    struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    if (!t || t->typing) /* a filter counts once it is kept */
        return;
    struct view_prefs *p = prefs_of(a->o.prefs, v->ops->name);
    bool changed = set_text(&p->filter, t->edit.text.s);
    changed |= set_text(&p->sort, t->sort >= 0 ? t->cols[t->sort].name : NULL);
    changed |= set_bool(&p->reverse, t->sort >= 0 && t->reverse);
    changed |= set_columns(&p->columns, shown_columns(t));
    if (v->ops->mine)
        changed |= set_bool(&p->mine, *v->ops->mine(v));
    if (changed)
        a->wishes |= APP_SAVE;
}
