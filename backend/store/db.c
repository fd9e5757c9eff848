#include "backend/store/db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "backend/store/archive.h"
#include "backend/store/schema.h"
#include "backend/store/wal.h"
#include "src/base/crc.h"
#include "src/base/xalloc.h"

int db_errno(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_FULL: return -ENOSPC;
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return -EBUSY;
    case SQLITE_READONLY: return -EROFS;
    case SQLITE_CANTOPEN: return -ENOENT;
    case SQLITE_PERM:
    case SQLITE_AUTH: return -EACCES;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return -EUCLEAN;
    case SQLITE_NOMEM: return -ENOMEM;
    default: return -EIO;
    }
}

int db_run(struct db *db, enum db_statement which, struct errtext *err)
{
    int rc = sqlite3_step(db->st[which]);
    sqlite3_reset(db->st[which]);
    if (rc == SQLITE_DONE || rc == SQLITE_ROW)
        return 0;
    return err_set(err, db_errno(rc), "%s", sqlite3_errmsg(db->handle));
}

static int db_exec(struct db *db, const char *sql, struct errtext *err)
{
    char *text = NULL;
    int rc = sqlite3_exec(db->handle, sql, NULL, NULL, &text);
    if (rc != SQLITE_OK)
        err_set(err, 0, "%s", text ? text : sqlite3_errstr(rc));
    sqlite3_free(text);
    return rc == SQLITE_OK ? 0 : db_errno(rc);
}

/* One value; the caller frees. NULL on failure. */
static char *db_query_text(struct db *db, const char *sql, struct errtext *err)
{
    sqlite3_stmt *st = NULL;
    char *text = NULL;
    int rc = sqlite3_prepare_v2(db->handle, sql, -1, &st, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        text = xstrdup((const char *)sqlite3_column_text(st, 0));
    else
        err_set(err, 0, "%s", sqlite3_errmsg(db->handle));
    sqlite3_finalize(st);
    if (!text && rc == SQLITE_ROW)
        text = xstrdup("");
    return text;
}

/* WAL needs locks and shared memory that network file systems do not keep. */
static int db_refuse_network_fs(const char *path, struct errtext *err)
{
    static const struct {
        long magic;
        const char *name;
    } refused[] = {{0x6969, "NFS"},        {0x517b, "SMB"},        {0xff534d42, "CIFS"},
                   {0xfe534d42, "SMB2"},   {0x5346414f, "AFS"},    {0x00c36400, "Ceph"},
                   {0x0bd00bd0, "Lustre"}, {0x19830326, "BeeGFS"}, {0x47504653, "GPFS"},
                   {0x01021997, "9P"}};
    struct statfs fs;
    if (statfs(path, &fs) < 0)
        return err_set(err, -errno, "%s: %s", path, strerror(errno));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if ((long)fs.f_type == refused[i].magic)
            return err_set(err, -EROFS,
                           "%s lies on %s; the state must lie on a local disk: set STOKER_HOME elsewhere",
                           path, refused[i].name);
    return 0;
}

/* SQLite's word about the file, for people. */
static int db_explain(const char *path, int r, const struct errtext *why, struct errtext *err)
{
    if (r == -EUCLEAN)
        return err_set(err, r, "%s is damaged (%s): restore a backup; nothing has been changed", path,
                       why->s);
    return r < 0 ? err_set(err, r, "%s: %s", path, why->s) : 0;
}

/* The last error, while the file is only looked at: "unsupported file format" and the like are plain
 * errors. */
static int db_read_errno(const struct db *db)
{
    int rc = sqlite3_errcode(db->handle);
    return rc == SQLITE_ERROR ? -EUCLEAN : db_errno(rc);
}

/* A number that SQLite keeps about the file. */
static int db_query_number(struct db *db, const char *sql, long *ret, struct errtext *err)
{
    char *text = db_query_text(db, sql, err);
    if (!text)
        return db_read_errno(db);
    *ret = atol(text);
    free(text);
    return 0;
}

/* Looks before anything is written. *ret_new: there is nothing in it yet. */
static int db_check_identity(struct db *db, const char *path, bool *ret_new, struct errtext *err)
{
    long app = 0, version = 0, tables = 0;
    struct errtext why = {""};
    int r = db_query_number(db, "PRAGMA application_id", &app, &why);
    r = r ? r : db_query_number(db, "PRAGMA user_version", &version, &why);
    r = r ? r : db_query_number(db, "SELECT count(*) FROM sqlite_schema", &tables, &why);
    if (r < 0)
        return db_explain(path, r, &why, err);
    *ret_new = app == 0 && version == 0 && tables == 0;
    if (*ret_new)
        return 0;
    if (app != STORE_APPLICATION_ID)
        return err_set(err, -EUCLEAN, "%s is not a database of stoker", path);
    if (version != STORE_VERSION)
        return err_set(err, -EPROTO, "%s has version %ld, this stokerd knows %d", path, version,
                       STORE_VERSION);
    return 0;
}

static int db_check_soundness(struct db *db, const char *path, struct errtext *err)
{
    struct errtext why = {""};
    /* Not of the history: it may be large, and nothing waits for it. */
    static const char *const checks[] = {"PRAGMA quick_check('event')", "PRAGMA quick_check('payload')"};
    int r = 0;
    for (size_t i = 0; i < 2 && r == 0; i++) {
        char *check = db_query_text(db, checks[i], &why);
        bool sound = check && strcmp(check, "ok") == 0;
        r = sound ? 0 : check ? -EUCLEAN : db_read_errno(db);
        if (check)
            err_set(&why, 0, "%s", check);
        free(check);
    }
    return db_explain(path, r, &why, err);
}

static int db_create(struct db *db, struct errtext *err)
{
    char pragmas[96];
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id=%d; PRAGMA user_version=%d;",
             STORE_APPLICATION_ID, STORE_VERSION);
    int r = db_exec(db, "BEGIN IMMEDIATE", err);
    r = r ? r : db_exec(db, store_schema, err);
    r = r ? r : db_exec(db, pragmas, err);
    return r ? r : db_exec(db, "COMMIT", err);
}

