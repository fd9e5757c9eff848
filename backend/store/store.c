/* store.c - the store's two halves: batches in the loop's thread, transactions in the other. What the other
 * one does with the connection is work.c.
 *
 * Shared between the threads, under `lock`: the queue of work and the queue of answers. Everything else
 * belongs to one side. Order: work is done strictly in the order it was handed over, so a payload that is
 * asked for after a batch sees it.
 */
#include "backend/store/store.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/store/work.h"
#include "src/base/log.h"
#include "src/proto/codec.h"

#define WAL_PAGES_PASSIVE  1000  /* a checkpoint is worth it */
#define WAL_PAGES_TRUNCATE 16384 /* 64 MiB: do it even if somebody waits */

struct store {
    struct db db;
    char *path;
    struct store_callbacks cb;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int event_fd;
    struct list todo, done; /* under lock */
    struct list readers;    /* under lock: questions to the history, done when nothing else is to do */
    bool busy;              /* under lock: the thread is at work */
    int wal_pages;          /* the thread's: since the last checkpoint */
    bool fresh_wal;         /* the thread's: the log goes at the next checkpoint, and begins anew */
    struct mark_file mark;  /* the thread's once that runs */
    bool failed;            /* under lock: a commit failed; batches are refused until store_reset */
    /* the loop's side */
    struct work *batch;
    struct list behind;      /* questions about what the batch may hold: they go to the thread behind it */
    struct mark_values note; /* what the next batch takes along for the mark */
    uint64_t next_gate, submitted, committed;
    uint32_t in_flight;
    enum { MOVE_DUE, MOVE_UNDER_WAY, MOVE_DONE } move; /* rows of the history into their file */
    struct store_stats stats;
};

/* --- the thread --- */

static int on_wal(void *ctx, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((struct store *)ctx)->wal_pages = pages;
    return SQLITE_OK;
}

static void maybe_checkpoint(struct store *s, bool idle)
{
    bool large = s->wal_pages > WAL_PAGES_TRUNCATE, first = s->fresh_wal && s->wal_pages;
    if (large || (idle && (first || s->wal_pages > WAL_PAGES_PASSIVE))) {
        db_checkpoint(&s->db, large || first);
        s->wal_pages = 0;
        s->fresh_wal = false;
    }
}

/* The mark is never ahead of the database: where a batch takes the newest events away it goes back before
 * they do. See work_do. */
static void lower_mark(void *ctx, uint64_t newest)
{
    struct store *s = ctx;
    if (newest >= s->mark.v.seq)
        return;
    struct mark_values v = s->mark.v;
    v.seq = newest;
    mark_write(&s->mark, &v);
}

static void raise_mark(struct store *s, const struct work *w)
{
    struct mark_values v = w->note;
    v.seq = w->newest;
    if (v.epoch)
        mark_write(&s->mark, &v);
}

static bool is_idle(const struct store *s)
{
    return list_empty(&s->todo) && list_empty(&s->readers);
}

