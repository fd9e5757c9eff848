/* node_mark.h - the state of a node in a sign and a word: what a row of the node begins with. */
#ifndef UI_INFO_NODE_MARK_H
#define UI_INFO_NODE_MARK_H

#include "ui/state/view.h"

struct node_mark {
    const char *sign; /* one cell, see ui/term/signs.h */
    const char *word; /* "mixed", "draining", "lost", "maintenance" */
    enum role role;
    int rank; /* the states that need an administrator come last */
    bool bad; /* out of use, though no administrator has asked for it */
};

struct node_mark node_mark_of(const struct ui *ui, const struct node *n);

#endif
