/* picture.c - the picture: header, title, the view, footer, dialogs. No other module decides when something
 * is drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/hostlist.h"
#include "src/base/units.h"
#include "src/base/utf8.h"
#include "ui/app/header.h"
#include "ui/app/picture.h"
#include "ui/command/command.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/frame/dialogs.h"
#include "ui/frame/later.h"
#include "ui/frame/mirror_follow.h"
#include "ui/frame/stack.h"
#include "ui/frame/toast.h"
#include "ui/frame/totals.h"
#include "ui/frame/ui_state.h"
#include "ui/widget/table.h"

#define TOAST_ROWS 4

/* --- footer --- */

static bool changes_something(enum action action)
{
    return (act_is_job_action(action) && action != ACTION_WATCH) || action == ACTION_DRAIN ||
           action == ACTION_RESUME || action == ACTION_NODE_NOTE || action == ACTION_FORM_SEND;
}

/* A key's label says what it does next; a key that would be refused is not shown. */
static const char *picture_label_of(const struct ui *ui, enum action action)
{
    struct view *v = ui_view(ui);
    const char *own = v->ops->label ? v->ops->label(v, action) : NULL;
    if (action == ACTION_BACK && !stack_can_go_back(ui))
        own = "quit";
    if (ui_why_read_only(ui) && changes_something(action))
        own = "";
    return own ? own : action_info(action)->label;
}

static void picture_add_key(const struct ui *ui, struct rich *r, enum action action, int width)
{
    struct str key = STR_INIT;
    keymap_format(&ui->o.keys, action, true, &key);
    const char *label = picture_label_of(ui, action);
    int need = cell_width(key.s) + 1 + cell_width(label) + (r->text.len ? 2 : 0);
    if (key.len && *label && cell_width(r->text.s) + need <= width) {
        if (r->text.len)
            rich_add(r, ROLE_FOOTER, "  ");
        rich_add(r, ROLE_KEY, key.s);
        rich_addf(r, ROLE_FOOTER, " %s", label);
    }
    str_fini(&key);
}

/* In a view that takes text, help and back have keys that are not letters. */
static void add_ends(const struct ui *ui, struct rich *r, int width)
{
    if (!ui_view(ui)->ops->types) {
        if (!stack_is_pushed(ui))
            picture_add_key(ui, r, ACTION_SUBMIT, width);
        picture_add_key(ui, r, ACTION_HELP, width);
        picture_add_key(ui, r, ACTION_BACK, width);
        return;
    }
    rich_add(r, ROLE_FOOTER, r->text.len ? "  " : "");
    rich_add(r, ROLE_KEY, "F1");
    rich_add(r, ROLE_FOOTER, " help  ");
    rich_add(r, ROLE_KEY, "Esc");
    rich_add(r, ROLE_FOOTER, " back");
}

static void footer_text(const struct ui *ui, struct rich *r, int width)
{
    const struct view_ops *ops = ui_view(ui)->ops;
    struct rich end; /* help and back are always there */
    rich_init(&end);
    add_ends(ui, &end, width);
    int room = width - cell_width(end.text.s) - 2;
    for (size_t s = 0; s < ops->n_scopes; s++)
        for (int k = 1; k < ACTION_N; k++)
            if (action_info((enum action)k)->scope == ops->scopes[s] &&
                picture_label_of(ui, (enum action)k))
                picture_add_key(ui, r, (enum action)k, room);
    add_ends(ui, r, width);
    rich_fini(&end);
}

/* A text that does not fit into the footer's line takes lines above it: the end of an error is the most
 * useful part. */
