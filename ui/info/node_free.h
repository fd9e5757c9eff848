/* node_free.h - what a node could give to another job now: what no job has, of what may be given.
 *
 * Whether a job starts there is the scheduler's: jobs with planned starts go before.
 */
#ifndef UI_INFO_NODE_FREE_H
#define UI_INFO_NODE_FREE_H

#include "ui/frame/view.h"
#include "ui/widget/rich.h"

struct node_room {
    uint32_t cpus, gpus;
    uint64_t mem_mib;
};

/* All zero of a node that takes no jobs, or is held whole by one. */
struct node_room node_free_of(const struct ui *ui, const struct node *n);
/* "16 CPUs, 48G, 2 GPUs"; without a CPU or memory: "nothing". GPUs only of a node that has some. */
void node_free_text(struct rich *r, const struct ui *ui, const struct node *n);

#endif
