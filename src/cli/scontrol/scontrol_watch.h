/* scontrol_watch.h - scontrol completing, notify, wait_job, errnumstr. */
#ifndef STOKER_CLI_SCONTROL_WATCH_H
#define STOKER_CLI_SCONTROL_WATCH_H

#include "src/cli/scontrol/scontrol_ask.h"

/* What becomes of jobs, and which processes are theirs (scontrol_watch.c). */
int scontrol_completing(struct scontrol *s, size_t n, char *const *w);
int scontrol_notify(struct scontrol *s, size_t n, char *const *w);
int scontrol_wait_job(struct scontrol *s, size_t n, char *const *w);
int scontrol_errnumstr(struct scontrol *s, size_t n, char *const *w);

#endif
