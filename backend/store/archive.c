#include "backend/store/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/store/schema.h"
#include "src/base/crc.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/os/log.h"

#define PIECE        200
#define SAMPLES      64
#define SAMPLED_NAME 256
#define ROW_BYTES    200 /* of a job in the file, beside its record: columns and indices */

/* --- rows --- */

static uint32_t archive_add_number(uint32_t crc, int64_t v)
{
    return crc32c(crc, &v, sizeof v);
}

static uint32_t archive_add_text(uint32_t crc, struct history_text t)
{
    crc = archive_add_number(crc, t.p ? (int64_t)t.n : -1);
    return t.p ? crc32c(crc, t.p, t.n) : crc;
}

uint32_t history_crc(const struct history_row *r)
{
    const int64_t numbers[] = {r->job, r->array_job, r->uid, r->state, r->t_submit, r->t_start, r->t_end};
    const struct history_text texts[] = {r->user, r->name, r->partition, r->account, r->record};
    uint32_t crc = 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        crc = archive_add_number(crc, numbers[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        crc = archive_add_text(crc, texts[i]);
    return crc ? crc : 1;
}

static struct history_text archive_text_at(sqlite3_stmt *st, int i)
{
    const void *p = sqlite3_column_blob(st, i);
    size_t n = (size_t)sqlite3_column_bytes(st, i);
    bool is_null = sqlite3_column_type(st, i) == SQLITE_NULL;
    return (struct history_text){.p = is_null ? NULL : p ? p : "", .n = n};
}

void history_get_row(sqlite3_stmt *st, struct history_row *ret)
{
    *ret = (struct history_row){.job = sqlite3_column_int64(st, 0),
                                .array_job = sqlite3_column_int64(st, 1),
                                .uid = sqlite3_column_int64(st, 2),
                                .user = archive_text_at(st, 3),
                                .name = archive_text_at(st, 4),
                                .partition = archive_text_at(st, 5),
                                .account = archive_text_at(st, 6),
                                .state = sqlite3_column_int64(st, 7),
                                .t_submit = sqlite3_column_int64(st, 8),
                                .t_start = sqlite3_column_int64(st, 9),
                                .t_end = sqlite3_column_int64(st, 10),
                                .record = archive_text_at(st, 11),
                                .crc = (uint32_t)sqlite3_column_int64(st, 12)};
}

static void archive_bind_text(sqlite3_stmt *st, int at, struct history_text t)
{
    if (t.p)
        sqlite3_bind_text(st, at, t.p, (int)t.n, SQLITE_STATIC);
    else
        sqlite3_bind_null(st, at);
}

static int archive_run(struct history_source *s, enum history_statement which, struct errtext *err)
{
    int rc = sqlite3_step(s->st[which]);
    sqlite3_reset(s->st[which]);
    if (rc == SQLITE_DONE || rc == SQLITE_ROW)
        return 0;
    return err_set(err, db_errno(rc), "%s", sqlite3_errmsg(s->handle));
}

int history_put_row(struct history_source *to, const struct history_row *r, struct errtext *err)
{
    sqlite3_stmt *st = to->st[HISTORY_PUT];
    sqlite3_bind_int64(st, 1, r->job);
    sqlite3_bind_int64(st, 2, r->array_job);
    sqlite3_bind_int64(st, 3, r->uid);
    archive_bind_text(st, 4, r->user);
    archive_bind_text(st, 5, r->name);
    archive_bind_text(st, 6, r->partition);
    archive_bind_text(st, 7, r->account);
    sqlite3_bind_int64(st, 8, r->state);
    sqlite3_bind_int64(st, 9, r->t_submit);
    sqlite3_bind_int64(st, 10, r->t_start);
    sqlite3_bind_int64(st, 11, r->t_end);
    sqlite3_bind_blob64(st, 12, r->record.p, r->record.n, SQLITE_STATIC);
    sqlite3_bind_int64(st, 13, r->crc);
    if (to->span_ms >= 0 && r->t_end - r->t_submit > to->span_ms)
        to->span_ms = r->t_end - r->t_submit;
    return archive_run(to, HISTORY_PUT, err);
}

/* --- the file --- */

static int64_t archive_number(sqlite3 *handle, const char *sql, int64_t none)
{
    sqlite3_stmt *st = NULL;
    int64_t n = none;
    if (sqlite3_prepare_v2(handle, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

static bool archive_exec(struct db *db, const char *sql)
{
    return sqlite3_exec(db->old.handle, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static void archive_close_source(struct history_source *s)
{
    for (int i = 0; i < HISTORY_N_STATEMENTS; i++) {
        sqlite3_finalize(s->st[i]);
        s->st[i] = NULL;
    }
}

static void archive_give_up(struct db *db, const char *what)
{
    const char *why = db->old.handle ? sqlite3_errmsg(db->old.handle) : "no memory";
    free(db->old_trouble);
    db->old_trouble = xasprintf("history.db: %s%s%s", what ? what : why, what ? "" : ": ",
                                what ? "" : "restore a backup of it, or move it away");
    log_error("%s; jobs that end from now on are kept in stoker.db", db->old_trouble);
    archive_close_source(&db->old);
    sqlite3_close(db->old.handle);
    db->old.handle = NULL;
}

/* Begins with settings and looks; writes nothing into a file that is not ours. */
static const char *archive_set_up(struct db *db)
{
    if (!archive_exec(db,
                      "PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON;"
                      "PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=67108864;"
                      "PRAGMA cache_size=-8192;"))
        return "";
    int64_t app = archive_number(db->old.handle, "PRAGMA application_id", -1);
    int64_t tables = archive_number(db->old.handle, "SELECT count(*) FROM sqlite_schema", -1);
    if (app < 0 || tables < 0)
        return "";
    bool is_new = app == 0 && tables == 0;
    if (!is_new && app != STORE_HISTORY_ID)
        return "is not a history of stoker";
    if (!archive_exec(db, "PRAGMA synchronous=EXTRA; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;") ||
        (is_new && !archive_exec(db, store_history_schema)))
        return "";
    return db_prepare_source(&db->old, false) ? NULL : "";
}

void archive_open(struct db *db, const char *path)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
    const char *why = "";
    if (sqlite3_open_v2(path, &db->old.handle, flags, NULL) == SQLITE_OK)
        why = archive_set_up(db);
    if (why)
        archive_give_up(db, *why ? why : NULL);
    else
        db->old.span_ms =
            archive_number(db->old.handle, "SELECT value FROM meta WHERE name = 'span_ms'", 0);
}

void archive_close(struct db *db)
{
    archive_close_source(&db->here);
    archive_close_source(&db->old);
    sqlite3_close(db->old.handle);
    db->old.handle = NULL;
    free(db->old_trouble);
    db->old_trouble = NULL;
}

int64_t history_span_ms(struct db *db)
{
    if (db->here.span_ms < 0) /* few rows, or those of an earlier release until they have been moved */
        db->here.span_ms = archive_number(
            db->handle, "SELECT coalesce(max(t_end - t_submit), 0) FROM history", INT64_MAX / 4);
    int64_t old = db->old.handle ? db->old.span_ms : 0;
    return db->here.span_ms > old ? db->here.span_ms : old;
}

/* --- moving and deleting --- */

static bool archive_sql(sqlite3 *handle, const char *text)
{
    if (sqlite3_exec(handle, text, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    if (!sqlite3_get_autocommit(handle))
        sqlite3_exec(handle, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool archive_keep_span(struct db *db)
{
    char text[128];
    snprintf(text, sizeof text, "INSERT OR REPLACE INTO meta (name, value) VALUES ('span_ms', %lld)",
             (long long)db->old.span_ms);
    return archive_sql(db->old.handle, text);
}

/* Copies the next rows that no event needs any more: those of an array's elements stay as long as the array
 * does. */
static bool archive_copy_rows(struct db *db, int64_t jobs[static PIECE], size_t *ret_n)
{
    sqlite3_stmt *st = db->here.st[HISTORY_MOVABLE];
    struct errtext err;
    int rc = SQLITE_ROW, r = 0;
    *ret_n = 0;
    sqlite3_bind_int64(st, 1, db->moved);
    while (r == 0 && *ret_n < PIECE && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        struct history_row row;
        history_get_row(st, &row);
        row.crc = row.crc ? row.crc : history_crc(&row);
        jobs[(*ret_n)++] = row.job;
        r = history_put_row(&db->old, &row, &err);
    }
    sqlite3_reset(st);
    return r == 0 && (rc == SQLITE_ROW || rc == SQLITE_DONE);
}

static bool archive_delete_rows(struct history_source *from, const int64_t *jobs, size_t n)
{
    struct errtext err;
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        sqlite3_bind_int64(from->st[HISTORY_DELETE], 1, jobs[i]);
        r = archive_run(from, HISTORY_DELETE, &err);
    }
    return r == 0;
}

static void archive_end_badly(struct db *db)
{
    sqlite3 *handles[] = {db->old.handle, db->handle};
    if (!db->move_failed)
        log_warn("the history cannot be moved into history.db now: %s; it stays in stoker.db",
                 sqlite3_errmsg(db->old.handle));
    db->move_failed = db->has_remains = true;
    for (size_t i = 0; i < 2; i++)
        if (!sqlite3_get_autocommit(handles[i]))
            sqlite3_exec(handles[i], "ROLLBACK", NULL, NULL, NULL);
}

bool archive_move(struct db *db)
{
    int64_t jobs[PIECE], span = db->old.span_ms;
    size_t n = 0;
    if (!db->old.handle)
        return false;
    bool ok = archive_sql(db->old.handle, "BEGIN IMMEDIATE") && archive_copy_rows(db, jobs, &n) &&
              (db->old.span_ms == span || archive_keep_span(db)) && archive_sql(db->old.handle, "COMMIT") &&
              (!n || (archive_sql(db->handle, "BEGIN IMMEDIATE") &&
                      archive_delete_rows(&db->here, jobs, n) && archive_sql(db->handle, "COMMIT")));
    if (!ok) {
        archive_end_badly(db);
        return false;
    }
    db->move_failed = false;
    db->moved = n == PIECE ? jobs[n - 1] : 0;
    return n == PIECE;
}

/* Deletes the first of a statement's rows. Returns how many: fewer than PIECE are all of them. */
static size_t archive_trim_rows(struct db *db, sqlite3_stmt *st)
{
    int64_t jobs[PIECE];
    size_t n = 0;
    while (n < PIECE && sqlite3_step(st) == SQLITE_ROW)
        jobs[n++] = sqlite3_column_int64(st, 0);
    sqlite3_reset(st);
    bool ok = !n || (archive_sql(db->old.handle, "BEGIN IMMEDIATE") &&
                     archive_delete_rows(&db->old, jobs, n) && archive_sql(db->old.handle, "COMMIT"));
    struct errtext err;
    for (size_t i = 0; ok && i < n; i++) { /* their texts go by the bound of scripts.h */
        sqlite3_bind_int64(db->st[DB_FORGET_SCRIPT], 1, jobs[i]);
        ok = db_run(db, DB_FORGET_SCRIPT, &err) == 0;
    }
    if (!ok)
        archive_end_badly(db);
    return ok ? n : 0;
}

bool archive_trim(struct db *db, int64_t before_ms)
{
    if (!db->old.handle)
        return false;
    sqlite3_stmt *st = db->old.st[HISTORY_OLDEST];
    sqlite3_bind_int64(st, 1, before_ms);
    return archive_trim_rows(db, st) == PIECE;
}

/* --- by size --- */

struct sampled_user {
    char name[SAMPLED_NAME];
    int64_t bytes;
};

/* Whose jobs take most of the file, by jobs that are picked at random: a sum for each user would cost every
 * job that ends, or a walk over all of the history. */
static struct sampled_user archive_largest_user(struct db *db)
{
    struct sampled_user users[SAMPLES] = {0}, *most = users;
    sqlite3_stmt *st = db->old.st[HISTORY_SAMPLE];
    for (int i = 0; i < SAMPLES; i++) {
        const char *name = sqlite3_step(st) == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
        struct sampled_user *u = users;
        while (name && u->bytes && strncmp(u->name, name, sizeof u->name - 1) != 0)
            u++;
        if (name) {
            snprintf(u->name, sizeof u->name, "%s", name);
            u->bytes += sqlite3_column_int64(st, 1) + ROW_BYTES;
            most = u->bytes > most->bytes ? u : most;
        }
        sqlite3_reset(st);
    }
    return *most;
}

static int64_t archive_used_bytes(struct db *db)
{
    return (archive_number(db->old.handle, "PRAGMA page_count", 0) -
            archive_number(db->old.handle, "PRAGMA freelist_count", 0)) *
           archive_number(db->old.handle, "PRAGMA page_size", 0);
}

bool archive_trim_to(struct db *db, int64_t bytes)
{
    if (!db->old.handle || archive_used_bytes(db) <= bytes)
        return false;
    struct sampled_user u = archive_largest_user(db);
    sqlite3_stmt *st = db->old.st[HISTORY_USER_OLDEST];
    sqlite3_bind_text(st, 1, u.name, -1, SQLITE_TRANSIENT);
    return archive_trim_rows(db, st) > 0 && archive_used_bytes(db) > bytes;
}
