/* Output that no file of the launch takes lies on the node's own disk, whether it is read or not: a
 * program that never stops writing would fill it for all tasks.
 */
#include "backend/shim/shim_spool.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "backend/shim/shim_files.h"
#include "backend/shim/shim_kill.h"
#include "backend/shim/shim_reap.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"

#define SPOOL_POLL_MS 500

void shim_spool_start(struct shim *s)
{
    s->spool_ms = INT64_MAX;
    vec_for_each (&s->sinks, i)
        if (!s->sinks.v[i].path && s->setup.spool_max)
            s->spool_ms = s->start_ms + SPOOL_POLL_MS;
}

void shim_spool_look(struct shim *s)
{
    shim_reap(s);
    if (s->spool_ms == INT64_MAX)
        return;
    s->spool_ms = mono_ms() + SPOOL_POLL_MS;
    uint64_t bytes = 0;
    vec_for_each (&s->sinks, i) {
        struct stat st;
        if (!s->sinks.v[i].path && fstat(s->sinks.v[i].fd, &st) == 0)
            bytes += s->l.pty ? (uint64_t)st.st_blocks * 512 : (uint64_t)st.st_size;
    }
    if (bytes <= s->setup.spool_max)
        return;
    s->spool_ms = INT64_MAX;
    /* At once: with a grace it would go on writing. */
    shim_kill_terminate(s, 0);
    unsigned long long mib = s->setup.spool_max >> 20;
    shim_message(s,
                 "its output passed the %llu MiB that this node's spool keeps for a task: name an OUT file "
                 "(--output)",
                 mib);
    char *line =
        xasprintf("slurmstepd: error: output passed the %llu MiB that the node's spool keeps for a "
                  "task, it was killed: use --output=FILE",
                  mib);
    shim_files_note(s, line);
    free(line);
}
