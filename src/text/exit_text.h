/* exit_text.h - exit codes in words. A shell ends with 127 if it does not find a command and with 126 if it
 * cannot execute it; the number alone does not say so to a user. What Slurm prints has the number alone.
 */
#ifndef STOKER_TEXT_EXIT_TEXT_H
#define STOKER_TEXT_EXIT_TEXT_H

#include "src/base/str.h"

/* What a shell means by the code: "command not found", "command cannot be executed"; NULL: nothing. */
const char *exit_text_meaning(int code);
/* "exit 2", "exit 127 (command not found)". */
void exit_text_append(struct str *out, int code);

#endif
