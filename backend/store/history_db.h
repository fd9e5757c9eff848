/* history_db.h - reading the history in pieces: which rows a question means; used by the store's thread
 * alone.
 *
 * A question may mean a handful of rows among millions. What a range of time excludes is read off the index
 * alone; a piece ends after some milliseconds, so that a batch never waits for a reader for long.
 */
#ifndef STOKER_BACKEND_STORE_HISTORY_H
#define STOKER_BACKEND_STORE_HISTORY_H

#include "backend/store/db.h"

/* Rows that were left out because their checksums do not fit. */
struct history_damage {
    uint32_t n, job; /* job: the first of them */
};

/* Appends the encoded rows of the next piece to rows and counts them. *at moves on; whole where the answer
 * ends with this piece. Errors: -EIO and others with SQLite's text; -EBADMSG (an unreadable row). */
int history_read(struct db *db, const struct msg_history *q, struct history_place *at, uint32_t most,
                 struct str *rows, uint32_t *ret_n, struct history_damage *ret_damage, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
