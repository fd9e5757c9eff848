/* commands.h - the functions of the commands in command_table.h; for the files command*.c alone. */
#ifndef UI_COMMAND_COMMANDS_H
#define UI_COMMAND_COMMANDS_H

#include "ui/command/command_table.h"
#include "ui/frame/stack.h"
#include "ui/state/ui_state.h"

/* args: the command's arguments; rest: the same text as typed. */
typedef void command_fn(struct ui *ui, const struct strv *args, const char *rest);

#define X(name, other, args, kind, help) command_fn run_##name;
COMMANDS(X)
#undef X

void complain(struct ui *ui, const char *what);
/* The text after the first argument. */
const char *behind(const struct strv *args, const char *rest);
/* Of a list such as n[01-04], or ALL; a toast names a node that does not exist. */
bool nodes_are_there(struct ui *ui, const char *names);
/* The view's own key for the same thing, so that marks and the cursor count. otherwise: the toast if the
 * view has no such key. */
void act_in_view(struct ui *ui, enum action action, const char *otherwise);

#endif
