/* archive.h - history.db: the jobs that have left the state long enough ago; the store's thread alone.
 *
 * A file of its own, so that neither its size nor damage in it can slow or stop the queue. A job that is
 * retired goes into the table `history` of stoker.db, in the transaction that takes its events away. From
 * there pieces of that table are moved here while there is nothing else to do: first they are on disk here,
 * then they go there, so that a row may be in both for a moment and is never in none. What earlier releases
 * have left in stoker.db comes over in the same way.
 *
 *     retire --> stoker.db: history --archive_move--> history.db: history --archive_trim--> gone
 *
 * A reader sees both as one table: history_db.c. Where this file cannot be read all else goes on, and
 * the rows stay in stoker.db until it can.
 */
#ifndef STOKER_BACKEND_STORE_ARCHIVE_H
#define STOKER_BACKEND_STORE_ARCHIVE_H

#include "backend/store/db.h"

/* Opens or makes it. On trouble db->old.handle is NULL and db->old_trouble says why. */
void archive_open(struct db *db, const char *path);
void archive_close(struct db *db);
/* Moves the next piece. Whether there is more. */
bool archive_move(struct db *db);
/* Deletes a piece of what ended before then. Whether there is more. */
bool archive_trim(struct db *db, int64_t before_ms);
/* Where the file takes more than that: deletes a piece of the oldest jobs of the user who has most there.
 * Whether it still takes more. */
bool archive_trim_to(struct db *db, int64_t bytes);

/* A job's row, as both tables have it. */
struct history_row {
    int64_t job, array_job, uid, state, t_submit, t_start, t_end;
    struct history_text {
        const void *p;
        size_t n;
    } user, name, partition, account, record;
    uint32_t crc; /* 0: written by an earlier release */
};
/* Its checksum, never 0. */
uint32_t history_crc(const struct history_row *r);
/* From the columns of HISTORY_ROW; valid until the statement is stepped again. */
void history_get_row(sqlite3_stmt *st, struct history_row *ret);
/* Adds or replaces. */
int history_put_row(struct history_source *to, const struct history_row *r, struct errtext *err)
    __attribute__((warn_unused_result));
/* Of no job lie end and submission further apart. */
int64_t history_span_ms(struct db *db);

#endif
