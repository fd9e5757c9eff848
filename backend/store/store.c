/* store.c - the loop's side of the store: what is collected, handed over and answered. The other side is
 * the worker's (worker.h), which does the work (disk.h).
 */
#include "backend/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/store/large.h"
#include "backend/store/worker.h"
#include "src/os/log.h"
#include "src/proto/codec.h"

#define AUDIT_ROW_BYTES (64u << 10) /* of the audit log: a batch may be large, a row is read as a whole */

struct store {
    struct disk disk; /* the worker's, while it is not idle */
    struct worker *worker;
    char *path;
    struct store_callbacks cb;
    struct work *batch;
    struct large_list large;
    struct list behind;      /* questions about what the batch may hold: they go to the thread behind it */
    struct mark_values note; /* what the next batch takes along for the mark */
    struct audit_bounds audit_bounds; /* ... and for the audit log */
    uint64_t next_ticket, submitted, committed;
    uint32_t in_flight;
    enum { MOVE_DUE, MOVE_UNDER_WAY, MOVE_DONE } move; /* rows of the history into their file */
    bool sweeps; /* a piece that no payload names is being looked for */
    struct store_stats stats;
};

int store_open(const char *dir, const struct store_callbacks *cb, struct store **ret, struct errtext *err)
{
    return store_open_as(dir, cb, &(struct store_demands){0}, ret, err);
}

int store_open_as(const char *dir, const struct store_callbacks *cb, const struct store_demands *demands,
                  struct store **ret, struct errtext *err)
{
    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return err_set(err, -errno, "cannot make %s: %s", dir, strerror(errno));
    struct store *s = xcalloc(1, sizeof *s);
    s->path = xasprintf("%s/stoker.db", dir);
    s->cb = *cb;
    list_init(&s->behind);
    int r = disk_open(&s->disk, dir, s->path, demands, err);
    if (r < 0) {
        free(s->path);
        free(s);
        return r;
    }
    s->batch = work_new(WORK_BATCH);
    large_list_init(&s->large, payload_db_newest(&s->disk.db));
    s->next_ticket = 1;
    s->worker = worker_new(&s->disk);
    *ret = s;
    return 0;
}

static void store_stop(struct store *s, bool leave)
{
    worker_free(s->worker);
    list_for_each (w, &s->behind, struct work, link)
        work_free(w);
    work_free(s->batch);
    large_list_fini(&s->large);
    disk_close(&s->disk, leave);
    free(s->path);
    free(s);
}

void store_close(struct store *s)
{
    if (!s)
        return;
    if (s->batch->rows.n) {
        s->batch->ticket = s->next_ticket++;
        s->batch->note = s->note;
        worker_hand_over(s->worker, s->batch);
        s->batch = work_new(WORK_BATCH);
    }
    store_stop(s, false);
}

void store_leave(struct store *s)
{
    store_stop(s, true);
}

int store_fd(const struct store *s)
{
    return worker_fd(s->worker);
}

static void store_tell_history(const struct work *w)
{
    struct history_piece p = {.next = w->place,
                              .n = w->n,
                              .body = w->bytes.s,
                              .size = w->bytes.len,
                              .r = w->result,
                              .text = w->err.s,
                              .n_damaged = w->n_damaged,
                              .damaged_job = w->job};
    if (p.n_damaged)
        log_warn(
            "%u jobs of the history are damaged and left out (their checksums do not fit), first job=%u",
            p.n_damaged, p.damaged_job);
    w->answer.history(w->answer_ctx, &p);
}

static void store_tell_script(const struct work *w)
{
    struct old_script o = {.job = w->job,
                           .known = w->known,
                           .uid = w->uid,
                           .p = (const uint8_t *)w->bytes.s,
                           .n = w->bytes.len};
    w->answer.script(w->answer_ctx, &o);
}

static void store_tell_audit(const struct work *w)
{
    struct audit_piece p = {.body = w->bytes.s, .size = w->bytes.len, .r = w->result, .text = w->err.s};
    w->answer.audit(w->answer_ctx, &p);
}

