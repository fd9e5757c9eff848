#include "backend/store/disk.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "src/base/xalloc.h"
#include "src/os/log.h"

#define WAL_PAGES_PASSIVE  1000  /* a checkpoint is worth its time */
#define WAL_PAGES_PIECES   128   /* the same where large payloads are written */
#define WAL_PAGES_TRUNCATE 16384 /* 64 MiB: the checkpoint is made even if work waits */

static int disk_on_wal(void *ctx, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((struct disk *)ctx)->wal_pages = pages;
    return SQLITE_OK;
}

/* The mark is never ahead of the database: where a batch deletes the newest events the mark goes back
 * before the commit, on disk too. See work_do_batch. */
static void disk_lower_mark(void *ctx, uint64_t newest)
{
    struct disk *d = ctx;
    if (newest >= d->mark.v.seq)
        return;
    struct mark_values v = d->mark.v;
    v.seq = newest;
    mark_write_synced(&d->mark, &v);
}

static void disk_raise_mark(struct disk *d, const struct work *w)
{
    struct mark_values v = w->note;
    v.seq = w->newest;
    if (v.epoch)
        mark_write(&d->mark, &v);
}

static void disk_open_mark(struct disk *d, const char *dir)
{
    char *path = xasprintf("%s/mark", dir);
    bool damaged;
    mark_open(&d->mark, path, &damaged);
    if (damaged)
        log_warn("%s is damaged: whether the state is the newest cannot be told by it", path);
    free(path);
}

int disk_open(struct disk *d, const char *dir, const char *path, const struct store_demands *demands,
              struct errtext *err)
{
    *d = (struct disk){0};
    mode_t old = umask(077);
    int r = db_open(&d->db, path, demands, err);
    if (r == 0)
        disk_open_mark(d, dir);
    umask(old);
    if (r < 0)
        return r;
    sqlite3_wal_hook(d->db.handle, disk_on_wal, d);
    d->db.before_commit = disk_lower_mark;
    d->db.before_commit_ctx = d;
    /* The first batch is followed by a checkpoint of the whole log: a log that goes missing later is
     * noticed, and remains of damage are not there to be found again. */
    d->fresh_wal = true;
    /* A crash may have left a torn commit. Damage whose loss was accepted stays until the new epoch is on
     * disk: until then each start has to find it. */
    d->db.has_remains = !demands->accept_loss;
    return 0;
}

void disk_close(struct disk *d, bool leave)
{
    if (leave)
        sqlite3_db_config(d->db.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    else
        db_checkpoint(&d->db, true);
    db_close(&d->db);
    mark_close(&d->mark);
}

/* SQLite writes the next commit over the frames of one that failed. What is left of both after a power
 * failure would look like damage (wal.h), so nothing is written before those frames are gone. */
static int disk_drop_remains(struct disk *d, struct errtext *err)
{
    int r = d->db.has_remains ? db_checkpoint(&d->db, true) : 0;
    if (r < 0)
        return err_set(err, r, "the log cannot be emptied: %s", sqlite3_errmsg(d->db.handle));
    if (d->db.has_remains)
        d->wal_pages = 0;
    d->db.has_remains = false;
    return 0;
}

void disk_do(struct disk *d, struct work *w)
{
    if (work_writes(w))
        w->result = disk_drop_remains(d, &w->err);
    if (w->result == 0)
        work_do(w, &d->db, d->failed);
    if (w->kind == WORK_BATCH && w->result == 0) {
        disk_raise_mark(d, w);
        d->has_batch = true;
    }
    if (w->kind == WORK_SWEEP || (w->kind == WORK_BATCH && work_has_row(w, ROW_PIECE)))
        d->in_pieces = true;
    if (w->kind == WORK_BATCH && w->result < 0)
        d->failed = true;
    if (w->kind == WORK_PROBE && w->result == 0) { /* the batch that failed comes again, with its epoch */
        d->fresh_wal = true;
        d->has_batch = false;
    }
}

void disk_checkpoint(struct disk *d, bool idle)
{
    bool large = d->wal_pages > WAL_PAGES_TRUNCATE, first = d->fresh_wal && d->has_batch && d->wal_pages;
    int worth = d->in_pieces ? WAL_PAGES_PIECES : WAL_PAGES_PASSIVE;
    if (large || first || (idle && d->wal_pages > worth)) {
        int r = db_checkpoint(&d->db, large || first);
        d->wal_pages = 0;
        d->in_pieces = false;
        d->fresh_wal = d->fresh_wal && r < 0;
    }
}
