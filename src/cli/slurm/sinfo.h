/* sinfo.h - what sinfo was asked for, and the groups of nodes that share a line of it. */
#ifndef STOKER_CLI_SINFO_H
#define STOKER_CLI_SINFO_H

#include "src/cli/cmd.h"
#include "src/cli/listing/nodecolumns.h"

struct sinfo {
    char *letters, *names, *sort, *cluster;
    struct strv parts, nodes, states;
    bool no_header, long_form, by_node, summary, reasons, exact, dead, responding, json, reservations;
    uint32_t iterate_s;
};

/* --- sinfogroups.c --- */

struct node_groups {
    VEC(struct node_group *) v;
    VEC(char *) keys; /* what the group's nodes print alike */
};

void node_groups_fini(struct node_groups *gs);

bool sinfo_takes_node(const struct sinfo *s, const struct node_cx *cx, const struct node *n);
/* The nodes that are asked for, by partition where the format says something about it, those together that
 * print alike in the columns that divide. */
void node_groups_collect(struct node_groups *gs, const struct sinfo *s, const struct format *f,
                         const struct node_cx *cx);
/* Returns 0, or the exit code where --sort is wrong, which is said. */
int node_groups_sort(struct node_groups *gs, const struct sinfo *s, const struct cli *cli,
                     struct node_cx *cx) __attribute__((warn_unused_result));

#endif
