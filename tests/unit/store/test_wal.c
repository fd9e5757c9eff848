/* test_wal.c - a write-ahead log that was damaged, cut or taken away: told from one that a crash has torn.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/store/disk.h"
#include "backend/store/wal.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/storelab.h"

#define HEADER 32
#define FRAME  (24 + 4096)
#define EPOCH  7

static bool syncs_fail;

/* In place of the system's, for SQLite. */
int fdatasync(int fd)
{
    (void)fd;
    errno = EIO;
    return syncs_fail ? -1 : 0;
}

int fsync(int fd)
{
    return fdatasync(fd);
}

static char *path_of(const char *name)
{
    return xasprintf("%s/%s", sl.dir, name);
}

static char *read_file(const char *name, size_t *ret_n)
{
    char *path = path_of(name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    assert_true(fd >= 0 && fstat(fd, &st) == 0);
    char *p = xmalloc((size_t)st.st_size + 1);
    assert_int_equal(read(fd, p, (size_t)st.st_size), st.st_size);
    close(fd);
    free(path);
    *ret_n = (size_t)st.st_size;
    return p;
}

static void write_file(const char *name, const char *p, size_t n)
{
    char *path = path_of(name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, p, n), (ssize_t)n);
    close(fd);
    free(path);
}

/* What a controller that was killed leaves: twenty commits in the log, the first one in the database. */
static struct image {
    char *db, *wal, *mark;
    size_t db_n, wal_n, mark_n;
} image;

static void put_back(void)
{
    write_file("stoker.db", image.db, image.db_n);
    write_file("stoker.db-wal", image.wal, image.wal_n);
    write_file("mark", image.mark, image.mark_n);
}

static void make_image(void)
{
    storelab_must_open();
    store_note(sl.store, 1, EPOCH, 100);
    for (uint64_t seq = 1; seq <= 20; seq++) {
        storelab_add(seq, (uint32_t)seq);
        storelab_commit();
        store_newest(sl.store); /* waits for the checkpoint behind the first one */
    }
    image.db = read_file("stoker.db", &image.db_n);
    image.wal = read_file("stoker.db-wal", &image.wal_n);
    image.mark = read_file("mark", &image.mark_n);
    store_close(sl.store);
    sl.store = NULL;
    put_back();
}

static int set_up(void **state)
{
    int r = storelab_set_up(state);
    make_image();
    return r;
}

static int tear_down(void **state)
{
    free(image.db);
    free(image.wal);
    free(image.mark);
    return storelab_tear_down(state);
}

static int check(struct errtext *err)
{
    char *path = path_of("stoker.db-wal");
    int r = wal_check(path, err);
    free(path);
    return r;
}

/* One byte of each frame: where it lies in one of the last commits it cannot be told from a torn end, and
 * the mark tells. */
static void test_flipped_bytes(void **state)
{
    (void)state;
    struct errtext err = {""};
    assert_int_equal(check(&err), 0);
    size_t n_frames = (image.wal_n - HEADER) / FRAME, n_refused = 0;
    assert_true(n_frames >= 19);
    for (size_t i = 0; i < n_frames; i++)
        for (size_t at = 0; at < FRAME; at += 997) {
            put_back();
            image.wal[HEADER + i * FRAME + at] ^= 0x10;
            write_file("stoker.db-wal", image.wal, image.wal_n);
            image.wal[HEADER + i * FRAME + at] ^= 0x10;
            int r = check(&err);
            n_refused += r == -EUCLEAN;
            if (r == 0 && i + 4 < n_frames)
                fail_msg("frame %zu byte %zu: damage was not seen", i, at);
            if (r < 0)
                check_has("text", err.s, "is damaged at frame");
            if (r < 0 && at == 0) { /* refused, and as it was */
                size_t n;
                check_int("refused", storelab_try_open(&err), -EUCLEAN);
                check_has("the way out", err.s, "--accept-loss");
                char *after = read_file("stoker.db-wal", &n);
                assert_int_equal(n, image.wal_n);
                free(after);
                continue;
            }
            if (r < 0)
                continue;
            storelab_must_open();
            assert_int_equal(store_mark(sl.store)->epoch, EPOCH);
            assert_true(store_newest(sl.store) < store_mark(sl.store)->seq);
            store_leave(sl.store);
            sl.store = NULL;
        }
    print_message("%zu of %zu were refused for the log alone\n", n_refused, n_frames * 5);
}

static void test_header(void **state)
{
    (void)state;
    struct errtext err = {""};
    for (size_t at = 0; at < HEADER; at++) {
        image.wal[at] ^= 0x40;
        write_file("stoker.db-wal", image.wal, image.wal_n);
        image.wal[at] ^= 0x40;
        check_int("header", check(&err), -EUCLEAN);
        check_has("header", err.s, "its header cannot be read");
    }
    char *zeros = xcalloc(1, image.wal_n); /* room that was given and never written */
    write_file("stoker.db-wal", zeros, image.wal_n);
    free(zeros);
    check_int("zeros", check(&err), 0);
}

/* Cut anywhere it looks like a torn end: the mark knows better. */
static void test_cut(void **state)
{
    (void)state;
    struct errtext err = {""};
    for (size_t n = 0; n < image.wal_n; n += 5003) {
        put_back();
        write_file("stoker.db-wal", image.wal, n);
        check_int("cut", check(&err), 0);
        storelab_must_open();
        uint64_t newest = store_newest(sl.store);
        assert_in_range(newest, 1, 19);
        assert_int_equal(store_mark(sl.store)->seq, 20);
        assert_int_equal(store_mark(sl.store)->next_job, 100);
        store_leave(sl.store);
        sl.store = NULL;
    }
    put_back();
    storelab_must_open();
    assert_int_equal(store_newest(sl.store), 20);
}

