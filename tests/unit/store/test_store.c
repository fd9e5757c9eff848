/* test_store.c - what has been acknowledged is on disk, and comes back; and what happens where it cannot
 * be. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/store/store.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/lab.h"

#define DEADLINE_MS 60000

static char *dir, *file;
static struct store *store;

/* What the store has said. */
static VEC(uint64_t) gates;
static int last_result;
static char last_text[512];
static struct {
    unsigned answers;
    uint32_t job;
    char text[64];
    size_t n;
} payload;

static void on_commit(void *ctx, uint64_t gate, int r, const char *text)
{
    (void)ctx;
    vec_push(&gates, gate);
    last_result = r;
    snprintf(last_text, sizeof last_text, "%s", text);
}

static void on_payload(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n)
{
    (void)ctx;
    (void)step;
    payload.answers++;
    payload.job = job;
    payload.n = n;
    snprintf(payload.text, sizeof payload.text, "%.*s", (int)(n < 60 ? n : 60), p ? (const char *)p : "");
}

static const struct store_callbacks callbacks = {.on_commit = on_commit, .on_payload = on_payload};

static int try_open(struct errtext *err)
{
    return store_open(dir, &callbacks, &store, err);
}

static void must_open(void)
{
    struct errtext err = {""};
    if (try_open(&err) < 0)
        fail_msg("%s", err.s);
}

static void reopen(void)
{
    store_close(store);
    must_open();
}

static int set_up(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    dir = xasprintf("%s/store.XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(dir));
    file = xasprintf("%s/stoker.db", dir);
    vec_clear(&gates);
    last_result = 1;
    last_text[0] = '\0';
    memset(&payload, 0, sizeof payload);
    store = NULL;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    store_close(store);
    DIR *d = opendir(dir);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    rmdir(dir);
    free(dir);
    free(file);
    vec_fini(&gates);
    return 0;
}

/* Lets the store speak until it has said something more. */
static void hear(void)
{
    size_t n = gates.n + payload.answers;
    for (int waited = 0; gates.n + payload.answers == n; waited++) {
        struct pollfd p = {.fd = store_fd(store), .events = POLLIN};
        if (waited > 100 || poll(&p, 1, DEADLINE_MS) != 1)
            fail_msg("the store says nothing");
        store_dispatch(store);
    }
}

static void commit(void)
{
    uint64_t gate = store_gate(store);
    store_turn(store);
    while (store_committed(store) < gate && last_result >= 0)
        hear();
    if (last_result < 0)
        fail_msg("%s", last_text);
}

static void add(uint64_t seq, uint32_t job)
{
    struct ev_hold body = {.hold = (uint32_t)seq % 3, .uid = job};
    struct event ev = {.seq = seq, .t = {.ms = (int64_t)seq * 10}, .kind = EV_HOLD, .job = job};
    struct str b = STR_INIT;
    codec_encode(&ev_hold_rec, &body, &b);
    store_add_event(store, &ev, b.s, b.len);
    str_fini(&b);
}

/* "1:5 2:5 ...": number and job of every event on disk; its other members must be as add() made them. */
static int collect(void *ctx, struct event *ev)
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

static void disk_must_have(const char *row, const char *want)
{
    struct str got = STR_INIT;
    struct errtext err = {""};
    check_int(row, store_load(store, collect, &got, &err), 0);
    check_str(row, got.s, want);
    str_fini(&got);
}

/* --- by the side of the store --- */

static void sql(const char *text)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

static int64_t sql_number(const char *text)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, text, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(db);
    return n;
}

/* Every file of the directory with its bytes. One with nothing in it does not count: opening makes an empty
 * WAL. */
