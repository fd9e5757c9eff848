/* progress.c - the bar. */
#include "backend/sim/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CELLS 40

void progress_init(struct progress *p)
{
    *p = (struct progress){.shown = isatty(STDERR_FILENO), .last = 1001};
}

void progress_tell(struct progress *p, size_t done, size_t all)
{
    unsigned now = all ? (unsigned)((double)done * 1000 / (double)all) : 1000;
    if (!p->shown || now == p->last)
        return;
    char bar[CELLS + 1];
    size_t full = (size_t)now * CELLS / 1000;
    memset(bar, '#', full);
    memset(bar + full, '.', CELLS - full);
    bar[CELLS] = '\0';
    fprintf(stderr, "\r[%s] %3u %%  %zu of %zu jobs", bar, now / 10, done, all);
    fflush(stderr);
    p->last = now;
}

void progress_fini(struct progress *p)
{
    if (p->shown && p->last <= 1000)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
