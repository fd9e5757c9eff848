/* db.h - the connection to stoker.db and its statements; used by the store's thread alone once that runs.
 */
#ifndef STOKER_BACKEND_STORE_DB_H
#define STOKER_BACKEND_STORE_DB_H

#include <sqlite3.h>

#include "backend/store/mark.h"
#include "backend/store/store_types.h"
#include "src/base/err.h"
#include "src/model/event.h"
#include "src/proto/msg.h"
#include "src/record/rec.h"

#define SCRIPTS_BYTES_MAX (256u << 20) /* of all that scripts.c keeps */

/* X(enum member, SQL) */
#define DB_STATEMENTS(X)                                                                                     \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                              \
    X(COMMIT, "COMMIT")                                                                                      \
    X(ROLLBACK, "ROLLBACK")                                                                                  \
    X(ADD_EVENT, "INSERT INTO event (seq, t, kind, job, body, crc) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")         \
    X(ADD_PAYLOAD, "INSERT OR REPLACE INTO payload (job, step, body, crc) VALUES (?1, ?2, ?3, ?4)")          \
    X(DEL_EVENT, "DELETE FROM event WHERE seq = ?1 AND job = 0")                                             \
    X(DEL_PAYLOAD, "DELETE FROM payload WHERE job = ?1 AND step = ?2")                                       \
    X(DEL_PAYLOADS, "DELETE FROM payload WHERE job = ?1")                                                    \
    X(GET_PAYLOAD, "SELECT body, crc, pieces, at, n FROM payload WHERE job = ?1 AND step = ?2")              \
    X(ADD_LARGE, "INSERT OR REPLACE INTO payload (job, step, body, crc, pieces, at, n)"                      \
                 " VALUES (?1, ?2, x'', ?3, ?4, ?5, ?6)")                                                    \
    X(ADD_PIECE, "INSERT INTO piece (number, at, crc, body) VALUES (?1, ?2, ?3, ?4)")                        \
    X(GET_PIECES, "SELECT at, crc, body FROM piece WHERE number = ?1 AND at < ?3"                            \
                  " AND at + length(body) > ?2 ORDER BY at")                                                 \
    X(NEWEST_PIECE, "SELECT max(number) FROM piece")                                                         \
    X(LOST_PIECE, "SELECT number, at FROM piece WHERE number >= ?1 AND number < ?2 AND NOT EXISTS"           \
                  " (SELECT 1 FROM payload WHERE pieces = number AND pieces > 0)"                            \
                  " ORDER BY number, at LIMIT 1")                                                            \
    X(DEL_PIECE, "DELETE FROM piece WHERE number = ?1 AND at = ?2")                                          \
    X(FIND_SCRIPT, "SELECT id FROM (SELECT id, body FROM script WHERE hash = ?1 ORDER BY id DESC LIMIT 4)"   \
                   " WHERE body = ?2")                                                                       \
    X(ADD_SCRIPT, "INSERT INTO script (hash, body) VALUES (?1, ?2)")                                         \
    X(KEEP_SCRIPT, "INSERT OR REPLACE INTO script_of (job, script) VALUES (?1, ?2)")                         \
    X(SCRIPT_BYTES, "SELECT coalesce(sum(length(body)), 0) FROM script")                                     \
    X(OLDEST_SCRIPT, "SELECT min(id) FROM script")                                                           \
    X(SIZE_OF_SCRIPT, "SELECT length(body) FROM script WHERE id = ?1")                                       \
    X(DEL_SCRIPT, "DELETE FROM script WHERE id = ?1")                                                        \
    X(OLD_SCRIPT, "SELECT body, hash FROM script WHERE id = (SELECT script FROM script_of WHERE job = ?1)")        \
    X(FORGET_SCRIPT, "DELETE FROM script_of WHERE job = ?1")                                                 \
    X(DEL_EVENTS, "DELETE FROM event WHERE job > 0 AND job IN (SELECT ?1 UNION ALL"                          \
                  " SELECT job FROM history WHERE array_job = ?1 AND array_job > 0)")                        \
    X(LOAD, "SELECT seq, t, kind, job, body, crc FROM event ORDER BY seq")                                        \
    X(NEWEST, "SELECT max(seq) FROM event")                                                                  \
    X(ADD_AUDIT, "INSERT INTO audit (t, total, crc, body) VALUES (?1, ?2, ?3, ?4)")                          \
    X(AUDIT_TOTAL, "SELECT total FROM audit ORDER BY id DESC LIMIT 1")                                       \
    X(AUDIT_OLDEST, "SELECT id, t, total FROM audit ORDER BY id")                                            \
    X(AUDIT_ENDS, "SELECT min(id), max(id) FROM audit")                                                      \
    X(AUDIT_SEEK, "SELECT t FROM audit WHERE id >= ?1 ORDER BY id LIMIT 1")                                  \
    X(AUDIT_ROWS, "SELECT id, t, crc, body FROM audit WHERE id > ?1 ORDER BY id")                            \
    X(DEL_AUDIT, "DELETE FROM audit WHERE id <= ?1")                                                         \
    X(ADD_HEAVY, "INSERT INTO audit_heavy (id, total) VALUES (last_insert_rowid(), ?1)")                     \
    X(HEAVY_TOTAL, "SELECT total FROM audit_heavy ORDER BY id DESC LIMIT 1")                                 \
    X(HEAVY_OLDEST, "SELECT id, total FROM audit_heavy ORDER BY id")                                         \
    X(DEL_HEAVY_ROWS, "DELETE FROM audit WHERE id IN (SELECT id FROM audit_heavy WHERE id <= ?1)")           \
    X(DEL_HEAVY, "DELETE FROM audit_heavy WHERE id <= ?1") \
    X(PAYLOAD_SIZES, "SELECT job, step, length(body) + n FROM payload")

