#include "backend/store/history_db.h"

#include <errno.h>
#include <string.h>

#include "backend/store/archive.h"
#include "src/os/clock.h"
#include "src/proto/codec.h"

#define PIECE_BYTES (1u << 20)
#define PIECE_US    5000
#define CLOCK_EVERY 64 /* looks between two looks at the clock */

struct history_reading {
    struct db *db;
    const struct msg_history *q;
    struct str *rows;
    uint32_t n, most;
    uint64_t looks;
    int64_t until_us;
    struct history_damage *damage;
    struct errtext *err;
};

/* Both tables in one order: the next row of each. */
struct merge {
    struct history_source *from[2];
    sqlite3_stmt *st[2]; /* NULL: that table cannot be read, or has no more */
    bool down;
};

static bool history_is_full(struct history_reading *p)
{
    if (p->n >= p->most || p->rows->len >= PIECE_BYTES)
        return true;
    return ++p->looks % CLOCK_EVERY == 0 && mono_us() >= p->until_us;
}

static int history_failed(const struct history_reading *p, const struct history_source *s, int rc)
{
    return err_set(p->err, db_errno(rc), "%s%s", s == &p->db->old ? "history.db: " : "",
                   sqlite3_errmsg(s->handle));
}

/* --- both tables as one --- */

static int history_advance(const struct history_reading *p, struct merge *m, int i)
{
    int rc = sqlite3_step(m->st[i]);
    if (rc == SQLITE_ROW)
        return 0;
    sqlite3_reset(m->st[i]);
    m->st[i] = NULL;
    return rc == SQLITE_DONE ? 0 : history_failed(p, m->from[i], rc);
}

static void history_merge_end(struct merge *m)
{
    for (int i = 0; i < 2; i++)
        if (m->st[i])
            sqlite3_reset(m->st[i]);
}

/* < 0: the row of the first one comes first. By end, then by id. */
static int history_compare(const struct merge *m)
{
    for (int col = 1; col >= 0; col--) {
        int64_t a = sqlite3_column_int64(m->st[0], col), b = sqlite3_column_int64(m->st[1], col);
        if (a != b)
            return (a < b) == !m->down ? -1 : 1;
    }
    return 0;
}

/* The next row of both, or NULL. A row that is on its way from one to the other is in both, and counts
 * once. */
static sqlite3_stmt *history_merge_first(const struct history_reading *p, struct merge *m, int *ret_r)
{
    int order = m->st[0] && m->st[1] ? history_compare(m) : m->st[0] ? -1 : 1;
    *ret_r = order == 0 ? history_advance(p, m, 1) : 0;
    return *ret_r < 0 ? NULL : order <= 0 ? m->st[0] : m->st[1];
}

static int history_merge_next(const struct history_reading *p, struct merge *m, const sqlite3_stmt *was)
{
    return history_advance(p, m, was == m->st[0] ? 0 : 1);
}

/* bind sets the parameters of one of both. */
static int history_merge_begin(const struct history_reading *p, enum history_statement which,
                               void (*bind)(const void *ctx, sqlite3_stmt *st), const void *ctx, bool down,
                               struct merge *m)
{
    *m = (struct merge){.from = {&p->db->here, &p->db->old}, .down = down};
    int r = 0;
    if (!m->from[1]->handle)
        return err_set(p->err, -EUCLEAN, "%s", p->db->old_trouble);
    for (int i = 0; i < 2 && r == 0; i++) {
        m->st[i] = m->from[i]->st[which];
        bind(ctx, m->st[i]);
        r = history_advance(p, m, i);
    }
    if (r < 0)
        history_merge_end(m);
    return r;
}

/* --- what a question means --- */

/* A comma list of partitions counts as each of them: what never started has several. */
static bool history_has_one_of(const struct strv *wanted, const char *text)
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

static bool history_is_text(const struct strv *wanted, const char *text)
{
    return !wanted->n || (text && strv_has(wanted, text));
}

static bool history_is_like(const char *part, const char *text)
{
    return str_is_empty(part) || (text && strcasestr(text, part));
}

/* Of a column, which SQLite has ended with a zero byte. */
static const char *history_text_of(struct history_text t)
{
    return t.p;
}

