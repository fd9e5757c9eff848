/* test_archive.c - the history in its own file, and checksums: damage in it stops nothing else, nothing of
 * it is read at the start, what is too old goes, and what was changed on disk is not believed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/storelab.h"

#define DEADLINE_MS 60000
#define T0          INT64_C(1000000)

static struct {
    bool committed;
    uint32_t pieces, n, n_damaged, damaged_job;
    struct history_place next;
    int r;
    char text[512];
} got;

static void on_commit(void *ctx, uint64_t ticket, int r, const char *text)
{
    (void)ctx, (void)ticket;
    if (r < 0)
        fail_msg("%s", text);
    got.committed = true;
}

static void on_history(void *ctx, const struct history_piece *p)
{
    (void)ctx;
    got.pieces++;
    got.n += p->n;
    got.n_damaged += p->n_damaged;
    got.damaged_job = p->n_damaged ? p->damaged_job : got.damaged_job;
    got.next = p->next;
    got.r = p->r;
    snprintf(got.text, sizeof got.text, "%s", p->text);
}

static const struct store_callbacks callbacks = {.on_commit = on_commit};

static void must_open(void)
{
    struct errtext err = {""};
    if (store_open(sl.dir, &callbacks, &sl.store, &err) < 0)
        fail_msg("%s", err.s);
}

static void reopen(void)
{
    store_close(sl.store);
    must_open();
}

static void hear(void)
{
    struct pollfd p = {.fd = store_fd(sl.store), .events = POLLIN};
    if (poll(&p, 1, DEADLINE_MS) != 1)
        fail_msg("the store says nothing");
    store_dispatch(sl.store);
}

static void commit(void)
{
    got.committed = false;
    store_turn(sl.store);
    while (!got.committed)
        hear();
}

static void retire(uint32_t id)
{
    struct job *j = job_new();
    j->id = id;
    j->array_index = ARRAY_NONE;
    j->user = xstrdup("ann");
    j->t_submit.ms = T0 + id;
    j->t_end.ms = T0 + id * 1000;
    store_retire_job(sl.store, j);
    job_free(j);
}

/* Jobs 1 to n, moved. */
static void fill(uint32_t n)
{
    must_open();
    for (uint32_t id = 1; id <= n; id++)
        retire(id);
    commit();
    storelab_move_all();
}

static void ask(uint32_t job)
{
    struct msg_history q = {0};
    if (job)
        *rec_list_push(&q.jobs) = (struct job_target){job, ARRAY_NONE, STEP_ALL};
    got.next = (struct history_place){0};
    got.n = got.n_damaged = 0;
    do { /* a piece is so long, or takes so long */
        struct history_place place = got.next;
        got.pieces = 0;
        store_get_history(sl.store, &q, &place, 5000, on_history, NULL);
        while (!got.pieces)
            hear();
    } while (got.r == 0 && !got.next.whole);
    rec_fini(&msg_history_rec, &q);
}

static int64_t here(void)
{
    return storelab_sql_number("SELECT count(*) FROM history");
}

static int64_t there(void)
{
    return storelab_history_number("SELECT count(*) FROM history");
}

static void close_store(void)
{
    store_close(sl.store);
    sl.store = NULL;
}

static void test_rows_are_moved(void **state)
{
    (void)state;
    fill(1000);
    ask(0);
    assert_int_equal(got.n, 1000);
    close_store();
    assert_int_equal(here(), 0);
    assert_int_equal(there(), 1000);
    must_open();
    assert_int_equal(store_last_job(sl.store), 1000);
    ask(0);
    assert_int_equal(got.n, 1000);
    /* On their way: a row that is in both counts once. */
    close_store();
    char *sql = xasprintf("ATTACH '%s/history.db' AS old; INSERT INTO history SELECT * FROM old.history"
                          " WHERE job < 500",
                          sl.dir);
    storelab_sql(sql);
    free(sql);
    assert_int_equal(here(), 499);
    must_open();
    ask(0);
    assert_int_equal(got.n, 1000);
    ask(17);
    assert_int_equal(got.n, 1);
}

