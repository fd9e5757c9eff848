/* wal.h - is what lies in a write-ahead log whole? Asked before SQLite opens it.
 *
 * SQLite reads a log up to its first frame that does not fit and takes the rest for the torn end of a
 * transaction that was never committed. After a crash that is right; after damage it loses every
 * transaction behind the damaged byte without a word. The difference can be seen: behind a torn end there
 * is nothing that was committed, but for the commit frame of that one transaction, where the disk wrote it
 * first. The writer keeps it at one: after a commit that failed, and after a crash, it empties the log
 * before it writes again (disk.c).
 */
#ifndef STOKER_BACKEND_STORE_WAL_H
#define STOKER_BACKEND_STORE_WAL_H

#include "src/base/err.h"

/* 0: whole, torn at its end, or not there. -EUCLEAN, with a text that says where: committed transactions
 * lie behind what cannot be read. Others: it cannot be read at all. */
int wal_check(const char *path, struct errtext *err) __attribute__((warn_unused_result));

#endif
