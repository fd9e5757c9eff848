/* node_keys.h - the keys of all screens whose rows are nodes: drain, resume, note, windows, shell. */
#ifndef UI_NODES_NODE_KEYS_H
#define UI_NODES_NODE_KEYS_H

#include "ui/state/view.h"

/* The id of a node's row. */
uint64_t nodekeys_id(const struct node *n);
/* Does what the scopes NODES and WINDOWS have, but for opening a node. node: of a row of that table, or
 * NULL. Returns 0 for other actions. */
typedef const struct node *nodekeys_fn(struct ui *ui, const struct trow *row);
unsigned nodekeys_act(struct ui *ui, struct table *t, nodekeys_fn *node, enum action a);

#endif