static void draw_long_toast(const struct toast *toast, struct canvas *c, struct rect r)
{
    struct lines text = {0}, flowed = {0};
    rich_add(lines_add(&text), toast->role, toast->text);
    lines_flow(&text, r.w - 2, &flowed);
    int n = (int)flowed.n > TOAST_ROWS ? TOAST_ROWS : (int)flowed.n;
    n = n > r.y + 1 ? r.y + 1 : n;
    struct rect box = rect_make(r.y - n + 1, r.x, n, r.w);
    canvas_fill(c, box, ROLE_NORMAL);
    for (int i = 0; i < n; i++)
        rich_draw(&flowed.v[i], c, box.y + i, r.x + 1, r.w - 2);
    lines_fini(&text);
    lines_fini(&flowed);
}

static void draw_footer(const struct ui *ui, struct canvas *c, struct rect r)
{
    if (rect_is_empty(r))
        return;
    const struct toast *toast = toast_get(ui);
    bool waits = later_until(ui).ns;
    if (!waits && toast && cell_width(toast->text) > r.w - 2) {
        draw_long_toast(toast, c, r);
        return;
    }
    struct rich line;
    rich_init(&line);
    if (waits)
        later_text(ui, stack_takes_text(ui_view(ui)) ? ACTION_QUIT : ACTION_UNDO, &line);
    else if (toast)
        rich_add(&line, toast->role, toast->text);
    else
        footer_text(ui, &line, r.w - 2);
    rich_draw(&line, c, r.y, r.x + 1, r.w - 2);
    rich_fini(&line);
}

/* --- all of it --- */

/* The window's text stands at its end if the header has no room. */
static void draw_title(const struct ui *ui, struct view *v, struct canvas *c, struct rect r,
                       bool with_window)
{
    if (rect_is_empty(r))
        return;
    struct rich title, path;
    rich_init(&title);
    rich_init(&path);
    v->ops->title(v, &title);
    stack_path(ui, &path);
    int used = cell_width(path.text.s);
    if (used + cell_width(title.text.s) > r.w - 2)
        used = 0; /* no room for the way here */
    else
        rich_draw(&path, c, r.y, r.x + 1, used);
    rich_fini(&path);
    used += rich_draw(&title, c, r.y, r.x + 1 + used, r.w - 2 - used);
    for (int with_nodes = 1; with_window && with_nodes >= 0; with_nodes--) {
        rich_clear(&title);
        header_window(ui, &title, with_nodes);
        int w = cell_width(title.text.s);
        if (used + w <= r.w - 2) {
            rich_draw(&title, c, r.y, r.x + r.w - 1 - w, w);
            break;
        }
    }
    rich_fini(&title);
}

/* The screen around the view, and the view in it. */
static void draw_screen(struct ui *ui, struct view *v, struct canvas *c, int body)
{
    canvas_clear(c);
    struct screen_layout l = layout_screen(c->rows, c->cols, v->ops->wants_side, body);
    bool window = header_draw(ui, c, l.header);
    draw_title(ui, v, c, l.title, !window);
    if (!rect_is_empty(l.rule))
        canvas_vline(c, l.rule.y, l.rule.x + l.rule.w - 1, l.rule.h, ROLE_RULE);
    v->ticks = false;
    v->ops->draw(v, c, &l);
    draw_footer(ui, c, l.footer);
}

#define DRAWN_MAX 4 /* times for a picture: columns only become wider */

void picture_draw(struct ui *ui, struct canvas *c)
{
    struct view *v = ui_view(ui);
    struct table *t = v->ops->wants_side && v->ops->table ? v->ops->table(v) : NULL;
    t = t && t->comes_first ? t : NULL;
    for (int body = t ? table_wish(t, c->rows) : 0, before = body - 1, n = 0;
         body != before && n < DRAWN_MAX; n++) {
        draw_screen(ui, v, c, body);
        before = body;
        body = t ? table_wish(t, c->rows) : body; /* rows that came into sight may be wider */
    }
    if (command_is_open(ui))
        command_draw(ui, c, layout_screen(c->rows, c->cols, false, 0).footer);
    if (dialogs_top(ui)) { /* those below wait for this one */
        c->cur_y = c->cur_x = -1;
        dialog_draw(dialogs_top(ui), c);
    }
}
