/* output_order.h - output files that several tasks of a step write to.
 *
 * Each task opens its files by itself, on its own node. If each truncated them, whatever the others have
 * written before would be lost. So the task that was placed first truncates, the others append, and they
 * are not launched before the first one has its files open. */
#ifndef STOKER_BACKEND_CONTROL_NODES_OUTPUT_ORDER_H
#define STOKER_BACKEND_CONTROL_NODES_OUTPUT_ORDER_H

#include "backend/control/core.h"

/* The task of the same step that was placed before t and writes to the same file, or NULL: that task
 * truncates the file, t appends. stream: 1 or 2. */
const struct task *output_order_opened_before(struct control *c, const struct job *j, const struct step *s,
                                              const struct task *t, int stream);
/* t must not be launched yet: such a task has not opened the file. */
bool output_order_waits_for_opener(struct control *c, const struct job *j, const struct step *s,
                                   const struct task *t);

#endif
