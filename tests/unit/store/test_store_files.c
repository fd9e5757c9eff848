/* test_store_files.c - files that are not opened, and disks that are full: nothing is changed, all is said.
 * test-user */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/storelab.h"

/* Every file of the directory with its bytes. One with nothing in it does not count: opening makes an empty
 * WAL. */
static void read_all(struct str *out)
{
    static const char *const names[] = {"stoker.db", "stoker.db-wal", "stoker.db-shm", "stoker.db-journal"};
    for (size_t i = 0; i < N_OF(names); i++) {
        char *path = xasprintf("%s/%s", sl.dir, names[i]), bytes[4096];
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

static void must_be_refused_with(const char *row, int want, const char *text)
{
    struct errtext err = {""};
    check_int(row, storelab_try_open(&err), want);
    check_has(row, err.s, text);
    check_has(row, err.s, "stoker.db");
}

/* The same of a file that nothing else writes: it is not changed. */
static void must_be_refused(const char *row, int want, const char *text)
{
    struct str before = STR_INIT, after = STR_INIT;
    read_all(&before);
    must_be_refused_with(row, want, text);
    read_all(&after);
    if (before.len != after.len || memcmp(before.s, after.s, before.len) != 0)
        fail_msg("[%s] the file has been changed", row);
    str_fini(&before);
    str_fini(&after);
}

/* --- files that are removed --- */

static sqlite3_vfs *real_vfs;
static unsigned n_removed, n_not_synced; /* rollback journals */

static int note_removal(sqlite3_vfs *v, const char *path, int sync_dir)
{
    (void)v;
    bool is_journal = str_ends(path, "-journal");
    n_removed += is_journal;
    n_not_synced += is_journal && !sync_dir;
    return real_vfs->xDelete(real_vfs, path, sync_dir);
}

/* One that is back after a power failure would be played back. */
static void test_a_journal_is_removed_for_good(void **state)
{
    (void)state;
    real_vfs = sqlite3_vfs_find(NULL);
    sqlite3_vfs noting = *real_vfs;
    noting.zName = "noting";
    noting.pNext = NULL;
    noting.xDelete = note_removal;
    assert_int_equal(sqlite3_vfs_register(&noting, 1), SQLITE_OK);
    storelab_must_open();
    store_close(sl.store);
    sl.store = NULL;
    sqlite3_vfs_unregister(&noting);
    assert_true(n_removed > 0);
    assert_int_equal(n_not_synced, 0);
}

/* --- files that are not opened --- */

static void test_second_controller_is_refused(void **state)
{
    (void)state;
    storelab_must_open();
    storelab_add(1, 1);
    storelab_commit();
    struct store *first = sl.store;
    must_be_refused_with("second", -EBUSY, "is in use by another controller");
    sl.store = first;
    storelab_add(2, 1);
    storelab_commit();
    storelab_disk_must_have("the first goes on", "1:1 2:1");
}

static void write_at(off_t at, const void *p, size_t n)
{
    int fd = open(sl.file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
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
            storelab_tear_down(NULL);
            storelab_set_up(NULL);
        }
        storelab_must_open();
        for (uint64_t k = 1; k <= 300; k++)
            storelab_add(k, (uint32_t)k % 7 + 1);
        storelab_commit();
        store_close(sl.store);
        sl.store = NULL;
        unsigned char bytes[128];
        int fd = open(sl.file, O_RDONLY | O_CLOEXEC);
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
    storelab_must_open();
    for (uint64_t k = 1; k <= 300; k++)
        storelab_add(k, 1);
    storelab_commit();
    store_close(sl.store);
    sl.store = NULL;
    struct stat st;
    assert_int_equal(stat(sl.file, &st), 0);
    assert_int_equal(truncate(sl.file, st.st_size / 2), 0);
    must_be_refused("half of it", -EUCLEAN, "is damaged");
}

static void test_foreign_files_are_refused(void **state)
{
    (void)state;
    write_at(0, "this is not a database, but a letter to an admin", 48);
    must_be_refused("a text", -EUCLEAN, "is damaged");
    assert_int_equal(unlink(sl.file), 0);
    storelab_sql("CREATE TABLE addresses (name TEXT); INSERT INTO addresses VALUES ('alice')");
    must_be_refused("a database without an id", -EUCLEAN, "is not a database of stoker");
    storelab_sql("PRAGMA application_id = 77");
    must_be_refused("another program's", -EUCLEAN, "is not a database of stoker");
    assert_int_equal(storelab_sql_number("SELECT count(*) FROM addresses"), 1);
    assert_int_equal(unlink(sl.file), 0);
    storelab_must_open();
    store_close(sl.store);
    sl.store = NULL;
    storelab_sql("PRAGMA user_version = 99");
    must_be_refused("a later version", -EPROTO, "has version 99, this stokerd knows 1");
    assert_int_equal(unlink(sl.file), 0);
    write_at(0, "", 0);
    storelab_must_open(); /* an empty file is new */
}

static void test_links(void **state)
{
    (void)state;
    char *real = sl.dir;
    sl.dir = xasprintf("%s.link", real);
    assert_int_equal(symlink(real, sl.dir), 0);
    storelab_must_open(); /* a directory may be a link, anywhere in the path */
    storelab_add(1, 1);
    storelab_commit();
    store_close(sl.store);
    sl.store = NULL;
    unlink(sl.dir);
    free(sl.dir);
    sl.dir = real;
    char *other = xasprintf("%s/other.db", sl.dir);
    assert_int_equal(rename(sl.file, other), 0);
    assert_int_equal(symlink(other, sl.file), 0);
    free(other);
    struct errtext err = {""};
    assert_true(storelab_try_open(&err) < 0); /* the file itself may not */
    check_has("link", err.s, "stoker.db");
    struct errtext none = {""};
    struct store *s;
    assert_int_equal(store_open("/dev/null/x", &storelab_callbacks, &s, &none), -ENOTDIR);
    check_has("no directory", none.s, "/dev/null/x");
}

static void test_events_that_cannot_be_read(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *text;
    } rows[] = {
        {"INSERT INTO event (seq, t, kind, job, body) VALUES (5, 0, 999, 1, x'90')",
         "event 5 has kind 999"},
        {"INSERT INTO event (seq, t, kind, job, body) VALUES (6, 0, 13, 1, x'c1')",
         "event 6: ev_hold: not a message"},
        {"INSERT INTO event (seq, t, kind, job, body) VALUES (7, 0, 13, 1, x'')",
         "event 7: ev_hold: not a message: it ends too early"},
        {"INSERT INTO event (seq, t, kind, job, body) VALUES (8, 0, 13, 1, x'91a178')",
         "event 8: ev_hold.hold"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        storelab_must_open();
        store_close(sl.store);
        storelab_sql("DELETE FROM event");
        storelab_sql(rows[i].sql);
        storelab_must_open();
        struct errtext err = {""};
        struct str got = STR_INIT;
        check_int(rows[i].text, store_load(sl.store, storelab_collect, &got, &err), -EBADMSG);
        check_has(rows[i].text, err.s, rows[i].text);
        str_fini(&got);
        store_close(sl.store);
        sl.store = NULL;
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
    store_add_payload(sl.store, job, 0, big, 2 << 20);
    free(big);
}

static void wait_for_empty_log(void)
{
    char *path = xasprintf("%s/stoker.db-wal", sl.dir);
    struct stat st = {.st_size = -1};
    for (int i = 0; i < 2000 && st.st_size != 0; i++) {
        poll(NULL, 0, 5);
        assert_int_equal(stat(path, &st), 0);
    }
    assert_int_equal(st.st_size, 0);
    free(path);
}

static void test_full_disk(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    storelab_must_open();
    storelab_add(1, 1);
    storelab_commit();
    limit_files(256 << 10);
    storelab_add(2, 1);
    add_large(1);
    storelab_add(3, 1);
    store_turn(sl.store);
    storelab_add(4, 1); /* gathers meanwhile */
    uint64_t void_ticket = store_ticket(sl.store);
    storelab_hear();
    assert_true(sl.last_result < 0);
    assert_true(sl.last_text[0] != '\0');
    /* What comes after a batch that failed is refused too: it would not fit what is on disk. */
    vec_clear(&sl.tickets);
    store_turn(sl.store);
    storelab_hear();
    assert_true(sl.last_result < 0);
    assert_true(store_committed(sl.store) < void_ticket);
    struct errtext err = {""};
    store_reset(sl.store);
    assert_true(store_ticket(sl.store) <= store_committed(sl.store));
    assert_true(store_committed(sl.store) >
                void_ticket); /* replies behind the void ones are dropped, later ones pass */
    storelab_disk_must_have("the batch is gone whole", "1:1");
    limit_files(4096);
    assert_true(store_probe(sl.store, &err) < 0);
    assert_true(err.s[0] != '\0');
    assert_true(store_probe(sl.store, &err) < 0);
    limit_files(RLIM_INFINITY);
    assert_int_equal(store_probe(sl.store, &err), 0);
    sl.last_result = 1;
    storelab_add(2, 1);
    add_large(1);
    storelab_commit();
    storelab_disk_must_have("it goes on", "1:1 2:1");
    /* As after the first batch of a controller: a log that goes missing later can be told from an older
     * copy of the state. */
    wait_for_empty_log();
    storelab_reopen();
    storelab_disk_must_have("and stays", "1:1 2:1");
    store_close(sl.store);
    sl.store = NULL;
    assert_int_equal(storelab_sql_number("SELECT count(*) FROM payload WHERE job = 0"),
                     0); /* the probe leaves nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_CASE(test_a_journal_is_removed_for_good), STORE_CASE(test_second_controller_is_refused),
        STORE_CASE(test_damaged_file_is_refused),       STORE_CASE(test_damaged_tail_is_refused),
        STORE_CASE(test_foreign_files_are_refused),     STORE_CASE(test_links),
        STORE_CASE(test_events_that_cannot_be_read),    STORE_CASE(test_full_disk),
    };
    return cmocka_run_group_tests_name("store files", tests, NULL, NULL);
}
