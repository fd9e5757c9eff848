#include "backend/store/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/model/private_data.h"
#include "src/os/clock.h"
#include "src/proto/codec.h"

bool work_can_wait(const struct work *w)
{
    return w->kind == WORK_HISTORY || w->kind == WORK_AUDIT || w->kind == WORK_GET_SCRIPT ||
           w->kind == WORK_MOVE || w->kind == WORK_TRIM || w->kind == WORK_SWEEP;
}

bool work_writes(const struct work *w)
{
    return w->kind == WORK_BATCH || w->kind == WORK_PROBE || w->kind == WORK_MOVE || w->kind == WORK_TRIM ||
           w->kind == WORK_SWEEP;
}

struct work *work_new(enum work_kind kind)
{
    struct work *w = xcalloc(1, sizeof *w);
    w->kind = kind;
    str_init(&w->bytes);
    str_init(&w->audit);
    str_init(&w->audit_heavy);
    list_init(&w->link);
    return w;
}

bool work_has_row(const struct work *w, enum row_kind kind)
{
    vec_for_each (&w->rows, i)
        if (w->rows.v[i].kind == kind)
            return true;
    return false;
}

void work_free(struct work *w)
{
    vec_for_each (&w->rows, i)
        job_free(w->rows.v[i].summary);
    vec_fini(&w->rows);
    str_fini(&w->bytes);
    str_fini(&w->audit);
    str_fini(&w->audit_heavy);
    rec_fini(&msg_history_rec, &w->query);
    rec_fini(&msg_audit_rec, &w->audit_query);
    free(w);
}

static struct history_text work_text_of(const char *s)
{
    return (struct history_text){.p = s, .n = s ? strlen(s) : 0};
}

bool work_is_element(const struct job *j)
{
    return j->array_job && j->array_job != j->id;
}

static int work_write_retire(struct db *db, const struct batch_row *r, const char *data,
                             struct errtext *err)
{
    const struct job *j = r->summary;
    struct history_row row = {.job = j->id,
                              .array_job = j->array_job,
                              .uid = j->uid,
                              .user = work_text_of(j->user),
                              .name = work_text_of(j->req.name),
                              .partition = work_text_of(j->partition),
                              .account = work_text_of(j->req.account),
                              .state = j->state,
                              .t_submit = j->t_submit.ms,
                              .t_start = j->t_start.ms,
                              .t_end = j->t_end.ms,
                              .record = {.p = data, .n = r->n}};
    row.crc = history_crc(&row);
    int rc = history_put_row(&db->here, &row, err);
    if (!work_is_element(j)) {
        sqlite3_bind_int64(db->st[DB_DEL_EVENTS], 1, j->id);
        rc = rc ? rc : db_run(db, DB_DEL_EVENTS, err);
    }
    rc = rc || work_is_element(j) ? rc : scripts_keep(db, j->id, err);
    sqlite3_bind_int64(db->st[DB_DEL_PAYLOADS], 1, j->id);
    return rc ? rc : db_run(db, DB_DEL_PAYLOADS, err);
}

static int work_write_row(struct db *db, const struct batch_row *r, const char *bytes, struct errtext *err)
{
    const char *data = bytes + r->at;
    switch (r->kind) {
    case ROW_EVENT: {
        sqlite3_stmt *st = db->st[DB_ADD_EVENT];
        sqlite3_bind_int64(st, 1, (sqlite3_int64)r->seq);
        sqlite3_bind_int64(st, 2, r->t);
        sqlite3_bind_int64(st, 3, r->event_kind);
        sqlite3_bind_int64(st, 4, r->job);
        sqlite3_bind_blob64(st, 5, data, r->n, SQLITE_STATIC);
        sqlite3_bind_int64(st, 6, db_event_crc(r->seq, r->t, r->event_kind, r->job, data, r->n));
        return db_run(db, DB_ADD_EVENT, err);
    }
    case ROW_DEL_EVENT:
        sqlite3_bind_int64(db->st[DB_DEL_EVENT], 1, (sqlite3_int64)r->seq);
        return db_run(db, DB_DEL_EVENT, err);
    case ROW_PAYLOAD: return payload_db_add(db, r->job, r->step, data, r->n, err);
    case ROW_LARGE: return payload_db_add_large(db, r->job, r->step, &r->place, err);
    case ROW_PIECE: return payload_db_add_piece(db, r->place.number, r->place.at, data, r->n, err);
    case ROW_DEL_PAYLOAD: {
        sqlite3_stmt *st = db->st[DB_DEL_PAYLOAD];
        sqlite3_bind_int64(st, 1, r->job);
        sqlite3_bind_int64(st, 2, r->step);
        return db_run(db, DB_DEL_PAYLOAD, err);
    }
    case ROW_RETIRE: return work_write_retire(db, r, data, err);
    case ROW_AUDIT:
    case ROW_AUDIT_HEAVY: return audit_db_write(db, r->t, r->kind == ROW_AUDIT_HEAVY, data, r->n, err);
    }
    return -EINVAL;
}

