/* form_command.h - the command of a script that has only one: a line that can be edited in a field; and the
 * line before it that prepares the environment and ends in a comment:
 *
 *     . venv/bin/activate  # set-up
 *     python train.py
 */
#ifndef UI_FORM_FORM_COMMAND_H
#define UI_FORM_FORM_COMMAND_H

#include "src/base/str.h"

/* The number of lines that are neither empty nor a comment nor set-up. */
size_t formcommand_lines(const char *text);
/* The command, without its line break; NULL if there is none or several. Caller frees. */
char *formcommand_get(const char *text) __attribute__((warn_unused_result));
/* Replaces the command, or appends it if there is none. "" and a comment remove it. Does nothing if there
 * are several lines. */
void formcommand_set(struct str *text, const char *value);

/* The same for the set-up: its value has no "# set-up", a new one stands before the command. */
size_t formcommand_setup_lines(const char *text);
char *formcommand_get_setup(const char *text) __attribute__((warn_unused_result));
void formcommand_set_setup(struct str *text, const char *value);

#endif
