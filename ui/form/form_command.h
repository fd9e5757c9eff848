/* form_command.h - the command of a script, where it has but one: a line that can be typed in a field; and
 * the line before it that sets up what it needs, which ends in a comment that says so:
 *
 *     . venv/bin/activate  # set-up
 *     python train.py
 */
#ifndef UI_FORM_FORM_COMMAND_H
#define UI_FORM_FORM_COMMAND_H

#include "src/base/str.h"

/* Lines that a shell would do something about, neither empty nor a comment, but for those of the set-up. */
size_t formcommand_lines(const char *text);
/* The only one of them, without its line break; NULL where there are none or several. Caller frees. */
char *formcommand_get(const char *text) __attribute__((warn_unused_result));
/* Puts value in its place, or at the end where there is none yet. "" and what would be a comment take it
 * out. Where there are several lines nothing is changed. */
void formcommand_set(struct str *text, const char *value);

/* The same for the set-up: its value has no "# set-up", a new one stands before the command. */
size_t formcommand_setup_lines(const char *text);
char *formcommand_get_setup(const char *text) __attribute__((warn_unused_result));
void formcommand_set_setup(struct str *text, const char *value);

#endif
