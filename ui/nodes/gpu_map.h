/* gpu_map.h - every GPU as a block: its colour is its owner's, its brightness how busy it is.
 *
 *     gpu01    0 alice        1 alice        2
 *     a100       97%  72G       2%  40G      free
 *              ⣿⣿⣶⣿⣿⣷⣿⣿       idle 1 h 13
 */
#ifndef UI_NODES_GPU_MAP_H
#define UI_NODES_GPU_MAP_H

#include "ui/info/owner_roles.h"
#include "ui/nodes/gpu_rows.h"
#include "ui/table/table.h"

struct gpumap {
    const struct gpurows *rows;
    struct ownerroles owners;
    int lines; /* of a node, as last drawn */
};

/* Draws the rows of t from its window on, and moves that so that the cursor is in it. Returns the lines
 * taken. */
int gpumap_draw(struct gpumap *m, struct table *t, struct canvas *c, struct rect r);
/* The GPUs of one node as wide as there is room; lines: how many they take. */
int gpumap_node_lines(const struct gpu_row *g, int width);
void gpumap_draw_node(const struct gpumap *m, const struct gpu_row *g, struct canvas *c, struct rect r);
/* False: there are allocated GPUs, and the use of none of them is known. */
bool gpumap_is_measured(const struct gpumap *m);
/* What is free where, and what is held and does nothing: two lines. */
void gpumap_sums(const struct gpumap *m, struct lines *l, int width);

#endif