static void *thread_main(void *arg)
{
    struct store *s = arg;
    bool stop = false;
    pthread_mutex_lock(&s->lock);
    while (!stop) {
        if (is_idle(s)) {
            pthread_mutex_unlock(&s->lock);
            maybe_checkpoint(s, true); /* still busy: the connection is not free before it is done */
            pthread_mutex_lock(&s->lock);
        }
        while (is_idle(s)) {
            s->busy = false;
            pthread_cond_broadcast(&s->wake);
            pthread_cond_wait(&s->wake, &s->lock);
        }
        s->busy = true;
        struct work *w = list_first(list_empty(&s->todo) ? &s->readers : &s->todo, struct work, link);
        list_unlink(&w->link);
        bool failed = s->failed;
        pthread_mutex_unlock(&s->lock);
        work_do(w, &s->db, failed);
        if (w->kind == WORK_BATCH && w->result == 0)
            raise_mark(s, w);
        if (w->kind == WORK_PROBE && w->result == 0) /* what failed must not be taken for damage: wal.h */
            db_checkpoint(&s->db, true);
        stop = w->kind == WORK_STOP;
        pthread_mutex_lock(&s->lock);
        if (w->kind == WORK_BATCH && w->result < 0)
            s->failed = true;
        list_append(&s->done, &w->link);
        pthread_mutex_unlock(&s->lock);
        eventfd_write(s->event_fd, 1);
        maybe_checkpoint(s, false);
        pthread_mutex_lock(&s->lock);
    }
    s->busy = false;
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* --- the loop's side --- */

/* Questions of users wait while a batch does. */
static bool can_wait(const struct work *w)
{
    return w->kind == WORK_HISTORY || w->kind == WORK_GET_SCRIPT || w->kind == WORK_MOVE ||
           w->kind == WORK_TRIM;
}

static void hand_over(struct store *s, struct work *w)
{
    pthread_mutex_lock(&s->lock);
    list_append(can_wait(w) ? &s->readers : &s->todo, &w->link);
    pthread_cond_broadcast(&s->wake);
    pthread_mutex_unlock(&s->lock);
}

int store_open(const char *dir, const struct store_callbacks *cb, struct store **ret, struct errtext *err)
{
    return store_open_as(dir, cb, &(struct store_demands){0}, ret, err);
}

static void open_mark(struct store *s, const char *dir)
{
    char *path = xasprintf("%s/mark", dir);
    bool damaged;
    mark_open(&s->mark, path, &damaged);
    if (damaged)
        log_warn("%s is damaged: whether the state is the newest cannot be told by it", path);
    free(path);
}

int store_open_as(const char *dir, const struct store_callbacks *cb, const struct store_demands *demands,
                  struct store **ret, struct errtext *err)
{
    if (mkdir(dir, 0700) < 0 && errno != EEXIST)
        return err_set(err, -errno, "cannot make %s: %s", dir, strerror(errno));
    struct store *s = xcalloc(1, sizeof *s);
    s->path = xasprintf("%s/stoker.db", dir);
    s->cb = *cb;
    list_init(&s->todo);
    list_init(&s->done);
    list_init(&s->readers);
    list_init(&s->behind);
    mode_t old = umask(077);
    int r = db_open(&s->db, s->path, demands, err);
    if (r == 0)
        open_mark(s, dir);
    umask(old);
    if (r < 0) {
        free(s->path);
        free(s);
        return r;
    }
    sqlite3_wal_hook(s->db.handle, on_wal, s);
    s->db.before_commit = lower_mark;
    s->db.before_commit_ctx = s;
    /* With the first batch the whole log goes into the file: one that is missing later is noticed, and what
     * a crash or damage has left in it is not there to be found again. */
    s->fresh_wal = true;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    s->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->batch = work_new(WORK_BATCH);
    s->next_gate = 1;
    s->busy = true;
    bug_on(pthread_create(&s->thread, NULL, thread_main, s) != 0);
    *ret = s;
    return 0;
}

static void stop(struct store *s, bool leave)
{
    hand_over(s, work_new(WORK_STOP));
    pthread_join(s->thread, NULL);
    list_for_each (w, &s->done, struct work, link)
        work_free(w);
    list_for_each (w, &s->readers, struct work, link)
        work_free(w);
    list_for_each (w, &s->behind, struct work, link)
        work_free(w);
    work_free(s->batch);
    if (leave)
        sqlite3_db_config(s->db.handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    else
        db_checkpoint(&s->db, true);
    db_close(&s->db);
    mark_close(&s->mark);
    close(s->event_fd);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->wake);
    free(s->path);
    free(s);
}

void store_close(struct store *s)
{
    if (!s)
        return;
    if (s->batch->rows.n) {
        s->batch->gate = s->next_gate++;
        s->batch->note = s->note;
        hand_over(s, s->batch);
        s->batch = work_new(WORK_BATCH);
    }
    stop(s, false);
}

void store_leave(struct store *s)
{
    stop(s, true);
}

int store_fd(const struct store *s)
{
    return s->event_fd;
}

static void tell_history(struct store *s, const struct work *w)
{
    struct history_piece p = {.id = w->id,
                              .next = w->place,
                              .n = w->n,
                              .body = w->bytes.s,
                              .size = w->bytes.len,
                              .r = w->result,
                              .text = w->err.s,
                              .n_damaged = w->n_damaged,
                              .damaged_job = w->job};
    s->cb.on_history(s->cb.ctx, &p);
}

static void tell_script(struct store *s, const struct work *w)
{
    struct old_script o = {.job = w->job,
                           .known = w->known,
                           .uid = w->uid,
                           .p = (const uint8_t *)w->bytes.s,
                           .n = w->bytes.len};
    s->cb.on_script(s->cb.ctx, &o);
}

static bool has_retired(const struct work *w)
{
    vec_for_each (&w->rows, i)
        if (w->rows.v[i].kind == ROW_RETIRE)
            return true;
    return false;
}

static void tell(struct store *s, struct work *w)
{
    if (w->kind == WORK_GET_SCRIPT)
        tell_script(s, w);
    if (w->kind == WORK_HISTORY)
        tell_history(s, w);
    if (w->kind == WORK_MOVE)
        s->move = w->more ? MOVE_DUE : MOVE_DONE;
    if (w->kind == WORK_TRIM && w->more)
        store_trim_history(s, w->before_ms);
    if (w->kind == WORK_GET_PAYLOAD && w->damaged)
        log_error("job=%u what it runs is damaged in stoker.db: its checksum does not fit", w->job);
    if (w->kind == WORK_GET_PAYLOAD)
        s->cb.on_payload(s->cb.ctx, w->job, w->step, w->payload, w->payload_n);
    if (w->kind != WORK_BATCH)
        return;
    s->in_flight--;
    if (w->result == 0 && s->move == MOVE_DONE && has_retired(w))
        s->move = MOVE_DUE;
    if (w->result == 0) {
        s->committed = w->gate;
        s->stats.commits++;
        s->stats.events += w->rows.n;
        s->stats.commit_us_sum += w->us;
        s->stats.commit_us_max = w->us > s->stats.commit_us_max ? w->us : s->stats.commit_us_max;
    }
    s->cb.on_commit(s->cb.ctx, w->gate, w->result, w->err.s);
}

void store_dispatch(struct store *s)
{
    eventfd_t n;
    eventfd_read(s->event_fd, &n);
    struct list done;
    list_init(&done);
    pthread_mutex_lock(&s->lock);
    while (!list_empty(&s->done))
        list_move_to_end(&done, s->done.next);
    pthread_mutex_unlock(&s->lock);
    while (!list_empty(&done)) {
        struct work *w = list_first(&done, struct work, link);
        list_unlink(&w->link);
        tell(s, w);
        work_free(w);
    }
    store_turn(s);
    if (s->move == MOVE_DUE) {
        s->move = MOVE_UNDER_WAY;
        hand_over(s, work_new(WORK_MOVE));
    }
}

static struct row *add_row(struct store *s, enum row_kind kind, uint32_t job, const void *p, size_t n)
{
    struct work *b = s->batch;
    vec_push(&b->rows, (struct row){.kind = kind, .job = job, .at = b->bytes.len, .n = n});
    str_append_n(&b->bytes, p, n);
    return &b->rows.v[b->rows.n - 1];
}

void store_add_event(struct store *s, const struct event *ev, const void *encoded, size_t n)
{
    struct row *r = add_row(s, ROW_EVENT, ev->job, encoded, n);
    r->seq = ev->seq;
    r->t = ev->t.ms;
    r->event_kind = ev->kind;
}

void store_del_event(struct store *s, uint64_t seq)
{
    add_row(s, ROW_DEL_EVENT, 0, "", 0)->seq = seq;
}

void store_add_payload(struct store *s, uint32_t job, int32_t step, const void *p, size_t n)
{
    add_row(s, ROW_PAYLOAD, job, p, n)->step = step;
}

void store_del_payload(struct store *s, uint32_t job, int32_t step)
{
    add_row(s, ROW_DEL_PAYLOAD, job, "", 0)->step = step;
}

bool store_retire_job(struct store *s, const struct job *j)
{
    struct str b = STR_INIT;
    codec_encode(&job_rec, j, &b);
    struct row *r = add_row(s, ROW_RETIRE, j->id, b.s, b.len);
    str_fini(&b);
    r->summary = xcalloc(1, sizeof *r->summary);
    rec_copy(&job_rec, r->summary, j);
    return work_is_element(j);
}

static void hand_over_questions(struct store *s)
{
    list_for_each (w, &s->behind, struct work, link) {
        list_unlink(&w->link);
        hand_over(s, w);
    }
}

bool store_turn(struct store *s)
{
    /* One batch at the thread, one being collected: the busier the disk, the larger the batches. */
    if (!s->batch->rows.n || s->in_flight)
        return !s->batch->rows.n;
    s->batch->gate = s->next_gate++;
    s->submitted = s->batch->gate;
    s->in_flight++;
    struct work *w = s->batch;
    w->note = s->note;
    s->batch = work_new(WORK_BATCH);
    hand_over(s, w);
    hand_over_questions(s);
    return true;
}

uint64_t store_gate(const struct store *s)
{
    return s->batch->rows.n ? s->next_gate : s->submitted;
}

uint64_t store_committed(const struct store *s)
{
    return s->committed;
}

void store_get_payload(struct store *s, uint32_t job, int32_t step)
{
    struct work *w = work_new(WORK_GET_PAYLOAD);
    w->job = job;
    w->step = step;
    if (s->batch->rows.n)
        list_append(&s->behind, &w->link);
    else
        hand_over(s, w);
}

void store_get_script(struct store *s, uint32_t job)
{
    struct work *w = work_new(WORK_GET_SCRIPT);
    w->job = job;
    hand_over(s, w);
}

void store_get_history(struct store *s, uint64_t id, const struct msg_history *q,
                       const struct history_place *from, uint32_t most)
{
    struct work *w = work_new(WORK_HISTORY);
    w->id = id;
    rec_copy(&msg_history_rec, &w->query, q);
    w->place = *from;
    w->most = most;
    hand_over(s, w);
}

void store_trim_history(struct store *s, int64_t before_ms)
{
    struct work *w = work_new(WORK_TRIM);
    w->before_ms = before_ms;
    hand_over(s, w);
}

static void wait_idle(struct store *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->busy || !is_idle(s))
        pthread_cond_wait(&s->wake, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

void store_reset(struct store *s)
{
    wait_idle(s);
    pthread_mutex_lock(&s->lock);
    list_for_each (w, &s->done, struct work, link) {
        if (w->kind == WORK_GET_PAYLOAD || can_wait(w))
            continue; /* what it read is on disk: whoever asked gets the answer */
        list_unlink(&w->link);
        work_free(w);
    }
    s->failed = false;
    pthread_mutex_unlock(&s->lock);
    work_free(s->batch);
    s->batch = work_new(WORK_BATCH);
    hand_over_questions(s);
    s->in_flight = 0;
    s->submitted = s->committed = s->next_gate++;
}

int store_probe(struct store *s, struct errtext *err)
{
    struct work *w = work_new(WORK_PROBE);
    hand_over(s, w);
    wait_idle(s);
    /* The answer is the last one in `done`; take it out before the loop sees it. */
    pthread_mutex_lock(&s->lock);
    list_unlink(&w->link);
    pthread_mutex_unlock(&s->lock);
    int r = w->result;
    if (r < 0)
        err_set(err, r, "%s", w->err.s);
    work_free(w);
    return r;
}

/* --- start-up reads: the thread sleeps, so the connection may be used here --- */

static int load_row(sqlite3_stmt *st, struct event *ev, struct errtext *err)
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
    wait_idle(s);
    sqlite3_stmt *st = s->db.st[DB_LOAD];
    int r = 0, rc;
    while (r == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        struct event ev;
        r = load_row(st, &ev, err);
        r = r ? r : fn(ctx, &ev);
    }
    if (r == 0 && rc != SQLITE_DONE)
        r = err_set(err, db_errno(rc), "%s", sqlite3_errmsg(s->db.handle));
    sqlite3_reset(st);
    return r < 0 ? r : 0;
}

uint32_t store_last_job(struct store *s)
{
    wait_idle(s);
    const struct history_source *sources[] = {&s->db.here, &s->db.old};
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
    return &s->mark.v;
}

uint64_t store_newest(struct store *s)
{
    wait_idle(s);
    return db_newest(&s->db);
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