/* Only an element that is asked for by its index needs its record read here. */
static int history_is_element(const struct history_reading *p, const struct history_row *row,
                              uint32_t index, bool *ret)
{
    struct job j;
    int r = codec_decode_own(&job_rec, row->record.p, row->record.n, &j, p->err);
    if (r < 0)
        return err_prefix(p->err, r, "job %u of the history", (uint32_t)row->job);
    *ret = j.array_index == index;
    rec_fini(&job_rec, &j);
    return 0;
}

static bool history_fits(const struct msg_history *q, const struct history_row *row, uint32_t array)
{
    const char *user = history_text_of(row->user), *name = history_text_of(row->name);
    const char *partition = history_text_of(row->partition), *account = history_text_of(row->account);
    return (!q->states || (row->state >= 0 && row->state < 32 && q->states >> row->state & 1)) &&
           history_is_text(&q->users, user) && history_is_text(&q->names, name) &&
           history_has_one_of(&q->partitions, partition) && history_is_text(&q->accounts, account) &&
           history_is_like(q->user_like, user) && history_is_like(q->name_like, name) &&
           history_is_like(q->partition_like, partition) && history_is_like(q->account_like, account) &&
           (!array || (uint32_t)row->array_job == array);
}

/* Left out where many are asked for, told where it is. */
static void history_note_damage(struct history_reading *p, uint32_t job)
{
    if (!p->damage->n++)
        p->damage->job = job;
}

static int history_take_from(struct history_reading *p, struct history_source *s, uint32_t job,
                             uint32_t array, uint32_t index, bool *ret_found)
{
    sqlite3_stmt *st = s->st[HISTORY_ROW];
    sqlite3_bind_int64(st, 1, job);
    int rc = sqlite3_step(st), r = 0;
    if (rc == SQLITE_ROW) {
        struct history_row row;
        history_get_row(st, &row);
        bool taken = history_fits(p->q, &row, array);
        if (row.crc && row.crc != history_crc(&row)) {
            history_note_damage(p, job);
            taken = false;
        }
        if (taken && index != ARRAY_NONE)
            r = history_is_element(p, &row, index, &taken);
        if (r == 0 && taken) {
            str_append_n(p->rows, row.record.p, row.record.n);
            p->n++;
        }
    } else if (rc != SQLITE_DONE) {
        r = history_failed(p, s, rc);
    }
    *ret_found = rc == SQLITE_ROW;
    sqlite3_reset(st);
    return r;
}

/* Takes the job into the piece where everything but its times fits. array: it must be an element of it (0:
 * any job), and that of index (ARRAY_NONE: any). */
static int history_take(struct history_reading *p, uint32_t job, uint32_t array, uint32_t index)
{
    bool found;
    int r = history_take_from(p, &p->db->here, job, array, index, &found);
    return r < 0 || found ? r : history_take_from(p, &p->db->old, job, array, index, &found);
}

/* --- by id --- */

struct array_from {
    uint32_t array, job;
};

static void history_bind_array(const void *ctx, sqlite3_stmt *st)
{
    const struct array_from *a = ctx;
    sqlite3_bind_int64(st, 1, a->array);
    sqlite3_bind_int64(st, 2, a->job);
}

/* The jobs of one array after at->job. *ret_done: all of them have been looked at. */
static int history_take_array(struct history_reading *p, const struct job_target *t,
                              struct history_place *at, bool *ret_done)
{
    struct array_from from = {.array = t->job, .job = at->job};
    struct merge m;
    sqlite3_stmt *st = NULL;
    int r = history_merge_begin(p, HISTORY_ARRAY, history_bind_array, &from, false, &m);
    if (r < 0)
        return r;
    while (r == 0 && !history_is_full(p) && (st = history_merge_first(p, &m, &r))) {
        at->job = (uint32_t)sqlite3_column_int64(st, 0);
        if (t->array_index != ARRAY_NONE || at->job != t->job) /* the job of that id was the first row */
            r = history_take(p, at->job, t->job, t->array_index);
        r = r ? r : history_merge_next(p, &m, st);
    }
    *ret_done = r == 0 && !m.st[0] && !m.st[1];
    history_merge_end(&m);
    return r;
}

