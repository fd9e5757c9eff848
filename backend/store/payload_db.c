#include "backend/store/payload_db.h"

#include "src/base/crc.h"

int payload_db_add(struct db *db, uint32_t job, int32_t step, const void *p, size_t n, struct errtext *err)
{
    sqlite3_stmt *st = db->st[DB_ADD_PAYLOAD];
    sqlite3_bind_int64(st, 1, job);
    sqlite3_bind_int64(st, 2, step);
    sqlite3_bind_blob64(st, 3, p, n, SQLITE_STATIC);
    sqlite3_bind_int64(st, 4, db_payload_crc(job, step, p, n));
    return db_run(db, DB_ADD_PAYLOAD, err);
}

static uint32_t payload_db_place_crc(uint32_t job, int32_t step, const struct large_place *w)
{
    const int64_t place[] = {w->number, (int64_t)w->at, (int64_t)w->n};
    return db_payload_crc(job, step, place, sizeof place);
}

int payload_db_add_large(struct db *db, uint32_t job, int32_t step, const struct large_place *where,
                         struct errtext *err)
{
    sqlite3_stmt *st = db->st[DB_ADD_LARGE];
    sqlite3_bind_int64(st, 1, job);
    sqlite3_bind_int64(st, 2, step);
    sqlite3_bind_int64(st, 3, payload_db_place_crc(job, step, where));
    sqlite3_bind_int64(st, 4, where->number);
    sqlite3_bind_int64(st, 5, (sqlite3_int64)where->at);
    sqlite3_bind_int64(st, 6, (sqlite3_int64)where->n);
    return db_run(db, DB_ADD_LARGE, err);
}

static uint32_t payload_db_piece_crc(int64_t number, int64_t at, const void *p, size_t n)
{
    const int64_t head[] = {number, at};
    return crc32c(crc32c(0, head, sizeof head), p, n);
}

int payload_db_add_piece(struct db *db, int64_t number, size_t at, const void *p, size_t n,
                         struct errtext *err)
{
    sqlite3_stmt *st = db->st[DB_ADD_PIECE];
    sqlite3_bind_int64(st, 1, number);
    sqlite3_bind_int64(st, 2, (sqlite3_int64)at);
    sqlite3_bind_int64(st, 3, payload_db_piece_crc(number, (int64_t)at, p, n));
    sqlite3_bind_blob64(st, 4, p, n, SQLITE_STATIC);
    return db_run(db, DB_ADD_PIECE, err);
}

/* Each piece must be whole and follow on the one before. */
static bool payload_db_read_pieces(struct db *db, const struct large_place *w, struct str *ret)
{
    sqlite3_stmt *st = db->st[DB_GET_PIECES];
    size_t end = w->at + w->n, come = w->at, before = ret->len;
    sqlite3_bind_int64(st, 1, w->number);
    sqlite3_bind_int64(st, 2, (sqlite3_int64)w->at);
    sqlite3_bind_int64(st, 3, (sqlite3_int64)end);
    while (sqlite3_step(st) == SQLITE_ROW) {
        size_t at = (size_t)sqlite3_column_int64(st, 0), n = (size_t)sqlite3_column_bytes(st, 2);
        const char *p = sqlite3_column_blob(st, 2);
        uint32_t crc = (uint32_t)sqlite3_column_int64(st, 1);
        if (at > come || at + n <= come || crc != payload_db_piece_crc(w->number, (int64_t)at, p, n))
            break;
        size_t stop = at + n < end ? at + n : end;
        str_append_n(ret, p + (come - at), stop - come);
        come = stop;
    }
    sqlite3_reset(st);
    if (come != end)
        str_truncate(ret, before);
    return come == end;
}

bool payload_db_read(struct db *db, uint32_t job, int32_t step, struct str *ret)
{
    sqlite3_stmt *st = db->st[DB_GET_PAYLOAD];
    struct large_place w = {0};
    bool whole = true;
    sqlite3_bind_int64(st, 1, job);
    sqlite3_bind_int64(st, 2, step);
    if (sqlite3_step(st) == SQLITE_ROW) {
        const void *p = sqlite3_column_blob(st, 0);
        size_t n = (size_t)sqlite3_column_bytes(st, 0);
        uint32_t crc = (uint32_t)sqlite3_column_int64(st, 1);
        w = (struct large_place){.number = sqlite3_column_int64(st, 2),
                                 .at = (size_t)sqlite3_column_int64(st, 3),
                                 .n = (size_t)sqlite3_column_int64(st, 4)};
        whole = w.number ? crc == payload_db_place_crc(job, step, &w)
                         : !crc || crc == db_payload_crc(job, step, p, n);
        if (whole && n)
            str_append_n(ret, p, n);
    }
    sqlite3_reset(st);
    return whole && (!w.number || payload_db_read_pieces(db, &w, ret));
}

int64_t payload_db_newest(struct db *db)
{
    sqlite3_stmt *st = db->st[DB_NEWEST_PIECE];
    int64_t n = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
    sqlite3_reset(st);
    return n;
}

bool payload_db_sweep(struct db *db, int64_t before)
{
    sqlite3_stmt *find = db->st[DB_LOST_PIECE], *del = db->st[DB_DEL_PIECE];
    struct errtext err;
    sqlite3_bind_int64(find, 1, db->swept);
    sqlite3_bind_int64(find, 2, before);
    bool found = sqlite3_step(find) == SQLITE_ROW;
    int64_t number = found ? sqlite3_column_int64(find, 0) : 0;
    int64_t at = found ? sqlite3_column_int64(find, 1) : 0;
    sqlite3_reset(find);
    db->swept = number;
    if (!found)
        return false;
    sqlite3_bind_int64(del, 1, number);
    sqlite3_bind_int64(del, 2, at);
    return db_run(db, DB_DEL_PIECE, &err) == 0; /* else: when something is deleted again */
}