bool db_prepare_source(struct history_source *s, bool here)
{
    static const char *const sql[HISTORY_N_STATEMENTS] = {
#define X(name, text) [HISTORY_##name] = text,
        HISTORY_STATEMENTS(X)
#undef X
    };
    for (int i = 0; i < HISTORY_N_STATEMENTS; i++) {
        if (i == HISTORY_MOVABLE && !here)
            continue; /* there are no events there */
        if (sqlite3_prepare_v3(s->handle, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &s->st[i], NULL) !=
            SQLITE_OK)
            return false;
    }
    return true;
}

/* Columns that files of earlier releases lack. */
static int db_add_columns(struct db *db, struct errtext *err)
{
    static const struct {
        const char *table, *name;
    } columns[] = {{"event", "crc"},      {"payload", "crc"}, {"history", "crc"},
                   {"payload", "pieces"}, {"payload", "at"},  {"payload", "n"}};
    int r = 0;
    for (size_t i = 0; i < sizeof columns / sizeof *columns && r == 0; i++) {
        char sql[128];
        long n = 0;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM pragma_table_info('%s') WHERE name = '%s'",
                 columns[i].table, columns[i].name);
        r = db_query_number(db, sql, &n, err);
        snprintf(sql, sizeof sql, "ALTER TABLE %s ADD COLUMN %s INTEGER NOT NULL DEFAULT 0",
                 columns[i].table, columns[i].name);
        r = r || n ? r : db_exec(db, sql, err);
    }
    return r ? r : db_exec(db, STORE_PIECES_INDEX, err);
}

static int db_prepare_all(struct db *db, struct errtext *err)
{
    static const char *const sql[DB_N_STATEMENTS] = {
#define X(name, text) [DB_##name] = text,
        DB_STATEMENTS(X)
#undef X
    };
    db->here = (struct history_source){.handle = db->handle, .span_ms = -1};
    if (!db_prepare_source(&db->here, true))
        return err_set(err, -EUCLEAN, "%s", sqlite3_errmsg(db->handle));
    for (int i = 0; i < DB_N_STATEMENTS; i++)
        if (sqlite3_prepare_v3(db->handle, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &db->st[i], NULL) !=
            SQLITE_OK)
            return err_set(err, -EUCLEAN, "%s", sqlite3_errmsg(db->handle));
    return 0;
}

