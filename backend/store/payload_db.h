/* payload_db.h - the table of what jobs run, in stoker.db; the store's thread alone.
 *
 * A payload is a row, or lies in pieces that were written before it, each in a batch of its own: then its
 * row says where. Pieces are written ahead of the request that brings them, so a crash, a refusal and the
 * end of a job leave pieces that no payload names. They are deleted one at a time.
 */
#ifndef STOKER_BACKEND_STORE_PAYLOAD_DB_H
#define STOKER_BACKEND_STORE_PAYLOAD_DB_H

#include "backend/store/db.h"
#include "src/base/str.h"

struct large_place { /* of a payload among the pieces of one number */
    int64_t number;
    size_t at, n;
};

/* Errors of all: -ENOSPC, -EIO ... with SQLite's text. */
int payload_db_add(struct db *db, uint32_t job, int32_t step, const void *p, size_t n, struct errtext *err)
    __attribute__((warn_unused_result));
int payload_db_add_large(struct db *db, uint32_t job, int32_t step, const struct large_place *where,
                         struct errtext *err) __attribute__((warn_unused_result));
int payload_db_add_piece(struct db *db, int64_t number, size_t at, const void *p, size_t n,
                         struct errtext *err) __attribute__((warn_unused_result));

/* Appended to ret, nothing where there is none. False: it is damaged, nothing is appended. */
bool payload_db_read(struct db *db, uint32_t job, int32_t step, struct str *ret);

/* The highest number that pieces have; 0: there are none. */
int64_t payload_db_newest(struct db *db);
/* Deletes one piece with a number below `before` that no payload names. Whether there may be another. */
bool payload_db_sweep(struct db *db, int64_t before);

#endif