static void read_all(struct str *out)
{
    static const char *const names[] = {"stoker.db", "stoker.db-wal", "stoker.db-shm", "stoker.db-journal"};
    for (size_t i = 0; i < N_OF(names); i++) {
        char *path = xasprintf("%s/%s", dir, names[i]), bytes[4096];
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        free(path);
        if (fd < 0)
            continue;
        for (ssize_t n, at = 0; (n = read(fd, bytes, sizeof bytes)) > 0; at += n) {
            str_append(out, at ? "" : names[i]);
            str_append_n(out, bytes, (size_t)n);
        }
        close(fd);
    }
}

static void must_be_refused(const char *row, int want, const char *text)
{
    struct str before = STR_INIT, after = STR_INIT;
    struct errtext err = {""};
    read_all(&before);
    int r = try_open(&err);
    read_all(&after);
    check_int(row, r, want);
    check_has(row, err.s, text);
    check_has(row, err.s, "stoker.db");
    if (before.len != after.len || memcmp(before.s, after.s, before.len) != 0)
        fail_msg("[%s] the file has been changed", row);
    str_fini(&before);
    str_fini(&after);
}

/* --- the cases --- */

static void test_reload(void **state)
{
    (void)state;
    must_open();
    disk_must_have("new", "");
    assert_int_equal(store_last_job(store), 0);
    add(1, 0);
    add(2, 5);
    add(7, UINT32_MAX);
    commit();
    disk_must_have("at once", "1:0 2:5 7:4294967295");
    reopen();
    disk_must_have("after a restart", "1:0 2:5 7:4294967295");
    add(8, 5);
    store_close(store); /* commits what is left */
    must_open();
    disk_must_have("after a close", "1:0 2:5 7:4294967295 8:5");
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static int stop_at_second(void *ctx, struct event *ev)
{
    event_fini(ev);
    return ++*(int *)ctx == 2;
}

static void test_load_can_be_stopped(void **state)
{
    (void)state;
    must_open();
    for (uint64_t i = 1; i <= 3; i++)
        add(i, 1);
    commit();
    int n = 0;
    struct errtext err;
    assert_int_equal(store_load(store, stop_at_second, &n, &err), 0);
    assert_int_equal(n, 2);
    disk_must_have("from the beginning again", "1:1 2:1 3:1");
}

static void test_gates(void **state)
{
    (void)state;
    must_open();
    uint64_t start = store_gate(store);
    assert_true(start <= store_committed(store)); /* nothing to wait for */
    store_turn(store);
    assert_int_equal(store_gate(store), start); /* an empty turn makes no batch */
    add(1, 1);
    uint64_t first = store_gate(store);
    assert_true(first > store_committed(store));
    store_turn(store);
    assert_int_equal(store_gate(store), first);
    /* While that is under way the next ones gather behind one gate. */
    add(2, 1);
    uint64_t second = store_gate(store);
    assert_true(second > first);
    store_turn(store);
    add(3, 1);
    assert_int_equal(store_gate(store), second);
    store_turn(store);
    while (store_committed(store) < second)
        hear();
    assert_int_equal(gates.n, 2);
    assert_int_equal(gates.v[0], first);
    assert_int_equal(gates.v[1], second);
    assert_int_equal(last_result, 0);
    struct store_stats stats;
    store_get_stats(store, &stats);
    assert_int_equal(stats.commits, 2);
    assert_int_equal(stats.events, 3);
    assert_true(stats.db_bytes > 0);
    disk_must_have("all", "1:1 2:1 3:1");
}

static void ask(uint32_t job, int32_t step)
{
    unsigned n = payload.answers;
    store_get_payload(store, job, step);
    while (payload.answers == n)
        hear();
    assert_int_equal(payload.job, job);
}

static void test_payloads(void **state)
{
    (void)state;
    must_open();
    ask(1, 0);
    assert_int_equal(payload.n, 0);
    store_add_payload(store, 1, STEP_BATCH, "#!/bin/sh", 9);
    store_add_payload(store, 1, 0, "srun", 4);
    store_add_payload(store, 2, 0, "", 0);
    store_turn(store);
    ask(1, STEP_BATCH); /* what was handed over before is seen */
    assert_string_equal(payload.text, "#!/bin/sh");
    ask(1, 0);
    assert_string_equal(payload.text, "srun");
    ask(2, 0);
    assert_int_equal(payload.n, 0);
    store_add_payload(store, 1, 0, "again", 5);
    store_del_payload(store, 1, STEP_BATCH);
    commit();
    ask(1, 0);
    assert_string_equal(payload.text, "again");
    ask(1, STEP_BATCH);
    assert_int_equal(payload.n, 0);
    char *big = xmalloc(3 << 20);
    memset(big, 'x', 3 << 20);
    store_add_payload(store, 3, 0, big, 3 << 20);
    free(big);
    commit();
    reopen();
    ask(3, 0);
    assert_int_equal(payload.n, 3 << 20);
}

/* --- a state on disk: as the controller does it --- */

static struct lab lab;

static void happen(enum event_kind kind, uint32_t job, void *body)
{
    struct str b = STR_INIT;
    codec_encode(event_body_rec(kind), body, &b);
    bool kept = kind != EV_RETIRE || store_retire_job(store, lab_get(&lab, job));
    lab_must(&lab, kind, job, body);
    struct event ev = {.seq = lab.m.seq, .t = lab.m.now, .kind = kind, .job = job};
    if (kept)
        store_add_event(store, &ev, b.s, b.len);
    str_fini(&b);
}

static void submit(uint32_t id, uint32_t elements)
{
    struct job *j = lab_job(&lab, JOB_KIND_BATCH);
    j->id = id;
    if (elements) {
        j->array_job = id;
        *rec_list_push(&j->array_pending) = (struct index_range){0, elements - 1, 1};
    }
    happen(EV_SUBMIT, id, j);
    free(j);
    store_add_payload(store, id, STEP_BATCH, "#!/bin/sh", 9);
}

static void start(uint32_t id, uint32_t index, uint32_t new_id)
{
    uint32_t cpu = new_id ? new_id : id;
    struct ev_start b = {.array_index = index, .new_id = new_id, .partition = xstrdup("main")};
    *rec_list_push(&b.alloc) = lab_alloc("n1", cpu, 1, 0, 0, 10);
    happen(EV_START, id, &b);
}

static void end_and_retire(uint32_t id)
{
    struct ev_end b = {.step = STEP_BATCH, .attempt = 1, .end_kind = END_EXITED};
    happen(EV_END, id, &b);
    struct ev_none none = {0};
    happen(EV_RETIRE, id, &none);
    uint64_t old = lab.m.usage.saved_seq;
    struct ev_usage usage;
    usage_save(&lab.m, lab.m.now, &usage);
    happen(EV_USAGE, 0, &usage);
    if (old)
        store_del_event(store, old);
}

static int fold(void *ctx, struct event *ev)
{
    if (model_apply(ctx, ev) < 0)
        fail_msg("event %llu, %s of job %u, does not fit any more", (unsigned long long)ev->seq,
                 event_name(ev->kind), ev->job);
    event_fini(ev);
    return 0;
}

static void disk_must_give_the_state(const char *row)
{
    struct model m;
    struct errtext err = {""};
    model_init(&m);
    check_int(row, store_load(store, fold, &m, &err), 0);
    uint32_t last = store_last_job(store);
    m.next_job = last >= m.next_job ? last + 1 : m.next_job;
    if (model_check(&m, &err) < 0)
        fail_msg("[%s] %s", row, err.s);
    struct lab_copy *a = lab_copy_new(&lab.m), *b = lab_copy_new(&m);
    const char *what = lab_differs(a, b, true);
    if (what)
        fail_msg("[%s] %s is not what it was", row, what);
    lab_copy_free(a);
    lab_copy_free(b);
    model_fini(&m);
}

static void test_retire(void **state)
{
    (void)state;
    must_open();
    lab_init(&lab);
    struct cluster_spec spec = {.name = xstrdup("lab"),
                                .priority = {.billing_cpu = 1.0, .decay_half_life_s = 60}};
    happen(EV_CONFIG, 0, &spec);
    submit(1, 0);
    submit(2, 0);
    start(1, ARRAY_NONE, 0);
    start(2, ARRAY_NONE, 0);
    end_and_retire(2);
    commit();
    reopen();
    disk_must_give_the_state("one of two retired");
    assert_int_equal(store_last_job(store), 2);
    ask(1, STEP_BATCH);
    assert_string_equal(payload.text, "#!/bin/sh");
    ask(2, STEP_BATCH);
    assert_int_equal(payload.n, 0);
    end_and_retire(1);
    commit();
    reopen();
    disk_must_give_the_state("both retired");
    /* What their ends had charged is there although those events have gone. */
    assert_int_equal(lab.m.usage.n, 1);
    assert_true(lab.m.usage.rows[0].billing > 1.0);
    assert_int_equal(lab.m.next_job, 3); /* no id is given twice */
    store_close(store);
    store = NULL;
    assert_int_equal(sql_number("SELECT count(*) FROM event WHERE job > 0"), 0);
    assert_int_equal(sql_number("SELECT count(*) FROM event WHERE job = 0"), 2); /* config, usage */
    assert_int_equal(sql_number("SELECT count(*) FROM payload"), 0);
    assert_int_equal(
        sql_number("SELECT count(*) FROM history WHERE uid = 1000 AND user = 'alice' AND name = 'work'"
                   " AND partition = 'main' AND state = 4 AND t_end > t_start AND t_start > t_submit"),
        2);
    lab_fini(&lab);
}

/* After a restart a retired element of an array was there again, running, and ran once more: the event that
 * makes it is its array's. */
static void test_retired_elements_do_not_come_back(void **state)
{
    (void)state;
    must_open();
    lab_init(&lab);
    submit(1, 3);
    submit(2, 0);
    start(1, 0, 3);
    end_and_retire(3);
    start(1, 1, 4);
    commit();
    reopen();
    disk_must_give_the_state("one element retired");
    end_and_retire(4);
    commit();
    reopen();
    disk_must_give_the_state("two of three retired");
    start(1, 2, 0); /* the last one is the record itself */
    end_and_retire(1);
    commit();
    reopen();
    disk_must_give_the_state("the array retired");
    store_close(store);
    store = NULL;
    assert_int_equal(sql_number("SELECT count(*) FROM event WHERE job IN (1, 3, 4)"), 0);
    assert_int_equal(sql_number("SELECT count(*) FROM event WHERE job = 2"), 1);
    assert_int_equal(sql_number("SELECT count(*) FROM history WHERE array_job = 1"), 3);
    lab_fini(&lab);
}

/* --- files that are not opened --- */

static void test_second_controller_is_refused(void **state)
{
    (void)state;
    must_open();
    add(1, 1);
    commit();
    struct store *first = store;
    must_be_refused("second", -EBUSY, "is in use by another controller");
    store = first;
    add(2, 1);
    commit();
    disk_must_have("the first goes on", "1:1 2:1");
}

static void write_at(off_t at, const void *p, size_t n)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, p, n, at), (ssize_t)n);
    close(fd);
}

