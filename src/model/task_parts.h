/* task_parts.h - a declared task over several nodes: one record of step.tasks for each of its nodes.
 *
 * The parts of a task stand one after the other and have its index; part 0 is the first. They are placed
 * together, each is launched on its node, and the task is over when all of them are. A task on one node is
 * its own part 0, so that loops over tasks read
 *
 *     for (size_t at = 0; at < s->tasks.n; at = task_parts_end(s, at))
 */
#ifndef STOKER_MODEL_TASK_PARTS_H
#define STOKER_MODEL_TASK_PARTS_H

#include "src/model/job.h"

/* Nodes of each task of a declared step. */
uint32_t step_task_nodes(const struct step *s);
/* Processes of each task of a declared step, on all of its nodes. */
uint32_t step_task_ranks(const struct step *s);

/* Where the task begins of which tasks.v[at] is a part, and where the next one begins. */
size_t task_parts_begin(const struct step *s, size_t at);
size_t task_parts_end(const struct step *s, size_t at);
/* The same of a task of that step. */
size_t task_parts_of(const struct step *s, const struct task *t);
bool task_parts_are_over(const struct step *s, size_t at);
/* How the task stands: as its first part that runs or is about to, else that waits, else as the part that
 * speaks for its end: one that was lost with its node, one that its node ended, the worst that ended by
 * itself, in this order. A part that was ended because of another one says nothing. */
const struct task *task_parts_speaker(const struct step *s, size_t at);
/* Lists of tasks have a row for each node of a task, and one for a task without nodes. */
bool task_part_is_listed(const struct task *t);
/* The nodes of the task, compressed; NULL: it has none yet. The caller frees it. */
char *task_parts_node_list(const struct step *s, size_t at);
/* The part that runs the rank of that number within the task; NULL: none does. */
const struct task *task_parts_find_rank(const struct step *s, size_t at, uint32_t rank);

#endif
