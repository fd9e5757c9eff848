/* pty.h - srun --pty: the task on a terminal of its own, this terminal handed through.
 *
 * The terminal on the node is made by script(1), which every Debian has: bytes go both ways as they come,
 * this side only has to stop interpreting them.
 */
#ifndef STOKER_CLI_PTY_H
#define STOKER_CLI_PTY_H

#include "src/base/str.h"

/* argv inside script(1), with this terminal's size. */
struct strv pty_command(const struct strv *argv) __attribute__((warn_unused_result));

/* Standard input's terminal, if it is one, becomes raw; undone by pty_restore and at exit. */
void pty_raw(void);
void pty_restore(void);

#endif
