/* commands.h - what the commands of the table in command_table.h do, a function each; for the files
 * command*.c alone. */
#ifndef UI_COMMAND_COMMANDS_H
#define UI_COMMAND_COMMANDS_H

#include "ui/command/command_table.h"
#include "ui/frame/stack.h"
#include "ui/frame/ui_state.h"

/* args: those behind the command; rest: the same as it was typed. */
typedef void command_fn(struct ui *ui, const struct strv *args, const char *rest);

#define X(name, other, args, kind, help) command_fn run_##name;
COMMANDS(X)
#undef X

void complain(struct ui *ui, const char *what);
/* What stands behind the first of the args in the text that they were taken from. */
const char *behind(const struct strv *args, const char *rest);
/* Of a list such as n[01-04], or ALL; says which node is not. */
bool nodes_are_there(struct ui *ui, const char *names);
/* The view's own key for the same thing, so that marks and the cursor count. otherwise: what to say where
 * the view has no such key. */
void act_in_view(struct ui *ui, enum action action, const char *otherwise);

#endif
