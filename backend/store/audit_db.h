/* audit_db.h - the audit log in stoker.db; used by the store's thread alone.
 *
 * A row holds the lines of one batch and is written in the transaction of the batch: no change is on disk
 * without its line. A line is an encoded record with its length before it, four bytes.
 */
#ifndef STOKER_BACKEND_STORE_AUDIT_DB_H
#define STOKER_BACKEND_STORE_AUDIT_DB_H

#include "backend/store/db.h"

/* Within a transaction. t: of the last line. heavy: of users who have had their share of the log. Errors:
 * as db_run. */
int audit_db_write(struct db *db, int64_t t, bool heavy, const void *lines, size_t n, struct errtext *err)
    __attribute__((warn_unused_result));
/* Deletes the oldest rows that are beyond the bounds, some hundred at a time; heavy ones have a quarter of
 * the bytes, and go first. Cost: it looks at one batch
 * of sixteen that have lines. */
int audit_db_trim(struct db *db, const struct audit_bounds *b, struct errtext *err)
    __attribute__((warn_unused_result));
/* Appends an encoded struct msg_audit_lines: the lines behind q->after that the question means and the
 * reader may see, until a megabyte is full or some milliseconds are over. A row whose checksum does not fit
 * is left out. Errors: -EIO and others with SQLite's text. */
int audit_db_read(struct db *db, const struct msg_audit *q, const struct audit_reader *who, struct str *out,
                  struct errtext *err) __attribute__((warn_unused_result));

#endif