/* The same of both tables of the history: that in stoker.db, and that in history.db (archive.h). */
#define HISTORY_COLUMNS                                                                                   \
    "job, array_job, uid, user, name, partition, account, state, t_submit, t_start, t_end, record, crc"
#define HISTORY_STATEMENTS(X)                                                                                \
    X(PUT, "INSERT OR REPLACE INTO history (" HISTORY_COLUMNS                                                \
           ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")                              \
    X(DELETE, "DELETE FROM history WHERE job = ?1")                                                          \
    X(LAST_JOB, "SELECT max(job) FROM history")                                                              \
    X(WHOSE, "SELECT uid, array_job FROM history WHERE job = ?1")                                            \
    X(ROW, "SELECT " HISTORY_COLUMNS " FROM history WHERE job = ?1")                                         \
    X(ARRAY, "SELECT job, 0 FROM history WHERE array_job = ?1 AND array_job > 0 AND job > ?2 ORDER BY job")  \
    X(UP, "SELECT job, t_end, t_submit, state FROM history INDEXED BY history_ended"                         \
          " WHERE (t_end, job) > (?1, ?2) ORDER BY t_end, job")                                              \
    X(DOWN, "SELECT job, t_end, t_submit, state FROM history INDEXED BY history_ended"                       \
            " WHERE (t_end, job) < (?1, ?2) ORDER BY t_end DESC, job DESC")                                  \
    X(USER_UP, "SELECT job, t_end, t_submit, state FROM history INDEXED BY history_of_user"                  \
               " WHERE user = ?3 AND (t_end, job) > (?1, ?2) ORDER BY t_end, job")                           \
    X(USER_DOWN, "SELECT job, t_end, t_submit, state FROM history INDEXED BY history_of_user"                \
                 " WHERE user = ?3 AND (t_end, job) < (?1, ?2) ORDER BY t_end DESC, job DESC")               \
    X(OLDEST, "SELECT job FROM history INDEXED BY history_ended WHERE t_end < ?1 ORDER BY t_end, job")       \
    X(SAMPLE, "SELECT user, length(record) FROM history WHERE job >= (SELECT min(job) FROM history) +"        \
              " abs(random() % (1 + (SELECT max(job) FROM history) - (SELECT min(job) FROM history)))"      \
              " ORDER BY job LIMIT 1")                                                                      \
    X(USER_OLDEST, "SELECT job FROM history INDEXED BY history_of_user WHERE user = ?1"                      \
                   " ORDER BY t_end, job")                                                                  \
    X(MOVABLE, "SELECT " HISTORY_COLUMNS " FROM history WHERE job > ?1 AND NOT EXISTS (SELECT 1 FROM event"  \
               " WHERE event.job = history.job AND event.job > 0) ORDER BY job")

enum history_statement {
#define X(name, sql) HISTORY_##name,
    HISTORY_STATEMENTS(X)
#undef X
        HISTORY_N_STATEMENTS
};

struct history_source {
    sqlite3 *handle; /* NULL: it cannot be read */
    sqlite3_stmt *st[HISTORY_N_STATEMENTS];
    int64_t span_ms; /* of no job in it lie end and submission further apart; -1: to be found out */
};

enum db_statement {
#define X(name, sql) DB_##name,
    DB_STATEMENTS(X)
#undef X
        DB_N_STATEMENTS
};

struct db {
    sqlite3 *handle;
    sqlite3_stmt *st[DB_N_STATEMENTS];
    struct history_source here, old; /* jobs that were retired lately, and those in history.db */
    char *old_trouble;               /* why old cannot be read */
    int64_t moved;                   /* this round of archive_move has come so far */
    bool move_failed;                /* and that has been said */
    bool has_remains;                /* the log may hold frames of a commit that failed */
    int64_t script_bytes;            /* of all that scripts.c keeps; -1: to be counted */
    int64_t scripts_max;             /* and at most: SCRIPTS_BYTES_MAX, fewer in tests */
    int64_t audit_total;             /* of the newest row of the audit log; -1: to be read */
    int64_t heavy_total;             /* the same of audit_heavy */
    int64_t swept;                   /* no piece below this number was lost when they were looked at */
    uint32_t audit_rows;             /* written since the oldest ones were looked at */
    /* Between the last write of a batch and its commit; newest: number of the newest event after it. */
    void (*before_commit)(void *ctx, uint64_t newest);
    void *before_commit_ctx;
};

/* Opens, guards, checks and prepares: see store_open. */
int db_open(struct db *db, const char *path, const struct store_demands *demands, struct errtext *err)
    __attribute__((warn_unused_result));
void db_close(struct db *db);
/* Steps a statement without rows to its end and resets it. 0, or -ENOSPC, -EIO ... with SQLite's text. */
int db_run(struct db *db, enum db_statement which, struct errtext *err) __attribute__((warn_unused_result));
/* A negative errno for an SQLite result code. */
int db_errno(int rc);
/* Checksums of rows, never 0: that is what earlier releases have written. */
uint32_t db_event_crc(uint64_t seq, int64_t t, uint32_t kind, uint32_t job, const void *body, size_t n);
uint32_t db_payload_crc(uint32_t job, int32_t step, const void *body, size_t n);
/* The number of the newest event; 0 where there is none. */
uint64_t db_newest(struct db *db);
/* Prepares the statements of a source whose handle is set; here: of stoker.db. */
bool db_prepare_source(struct history_source *s, bool here);
/* Moves the WAL into the file. truncate: waits for all of it and cuts the WAL. 0, or -EIO, -ENOSPC ... */
/* 0 for what cannot be found out. */
void db_get_space(struct db *db, struct store_space *ret);
int db_checkpoint(struct db *db, bool truncate);

#endif
