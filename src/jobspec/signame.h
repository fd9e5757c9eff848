/* signame.h - signals by name: TERM, SIGTERM, 15. */
#ifndef STOKER_JOBSPEC_SIGNAME_H
#define STOKER_JOBSPEC_SIGNAME_H

/* Any case, with or without SIG, or a number (0 is one). -1 where it is none. */
int signal_by_name(const char *name);

#endif