static void test_damaged_file_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        off_t at;
        size_t n;
    } rows[] = {
        {"magic", 0, 8},
        {"page size", 16, 2},
        {"schema format", 44, 4},
        {"root of the schema", 100, 8},
        {"schema", 4000, 90},
        {"root of a table", 4096, 8},
        {"another", 2 * 4096, 8},
        {"and another", 3 * 4096, 8},
        {"cell pointers", 4096 + 12, 40},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        if (i) {
            tear_down(NULL);
            set_up(NULL);
        }
        must_open();
        for (uint64_t k = 1; k <= 300; k++)
            add(k, (uint32_t)k % 7 + 1);
        commit();
        store_close(store);
        store = NULL;
        unsigned char bytes[128];
        int fd = open(file, O_RDONLY | O_CLOEXEC);
        assert_int_equal(pread(fd, bytes, rows[i].n, rows[i].at), (ssize_t)rows[i].n);
        close(fd);
        for (size_t k = 0; k < rows[i].n; k++)
            bytes[k] ^= 0x5a;
        write_at(rows[i].at, bytes, rows[i].n);
        must_be_refused(rows[i].name, -EUCLEAN, "nothing has been changed");
    }
}

static void test_damaged_tail_is_refused(void **state)
{
    (void)state;
    must_open();
    for (uint64_t k = 1; k <= 300; k++)
        add(k, 1);
    commit();
    store_close(store);
    store = NULL;
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    assert_int_equal(truncate(file, st.st_size / 2), 0);
    must_be_refused("half of it", -EUCLEAN, "is damaged");
}