/* A torn end, as a power failure leaves it: the last commit's frames are not all there. */
static void test_torn_end(void **state)
{
    (void)state;
    struct errtext err = {""};
    char *db = path_of("stoker.db-wal");
    assert_int_equal(truncate(db, (off_t)image.wal_n - 100), 0);
    free(db);
    check_int("torn", check(&err), 0);
}

static int write_event(struct disk *d, uint64_t seq, size_t n)
{
    struct work *w = work_new(WORK_BATCH);
    vec_push(&w->rows, (struct batch_row){.kind = ROW_EVENT, .seq = seq, .job = 1, .n = n});
    for (size_t i = 0; i < n; i++)
        str_append_char(&w->bytes, 'x');
    d->failed = false; /* as after store_reset */
    disk_do(d, w);
    int r = w->result;
    work_free(w);
    return r;
}

/* Loses a part of the first frame that differs from the old log. */
static void tear_behind(const char *old, size_t n_old)
{
    size_t n, at = 0;
    char *log = read_file("stoker.db-wal", &n);
    while (at < n_old && at < n && log[at] == old[at])
        at++;
    size_t frame = at > HEADER ? (at - HEADER) / FRAME : 0;
    assert_true(HEADER + (frame + 1) * FRAME <= n);
    memset(log + HEADER + frame * FRAME + 512, 0x5a, 512);
    write_file("stoker.db-wal", log, n);
    free(log);
}

static void open_disk(struct disk *d)
{
    struct errtext err = {""};
    char *path = path_of("stoker.db");
    check_int("open", disk_open(d, sl.dir, path, &(struct store_demands){0}, &err), 0);
    free(path);
}

/* Each of them was written over the one before, and none was acknowledged. */
static void test_commits_that_failed(void **state)
{
    (void)state;
    struct errtext err = {""};
    struct disk d;
    open_disk(&d);
    check_int("a commit", write_event(&d, 21, 100), 0);
    size_t n_old;
    char *old = read_file("stoker.db-wal", &n_old);
    syncs_fail = true;
    for (size_t n = 5; n >= 1; n--)
        assert_true(write_event(&d, 22, n * 20000) < 0);
    syncs_fail = false;
    disk_close(&d, true);
    tear_behind(old, n_old);
    free(old);
    check_int("the log", check(&err), 0);
    open_disk(&d);
    check_int("the next one", write_event(&d, 22, 100), 0);
    disk_close(&d, false);
}

/* Each power failure leaves the end of a commit that it has torn. */
static void test_a_torn_commit_over_a_torn_commit(void **state)
{
    (void)state;
    struct errtext err = {""};
    struct disk d;
    for (size_t n = 3; n >= 1; n--) {
        size_t n_old;
        char *old = read_file("stoker.db-wal", &n_old);
        open_disk(&d);
        check_int("a commit", write_event(&d, 21, n * 20000), 0);
        disk_close(&d, true);
        tear_behind(old, n_old);
        free(old);
        check_int("the log", check(&err), 0);
    }
}

static void test_accepted_loss_is_not_found_again(void **state)
{
    (void)state;
    struct errtext err = {""};
    image.wal[HEADER + 5 * FRAME + 100] ^= 1;
    write_file("stoker.db-wal", image.wal, image.wal_n);
    check_int("refused", storelab_try_open(&err), -EUCLEAN);
    struct store_demands demands = {.accept_loss = true};
    check_int("accepted", store_open_as(sl.dir, &storelab_callbacks, &demands, &sl.store, &err), 0);
    uint64_t newest = store_newest(sl.store);
    assert_in_range(newest, 1, 19);
    store_note(sl.store, 1, EPOCH + 1, 200);
    storelab_add(newest + 1, 1);
    storelab_commit();
    store_newest(sl.store);
    check_int("the log as it is now", check(&err), 0);
    assert_int_equal(store_mark(sl.store)->seq, newest + 1);
    assert_int_equal(store_mark(sl.store)->epoch, EPOCH + 1);
}

/* Never ahead: a batch that takes the newest event away lowers it before it is committed. */
static void test_mark_goes_back(void **state)
{
    (void)state;
    storelab_must_open();
    store_note(sl.store, 1, EPOCH, 100);
    struct job j = {.id = 20, .array_index = ARRAY_NONE};
    assert_false(store_retire_job(sl.store, &j));
    storelab_commit();
    assert_int_equal(store_newest(sl.store), 19);
    assert_int_equal(store_mark(sl.store)->seq, 19);
    store_close(sl.store);
    sl.store = NULL;
    write_file("mark", "rubbish, and as long as a mark would be; really", 40);
    storelab_must_open();
    assert_int_equal(store_mark(sl.store)->epoch, 0); /* none */
}

static void test_empty_file(void **state)
{
    (void)state;
    struct errtext err = {""};
    struct store_demands demands = {.must_exist = true};
    write_file("stoker.db", "", 0);
    check_int("with a log", storelab_try_open(&err), -EUCLEAN);
    size_t n;
    free(read_file("stoker.db-wal", &n));
    assert_int_equal(n, image.wal_n); /* SQLite would have deleted it */
    write_file("stoker.db-wal", "", 0);
    check_int("without", store_open_as(sl.dir, &storelab_callbacks, &demands, &sl.store, &err), -ENODATA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_flipped_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_header, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_torn_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_commits_that_failed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_torn_commit_over_a_torn_commit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_accepted_loss_is_not_found_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mark_goes_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_empty_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
