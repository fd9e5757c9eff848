/* node_mark.c - the state of a node in a sign and a word. */
#include "ui/info/node_mark.h"

#include "src/lang/lang.h"
#include "src/text/nodetext.h"
#include "ui/info/node_info.h"
#include "ui/term/signs.h"

enum {
    RANK_IDLE,
    RANK_MIXED,
    RANK_FULL,
    RANK_OTHER,
    RANK_KEPT,
    RANK_DRAINED,
    RANK_DRAINING,
    RANK_DOUBT,
    RANK_LOST
};

static struct node_mark node_mark_by_use(const struct node *n)
{
    switch (node_look(n, false)) {
    case NODE_LOOK_MIX:
        return (struct node_mark){SIGN_NODE_PART, trc("of a node", "mixed"), ROLE_NODE_PART, RANK_MIXED,
                                  false};
    case NODE_LOOK_ALLOC:
        return (struct node_mark){SIGN_NODE_FULL, trc("of a node", "allocated"), ROLE_NODE_FULL, RANK_FULL,
                                  false};
    case NODE_LOOK_IDLE:
    case NODE_LOOK_COMP:
    case NODE_LOOK_DRAIN:
    case NODE_LOOK_DRNG:
    case NODE_LOOK_DOWN:
    case NODE_LOOK_UNK:
    case NODE_N_LOOKS: break;
    }
    return (struct node_mark){SIGN_NODE_FREE, trc("of a node", "idle"), ROLE_NODE_FREE, RANK_IDLE, false};
}

/* A loss is told before a drain: the reason of that stands in the note. */
struct node_mark node_mark_of(const struct ui *ui, const struct node *n)
{
    const struct window *w = ui_window_of_node(ui, n);
    if (nodeinfo_is_bystander(n))
        return (struct node_mark){"-", trc("of a node", "login"), ROLE_DIM, RANK_OTHER, false};
    if (n->state == NODE_LOST)
        return (struct node_mark){SIGN_NODE_OUT, trc("of a node", "lost"), ROLE_NODE_OUT, RANK_LOST, true};
    if (n->state == NODE_DOWN)
        return (struct node_mark){SIGN_NODE_OUT, trc("of a node", "down"), ROLE_NODE_OUT, RANK_LOST, true};
    if (n->gone)
        return (struct node_mark){SIGN_NODE_OUT, trc("of a node", "removed"), ROLE_NODE_DRAIN,
                                  RANK_DRAINING, false};
    if (n->state == NODE_UNKNOWN)
        return (struct node_mark){"?", trc("of a node", "unknown"), ROLE_WARN, RANK_DOUBT, true};
    if (n->state == NODE_SUSPECT)
        return (struct node_mark){"?", tr("no answer"), ROLE_WARN, RANK_DOUBT, true};
    if (n->drain && n->n_jobs)
        return (struct node_mark){SIGN_NODE_DRAINING, tr("draining"), ROLE_NODE_DRAIN, RANK_DRAINING,
                                  false};
    if (n->drain)
        return (struct node_mark){SIGN_NODE_DRAINED, tr("drained"), ROLE_NODE_DRAIN, RANK_DRAINED, false};
    if (w && ui_window_has_begun(ui, w))
        return (struct node_mark){SIGN_NODE_KEPT,
                                  w->kind == WINDOW_MAINTENANCE ? tr("maintenance") : tr("reserved"),
                                  ROLE_NODE_DRAIN, RANK_KEPT, false};
    return node_mark_by_use(n);
}
