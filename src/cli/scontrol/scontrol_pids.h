/* scontrol_pids.h - scontrol listpids, pidinfo. */
#ifndef STOKER_CLI_SCONTROL_PIDS_H
#define STOKER_CLI_SCONTROL_PIDS_H

#include "src/cli/scontrol/scontrol_ask.h"

int scontrol_listpids(struct scontrol *s, size_t n, char *const *w);
int scontrol_pidinfo(struct scontrol *s, size_t n, char *const *w);

#endif