/* EXTRA for the change of the mode: SQLite makes it with a rollback journal, which must not be back after a
 * power failure. A journal beside the log would be played back over what the log builds on. */
static int db_begin_wal(struct db *db, struct errtext *err)
{
    int r = db_exec(db, "PRAGMA synchronous=EXTRA", err);
    char *mode = r ? NULL : db_query_text(db, "PRAGMA journal_mode=WAL", err);
    r = r || mode ? r : db_errno(sqlite3_errcode(db->handle));
    if (mode && strcmp(mode, "wal") != 0)
        r = err_set(err, -EIO, "it cannot be written ahead of (journal mode %s)", mode);
    free(mode);
    return r ? r : db_exec(db, "PRAGMA synchronous=FULL; BEGIN EXCLUSIVE; COMMIT;", err);
}

/* Until it is known to be ours and sound, the file is only read, and closing it leaves even its WAL as it
 * is. */
static int db_set_up(struct db *db, const char *path, bool must_exist, struct errtext *err)
{
    bool is_new = false;
    struct errtext why = {""};
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    /* EXCLUSIVE before the first access: then there is no shared memory, and a second controller finds the
     * file locked. */
    int r = db_exec(db,
                    "PRAGMA locking_mode=EXCLUSIVE; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF;"
                    "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY;"
                    "PRAGMA journal_size_limit=67108864; PRAGMA wal_autocheckpoint=0;"
                    "PRAGMA cache_size=-16384; PRAGMA secure_delete=ON;", /* environments hold secrets, and
                                                                             backups free pages */
                    &why);
    r = db_explain(path, r ? db_read_errno(db) : 0, &why, err);
    r = r ? r : db_check_identity(db, path, &is_new, err);
    if (r == 0 && is_new && must_exist)
        r = err_set(err, -ENODATA, "there is nothing in %s", path);
    r = r || is_new ? r : db_check_soundness(db, path, err);
    if (r < 0)
        return r;
    r = db_begin_wal(db, &why);
    r = r ? r : is_new ? db_create(db, &why) : db_exec(db, store_upgrade, &why);
    r = r ? r : db_add_columns(db, &why);
    r = r ? r : db_prepare_all(db, &why);
    if (r == 0)
        sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
    return db_explain(path, r, &why, err);
}

/* The path with the links of its directory followed: only the file itself must be no link. Caller frees;
 * NULL: errno. */
static char *db_resolve(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup(".");
    char *real = realpath(dir, NULL);
    free(dir);
    char *full = real ? xasprintf("%s/%s", real, slash ? slash + 1 : path) : NULL;
    free(real);
    return full;
}

/* Before SQLite looks at them: it deletes the log of an empty file, and reads a damaged one as far as that
 * goes. */
static int db_check_files(const char *path, const struct store_demands *demands, struct errtext *err)
{
    struct stat st, wal_st;
    char *wal = xasprintf("%s-wal", path);
    int r = 0;
    bool empty = stat(path, &st) == 0 && st.st_size == 0;
    if (empty && stat(wal, &wal_st) == 0 && wal_st.st_size > 0)
        r = err_set(err, -EUCLEAN,
                    "%s is empty and %s is not: restore a backup of both; nothing has been changed", path,
                    wal);
    else if (empty && demands->must_exist)
        r = err_set(err, -ENODATA, "there is nothing in %s", path);
    struct errtext why;
    if (r == 0 && !demands->accept_loss && (r = wal_check(wal, &why)) < 0)
        err_set(err, r,
                "%s. Restore a backup; or go on without what was done last, and with new ids: stoker up "
                "--accept-loss (a service: touch accept-loss beside it, then start it). Nothing has been "
                "changed",
                why.s);
    free(wal);
    return r;
}

