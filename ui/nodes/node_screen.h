/* node_screen.h - what the screens of nodes and of GPUs share: a table with a row for each node, a legend
 * below it, and the details of the node under the cursor beside or below it.
 */
#ifndef UI_NODES_NODE_SCREEN_H
#define UI_NODES_NODE_SCREEN_H

#include "ui/nodes/node_keys.h"
#include "ui/view/table_view.h"

struct node_screen_ops {
    const char *empty; /* what stands in place of the rows if there are none */
    void (*legend)(struct rich *r, int width);
    void (*head)(struct tablescreen *s, struct canvas *c, struct rect *body); /* takes its lines; or NULL */
    void (*details)(struct tablescreen *s, const void *row, struct lines *ret);
    const struct node *(*node_of)(struct ui *ui, const struct trow *row);
};

#define NODE_SCREEN_SCOPES SCOPE_NODES, SCOPE_WINDOWS, SCOPE_LIST, SCOPE_MOVE

void nodescreen_draw(const struct node_screen_ops *o, struct tablescreen *s, struct canvas *c,
                     const struct screen_layout *l);
/* The node of the row under the cursor. */
void nodescreen_subject(const struct node_screen_ops *o, const struct tablescreen *s,
                        struct row_subject *ret);
unsigned nodescreen_act(const struct node_screen_ops *o, struct tablescreen *s, enum action a,
                        const struct input *in);

#endif
