/* disk.h - the side of the store that touches the disk: the connection, the mark, the checkpoints.
 *
 * No threads here: the worker alone calls these functions, and the loop's thread only while the worker is
 * idle.
 */
#ifndef STOKER_BACKEND_STORE_DISK_H
#define STOKER_BACKEND_STORE_DISK_H

#include "backend/store/work.h"

struct disk {
    struct db db;
    struct mark_file mark;
    int wal_pages;  /* since the last checkpoint */
    bool in_pieces; /* some of them of large payloads */
    bool fresh_wal; /* the checkpoint after the next batch empties the log, which begins again */
    bool has_batch; /* since it was opened, or probed */
    bool failed;    /* a commit failed: batches are refused until store_reset */
};

/* Opens DIR/stoker.db (path) and DIR/mark. d must not move afterwards. Errors: see store_open_as. */
int disk_open(struct disk *d, const char *dir, const char *path, const struct store_demands *demands,
              struct errtext *err) __attribute__((warn_unused_result));
/* leave: everything on disk stays as it was found. */
void disk_close(struct disk *d, bool leave);

/* Does one piece of work; after a commit it raises the mark. */
void disk_do(struct disk *d, struct work *w);
/* Moves the log into the database where that is due. idle: no work waits. */
void disk_checkpoint(struct disk *d, bool idle);

#endif