static int history_read_targets(struct history_reading *p, struct history_place *at)
{
    for (; at->target < p->q->jobs.n; at->target++) {
        const struct job_target *t = &p->q->jobs.v[at->target];
        bool done = false;
        int r = 0;
        if (history_is_full(p))
            return 0;
        uint32_t n_damaged = p->damage->n;
        if (!at->begun && t->array_index == ARRAY_NONE)
            r = history_take(p, t->job, 0, ARRAY_NONE);
        at->begun = true;
        r = r ? r : history_take_array(p, t, at, &done);
        if (r == 0 && p->damage->n > n_damaged)
            return err_set(p->err, -EBADMSG, "job %u is damaged: its checksum does not fit",
                           p->damage->job);
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
static int64_t history_last_end(const struct history_reading *p)
{
    return p->q->until.ms + (p->q->ended ? 0 : history_span_ms(p->db));
}

struct range_from {
    int64_t t_end;
    uint32_t job;
    const char *user; /* NULL: all */
};

static void history_bind_range(const void *ctx, sqlite3_stmt *st)
{
    const struct range_from *f = ctx;
    sqlite3_bind_int64(st, 1, f->t_end);
    sqlite3_bind_int64(st, 2, f->job);
    if (f->user)
        sqlite3_bind_text(st, 3, f->user, -1, SQLITE_STATIC);
}

static int history_scan(const struct history_reading *p, const struct history_place *at, struct merge *m)
{
    const struct msg_history *q = p->q;
    bool one_user = q->users.n == 1;
    enum history_statement which = one_user ? (q->newest ? HISTORY_USER_DOWN : HISTORY_USER_UP)
                                            : (q->newest ? HISTORY_DOWN : HISTORY_UP);
    bool bounded = wall_is_set(q->newest ? q->until : q->since);
    int64_t bound = !bounded    ? (q->newest ? INT64_MAX : INT64_MIN)
                    : q->newest ? history_last_end(p) + 1
                                : q->since.ms - 1;
    uint32_t job = q->newest ? 0 : UINT32_MAX;
    if (q->newest && wall_is_set(q->before) && q->before.ms < bound) {
        bound = q->before.ms;
        job = q->before_job;
    }
    struct range_from from = {.t_end = at->begun ? at->t_end : bound,
                              .job = at->begun ? at->job : job,
                              .user = one_user ? q->users.v[0] : NULL};
    return history_merge_begin(p, which, history_bind_range, &from, q->newest, m);
}

/* Behind the last row that can be meant? */
static bool history_is_past(const struct history_reading *p, int64_t t_end)
{
    const struct msg_history *q = p->q;
    if (q->newest)
        return wall_is_set(q->since) && t_end < q->since.ms;
    return wall_is_set(q->until) && t_end > history_last_end(p);
}

/* The row that comes next. *ret_past: neither it nor any behind it is meant. */
static int history_take_row(struct history_reading *p, sqlite3_stmt *st, struct history_place *at,
                            bool *ret_past)
{
    const struct msg_history *q = p->q;
    int64_t t_end = sqlite3_column_int64(st, 1), t_submit = sqlite3_column_int64(st, 2);
    uint64_t state = (uint64_t)sqlite3_column_int64(st, 3);
    *ret_past = history_is_past(p, t_end);
    if (*ret_past)
        return 0;
    at->job = (uint32_t)sqlite3_column_int64(st, 0);
    at->t_end = t_end;
    at->begun = true;
    if (wall_is_set(q->until) && t_submit > q->until.ms)
        return 0;
    return !q->states || (state < 32 && q->states >> state & 1) ? history_take(p, at->job, 0, ARRAY_NONE)
                                                                : 0;
}

static int history_read_range(struct history_reading *p, struct history_place *at)
{
    struct merge m;
    sqlite3_stmt *st = NULL;
    bool past = false;
    int r = history_scan(p, at, &m);
    if (r < 0)
        return r;
    while (r == 0 && !past && !history_is_full(p) && (st = history_merge_first(p, &m, &r))) {
        r = history_take_row(p, st, at, &past);
        r = r || past ? r : history_merge_next(p, &m, st);
    }
    at->whole = r == 0 && (past || (!m.st[0] && !m.st[1]));
    history_merge_end(&m);
    return r;
}

int history_read(struct db *db, const struct msg_history *q, struct history_place *at, uint32_t most,
                 struct str *rows, uint32_t *ret_n, struct history_damage *ret_damage, struct errtext *err)
{
    struct history_reading p = {
        .db = db, .q = q, .rows = rows, .most = most, .damage = ret_damage, .err = err};
    p.until_us = mono_us() + PIECE_US;
    int r = q->jobs.n ? history_read_targets(&p, at) : history_read_range(&p, at);
    *ret_n = p.n;
    return r;
}
