#include "backend/store/audit_db.h"

#include <string.h>

#include "src/base/crc.h"
#include "src/os/clock.h"
#include "src/os/log.h"
#include "src/proto/codec.h"

#define ROW_OVERHEAD 40u /* bytes of a row beside its lines, about */
#define TRIM_EACH    16u
#define TRIM_MOST    512
#define HEAVY_PART   4 /* of the bytes, for heavy rows */
#define PIECE_BYTES  (1u << 20)
#define PIECE_US     5000

static uint32_t audit_db_crc(const void *p, size_t n)
{
    return crc32c(0, p, n);
}

static int audit_db_total(sqlite3_stmt *st, int64_t *ret)
{
    int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW || rc == SQLITE_DONE)
        *ret = rc == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
    sqlite3_reset(st);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : db_errno(rc);
}

static int audit_db_totals(struct db *db, struct errtext *err)
{
    if (db->audit_total >= 0 && db->heavy_total >= 0)
        return 0;
    int r = audit_db_total(db->st[DB_AUDIT_TOTAL], &db->audit_total);
    r = r ? r : audit_db_total(db->st[DB_HEAVY_TOTAL], &db->heavy_total);
    return r ? err_set(err, r, "%s", sqlite3_errmsg(db->handle)) : 0;
}

int audit_db_write(struct db *db, int64_t t, bool heavy, const void *lines, size_t n, struct errtext *err)
{
    sqlite3_stmt *st = db->st[DB_ADD_AUDIT];
    int64_t bytes = (int64_t)(n + ROW_OVERHEAD);
    int r = audit_db_totals(db, err);
    if (r < 0)
        return r;
    sqlite3_bind_int64(st, 1, t);
    sqlite3_bind_int64(st, 2, db->audit_total + (heavy ? 0 : bytes));
    sqlite3_bind_int64(st, 3, audit_db_crc(lines, n));
    sqlite3_bind_blob64(st, 4, lines, n, SQLITE_STATIC);
    r = db_run(db, DB_ADD_AUDIT, err);
    if (r == 0 && heavy) {
        sqlite3_bind_int64(db->st[DB_ADD_HEAVY], 1, db->heavy_total + bytes);
        r = db_run(db, DB_ADD_HEAVY, err);
    }
    if (r < 0)
        return r;
    *(heavy ? &db->heavy_total : &db->audit_total) += bytes;
    db->audit_rows++;
    return 0;
}

/* Heavy rows beyond their part of the bytes go. *ret: bytes of those that stay, about. */
static int audit_db_trim_heavy(struct db *db, uint64_t most, int64_t *ret, struct errtext *err)
{
    sqlite3_stmt *st = db->st[DB_HEAVY_OLDEST];
    int64_t last = 0, first = db->heavy_total;
    for (int i = 0; i < TRIM_MOST && sqlite3_step(st) == SQLITE_ROW; i++) {
        first = sqlite3_column_int64(st, 1);
        if (!most || db->heavy_total - first < (int64_t)most)
            break;
        last = sqlite3_column_int64(st, 0);
    }
    sqlite3_reset(st);
    *ret = db->heavy_total - first;
    if (!last)
        return 0;
    sqlite3_bind_int64(db->st[DB_DEL_HEAVY_ROWS], 1, last);
    sqlite3_bind_int64(db->st[DB_DEL_HEAVY], 1, last);
    int r = db_run(db, DB_DEL_HEAVY_ROWS, err);
    return r ? r : db_run(db, DB_DEL_HEAVY, err);
}