static void store_sweep(struct store *s)
{
    struct work *w = work_new(WORK_SWEEP);
    w->before_number = large_bound(&s->large);
    s->sweeps = true;
    s->large.may_remain = false;
    worker_hand_over(s->worker, w);
}

static void store_trim(struct store *s, int64_t before_ms, int64_t most_bytes)
{
    struct work *w = work_new(WORK_TRIM);
    w->before_ms = before_ms;
    w->most_bytes = most_bytes;
    worker_hand_over(s->worker, w);
}

static void store_tell(struct store *s, struct work *w)
{
    if (w->kind == WORK_GET_SCRIPT)
        store_tell_script(w);
    if (w->kind == WORK_HISTORY)
        store_tell_history(w);
    if (w->kind == WORK_AUDIT)
        store_tell_audit(w);
    if (w->kind == WORK_SPACE)
        w->answer.space(w->answer_ctx, &w->space);
    if (w->kind == WORK_MOVE)
        s->move = w->more ? MOVE_DUE : MOVE_DONE;
    if (w->kind == WORK_TRIM && w->more)
        store_trim(s, w->before_ms, w->most_bytes);
    if (w->kind == WORK_GET_PAYLOAD && w->damaged)
        log_error("job=%u what it runs is damaged in stoker.db: its checksum does not fit", w->job);
    if (w->kind == WORK_GET_PAYLOAD)
        w->answer.payload(w->answer_ctx, w->job, w->step, w->bytes.len ? (const uint8_t *)w->bytes.s : NULL,
                          w->bytes.len);
    if (w->kind == WORK_SWEEP) {
        s->sweeps = false;
        s->large.may_remain = s->large.may_remain || w->more;
    }
    if (w->kind != WORK_BATCH)
        return;
    s->in_flight--;
    if (w->result == 0 && s->move == MOVE_DONE && work_has_row(w, ROW_RETIRE))
        s->move = MOVE_DUE;
    if (w->result == 0 && s->large.next > 1 &&
        (work_has_row(w, ROW_RETIRE) || work_has_row(w, ROW_DEL_PAYLOAD)))
        s->large.may_remain = true;
    if (w->result == 0) {
        s->committed = w->ticket;
        s->stats.commits++;
        s->stats.events += w->rows.n;
        s->stats.commit_us_sum += w->us;
        s->stats.commit_us_max = w->us > s->stats.commit_us_max ? w->us : s->stats.commit_us_max;
    }
    s->cb.on_commit(s->cb.ctx, w->ticket, w->result, w->err.s);
    if (w->result == 0)
        large_committed(&s->large, w->ticket);
}

void store_dispatch(struct store *s)
{
    struct list done;
    list_init(&done);
    worker_take_done(s->worker, &done);
    while (!list_empty(&done)) {
        struct work *w = list_first(&done, struct work, link);
        list_unlink(&w->link);
        store_tell(s, w);
        work_free(w);
    }
    store_turn(s);
    if (s->move == MOVE_DUE) {
        s->move = MOVE_UNDER_WAY;
        worker_hand_over(s->worker, work_new(WORK_MOVE));
    }
    if (s->large.may_remain && !s->sweeps)
        store_sweep(s);
}

static struct batch_row *store_add_row(struct store *s, enum row_kind kind, uint32_t job, const void *p,
                                       size_t n)
{
    struct work *b = s->batch;
    vec_push(&b->rows, (struct batch_row){.kind = kind, .job = job, .at = b->bytes.len, .n = n});
    str_append_n(&b->bytes, p, n);
    return &b->rows.v[b->rows.n - 1];
}

void store_add_event(struct store *s, const struct event *ev, const void *encoded, size_t n)
{
    struct batch_row *r = store_add_row(s, ROW_EVENT, ev->job, encoded, n);
    r->seq = ev->seq;
    r->t = ev->t.ms;
    r->event_kind = ev->kind;
}

