/* schema.h - the tables of stoker.db.
 *
 *   event     one row per event that the present state is folded from; those of a retired job are gone.
 *             An element of an array comes into being by events of its array: the events of both stay
 *             until the array goes
 *   payload   scripts, arguments and environments; only what has not ended
 *             (with rowid: without, rows over a kilobyte would each take a page of their own)
 *             at, n of the pieces of that number: where it lies instead of in body (payload_db.h)
 *   piece     of payloads that are too large for one batch
 *             Each row of these and of the history has a CRC32C of all of it; 0: an earlier release's
 *   history   the last record of jobs that were retired lately, until archive.c has moved it to the table
 *             of that name in history.db
 *   script    scripts and arguments of retired jobs, each once; their numbers are given once, so that a
 *             script_of whose script has gone never names another's
 *   audit     the audit log: a row for each batch with all lines of it, and another one for those of users
 *             who have had their share of the log; total: bytes of all rows up to and including this one,
 *             without those
 *   audit_heavy  which rows of the audit log are those; total: their bytes likewise
 *   script_of which of them a job, or an array, ran
 */
#ifndef STOKER_BACKEND_STORE_SCHEMA_H
#define STOKER_BACKEND_STORE_SCHEMA_H

#define STORE_APPLICATION_ID 0x53746f6b /* "Stok" */
#define STORE_VERSION        1

#define STORE_SCRIPTS                                                                             \
    "CREATE TABLE IF NOT EXISTS script ("                                                         \
    " id INTEGER PRIMARY KEY AUTOINCREMENT, hash INTEGER NOT NULL, body BLOB NOT NULL) STRICT;"   \
    "CREATE INDEX IF NOT EXISTS script_hash ON script (hash);"                                    \
    "CREATE TABLE IF NOT EXISTS script_of (job INTEGER PRIMARY KEY, script INTEGER NOT NULL) STRICT;"

#define STORE_PIECES                                                                                \
    "CREATE TABLE IF NOT EXISTS piece ("                                                            \
    " number INTEGER NOT NULL, at INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL,"      \
    " PRIMARY KEY (number, at)) STRICT;"

/* After the columns that it names are there. */
#define STORE_PIECES_INDEX                                                                          \
    "CREATE INDEX IF NOT EXISTS payload_pieces ON payload (pieces) WHERE pieces > 0"

#define STORE_AUDIT                                                                                 \
    "CREATE TABLE IF NOT EXISTS audit ("                                                            \
    " id INTEGER PRIMARY KEY, t INTEGER NOT NULL, total INTEGER NOT NULL, crc INTEGER NOT NULL,"    \
    " body BLOB NOT NULL) STRICT;"                                                                  \
    "CREATE TABLE IF NOT EXISTS audit_heavy (id INTEGER PRIMARY KEY, total INTEGER NOT NULL) STRICT;"

static const char store_schema[] =
    "CREATE TABLE event ("
    " seq INTEGER PRIMARY KEY, t INTEGER NOT NULL, kind INTEGER NOT NULL, job INTEGER NOT NULL,"
    " body BLOB NOT NULL, crc INTEGER NOT NULL DEFAULT 0) STRICT;"
    "CREATE INDEX event_job ON event (job) WHERE job > 0;"
    "CREATE TABLE payload ("
    " job INTEGER NOT NULL, step INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL DEFAULT 0,"
    " pieces INTEGER NOT NULL DEFAULT 0, at INTEGER NOT NULL DEFAULT 0, n INTEGER NOT NULL DEFAULT 0,"
    " PRIMARY KEY (job, step)) STRICT;"
    "CREATE TABLE history ("
    " job INTEGER PRIMARY KEY, array_job INTEGER NOT NULL, uid INTEGER NOT NULL, user TEXT, name TEXT,"
    " partition TEXT, account TEXT, state INTEGER NOT NULL, t_submit INTEGER NOT NULL,"
    " t_start INTEGER NOT NULL, t_end INTEGER NOT NULL, record BLOB NOT NULL,"
    " crc INTEGER NOT NULL DEFAULT 0) STRICT;"
    "CREATE INDEX history_array ON history (array_job) WHERE array_job > 0;"
    "CREATE INDEX history_ended ON history (t_end, job, t_submit, state);"
    "CREATE INDEX history_of_user ON history (user, t_end, job, t_submit, state);" STORE_SCRIPTS STORE_AUDIT
        STORE_PIECES;

#define STORE_HISTORY_ID 0x53746f48 /* "StoH" */

/* history.db. */
static const char store_history_schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE history ("
    " job INTEGER PRIMARY KEY, array_job INTEGER NOT NULL, uid INTEGER NOT NULL, user TEXT, name TEXT,"
    " partition TEXT, account TEXT, state INTEGER NOT NULL, t_submit INTEGER NOT NULL,"
    " t_start INTEGER NOT NULL, t_end INTEGER NOT NULL, record BLOB NOT NULL, crc INTEGER NOT NULL) STRICT;"
    "CREATE INDEX history_array ON history (array_job) WHERE array_job > 0;"
    "CREATE INDEX history_ended ON history (t_end, job, t_submit, state);"
    "CREATE INDEX history_of_user ON history (user, t_end, job, t_submit, state);"
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;"
    "PRAGMA application_id=1400139592; COMMIT;";
_Static_assert(STORE_HISTORY_ID == 1400139592, "the number in the text");

/* What files of earlier releases lack. Both indices hold all that a range of time is chosen by, so that
 * rows which are not wanted are never touched. */
static const char store_upgrade[] =
    "CREATE INDEX IF NOT EXISTS history_ended ON history (t_end, job, t_submit, state);"
    "CREATE INDEX IF NOT EXISTS history_of_user ON history (user, t_end, job, t_submit, state);"
    "DROP INDEX IF EXISTS history_end; DROP INDEX IF EXISTS history_user;" STORE_SCRIPTS STORE_AUDIT
        STORE_PIECES;

#endif
