/* picture.c - the picture: header, title, the view, footer, dialogs. No other module decides when something
 * is drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"
#include "ui/app/footer.h"
#include "ui/app/header.h"
#include "ui/app/picture.h"
#include "ui/command/command.h"
#include "ui/command/filter_line.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/frame/dialogs.h"
#include "ui/frame/hotspots.h"
#include "ui/frame/later.h"
#include "ui/frame/mirror_follow.h"
#include "ui/frame/side_panes.h"
#include "ui/frame/stack.h"
#include "ui/frame/toast.h"
#include "ui/frame/totals.h"
#include "ui/state/ui_state.h"
#include "ui/table/table.h"

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
    hotspots_clear(ui);
    struct screen_layout l = side_panes_layout(ui, c->rows, c->cols, body);
    bool window = header_draw(ui, c, l.header);
    draw_title(ui, v, c, l.title, !window);
    side_panes_draw(ui, c, &l);
    v->ticks = false;
    v->ops->draw(v, c, &l);
    footer_draw(ui, c, l.footer);
    filter_line_draw(ui, c, &l);
}

#define DRAWN_MAX 4 /* times for a picture: columns only become wider */

static int body_needs(struct view *v, int rows)
{
    struct table *t = v->ops->wants_side && v->ops->table ? v->ops->table(v) : NULL;
    int columns = t ? table_wish(t, rows) : 0, own = v->ops->body_cols ? v->ops->body_cols(v) : 0;
    return own > columns ? own : columns;
}

void picture_draw(struct ui *ui, struct canvas *c)
{
    struct view *v = ui_view(ui);
    for (int body = body_needs(v, c->rows), before = body - 1, n = 0; body != before && n < DRAWN_MAX;
         n++) {
        draw_screen(ui, v, c, body);
        before = body;
        body = body_needs(v, c->rows); /* rows that came into sight may be wider */
    }
    if (command_is_open(ui))
        command_draw(ui, c, layout_screen(c->rows, c->cols, false, 0).footer);
    if (dialogs_top(ui)) { /* those below wait for this one */
        c->cur_y = c->cur_x = -1;
        dialog_draw(dialogs_top(ui), c);
    }
}