/* Of an earlier release: all rows in stoker.db, no column crc, no other file. */
static void test_upgrade_loses_nothing(void **state)
{
    (void)state;
    fill(1000);
    close_store();
    char *file = xasprintf("%s/history.db", sl.dir);
    char *sql = xasprintf("ATTACH '%s' AS old; INSERT INTO history SELECT * FROM old.history;"
                          "ALTER TABLE history DROP COLUMN crc; ALTER TABLE event DROP COLUMN crc;"
                          "ALTER TABLE payload DROP COLUMN crc",
                          file);
    storelab_sql(sql);
    free(sql);
    assert_int_equal(unlink(file), 0);
    free(file);
    must_open();
    ask(0); /* before anything has been moved */
    assert_int_equal(got.n, 1000);
    storelab_add(1, 5000);
    commit();
    storelab_move_all();
    ask(0);
    assert_int_equal(got.n, 1000);
    close_store();
    assert_int_equal(here(), 0);
    assert_int_equal(there(), 1000);
    assert_int_equal(storelab_history_number("SELECT count(*) FROM history WHERE crc = 0"), 0);
}

/* What the process has read so far. */
static int64_t bytes_read(void)
{
    FILE *f = fopen("/proc/self/io", "r");
    long long n = -1;
    if (!f || fscanf(f, "rchar: %lld", &n) != 1)
        n = -1;
    if (f)
        fclose(f);
    return n;
}

static int64_t cost_of_a_start(void)
{
    struct str events = STR_INIT;
    struct errtext err;
    int64_t before = bytes_read();
    must_open();
    assert_int_equal(store_load(sl.store, storelab_collect, &events, &err), 0);
    store_last_job(sl.store);
    int64_t cost = bytes_read() - before;
    str_fini(&events);
    close_store();
    return cost;
}

/* Neither of what is in history.db nor of what an earlier release has left in stoker.db. */
static void test_start_does_not_read_the_history(void **state)
{
    (void)state;
    if (bytes_read() < 0)
        skip();
    fill(10);
    close_store();
    int64_t small = cost_of_a_start();
    static const char more[] =
        "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 21000)"
        " INSERT INTO history (job, array_job, uid, user, state, t_submit, t_start, t_end,"
        " record, crc) SELECT i, 0, 0, 'ann', 3, i, i, i, zeroblob(500), 0 FROM n";
    storelab_history_sql(more);
    storelab_sql(more);
    struct stat st;
    assert_int_equal(stat(sl.file, &st), 0);
    assert_true(st.st_size > 10 << 20);
    int64_t large = cost_of_a_start();
    print_message("%lld bytes are read at a start with 10 rows, %lld with 40,000\n", (long long)small,
                  (long long)large);
    assert_true(large < small + 100000);
}

static void test_too_old(void **state)
{
    (void)state;
    fill(1000);
    store_trim_history(sl.store, T0 + 701 * 1000);
    storelab_move_all();
    ask(0);
    assert_int_equal(got.n, 300);
    ask(700);
    assert_int_equal(got.n, 0);
    ask(701);
    assert_int_equal(got.n, 1);
    close_store();
    assert_int_equal(there(), 300);
}

