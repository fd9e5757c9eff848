/* node_free.h - the resources of a node that another job could get now.
 *
 * The scheduler decides whether a job starts there: jobs with planned starts go first.
 */
#ifndef UI_INFO_NODE_FREE_H
#define UI_INFO_NODE_FREE_H

#include "ui/state/view.h"
#include "ui/widget/rich.h"

struct node_room {
    uint32_t cpus, gpus;
    uint64_t mem_mib;
};

/* All zero for a node that takes no jobs, or that one job has exclusively. */
struct node_room node_free_of(const struct ui *ui, const struct node *n);
/* "16 CPUs, 48G, 2 GPUs"; without a CPU or memory: "nothing". GPUs only for a node that has some. */
void node_free_text(struct rich *r, const struct ui *ui, const struct node *n);

#endif
