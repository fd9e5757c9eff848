/* scontrol_show.h - scontrol show. */
#ifndef STOKER_CLI_SCONTROL_SHOW_H
#define STOKER_CLI_SCONTROL_SHOW_H

#include "src/cli/scontrol/scontrol_ask.h"

/* argv behind the command's own name. Return exit codes. */
int scontrol_show(struct scontrol *s, size_t n, char *const *words);

#endif
