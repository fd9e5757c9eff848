/* use_graphs.h - what a running job uses: CPUs, memory and GPUs, each in numbers and as a graph of the last
 * minutes, beside one another where there is room, else a line each. */
#ifndef UI_JOBS_USE_GRAPHS_H
#define UI_JOBS_USE_GRAPHS_H

#include "ui/state/view.h"

/* Lines that it takes at most, in room lines; 0: nothing can be measured of the job now. */
int usegraphs_height(const struct job *j, int width, int room);
void usegraphs_draw(const struct ui *ui, const struct job *j, struct canvas *c, struct rect r);
/* The same by node, in lines, of a job with several; nothing where nothing is known. */
void usegraphs_nodes(struct lines *l, const struct ui *ui, const struct job *j);

#endif