static const char *work_bytes_of(const struct work *w, enum row_kind kind)
{
    return kind == ROW_AUDIT ? w->audit.s : kind == ROW_AUDIT_HEAVY ? w->audit_heavy.s : w->bytes.s;
}

static void work_do_batch(struct db *db, struct work *w)
{
    int r = db_run(db, DB_BEGIN, &w->err);
    vec_for_each (&w->rows, i)
        r = r ? r : work_write_row(db, &w->rows.v[i], work_bytes_of(w, w->rows.v[i].kind), &w->err);
    r = r ? r : audit_db_trim(db, &w->audit_bounds, &w->err);
    w->newest = r ? 0 : db_newest(db);
    if (r == 0 && db->before_commit)
        db->before_commit(db->before_commit_ctx, w->newest);
    r = r ? r : db_run(db, DB_COMMIT, &w->err);
    if (r < 0) {
        db->script_bytes = db->audit_total = db->heavy_total = -1;
        db->has_remains = true;
    }
    if (r < 0 && !sqlite3_get_autocommit(db->handle)) {
        struct errtext ignored;
        int back = db_run(db, DB_ROLLBACK, &ignored);
        (void)
            back; /* the transaction is gone either way: SQLite has rolled back what it could not finish */
    }
    w->result = r;
}

/* Rows of other users that have arguments are decoded for that, and only if there are any. */
static void work_cut_arguments(struct work *w)
{
    struct msg_jobs m;
    struct errtext err = {""};
    bool any = false;
    if (codec_decode_own(&msg_jobs_rec, w->bytes.s, w->bytes.len, &m, &err) < 0) {
        w->result = err_set(&w->err, -EBADMSG, "%s", err.s);
        return;
    }
    for (size_t i = 0; i < m.rows.n; i++)
        if (m.rows.v[i].uid != w->uid && job_has_arguments(&m.rows.v[i])) {
            job_cut_arguments(&m.rows.v[i]);
            any = true;
        }
    if (any) {
        str_clear(&w->bytes);
        codec_encode(&msg_jobs_rec, &m, &w->bytes);
    }
    rec_fini(&msg_jobs_rec, &m);
}

/* The rows as they lie there are the rows of a message: nothing is decoded on their way. */
static void work_do_history(struct db *db, struct work *w)
{
    struct str rows = STR_INIT;
    struct history_damage damage = {0};
    w->result = history_read(db, &w->query, &w->place, w->most, &rows, &w->n, &damage, &w->err);
    w->n_damaged = damage.n;
    w->job = damage.job;
    codec_list_head(&w->bytes, w->n);
    str_append_n(&w->bytes, rows.s, rows.len);
    str_fini(&rows);
    if (w->cuts)
        work_cut_arguments(w);
}

/* Whether there is room again: pages are written and committed before they are given up. In one transaction
 * they would never get as far as the disk. */
static void work_do_probe(struct db *db, struct work *w)
{
    char *text = NULL;
    int rc = sqlite3_exec(
        db->handle,
        "BEGIN IMMEDIATE;"
        "INSERT OR REPLACE INTO payload (job, step, body) VALUES (0, 0, zeroblob(65536)); COMMIT;"
        "DELETE FROM payload WHERE job = 0;",
        NULL, NULL, &text);
    if (rc != SQLITE_OK) {
        db->has_remains = true;
        w->result = err_set(&w->err, db_errno(rc), "%s", text ? text : sqlite3_errstr(rc));
        if (!sqlite3_get_autocommit(db->handle))
            sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    }
    sqlite3_free(text);
}

void work_do(struct work *w, struct db *db, bool failed)
{
    uint64_t start = (uint64_t)mono_us();
    switch (w->kind) {
    case WORK_BATCH:
        if (failed)
            w->result = err_set(&w->err, -EIO, "an earlier write failed");
        else
            work_do_batch(db, w);
        break;
    case WORK_GET_PAYLOAD: w->damaged = !payload_db_read(db, w->job, w->step, &w->bytes); break;
    case WORK_GET_SCRIPT: w->known = scripts_get(db, w->job, &w->uid, &w->bytes); break;
    case WORK_HISTORY: work_do_history(db, w); break;
    case WORK_AUDIT:
        w->result = audit_db_read(db, &w->audit_query, &w->audit_reader, &w->bytes, &w->err);
        break;
    case WORK_PROBE: work_do_probe(db, w); break;
    case WORK_MOVE: w->more = !failed && archive_move(db); break;
    case WORK_TRIM:
        w->more = !failed &&
                  (w->most_bytes ? archive_trim_to(db, w->most_bytes) : archive_trim(db, w->before_ms));
        break;
    case WORK_SWEEP: w->more = !failed && payload_db_sweep(db, w->before_number); break;
    case WORK_SPACE: db_get_space(db, &w->space); break;
    case WORK_STOP: break;
    }
    w->us = (uint64_t)mono_us() - start;
}
