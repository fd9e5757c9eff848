/* nodecolumns.h - sinfo's columns: one extraction each, over groups of nodes that look alike. */
#ifndef STOKER_CLI_NODECOLUMNS_H
#define STOKER_CLI_NODECOLUMNS_H

#include "src/base/idmap.h"
#include "src/cli/listing/format.h"
#include "src/cli/timetext.h"
#include "src/model/model.h"

/* One line of sinfo: nodes of one partition that print alike. */
struct node_group {
    const struct part_spec *part; /* NULL: lists over all partitions (-R) */
    VEC(const struct node *) nodes;
};

struct node_cx {
    const struct model *m;
    struct timetext time;
    const struct idmap *completing; /* hash of a node's name: a job on it is cleaning up */
    bool exact;                     /* -e: no "250+" for nodes of different sizes */
};

extern const struct columns node_columns;

bool node_is_completing(const struct node_cx *cx, const struct node *n);

/* Its state as scontrol has it: "IDLE+MAINTENANCE+RESERVED". */
void node_append_state_full(struct str *out, const struct node *n, const struct node_cx *cx);
/* sinfo -t: any of Slurm's names. */
bool node_has_state(const struct node *n, const struct node_cx *cx, const char *state);

/* Must nodes differ in this column to stand in different lines? False for lists and sums, which hold for
 * the group as a whole. */
bool node_column_divides(const struct column *c, bool exact);

#endif