static void test_foreign_files_are_refused(void **state)
{
    (void)state;
    write_at(0, "this is no database, but a letter to the admin", 46);
    must_be_refused("a text", -EUCLEAN, "is damaged");
    assert_int_equal(unlink(file), 0);
    sql("CREATE TABLE addresses (name TEXT); INSERT INTO addresses VALUES ('alice')");
    must_be_refused("a database without an id", -EUCLEAN, "is not a database of stoker");
    sql("PRAGMA application_id = 77");
    must_be_refused("another program's", -EUCLEAN, "is not a database of stoker");
    assert_int_equal(sql_number("SELECT count(*) FROM addresses"), 1);
    assert_int_equal(unlink(file), 0);
    must_open();
    store_close(store);
    store = NULL;
    sql("PRAGMA user_version = 99");
    must_be_refused("a later version", -EPROTO, "has version 99, this stokerd knows 1");
    assert_int_equal(unlink(file), 0);
    write_at(0, "", 0);
    must_open(); /* an empty file is new */
}

static void test_links(void **state)
{
    (void)state;
    char *real = dir;
    dir = xasprintf("%s.link", real);
    assert_int_equal(symlink(real, dir), 0);
    must_open(); /* a directory may be a link, anywhere in the path */
    add(1, 1);
    commit();
    store_close(store);
    store = NULL;
    unlink(dir);
    free(dir);
    dir = real;
    char *other = xasprintf("%s/other.db", dir);
    assert_int_equal(rename(file, other), 0);
    assert_int_equal(symlink(other, file), 0);
    free(other);
    struct errtext err = {""};
    assert_true(try_open(&err) < 0); /* the file itself may not */
    check_has("link", err.s, "stoker.db");
    struct errtext none = {""};
    struct store *s;
    assert_int_equal(store_open("/dev/null/x", &callbacks, &s, &none), -ENOTDIR);
    check_has("no directory", none.s, "/dev/null/x");
}

