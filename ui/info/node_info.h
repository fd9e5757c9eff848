/* node_info.h - what there is to say about a node: the detail pane, and what its page shares with it. */
#ifndef UI_INFO_NODE_INFO_H
#define UI_INFO_NODE_INFO_H

#include "ui/state/view.h"

void nodeinfo_lines(struct lines *l, const struct ui *ui, const struct node *n);
/* Its address, features, system, agent. */
void nodeinfo_machine(struct lines *l, const struct ui *ui, const struct node *n);
/* "fan is loud  drained by root for 2 d", "lost for 12 min": one line, empty where all is well. */
void nodeinfo_note(struct rich *r, const struct ui *ui, const struct node *n);
/* The same beside the word of the state: "fan is loud  by root for 2 d". */
void nodeinfo_why(struct rich *r, const struct ui *ui, const struct node *n);
/* "80/128G": held of all. */
#define NODEINFO_MEM_SIZE 48
void nodeinfo_mem(const struct node *n, char buf[static NODEINFO_MEM_SIZE]);
/* Runs no jobs and has no agent that the controller hears of: nothing is said of its use. */
bool nodeinfo_is_bystander(const struct node *n);
/* The sign of a node in front of its row, and what it is sorted by. */
void nodeinfo_sign(struct table_field *f, const struct ui *ui, const struct node *n);
/* One sign a device: busy, held idle, free, foreign, broken, out. */
void nodeinfo_gpus(struct rich *r, const struct ui *ui, const struct node *n);

/* For how many seconds the GPU has been allocated and idle, as measured by the node's agent; 0: it is busy,
 * free, or not measured. */
int64_t nodeinfo_gpu_idle_s(const struct ui *ui, const struct node *n, unsigned gpu);

/* One device in a line: number, use, memory, whose, since when idle. */
void nodeinfo_gpu_line(struct rich *r, const struct ui *ui, const struct node *n, unsigned gpu);

#endif
