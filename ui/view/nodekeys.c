/* nodekeys.c - the keys of all screens whose rows are nodes. */
#include "ui/view/nodekeys.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/view/act.h"
#include "ui/view/nodeinfo.h"
#include "ui/view/shell.h"

uint64_t nodekeys_id(const struct node *n)
{
    uint64_t h = hash_bytes(n->spec.name, strlen(n->spec.name));
    return h ? h : 1;
}

struct gathering {
    VEC(const struct node *) nodes;
    bool drain;
    nodekeys_fn *node;
};

static void gather(void *arg, const struct trow *row)
{
    struct gathering *g = arg;
    const struct node *n = g->node(row);
    if (g->drain || n->drain || n->state != NODE_UP)
        vec_push(&g->nodes, n);
}

static void act_on_targets(struct ui *ui, struct table *t, nodekeys_fn *node, bool drain)
{
    struct gathering g = {.nodes = VEC_INIT, .drain = drain, .node = node};
    table_targets(t, gather, &g);
    if (g.nodes.n)
        act_on_nodes(ui, drain, g.nodes.v, g.nodes.n, "");
    else if (table_current(t))
        ui_toast(ui, ROLE_NORMAL, "it takes jobs already");
    vec_fini(&g.nodes);
}

void nodekeys_show(struct ui *ui, const struct node *n)
{
    struct dialog *d = dialog_new(DIALOG_TEXT, n->spec.name);
    nodeinfo_lines(&d->body.lines, ui, n);
    ui_take_dialog(ui, d, NULL, NULL, NULL);
}

unsigned nodekeys_act(struct ui *ui, struct table *t, nodekeys_fn *node, enum action a)
{
    const struct trow *row = table_current(t);
    if (a == ACTION_DRAIN || a == ACTION_RESUME)
        act_on_targets(ui, t, node, a == ACTION_DRAIN);
    else if (a == ACTION_OPEN_NODE && row)
        nodekeys_show(ui, node(row));
    else if (a == ACTION_NODE_SHELL && row)
        shell_on_node(ui, node(row));
    else
        return 0;
    return DID_HANDLE | DID_REDRAW;
}