static void test_events_that_cannot_be_read(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *text;
    } rows[] = {
        {"INSERT INTO event VALUES (5, 0, 999, 1, x'90')", "event 5 has kind 999"},
        {"INSERT INTO event VALUES (6, 0, 13, 1, x'c1')", "event 6: ev_hold: not a message"},
        {"INSERT INTO event VALUES (7, 0, 13, 1, x'')",
         "event 7: ev_hold: not a message: it ends too early"},
        {"INSERT INTO event VALUES (8, 0, 13, 1, x'91a178')", "event 8: ev_hold.hold"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        must_open();
        store_close(store);
        sql("DELETE FROM event");
        sql(rows[i].sql);
        must_open();
        struct errtext err = {""};
        struct str got = STR_INIT;
        check_int(rows[i].text, store_load(store, collect, &got, &err), -EBADMSG);
        check_has(rows[i].text, err.s, rows[i].text);
        str_fini(&got);
        store_close(store);
        store = NULL;
    }
}

/* --- a disk that is full --- */

static void limit_files(rlim_t bytes)
{
    struct rlimit r;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &r), 0);
    r.rlim_cur = bytes < r.rlim_max ? bytes : r.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &r), 0);
}

static void add_large(uint32_t job)
{
    char *big = xcalloc(2, 1 << 20);
    store_add_payload(store, job, 0, big, 2 << 20);
    free(big);
}

