/* progress.h - a bar on standard error while a simulation runs, where that is a terminal. */
#ifndef STOKER_SIM_PROGRESS_H
#define STOKER_SIM_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool shown;    /* standard error is a terminal */
    unsigned last; /* per mille that the bar shows now */
};

void progress_init(struct progress *p);
/* No-op unless what it would show has changed. No clock is looked at. */
void progress_tell(struct progress *p, size_t done, size_t all);
/* Takes the bar away. */
void progress_fini(struct progress *p);

#endif
