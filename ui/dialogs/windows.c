/* windows.c - windows on the screens: their texts, the list, the box of one.
 *
 *      list --new-----> the line (window_edit.c)
 *        |
 *        +--a window--> box with all of it --change it--> the line
 *                                          --delete it--> a question
 *
 * They stand in the mirror like nodes do, and changes to them are pushed: nothing is asked for here.
 */
#include "ui/dialogs/windows.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"
#include "ui/dialogs/window_edit.h"
#include "ui/info/window_text.h"
#include "ui/text/view_text.h"

#define LABEL       10
#define NAME_CELLS  20 /* of the list, at most */
#define NODES_CELLS 24

/* --- one of them --- */

enum { CHANGE, DELETE }; /* items of its menu */

static void windows_picked(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    struct strv *name = arg;
    const struct window *w = model_get_window(ui_model(ui), name->v[0]);
    if (outcome != DIALOG_YES)
        return;
    if (!w)
        ui_toast(ui, ROLE_NORMAL, tr("the window has been deleted meanwhile"));
    else if (dialog_choice(d) == CHANGE)
        windowline_change(ui, w, NULL);
    else
        windowline_delete(ui, name);
}

static void name_free(void *p)
{
    strv_fini(p);
    free(p);
}

static struct rich *pair_when(struct lines *l, const struct ui *ui, const char *label, struct wall t)
{
    struct rich *r = lines_pair(l, label, LABEL);
    when_about(&r->text, t, ui_now(ui));
    rich_role(r, ROLE_NORMAL);
    return r;
}

void windows_show(struct ui *ui, const struct window *w)
{
    bool may = ui_is_admin(ui) && !ui_read_only(ui, false);
    struct dialog *d = dialog_new(may ? DIALOG_MENU : DIALOG_TEXT, w->name);
    struct lines *l = &d->body.lines;
    char *nodes = hostlist_compress(&w->nodes), *who = window_whose(w), length[UNITS_TEXT_SIZE];
    window_words(lines_add(l), ui, w);
    lines_add(l);
    rich_add(lines_pair(l, tr("nodes"), LABEL), ROLE_NORMAL, nodes);
    pair_when(l, ui, tr("from"), w->start);
    struct rich *to = pair_when(l, ui, tr("to"), w->end);
    rich_addf(to, ROLE_DIM, "  %s", duration_format_words(wall_elapsed_s(w->start, w->end), length));
    if (*who)
        rich_add(lines_pair(l, tr("for"), LABEL), ROLE_NORMAL, who);
    struct rich *r = lines_pair(l, tr("created by"), LABEL);
    rich_addf(r, ROLE_NORMAL, "%s ", w->user ? w->user : "?");
    when_text(&r->text, w->t_made, ui_now(ui));
    rich_role(r, ROLE_DIM);
    if (may) {
        lines_add(l);
        strv_push(&d->items, tr("change"));
        strv_push(&d->items, tr("delete"));
    }
    struct strv *name = xcalloc(1, sizeof *name);
    strv_push(name, w->name);
    ui_take_dialog(ui, d, may ? windows_picked : NULL, name, name_free);
    free(nodes);
    free(who);
}

/* --- the menu --- */

struct offered {
    bool may;          /* make one: the first item */
    char *nodes;       /* ... there; NULL: none were meant */
    struct strv names; /* of the windows, as they stood when the menu was opened */
};

static void offered_free(void *p)
{
    struct offered *o = p;
    free(o->nodes);
    strv_fini(&o->names);
    free(o);
}

static void chosen(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    const struct offered *o = arg;
    size_t i = outcome == DIALOG_YES ? dialog_choice(d) : 0;
    if (outcome != DIALOG_YES)
        return;
    if (o->may && i-- == 0) {
        windowline_make(ui, o->nodes, NULL);
        return;
    }
    const struct window *w = i < o->names.n ? model_get_window(ui_model(ui), o->names.v[i]) : NULL;
    if (w)
        windows_show(ui, w);
    else
        ui_toast(ui, ROLE_NORMAL, tr("the window has been deleted meanwhile"));
}

/* Names and nodes stand in columns, up to a width that leaves room for the words. */
static char *menu_line(const struct ui *ui, const struct window *w, const char *nodes, int name_width,
                       int nodes_width)
{
    struct rich r;
    struct str s = STR_INIT;
    rich_init(&r);
    window_words(&r, ui, w);
    int pad = name_width - cell_width(w->name);
    str_appendf(&s, "%s%*s  ", w->name, pad > 0 ? pad : 0, "");
    pad = nodes_width - cell_width(nodes);
    str_appendf(&s, "%s%*s  %s", nodes, pad > 0 ? pad : 0, "", r.text.s);
    rich_fini(&r);
    return str_take(&s);
}

static int wider(int width, const char *text, int most)
{
    int w = cell_width(text);
    return w > width ? (w < most ? w : most) : width;
}

static void windows_add_items(const struct ui *ui, struct dialog *d, struct offered *o)
{
    const struct model *m = ui_model(ui);
    struct strv nodes = {0};
    int name_width = 0, nodes_width = 0;
    for (size_t i = 0; i < m->windows.n; i++) {
        strv_push_take(&nodes, hostlist_compress(&m->windows.v[i].nodes));
        name_width = wider(name_width, m->windows.v[i].name, NAME_CELLS);
        nodes_width = wider(nodes_width, nodes.v[i], NODES_CELLS);
    }
    for (size_t i = 0; i < m->windows.n; i++) {
        strv_push(&o->names, m->windows.v[i].name);
        strv_push_take(&d->items, menu_line(ui, &m->windows.v[i], nodes.v[i], name_width, nodes_width));
    }
    strv_fini(&nodes);
}

void windows_open(struct ui *ui, const char *nodes)
{
    bool may = ui_is_admin(ui) && !ui_read_only(ui, false), any = ui_model(ui)->windows.n;
    if (!any && !(may && nodes)) {
        ui_toast(ui, ROLE_NORMAL, tr("no windows%s"), may ? tr("; :windows add NODES creates one") : "");
        return;
    }
    struct dialog *d = dialog_new(DIALOG_MENU, tr("windows"));
    struct offered *o = xcalloc(1, sizeof *o);
    o->may = may;
    o->nodes = may && nodes ? xstrdup(nodes) : NULL;
    if (may)
        strv_push_take(&d->items,
                       nodes ? xasprintf(tr("new window on %s"), nodes) : xstrdup(tr("new window")));
    windows_add_items(ui, d, o);
    if (!nodes && any)
        dialog_choose(d, may ? 1 : 0); /* the user asked for the list */
    d->verb = xstrdup(tr("open"));
    ui_take_dialog(ui, d, chosen, o, offered_free);
}
