/* mark.h - the file `mark` beside stoker.db: how far it has come, as this machine remembers it.
 *
 * Written after each commit and not waited for: it survives the end of the process, not that of the
 * machine. A mark that goes back is waited for, before the commit that makes it: else a power failure could
 * bring back a later one. So it is never ahead of a database that kept its promises, and a database that is
 * behind it has lost something: a log that was cut, damaged or taken away, a disk that lied.
 *
 *     "StokMark"  cluster  epoch  seq  next_job  CRC32C        40 bytes, written in one call
 */
#ifndef STOKER_BACKEND_STORE_MARK_H
#define STOKER_BACKEND_STORE_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/err.h"

struct mark_values {
    uint64_t cluster;  /* a hash of its uuid */
    uint64_t epoch;    /* of the controller that has written it; 0: there is no mark */
    uint64_t seq;      /* of the newest event that is on disk */
    uint32_t next_job; /* no id from here on has been given out */
};

struct mark_file {
    int fd; /* -1: it cannot be written */
    struct mark_values v;
};

/* Reads what there is; one that is damaged counts as none, and the caller may say so. */
void mark_open(struct mark_file *m, const char *path, bool *ret_damaged);
void mark_write(struct mark_file *m, const struct mark_values *v);
/* The same, and waits until it is on disk. */
void mark_write_synced(struct mark_file *m, const struct mark_values *v);
void mark_close(struct mark_file *m);

#endif