/* Where the history is too large the oldest jobs of the user who has most go, and those of others stay. */
static void test_too_large(void **state)
{
    (void)state;
    enum { LIMIT = 8 << 20 };
    static const char rows[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
        " INSERT INTO history (job, array_job, uid, user, state, t_submit, t_start, t_end, record, crc)"
        " SELECT i, 0, 0, iif(i % 10, 'ann', 'ben'), 3, i, i, i, zeroblob(iif(i % 10, 3000, 10)), 0 FROM n";
    must_open();
    close_store();
    storelab_history_sql(rows);
    assert_int_equal(there(), 5000);
    must_open();
    store_trim_history_to(sl.store, LIMIT);
    storelab_move_all();
    close_store();
    assert_int_equal(storelab_history_number("SELECT count(*) FROM history WHERE user = 'ben'"), 500);
    assert_in_range(there(), 1000, 3500);
    assert_in_range(storelab_history_number("SELECT min(job) FROM history WHERE user = 'ann'"), 1500, 4500);
}

static void test_damaged_file_stops_nothing(void **state)
{
    (void)state;
    fill(300);
    close_store();
    char *file = xasprintf("%s/history.db", sl.dir);
    int fd = open(file, O_WRONLY);
    assert_int_equal(pwrite(fd, "this was a history", 18, 0), 18);
    close(fd);
    must_open();
    storelab_add(1, 5);
    retire(301);
    commit();
    storelab_move_all();
    ask(0);
    check_int("the answer", got.r, -EUCLEAN);
    check_has("its text", got.text, "history.db");
    close_store();
    assert_int_equal(here(), 1);
    /* Moved away, as the text says. */
    assert_int_equal(unlink(file), 0);
    free(file);
    must_open();
    storelab_add(2, 5);
    commit();
    storelab_move_all();
    ask(0);
    check_int("the answer", got.r, 0);
    assert_int_equal(got.n, 1);
}

static void test_damaged_rows(void **state)
{
    (void)state;
    fill(100);
    close_store();
    static const char *const damage[] = {
        "UPDATE history SET uid = 4 WHERE job = 17",
        "UPDATE history SET state = state + 1 WHERE job = 17",
        "UPDATE history SET user = 'bob' WHERE job = 17",
        "UPDATE history SET name = '' WHERE job = 17",
        "UPDATE history SET record = CAST(record || x'00' AS BLOB) WHERE job = 17",
        "UPDATE history SET t_start = 1 WHERE job = 17"};
    for (size_t i = 0; i < N_OF(damage); i++) {
        storelab_history_sql("CREATE TABLE kept AS SELECT * FROM history WHERE job = 17");
        storelab_history_sql(damage[i]);
        must_open();
        ask(0);
        check_int(damage[i], got.r, 0);
        check_int(damage[i], (int)got.n, 99);
        check_int(damage[i], (int)got.n_damaged, 1);
        check_int(damage[i], (int)got.damaged_job, 17);
        ask(17);
        check_int(damage[i], got.r, -EBADMSG);
        check_has(damage[i], got.text, "job 17 is damaged");
        close_store();
        storelab_history_sql("DELETE FROM history WHERE job = 17; INSERT INTO history SELECT * FROM kept;"
                             "DROP TABLE kept");
    }
    storelab_history_sql("UPDATE history SET uid = 4, crc = 0 WHERE job = 17"); /* an earlier release's */
    must_open();
    ask(0);
    assert_int_equal(got.n, 100);
}

static void test_damaged_events(void **state)
{
    (void)state;
    static const char *const damage[] = {
        "UPDATE event SET job = 6 WHERE seq = 2", "UPDATE event SET t = 7 WHERE seq = 2",
        "UPDATE event SET body = (SELECT body FROM event WHERE seq = 3) WHERE seq = 2"};
    for (size_t i = 0; i < N_OF(damage); i++) {
        storelab_tear_down(NULL);
        storelab_set_up(NULL);
        must_open();
        for (uint64_t seq = 1; seq <= 3; seq++)
            storelab_add(seq, 5);
        commit();
        close_store();
        storelab_sql(damage[i]);
        must_open();
        struct str events = STR_INIT;
        struct errtext err = {""};
        check_int(damage[i], store_load(sl.store, storelab_collect, &events, &err), -EUCLEAN);
        check_has(damage[i], err.s, "event 2 is damaged");
        check_has(damage[i], err.s, "restore a backup");
        str_fini(&events);
    }
}

/* A script with another letter is not run. */
static void test_damaged_payload(void **state)
{
    (void)state;
    must_open();
    store_add_payload(sl.store, 5, 0, "rm yy", 5);
    store_add_payload(sl.store, 6, 0, "other", 5);
    commit();
    close_store();
    storelab_sql("UPDATE payload SET body = CAST('rm yq' AS BLOB) WHERE job = 5");
    must_open();
    for (uint32_t job = 5; job <= 6; job++) {
        store_get_payload(sl.store, job, 0, storelab_on_payload, NULL);
        for (unsigned n = sl.payload.answers; sl.payload.answers == n;)
            hear();
        assert_int_equal(sl.payload.n, job == 5 ? 0 : 5);
    }
    close_store();
    storelab_sql("UPDATE payload SET crc = 0");
    must_open();
    store_get_payload(sl.store, 5, 0, storelab_on_payload, NULL);
    for (unsigned n = sl.payload.answers; sl.payload.answers == n;)
        hear();
    assert_int_equal(sl.payload.n, 5);
    reopen();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_CASE(test_rows_are_moved),
        STORE_CASE(test_upgrade_loses_nothing),
        STORE_CASE(test_start_does_not_read_the_history),
        STORE_CASE(test_too_old),
        STORE_CASE(test_too_large),
        STORE_CASE(test_damaged_file_stops_nothing),
        STORE_CASE(test_damaged_rows),
        STORE_CASE(test_damaged_events),
        STORE_CASE(test_damaged_payload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
