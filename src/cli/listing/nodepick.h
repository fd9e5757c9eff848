/* nodepick.h - the nodes that operands in bracket form name. What is wrong with them is said; returns 0 or
 * an exit code. */
#ifndef STOKER_CLI_NODEPICK_H
#define STOKER_CLI_NODEPICK_H

#include "src/base/vec.h"
#include "src/cli/ask.h"

/* Appends the names that words[from..to) mean. None at all is an error. */
int names_expand(const struct cli *cli, const struct strv *words, size_t from, size_t to,
                 struct strv *names) __attribute__((warn_unused_result));

struct node_pick {
    VEC(const struct node *) v; /* the model's */
};

/* Asks for get and shows those that the operands name, in the model's order; all where there are no
 * operands. c: the connection, still open. What show appends to out is printed. */
typedef void nodes_show_fn(void *ctx, struct client *c, const struct model *m,
                           const struct node_pick *nodes, struct str *out);
int nodes_show(const struct cli *cli, const struct msg_get *get, const struct strv *operands,
               nodes_show_fn *show, void *ctx) __attribute__((warn_unused_result));

#endif