int db_open(struct db *db, const char *path, const struct store_demands *demands, struct errtext *err)
{
    *db = (struct db){
        .script_bytes = -1, .scripts_max = SCRIPTS_BYTES_MAX, .audit_total = -1, .heavy_total = -1};
    char *full = db_resolve(path);
    if (!full)
        return err_set(err, -errno, "%s: %s", path, strerror(errno));
    char *slash = strrchr(full, '/');
    *slash = '\0';
    int r = db_refuse_network_fs(slash == full ? "/" : full, err);
    *slash = '/';
    r = r ? r : db_check_files(full, demands, err);
    char *old = xasprintf("%.*s/history.db", (int)(slash - full), full);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    int rc = r ? SQLITE_OK : sqlite3_open_v2(full, &db->handle, flags, NULL);
    if (rc != SQLITE_OK)
        r = err_set(err, db_errno(rc), "%s: %s", path, sqlite3_errstr(rc));
    free(full);
    r = r ? r : db_set_up(db, path, demands->must_exist, err);
    if (r == 0)
        archive_open(db, old);
    free(old);
    if (r == -EBUSY)
        err_set(err, r, "%s is in use by another controller", path);
    if (r < 0)
        db_close(db);
    return r;
}

void db_close(struct db *db)
{
    archive_close(db);
    for (int i = 0; i < DB_N_STATEMENTS; i++)
        sqlite3_finalize(db->st[i]);
    sqlite3_close(db->handle);
    *db = (struct db){0};
}

static uint32_t db_crc_of(const int64_t *head, size_t n_head, const void *body, size_t n)
{
    uint32_t crc = crc32c(crc32c(0, head, n_head * sizeof *head), body, n);
    return crc ? crc : 1;
}

uint32_t db_event_crc(uint64_t seq, int64_t t, uint32_t kind, uint32_t job, const void *body, size_t n)
{
    const int64_t head[] = {(int64_t)seq, t, kind, job};
    return db_crc_of(head, 4, body, n);
}

uint32_t db_payload_crc(uint32_t job, int32_t step, const void *body, size_t n)
{
    const int64_t head[] = {job, step};
    return db_crc_of(head, 2, body, n);
}

uint64_t db_newest(struct db *db)
{
    sqlite3_stmt *st = db->st[DB_NEWEST];
    uint64_t seq = sqlite3_step(st) == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(st, 0) : 0;
    sqlite3_reset(st);
    return seq;
}

static int64_t db_pragma(sqlite3 *handle, const char *sql)
{
    sqlite3_stmt *st = NULL;
    int64_t n = 0;
    if (handle && sqlite3_prepare_v2(handle, sql, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

static uint64_t db_file_bytes(sqlite3 *handle)
{
    struct stat file = {0}, log = {0};
    const char *path = handle ? sqlite3_db_filename(handle, "main") : NULL;
    char *wal = path ? xasprintf("%s-wal", path) : NULL;
    if (path && stat(path, &file) < 0)
        file.st_size = 0;
    if (wal && stat(wal, &log) < 0)
        log.st_size = 0;
    free(wal);
    return (uint64_t)file.st_size + (uint64_t)log.st_size;
}

void db_get_space(struct db *db, struct store_space *ret)
{
    struct statvfs fs;
    const char *path = sqlite3_db_filename(db->handle, "main");
    *ret = (struct store_space){.history = db_file_bytes(db->old.handle)};
    if (!path || statvfs(path, &fs) < 0)
        return;
    ret->fs_free = (uint64_t)fs.f_bavail * fs.f_frsize;
    ret->taken = db_file_bytes(db->handle) + ret->history;
    ret->unused = (uint64_t)db_pragma(db->handle, "PRAGMA freelist_count") *
                  (uint64_t)db_pragma(db->handle, "PRAGMA page_size");
}

int db_checkpoint(struct db *db, bool truncate)
{
    int rc = sqlite3_wal_checkpoint_v2(
        db->handle, NULL, truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    return rc == SQLITE_OK ? 0 : db_errno(rc);
}
