/* node_keys.c - the keys of all screens whose rows are nodes. */
#include "ui/nodes/node_keys.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "ui/dialogs/job_dialogs.h"
#include "ui/dialogs/shell.h"
#include "ui/dialogs/windows.h"
#include "ui/nodes/node_copy.h"

uint64_t nodekeys_id(const struct node *n)
{
    uint64_t h = hash_bytes(n->spec.name, strlen(n->spec.name));
    return h ? h : 1;
}

struct nodes_gathering {
    VEC(const struct node *) nodes;
    struct ui *ui;
    bool to_resume; /* only those that take no jobs */
    nodekeys_fn *node;
};

static void node_keys_gather(void *arg, const struct trow *row)
{
    struct nodes_gathering *g = arg;
    const struct node *n = g->node(g->ui, row);
    if (n && (!g->to_resume || n->drain || n->state != NODE_UP))
        vec_push(&g->nodes, n);
}

static void open_windows(struct ui *ui, const struct node *const *nodes, size_t n)
{
    struct strv names = {0};
    for (size_t i = 0; i < n; i++)
        strv_push(&names, nodes[i]->spec.name);
    char *list = n ? hostlist_compress(&names) : NULL;
    windows_open(ui, list);
    free(list);
    strv_fini(&names);
}

static void node_keys_act_on_targets(struct ui *ui, struct table *t, nodekeys_fn *node, enum action a)
{
    struct nodes_gathering g = {.nodes = VEC_INIT, .ui = ui, .to_resume = a == ACTION_RESUME, .node = node};
    table_targets(t, node_keys_gather, &g);
    if (a == ACTION_WINDOWS)
        open_windows(ui, g.nodes.v, g.nodes.n);
    else if (a == ACTION_NODE_NOTE)
        act_note_nodes(ui, g.nodes.v, g.nodes.n, NULL);
    else if (g.nodes.n)
        act_on_nodes(ui, a == ACTION_DRAIN, g.nodes.v, g.nodes.n, "");
    else if (table_current(t))
        ui_toast(ui, ROLE_NORMAL, tr("the node already takes jobs"));
    vec_fini(&g.nodes);
}

unsigned nodekeys_act(struct ui *ui, struct table *t, nodekeys_fn *node, enum action a)
{
    const struct trow *row = table_current(t);
    const struct node *n = row ? node(ui, row) : NULL;
    if (a == ACTION_DRAIN || a == ACTION_RESUME || a == ACTION_NODE_NOTE || a == ACTION_WINDOWS)
        node_keys_act_on_targets(ui, t, node, a);
    else if (a == ACTION_NODE_SHELL && n)
        shell_on_node(ui, n);
    else if (a == ACTION_COPY && n)
        node_copy_open(ui, n, t);
    else
        return 0;
    return DID_HANDLE | DID_REDRAW;
}
