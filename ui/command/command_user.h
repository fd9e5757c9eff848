/* command_user.h - the commands of ui.cfg: run by a key, by a word behind ':' or from the menu. */
#ifndef UI_COMMAND_COMMAND_USER_H
#define UI_COMMAND_COMMAND_USER_H

#include "ui/state/user_commands.h"
#include "ui/state/view.h"

/* Runs it for the row under the cursor; tells where that lacks what the command needs. */
void command_user_run(struct ui *ui, const struct user_command *c);
/* Whether the row under the cursor has what the command needs, and it may be run now. */
bool command_user_applies(const struct ui *ui, const struct user_command *c);
/* Runs the command of that key. Returns false where there is none. */
bool command_user_key(struct ui *ui, uint32_t key);

#endif
