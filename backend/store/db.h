/* db.h - the connection to stoker.db and its statements; used by the store's thread alone once that runs.
 */
#ifndef STOKER_BACKEND_STORE_DB_H
#define STOKER_BACKEND_STORE_DB_H

#include <sqlite3.h>

#include "backend/store/store.h"

/* X(enum member, SQL) */
#define DB_STATEMENTS(X)                                                                                     \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                              \
    X(COMMIT, "COMMIT")                                                                                      \
    X(ROLLBACK, "ROLLBACK")                                                                                  \
    X(ADD_EVENT, "INSERT INTO event (seq, t, kind, job, body) VALUES (?1, ?2, ?3, ?4, ?5)")                  \
    X(ADD_PAYLOAD, "INSERT OR REPLACE INTO payload (job, step, body) VALUES (?1, ?2, ?3)")                   \
    X(DEL_EVENT, "DELETE FROM event WHERE seq = ?1 AND job = 0")                                             \
    X(DEL_PAYLOAD, "DELETE FROM payload WHERE job = ?1 AND step = ?2")                                       \
    X(DEL_PAYLOADS, "DELETE FROM payload WHERE job = ?1")                                                    \
    X(GET_PAYLOAD, "SELECT body FROM payload WHERE job = ?1 AND step = ?2")                                  \
    X(FIND_SCRIPT, "SELECT id FROM (SELECT id, body FROM script WHERE hash = ?1 ORDER BY id DESC LIMIT 4)"   \
                   " WHERE body = ?2")                                                                       \
    X(ADD_SCRIPT, "INSERT INTO script (hash, body) VALUES (?1, ?2)")                                         \
    X(KEEP_SCRIPT, "INSERT OR REPLACE INTO script_of (job, script) VALUES (?1, ?2)")                         \
    X(SCRIPT_BYTES, "SELECT coalesce(sum(length(body)), 0) FROM script")                                     \
    X(OLDEST_SCRIPT, "SELECT min(id) FROM script")                                                           \
    X(SIZE_OF_SCRIPT, "SELECT length(body) FROM script WHERE id = ?1")                                       \
    X(DEL_SCRIPT, "DELETE FROM script WHERE id = ?1")                                                        \
    X(OLD_SCRIPT, "SELECT body FROM script WHERE id = (SELECT script FROM script_of WHERE job = ?1)")        \
    X(WHOSE, "SELECT uid, array_job FROM history WHERE job = ?1")                                            \
    X(DEL_EVENTS, "DELETE FROM event WHERE job > 0 AND job IN (SELECT ?1 UNION ALL"                          \
                  " SELECT job FROM history WHERE array_job = ?1 AND array_job > 0)")                        \
    X(ADD_HISTORY, "INSERT OR REPLACE INTO history (job, array_job, uid, user, name, partition, account,"    \
                   " state, t_submit, t_start, t_end, record)"                                               \
                   " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")                            \
    X(LOAD, "SELECT seq, t, kind, job, body FROM event ORDER BY seq")                                        \
    X(NEWEST, "SELECT max(seq) FROM event")                                                                  \
    X(LAST_JOB, "SELECT max(job) FROM history")                                                              \
    X(HISTORY_JOB, "SELECT user, name, partition, account, state, array_job, record FROM history"            \
                   " WHERE job = ?1")                                                                        \
    X(HISTORY_ARRAY, "SELECT job FROM history WHERE array_job = ?1 AND array_job > 0 AND job > ?2"           \
                     " ORDER BY job")                                                                        \
    X(HISTORY_UP, "SELECT job, t_end, t_submit, state FROM history INDEXED BY history_ended"                 \
                  " WHERE (t_end, job) > (?1, ?2) ORDER BY t_end, job")                                      \
    X(HISTORY_DOWN, "SELECT job, t_end, t_submit, state FROM history INDEXED BY history_ended"               \
                    " WHERE (t_end, job) < (?1, ?2) ORDER BY t_end DESC, job DESC")                          \
    X(HISTORY_USER_UP, "SELECT job, t_end, t_submit, state FROM history INDEXED BY history_of_user"          \
                       " WHERE user = ?3 AND (t_end, job) > (?1, ?2) ORDER BY t_end, job")                   \
    X(HISTORY_USER_DOWN, "SELECT job, t_end, t_submit, state FROM history INDEXED BY history_of_user"        \
                         " WHERE user = ?3 AND (t_end, job) < (?1, ?2) ORDER BY t_end DESC, job DESC")

enum db_statement {
#define X(name, sql) DB_##name,
    DB_STATEMENTS(X)
#undef X
        DB_N_STATEMENTS
};

struct db {
    sqlite3 *handle;
    sqlite3_stmt *st[DB_N_STATEMENTS];
    int64_t span_ms;      /* of no job of the history lie end and submission further apart */
    int64_t script_bytes; /* of all that scripts.c keeps; -1: to be counted */
    int64_t scripts_max;  /* and at most: SCRIPTS_BYTES_MAX, fewer in tests */
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
/* The number of the newest event; 0 where there is none. */
uint64_t db_newest(struct db *db);
/* Moves the WAL into the file. truncate: waits for all of it and cuts the WAL. */
void db_checkpoint(struct db *db, bool truncate);

#endif
