/* command.h - the command line (':'): Slurm's commands, completed while the user types. */
#ifndef UI_COMMAND_COMMAND_H
#define UI_COMMAND_COMMAND_H

#include "ui/state/view.h"

void command_new(struct ui *ui);
void command_free(struct ui *ui);

bool command_is_open(const struct ui *ui);
void command_open(struct ui *ui, const char *text);
/* Every input while the line is open. */
void command_input(struct ui *ui, const struct input *in);
/* Draws the line over the footer, and the candidates above it. */
void command_draw(struct ui *ui, struct canvas *c, struct rect footer);
/* A line for each command. */
void command_help(struct lines *l);

#endif