int audit_db_trim(struct db *db, const struct audit_bounds *b, struct errtext *err)
{
    int64_t heavy = 0;
    if (db->audit_rows < TRIM_EACH)
        return 0;
    db->audit_rows = 0;
    int r = audit_db_trim_heavy(db, b->bytes / HEAVY_PART, &heavy, err);
    if (r < 0)
        return r;
    sqlite3_stmt *st = db->st[DB_AUDIT_OLDEST];
    int64_t last = 0, least = b->bytes ? db->audit_total + heavy - (int64_t)b->bytes : INT64_MIN;
    for (int i = 0; i < TRIM_MOST && sqlite3_step(st) == SQLITE_ROW; i++) {
        if (sqlite3_column_int64(st, 1) >= b->before_ms && sqlite3_column_int64(st, 2) > least)
            break;
        last = sqlite3_column_int64(st, 0);
    }
    sqlite3_reset(st);
    if (!last)
        return 0;
    sqlite3_bind_int64(db->st[DB_DEL_AUDIT], 1, last);
    sqlite3_bind_int64(db->st[DB_DEL_HEAVY], 1, last);
    r = db_run(db, DB_DEL_AUDIT, err);
    return r ? r : db_run(db, DB_DEL_HEAVY, err);
}

/* The row before the first that may have a line of then or later; rows follow one another by time, as far
 * as the clock did. */
static int64_t audit_db_seek(struct db *db, int64_t since)
{
    sqlite3_stmt *ends = db->st[DB_AUDIT_ENDS], *st = db->st[DB_AUDIT_SEEK];
    int64_t low = 0, high = 0;
    if (sqlite3_step(ends) == SQLITE_ROW) {
        low = sqlite3_column_int64(ends, 0);
        high = sqlite3_column_int64(ends, 1) + 1;
    }
    sqlite3_reset(ends);
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        sqlite3_bind_int64(st, 1, mid);
        bool before = sqlite3_step(st) == SQLITE_ROW && sqlite3_column_int64(st, 0) < since;
        sqlite3_reset(st);
        low = before ? mid + 1 : low;
        high = before ? high : mid;
    }
    return low - 1;
}

struct audit_reading {
    const struct msg_audit *q;
    const struct audit_reader *who;
    struct msg_audit_lines found;
    size_t bytes;
};

/* Each line has its length before it. */
static void audit_db_take_row(struct audit_reading *r, const char *p, size_t n)
{
    struct errtext err = {""};
    uint32_t size;
    for (size_t at = 0; n - at >= sizeof size; at += size) {
        struct audit_line l;
        memcpy(&size, p + at, sizeof size);
        at += sizeof size;
        if (size > n - at || codec_decode_own(&audit_line_rec, p + at, size, &l, &err) < 0) {
            log_warn("a line of the audit log cannot be read: %s", err.s);
            return;
        }
        if (audit_may_see(r->who, &l) && audit_is_wanted(r->q, &l)) {
            *(struct audit_line *)rec_list_push(&r->found.rows) = l;
            r->bytes += size;
        } else {
            rec_fini(&audit_line_rec, &l);
        }
    }
}

int audit_db_read(struct db *db, const struct msg_audit *q, const struct audit_reader *who, struct str *out,
                  struct errtext *err)
{
    struct audit_reading r = {.q = q, .who = who};
    int64_t after = (int64_t)q->after, seek = wall_is_set(q->since) ? audit_db_seek(db, q->since.ms) : 0;
    int64_t until_us = mono_us() + PIECE_US;
    sqlite3_stmt *st = db->st[DB_AUDIT_ROWS];
    int rc = SQLITE_ROW;
    after = seek > after ? seek : after;
    sqlite3_bind_int64(st, 1, after);
    while (r.bytes < PIECE_BYTES && mono_us() < until_us && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        const void *body = sqlite3_column_blob(st, 3);
        size_t n = (size_t)sqlite3_column_bytes(st, 3);
        after = sqlite3_column_int64(st, 0);
        if ((uint32_t)sqlite3_column_int64(st, 2) == audit_db_crc(body, n))
            audit_db_take_row(&r, body, n);
        else
            log_warn("row %lld of the audit log is damaged and left out", (long long)after);
    }
    sqlite3_reset(st);
    int e = rc == SQLITE_ROW || rc == SQLITE_DONE
                ? 0
                : err_set(err, db_errno(rc), "%s", sqlite3_errmsg(db->handle));
    r.found.after = (uint64_t)after;
    r.found.more = rc == SQLITE_ROW;
    codec_encode(&msg_audit_lines_rec, &r.found, out);
    rec_fini(&msg_audit_lines_rec, &r.found);
    return e;
}
