/* storelab.c - a store for tests. */
#include "tests/lib/storelab.h"

#include <dirent.h>
#include <poll.h>
#include <sqlite3.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/check.h"

#define DEADLINE_MS 60000

struct storelab sl;

static void on_commit(void *ctx, uint64_t ticket, int r, const char *text)
{
    (void)ctx;
    vec_push(&sl.tickets, ticket);
    sl.last_result = r;
    snprintf(sl.last_text, sizeof sl.last_text, "%s", text);
}

void storelab_on_payload(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n)
{
    (void)ctx;
    (void)step;
    sl.payload.answers++;
    sl.payload.job = job;
    sl.payload.n = n;
    snprintf(sl.payload.text, sizeof sl.payload.text, "%.*s", (int)(n < 60 ? n : 60),
             p ? (const char *)p : "");
}

const struct store_callbacks storelab_callbacks = {.on_commit = on_commit};

int storelab_try_open(struct errtext *err)
{
    return store_open(sl.dir, &storelab_callbacks, &sl.store, err);
}

void storelab_must_open(void)
{
    struct errtext err = {""};
    if (storelab_try_open(&err) < 0)
        fail_msg("%s", err.s);
}

void storelab_reopen(void)
{
    store_close(sl.store);
    storelab_must_open();
}

int storelab_set_up(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    sl.dir = xasprintf("%s/store.XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(sl.dir));
    sl.file = xasprintf("%s/stoker.db", sl.dir);
    vec_clear(&sl.tickets);
    sl.last_result = 1;
    sl.last_text[0] = '\0';
    memset(&sl.payload, 0, sizeof sl.payload);
    sl.store = NULL;
    return 0;
}

int storelab_tear_down(void **state)
{
    (void)state;
    store_close(sl.store);
    DIR *d = opendir(sl.dir);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    rmdir(sl.dir);
    free(sl.dir);
    free(sl.file);
    vec_fini(&sl.tickets);
    return 0;
}

void storelab_hear(void)
{
    size_t n = sl.tickets.n + sl.payload.answers;
    for (int waited = 0; sl.tickets.n + sl.payload.answers == n; waited++) {
        struct pollfd p = {.fd = store_fd(sl.store), .events = POLLIN};
        if (waited > 100 || poll(&p, 1, DEADLINE_MS) != 1)
            fail_msg("the store says nothing");
        store_dispatch(sl.store);
    }
}

void storelab_commit(void)
{
    uint64_t ticket = store_ticket(sl.store);
    store_turn(sl.store);
    while (store_committed(sl.store) < ticket && sl.last_result >= 0)
        storelab_hear();
    if (sl.last_result < 0)
        fail_msg("%s", sl.last_text);
}

void storelab_add(uint64_t seq, uint32_t job)
{
    struct ev_hold body = {.hold = (uint32_t)seq % 3, .uid = job};
    struct event ev = {.seq = seq, .t = {.ms = (int64_t)seq * 10}, .kind = EV_HOLD, .job = job};
    struct str b = STR_INIT;
    codec_encode(&ev_hold_rec, &body, &b);
    store_add_event(sl.store, &ev, b.s, b.len);
    str_fini(&b);
}

int storelab_collect(void *ctx, struct event *ev)
{
    struct str *out = ctx;
    const struct ev_hold *b = ev->body;
    str_appendf(out, "%s%llu:%u", out->len ? " " : "", (unsigned long long)ev->seq, ev->job);
    assert_int_equal(ev->kind, EV_HOLD);
    assert_int_equal(ev->t.ms, ev->seq * 10);
    assert_int_equal(b->hold, ev->seq % 3);
    assert_int_equal(b->uid, ev->job);
    event_fini(ev);
    return 0;
}

void storelab_disk_must_have(const char *row, const char *want)
{
    struct str got = STR_INIT;
    struct errtext err = {""};
    check_int(row, store_load(sl.store, storelab_collect, &got, &err), 0);
    check_str(row, got.s, want);
    str_fini(&got);
}

static void run_sql(const char *file, const char *text)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

static int64_t ask_sql(const char *file, const char *text)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, text, -1, &st, NULL) != SQLITE_OK || sqlite3_step(st) != SQLITE_ROW)
        fail_msg("%s: %s", text, sqlite3_errmsg(db));
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return n;
}

void storelab_sql(const char *text)
{
    run_sql(sl.file, text);
}

int64_t storelab_sql_number(const char *text)
{
    return ask_sql(sl.file, text);
}

void storelab_history_sql(const char *text)
{
    char *file = xasprintf("%s/history.db", sl.dir);
    run_sql(file, text);
    free(file);
}

int64_t storelab_history_number(const char *text)
{
    char *file = xasprintf("%s/history.db", sl.dir);
    int64_t n = ask_sql(file, text);
    free(file);
    return n;
}

void storelab_move_all(void)
{
    /* store_newest waits until nothing is to be done; what is done asks for the next piece. */
    for (int i = 0; i < 1000; i++) {
        store_newest(sl.store);
        store_dispatch(sl.store);
    }
}
