/* node_screen.c - the screens of nodes and of GPUs. */
#include "ui/nodes/node_screen.h"

#include "src/lang/lang.h"
#include "ui/nodes/node_page.h"

#define LEGEND_FROM 8 /* lines above which one is left for the legend, whatever is listed */

static void nodescreen_draw_legend(const struct node_screen_ops *o, struct canvas *c, struct rect line)
{
    struct rich r;
    rich_init(&r);
    o->legend(&r, line.w - 3);
    rich_draw(&r, c, line.y, line.x + 2, line.w - 3);
    rich_fini(&r);
}

void nodescreen_draw(const struct node_screen_ops *o, struct tablescreen *s, struct canvas *c,
                     const struct screen_layout *l)
{
    struct lines empty = {0};
    struct screen_layout inner = *l;
    if (ui_has_all(s->v.ui))
        lines_addf(&empty, ROLE_NORMAL, "%s", tr(o->empty));
    else
        lines_addf(&empty, ROLE_LABEL, tr("Waiting for the nodes."));
    if (inner.body.h > LEGEND_FROM || inner.body.h > (int)s->table.shown.n + 1)
        nodescreen_draw_legend(o, c, rect_take_bottom(&inner.body, 1));
    if (o->head)
        o->head(s, c, &inner.body);
    const struct trow *row = tablescreen_draw(s, c, &inner, &empty);
    lines_fini(&empty);
    if (!row)
        return;
    o->details(s, row->data, &s->side.lines);
    side_draw(&s->side, c, l);
}

void nodescreen_subject(const struct node_screen_ops *o, const struct tablescreen *s,
                        struct row_subject *ret)
{
    const struct trow *row = table_current(&s->table);
    ret->node = row ? o->node_of(s->v.ui, row) : NULL;
}

unsigned nodescreen_act(const struct node_screen_ops *o, struct tablescreen *s, enum action a,
                        const struct input *in)
{
    const struct trow *row = table_current(&s->table);
    const struct node *n = row ? o->node_of(s->v.ui, row) : NULL;
    if (a == ACTION_OPEN_NODE && n) {
        ui_push(s->v.ui, &nodepage_view, n->spec.name);
        return DID_HANDLE | DID_REDRAW;
    }
    unsigned did = nodekeys_act(s->v.ui, &s->table, o->node_of, a);
    return did ? did : tableview_act(s->v.ui, &s->table, a, in);
}
