/* nodepick.h - the nodes that operands in bracket form name. What is wrong with them is said; returns 0 or
 * an exit code. */
#ifndef STOKER_CLI_NODEPICK_H
#define STOKER_CLI_NODEPICK_H

#include "src/base/vec.h"
#include "src/cli/cmd.h"
#include "src/model/model.h"

/* Appends the names that words[from..to) mean. None at all is an error. */
int names_expand(const struct cli *cli, const struct strv *words, size_t from, size_t to,
                 struct strv *names) __attribute__((warn_unused_result));

struct node_pick {
    VEC(const struct node *) v; /* the model's */
};

/* Those of m that the operands name, in its order; all where there are no operands. Caller: vec_fini. */
int nodes_pick(const struct cli *cli, const struct model *m, const struct strv *operands,
               struct node_pick *ret) __attribute__((warn_unused_result));

#endif