void store_del_event(struct store *s, uint64_t seq)
{
    store_add_row(s, ROW_DEL_EVENT, 0, "", 0)->seq = seq;
}

void store_add_payload(struct store *s, uint32_t job, int32_t step, const void *p, size_t n)
{
    store_add_row(s, ROW_PAYLOAD, job, p, n)->step = step;
}

struct store_large *store_begin_large(struct store *s, uint32_t owner, struct str *bytes, store_large_fn fn,
                                      void *ctx)
{
    return large_begin(&s->large, owner, bytes, fn, ctx);
}

const char *store_large_bytes(const struct store_large *g)
{
    return g->bytes.s;
}

void store_add_large(struct store *s, uint32_t job, int32_t step, const struct store_large *g, size_t at,
                     size_t n)
{
    struct batch_row *r = store_add_row(s, ROW_LARGE, job, "", 0);
    r->step = step;
    r->place = (struct large_place){.number = g->number, .at = at, .n = n};
}

void store_end_large(struct store *s, struct store_large *g)
{
    large_end(&s->large, g, store_ticket(s), s->committed);
}

static void store_add_piece(struct store *s)
{
    struct store_large *g = large_next(&s->large);
    if (!g)
        return;
    size_t n = g->bytes.len - g->added;
    n = n < LARGE_PIECE ? n : LARGE_PIECE;
    struct batch_row *r = store_add_row(s, ROW_PIECE, 0, g->bytes.s + g->added, n);
    r->place = (struct large_place){.number = g->number, .at = g->added, .n = n};
    g->added += n;
    g->ticket = s->next_ticket;
}

void store_del_payload(struct store *s, uint32_t job, int32_t step)
{
    store_add_row(s, ROW_DEL_PAYLOAD, job, "", 0)->step = step;
}

bool store_retire_job(struct store *s, const struct job *j)
{
    struct str b = STR_INIT;
    codec_encode(&job_rec, j, &b);
    struct batch_row *r = store_add_row(s, ROW_RETIRE, j->id, b.s, b.len);
    str_fini(&b);
    r->summary = xcalloc(1, sizeof *r->summary);
    rec_copy(&job_rec, r->summary, j);
    return work_is_element(j);
}

void store_add_audit(struct store *s, struct wall t, bool heavy, const void *p, size_t n)
{
    struct work *b = s->batch;
    struct batch_row *last = NULL;
    struct str *lines = heavy ? &b->audit_heavy : &b->audit;
    enum row_kind kind = heavy ? ROW_AUDIT_HEAVY : ROW_AUDIT;
    for (size_t i = b->rows.n; lines->len && i-- > 0 && !last;)
        last = b->rows.v[i].kind == kind ? &b->rows.v[i] : NULL;
    if (!last || last->n >= AUDIT_ROW_BYTES) {
        vec_push(&b->rows, (struct batch_row){.kind = kind, .at = lines->len});
        last = &b->rows.v[b->rows.n - 1];
    }
    uint32_t size = (uint32_t)n;
    str_append_n(lines, (const char *)&size, sizeof size);
    str_append_n(lines, p, n);
    last->n += sizeof size + n;
    last->t = t.ms;
}

void store_bound_audit(struct store *s, const struct audit_bounds *b)
{
    s->audit_bounds = *b;
}

void store_get_audit(struct store *s, const struct msg_audit *q, const struct audit_reader *who,
                     store_audit_fn fn, void *ctx)
{
    struct work *w = work_new(WORK_AUDIT);
    w->answer.audit = fn;
    w->answer_ctx = ctx;
    rec_copy(&msg_audit_rec, &w->audit_query, q);
    w->audit_reader = *who;
    worker_hand_over(s->worker, w);
}

static void store_hand_over_questions(struct store *s)
{
    list_for_each (w, &s->behind, struct work, link) {
        list_unlink(&w->link);
        worker_hand_over(s->worker, w);
    }
}

