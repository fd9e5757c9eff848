#include "backend/store/scripts.h"

#include <errno.h>

#include "backend/store/payload_db.h"
#include "src/base/idmap.h"
#include "src/model/job.h"
#include "src/proto/codec.h"

static int scripts_failed(const struct db *db, int rc, struct errtext *err)
{
    return err_set(err, db_errno(rc), "%s", sqlite3_errmsg(db->handle));
}

/* Script and arguments of an encoded payload, encoded again; nothing where there are none, or too much. */
static void scripts_append_kept(struct str *out, const void *p, size_t n)
{
    struct step_payload whole;
    struct errtext err;
    if (codec_decode(&step_payload_rec, p, n, &whole, &err) < 0)
        return;
    struct step_payload kept = {.argv = whole.argv, .script = whole.script};
    if (kept.script.n && kept.script.n <= SCRIPT_MAX)
        codec_encode(&step_payload_rec, &kept, out);
    if (out->len > SCRIPT_MAX)
        str_clear(out);
    rec_fini(&step_payload_rec, &whole);
}

static void scripts_append_payload(struct db *db, uint32_t job, struct str *ret)
{
    struct str whole = STR_INIT;
    if (payload_db_read(db, job, STEP_BATCH, &whole) && whole.len)
        scripts_append_kept(ret, whole.s, whole.len);
    str_fini(&whole);
}

/* One row with one number; 0 where there is no row. */
static int scripts_query_number(struct db *db, enum db_statement which, int64_t *ret, struct errtext *err)
{
    sqlite3_stmt *st = db->st[which];
    int rc = sqlite3_step(st), r = 0;
    *ret = rc == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        r = scripts_failed(db, rc, err);
    sqlite3_reset(st);
    return r;
}

/* The oldest go until n more bytes have room. */
static int scripts_make_room(struct db *db, size_t n, struct errtext *err)
{
    int64_t all = db->script_bytes, oldest = 0;
    int r = all < 0 ? scripts_query_number(db, DB_SCRIPT_BYTES, &all, err) : 0;
    while (r == 0 && all + (int64_t)n > db->scripts_max) {
        int64_t size = 0;
        r = scripts_query_number(db, DB_OLDEST_SCRIPT, &oldest, err);
        sqlite3_bind_int64(db->st[DB_SIZE_OF_SCRIPT], 1, oldest);
        r = r ? r : scripts_query_number(db, DB_SIZE_OF_SCRIPT, &size, err);
        sqlite3_bind_int64(db->st[DB_DEL_SCRIPT], 1, oldest);
        r = r ? r : db_run(db, DB_DEL_SCRIPT, err);
        all -= size;
    }
    db->script_bytes = r < 0 ? -1 : all + (int64_t)n;
    return r;
}

/* The number of the text, which is taken in where it is new. A user who makes many texts with one hash has
 * them kept more than once: none of them is compared with all. */
static int scripts_intern(struct db *db, const struct str *text, int64_t *ret_id, struct errtext *err)
{
    int64_t hash = (int64_t)hash_bytes(text->s, text->len);
    sqlite3_stmt *find = db->st[DB_FIND_SCRIPT], *add = db->st[DB_ADD_SCRIPT];
    sqlite3_bind_int64(find, 1, hash);
    sqlite3_bind_blob64(find, 2, text->s, text->len, SQLITE_STATIC);
    int r = scripts_query_number(db, DB_FIND_SCRIPT, ret_id, err);
    if (r < 0 || *ret_id)
        return r;
    r = scripts_make_room(db, text->len, err);
    sqlite3_bind_int64(add, 1, hash);
    sqlite3_bind_blob64(add, 2, text->s, text->len, SQLITE_STATIC);
    r = r ? r : db_run(db, DB_ADD_SCRIPT, err);
    *ret_id = sqlite3_last_insert_rowid(db->handle);
    return r;
}

int scripts_keep(struct db *db, uint32_t job, struct errtext *err)
{
    struct str text = STR_INIT;
    int64_t id = 0;
    scripts_append_payload(db, job, &text);
    int r = text.len ? scripts_intern(db, &text, &id, err) : 0;
    if (r == 0 && id) {
        sqlite3_bind_int64(db->st[DB_KEEP_SCRIPT], 1, job);
        sqlite3_bind_int64(db->st[DB_KEEP_SCRIPT], 2, id);
        r = db_run(db, DB_KEEP_SCRIPT, err);
    }
    str_fini(&text);
    return r;
}

/* *job becomes that of its array, where it is of one. */
static bool scripts_find_owner(struct history_source *s, uint32_t *job, uint32_t *ret_uid)
{
    sqlite3_stmt *st = s->st[HISTORY_WHOSE];
    if (!s->handle)
        return false;
    sqlite3_bind_int64(st, 1, *job);
    bool known = sqlite3_step(st) == SQLITE_ROW;
    if (known) {
        *ret_uid = (uint32_t)sqlite3_column_int64(st, 0);
        uint32_t array = (uint32_t)sqlite3_column_int64(st, 1);
        *job = array ? array : *job;
    }
    sqlite3_reset(st);
    return known;
}

bool scripts_get(struct db *db, uint32_t job, uint32_t *ret_uid, struct str *ret)
{
    sqlite3_stmt *old = db->st[DB_OLD_SCRIPT];
    if (!scripts_find_owner(&db->here, &job, ret_uid) && !scripts_find_owner(&db->old, &job, ret_uid))
        return false;
    scripts_append_payload(db, job, ret); /* an element may have gone before its array */
    sqlite3_bind_int64(old, 1, job);
    if (!ret->len && sqlite3_step(old) == SQLITE_ROW) {
        const void *p = sqlite3_column_blob(old, 0);
        size_t n = (size_t)sqlite3_column_bytes(old, 0);
        if ((int64_t)hash_bytes(p, n) == sqlite3_column_int64(old, 1)) /* else it is damaged */
            str_append_n(ret, p, n);
    }
    sqlite3_reset(old);
    return true;
}
