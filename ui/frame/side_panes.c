/* side_panes.c - the pane beside or below a list. */
#include "ui/frame/side_panes.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/frame/hotspots.h"
#include "ui/frame/outbox.h"
#include "ui/frame/stack.h"
#include "ui/state/ui_state.h"

#define STEP_COLS  4 /* cells by which a key changes the width */
#define STEP_LINES 2
#define WHEEL      3 /* lines */

struct side_panes {
    const struct view *zoomed; /* the view whose pane fills the screen; NULL: none does */
    bool dragged;              /* its edge follows the pointer */
    struct rect side, rule;    /* in the last picture; side empty: there was no pane */
    struct rect room;          /* of list and pane together */
    bool below;
    uint64_t row; /* whose details were drawn, and of which tab: what is scrolled is another text then */
    size_t tab;
};

void side_panes_new(struct ui *ui)
{
    ui->around.panes = xcalloc(1, sizeof *ui->around.panes);
}

void side_panes_free(struct ui *ui)
{
    free(ui->around.panes);
    ui->around.panes = NULL;
}

static struct pane_prefs *side_panes_prefs(const struct ui *ui)
{
    return &prefs_of(ui->o.prefs, ui_view(ui)->ops->name)->pane;
}

static struct pane *side_panes_of(const struct ui *ui)
{
    struct view *v = ui_view(ui);
    return v->ops->pane ? v->ops->pane(v) : NULL;
}

/* --- tabs --- */

size_t ui_pane_tab(const struct ui *ui, const struct view *v)
{
    const struct pane_prefs *p = &prefs_of(ui->o.prefs, v->ops->name)->pane;
    for (size_t i = 0; p->tab && i < v->ops->n_tabs; i++)
        if (str_eq(v->ops->tabs[i], p->tab))
            return i;
    return 0;
}

static void choose_tab(struct ui *ui, size_t tab)
{
    const struct view_ops *ops = ui_view(ui)->ops;
    struct pane_prefs *p = side_panes_prefs(ui);
    p->hidden = false;
    free(p->tab);
    p->tab = tab ? xstrdup(ops->tabs[tab]) : NULL;
    outbox_wish(ui, WISH_SAVE);
}

/* Whose text it is, where the text does not begin with it. */
static void draw_row_name(struct view *v, struct canvas *c, struct rect line, size_t tab)
{
    char *name = tab && v->ops->table ? table_current_name(v->ops->table(v)) : NULL;
    int w = name ? cell_width(name) + 2 : 0;
    if (w && w + 2 <= line.w)
        canvas_printf(c, line.y, line.x + line.w - w, ROLE_STRONG, w, " %s ", name);
    free(name);
}

/* The names, the current one bright. If there is no room, the first ones are left out until it is seen. */
static void draw_tabs(const struct ui *ui, struct canvas *c, struct rect line)
{
    struct view *v = ui_view(ui);
    size_t on = ui_pane_tab(ui, v), first = 0, last = v->ops->n_tabs;
    int width = 0;
    for (size_t i = 0; i < last; i++)
        width += cell_width(tr(v->ops->tabs[i])) + 2;
    for (; width > line.w && first < on; first++)
        width -= cell_width(tr(v->ops->tabs[first])) + 2;
    int x = line.x;
    for (size_t i = first; i < last; i++) {
        int w = cell_width(tr(v->ops->tabs[i])) + 2;
        if (x + w > line.x + line.w)
            return;
        canvas_printf(c, line.y, x, i == on ? ROLE_TAB_ON : ROLE_TAB, w, " %s ", tr(v->ops->tabs[i]));
        hotspots_add(ui, rect_make(line.y, x, 1, w), ACTION_TAB_NEXT, i + 1);
        x += w;
    }
    draw_row_name(v, c, rect_make(line.y, x, 1, line.x + line.w - x), on);
}

/* --- where it is --- */

struct screen_layout side_panes_layout(const struct ui *ui, int rows, int cols, int body)
{
    struct view *v = ui_view(ui);
    if (!side_panes_of(ui))
        return layout_screen(rows, cols, v->ops->wants_side && !v->ops->pane, body);
    const struct pane_prefs *p = side_panes_prefs(ui);
    struct pane_wish wish = {.place = p->hidden ? PANE_HIDDEN : (enum pane_place)p->place,
                             .width = p->width,
                             .height = p->height,
                             .zoomed = ui->around.panes->zoomed == v};
    struct screen_layout l = layout_with_pane(rows, cols, v->ops->wants_side ? body : cols, &wish);
    bool by_itself = wish.place == PANE_AUTO && !wish.zoomed && rect_is_empty(l.side);
    int lines = by_itself && v->ops->pane_lines ? v->ops->pane_lines(v, l.body.h, l.body.w) : 0;
    if (lines > 0)
        layout_put_below(&l, p->height ? l.body.h * p->height / PANE_WHOLE : lines);
    return l;
}

/* Another row, or another tab: its text begins at its first line. */
static void begin_again(const struct ui *ui)
{
    struct side_panes *s = ui->around.panes;
    struct view *v = ui_view(ui);
    const struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    const struct trow *row = t ? table_current(t) : NULL;
    uint64_t id = row ? row->id : 0;
    size_t tab = ui_pane_tab(ui, v);
    if (s->row != id || s->tab != tab)
        side_panes_of(ui)->top = 0;
    s->row = id;
    s->tab = tab;
}

