/* shell.h - a shell in an allocation or on a node: the shell has the terminal until it ends. */
#ifndef UI_DIALOGS_SHELL_H
#define UI_DIALOGS_SHELL_H

#include "ui/state/view.h"

/* A step of the job on its first node, beside its other steps, with the job's CPUs and GPUs. */
void shell_in_job(struct ui *ui, const struct job *j);
/* A login on the node, outside of any job. */
void shell_on_node(struct ui *ui, const struct node *n);

#endif