bool store_turn(struct store *s)
{
    /* One batch at the thread, one being collected: the busier the disk, the larger the batches. */
    if (!s->in_flight)
        store_add_piece(s);
    if (!s->batch->rows.n || s->in_flight)
        return !s->batch->rows.n;
    if (s->batch->bytes.len > s->stats.batch_bytes_max)
        s->stats.batch_bytes_max = s->batch->bytes.len;
    s->batch->ticket = s->next_ticket++;
    s->submitted = s->batch->ticket;
    s->in_flight++;
    struct work *w = s->batch;
    w->note = s->note;
    w->audit_bounds = s->audit_bounds;
    s->batch = work_new(WORK_BATCH);
    worker_hand_over(s->worker, w);
    store_hand_over_questions(s);
    return true;
}

uint64_t store_ticket(const struct store *s)
{
    return s->batch->rows.n ? s->next_ticket : s->submitted;
}

uint64_t store_committed(const struct store *s)
{
    return s->committed;
}

void store_get_payload(struct store *s, uint32_t job, int32_t step, store_payload_fn fn, void *ctx)
{
    struct work *w = work_new(WORK_GET_PAYLOAD);
    w->answer.payload = fn;
    w->answer_ctx = ctx;
    w->job = job;
    w->step = step;
    if (s->batch->rows.n)
        list_append(&s->behind, &w->link);
    else
        worker_hand_over(s->worker, w);
}

void store_get_script(struct store *s, uint32_t job, store_script_fn fn, void *ctx)
{
    struct work *w = work_new(WORK_GET_SCRIPT);
    w->answer.script = fn;
    w->answer_ctx = ctx;
    w->job = job;
    worker_hand_over(s->worker, w);
}

void store_get_history(struct store *s, const struct msg_history *q, const struct history_place *from,
                       uint32_t most, store_history_fn fn, void *ctx)
{
    store_get_history_for(s, q, from, most, NULL, fn, ctx);
}

void store_get_history_for(struct store *s, const struct msg_history *q, const struct history_place *from,
                           uint32_t most, const uint32_t *uid, store_history_fn fn, void *ctx)
{
    struct work *w = work_new(WORK_HISTORY);
    w->cuts = uid != NULL;
    w->uid = uid ? *uid : 0;
    w->answer.history = fn;
    w->answer_ctx = ctx;
    rec_copy(&msg_history_rec, &w->query, q);
    w->place = *from;
    w->most = most;
    worker_hand_over(s->worker, w);
}

void store_get_space(struct store *s, store_space_fn fn, void *ctx)
{
    struct work *w = work_new(WORK_SPACE);
    w->answer.space = fn;
    w->answer_ctx = ctx;
    worker_hand_over(s->worker, w);
}

void store_trim_history(struct store *s, int64_t before_ms)
{
    store_trim(s, before_ms, 0);
}

void store_trim_history_to(struct store *s, int64_t bytes)
{
    store_trim(s, 0, bytes);
}

/* What has been read is on disk: the client still gets its answer. */
static bool store_is_void(const struct work *w)
{
    return w->kind != WORK_GET_PAYLOAD && !work_can_wait(w);
}

void store_reset(struct store *s)
{
    worker_wait_idle(s->worker);
    worker_drop_done(s->worker, store_is_void);
    s->disk.failed = false;
    large_reset(&s->large);
    work_free(s->batch);
    s->batch = work_new(WORK_BATCH);
    store_hand_over_questions(s);
    s->in_flight = 0;
    s->submitted = s->committed = s->next_ticket++;
}

int store_probe(struct store *s, struct errtext *err)
{
    struct work *w = work_new(WORK_PROBE);
    worker_do_now(s->worker, w);
    int r = w->result;
    if (r < 0)
        err_set(err, r, "%s", w->err.s);
    work_free(w);
    return r;
}

/* --- start-up reads: the worker is idle, so the disk may be used here --- */