static void test_full_disk(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    must_open();
    add(1, 1);
    commit();
    limit_files(256 << 10);
    add(2, 1);
    add_large(1);
    add(3, 1);
    store_turn(store);
    add(4, 1); /* gathers meanwhile */
    uint64_t void_gate = store_gate(store);
    hear();
    assert_true(last_result < 0);
    assert_true(last_text[0] != '\0');
    /* What comes after a batch that failed is refused too: it would not fit what is on disk. */
    vec_clear(&gates);
    store_turn(store);
    hear();
    assert_true(last_result < 0);
    assert_true(store_committed(store) < void_gate);
    struct errtext err = {""};
    store_reset(store);
    assert_true(store_gate(store) <= store_committed(store));
    assert_true(store_committed(store) >
                void_gate); /* replies behind the void ones are dropped, later ones pass */
    disk_must_have("the batch is gone whole", "1:1");
    limit_files(4096);
    assert_true(store_probe(store, &err) < 0);
    assert_true(err.s[0] != '\0');
    assert_true(store_probe(store, &err) < 0);
    limit_files(RLIM_INFINITY);
    assert_int_equal(store_probe(store, &err), 0);
    last_result = 1;
    add(2, 1);
    add_large(1);
    commit();
    disk_must_have("it goes on", "1:1 2:1");
    reopen();
    disk_must_have("and stays", "1:1 2:1");
    store_close(store);
    store = NULL;
    assert_int_equal(sql_number("SELECT count(*) FROM payload WHERE job = 0"),
                     0); /* the probe leaves nothing */
}

static void test_reset_without_a_failure(void **state)
{
    (void)state;
    must_open();
    add(1, 1);
    store_turn(store);
    add(2, 1);
    store_reset(store); /* what was handed over may have been committed; what was gathered is dropped */
    disk_must_have("handed over", "1:1");
    last_result = 1;
    add(2, 1);
    commit();
    disk_must_have("later", "1:1 2:1");
}

/* Enough for checkpoints to run while the loop reads with the same connection. */
static void test_reads_beside_checkpoints(void **state)
{
    (void)state;
    must_open();
    char page[8000];
    memset(page, 'x', sizeof page);
    for (uint64_t i = 1; i <= 6; i++) {
        for (uint32_t k = 0; k < 700; k++)
            store_add_payload(store, (uint32_t)i * 1000 + k, 0, page, sizeof page);
        add(i, 1);
        commit();
        struct str got = STR_INIT;
        struct errtext err;
        assert_int_equal(store_load(store, collect, &got, &err), 0);
        assert_int_equal(got.len, i * 4 - 1);
        str_fini(&got);
    }
    reopen();
    disk_must_have("all", "1:1 2:1 3:1 4:1 5:1 6:1");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_second_controller_is_refused),
        TEST(test_damaged_file_is_refused),
        TEST(test_damaged_tail_is_refused),
        TEST(test_foreign_files_are_refused),
        TEST(test_links),
        TEST(test_events_that_cannot_be_read),
        TEST(test_full_disk),
        TEST(test_reset_without_a_failure),
        TEST(test_reload),
        TEST(test_load_can_be_stopped),
        TEST(test_gates),
        TEST(test_payloads),
        TEST(test_retire),
        TEST(test_retired_elements_do_not_come_back),
        TEST(test_reads_beside_checkpoints),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
