/* history.c - which rows of the history a question means, piece by piece. */
#include "backend/store/history.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "src/proto/codec.h"

#define PIECE_BYTES (1u << 20)
#define PIECE_US    5000
#define CLOCK_EVERY 64 /* looks between two looks at the clock */

/* The columns of HISTORY_JOB. */
enum { COL_USER, COL_NAME, COL_PARTITION, COL_ACCOUNT, COL_STATE, COL_ARRAY, COL_RECORD };

struct piece {
    struct db *db;
    const struct msg_history *q;
    struct str *rows;
    uint32_t n, most;
    uint64_t looks;
    int64_t until_us;
    struct errtext *err;
};

static int64_t now_us(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static bool is_full(struct piece *p)
{
    if (p->n >= p->most || p->rows->len >= PIECE_BYTES)
        return true;
    return ++p->looks % CLOCK_EVERY == 0 && now_us() >= p->until_us;
}

static int failed(const struct piece *p, int rc)
{
    return err_set(p->err, db_errno(rc), "%s", sqlite3_errmsg(p->db->handle));
}

/* A comma list of partitions counts as each of them: what never started has several. */
static bool has_one_of(const struct strv *wanted, const char *text)
{
    if (!wanted->n)
        return true;
    for (const char *s = text; s && *s;) {
        size_t n = strcspn(s, ",");
        for (size_t i = 0; i < wanted->n; i++)
            if (strlen(wanted->v[i]) == n && strncmp(wanted->v[i], s, n) == 0)
                return true;
        s += n + (s[n] == ',');
    }
    return false;
}

static bool is_text(const struct strv *wanted, const char *text)
{
    return !wanted->n || (text && strv_has(wanted, text));
}

static bool is_like(const char *part, const char *text)
{
    return str_is_empty(part) || (text && strcasestr(text, part));
}

static const char *column(sqlite3_stmt *st, int i)
{
    return (const char *)sqlite3_column_text(st, i);
}

/* Only an element that is asked for by its index needs its record read here. */
static int is_element(const struct piece *p, sqlite3_stmt *st, uint32_t job, uint32_t index, bool *ret)
{
    struct job j;
    int r = codec_decode(&job_rec, sqlite3_column_blob(st, COL_RECORD),
                         (size_t)sqlite3_column_bytes(st, COL_RECORD), &j, p->err);
    if (r < 0)
        return err_prefix(p->err, r, "job %u of the history", job);
    *ret = j.array_index == index;
    rec_fini(&job_rec, &j);
    return 0;
}

/* Takes the job into the piece where everything but its times fits. array: it must be an element of it (0:
 * any job), and that of index (ARRAY_NONE: any). */
static int take(struct piece *p, uint32_t job, uint32_t array, uint32_t index)
{
    const struct msg_history *q = p->q;
    sqlite3_stmt *st = p->db->st[DB_HISTORY_JOB];
    sqlite3_bind_int64(st, 1, job);
    int rc = sqlite3_step(st), r = 0;
    if (rc == SQLITE_ROW) {
        uint32_t state = (uint32_t)sqlite3_column_int64(st, COL_STATE);
        bool fits = (!q->states || (state < 32 && q->states >> state & 1)) &&
                    is_text(&q->users, column(st, COL_USER)) && is_text(&q->names, column(st, COL_NAME)) &&
                    has_one_of(&q->partitions, column(st, COL_PARTITION)) &&
                    is_text(&q->accounts, column(st, COL_ACCOUNT)) &&
                    is_like(q->user_like, column(st, COL_USER)) &&
                    is_like(q->name_like, column(st, COL_NAME)) &&
                    is_like(q->partition_like, column(st, COL_PARTITION)) &&
                    is_like(q->account_like, column(st, COL_ACCOUNT)) &&
                    (!array || (uint32_t)sqlite3_column_int64(st, COL_ARRAY) == array);
        if (fits && index != ARRAY_NONE)
            r = is_element(p, st, job, index, &fits);
        if (r == 0 && fits) {
            str_append_n(p->rows, sqlite3_column_blob(st, COL_RECORD),
                         (size_t)sqlite3_column_bytes(st, COL_RECORD));
            p->n++;
        }
    } else if (rc != SQLITE_DONE) {
        r = failed(p, rc);
    }
    sqlite3_reset(st);
    return r;
}

/* --- by id --- */

/* The jobs of one array after at->job. *ret_done: all of them have been looked at. */
static int take_array(struct piece *p, const struct job_target *t, struct history_place *at, bool *ret_done)
{
    sqlite3_stmt *st = p->db->st[DB_HISTORY_ARRAY];
    sqlite3_bind_int64(st, 1, t->job);
    sqlite3_bind_int64(st, 2, at->job);
    int rc = SQLITE_ROW, r = 0;
    while (r == 0 && !is_full(p) && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        at->job = (uint32_t)sqlite3_column_int64(st, 0);
        if (t->array_index != ARRAY_NONE || at->job != t->job) /* the job of that id was the first row */
            r = take(p, at->job, t->job, t->array_index);
    }
    if (r == 0 && rc != SQLITE_ROW && rc != SQLITE_DONE)
        r = failed(p, rc);
    *ret_done = rc == SQLITE_DONE;
    sqlite3_reset(st);
    return r;
}

static int read_targets(struct piece *p, struct history_place *at)
{
    for (; at->target < p->q->jobs.n; at->target++) {
        const struct job_target *t = &p->q->jobs.v[at->target];
        bool done = false;
        int r = 0;
        if (is_full(p))
            return 0;
        if (!at->begun && t->array_index == ARRAY_NONE)
            r = take(p, t->job, 0, ARRAY_NONE);
        at->begun = true;
        r = r ? r : take_array(p, t, at, &done);
        if (r < 0 || !done)
            return r;
        at->begun = false;
        at->job = 0;
    }
    at->whole = true;
    return 0;
}

/* --- by time --- */

/* What was submitted by `until` had ended by then: none took longer than the span. */
static int64_t last_end(const struct piece *p)
{
    return p->q->until.ms + (p->q->ended ? 0 : p->db->span_ms);
}

static sqlite3_stmt *scan(const struct piece *p, const struct history_place *at)
{
    const struct msg_history *q = p->q;
    bool one_user = q->users.n == 1;
    sqlite3_stmt *st = p->db->st[one_user ? (q->newest ? DB_HISTORY_USER_DOWN : DB_HISTORY_USER_UP)
                                          : (q->newest ? DB_HISTORY_DOWN : DB_HISTORY_UP)];
    bool bounded = wall_is_set(q->newest ? q->until : q->since);
    int64_t bound = !bounded    ? (q->newest ? INT64_MAX : INT64_MIN)
                    : q->newest ? last_end(p) + 1
                                : q->since.ms - 1;
    uint32_t job = q->newest ? 0 : UINT32_MAX;
    if (q->newest && wall_is_set(q->before) && q->before.ms < bound) {
        bound = q->before.ms;
        job = q->before_job;
    }
    sqlite3_bind_int64(st, 1, at->begun ? at->t_end : bound);
    sqlite3_bind_int64(st, 2, at->begun ? at->job : job);
    if (one_user)
        sqlite3_bind_text(st, 3, q->users.v[0], -1, SQLITE_STATIC);
    return st;
}

/* Behind the last row that can be meant? */
static bool is_past(const struct piece *p, int64_t t_end)
{
    const struct msg_history *q = p->q;
    if (q->newest)
        return wall_is_set(q->since) && t_end < q->since.ms;
    return wall_is_set(q->until) && t_end > last_end(p);
}

static int read_range(struct piece *p, struct history_place *at)
{
    const struct msg_history *q = p->q;
    sqlite3_stmt *st = scan(p, at);
    int rc = SQLITE_ROW, r = 0;
    while (r == 0 && !is_full(p) && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        int64_t t_end = sqlite3_column_int64(st, 1);
        uint64_t state = (uint64_t)sqlite3_column_int64(st, 3);
        if (is_past(p, t_end)) {
            rc = SQLITE_DONE;
            break;
        }
        at->job = (uint32_t)sqlite3_column_int64(st, 0);
        at->t_end = t_end;
        at->begun = true;
        if (wall_is_set(q->until) && sqlite3_column_int64(st, 2) > q->until.ms)
            continue;
        if (!q->states || (state < 32 && q->states >> state & 1))
            r = take(p, at->job, 0, ARRAY_NONE);
    }
    if (r == 0 && rc != SQLITE_ROW && rc != SQLITE_DONE)
        r = failed(p, rc);
    at->whole = rc == SQLITE_DONE;
    sqlite3_reset(st);
    return r;
}

int history_read(struct db *db, const struct msg_history *q, struct history_place *at, uint32_t most,
                 struct str *rows, uint32_t *ret_n, struct errtext *err)
{
    struct piece p = {.db = db, .q = q, .rows = rows, .most = most, .err = err};
    p.until_us = now_us() + PIECE_US;
    int r = q->jobs.n ? read_targets(&p, at) : read_range(&p, at);
    *ret_n = p.n;
    return r;
}