static int store_load_row(sqlite3_stmt *st, struct event *ev, struct errtext *err)
{
    *ev = (struct event){.seq = (uint64_t)sqlite3_column_int64(st, 0),
                         .t = {.ms = sqlite3_column_int64(st, 1)},
                         .kind = (uint32_t)sqlite3_column_int(st, 2),
                         .job = (uint32_t)sqlite3_column_int64(st, 3)};
    if (ev->kind >= EV_N_KINDS)
        return err_set(err, -EBADMSG, "event %llu has kind %u, which this stokerd does not know",
                       (unsigned long long)ev->seq, ev->kind);
    uint32_t crc = (uint32_t)sqlite3_column_int64(st, 5);
    const void *bytes = sqlite3_column_blob(st, 4);
    size_t n = (size_t)sqlite3_column_bytes(st, 4);
    if (crc && crc != db_event_crc(ev->seq, ev->t.ms, ev->kind, ev->job, bytes, n))
        return err_set(err, -EUCLEAN, "event %llu is damaged (its checksum does not fit): restore a backup",
                       (unsigned long long)ev->seq);
    ev->stored = (uint32_t)n;
    const struct rec_desc *d = event_body_rec(ev->kind);
    ev->body = xcalloc(1, d->size);
    int r = codec_decode_own(d, bytes, n, ev->body, err);
    if (r < 0) {
        free(ev->body);
        ev->body = NULL;
        return err_prefix(err, r, "event %llu", (unsigned long long)ev->seq);
    }
    return 0;
}

int store_load(struct store *s, int (*fn)(void *ctx, struct event *ev), void *ctx, struct errtext *err)
{
    worker_wait_idle(s->worker);
    sqlite3_stmt *st = s->disk.db.st[DB_LOAD];
    int r = 0, rc;
    while (r == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        struct event ev;
        r = store_load_row(st, &ev, err);
        r = r ? r : fn(ctx, &ev);
    }
    if (r == 0 && rc != SQLITE_DONE)
        r = err_set(err, db_errno(rc), "%s", sqlite3_errmsg(s->disk.db.handle));
    sqlite3_reset(st);
    return r < 0 ? r : 0;
}

void store_each_payload(struct store *s, void (*fn)(void *ctx, uint32_t job, int32_t step, size_t n),
                        void *ctx)
{
    worker_wait_idle(s->worker);
    sqlite3_stmt *st = s->disk.db.st[DB_PAYLOAD_SIZES];
    while (sqlite3_step(st) == SQLITE_ROW)
        fn(ctx, (uint32_t)sqlite3_column_int64(st, 0), (int32_t)sqlite3_column_int64(st, 1),
           (size_t)sqlite3_column_int64(st, 2));
    sqlite3_reset(st);
}

uint32_t store_last_job(struct store *s)
{
    worker_wait_idle(s->worker);
    const struct history_source *sources[] = {&s->disk.db.here, &s->disk.db.old};
    uint32_t id = 0;
    for (size_t i = 0; i < 2; i++) {
        sqlite3_stmt *st = sources[i]->st[HISTORY_LAST_JOB];
        if (!sources[i]->handle)
            continue;
        uint32_t last = sqlite3_step(st) == SQLITE_ROW ? (uint32_t)sqlite3_column_int64(st, 0) : 0;
        sqlite3_reset(st);
        id = last > id ? last : id;
    }
    return id;
}

const struct mark_values *store_mark(const struct store *s)
{
    return &s->disk.mark.v;
}

uint64_t store_newest(struct store *s)
{
    worker_wait_idle(s->worker);
    return db_newest(&s->disk.db);
}

void store_note(struct store *s, uint64_t cluster, uint64_t epoch, uint32_t next_job)
{
    s->note = (struct mark_values){.cluster = cluster, .epoch = epoch, .next_job = next_job};
}

void store_get_stats(struct store *s, struct store_stats *ret)
{
    *ret = s->stats;
    struct stat st;
    if (stat(s->path, &st) == 0)
        ret->db_bytes = (uint64_t)st.st_size;
}
