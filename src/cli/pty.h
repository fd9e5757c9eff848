/* pty.h - this terminal while a task's own is handed through it: this side only has to stop interpreting
 * what goes by. */
#ifndef STOKER_CLI_PTY_H
#define STOKER_CLI_PTY_H

#include "src/base/str.h"

/* Standard input's terminal, if it is one, becomes raw; undone by pty_restore and at exit. */
void pty_raw(void);
void pty_restore(void);
/* A line that is printed meanwhile needs its own way back to the left edge. */
bool pty_is_raw(void);
/* Says in env how large it is, so that the task's is from the beginning. Source: srun(1),
 * SLURM_PTY_WIN_COL. */
void pty_put_size(struct strv *env);

#endif