void side_panes_draw(const struct ui *ui, struct canvas *c, struct screen_layout *l)
{
    struct side_panes *s = ui->around.panes;
    const struct view *v = ui_view(ui);
    s->side = l->side;
    s->rule = l->rule;
    s->below = l->below;
    s->room = l->room;
    if (l->below)
        canvas_hline(c, l->rule.y, l->rule.x, l->rule.w, ROLE_RULE);
    else if (!rect_is_empty(l->rule))
        canvas_vline(c, l->rule.y, l->rule.x + l->rule.w - 1, l->rule.h, ROLE_RULE);
    if (rect_is_empty(l->side) || !side_panes_of(ui))
        return;
    begin_again(ui);
    if (!v->ops->n_tabs)
        return;
    struct rect line =
        l->below ? rect_make(l->rule.y, l->rule.x + 2, 1, l->rule.w - 4) : rect_take_top(&l->side, 1);
    draw_tabs(ui, c, l->below ? line : rect_make(line.y, line.x, 1, line.w));
}

/* --- keys --- */

static int limited(int n, int least, int most)
{
    return n < least ? least : n > most ? most : n;
}

/* cells: its width beside the list, its height below it. */
static void set_pane_size(struct ui *ui, int cells)
{
    struct side_panes *s = ui->around.panes;
    struct pane_prefs *p = side_panes_prefs(ui);
    int all = s->below ? s->room.h : s->room.w;
    if (all <= 0)
        return;
    uint16_t part =
        (uint16_t)((limited(cells, 1, all) * PANE_WHOLE + all - 1) / all); /* gives cells again */
    if (s->below) { /* the next key counts from here, drawn or not */
        p->height = part;
        s->side.h = cells - s->rule.h;
    } else {
        p->width = part;
        s->side.w = cells;
    }
    outbox_wish(ui, WISH_SAVE);
}

static void resize_by(struct ui *ui, int by)
{
    const struct side_panes *s = ui->around.panes;
    if (rect_is_empty(s->side))
        return;
    set_pane_size(ui, s->below ? s->side.h + s->rule.h + by * STEP_LINES : s->side.w + by * STEP_COLS);
}

static void hide_or_show(struct ui *ui)
{
    struct pane_prefs *p = side_panes_prefs(ui);
    bool seen = !rect_is_empty(ui->around.panes->side);
    if (!seen && !p->hidden) /* by itself there was no room for it */
        p->place = PANE_BELOW;
    p->hidden = seen;
    outbox_wish(ui, WISH_SAVE);
}

static void change_place(struct ui *ui)
{
    const struct side_panes *s = ui->around.panes;
    struct pane_prefs *p = side_panes_prefs(ui);
    bool beside = !rect_is_empty(s->side) && !s->below;
    if (!beside && s->room.w < LAYOUT_BESIDE_COLS) {
        ui_toast(ui, ROLE_NORMAL, tr("the pane stands beside the list from %d columns on"),
                 LAYOUT_BESIDE_COLS);
        return;
    }
    p->hidden = false;
    p->place = beside ? PANE_BELOW : PANE_BESIDE;
    outbox_wish(ui, WISH_SAVE);
}

static void zoom(struct ui *ui)
{
    struct side_panes *s = ui->around.panes;
    s->zoomed = s->zoomed == ui_view(ui) ? NULL : ui_view(ui);
}

bool side_panes_unzoom(struct ui *ui)
{
    struct side_panes *s = ui->around.panes;
    bool was = s->zoomed && s->zoomed == ui_view(ui);
    s->zoomed = NULL;
    return was;
}

bool side_panes_act(struct ui *ui, enum action action, size_t arg)
{
    struct view *v = ui_view(ui);
    size_t n = v->ops->n_tabs, tab = ui_pane_tab(ui, v);
    if (!side_panes_of(ui))
        return false;
    if (action == ACTION_PANE_HIDE)
        hide_or_show(ui);
    else if (action == ACTION_PANE_PLACE)
        change_place(ui);
    else if (action == ACTION_PANE_ZOOM)
        zoom(ui);
    else if (action == ACTION_PANE_LARGER || action == ACTION_PANE_SMALLER)
        resize_by(ui, action == ACTION_PANE_LARGER ? 1 : -1);
    else if ((action == ACTION_TAB_NEXT || action == ACTION_TAB_PREV) && n)
        choose_tab(ui, arg ? arg - 1 : (tab + (action == ACTION_TAB_NEXT ? 1 : n - 1)) % n);
    else if (action == ACTION_PANE_DOWN || action == ACTION_PANE_UP)
        pane_scroll(side_panes_of(ui), action == ACTION_PANE_DOWN ? 1 : -1);
    else
        return action == ACTION_TAB_NEXT || action == ACTION_TAB_PREV;
    ui->dirty = true;
    return true;
}

/* --- the mouse --- */

bool side_panes_mouse(struct ui *ui, const struct input *in)
{
    struct side_panes *s = ui->around.panes;
    bool in_side = rect_has(s->side, in->y, in->x), at_edge = rect_has(s->rule, in->y, in->x);
    if (!side_panes_of(ui))
        return false;
    if (in->what == MOUSE_DRAG && s->dragged) {
        set_pane_size(ui, s->below ? s->room.y + s->room.h - in->y : s->room.x + s->room.w - in->x - 1);
        ui->dirty = true;
        return true;
    }
    if (in->what == MOUSE_RELEASE || in->what == MOUSE_DRAG) {
        s->dragged = false;
        return true;
    }
    if (in->what == MOUSE_CLICK || in->what == MOUSE_DOUBLE) {
        s->dragged = at_edge && in->what == MOUSE_CLICK;
        return at_edge || in_side;
    }
    if (!in_side)
        return false;
    if (in->what == MOUSE_WHEEL_UP || in->what == MOUSE_WHEEL_DOWN) {
        pane_scroll(side_panes_of(ui), in->what == MOUSE_WHEEL_UP ? -WHEEL : WHEEL);
        ui->dirty = true;
    }
    return true;
}
